"""Which form a table of judgments has, and which of its columns hold what.

Long: one judgment in each line, of one output or of a pair. Wide by criterion: one column for each
criterion. Lists: a cell of JSON holds one value for each annotator. Workers and items: one column
for each annotator, or one line for each.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from store.errors import ImportFormatError
from store.importers.cells import as_text, is_missing, looks_numeric
from store.importers.columns import (
    LINE_NUMBER,
    describe_roles,
    fields_of,
    normal_name,
    role_cells,
)
from store.importers.judgments.options import JudgmentOptions
from store.importers.judgments.roles import judgment_roles
from store.importers.judgments.sheet import is_list_of_numbers
from store.importers.judgments.spans import is_list_of_errors
from store.importers.judgments.work import is_about_work, item_in_common, label_column
from store.importers.no_metrics import describes, no_metric_by_name
from store.importers.settings import Settings
from store.importers.tables import Table

Form = Literal["long", "wide", "lists", "pairs", "workers"]

PAIR_ROLES = (
    "first", "second", "choice", "strength", "order_known", "first_length", "second_length",
)  # fmt: skip
_INDEX_NAME = re.compile(r"column \d+|unnamed:? ?\d*", re.IGNORECASE)
"""Of a column that counts the lines, as tools write it in front of a table."""
_LONG_ROLES = ("rating", "criterion", "scale_level", "errors")
_WANTED = {
    "dataset": ("the dataset", "--dataset NAME (or --column dataset=NAME)"),
    "item": ("what the items are called", "--column item=NAME, or --column item=@line"),
    "annotator": ("who judged", "--column annotator=NAME, or --option annotator=NAME for all"),
    "first": ("the first of the two systems", "--column first=NAME, or --option first=NAME"),
    "second": ("the second of the two systems", "--column second=NAME, or --option second=NAME"),
    "choice": ("which one was chosen", "--column choice=NAME (or --column strength=NAME)"),
}


@dataclass(frozen=True, slots=True, eq=False)
class Layout:
    """How a table of judgments is read."""

    form: Form
    table: Table
    roles: Mapping[str, str]
    values: tuple[str, ...]
    """Columns that hold judgments: the ratings, one for each criterion, or one for each
    annotator."""
    metrics: tuple[str, ...]
    """Columns that hold scores of automatic metrics."""
    leftover: tuple[str, ...]
    """Columns that hold neither judgments nor a role."""
    understood: tuple[str, ...]


def choose_layout(table: Table, settings: Settings, options: JudgmentOptions) -> Layout:
    """Decide how a table is read.

    Raises
    ------
    ImportFormatError
        Something is not named, or there is no column that could hold judgments.
    """
    roles = judgment_roles(table.columns, settings.columns, table.shown)
    _require_plain_parts(table, roles)
    for role in ("system", "annotator_kind"):
        if all(is_missing(cell) for cell in table.cells.get(roles.get(role, ""), (0,))):
            del roles[role]
    if "item" not in settings.columns and (shared := item_in_common(table, roles)) is not None:
        roles["item"] = shared
        roles.pop("input", None)
    errors = table.cells.get(roles.get("errors", ""), ())
    if "errors" not in settings.columns and not any(map(is_list_of_errors, errors)):
        roles.pop("errors", None)  # a count of errors is a rating
    return _Chooser(table, roles, settings, options).choose()


def _require_plain_parts(table: Table, roles: Mapping[str, str]) -> None:
    """Refuse lists and objects in columns that a name such as ``"{task}/{id}"`` is made of."""
    for column in roles.values():
        if column in table.columns:
            continue
        for name in fields_of(column, table.columns):
            for line, cell in zip(table.lines, table.cells.get(name, ()), strict=False):
                if isinstance(cell, (list, dict)):
                    reason = "holds a list or an object; a name is made of plain values."
                    raise ImportFormatError(reason, path=table.shown, line=line, field=name)


@dataclass(slots=True)
class _Chooser:
    table: Table
    roles: dict[str, str]
    settings: Settings
    options: JudgmentOptions

    def choose(self) -> Layout:
        """Return the layout of the first form that fits."""
        roles, options = self.roles, self.options
        if self.settings.dataset is None:
            self._require("dataset")
        if self._are_pairs():
            return self._pairs()
        for role in PAIR_ROLES:
            roles.pop(role, None)
        lists = self._lists()
        if lists:
            self._require("item")
            told = "Lists: one value for each annotator; the same place in the list is taken to be "
            return self._layout("lists", lists, told + "the same annotator.")
        names_items = "item" in roles or "input" in roles
        if options.rows == "annotators" or (
            options.rows is None and "annotator" in roles and not names_items
        ):
            return self._workers_by_line()
        if options.rows == "items" or not ("annotator" in roles or options.annotator):
            if options.rows is None and "rating" in roles:
                raise _unnamed("annotator", self.table)
            return self._workers("Workers and items: one column for each annotator.")
        return self._ratings()

    def _are_pairs(self) -> bool:
        sides = ("first", "second")
        columns = [name for name in sides if name in self.roles]
        named = {*columns, *(name for name in sides if getattr(self.options, name))}
        has_choice = "choice" in self.roles or "strength" in self.roles
        return len(named) == 2 and (has_choice or bool(columns))

    def _pairs(self) -> Layout:
        if not self.options.annotator:
            self._require("annotator")
        if "strength" not in self.roles:
            self._require("choice")
        for role in ("rating", "system"):
            if role not in self.settings.columns:
                self.roles.pop(role, None)
        self._require("item")
        return self._layout("pairs", (), "Preferences: one comparison in each line.")

    def _ratings(self) -> Layout:
        """Lay out a long table, or a wide one when no column is called rating."""
        self._require("item")
        roles = self.roles
        long = self._long_columns()
        if long and not self.options.criteria:
            self._require_not_swapped()
            return self._layout("long", long, "Long table: one rating in each line.")
        for role in _LONG_ROLES:
            self.roles.pop(role, None)
        columns = self._named("criteria")
        if not columns:
            metrics = self._named("metrics")
            columns = tuple(
                name
                for name in self._free()
                if name not in metrics
                and looks_numeric(self.table.cells[name])
                and not _INDEX_NAME.fullmatch(name)
                and no_metric_by_name(name) is None
                and not is_about_work(name)
            )
            if not columns and (one := label_column(self.table, roles, list(self._free()))):
                columns = (one,)
        if not columns:
            raise ImportFormatError(
                "no column holds ratings. Say --column rating=NAME, or --option criteria=A,B for "
                f"several. Columns of the file: {', '.join(self.table.columns)}.",
                path=self.table.shown,
            )
        told = f"Wide table: one column for each criterion ({', '.join(columns)})."
        return self._layout("wide", columns, told)

    def _long_columns(self) -> tuple[str, ...]:
        """Return the columns of a long table, of which each line fills one: errors go first."""
        named = [self.roles[role] for role in ("errors", "rating") if role in self.roles]
        if "rating" in self.roles and "rating" not in self.settings.columns:
            named += [name for name in self._free() if normal_name(name) == "label"]
        return tuple(named)

    def _require_not_swapped(self) -> None:
        """Refuse numbers as criteria with words as ratings, unless both columns are stated."""
        both = ("criterion", "rating")
        if not self.roles.keys() >= {*both} or self.settings.columns.keys() >= {*both}:
            return
        columns = [self.roles[role] for role in both]
        criteria, ratings = (
            [cell for cell in role_cells(self.table, column) if not is_missing(cell)]
            for column in columns
        )
        if not criteria or not ratings:
            return
        if all(map(_is_number, criteria)) and not any(map(_is_number, ratings)):
            raise ImportFormatError(
                f"the criteria are numbers (as {criteria[0]}), and the ratings in "
                f"'{columns[1]}' are words (as '{ratings[0]}'): the columns are swapped. Swap "
                f"them with --column criterion={columns[1]} --column rating={columns[0]}, or say "
                f"that it is meant so: --column criterion={columns[0]} "
                f"--column rating={columns[1]}.",
                path=self.table.shown,
                field=columns[0],
            )

    def _workers(self, told: str) -> Layout:
        """Lay out a table of workers and items: every column without a role is an annotator."""
        for role in (*_LONG_ROLES, "annotator", "annotator_kind", "replicate", "judged_at"):
            if role not in self.settings.columns:
                self.roles.pop(role, None)
        if "item" not in self.roles and "input" not in self.roles:
            first = self.table.columns[0]
            cells = list(map(str, self.table.cells[first]))
            is_index = _INDEX_NAME.fullmatch(first) and len(set(cells)) == len(cells)
            self.roles["item"] = first if is_index else LINE_NUMBER
        metrics = self._named("metrics")
        values = self._named("annotators")
        values = values or self._annotators([name for name in self._free() if name not in metrics])
        if not self.options.annotators and self.options.level is None:
            self._require_one_kind(values)
        return self._layout("workers", values, told)

    def _annotators(self, columns: Sequence[str]) -> tuple[str, ...]:
        """Return the columns that may hold what an annotator said."""
        cells = self.table.cells
        values = tuple(
            name
            for name in columns
            if not describes(
                name, cells[name], [cells[other] for other in columns if other != name]
            )
        )
        if values:
            return values
        reason = "no column is left that could be an annotator."
        if columns:
            reason += (
                f" {', '.join(columns)}: these seem to say what a line is about; if one holds "
            )
            reason += "judgments, say so: --option annotators=A,B."
        raise ImportFormatError(reason, path=self.table.shown)

    def _require_one_kind(self, columns: Sequence[str]) -> None:
        """Refuse columns of words beside columns of numbers: some are no annotators."""
        said = {
            name: [cell for cell in self.table.cells[name] if not is_missing(cell)]
            for name in columns
        }
        numbers = [name for name, cells in said.items() if cells and looks_numeric(cells)]
        words = [name for name, cells in said.items() if cells and name not in numbers]
        if numbers and words:
            raise ImportFormatError(
                f"this column holds words, '{numbers[0]}' holds numbers. Say which columns are "
                "annotators: --option annotators=A,B.",
                path=self.table.shown,
                field=words[0],
            )

    def _workers_by_line(self) -> Layout:
        if self.settings.dataset is None:
            raise _unnamed("dataset", self.table)
        self.table = _turned(self.table, self.roles.get("annotator"))
        self.roles = {"item": "item"}
        return self._workers("Workers and items: one line for each annotator.")

    def _lists(self) -> tuple[str, ...]:
        """Return the columns that hold a list of numbers for each output."""
        used = {column for role, column in self.roles.items() if role != "rating"}
        wanted = self._named("criteria") or self.table.columns
        return tuple(
            name for name in wanted if name not in used and _holds_lists(self.table.cells[name])
        )

    def _named(self, option: str) -> tuple[str, ...]:
        """Return the columns that an option lists: by their name, or all below an object's."""
        columns = self.table.columns
        found: list[str] = []
        for wanted in getattr(self.options, option):
            below = [name for name in columns if name == wanted or name.startswith(f"{wanted}.")]
            if not below:
                raise ImportFormatError(
                    f"there is no column '{wanted}'. Columns of the file: {', '.join(columns)}.",
                    path=self.table.shown,
                    field=option,
                )
            found += below
        return tuple(dict.fromkeys(found))

    def _free(self) -> Iterable[str]:
        roles, columns = self.roles, self.table.columns
        used = {name for column in roles.values() for name in fields_of(column, columns)}
        return (name for name in columns if name not in used)

    def _layout(self, form: Form, values: Sequence[str], note: str) -> Layout:
        metrics = self._named("metrics")
        leftover = tuple(name for name in self._free() if name not in (*values, *metrics))
        told = [note]
        if set(self.roles.values()) != {LINE_NUMBER}:  # what items are called is told anyway
            told.append(describe_roles(self.roles, self.table.columns, self.settings.columns))
        notes = (*self.table.notes, *told)
        return Layout(form, self.table, self.roles, tuple(values), metrics, leftover, notes)

    def _require(self, role: str) -> None:
        if role not in self.roles and not (role == "item" and "input" in self.roles):
            raise _unnamed(role, self.table)


def _holds_lists(cells: Sequence[object]) -> bool:
    """Return whether a column is one of lists of numbers: a list among plain values is a fault."""
    if not any(map(is_list_of_numbers, cells)):
        return False
    n_filled = sum(not is_missing(cell) for cell in cells)
    return 2 * sum(isinstance(cell, list) for cell in cells) >= n_filled


def _is_number(cell: object) -> bool:
    return not isinstance(cell, bool) and looks_numeric([cell])


def _turned(table: Table, column: str | None) -> Table:
    """Return a table with one line for each annotator turned round: one line for each item."""
    items = [name for name in table.columns if name != column]
    if column is None:
        names = [f"annotator {number}" for number in range(1, len(table) + 1)]
    else:
        names = []
        for line, cell in zip(table.lines, table.cells[column], strict=True):
            if isinstance(cell, (list, dict)):
                reason = "holds a list or an object; write the annotator's name."
                raise ImportFormatError(reason, path=table.shown, line=line, field=column)
            names.append(as_text(cell))
    twice = next((name for name in names if not name or names.count(name) > 1), None)
    if twice is not None:
        raise ImportFormatError(
            f"the annotator '{twice}' has several lines, so that a line is not an annotator. Name "
            "the column of the items: --column item=NAME.",
            path=table.shown,
            field=column,
        )
    cells: dict[str, Sequence[object]] = {"item": items}
    for row, name in enumerate(names):
        cells[name] = [table.cells[item][row] for item in items]
    note = "Lines in messages count the items: the table was turned round."
    return replace(
        table,
        columns=("item", *names),
        cells=cells,
        lines=range(1, len(items) + 1),
        notes=(*table.notes, note),
    )


def _unnamed(role: str, table: Table) -> ImportFormatError:
    what, how = _WANTED[role]
    return ImportFormatError(
        f"the file does not say {what}. Give {how}. Columns of the file: "
        f"{', '.join(table.columns[:20])}{', …' if len(table.columns) > 20 else ''}.",
        path=table.shown,
        field=role,
    )
