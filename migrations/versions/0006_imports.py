"""Imports as a whole, with what they added and changed; answers to their questions.

What a user gains: an import can be taken back whole; an answer is asked for once.
Rewrites data: no.
"""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"


def upgrade() -> None:
    op.create_table(
        "import",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("uid", sa.String(length=12), nullable=False),
        sa.Column("actor", sa.String(length=200), nullable=False),
        sa.Column("added", sa.JSON(none_as_null=True), nullable=False),
        sa.Column("summary", sa.JSON(none_as_null=True), nullable=False),
        sa.Column("created_at", sa.String(32), nullable=False),
        sa.Column("undone_at", sa.String(32), nullable=True),
        sa.PrimaryKeyConstraint("id", name="pk_import"),
        sa.UniqueConstraint("uid", name="uq_import_uid"),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "import_change",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("import_id", sa.Integer(), nullable=False),
        sa.Column("table_name", sa.String(length=60), nullable=False),
        sa.Column("row_id", sa.Integer(), nullable=False),
        sa.Column("before", sa.JSON(none_as_null=True), nullable=True),
        sa.Column("after", sa.JSON(none_as_null=True), nullable=True),
        sa.ForeignKeyConstraint(
            ["import_id"], ["import.id"], name="fk_import_change_import_id_import"
        ),
        sa.PrimaryKeyConstraint("id", name="pk_import_change"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_import_change_import_id", "import_change", ["import_id"], unique=False)
    op.create_table(
        "import_answer",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("subject", sa.String(length=400), nullable=False),
        sa.Column("answer", sa.String(length=400), nullable=False),
        sa.Column("actor", sa.String(length=200), nullable=False),
        sa.Column("created_at", sa.String(32), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_import_answer"),
        sa.UniqueConstraint("subject", name="uq_import_answer_subject"),
        sqlite_autoincrement=True,
    )


def downgrade() -> None:
    op.drop_table("import_answer")
    op.drop_index("ix_import_change_import_id", table_name="import_change")
    op.drop_table("import_change")
    op.drop_table("import")
