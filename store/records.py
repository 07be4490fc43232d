"""What queries hand out: frozen, plain, free of any database object."""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from store.importers.kinds import (
    Aggregation,
    FloatArray,
    MetricKind,
    MetricSource,
    OverlapKind,
    Sidedness,
)


class Record:
    """Base of all records: they know how to become JSON."""

    __slots__ = ()

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as JSON-safe values: ISO dates, NaN as ``None``."""
        return {
            field.name: _json_safe(getattr(self, field.name))
            for field in dataclasses.fields(self)  # type: ignore[arg-type]  # all subclasses are dataclasses
        }


def _json_safe(value: Any) -> Any:
    if isinstance(value, Record):
        return value.to_dict()
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, tuple | list):
        return [_json_safe(element) for element in value]
    if isinstance(value, dict):
        return {key: _json_safe(element) for key, element in value.items()}
    return value


def dataset_label(name: str, version: str) -> str:
    """Return what people can tell a dataset from others by: name, and version if there is one."""
    return f"{name} ({version})" if version else name


@dataclass(frozen=True, slots=True)
class SystemRecord(Record):
    """A system and how much the store holds of it."""

    uid: str
    name: str
    aliases: tuple[str, ...]
    tags: tuple[str, ...]
    n_runs: int
    n_datasets: int
    """Datasets with at least one run or one reported score."""
    n_reported: int
    last_evaluated_on: datetime | None
    created_at: datetime
    deleted_at: datetime | None


@dataclass(frozen=True, slots=True)
class DatasetRecord(Record):
    """A dataset and how much the store holds of it."""

    uid: str
    name: str
    version: str
    task: str | None
    language: str | None
    domain: str | None
    n_items: int
    n_items_stated: int | None
    sealed: bool
    tags: tuple[str, ...]
    n_runs: int
    n_systems: int
    """Systems with at least one run or one reported score."""
    n_reported: int
    created_at: datetime
    deleted_at: datetime | None

    @property
    def label(self) -> str:
        """Name, and version where there is one."""
        return dataset_label(self.name, self.version)


@dataclass(frozen=True, slots=True)
class MetricRecord(Record):
    """A metric."""

    uid: str
    name: str
    signature: str
    higher_is_better: bool
    aggregation: Aggregation
    unit: str
    lower: float | None
    """The lowest value possible; ``None``: there is none, or nobody knows."""
    upper: float | None
    """The highest value possible; ``None``: there is none, or nobody knows."""
    source: MetricSource = "automatic"
    """Who gives the scores: a program, people, or a model that judges."""
    kind: MetricKind = ""
    """What its values are; empty: nobody knows."""

    @property
    def label(self) -> str:
        """Name, and signature where there is one."""
        return f"{self.name} [{self.signature}]" if self.signature else self.name

    @property
    def bounds(self) -> tuple[float, float] | None:
        """The lowest and the highest score possible; ``None`` where one of them is not known."""
        return None if self.lower is None or self.upper is None else (self.lower, self.upper)

    @property
    def sign(self) -> int:
        """1 when higher is better, -1 when lower is better."""
        return 1 if self.higher_is_better else -1


@dataclass(frozen=True, slots=True)
class VectorRecord(Record):
    """What is kept beside a score vector."""

    metric_uid: str
    metric: str
    """The metric's label."""
    trial: int
    n_items: int
    """Items of the dataset when the run was made."""
    n_scored: int
    value: float | None
    std: float | None
    min: float | None
    max: float | None


@dataclass(frozen=True, slots=True)
class StatusCounts(Record):
    """How many items of a run's trial ended how."""

    trial: int
    n_items: int
    n_error: int
    n_not_attempted: int
    n_by_rule: int
    n_unscored: int
    n_judge_failed: int
    n_timed_out: int


@dataclass(frozen=True, slots=True)
class RunRecord(Record):
    """One execution of a system on a dataset."""

    uid: str
    system: str
    system_uid: str
    dataset: str
    dataset_uid: str
    dataset_version: str
    label: str
    complete: bool
    evaluated_on: datetime | None
    tz_assumed: bool
    seed: int | None
    command: str | None
    harness: str | None
    harness_version: str | None
    git_origin: str | None
    git_commit: str | None
    git_dirty: bool | None
    source_url: str | None
    packages: dict[str, Any] | None
    config: dict[str, Any] | None
    tags: tuple[str, ...]
    ingest_uid: str
    created_at: datetime
    deleted_at: datetime | None
    n_items: int
    """Items of the dataset today."""
    vectors: tuple[VectorRecord, ...]
    statuses: tuple[StatusCounts, ...]


@dataclass(frozen=True, slots=True)
class ReportedScoreRecord(Record):
    """An aggregate that a file or a paper states."""

    uid: str
    system: str
    system_uid: str
    dataset: str
    dataset_uid: str
    metric: str
    metric_uid: str
    value: float
    stderr: float | None
    n_items: int | None
    printed: str
    source: str
    source_url: str | None
    reported_on: datetime | None
    run_uid: str | None


@dataclass(frozen=True, slots=True)
class DisputedFigure(Record):
    """An aggregate that a file or a paper states, and that the item scores here do not give."""

    system: str
    run_uid: str | None
    """The run it is stated for; ``None``: the system in general."""
    metric: str
    stated: float
    recomputed: float
    source: str

    def __str__(self) -> str:
        return (
            f"{self.source or 'A file'} states {self.metric} {self.stated:.6g} for {self.system}, "
            f"whose items give {self.recomputed:.6g}"
        )


@dataclass(frozen=True, slots=True)
class ReportedComparisonRecord(Record):
    """A p-value that a file or a paper states for system A against system B."""

    uid: str
    system_a: str
    system_b: str
    dataset: str
    dataset_uid: str
    metric: str
    metric_uid: str
    pvalue: float
    test: str
    sidedness: Sidedness
    printed: str
    source: str
    source_url: str | None
    score_a: float | None
    """The score of A that the same source states for the same dataset and metric."""
    score_b: float | None


AnyOverlapKind = OverlapKind | Literal["same-scores", "same-names", "versions"]
"""What can be declared, and what is only ever found; an `OverlapRecord` is never "independent"."""


@dataclass(frozen=True, slots=True)
class OverlapRecord(Record):
    """Two datasets that are not independent."""

    dataset_a: str
    """The label: name, and version where there is one."""
    dataset_b: str
    """The label of the other one."""
    dataset_a_uid: str
    dataset_b_uid: str
    kind: AnyOverlapKind
    note: str
    """As declared; ``"through NAME"`` where the overlap was declared of other datasets."""
    n_shared: int | None
    """Items with the same content ("shared-items"), with the same scores of several systems
    ("same-scores") or of the same name ("same-names"), when the overlap was found in the items
    rather than declared."""


@dataclass(frozen=True, slots=True)
class UnknownPair(Record):
    """Two datasets of which nothing says whether they share items."""

    dataset_a: str
    """The label: name, and version where there is one."""
    dataset_b: str
    dataset_a_uid: str
    dataset_b_uid: str


@dataclass(frozen=True, slots=True)
class ItemRecord(Record):
    """One item of a dataset."""

    position: int
    key: str
    group: str | None
    content_hash: str | None
    metadata: dict[str, Any] | None


@dataclass(frozen=True, slots=True)
class TextRecord(Record):
    """The text of an item; where it is longer than was asked for, its beginning."""

    position: int
    key: str
    input_text: str | None
    reference_text: str | None
    is_cut: bool


@dataclass(frozen=True, slots=True)
class OutputRecord(Record):
    """What a system answered on an item; where it is longer than was asked for, its beginning."""

    position: int
    system: str
    system_uid: str
    run_uid: str
    run_label: str
    trial: int
    text: str
    is_cut: bool


@dataclass(frozen=True, slots=True)
class CoverageCell(Record):
    """What the store holds of one system on one dataset."""

    system: str
    system_uid: str
    dataset: str
    dataset_uid: str
    n_items: int
    n_runs: int
    n_scored: int
    """Most items scored by any run on any metric."""
    n_reported: int


@dataclass(frozen=True, slots=True)
class EventRecord(Record):
    """One recorded change."""

    id: int
    at: datetime
    actor: str
    action: str
    target_kind: str
    target_uid: str
    detail: dict[str, Any]
    via: str | None
    chain_hash: str
    """Of this change and all before it."""

    @property
    def told(self) -> str:
        """Return the detail in a line, without the reason and what only machines need."""
        detail = {k: v for k, v in self.detail.items() if k not in ("why", "added", "moved")}
        return ", ".join(f"{key} {_told(value)}" for key, value in detail.items())[:300]


def _told(value: object) -> str:
    """Return a value of a detail as a person writes it."""
    return ", ".join(map(_told, value)) if isinstance(value, list | tuple) else str(value)


@dataclass(frozen=True, slots=True)
class NoteRecord(Record):
    """A note on a system, dataset, run, item or import."""

    text: str
    actor: str
    created_at: datetime
    id: int = 0
    """Which one it is, for whoever changes it."""


@dataclass(frozen=True, slots=True, eq=False)
class ScoreMatrix:
    """All item scores of a dataset on one metric.

    `scores` has shape (n_systems, n_items, n_components), NaN = missing, on the metric's own scale
    (lower may be better). Several runs and trials of a system are averaged per item: repeats are
    not items.
    """

    dataset: DatasetRecord
    metric: MetricRecord
    systems: tuple[str, ...]
    system_uids: tuple[str, ...]
    n_vectors: tuple[int, ...]
    """Runs × trials behind each row."""
    scores: FloatArray


@dataclass(frozen=True, slots=True, eq=False)
class RunMatrix:
    """All item scores of one system on a dataset and metric, run by run and trial by trial.

    `scores` has shape (n_vectors, n_items, n_components), NaN = missing, on the metric's own scale
    (lower may be better). The rows are repeats on the same items, in the order of the runs and
    their trials.
    """

    dataset: DatasetRecord
    metric: MetricRecord
    system: str
    system_uid: str
    labels: tuple[str, ...]
    """``"run / trial"`` for each row; a run without a label goes by its uid."""
    run_uids: tuple[str, ...]
    trials: tuple[int, ...]
    scores: FloatArray
