"""What each server of a store works on.

What a user gains: Admin shows and stops the work of all servers, not only of its own.
Rewrites data: no.
"""

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"


def upgrade() -> None:
    op.create_table(
        "server_work",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("uid", sa.String(length=12), nullable=False),
        sa.Column("server", sa.String(length=200), nullable=False),
        sa.Column("name", sa.String(length=100), nullable=False),
        sa.Column("seconds", sa.Integer(), nullable=False),
        sa.Column("n_waiting", sa.Integer(), nullable=False),
        sa.Column("n_done", sa.Integer(), nullable=True),
        sa.Column("n_steps", sa.Integer(), nullable=True),
        sa.Column("seen_at", sa.String(length=32), nullable=False),
        sa.Column("is_stopped", sa.Boolean(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_server_work"),
        sa.UniqueConstraint("uid", name="uq_server_work_uid"),
        sqlite_autoincrement=True,
    )


def downgrade() -> None:
    op.drop_table("server_work")
