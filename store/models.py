"""The tables. ORM objects never leave the package `store`; queries hand out `store.records`.

Base and column types are in `store.model_base`, the tables of claims in `store.claim_models`,
of judgments in `store.judgment_models`, of imports in `store.import_models`, of reported
figures in `store.reported_models`.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any, get_args

import sqlalchemy as sa
from sqlalchemy.orm import Mapped, mapped_column

from store.claim_models import Claim as Claim
from store.claim_models import ClaimEvidence as ClaimEvidence
from store.import_models import Import as Import
from store.import_models import ImportAnswer as ImportAnswer
from store.import_models import ImportChange as ImportChange
from store.importers.kinds import (
    Aggregation,
    MetricKind,
    MetricSource,
    OverlapKind,
    RepeatKind,
)
from store.judgment_models import Annotator as Annotator
from store.judgment_models import Criterion as Criterion
from store.judgment_models import ErrorSpan as ErrorSpan
from store.judgment_models import Preference as Preference
from store.judgment_models import Rating as Rating
from store.model_base import NEVER_REUSE_IDS, one_of, unique_among_living
from store.model_base import Base as Base
from store.model_base import UTCDateTime as UTCDateTime
from store.model_base import new_uid as new_uid
from store.model_base import utc_now as utc_now
from store.reported_models import ReportedComparison as ReportedComparison
from store.reported_models import ReportedScore as ReportedScore
from store.text_checksum import checksum_of
from store.token_models import RequestAnswer as RequestAnswer
from store.token_models import Token as Token
from store.view_models import SavedView as SavedView


class System(Base):
    """What is evaluated: a model with its configuration."""

    __tablename__ = "system"
    __table_args__ = (unique_among_living("uq_system_living_name", "name"), NEVER_REUSE_IDS)

    id: Mapped[int] = mapped_column(primary_key=True)
    uid: Mapped[str] = mapped_column(sa.String(12), unique=True, default=new_uid)
    name: Mapped[str] = mapped_column(sa.String(400))
    created_at: Mapped[datetime] = mapped_column(default=utc_now)
    deleted_at: Mapped[datetime | None]


class SystemAlias(Base):
    """Another spelling of a system's name."""

    __tablename__ = "system_alias"
    __table_args__ = (NEVER_REUSE_IDS,)

    id: Mapped[int] = mapped_column(primary_key=True)
    system_id: Mapped[int] = mapped_column(
        sa.ForeignKey("system.id", ondelete="CASCADE"), index=True
    )
    alias: Mapped[str] = mapped_column(sa.String(400), unique=True)


class Dataset(Base):
    """An ordered list of items under a name and a version; append-only until sealed."""

    __tablename__ = "dataset"
    __table_args__ = (
        unique_among_living("uq_dataset_living_name_version", "name", "version"),
        NEVER_REUSE_IDS,
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    uid: Mapped[str] = mapped_column(sa.String(12), unique=True, default=new_uid)
    name: Mapped[str] = mapped_column(sa.String(400))
    version: Mapped[str] = mapped_column(sa.String(100), default="")
    task: Mapped[str | None] = mapped_column(sa.String(200))
    language: Mapped[str | None] = mapped_column(sa.String(100))
    domain: Mapped[str | None] = mapped_column(sa.String(200))
    n_items: Mapped[int] = mapped_column(default=0)
    chain_hash: Mapped[str] = mapped_column(sa.String(64), default="")
    """Chain hash of the last item; empty while there is none."""
    n_items_stated: Mapped[int | None]
    sealed: Mapped[bool] = mapped_column(default=False)
    created_at: Mapped[datetime] = mapped_column(default=utc_now)
    deleted_at: Mapped[datetime | None]


class DatasetOverlap(Base):
    """How two datasets overlap, or that they are independent; the lower id comes first."""

    __tablename__ = "dataset_overlap"
    __table_args__ = (
        sa.UniqueConstraint("dataset_a_id", "dataset_b_id"),
        sa.CheckConstraint("dataset_a_id < dataset_b_id", name="ordered"),
        one_of("kind", "shared-items", "contains", "transform", "independent"),
        NEVER_REUSE_IDS,
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    dataset_a_id: Mapped[int] = mapped_column(sa.ForeignKey("dataset.id", ondelete="CASCADE"))
    dataset_b_id: Mapped[int] = mapped_column(
        sa.ForeignKey("dataset.id", ondelete="CASCADE"), index=True
    )
    kind: Mapped[OverlapKind] = mapped_column(sa.String(20))
    note: Mapped[str] = mapped_column(sa.Text, default="")


class Item(Base):
    """One evaluation unit of a dataset. Rows are appended, never moved."""

    __tablename__ = "item"
    __table_args__ = (
        sa.UniqueConstraint("dataset_id", "position"),
        sa.UniqueConstraint("dataset_id", "key"),
        NEVER_REUSE_IDS,
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    dataset_id: Mapped[int] = mapped_column(sa.ForeignKey("dataset.id", ondelete="CASCADE"))
    position: Mapped[int]
    key: Mapped[str] = mapped_column(sa.String(400))
    group_key: Mapped[str | None] = mapped_column(sa.String(400))
    content_hash: Mapped[str | None] = mapped_column(sa.String(64), index=True)
    chain_hash: Mapped[str] = mapped_column(sa.String(64))
    metadata_: Mapped[dict[str, Any] | None] = mapped_column("metadata")


class ItemText(Base):
    """The text of an item, apart, so that no list ever reads it."""

    __tablename__ = "item_text"

    item_id: Mapped[int] = mapped_column(
        sa.ForeignKey("item.id", ondelete="CASCADE"), primary_key=True
    )
    input_text: Mapped[str | None] = mapped_column(sa.Text)
    reference_text: Mapped[str | None] = mapped_column(sa.Text)
    checksum: Mapped[int | None] = mapped_column(
        sa.BigInteger, default=checksum_of("input_text", "reference_text")
    )


class Metric(Base):
    """A metric: name and signature identify it, direction and aggregation define it."""

    __tablename__ = "metric"
    __table_args__ = (
        sa.UniqueConstraint("name", "signature"),
        one_of(
            *("aggregation", "mean", "median", "ratio", "f1", "bleu", "chrf"),
            *("pearson", "spearman"),
        ),
        one_of("source", "automatic", "human", "model"),
        one_of("kind", *get_args(MetricKind)),
        NEVER_REUSE_IDS,
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    uid: Mapped[str] = mapped_column(sa.String(12), unique=True, default=new_uid)
    name: Mapped[str] = mapped_column(sa.String(200))
    signature: Mapped[str] = mapped_column(sa.String(400), default="")
    higher_is_better: Mapped[bool]
    aggregation: Mapped[Aggregation] = mapped_column(sa.String(20), default="mean")
    unit: Mapped[str] = mapped_column(sa.String(20), default="")
    lower: Mapped[float | None]
    upper: Mapped[float | None]
    source: Mapped[MetricSource] = mapped_column(
        sa.String(20), default="automatic", server_default="automatic"
    )
    """Who gives the scores: a program, people, or a model that judges."""
    kind: Mapped[MetricKind] = mapped_column(
        sa.String(20), default="", server_default=sa.text("''")
    )
    """What its values are; empty: nobody has said."""
    sources: Mapped[dict[str, Any] | None]
    """Fact (``unit``, ``lower`` ...) -> who states it and when; see `store.metric_cards`."""


class Ingest(Base):
    """One import that was committed."""

    __tablename__ = "ingest"
    __table_args__ = (NEVER_REUSE_IDS,)

    id: Mapped[int] = mapped_column(primary_key=True)
    uid: Mapped[str] = mapped_column(sa.String(12), unique=True, default=new_uid)
    format: Mapped[str] = mapped_column(sa.String(40))
    files: Mapped[dict[str, Any]]
    """Path -> SHA-256 of each file that was read."""
    actor: Mapped[str] = mapped_column(sa.String(200))
    report: Mapped[dict[str, Any]]
    created_at: Mapped[datetime] = mapped_column(default=utc_now)


class Run(Base):
    """One execution of a system on a dataset, with its provenance."""

    __tablename__ = "run"
    __table_args__ = (
        unique_among_living(
            "uq_run_living_system_dataset_label", "system_id", "dataset_id", "label"
        ),
        one_of("repeats", *get_args(RepeatKind)),
        NEVER_REUSE_IDS,
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    uid: Mapped[str] = mapped_column(sa.String(12), unique=True, default=new_uid)
    system_id: Mapped[int] = mapped_column(
        sa.ForeignKey("system.id", ondelete="CASCADE"), index=True
    )
    dataset_id: Mapped[int] = mapped_column(
        sa.ForeignKey("dataset.id", ondelete="CASCADE"), index=True
    )
    label: Mapped[str] = mapped_column(sa.String(400), default="")
    complete: Mapped[bool] = mapped_column(default=True)
    evaluated_on: Mapped[datetime | None]
    tz_assumed: Mapped[bool] = mapped_column(default=False)
    seed: Mapped[int | None] = mapped_column(sa.BigInteger)
    command: Mapped[str | None] = mapped_column(sa.Text)
    harness: Mapped[str | None] = mapped_column(sa.String(200))
    harness_version: Mapped[str | None] = mapped_column(sa.String(200))
    git_origin: Mapped[str | None] = mapped_column(sa.String(1000))
    git_commit: Mapped[str | None] = mapped_column(sa.String(100))
    git_dirty: Mapped[bool | None]
    source_url: Mapped[str | None] = mapped_column(sa.String(2000))
    packages: Mapped[dict[str, Any] | None]
    config: Mapped[dict[str, Any] | None]
    ingest_id: Mapped[int] = mapped_column(sa.ForeignKey("ingest.id"), index=True)
    created_at: Mapped[datetime] = mapped_column(default=utc_now)
    deleted_at: Mapped[datetime | None]
    repeats: Mapped[RepeatKind] = mapped_column(
        sa.String(20), default="samples", server_default="samples"
    )
    """What its trials are: answers drawn again, or systems trained again."""


class ScoreVector(Base):
    """All scores of a run on a metric in one trial, in item order.

    `data` holds float64, little endian, shape (n_items, n_components), NaN = missing.
    """

    __tablename__ = "score_vector"
    __table_args__ = (
        sa.UniqueConstraint("run_id", "metric_id", "trial"),
        sa.Index("ix_score_vector_metric_id_min", "metric_id", "min"),
        sa.Index("ix_score_vector_metric_id_max", "metric_id", "max"),
        NEVER_REUSE_IDS,
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    run_id: Mapped[int] = mapped_column(sa.ForeignKey("run.id", ondelete="CASCADE"))
    metric_id: Mapped[int] = mapped_column(sa.ForeignKey("metric.id"))
    trial: Mapped[int] = mapped_column(default=0)
    n_items: Mapped[int]
    n_components: Mapped[int]
    chain_hash: Mapped[str] = mapped_column(sa.String(64))
    """Chain hash of the item at position n_items - 1."""
    digest: Mapped[str] = mapped_column(sa.String(64))
    """SHA-256 of `data`."""
    n_scored: Mapped[int]
    value: Mapped[float | None]
    """The metric over the scored items."""
    std: Mapped[float | None]
    min: Mapped[float | None]
    max: Mapped[float | None]
    data: Mapped[bytes] = mapped_column(sa.LargeBinary, deferred=True)


class StatusVector(Base):
    """What happened to each item in a run and trial: one byte per item (see `Status`)."""

    __tablename__ = "status_vector"
    __table_args__ = (sa.UniqueConstraint("run_id", "trial"), NEVER_REUSE_IDS)

    id: Mapped[int] = mapped_column(primary_key=True)
    run_id: Mapped[int] = mapped_column(sa.ForeignKey("run.id", ondelete="CASCADE"))
    trial: Mapped[int] = mapped_column(default=0)
    n_items: Mapped[int]
    n_error: Mapped[int]
    n_not_attempted: Mapped[int]
    n_by_rule: Mapped[int]
    n_unscored: Mapped[int] = mapped_column(default=0, server_default="0")
    n_judge_failed: Mapped[int] = mapped_column(default=0, server_default="0")
    n_timed_out: Mapped[int] = mapped_column(default=0, server_default="0")
    data: Mapped[bytes] = mapped_column(sa.LargeBinary, deferred=True)


class Output(Base):
    """What a system answered on an item, where the source shows it and text was asked for."""

    __tablename__ = "output"
    __table_args__ = (sa.UniqueConstraint("run_id", "trial", "item_id"), NEVER_REUSE_IDS)

    id: Mapped[int] = mapped_column(primary_key=True)
    run_id: Mapped[int] = mapped_column(sa.ForeignKey("run.id", ondelete="CASCADE"))
    trial: Mapped[int] = mapped_column(default=0)
    item_id: Mapped[int] = mapped_column(sa.ForeignKey("item.id", ondelete="CASCADE"), index=True)
    text: Mapped[str] = mapped_column(sa.Text)
    checksum: Mapped[int | None] = mapped_column(sa.BigInteger, default=checksum_of("text"))


class Tag(Base):
    """A short word on a system, dataset, run, item or import."""

    __tablename__ = "tag"
    __table_args__ = (
        sa.UniqueConstraint("target_kind", "target_id", "name"),
        one_of("target_kind", "system", "dataset", "run", "item", "import"),
        sa.Index("ix_tag_name", "name"),
        NEVER_REUSE_IDS,
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    target_kind: Mapped[str] = mapped_column(sa.String(20))
    target_id: Mapped[int]
    name: Mapped[str] = mapped_column(sa.String(100))


class Note(Base):
    """A Markdown note on a system, dataset, run, item or import."""

    __tablename__ = "note"
    __table_args__ = (
        one_of("target_kind", "system", "dataset", "run", "item", "import"),
        sa.Index("ix_note_target_kind_target_id", "target_kind", "target_id"),
        NEVER_REUSE_IDS,
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    target_kind: Mapped[str] = mapped_column(sa.String(20))
    target_id: Mapped[int]
    text: Mapped[str] = mapped_column(sa.Text)
    actor: Mapped[str] = mapped_column(sa.String(200))
    created_at: Mapped[datetime] = mapped_column(default=utc_now)


class AuditEvent(Base):
    """What was changed, by whom, when. Append-only; the largest id is the store's revision."""

    __tablename__ = "audit_event"
    __table_args__ = (
        sa.Index("ix_audit_event_target_kind_target_uid", "target_kind", "target_uid"),
        NEVER_REUSE_IDS,
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    at: Mapped[datetime] = mapped_column(default=utc_now)
    actor: Mapped[str] = mapped_column(sa.String(200))
    via: Mapped[str | None] = mapped_column(sa.String(40))
    """Through what: ``page``, ``command``, ``library``, ``token UID``; None before revision 7."""
    action: Mapped[str] = mapped_column(sa.String(40))
    target_kind: Mapped[str] = mapped_column(sa.String(40))
    target_uid: Mapped[str] = mapped_column(sa.String(12), default="")
    detail: Mapped[dict[str, Any]]
    salt: Mapped[str | None] = mapped_column(sa.String(32))
    """Of the digests of `actor` and `detail`; gone where a person's name was removed from them."""
    actor_digest: Mapped[str] = mapped_column(sa.String(64), server_default=sa.text("''"))
    detail_digest: Mapped[str] = mapped_column(sa.String(64), server_default=sa.text("''"))
    chain_hash: Mapped[str] = mapped_column(sa.String(64), server_default=sa.text("''"))
    """Of this line and all before it; see `store.audit_chain`."""


class AnalysisResult(Base):
    """An answer that took long to compute; a cache that can be emptied at any time.

    It changes nothing that is shown, so writing it is no recorded change.
    """

    __tablename__ = "analysis_result"
    __table_args__ = (NEVER_REUSE_IDS,)

    id: Mapped[int] = mapped_column(primary_key=True)
    """In the order of writing: the smallest is the oldest."""
    key: Mapped[str] = mapped_column(sa.String(64), unique=True)
    """SHA-256 of what was asked, with what settings, of what data, by which statistics."""
    question: Mapped[str] = mapped_column(sa.String(100))
    arguments: Mapped[dict[str, Any]]
    created_at: Mapped[datetime] = mapped_column(default=utc_now)
    size: Mapped[int] = mapped_column(index=True)  # counted without reading the payloads
    """Bytes of `payload`."""
    digest: Mapped[str] = mapped_column(sa.String(64))
    """SHA-256 of `payload`."""
    payload: Mapped[bytes] = mapped_column(sa.LargeBinary, deferred=True)


class BoardSnapshot(Base):
    """What the board of a dataset said at one time, to tell what has changed since."""

    __tablename__ = "board_snapshot"
    __table_args__ = (NEVER_REUSE_IDS,)

    id: Mapped[int] = mapped_column(primary_key=True)
    dataset_id: Mapped[int] = mapped_column(
        sa.ForeignKey("dataset.id", ondelete="CASCADE"), index=True
    )
    metric_id: Mapped[int] = mapped_column(sa.ForeignKey("metric.id"), index=True)
    store_revision: Mapped[int]
    method_version: Mapped[str] = mapped_column(sa.String(20))
    settings: Mapped[dict[str, Any]]
    """Of the question that gave it."""
    board: Mapped[dict[str, Any]]
    """The rows and sentences, as its command prints them."""
    created_at: Mapped[datetime] = mapped_column(default=utc_now)


class Seal(Base):
    """The digest of a part of a table: see `store.seals`."""

    __tablename__ = "seal"
    __table_args__ = (sa.UniqueConstraint("table_name", "part"), NEVER_REUSE_IDS)

    id: Mapped[int] = mapped_column(primary_key=True)
    table_name: Mapped[str] = mapped_column(sa.String(64))
    part: Mapped[int]
    """Of its ids, counted from 0."""
    digest: Mapped[str] = mapped_column(sa.String(64))
    """SHA-256 of its rows."""


class ServerWork(Base):
    """Work of a server that goes on; no recorded change. See `store.server_work`."""

    __tablename__ = "server_work"
    __table_args__ = (NEVER_REUSE_IDS,)

    id: Mapped[int] = mapped_column(primary_key=True)
    uid: Mapped[str] = mapped_column(sa.String(12), unique=True)
    server: Mapped[str] = mapped_column(sa.String(200))
    """Its machine and process."""
    name: Mapped[str] = mapped_column(sa.String(100))
    """Of the question."""
    seconds: Mapped[int]
    """So far."""
    n_waiting: Mapped[int]
    """Pages and programs that wait for it."""
    n_done: Mapped[int | None]
    n_steps: Mapped[int | None]
    seen_at: Mapped[datetime]
    """By the clock of the database."""
    is_stopped: Mapped[bool] = mapped_column(default=False)
    """Whether an admin wants it stopped."""
