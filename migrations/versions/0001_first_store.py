"""The first store: systems, datasets, items, runs, score vectors, reported figures.

What a user gains: a store.
Rewrites data: no.
"""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    op.create_table(
        "audit_event",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("at", sa.String(32), nullable=False),
        sa.Column("actor", sa.String(length=200), nullable=False),
        sa.Column("action", sa.String(length=40), nullable=False),
        sa.Column("target_kind", sa.String(length=40), nullable=False),
        sa.Column("target_uid", sa.String(length=12), nullable=False),
        sa.Column("detail", sa.JSON(none_as_null=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_audit_event"),
        sqlite_autoincrement=True,
    )
    op.create_index(
        "ix_audit_event_target_kind_target_uid",
        "audit_event",
        ["target_kind", "target_uid"],
        unique=False,
    )
    op.create_table(
        "dataset",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("uid", sa.String(length=12), nullable=False),
        sa.Column("name", sa.String(length=400), nullable=False),
        sa.Column("version", sa.String(length=100), nullable=False),
        sa.Column("task", sa.String(length=200), nullable=True),
        sa.Column("language", sa.String(length=100), nullable=True),
        sa.Column("domain", sa.String(length=200), nullable=True),
        sa.Column("n_items", sa.Integer(), nullable=False),
        sa.Column("chain_hash", sa.String(length=64), nullable=False),
        sa.Column("n_items_stated", sa.Integer(), nullable=True),
        sa.Column("sealed", sa.Boolean(), nullable=False),
        sa.Column("created_at", sa.String(32), nullable=False),
        sa.Column("deleted_at", sa.String(32), nullable=True),
        sa.PrimaryKeyConstraint("id", name="pk_dataset"),
        sa.UniqueConstraint("uid", name="uq_dataset_uid"),
        sqlite_autoincrement=True,
    )
    op.create_index(
        "uq_dataset_living_name_version",
        "dataset",
        ["name", "version"],
        unique=True,
        sqlite_where=sa.text("deleted_at IS NULL"),
        postgresql_where=sa.text("deleted_at IS NULL"),
    )
    op.create_table(
        "ingest",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("uid", sa.String(length=12), nullable=False),
        sa.Column("format", sa.String(length=40), nullable=False),
        sa.Column("files", sa.JSON(none_as_null=True), nullable=False),
        sa.Column("actor", sa.String(length=200), nullable=False),
        sa.Column("report", sa.JSON(none_as_null=True), nullable=False),
        sa.Column("created_at", sa.String(32), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_ingest"),
        sa.UniqueConstraint("uid", name="uq_ingest_uid"),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "metric",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("uid", sa.String(length=12), nullable=False),
        sa.Column("name", sa.String(length=200), nullable=False),
        sa.Column("signature", sa.String(length=400), nullable=False),
        sa.Column("higher_is_better", sa.Boolean(), nullable=False),
        sa.Column("aggregation", sa.String(length=20), nullable=False),
        sa.Column("unit", sa.String(length=20), nullable=False),
        sa.Column("lower", sa.Double(), nullable=True),
        sa.Column("upper", sa.Double(), nullable=True),
        sa.CheckConstraint(
            "aggregation IN ('mean', 'ratio', 'f1', 'pearson', 'spearman')",
            name="ck_metric_aggregation_known",
        ),
        sa.CheckConstraint(
            "unit IN ('', 'proportion', 'percent', 'points')", name="ck_metric_unit_known"
        ),
        sa.PrimaryKeyConstraint("id", name="pk_metric"),
        sa.UniqueConstraint("name", "signature", name="uq_metric_name_signature"),
        sa.UniqueConstraint("uid", name="uq_metric_uid"),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "note",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("target_kind", sa.String(length=20), nullable=False),
        sa.Column("target_id", sa.Integer(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("actor", sa.String(length=200), nullable=False),
        sa.Column("created_at", sa.String(32), nullable=False),
        sa.CheckConstraint(
            "target_kind IN ('system', 'dataset', 'run')", name="ck_note_target_kind_known"
        ),
        sa.PrimaryKeyConstraint("id", name="pk_note"),
        sqlite_autoincrement=True,
    )
    op.create_index(
        "ix_note_target_kind_target_id", "note", ["target_kind", "target_id"], unique=False
    )
    op.create_table(
        "system",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("uid", sa.String(length=12), nullable=False),
        sa.Column("name", sa.String(length=400), nullable=False),
        sa.Column("created_at", sa.String(32), nullable=False),
        sa.Column("deleted_at", sa.String(32), nullable=True),
        sa.PrimaryKeyConstraint("id", name="pk_system"),
        sa.UniqueConstraint("uid", name="uq_system_uid"),
        sqlite_autoincrement=True,
    )
    op.create_index(
        "uq_system_living_name",
        "system",
        ["name"],
        unique=True,
        sqlite_where=sa.text("deleted_at IS NULL"),
        postgresql_where=sa.text("deleted_at IS NULL"),
    )
    op.create_table(
        "tag",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("target_kind", sa.String(length=20), nullable=False),
        sa.Column("target_id", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(length=100), nullable=False),
        sa.CheckConstraint(
            "target_kind IN ('system', 'dataset', 'run')", name="ck_tag_target_kind_known"
        ),
        sa.PrimaryKeyConstraint("id", name="pk_tag"),
        sa.UniqueConstraint(
            "target_kind", "target_id", "name", name="uq_tag_target_kind_target_id_name"
        ),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_tag_name", "tag", ["name"], unique=False)
    op.create_table(
        "dataset_overlap",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("dataset_a_id", sa.Integer(), nullable=False),
        sa.Column("dataset_b_id", sa.Integer(), nullable=False),
        sa.Column("kind", sa.String(length=20), nullable=False),
        sa.Column("note", sa.Text(), nullable=False),
        sa.CheckConstraint(
            "kind IN ('shared-items', 'contains', 'transform')",
            name="ck_dataset_overlap_kind_known",
        ),
        sa.CheckConstraint("dataset_a_id < dataset_b_id", name="ck_dataset_overlap_ordered"),
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
    op.create_index(
        "ix_dataset_overlap_dataset_b_id", "dataset_overlap", ["dataset_b_id"], unique=False
    )
    op.create_table(
        "item",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("dataset_id", sa.Integer(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("key", sa.String(length=400), nullable=False),
        sa.Column("group_key", sa.String(length=400), nullable=True),
        sa.Column("content_hash", sa.String(length=64), nullable=True),
        sa.Column("chain_hash", sa.String(length=64), nullable=False),
        sa.Column("metadata", sa.JSON(none_as_null=True), nullable=True),
        sa.ForeignKeyConstraint(
            ["dataset_id"], ["dataset.id"], name="fk_item_dataset_id_dataset", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name="pk_item"),
        sa.UniqueConstraint("dataset_id", "key", name="uq_item_dataset_id_key"),
        sa.UniqueConstraint("dataset_id", "position", name="uq_item_dataset_id_position"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_item_content_hash", "item", ["content_hash"], unique=False)
    op.create_table(
        "reported_comparison",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("uid", sa.String(length=12), nullable=False),
        sa.Column("system_a_id", sa.Integer(), nullable=False),
        sa.Column("system_b_id", sa.Integer(), nullable=False),
        sa.Column("dataset_id", sa.Integer(), nullable=False),
        sa.Column("metric_id", sa.Integer(), nullable=False),
        sa.Column("pvalue", sa.Double(), nullable=False),
        sa.Column("test", sa.String(length=200), nullable=False),
        sa.Column("sidedness", sa.String(length=20), nullable=False),
        sa.Column("printed", sa.String(length=200), nullable=False),
        sa.Column("source", sa.String(length=1000), nullable=False),
        sa.Column("source_url", sa.String(length=2000), nullable=True),
        sa.Column("ingest_id", sa.Integer(), nullable=False),
        sa.CheckConstraint(
            "sidedness IN ('two-sided', 'greater', 'less', 'unstated')",
            name="ck_reported_comparison_sidedness_known",
        ),
        sa.ForeignKeyConstraint(
            ["dataset_id"],
            ["dataset.id"],
            name="fk_reported_comparison_dataset_id_dataset",
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["ingest_id"], ["ingest.id"], name="fk_reported_comparison_ingest_id_ingest"
        ),
        sa.ForeignKeyConstraint(
            ["metric_id"], ["metric.id"], name="fk_reported_comparison_metric_id_metric"
        ),
        sa.ForeignKeyConstraint(
            ["system_a_id"],
            ["system.id"],
            name="fk_reported_comparison_system_a_id_system",
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["system_b_id"],
            ["system.id"],
            name="fk_reported_comparison_system_b_id_system",
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name="pk_reported_comparison"),
        sa.UniqueConstraint(
            "system_a_id",
            "system_b_id",
            "dataset_id",
            "metric_id",
            "source",
            name="uq_reported_comparison_identity",
        ),
        sa.UniqueConstraint("uid", name="uq_reported_comparison_uid"),
        sqlite_autoincrement=True,
    )
    op.create_index(
        "ix_reported_comparison_dataset_id", "reported_comparison", ["dataset_id"], unique=False
    )
    op.create_index(
        "ix_reported_comparison_ingest_id", "reported_comparison", ["ingest_id"], unique=False
    )
    op.create_index(
        "ix_reported_comparison_metric_id", "reported_comparison", ["metric_id"], unique=False
    )
    op.create_index(
        "ix_reported_comparison_system_b_id", "reported_comparison", ["system_b_id"], unique=False
    )
    op.create_table(
        "run",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("uid", sa.String(length=12), nullable=False),
        sa.Column("system_id", sa.Integer(), nullable=False),
        sa.Column("dataset_id", sa.Integer(), nullable=False),
        sa.Column("label", sa.String(length=400), nullable=False),
        sa.Column("complete", sa.Boolean(), nullable=False),
        sa.Column("evaluated_on", sa.String(32), nullable=True),
        sa.Column("tz_assumed", sa.Boolean(), nullable=False),
        sa.Column("seed", sa.BigInteger(), nullable=True),
        sa.Column("command", sa.Text(), nullable=True),
        sa.Column("harness", sa.String(length=200), nullable=True),
        sa.Column("harness_version", sa.String(length=200), nullable=True),
        sa.Column("git_origin", sa.String(length=1000), nullable=True),
        sa.Column("git_commit", sa.String(length=100), nullable=True),
        sa.Column("git_dirty", sa.Boolean(), nullable=True),
        sa.Column("source_url", sa.String(length=2000), nullable=True),
        sa.Column("packages", sa.JSON(none_as_null=True), nullable=True),
        sa.Column("config", sa.JSON(none_as_null=True), nullable=True),
        sa.Column("ingest_id", sa.Integer(), nullable=False),
        sa.Column("created_at", sa.String(32), nullable=False),
        sa.Column("deleted_at", sa.String(32), nullable=True),
        sa.ForeignKeyConstraint(
            ["dataset_id"], ["dataset.id"], name="fk_run_dataset_id_dataset", ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(["ingest_id"], ["ingest.id"], name="fk_run_ingest_id_ingest"),
        sa.ForeignKeyConstraint(
            ["system_id"], ["system.id"], name="fk_run_system_id_system", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name="pk_run"),
        sa.UniqueConstraint("uid", name="uq_run_uid"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_run_dataset_id", "run", ["dataset_id"], unique=False)
    op.create_index("ix_run_ingest_id", "run", ["ingest_id"], unique=False)
    op.create_index("ix_run_system_id", "run", ["system_id"], unique=False)
    op.create_index(
        "uq_run_living_system_dataset_label",
        "run",
        ["system_id", "dataset_id", "label"],
        unique=True,
        sqlite_where=sa.text("deleted_at IS NULL"),
        postgresql_where=sa.text("deleted_at IS NULL"),
    )
    op.create_table(
        "system_alias",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("system_id", sa.Integer(), nullable=False),
        sa.Column("alias", sa.String(length=400), nullable=False),
        sa.ForeignKeyConstraint(
            ["system_id"],
            ["system.id"],
            name="fk_system_alias_system_id_system",
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name="pk_system_alias"),
        sa.UniqueConstraint("alias", name="uq_system_alias_alias"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_system_alias_system_id", "system_alias", ["system_id"], unique=False)
    op.create_table(
        "item_text",
        sa.Column("item_id", sa.Integer(), nullable=False),
        sa.Column("input_text", sa.Text(), nullable=True),
        sa.Column("reference_text", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(
            ["item_id"], ["item.id"], name="fk_item_text_item_id_item", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("item_id", name="pk_item_text"),
    )
    op.create_table(
        "output",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("run_id", sa.Integer(), nullable=False),
        sa.Column("trial", sa.Integer(), nullable=False),
        sa.Column("item_id", sa.Integer(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["item_id"], ["item.id"], name="fk_output_item_id_item", ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["run_id"], ["run.id"], name="fk_output_run_id_run", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name="pk_output"),
        sa.UniqueConstraint("run_id", "trial", "item_id", name="uq_output_run_id_trial_item_id"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_output_item_id", "output", ["item_id"], unique=False)
    op.create_table(
        "reported_score",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("uid", sa.String(length=12), nullable=False),
        sa.Column("system_id", sa.Integer(), nullable=False),
        sa.Column("dataset_id", sa.Integer(), nullable=False),
        sa.Column("metric_id", sa.Integer(), nullable=False),
        sa.Column("run_id", sa.Integer(), nullable=True),
        sa.Column("value", sa.Double(), nullable=False),
        sa.Column("stderr", sa.Double(), nullable=True),
        sa.Column("n_items", sa.Integer(), nullable=True),
        sa.Column("printed", sa.String(length=200), nullable=False),
        sa.Column("source", sa.String(length=1000), nullable=False),
        sa.Column("source_url", sa.String(length=2000), nullable=True),
        sa.Column("reported_on", sa.String(32), nullable=True),
        sa.Column("ingest_id", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["dataset_id"],
            ["dataset.id"],
            name="fk_reported_score_dataset_id_dataset",
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["ingest_id"], ["ingest.id"], name="fk_reported_score_ingest_id_ingest"
        ),
        sa.ForeignKeyConstraint(
            ["metric_id"], ["metric.id"], name="fk_reported_score_metric_id_metric"
        ),
        sa.ForeignKeyConstraint(
            ["run_id"], ["run.id"], name="fk_reported_score_run_id_run", ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["system_id"],
            ["system.id"],
            name="fk_reported_score_system_id_system",
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name="pk_reported_score"),
        sa.UniqueConstraint(
            "system_id",
            "dataset_id",
            "metric_id",
            "source",
            "run_id",
            name="uq_reported_score_system_id_dataset_id_metric_id_source_run_id",
        ),
        sa.UniqueConstraint("uid", name="uq_reported_score_uid"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_reported_score_dataset_id", "reported_score", ["dataset_id"], unique=False)
    op.create_index("ix_reported_score_ingest_id", "reported_score", ["ingest_id"], unique=False)
    op.create_index("ix_reported_score_metric_id", "reported_score", ["metric_id"], unique=False)
    op.create_index("ix_reported_score_run_id", "reported_score", ["run_id"], unique=False)
    op.create_table(
        "score_vector",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("run_id", sa.Integer(), nullable=False),
        sa.Column("metric_id", sa.Integer(), nullable=False),
        sa.Column("trial", sa.Integer(), nullable=False),
        sa.Column("n_items", sa.Integer(), nullable=False),
        sa.Column("n_components", sa.Integer(), nullable=False),
        sa.Column("chain_hash", sa.String(length=64), nullable=False),
        sa.Column("digest", sa.String(length=64), nullable=False),
        sa.Column("n_scored", sa.Integer(), nullable=False),
        sa.Column("value", sa.Double(), nullable=True),
        sa.Column("std", sa.Double(), nullable=True),
        sa.Column("min", sa.Double(), nullable=True),
        sa.Column("max", sa.Double(), nullable=True),
        sa.Column("data", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(
            ["metric_id"], ["metric.id"], name="fk_score_vector_metric_id_metric"
        ),
        sa.ForeignKeyConstraint(
            ["run_id"], ["run.id"], name="fk_score_vector_run_id_run", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name="pk_score_vector"),
        sa.UniqueConstraint(
            "run_id", "metric_id", "trial", name="uq_score_vector_run_id_metric_id_trial"
        ),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_score_vector_metric_id", "score_vector", ["metric_id"], unique=False)
    op.create_table(
        "status_vector",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("run_id", sa.Integer(), nullable=False),
        sa.Column("trial", sa.Integer(), nullable=False),
        sa.Column("n_items", sa.Integer(), nullable=False),
        sa.Column("n_error", sa.Integer(), nullable=False),
        sa.Column("n_not_attempted", sa.Integer(), nullable=False),
        sa.Column("n_by_rule", sa.Integer(), nullable=False),
        sa.Column("data", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(
            ["run_id"], ["run.id"], name="fk_status_vector_run_id_run", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name="pk_status_vector"),
        sa.UniqueConstraint("run_id", "trial", name="uq_status_vector_run_id_trial"),
        sqlite_autoincrement=True,
    )


def downgrade() -> None:
    op.drop_table("status_vector")
    op.drop_index("ix_score_vector_metric_id", table_name="score_vector")
    op.drop_table("score_vector")
    op.drop_index("ix_reported_score_run_id", table_name="reported_score")
    op.drop_index("ix_reported_score_metric_id", table_name="reported_score")
    op.drop_index("ix_reported_score_ingest_id", table_name="reported_score")
    op.drop_index("ix_reported_score_dataset_id", table_name="reported_score")
    op.drop_table("reported_score")
    op.drop_index("ix_output_item_id", table_name="output")
    op.drop_table("output")
    op.drop_table("item_text")
    op.drop_index("ix_system_alias_system_id", table_name="system_alias")
    op.drop_table("system_alias")
    op.drop_index(
        "uq_run_living_system_dataset_label",
        table_name="run",
        sqlite_where=sa.text("deleted_at IS NULL"),
        postgresql_where=sa.text("deleted_at IS NULL"),
    )
    op.drop_index("ix_run_system_id", table_name="run")
    op.drop_index("ix_run_ingest_id", table_name="run")
    op.drop_index("ix_run_dataset_id", table_name="run")
    op.drop_table("run")
    op.drop_index("ix_reported_comparison_system_b_id", table_name="reported_comparison")
    op.drop_index("ix_reported_comparison_metric_id", table_name="reported_comparison")
    op.drop_index("ix_reported_comparison_ingest_id", table_name="reported_comparison")
    op.drop_index("ix_reported_comparison_dataset_id", table_name="reported_comparison")
    op.drop_table("reported_comparison")
    op.drop_index("ix_item_content_hash", table_name="item")
    op.drop_table("item")
    op.drop_index("ix_dataset_overlap_dataset_b_id", table_name="dataset_overlap")
    op.drop_table("dataset_overlap")
    op.drop_index("ix_tag_name", table_name="tag")
    op.drop_table("tag")
    op.drop_index(
        "uq_system_living_name",
        table_name="system",
        sqlite_where=sa.text("deleted_at IS NULL"),
        postgresql_where=sa.text("deleted_at IS NULL"),
    )
    op.drop_table("system")
    op.drop_index("ix_note_target_kind_target_id", table_name="note")
    op.drop_table("note")
    op.drop_table("metric")
    op.drop_table("ingest")
    op.drop_index(
        "uq_dataset_living_name_version",
        table_name="dataset",
        sqlite_where=sa.text("deleted_at IS NULL"),
        postgresql_where=sa.text("deleted_at IS NULL"),
    )
    op.drop_table("dataset")
    op.drop_index("ix_audit_event_target_kind_target_uid", table_name="audit_event")
    op.drop_table("audit_event")
