"""What an ingest did."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from store.importers.bundle import SkippedRow


@dataclass(frozen=True, slots=True)
class Difference:
    """An aggregate in the file that does not follow from the item scores in the file."""

    run: str
    metric: str
    reported: float
    recomputed: float


@dataclass(slots=True)
class IngestReport:
    """Counts and remarks of one ingest; `to_dict` is the command line's JSON."""

    format: str
    files: list[str]
    dry_run: bool = False
    ingest_uid: str | None = None
    runs_added: int = 0
    runs_extended: int = 0
    """Known runs that gained a metric or a trial."""
    runs_unchanged: int = 0
    runs_replaced: int = 0
    scores_added: int = 0
    items_added: int = 0
    judgments_added: int = 0
    judgments_unchanged: int = 0
    judgments_replaced: int = 0
    annotators_added: int = 0
    outputs_added: int = 0
    details_added: int = 0
    """What was filled in: aliases, texts, groups and descriptions of what the store knew."""
    reported_added: int = 0
    reported_unchanged: int = 0
    reported_replaced: int = 0
    systems_added: list[str] = field(default_factory=list)
    datasets_added: list[str] = field(default_factory=list)
    metrics_added: list[str] = field(default_factory=list)
    criteria_added: list[str] = field(default_factory=list)
    run_uids: list[str] = field(default_factory=list)
    """Runs that were added, extended or replaced."""
    skipped: list[SkippedRow] = field(default_factory=list)
    differences: list[Difference] = field(default_factory=list)
    understood: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)

    @property
    def changed(self) -> bool:
        """Whether anything new came in."""
        return bool(
            self.runs_added
            or self.runs_extended
            or self.runs_replaced
            or self.reported_added
            or self.reported_replaced
            or self.judgments_added
            or self.judgments_replaced
            or self.annotators_added
            or self.criteria_added
            or self.items_added
            or self.details_added
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the report as JSON-safe values."""
        return asdict(self)


# What is told of an ingest, in this order: field, noun, what happened to it.
_TOLD = (
    ("runs_added", "run", "added"),
    ("runs_extended", "run", "extended"),
    ("runs_replaced", "run", "replaced"),
    ("runs_unchanged", "run", "unchanged"),
    ("items_added", "item", "added"),
    ("scores_added", "score", "added"),
    ("outputs_added", "output", "added"),
    ("judgments_added", "judgment", "added"),
    ("judgments_replaced", "judgment", "replaced"),
    ("judgments_unchanged", "judgment", "unchanged"),
    ("annotators_added", "annotator", "added"),
    ("details_added", "detail", "filled in"),
    ("reported_added", "reported figure", "added"),
    ("reported_replaced", "reported figure", "replaced"),
    ("reported_unchanged", "reported figure", "unchanged"),
)


def summarise(reports: Sequence[IngestReport]) -> str:
    """Return what ingests did in a line: "1 run added, 500 items added"."""
    told = []
    for name, noun, done in _TOLD:
        number = sum(getattr(report, name) for report in reports)
        if number:
            told.append(f"{number:,} {noun if number == 1 else noun + 's'} {done}")
    return ", ".join(told) or "nothing new"
