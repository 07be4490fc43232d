"""A metric's card, outcomes by kind, kinds of repeats, a chained audit log, snapshots of boards.

What a user gains: each fact about a metric has a source; a changed line of the log is seen.
Rewrites data: yes, each line of the audit log gets a salt, digests and the hash of the chain.
"""

import hashlib
import json
import secrets
from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0014"
down_revision = "0013"

_AT_ONCE = 1_000
_UNITS = "unit IN ('', 'proportion', 'percent', 'points')"
_SOURCES = "source IN ('automatic', 'human', 'model')"
_AGGREGATIONS = (
    "aggregation IN ('mean', 'median', 'ratio', 'f1', 'bleu', 'chrf', 'pearson', 'spearman')"
)
_OLD = "ck_metric_ck_metric_"
"""What the names of the first rules begin with: the convention's prefix came before whole names."""
_KINDS = "kind IN ('', 'right-wrong', 'rating', 'bounded', 'unbounded', 'count', 'time', 'money')"
_ADDED = (
    f"metric ADD COLUMN kind VARCHAR(20) DEFAULT '' NOT NULL "
    f"CONSTRAINT ck_metric_kind_known CHECK ({_KINDS})",
    "run ADD COLUMN repeats VARCHAR(20) DEFAULT 'samples' NOT NULL "
    "CONSTRAINT ck_run_repeats_known CHECK (repeats IN ('samples', 'seeds'))",
)
_OUTCOMES = ("n_unscored", "n_judge_failed", "n_timed_out")
_CHAINED = ("actor_digest", "detail_digest", "chain_hash")


def upgrade() -> None:
    _make_units(free=True)
    for added in _ADDED:  # in words: the rule of a column that comes later stays with it
        op.execute(f"ALTER TABLE {added}")
    op.add_column("metric", sa.Column("sources", sa.JSON(none_as_null=True), nullable=True))
    op.drop_index("ix_score_vector_metric_id", "score_vector")
    for end in ("min", "max"):
        op.create_index(f"ix_score_vector_metric_id_{end}", "score_vector", ["metric_id", end])
    for name in _OUTCOMES:
        column = sa.Column(name, sa.Integer(), server_default="0", nullable=False)
        op.add_column("status_vector", column)
    op.add_column(
        "claim_evidence",
        sa.Column("method_version", sa.String(length=20), server_default="", nullable=False),
    )
    op.add_column("kept_answer", sa.Column("checksum", sa.BigInteger(), nullable=True))
    op.add_column("audit_event", sa.Column("salt", sa.String(length=32), nullable=True))
    for name in _CHAINED:
        column = sa.Column(name, sa.String(length=64), server_default="", nullable=False)
        op.add_column("audit_event", column)
    _chain()
    op.create_table(
        "board_snapshot",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("dataset_id", sa.Integer(), nullable=False),
        sa.Column("metric_id", sa.Integer(), nullable=False),
        sa.Column("store_revision", sa.Integer(), nullable=False),
        sa.Column("method_version", sa.String(length=20), nullable=False),
        sa.Column("settings", sa.JSON(none_as_null=True), nullable=False),
        sa.Column("board", sa.JSON(none_as_null=True), nullable=False),
        sa.Column("created_at", sa.String(length=32), nullable=False),
        sa.ForeignKeyConstraint(
            ["dataset_id"],
            ["dataset.id"],
            name="fk_board_snapshot_dataset_id_dataset",
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["metric_id"], ["metric.id"], name="fk_board_snapshot_metric_id_metric"
        ),
        sa.PrimaryKeyConstraint("id", name="pk_board_snapshot"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_board_snapshot_dataset_id", "board_snapshot", ["dataset_id"])
    op.create_index("ix_board_snapshot_metric_id", "board_snapshot", ["metric_id"])


def _chain() -> None:
    """Give each line of the log its salt, digests and hash, some at a time."""
    connection = op.get_bind()
    told = ("via", "action", "target_kind", "target_uid")
    names = ("id", "at", "actor", *told, "salt", *_CHAINED)
    log = sa.table("audit_event", *map(sa.column, names), sa.column("detail", sa.JSON()))
    update = sa.update(log).where(log.c.id == sa.bindparam("row"))
    last, head = 0, ""
    while True:
        query = sa.select(log).where(log.c.id > last).order_by(log.c.id).limit(_AT_ONCE)
        rows = connection.execute(query).all()
        if not rows:
            return
        values = []
        for row in rows:
            salt = secrets.token_hex(16)
            actor, detail = _digest(salt, row.actor), _digest(salt, row.detail)
            plain = [row.at, row.via, row.action, row.target_kind, row.target_uid]
            head = _digest(head, [*plain, actor, detail])
            values.append(
                {
                    **{"row": row.id, "salt": salt, "chain_hash": head},
                    **{"actor_digest": actor, "detail_digest": detail},
                }
            )
        connection.execute(update, values)
        last = rows[-1].id


def _digest(before: str, told: Any) -> str:
    return hashlib.sha256(f"{before} {json.dumps(told, sort_keys=True)}".encode()).hexdigest()


def downgrade() -> None:
    op.drop_table("board_snapshot")
    for name in (*reversed(_CHAINED), "salt"):
        op.drop_column("audit_event", name)
    op.drop_column("kept_answer", "checksum")
    op.drop_column("claim_evidence", "method_version")
    op.drop_column("run", "repeats")
    for end in ("min", "max"):
        op.drop_index(f"ix_score_vector_metric_id_{end}", "score_vector")
    op.create_index("ix_score_vector_metric_id", "score_vector", ["metric_id"])
    for name in _OUTCOMES:
        op.drop_column("status_vector", name)
    op.drop_column("metric", "sources")
    op.drop_column("metric", "kind")
    _make_units(free=False)


def _make_units(*, free: bool) -> None:
    """Let the unit of a metric be any short word, or one of those before."""
    name = op.f(f"{_OLD}unit_known")
    if op.get_bind().dialect.name != "sqlite":
        if free:
            op.drop_constraint(name, "metric", type_="check")
        else:
            op.create_check_constraint(name, "metric", _UNITS)
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
        sa.Column(
            "source",
            sa.String(length=20),
            sa.CheckConstraint(_SOURCES, name=op.f("ck_metric_source_known")),
            server_default="automatic",
            nullable=False,
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_metric")),
    )
    rules = (  # given here and not with the columns, where the batch would lose their order
        sa.CheckConstraint(_AGGREGATIONS, name=op.f(f"{_OLD}aggregation_known")),
        *(() if free else (sa.CheckConstraint(_UNITS, name=name),)),
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
