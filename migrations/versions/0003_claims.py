"""A ledger of claims, and what audits made of them.

What a user gains: dated claims of a system's score stay on record, with every verdict ever given.
Rewrites data: no.
"""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"

VERDICTS = "'supported', 'within-noise', 'underpowered', 'unverifiable', 'contradicted'"
TIERS = "'reported', 'reproduced', 'contradicted'"


def make_claim() -> None:
    """Make the table of claims."""
    op.create_table(
        "claim",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("uid", sa.String(length=12), nullable=False),
        sa.Column("system_id", sa.Integer(), nullable=False),
        sa.Column("dataset_id", sa.Integer(), nullable=False),
        sa.Column("metric_id", sa.Integer(), nullable=False),
        sa.Column("run_id", sa.Integer(), nullable=True),
        sa.Column("claimed_on", sa.String(32), nullable=False),
        sa.Column("value", sa.Double(), nullable=False),
        sa.Column("printed", sa.String(length=200), nullable=False),
        sa.Column("source", sa.String(length=1000), nullable=False),
        sa.Column("source_url", sa.String(length=2000), nullable=True),
        sa.Column("quote", sa.Text(), nullable=False),
        sa.Column("origin", sa.String(length=20), nullable=False),
        sa.Column("tier", sa.String(length=20), nullable=False),
        sa.Column("ingest_id", sa.Integer(), nullable=True),
        sa.Column("actor", sa.String(length=200), nullable=False),
        sa.Column("created_at", sa.String(32), nullable=False),
        sa.CheckConstraint(
            "origin IN ('hand', 'file', 'found')", name=op.f("ck_claim_origin_known")
        ),
        sa.CheckConstraint(f"tier IN ({TIERS})", name=op.f("ck_claim_tier_known")),
        sa.ForeignKeyConstraint(
            ["dataset_id"], ["dataset.id"], name="fk_claim_dataset_id_dataset", ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(["ingest_id"], ["ingest.id"], name="fk_claim_ingest_id_ingest"),
        sa.ForeignKeyConstraint(["metric_id"], ["metric.id"], name="fk_claim_metric_id_metric"),
        sa.ForeignKeyConstraint(
            ["run_id"], ["run.id"], name="fk_claim_run_id_run", ondelete="SET NULL"
        ),
        sa.ForeignKeyConstraint(
            ["system_id"], ["system.id"], name="fk_claim_system_id_system", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name="pk_claim"),
        sa.UniqueConstraint(
            "system_id",
            "dataset_id",
            "metric_id",
            "claimed_on",
            "source",
            "value",
            name="uq_claim_identity",
        ),
        sa.UniqueConstraint("uid", name="uq_claim_uid"),
        sqlite_autoincrement=True,
    )
    for column in ("dataset_id", "ingest_id", "metric_id", "run_id"):
        op.create_index(f"ix_claim_{column}", "claim", [column], unique=False)


def make_claim_evidence() -> None:
    """Make the table of verdicts."""
    op.create_table(
        "claim_evidence",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("claim_id", sa.Integer(), nullable=False),
        sa.Column("verdict", sa.String(length=20), nullable=False),
        sa.Column("tier", sa.String(length=20), nullable=True),
        sa.Column("figures", sa.JSON(none_as_null=True), nullable=False),
        sa.Column("signature", sa.Text(), nullable=False),
        sa.Column("fingerprint", sa.String(length=64), nullable=False),
        sa.Column("actor", sa.String(length=200), nullable=False),
        sa.Column("created_at", sa.String(32), nullable=False),
        sa.CheckConstraint(
            f"verdict IN ({VERDICTS})", name=op.f("ck_claim_evidence_verdict_known")
        ),
        sa.CheckConstraint(f"tier IN ({TIERS})", name=op.f("ck_claim_evidence_tier_known")),
        sa.ForeignKeyConstraint(
            ["claim_id"],
            ["claim.id"],
            name="fk_claim_evidence_claim_id_claim",
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name="pk_claim_evidence"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_claim_evidence_claim_id", "claim_evidence", ["claim_id"], unique=False)


def upgrade() -> None:
    make_claim()
    make_claim_evidence()


def downgrade() -> None:
    op.drop_table("claim_evidence")
    op.drop_table("claim")
