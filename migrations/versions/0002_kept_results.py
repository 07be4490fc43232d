"""A place for computed results; metrics by median, by BLEU's counts and by chrF's.

What a user gains: a link to a long computation opens at once; corpus BLEU and chrF can be tested.
Rewrites data: no (the table of metrics is built anew around the same rows).
"""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"

BEFORE = "aggregation IN ('mean', 'ratio', 'f1', 'pearson', 'spearman')"
AFTER = "aggregation IN ('mean', 'median', 'ratio', 'f1', 'bleu', 'chrf', 'pearson', 'spearman')"
# The names that 0001 gave: the convention's prefix came before whole names.
AGGREGATION_RULE = "ck_metric_ck_metric_aggregation_known"
UNIT_RULE = "ck_metric_ck_metric_unit_known"


def let_aggregations_be(rule: str) -> None:
    """Put another rule on the aggregation of a metric."""
    name = op.f(AGGREGATION_RULE)
    if op.get_context().dialect.name != "sqlite":
        op.drop_constraint(name, "metric", type_="check")
        op.create_check_constraint(name, "metric", rule)
        return
    columns = sa.Table(
        "metric",
        sa.MetaData(),
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("uid", sa.String(length=12), nullable=False),
        sa.Column("name", sa.String(length=200), nullable=False),
        sa.Column("signature", sa.String(length=400), nullable=False),
        sa.Column("higher_is_better", sa.Boolean(), nullable=False),
        sa.Column("aggregation", sa.String(length=20), nullable=False),
        sa.Column("unit", sa.String(length=20), nullable=False),
        sa.Column("lower", sa.Double(), nullable=True),
        sa.Column("upper", sa.Double(), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_metric")),
    )
    rules = (  # given here and not with the columns, where the batch would lose their order
        sa.CheckConstraint(rule, name=name),
        sa.CheckConstraint("unit IN ('', 'proportion', 'percent', 'points')", name=op.f(UNIT_RULE)),
        sa.UniqueConstraint("name", "signature", name=op.f("uq_metric_name_signature")),
        sa.UniqueConstraint("uid", name=op.f("uq_metric_uid")),
    )
    with op.batch_alter_table(
        "metric",
        recreate="always",
        copy_from=columns,
        table_args=rules,
        table_kwargs={"sqlite_autoincrement": True},
    ):
        pass


def upgrade() -> None:
    op.create_table(
        "analysis_result",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("key", sa.String(length=64), nullable=False),
        sa.Column("question", sa.String(length=100), nullable=False),
        sa.Column("arguments", sa.JSON(none_as_null=True), nullable=False),
        sa.Column("created_at", sa.String(32), nullable=False),
        sa.Column("size", sa.Integer(), nullable=False),
        sa.Column("digest", sa.String(length=64), nullable=False),
        sa.Column("payload", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_analysis_result"),
        sa.UniqueConstraint("key", name="uq_analysis_result_key"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_analysis_result_size", "analysis_result", ["size"], unique=False)
    let_aggregations_be(AFTER)


def downgrade() -> None:
    let_aggregations_be(BEFORE)
    op.drop_index("ix_analysis_result_size", table_name="analysis_result")
    op.drop_table("analysis_result")
