"""A file of claims: one dated statement in each line.

Columns: date, system, dataset, metric, value, source, and where the source shows them quote and
source_url. Unlike the figures of a leaderboard (`store.importers.reported`), every line has a date
and may state what another line states on another day.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

from store.errors import ImportFormatError
from store.importers.bundle import (
    BundleMetric,
    BundleReportedScore,
    ImportBundle,
    ReadOptions,
    RowProblems,
)
from store.importers.cells import CellError, as_text, parse_date
from store.importers.columns import describe_roles, find_roles, normal_name, role_cells
from store.importers.key_columns import KeyReader
from store.importers.printed import PrintedNumber, parse_printed
from store.importers.settings import Settings, load_settings, outside_reason, where_stated
from store.importers.tables import Table, read_table

NAME = "claims"


def _end_of_today() -> datetime:
    """Return the end of today, wherever on earth."""
    return datetime.now(UTC) + timedelta(hours=14)


_ROLES = ("system", "dataset", "metric", "score", "date", "source", "source_url")
_OWN_NAMES = {
    "date": ("claimed_on", "reported_on"),
    "quote": ("quote", "quotation", "statement", "claim"),
}
"""Names of columns that mean something in a file of claims only."""


@dataclass(frozen=True, slots=True, eq=False)
class ClaimsFile:
    """The claims of a file."""

    bundle: ImportBundle
    """`reported_scores` holds one for each claim: system, dataset, metric, value, date, source."""
    quotes: tuple[str, ...]
    """The words of the source, one for each claim."""


def read_claims(
    path: Path, options: ReadOptions | None = None, *, shown: str | None = None
) -> ClaimsFile:
    """Read a file of claims.

    Parameters
    ----------
    path
        CSV, TSV, JSON Lines or Parquet.
    options
        What is known about the file: dataset, metric, system or date where it does not name them.
    shown
        How messages show the path; as given by default.

    Raises
    ------
    ImportFormatError
        A column is missing, or a cell cannot be used and the import is strict.
    """
    options = options or ReadOptions()
    shown = shown or str(path)
    try:
        return _read(load_settings(path, shown, options))
    except ImportFormatError as error:
        raise where_stated(error, path, shown, options) from None


def _read(settings: Settings) -> ClaimsFile:
    problems = RowProblems(settings.options.lenient)
    table = read_table(settings.path, settings.shown, problems)
    roles = _find_roles(table, settings)
    _require(table, settings, roles)
    builder = _Builder(table, roles, settings, problems)
    builder.add_claims()
    skipped = problems.raise_if_any()
    if not builder.claims:
        raise ImportFormatError("the table holds no claim: no line has a value.", path=table.shown)
    told = describe_roles(roles, table.columns, settings.columns)
    bundle = ImportBundle(
        NAME,
        settings.files(table.sha256),
        datasets=[settings.dataset_of(name) for name in builder.datasets],
        metrics=builder.metrics,
        reported_scores=builder.claims,
        aliases=settings.mapping.aliases,
        skipped=skipped,
        understood=[*table.notes, told, *builder.understood],
    )
    return ClaimsFile(bundle, tuple(builder.quotes))


def _find_roles(table: Table, settings: Settings) -> dict[str, str]:
    """Return role -> column; the roles of other files know no quote."""
    stated = {role: column for role, column in settings.columns.items() if role != "quote"}
    roles = find_roles(table.columns, stated, _ROLES, table.shown)
    by_name = {normal_name(column): column for column in reversed(table.columns)}
    for role, names in _OWN_NAMES.items():
        found = [by_name[name] for name in names if name in by_name]
        if role not in roles and role not in stated and found:
            roles[role] = found[0]
    quote = settings.columns.get("quote")
    if quote is not None:
        roles["quote"] = quote
        if quote and quote not in table.columns:
            raise ImportFormatError(
                f"there is no column '{quote}' for the quote. Columns of the file: "
                f"{', '.join(table.columns)}.",
                path=table.shown,
                field="quote",
            )
        if not quote:
            del roles["quote"]
    return roles


def _require(table: Table, settings: Settings, roles: dict[str, str]) -> None:
    named = {
        "system": settings.system,
        "dataset": settings.dataset,
        "metric": settings.metric,
        "date": settings.reported_on,
        "source": settings.mapping.source,
        "score": None,
    }
    missing = [role for role, given in named.items() if role not in roles and not given]
    if missing:
        words = " and ".join("value" if role == "score" else role for role in missing)
        raise ImportFormatError(
            f"the claims do not say their {words}. Columns found: {', '.join(table.columns)}. "
            "Name the column with --column ROLE=NAME (the value is --column score=NAME), or say "
            "--system, --dataset, --metric or --date for the whole file (a source: in the YAML).",
            path=table.shown,
        )


@dataclass(frozen=True, slots=True)
class _Line:
    """What a line states beside its names."""

    number: PrintedNumber
    printed: str
    claimed_on: datetime
    source: str
    source_url: str | None
    quote: str


@dataclass(slots=True)
class _Builder:
    table: Table
    roles: dict[str, str]
    settings: Settings
    problems: RowProblems
    datasets: dict[str, int] = field(default_factory=dict)
    metrics: list[BundleMetric] = field(default_factory=list)
    claims: list[BundleReportedScore] = field(default_factory=list)
    quotes: list[str] = field(default_factory=list)
    understood: list[str] = field(default_factory=list)

    def add_claims(self) -> None:
        """Read every line that has a value."""
        keys = KeyReader(self.table, self.roles, self.settings, self.problems)
        names = [
            keys.named(role, getattr(self.settings, role) or "")
            for role in ("system", "dataset", "metric")
        ]
        self.understood += keys.understood
        usable = [row for row, fit in enumerate(keys.is_usable.tolist()) if fit]
        lines = [(row, line) for row in usable if (line := self._line(row)) is not None]
        signs: dict[str, set[bool]] = {}
        for row, line in lines:
            signs.setdefault(names[2][row], set()).add(line.number.is_percent)
        index = {name: i for i, name in enumerate(signs)}
        for name, found in signs.items():
            self.metrics.append(
                self.settings.metric_of(
                    name,
                    self.settings.note_of(name).aggregation or "mean",
                    is_percent=True in found,
                    is_only=len(signs) == 1,
                )
            )
        for row, line in lines:
            system, dataset, metric = (column[row] for column in names)
            reason = self._unfit(line, index[metric], is_percent=True in signs[metric])
            if reason is not None:
                self._report(row, "score", reason)
                continue
            self.claims.append(
                BundleReportedScore(
                    system,
                    self.datasets.setdefault(dataset, len(self.datasets)),
                    index[metric],
                    line.number.value,
                    reported_on=line.claimed_on,
                    source=line.source,
                    source_url=line.source_url,
                    printed=line.printed,
                )
            )
            self.quotes.append(line.quote)

    def _unfit(self, line: _Line, metric: int, *, is_percent: bool) -> str | None:
        """Return why a value does not fit its metric."""
        if is_percent and not line.number.is_percent:
            return "has no % sign while other figures of the metric have one."
        lower, upper = self.settings.bounds_of(self.metrics[metric])
        is_low = lower is not None and line.number.value < lower
        if is_low or (upper is not None and line.number.value > upper):
            return outside_reason(line.number.value, line.printed, lower, upper)
        return None

    def _line(self, row: int) -> _Line | None:
        """Read a line; without a value it claims nothing, and what cannot be used is reported."""
        role = "score"
        try:
            number = parse_printed(role_cells(self.table, self.roles["score"])[row])
            if math.isnan(number.value):
                return None
            if number.is_upper_bound:
                raise CellError(f"{self._text('score', row)!r} is a bound, not a value")
            role = "date"
            date = self._date(row)
            if date > _end_of_today():
                raise CellError(f"{self._text('date', row)!r} lies in the future")
            role = "source"
            source = self._text("source", row) or self.settings.mapping.source
            if not source:
                raise CellError("is empty; a claim needs a source")
            return _Line(
                number,
                self._text("score", row),
                date,
                source,
                self._text("source_url", row) or self.settings.mapping.source_url,
                self._text("quote", row),
            )
        except CellError as error:
            self._report(row, role, f"{error}.")
            return None

    def _date(self, row: int) -> datetime:
        text = self._text("date", row)
        if text:
            return parse_date(text)[0]
        if self.settings.reported_on is None:
            raise CellError("is empty; a claim needs a date, such as 2025-11-18")
        return self.settings.reported_on

    def _text(self, role: str, row: int) -> str:
        if role not in self.roles:
            return ""
        return as_text(role_cells(self.table, self.roles[role])[row])

    def _report(self, row: int, role: str, reason: str) -> None:
        column = self.roles.get(role, role)
        self.problems.report(self.table.shown, self.table.lines[row], column, reason)
