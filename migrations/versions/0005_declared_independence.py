"""Two datasets can be declared to share no item.

What a user gains: datasets that are known to be independent are counted as such, for good.
Rewrites data: no (the table of overlaps is built anew around the same rows).
"""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"

BEFORE = "kind IN ('shared-items', 'contains', 'transform')"
AFTER = "kind IN ('shared-items', 'contains', 'transform', 'independent')"
# The names that 0001 gave: the convention's prefix came before whole names.
RULE = "ck_dataset_overlap_ck_dataset_overlap_kind_known"
ORDERED = "ck_dataset_overlap_ck_dataset_overlap_ordered"


def let_kinds_be(rule: str) -> None:
    """Put another rule on the kind of an overlap."""
    if op.get_context().dialect.name != "sqlite":
        op.drop_constraint(op.f(RULE), "dataset_overlap", type_="check")
        op.create_check_constraint(op.f(RULE), "dataset_overlap", rule)
        return
    op.create_table(
        "new_dataset_overlap",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("dataset_a_id", sa.Integer(), nullable=False),
        sa.Column("dataset_b_id", sa.Integer(), nullable=False),
        sa.Column("kind", sa.String(length=20), nullable=False),
        sa.Column("note", sa.Text(), nullable=False),
        sa.CheckConstraint(rule, name=op.f(RULE)),
        sa.CheckConstraint("dataset_a_id < dataset_b_id", name=op.f(ORDERED)),
        sa.ForeignKeyConstraint(
            ["dataset_a_id"],
            ["dataset.id"],
            name="fk_dataset_overlap_dataset_a_id_dataset",
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["dataset_b_id"],
            ["dataset.id"],
            name="fk_dataset_overlap_dataset_b_id_dataset",
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name="pk_dataset_overlap"),
        sa.UniqueConstraint(
            "dataset_a_id", "dataset_b_id", name="uq_dataset_overlap_dataset_a_id_dataset_b_id"
        ),
        sqlite_autoincrement=True,
    )
    op.execute("INSERT INTO new_dataset_overlap SELECT * FROM dataset_overlap")
    op.drop_table("dataset_overlap")
    op.rename_table("new_dataset_overlap", "dataset_overlap")
    op.create_index(
        "ix_dataset_overlap_dataset_b_id", "dataset_overlap", ["dataset_b_id"], unique=False
    )


def upgrade() -> None:
    let_kinds_be(AFTER)


def downgrade() -> None:
    op.execute("DELETE FROM dataset_overlap WHERE kind = 'independent'")
    let_kinds_be(BEFORE)
