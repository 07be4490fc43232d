"""Figures that a paper or a leaderboard states: aggregate scores and p-values, without items."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any, cast, get_args

from store.errors import ImportFormatError, NoResultsError
from store.importers.bundle import (
    BundleDataset,
    BundleMetric,
    BundleReportedComparison,
    BundleReportedScore,
    ImportBundle,
    ReadOptions,
    RowProblems,
    Sidedness,
)
from store.importers.cells import CellError, as_text, parse_date
from store.importers.columns import normal_name, role_cells
from store.importers.item_columns import are_items_unsaid, holds_prompts, names_subjects
from store.importers.item_headers import headed_items
from store.importers.known_metrics import is_quality
from store.importers.known_names import share_of_systems
from store.importers.naming_columns import (
    metric_of_file,
    names_subsets_unsaid,
    names_systems_unsaid,
    states_splits,
)
from store.importers.printed import PrintedNumber, parse_printed
from store.importers.repeat_columns import repeats_as_rows
from store.importers.reported_forms import choose_reported_plan
from store.importers.reported_names import is_of_datasets
from store.importers.reported_plan import PvalueCell, ReportedPlan, ScoreCell, reported_roles
from store.importers.reported_pvalues import has_pvalues
from store.importers.settings import Settings, load_settings, outside_reason
from store.importers.small_tables import is_small_and
from store.importers.tables import Table, peek_columns, read_table
from store.importers.textfile import data_stem
from store.importers.unread_results import are_answers_of_workers

_ITEM_TEXTS = {"question", "input", "input_text"}
"""Columns of the texts of items: what has one holds no figures over a dataset."""
NAME = "reported"
DESCRIPTION = "table of scores or p-values that a paper or leaderboard states"
_OF_PVALUES = re.compile(r"(^|_)p_?val(ue)?s?(_|$)")
_MOST_WARNINGS = 10
"""Of one kind; where there are more, the first few stand for all."""
_FIRST_WARNINGS = 3
_MOST_DATASETS = 500
"""Rows of a table of datasets without a name for its first column."""


def sniff(path: Path, options: ReadOptions) -> bool:
    """Return whether the columns hold figures of systems or datasets and name no items."""
    columns = peek_columns(path)
    if len(columns) < 2 or options.layout or are_answers_of_workers(columns):
        return False
    try:
        settings = load_settings(path, path.name, options)
        roles = reported_roles(columns, settings.columns, path.name)
    except ImportFormatError:
        return False
    names_items = headed_items(columns) or _ITEM_TEXTS & set(map(normal_name, columns))
    if settings.layout or names_items:
        return False
    if "item" in roles:
        is_open = "system" not in roles and "item" not in settings.columns
        return is_open and states_splits(columns) and names_systems_unsaid(path)
    if roles.get("system") == columns[0] and not normal_name(columns[0]) and _counts_rows(path):
        return False
    if roles.get("system") and "score" not in roles and are_items_unsaid(path, roles):
        return False
    if names_subjects(path, roles) or holds_prompts(path):
        return False
    if "system" in roles or "dataset" in roles or has_pvalues(columns):
        return True
    if is_small_and(path, _MOST_DATASETS, is_of_datasets):
        return True
    is_open = any(map(is_quality, columns)) or metric_of_file(path.name) is not None
    is_open = is_open or share_of_systems(list(columns[1:])) == 1
    return is_open and (names_systems_unsaid(path) or names_subsets_unsaid(path))


def _counts_rows(path: Path) -> bool:
    """Return whether the first column is the index of a data frame, which names no systems."""
    try:
        table = read_table(path, path.name, RowProblems(lenient=True))
    except ImportFormatError:
        return False
    cells = list(map(str, table.cells[table.columns[0]]))
    return any(list(map(str, range(n, n + len(table)))) == cells for n in (0, 1))


def read(paths: Sequence[Path], options: ReadOptions, shown: Mapping[Path, str]) -> ImportBundle:
    """Read one table of stated figures.

    Raises
    ------
    ImportFormatError
        The columns do not suffice, or a cell cannot be used and the import is strict.
    """
    (path,) = paths
    settings = load_settings(path, shown[path], options)
    problems = RowProblems(options.lenient)
    table = read_table(path, settings.shown, problems)
    _require_no_pvalues(table, settings)
    table = repeats_as_rows(table, settings, of_items=False)
    plan = choose_reported_plan(table, settings, problems)
    table = plan.table
    builder = _Builder(table, plan, settings, problems)
    builder.add_scores()
    builder.add_pvalues()
    skipped = problems.raise_if_any()
    if not builder.scores and not builder.comparisons:
        raise ImportFormatError("the table holds no figure: every cell is empty.", path=table.shown)
    return ImportBundle(
        NAME,
        settings.files(table.sha256),
        datasets=builder.described_datasets(),
        metrics=builder.metrics,
        reported_scores=builder.scores,
        reported_comparisons=builder.comparisons,
        overlaps=settings.mapping.overlaps,
        identities=plan.identities,
        aliases=settings.mapping.aliases,
        skipped=skipped,
        understood=[*table.notes, *plan.understood, *builder.told()],
        warnings=[*_shortened(builder.bounds), *_shortened(builder.zeros)],
        guesses=plan.guesses,
    )


def _require_no_pvalues(table: Table, settings: Settings) -> None:
    """Refuse columns called after metrics in a file that is called after p-values.

    Raises
    ------
    NoResultsError
        The file is called after a confusion matrix.
    ImportFormatError
        Nothing says which systems the p-values compare.
    """
    is_confusion = data_stem(settings.path.name).lower().startswith("confusion")
    if is_confusion and not any(map(is_quality, table.columns)):
        raise NoResultsError("a confusion matrix, by its name.", path=settings.shown)
    is_called = _OF_PVALUES.search(normal_name(data_stem(settings.path.name))) is not None
    is_said = settings.columns or settings.metric or has_pvalues(table.columns)
    if is_called and not is_said and any(map(is_quality, table.columns)):
        raise ImportFormatError(
            "p-values, by the name of the file, and nothing says which two systems they compare. "
            "Name the pair in a column: 'p(A,B)', or system_a, system_b and pvalue.",
            path=settings.shown,
        )


@dataclass(slots=True)
class _Row:
    """What a row states beside its figures."""

    n_items: int | None = None
    stderr: float | None = None
    reported_on: datetime | None = None
    source: str = ""
    source_url: str | None = None
    test: str = ""
    sidedness: Sidedness = "unstated"


@dataclass(slots=True)
class _Builder:
    table: Table
    plan: ReportedPlan
    settings: Settings
    problems: RowProblems
    datasets: dict[tuple[str, str], list[int | None]] = field(default_factory=dict)
    """Dataset and version -> the sizes that its rows state."""
    dataset_index: dict[tuple[str, str], int] = field(default_factory=dict)
    metrics: list[BundleMetric] = field(default_factory=list)
    metric_index: dict[str, int] = field(default_factory=dict)
    scores: list[BundleReportedScore] = field(default_factory=list)
    comparisons: list[BundleReportedComparison] = field(default_factory=list)
    bounds: list[str] = field(default_factory=list)
    """What was said of p-values that are upper bounds."""
    zeros: list[str] = field(default_factory=list)
    """What was said of p-values that are printed as 0."""
    n_marked: int = 0
    n_grouped: int = 0
    n_spread: int = 0
    rows: dict[int, _Row] = field(default_factory=dict)
    row_cells: dict[str, Sequence[Any]] = field(default_factory=dict)
    cells: dict[str, Sequence[Any]] = field(default_factory=dict)
    """Of the columns of figures."""

    def __post_init__(self) -> None:
        for role, column in self.plan.roles.items():
            if role in _ROW_ROLES:
                self.row_cells[role] = list(role_cells(self.table, column))

    def add_scores(self) -> None:
        """Read the cells that state scores."""
        numbers = [(cell, self._number(cell)) for cell in self.plan.scores]
        read = [(cell, number) for cell, number in numbers if number is not None]
        signs: dict[str, set[bool]] = {}
        for cell, number in read:
            signs.setdefault(cell.metric, set()).add(number.is_percent)
        for name, found in signs.items():
            self._add_metric(name, is_percent=True in found, is_only=len(signs) == 1)
        places: dict[tuple[str, ...], int] = {}
        for cell, number in read:
            reason = self._unfit(cell, number, is_percent=True in signs[cell.metric])
            row = self._row(cell)
            version = self.plan.versions[cell.row]
            place = (cell.system, cell.dataset, version, cell.metric, row.source)
            if reason is None and place in places:
                reason = _twice(places[place])
            if reason is not None:
                self._report(cell, reason)
                continue
            places[place] = self.table.lines[cell.row]
            self.scores.append(
                BundleReportedScore(
                    cell.system,
                    self._dataset(cell.dataset, version, row.n_items),
                    self.metric_index[cell.metric],
                    number.value,
                    row.stderr,
                    row.n_items,
                    row.reported_on,
                    row.source,
                    row.source_url,
                    self._printed(cell),
                )
            )

    def _unfit(self, cell: ScoreCell, number: PrintedNumber, *, is_percent: bool) -> str | None:
        """Return why a score does not fit its metric."""
        if is_percent and not number.is_percent:
            return "has no % sign while other figures of the metric have one."
        lower, upper = self.settings.bounds_of(self.metrics[self.metric_index[cell.metric]])
        is_low = lower is not None and number.value < lower
        if is_low or (upper is not None and number.value > upper):
            return outside_reason(number.value, self._printed(cell), lower, upper)
        return None

    def add_pvalues(self) -> None:
        """Read the cells that state p-values."""
        places: dict[tuple[str, ...], int] = {}
        for cell in self.plan.pvalues:
            number = self._number(cell)
            if number is None:
                continue
            row, printed = self._row(cell), self._printed(cell)
            version = self.plan.versions[cell.row]
            place = (
                *(cell.system_a, cell.system_b, cell.dataset, version),
                *(cell.metric, row.source),
            )
            reason = None
            if not 0.0 <= number.value <= 1.0 or number.is_percent:
                reason = f"{printed} is no p-value; it must lie in 0..1."
            elif cell.system_a == cell.system_b:
                reason = f"compares '{cell.system_a}' with itself."
            elif place in places:
                reason = _twice(places[place])
            if reason is not None:
                self._report(cell, reason)
                continue
            places[place] = self.table.lines[cell.row]
            self._warn_about_bound(cell, number, printed)
            if cell.metric not in self.metric_index:
                self._add_metric(cell.metric, is_percent=False, is_only=True)
            self.comparisons.append(
                BundleReportedComparison(
                    cell.system_a,
                    cell.system_b,
                    self._dataset(cell.dataset, version, row.n_items),
                    self.metric_index[cell.metric],
                    number.value,
                    row.test,
                    row.sidedness,
                    row.source,
                    row.source_url,
                    printed,
                )
            )

    def described_datasets(self) -> list[BundleDataset]:
        """Return the datasets; a size is stated when all rows agree on it."""
        return [
            self.settings.dataset_of(
                name,
                version=version,
                n_items_stated=sizes[0] if len(set(sizes)) == 1 else None,
            )
            for (name, version), sizes in self.datasets.items()
        ]

    def told(self) -> list[str]:
        """Return what was made of marks and commas."""
        source = self.settings.mapping.source
        told = [f"Source: {source}."] if source else []
        if not source and "source" not in self.plan.roles:
            told.append(f"No source is stated; '{self.settings.path.name}' stands for it.")
        if self.n_marked:
            told.append(f"Marks such as * were left off {self.n_marked} numbers.")
        if self.n_grouped:
            told.append(f"Commas were read as thousands in {self.n_grouped} numbers.")
        if self.n_spread:
            told.append(
                f"{self.n_spread} figures are printed with a spread (±); it is kept as printed and "
                "not used."
            )
        return told

    def _add_metric(self, name: str, *, is_percent: bool, is_only: bool) -> None:
        metric = self.settings.metric_of(
            name,
            self.settings.note_of(name).aggregation or "mean",
            is_percent=is_percent,
            is_only=is_only,
        )
        self.metric_index[name] = len(self.metrics)
        self.metrics.append(metric)

    def _dataset(self, name: str, version: str, n_items: int | None) -> int:
        self.datasets.setdefault((name, version), []).append(n_items)
        return self.dataset_index.setdefault((name, version), len(self.dataset_index))

    def _cell(self, cell: ScoreCell | PvalueCell) -> Any:
        if cell.column not in self.cells:
            self.cells[cell.column] = list(role_cells(self.table, cell.column))
        return self.cells[cell.column][cell.row]

    def _printed(self, cell: ScoreCell | PvalueCell) -> str:
        return as_text(self._cell(cell))

    def _report(self, cell: ScoreCell | PvalueCell, reason: str) -> None:
        self.problems.report(self.table.shown, self.table.lines[cell.row], cell.column, reason)

    def _number(self, cell: ScoreCell | PvalueCell) -> PrintedNumber | None:
        try:
            number = parse_printed(self._cell(cell))
        except CellError as error:
            self._report(cell, f"{error}.")
            return None
        if math.isnan(number.value):
            return None
        if number.is_upper_bound and isinstance(cell, ScoreCell):
            self._report(cell, f"{self._printed(cell)!r} is a bound, not a score.")
            return None
        self.n_marked += bool(number.marks)
        self.n_grouped += number.is_grouped
        self.n_spread += number.has_spread
        return number

    def _warn_about_bound(self, cell: PvalueCell, number: PrintedNumber, printed: str) -> None:
        line = self.table.lines[cell.row]
        pair = f"line {line}, {cell.system_a} against {cell.system_b} on {cell.dataset}"
        if number.is_upper_bound:
            self.bounds.append(f"{pair}: '{printed}' is an upper bound; {number.value:g} is used.")
        elif number.value == 0.0:
            self.zeros.append(
                f"{pair}: printed as '{printed}', a rounded figure; taken as it stands."
            )

    def _row(self, cell: ScoreCell | PvalueCell) -> _Row:
        if cell.row not in self.rows:
            self.rows[cell.row] = self._read_row(cell.row)
        return self.rows[cell.row]

    def _read_row(self, index: int) -> _Row:
        """Read size, standard error, date and source of a row; bad cells are reported."""
        mapping = self.settings.mapping
        row = _Row(
            reported_on=self.settings.reported_on,
            source=mapping.source or self.settings.path.name,
            source_url=mapping.source_url,
            test=mapping.test,
            sidedness=mapping.sidedness,
        )
        for role, cells in self.row_cells.items():
            try:
                text = as_text(cells[index])
                if text:
                    _ROW_ROLES[role](row, text)
            except CellError as error:
                line, column = self.table.lines[index], self.plan.roles[role]
                self.problems.report(self.table.shown, line, column, f"{error}.")
        return row


def _set_n_items(row: _Row, text: str) -> None:
    value = parse_printed(text).value
    if not math.isnan(value):
        if value < 1 or value != int(value):
            raise CellError(f"{text!r} is no number of items")
        row.n_items = int(value)


_NO_DATE = frozenset({"", "unknown", "undated", "n.d.", "nd", "tba", "tbd", "n/a", "none"})


def _set_stderr(row: _Row, text: str) -> None:
    value = parse_printed(text).value
    if value < 0:
        raise CellError(f"{text!r} is no standard error; it cannot be negative")
    row.stderr = None if math.isnan(value) else value


def _set_date(row: _Row, text: str) -> None:
    row.reported_on = None if text.lower().strip("? ") in _NO_DATE else parse_date(text)[0]


def _set_sidedness(row: _Row, text: str) -> None:
    word = text.lower().replace(" ", "-").replace("2-sided", "two-sided")
    if word not in get_args(Sidedness):
        raise CellError(f"{text!r} must be one of {', '.join(get_args(Sidedness))}")
    row.sidedness = cast(Sidedness, word)


_ROW_ROLES: Mapping[str, Any] = {
    "n_items": _set_n_items,
    "stderr": _set_stderr,
    "date": _set_date,
    "source": lambda row, text: setattr(row, "source", text),
    "source_url": lambda row, text: setattr(row, "source_url", text),
    "test": lambda row, text: setattr(row, "test", text),
    "sidedness": _set_sidedness,
}


def _shortened(warnings: list[str]) -> list[str]:
    """Return warnings of one kind; of many the first ones, and how many more there are."""
    if len(warnings) <= _MOST_WARNINGS:
        return warnings
    kind = warnings[0].partition(": ")[2]
    more = f"{len(warnings) - _FIRST_WARNINGS:,} more p-values of the file are such, as {kind}"
    return [*warnings[:_FIRST_WARNINGS], more]


def _twice(line: int) -> str:
    return (
        f"line {line} states the same figure of the same source. If each line is an item, name its "
        "column: --column item=NAME; if the figures come from several sources or days, name what "
        'tells them apart: --column source=NAME, or --column source="board of {date}".'
    )
