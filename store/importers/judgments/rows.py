"""The single judgments of a table: who judged what, before the cells themselves are read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from typing import Any, NamedTuple, get_args

import numpy as np

from store.errors import ImportFormatError
from store.importers.bundle import AnnotatorKind, BundleItem, RowProblems, ScaleLevel
from store.importers.cells import CellError, as_text, is_missing, parse_date
from store.importers.columns import role_cells
from store.importers.generic_forms import Plan
from store.importers.generic_items import read_items
from store.importers.generic_rows import Names, RowKeys
from store.importers.judgments.forms import Layout
from store.importers.judgments.items import item_names
from store.importers.judgments.options import JudgmentOptions
from store.importers.key_columns import KeyReader
from store.importers.settings import Settings

MOST_DIGITS = 15
"""Of a number that counts something: more is no count, and more than a store can hold."""
NOT_PLAIN = "holds a list or an object; write one plain value"


def is_plain(cell: Any) -> bool:
    """Return whether a cell is one value, not a list or an object as JSON may hold."""
    return not isinstance(cell, (list, dict))


class Row(NamedTuple):
    """What a line of the table belongs to."""

    number: int
    """Of the line in the table."""
    line: int
    dataset: int
    item: int
    """Position of the item in its dataset."""
    system: str | None
    annotator: str
    """Empty where each column is an annotator."""
    criterion: str
    """Empty where the column names it."""
    replicate: int
    judged_at: datetime | None


class Judged(NamedTuple):
    """One cell that holds a judgment."""

    row: Row
    column: str
    annotator: str
    criterion: str
    cell: Any


class RowReader:
    """Reads what the lines of a table belong to."""

    def __init__(
        self,
        layout: Layout,
        settings: Settings,
        options: JudgmentOptions,
        problems: RowProblems,
    ) -> None:
        self.layout = layout
        self.settings = settings
        self.options = options
        self.problems = problems
        self.datasets = Names()
        self.items: tuple[Names, ...] = ()
        self.kinds: dict[str, AnnotatorKind] = {}
        self.levels: dict[str, ScaleLevel] = {}
        """Criterion -> its level, where a column states it."""
        self.understood: list[str] = []
        self.n_empty = 0
        """Lines, or cells of a table that is wide by criterion, that hold nothing at all."""
        self._keys = KeyReader(layout.table, layout.roles, settings, problems)
        self.rows: list[Row] = []
        self._read()

    @property
    def item_lists(self) -> list[Sequence[BundleItem]]:
        """The items of each dataset, with what the table says about them."""
        table, layout = self.layout.table, self.layout
        index, dataset, item = (
            np.array([getattr(row, name) for row in self.rows], np.int64)
            for name in ("number", "dataset", "item")
        )
        none = np.zeros(len(index), np.int64)
        keys = RowKeys(
            index, len(index), None, dataset, item, None, none, none, Names(), self.datasets,
            self.items, Names(), Names(), 1, (),
        )  # fmt: skip
        plan = Plan(layout.roles, (), layout.leftover, ())
        with_text = self.settings.options.with_text
        found, told = read_items(table, plan, keys, self.problems, with_text=with_text)
        self.understood += told
        return found

    def judged(self) -> Iterator[Judged]:
        """Return every cell that may hold a rating, a label or a choice, line by line."""
        layout, options = self.layout, self.options
        paths = short_paths(layout.values)
        columns = [(name, layout.table.cells[name], paths[name]) for name in layout.values]
        for row in self.rows:
            n_filled = 0
            for name, cells, path in columns:
                cell = cells[row.number]
                if cell is None or cell == "":
                    continue
                n_filled += 1
                if layout.form == "long":
                    yield Judged(row, name, row.annotator, row.criterion, cell)
                    if name == layout.roles.get("errors"):
                        break  # the rating beside them is their sum
                elif layout.form == "workers":
                    yield Judged(row, name, name, row.criterion, cell)
                else:
                    given = options.criterion if len(columns) == 1 else ""
                    criterion = given or " ".join(path)
                    if layout.form == "wide":
                        yield Judged(row, name, row.annotator, criterion, cell)
                    else:
                        yield from self._from_list(row, name, path, criterion, cell)
            if layout.form == "long":
                self.n_empty += not n_filled
            elif layout.form == "wide":
                self.n_empty += len(columns) - n_filled

    def _from_list(
        self, row: Row, column: str, path: Sequence[str], criterion: str, cell: Any
    ) -> Iterator[Judged]:
        """Return the values of a list, the annotators called after what the lists stand below."""
        if not isinstance(cell, list):
            reason = "holds no list; every cell of this column is a list with a value for each "
            self.problems.report(
                self.layout.table.shown, row.line, column, reason + "annotator, or empty."
            )
            return
        stem = " ".join(path[:-1]) or "annotator"
        names = self.options.annotators
        if names and len(cell) > len(names):
            reason = f"{len(cell)} values for {len(names)} names of annotators."
            self.problems.report(self.layout.table.shown, row.line, column, reason)
            return
        for place, value in enumerate(cell):
            if value is not None:
                name = names[place] if names else f"{stem} {place + 1}"
                yield Judged(row, column, name, criterion, value)

    def _read(self) -> None:
        keys, table, options = self._keys, self.layout.table, self.options
        n_rows = len(table)
        datasets = keys.named("dataset", self.settings.dataset or "")
        items = item_names(self.layout, self.settings, self.options, keys, self.understood)
        annotators = self._column("annotator", options.annotator)
        criteria = self._column("criterion", options.criterion)
        systems = self._systems(criteria)
        self._read_words("annotator_kind", get_args(AnnotatorKind), annotators, self.kinds)
        self._read_words("scale_level", get_args(ScaleLevel), criteria, self.levels)
        replicates = self._replicates()
        moments = self._moments()
        self.understood += keys.understood
        usable = [i for i in range(n_rows) if keys.is_usable[i]]
        if not usable:
            self.problems.raise_if_any()
            raise ImportFormatError("the table has a header only.", path=table.shown)
        numbers = [self.datasets.number(datasets[i]) for i in usable]
        self.items = tuple(Names() for _ in self.datasets)
        for i, dataset in zip(usable, numbers, strict=True):
            self.rows.append(
                Row(
                    i,
                    table.lines[i],
                    dataset,
                    self.items[dataset].number(items[i]),
                    systems[i] or None,
                    annotators[i],
                    criteria[i],
                    replicates[i],
                    moments[i],
                )
            )

    def _column(self, role: str, given: str) -> Sequence[str]:
        """Return the texts of a column, or what is given for the whole file."""
        if role not in self.layout.roles:
            return [given] * len(self.layout.table)
        texts = self._keys.column(role)
        if given and set(texts) != {given}:
            raise ImportFormatError(
                f"--option {role}={given} cannot rename the {role} that a column names. Leave the "
                f"option out, or switch the column off with --column {role}=",
                path=self.layout.table.shown,
                field=self.layout.roles[role],
            )
        return texts

    def _systems(self, criteria: Sequence[str]) -> Sequence[str]:
        """Return the system of each line; a criterion may be of items, but not of both."""
        texts = [""]
        if "system" in self.layout.roles and not self.settings.options.system:
            texts = self._texts(self.layout.roles["system"])
        if all(texts) or not any(texts):
            return self._keys.named("system", self.settings.system or "")
        rated = {name for name, text in zip(criteria, texts, strict=True) if text}
        for i, (name, text) in enumerate(zip(criteria, texts, strict=True)):
            if not text and name in rated and self._keys.is_usable[i]:
                reason = "the system is not named, though others judged in the same way are."
                self._refuse(i, self.layout.roles["system"], reason)
        return [self.settings.canonical(text) if text else "" for text in texts]

    def _read_words(
        self, role: str, known: Sequence[str], names: Sequence[str], found: dict[str, Any]
    ) -> None:
        """Note what a column of a few known words says of each name."""
        if role not in self.layout.roles:
            return
        column = self.layout.roles[role]
        for i, text in enumerate(self._texts(column)):
            word = text.lower()
            if not word:
                continue
            if word not in known:
                self._refuse(i, column, f"'{word}' is none of {', '.join(known)}.")
            elif found.setdefault(names[i], word) != word:
                self._refuse(i, column, f"'{names[i]}' is both {found[names[i]]} and {word}.")

    def _replicates(self) -> Sequence[int]:
        """Return the number of each line's repeat; whole numbers stay as they are."""
        if "replicate" not in self.layout.roles:
            return [0] * len(self.layout.table)
        column = self.layout.roles["replicate"]
        texts = self._texts(column)
        plain = [text.removesuffix(".0") for text in texts]
        if all((text.isdecimal() and len(text) <= MOST_DIGITS) or not text for text in plain):
            return [int(text or 0) for text in plain]
        number = {text: i for i, text in enumerate(sorted(set(texts)))}
        told = ", ".join(f"{text or 'empty'} is {i}" for text, i in list(number.items())[:10])
        self.understood.append(f"Repeats are counted from 0: {told}.")
        return [number[text] for text in texts]

    def _moments(self) -> list[datetime | None]:
        if "judged_at" not in self.layout.roles:
            return [None] * len(self.layout.table)
        column = self.layout.roles["judged_at"]
        moments: list[datetime | None] = []
        assumed = False
        for i, cell in enumerate(role_cells(self.layout.table, column)):
            moment = None
            if not is_missing(cell):
                try:
                    moment, is_assumed = _parse_moment(as_text(cell))
                    assumed |= is_assumed
                except CellError as error:
                    self._refuse(i, column, f"{error}.")
            moments.append(moment)
        if assumed:
            self.understood.append(f"Times in '{column}' without an offset are taken as UTC.")
        return moments

    def _texts(self, column: str) -> list[str]:
        """Return the cells of a column as text; refuse the rows that hold lists or objects."""
        cells = list(role_cells(self.layout.table, column))
        for i, cell in enumerate(cells):
            if not is_plain(cell):
                self._refuse(i, column, f"{NOT_PLAIN}.")
                cells[i] = None
        return [as_text(cell) for cell in cells]

    def _refuse(self, row: int, column: str, reason: str) -> None:
        self._keys.is_usable[row] = False
        self.problems.report(self.layout.table.shown, self.layout.table.lines[row], column, reason)


def _parse_moment(text: str) -> tuple[datetime, bool]:
    """Return a moment written as a date or as the seconds since 1970, and if UTC was assumed."""
    try:
        seconds = float(text)
    except ValueError:
        return parse_date(text)
    if not 1e8 < seconds < 1e11:
        return parse_date(text)
    return datetime.fromtimestamp(seconds, UTC), False


def short_paths(columns: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Return the words of each column's name without the object that all of them stand in.

    ``"metrics.expert.fluency"`` becomes ``("expert", "fluency")``.
    """
    paths = {name: tuple(name.split(".")) for name in columns}
    is_shared = len({path[0] for path in paths.values()}) == 1
    is_nested = all(len(path) > 1 for path in paths.values())
    return {name: path[is_shared and is_nested :] for name, path in paths.items()}
