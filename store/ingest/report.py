"""What an ingest did."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, Literal

from store.importers.problems import SkippedRow

Noun = Literal[
    "run", "item", "score", "output", "judgment", "annotator", "detail", "reported figure"
]
What = Literal["added", "extended", "replaced", "unchanged", "filled in", "by rule"]

_TOLD: tuple[tuple[Noun, What, str], ...] = (
    ("run", "added", "runs_added"),
    ("run", "extended", "runs_extended"),
    ("run", "replaced", "runs_replaced"),
    ("run", "unchanged", "runs_unchanged"),
    ("item", "added", "items_added"),
    ("score", "added", "scores_added"),
    ("score", "by rule", "scores_by_rule"),
    ("output", "added", "outputs_added"),
    ("judgment", "added", "judgments_added"),
    ("judgment", "replaced", "judgments_replaced"),
    ("judgment", "unchanged", "judgments_unchanged"),
    ("annotator", "added", "annotators_added"),
    ("detail", "filled in", "details_added"),
    ("reported figure", "added", "reported_added"),
    ("reported figure", "replaced", "reported_replaced"),
    ("reported figure", "unchanged", "reported_unchanged"),
)
"""What is counted, in the order in which it is told, with its key in the JSON."""


_NOT_NEW = ("unchanged", "by rule")


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
    import_uid: str | None = None
    """Of the import as a whole, which `undo` takes back."""
    counts: Counter[tuple[Noun, What]] = field(default_factory=Counter)
    """A known run is "extended" when it gains a metric, a trial or items. A "detail" is what was
    filled in: an alias, a text, a group, a description of what the store knew."""
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
    refused: str = ""
    """Why nothing of it went in, where others of the import did."""

    def add(self, noun: Noun, what: What, number: int = 1) -> None:
        """Count something."""
        self.counts[noun, what] += number

    def n(self, noun: Noun, what: What) -> int:
        """Return how many were counted."""
        return self.counts[noun, what]

    @property
    def changed(self) -> bool:
        """Whether anything new came in."""
        is_new = any(number for (_, what), number in self.counts.items() if what not in _NOT_NEW)
        return is_new or bool(self.criteria_added)

    def to_dict(self) -> dict[str, Any]:
        """Return the report as JSON-safe values."""
        counts = {key: self.counts[noun, what] for noun, what, key in _TOLD}
        told = {one.name: getattr(self, one.name) for one in fields(self) if one.name != "counts"}
        for name in ("skipped", "differences"):
            told[name] = [
                {one.name: getattr(row, one.name) for one in fields(row)} for row in told[name]
            ]
        return counts | told

    @classmethod
    def from_dict(cls, told: Mapping[str, Any]) -> IngestReport:
        """Return the report that `to_dict` told; what it does not know is left out."""
        known = {one.name for one in fields(cls)} - {"counts", "skipped", "differences"}
        return cls(
            **{name: value for name, value in told.items() if name in known},
            counts=Counter({(noun, what): told.get(key, 0) for noun, what, key in _TOLD}),
            skipped=[SkippedRow(**row) for row in told.get("skipped", ())],
            differences=[Difference(**row) for row in told.get("differences", ())],
        )


def joined(reports: Sequence[IngestReport]) -> dict[str, Any]:
    """Return one report for all groups of files: numbers added up, lists put together.

    Of none it says that nothing was done.
    """
    told: dict[str, Any] = {}
    for report in reports or [IngestReport("", [], dry_run=True)]:
        for key, value in report.to_dict().items():
            if key in ("format", "dry_run", "ingest_uid", "import_uid", "refused"):
                continue
            told[key] = value if key not in told else told[key] + value
    formats = list(dict.fromkeys(report.format for report in reports))
    uid = next((report.import_uid for report in reports if report.import_uid), None)
    return {"format": ", ".join(formats), "import_uid": uid} | told


def summarise(reports: Sequence[IngestReport]) -> str:
    """Return what ingests did in a line: "1 run added, 500 items added"."""
    told = []
    for noun, what, _ in _TOLD:
        number = sum(report.counts[noun, what] for report in reports)
        if number:
            told.append(f"{number:,} {noun if number == 1 else noun + 's'} {what}")
    return ", ".join(told) or "nothing new"
