"""Judgments: who judged what on which scale, ratings, marked errors, preferences.

What a user gains: what people or models said of outputs, beside the metrics that are held to it.
Rewrites data: no (metrics say where their scores come from; those that are there are automatic).
"""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"

SOURCE = (
    "source VARCHAR(20) DEFAULT 'automatic' NOT NULL "
    "CONSTRAINT ck_metric_source_known CHECK (source IN ('automatic', 'human', 'model'))"
)


def make_annotator() -> None:
    """Make the table of annotators."""
    op.create_table(
        "annotator",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("uid", sa.String(length=12), nullable=False),
        sa.Column("dataset_id", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(length=400), nullable=False),
        sa.Column("kind", sa.String(length=20), nullable=False),
        sa.Column("created_at", sa.String(32), nullable=False),
        sa.CheckConstraint("kind IN ('human', 'model')", name=op.f("ck_annotator_kind_known")),
        parent("annotator", "dataset_id"),
        sa.PrimaryKeyConstraint("id", name="pk_annotator"),
        sa.UniqueConstraint("dataset_id", "name", name="uq_annotator_dataset_id_name"),
        sa.UniqueConstraint("uid", name="uq_annotator_uid"),
        sqlite_autoincrement=True,
    )


def make_criterion() -> None:
    """Make the table of criteria."""
    op.create_table(
        "criterion",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("uid", sa.String(length=12), nullable=False),
        sa.Column("dataset_id", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(length=200), nullable=False),
        sa.Column("kind", sa.String(length=20), nullable=False),
        sa.Column("level", sa.String(length=20), nullable=False),
        sa.Column("higher_is_better", sa.Boolean(), nullable=False),
        sa.Column("lower", sa.Double(), nullable=True),
        sa.Column("upper", sa.Double(), nullable=True),
        sa.Column("labels", sa.JSON(none_as_null=True), nullable=False),
        sa.Column("weights", sa.JSON(none_as_null=True), nullable=True),
        sa.Column("question", sa.Text(), nullable=False),
        sa.CheckConstraint(
            "kind IN ('rating', 'preference', 'error-spans')", name=op.f("ck_criterion_kind_known")
        ),
        sa.CheckConstraint(
            "level IN ('nominal', 'ordinal', 'interval')", name=op.f("ck_criterion_level_known")
        ),
        parent("criterion", "dataset_id"),
        sa.PrimaryKeyConstraint("id", name="pk_criterion"),
        sa.UniqueConstraint("dataset_id", "name", name="uq_criterion_dataset_id_name"),
        sa.UniqueConstraint("uid", name="uq_criterion_uid"),
        sqlite_autoincrement=True,
    )


def make_rating() -> None:
    """Make the table of ratings; one for each annotator, output or item, and replicate."""
    op.create_table(
        "rating",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("criterion_id", sa.Integer(), nullable=False),
        sa.Column("annotator_id", sa.Integer(), nullable=False),
        sa.Column("item_id", sa.Integer(), nullable=False),
        sa.Column("system_id", sa.Integer(), nullable=True),
        sa.Column("value", sa.Double(), nullable=True),
        sa.Column("replicate", sa.Integer(), nullable=False),
        sa.Column("judged_at", sa.String(32), nullable=True),
        sa.Column("ingest_id", sa.Integer(), nullable=False),
        parent("rating", "annotator_id"),
        parent("rating", "criterion_id"),
        sa.ForeignKeyConstraint(["ingest_id"], ["ingest.id"], name="fk_rating_ingest_id_ingest"),
        parent("rating", "item_id"),
        parent("rating", "system_id"),
        sa.PrimaryKeyConstraint("id", name="pk_rating"),
        sqlite_autoincrement=True,
    )
    for column in ("annotator_id", "criterion_id", "ingest_id", "item_id", "system_id"):
        op.create_index(f"ix_rating_{column}", "rating", [column], unique=False)
    judged = ["criterion_id", "annotator_id", "item_id"]
    for name, columns, rule in (
        ("uq_rating_of_item", [*judged, "replicate"], sa.text("system_id IS NULL")),
        (
            "uq_rating_of_output",
            [*judged, "system_id", "replicate"],
            sa.text("system_id IS NOT NULL"),
        ),
    ):
        op.create_index(
            name, "rating", columns, unique=True, sqlite_where=rule, postgresql_where=rule
        )


def make_error_span() -> None:
    """Make the table of marked errors."""
    op.create_table(
        "error_span",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("rating_id", sa.Integer(), nullable=False),
        sa.Column("severity", sa.String(length=100), nullable=False),
        sa.Column("category", sa.String(length=200), nullable=False),
        sa.Column("start", sa.Integer(), nullable=True),
        sa.Column("end", sa.Integer(), nullable=True),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("in_source", sa.Boolean(), nullable=False),
        sa.Column("note", sa.Text(), nullable=False),
        parent("error_span", "rating_id"),
        sa.PrimaryKeyConstraint("id", name="pk_error_span"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_error_span_rating_id", "error_span", ["rating_id"], unique=False)


def make_preference() -> None:
    """Make the table of preferences."""
    op.create_table(
        "preference",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("criterion_id", sa.Integer(), nullable=False),
        sa.Column("annotator_id", sa.Integer(), nullable=False),
        sa.Column("item_id", sa.Integer(), nullable=False),
        sa.Column("first_id", sa.Integer(), nullable=False),
        sa.Column("second_id", sa.Integer(), nullable=False),
        sa.Column("choice", sa.String(length=20), nullable=False),
        sa.Column("strength", sa.Double(), nullable=True),
        sa.Column("order_known", sa.Boolean(), nullable=False),
        sa.Column("first_length", sa.Integer(), nullable=True),
        sa.Column("second_length", sa.Integer(), nullable=True),
        sa.Column("replicate", sa.Integer(), nullable=False),
        sa.Column("judged_at", sa.String(32), nullable=True),
        sa.Column("ingest_id", sa.Integer(), nullable=False),
        sa.CheckConstraint(
            "choice IN ('first', 'second', 'tie')", name=op.f("ck_preference_choice_known")
        ),
        sa.CheckConstraint("first_id <> second_id", name=op.f("ck_preference_of_two")),
        parent("preference", "annotator_id"),
        parent("preference", "criterion_id"),
        parent("preference", "first_id", "system"),
        sa.ForeignKeyConstraint(
            ["ingest_id"], ["ingest.id"], name="fk_preference_ingest_id_ingest"
        ),
        parent("preference", "item_id"),
        parent("preference", "second_id", "system"),
        sa.PrimaryKeyConstraint("id", name="pk_preference"),
        sa.UniqueConstraint(
            "criterion_id",
            "annotator_id",
            "item_id",
            "first_id",
            "second_id",
            "replicate",
            name="uq_preference_of_pair",
        ),
        sqlite_autoincrement=True,
    )
    for column in ("annotator_id", "first_id", "ingest_id", "item_id", "second_id"):
        op.create_index(f"ix_preference_{column}", "preference", [column], unique=False)


def parent(table: str, column: str, other: str = "") -> sa.ForeignKeyConstraint:
    """Return the reference to a table whose rows take those of this one along when they go."""
    other = other or column.removesuffix("_id")
    return sa.ForeignKeyConstraint(
        [column], [f"{other}.id"], name=f"fk_{table}_{column}_{other}", ondelete="CASCADE"
    )


def upgrade() -> None:
    # As SQL: the same words on both databases, and no table has to be built anew for a rule.
    op.execute(f"ALTER TABLE metric ADD COLUMN {SOURCE}")
    make_annotator()
    make_criterion()
    make_rating()
    make_error_span()
    make_preference()


def downgrade() -> None:
    for table in ("preference", "error_span", "rating", "criterion", "annotator"):
        op.drop_table(table)
    op.execute("ALTER TABLE metric DROP COLUMN source")
