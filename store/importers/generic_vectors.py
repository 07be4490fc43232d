"""From the columns of a table to score vectors, statuses and outputs of runs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from store.errors import ImportFormatError
from store.importers.bundle import (
    ONE_SCORE,
    BundleMetric,
    BundleScores,
    FloatArray,
    Guess,
    RowProblems,
    Status,
    StatusArray,
)
from store.importers.cells import BoolArray, CellError, as_text, parse_status, read_numbers
from store.importers.columnar import PART, Coded, Codes, repeated, together
from store.importers.columns import role_cells
from store.importers.generic_forms import Plan, ScoreColumns
from store.importers.generic_rows import RowKeys, dataset_identity
from store.importers.key_columns import IntArray
from store.importers.marks_of_none import marks_of_none
from store.importers.settings import Settings, outside_reason
from store.importers.tables import Table

RunKey = tuple[int, int, int]
"""Numbers of system, dataset and run."""
_UNSET = np.uint8(255)


@dataclass(slots=True)
class RunContent:
    """What the table holds for one run."""

    scores: list[BundleScores] = field(default_factory=list)
    statuses: dict[int, StatusArray] = field(default_factory=dict)
    outputs: dict[int, list[str | None]] = field(default_factory=dict)


class VectorBuilder:
    """Puts the scores of a table into vectors, column by column."""

    def __init__(
        self, table: Table, plan: Plan, keys: RowKeys, settings: Settings, problems: RowProblems
    ) -> None:
        self._table = table
        self._plan = plan
        self._keys = keys
        self._settings = settings
        self._problems = problems
        self.systems = keys.systems
        self.metric_names = keys.metrics
        self.metrics: dict[int, BundleMetric] = {}
        self.runs: dict[RunKey, RunContent] = {}
        self.warnings: list[str] = []
        self.guesses: list[Guess] = []

    def build(self) -> None:
        """Read every score column, then statuses and outputs."""
        for one in self._plan.scores:
            if one.metric is not None:
                self.metric_names.number(one.metric)
        for one in self._plan.scores:
            self._add_scores(one)
        self._leave_empty()
        if "status" in self._plan.roles:
            self._add_statuses()
        if "output" in self._plan.roles and self._settings.options.with_text:
            self._add_outputs()

    def _add_scores(self, one: ScoreColumns) -> None:
        keys = self._keys
        values, is_percent, is_good = self._read(one)
        metric = keys.metric
        if metric is None:
            metric = repeated(self.metric_names.number(one.metric or ""), keys.n_rows)
        values = self._check_metrics(one, metric, values, is_percent, is_good)
        system = keys.system
        if system is None:
            name = self._settings.canonical(one.system or "")
            system = repeated(self.systems.number(name), keys.n_rows)
        self._scatter(one, [system, keys.dataset, keys.run, keys.trial, metric], values, is_good)

    def _scatter(
        self, one: ScoreColumns, parts: Sequence[Codes], values: FloatArray, is_good: BoolArray
    ) -> None:
        """Put each score at its place in its vector; report cells that stand twice."""
        items = self._keys.item
        rows = None if is_good.all() else np.flatnonzero(is_good)
        if rows is not None:
            parts, items, values = [part[rows] for part in parts], items[rows], values[rows]
        if not len(items):
            return
        found, groups = together(parts, [int(part.max()) + 1 for part in parts])
        sizes = [len(self._keys.items[dataset]) for dataset in found[1].tolist()]
        ends = np.cumsum(sizes)
        begins = ends - sizes
        if int(ends[-1]) == len(items) and _are_in_order(begins, groups, items):
            for number, key in enumerate(zip(*(part.tolist() for part in found), strict=True)):
                self._add_vector(key, values[begins[number] : ends[number]])
            return
        vectors = np.full((int(ends[-1]), values.shape[1]), np.nan)
        is_there = np.zeros(len(vectors), np.bool_)
        for start in reversed(range(0, len(items), PART)):  # of two, the first one stays
            part = slice(start, start + PART)
            places = (begins[groups[part]] + items[part])[::-1]
            vectors[places] = values[part][::-1]
            is_there[places] = True
        has_twice = int(is_there.sum()) < len(items)
        n_rows = np.bincount(groups, minlength=len(sizes)) if has_twice else np.zeros(len(sizes))
        for number, key in enumerate(zip(*(part.tolist() for part in found), strict=True)):
            here = slice(begins[number], ends[number])
            if has_twice and is_there[here].sum() < n_rows[number]:
                of_it = np.flatnonzero(groups == number)
                self._report_twice(of_it if rows is None else rows[of_it], one)
            self._add_vector(key, vectors[here])

    def _add_vector(self, key: tuple[int, ...], vector: FloatArray) -> None:
        system, dataset, run, trial, metric = key
        content = self.runs.setdefault((system, dataset, run), RunContent())
        content.scores.append(BundleScores(metric, vector, trial))

    def _read(self, one: ScoreColumns) -> tuple[FloatArray, BoolArray, BoolArray]:
        """Return values (n_rows, n_components), percent signs and which rows are readable."""
        keys, table = self._keys, self._table
        is_good = np.zeros(len(table), np.bool_)
        meant = self._is_meant(one)
        is_good[slice(None) if keys.usable is None else keys.usable] = meant
        columns, percent = [], np.zeros(len(table), np.bool_)
        for column in one.columns:
            read = read_numbers(role_cells(table, column))
            columns.append(read.values)
            if read.is_percent.any():  # else it stays untouched, and takes no memory
                percent |= read.is_percent
            for row, reason in read.problems:
                if is_good[row]:
                    self._problems.report(table.shown, table.lines[row], column, f"{reason}.")
                is_good[row] = False
        values = np.column_stack(columns) if len(columns) > 1 else columns[0].reshape(-1, 1)
        if values.shape[1] > 1:
            partly = np.isnan(values).any(axis=1) & ~np.isnan(values).all(axis=1)
            for row in np.flatnonzero(partly & is_good).tolist():
                is_good[row] = False
                absent = one.columns[int(np.flatnonzero(np.isnan(values[row]))[0])]
                reason = f"is empty although the other parts ({', '.join(one.columns)}) are given."
                self._problems.report(table.shown, table.lines[row], absent, reason)
        return keys.of(values), keys.of(percent), keys.of(is_good)

    def _is_meant(self, one: ScoreColumns) -> BoolArray:
        """Return the usable rows whose metric stands in these columns."""
        metric = self._keys.metric
        if one.only is None or metric is None:
            return np.ones(self._keys.n_rows, np.bool_)
        index = self._keys.metrics.index
        return np.isin(metric, [index[name] for name in one.only if name in index])

    def _check_metrics(
        self,
        one: ScoreColumns,
        metric: Codes,
        values: FloatArray,
        is_percent: BoolArray,
        is_good: BoolArray,
    ) -> FloatArray:
        """Make the metrics; mark as bad the rows whose score does not fit its metric.

        Returns
        -------
        FloatArray
            The values without those that stand for no score.
        """
        is_used = np.zeros(len(self.metric_names), np.bool_)
        for start in range(0, len(metric), PART):
            is_used[metric[start : start + PART][is_good[start : start + PART]]] = True
        numbers = np.flatnonzero(is_used).tolist()
        has_score = is_good & ~np.isnan(values).any(axis=1)
        for number in numbers:
            here = has_score if len(numbers) == 1 else has_score & (metric == number)
            self._check_metric(number, one, values, is_percent, is_good, here)
            name = self.metric_names[number]
            if values.shape[1] == 1 and name not in self._settings.mapping.metrics:
                found = marks_of_none(name, values[:, 0], here)
                if found.is_mark.any():
                    values = np.where(found.is_mark[:, None], np.nan, values)
                self.guesses += found.guesses
                self.warnings += found.warnings
        return values

    def _check_metric(
        self,
        number: int,
        one: ScoreColumns,
        values: FloatArray,
        is_percent: BoolArray,
        is_good: BoolArray,
        has_score: BoolArray,
    ) -> None:
        """Make a metric; mark as bad the rows that have a score of it that does not fit."""
        with_sign = bool((is_percent & has_score).any())
        metric = self._settings.metric_of(
            self.metric_names[number],
            one.aggregation,
            is_percent=with_sign,
            is_only=len(self.metric_names) == 1,
        )
        self._remember(number, metric, one, has_scores=bool(has_score.any()))
        if metric.aggregation not in ONE_SCORE:
            return
        scores = values[:, 0]
        if with_sign:
            for row in np.flatnonzero(has_score & ~is_percent).tolist():
                reason = f"{self._printed(row, one)} has no % sign while other scores have one."
                self._refuse(row, one, is_good, reason)
        lower, upper = self._settings.bounds_of(metric)
        is_outside = np.zeros(len(scores), np.bool_)
        if lower is not None:
            is_outside |= scores < lower
        if upper is not None:
            is_outside |= scores > upper
        for row in np.flatnonzero(is_outside & has_score & is_good).tolist():
            value, printed = float(scores[row]), self._printed(row, one)
            self._refuse(row, one, is_good, outside_reason(value, printed, lower, upper))

    def _remember(
        self, number: int, metric: BundleMetric, one: ScoreColumns, *, has_scores: bool
    ) -> None:
        earlier = self.metrics.get(number)
        if earlier is None or not has_scores:
            self.metrics.setdefault(number, metric)
            return
        if earlier.aggregation != metric.aggregation:
            reason = f"stands both as scores and as parts ({', '.join(one.columns)})"
        elif earlier.unit != metric.unit:
            reason = f"has % signs in some columns but not in others, such as {one.columns[0]}"
        else:
            return
        raise ImportFormatError(
            f"the metric '{metric.name}' {reason}. Write it in one way, or give two names.",
            path=self._table.shown,
            field=metric.name,
        )

    def _printed(self, row: int, one: ScoreColumns) -> str:
        return as_text(role_cells(self._table, one.columns[0])[self._keys.row(row)])

    def _refuse(self, row: int, one: ScoreColumns, is_good: BoolArray, reason: str) -> None:
        is_good[row] = False
        line = self._table.lines[self._keys.row(row)]
        self._problems.report(self._table.shown, line, one.columns[0], reason)

    def _report_twice(self, rows: IntArray, one: ScoreColumns) -> None:
        """Report the rows of a vector, in order, whose item one before them has."""
        keys, lines = self._keys, self._table.lines
        _, first = np.unique(keys.item[rows], return_index=True)
        line_of = {int(keys.item[i]): lines[keys.row(i)] for i in rows[first].tolist()}
        for i in np.delete(rows, first).tolist():
            self._problems.report(
                self._table.shown,
                lines[keys.row(i)],
                one.columns[0],
                "system, dataset, item, metric, run and trial are those of line "
                f"{line_of[int(keys.item[i])]}.{keys.advice}",
            )

    def _leave_empty(self) -> None:
        """Leave out metrics that no system has a score of on a dataset; else tell who has none."""
        if not {"status", "trial"}.isdisjoint(self._plan.roles):
            return
        empty: dict[RunKey, list[int]] = {}
        has_any: set[tuple[int, int]] = set()
        for key, content in self.runs.items():
            for one in content.scores:
                if np.isnan(one.values).all():
                    empty.setdefault(key, []).append(one.metric)
                else:
                    has_any.add((key[1], one.metric))
        for key, metrics in empty.items():
            system, dataset, _ = key
            for metric in metrics:
                told = (
                    f"'{self.systems[system]}' has no score for '{self.metric_names[metric]}' on "
                    f"'{dataset_identity(self._keys.datasets[dataset])[0]}'"
                )
                if (dataset, metric) in has_any:
                    self.warnings.append(f"{told}.")
                    continue
                self.warnings.append(f"{told}: nothing is stored for it.")
                content = self.runs[key]
                content.scores = [one for one in content.scores if one.metric != metric]
                if not content.scores:
                    del self.runs[key]

    def _by_run(self) -> Iterator[tuple[RunContent, int, int, IntArray]]:
        """Yield run, number of items, trial and rows where each row belongs to one system."""
        keys = self._keys
        if keys.system is None:
            return
        parts = [keys.system, keys.dataset, keys.run, keys.trial]
        for (s, d, r, trial), rows in _groups(parts):
            if (s, d, r) in self.runs:
                yield self.runs[s, d, r], len(keys.items[d]), trial, rows

    def _add_statuses(self) -> None:
        column = self._plan.roles["status"]
        codes = self._status_codes(column)
        keys = self._keys
        for content, n_items, trial, rows in self._by_run():
            statuses = np.full(n_items, _UNSET, np.uint8)
            stated = rows[codes[rows] != _UNSET][::-1]  # of two, the first one stays
            statuses[keys.item[stated]] = codes[stated]
            if (statuses[keys.item[stated]] != codes[stated]).any():
                self._report_changed(column, codes, stated[::-1])
            has_score = np.zeros(len(statuses), np.bool_)
            for scores in content.scores:
                if scores.trial == trial:
                    has_score |= np.isfinite(scores.values).all(axis=1)
            derived = np.where(has_score, Status.OK, Status.NOT_ATTEMPTED).astype(np.uint8)
            content.statuses[trial] = np.where(statuses == _UNSET, derived, statuses)

    def _report_changed(self, column: str, codes: StatusArray, rows: IntArray) -> None:
        """Report the rows, in order, that state another status than one before them."""
        keys, lines = self._keys, self._table.lines
        known: dict[int, tuple[int, int]] = {}
        for row in rows.tolist():
            line = lines[keys.row(row)]
            code, where = known.setdefault(int(keys.item[row]), (int(codes[row]), line))
            if code != codes[row]:
                reason = f"the status of one item changes: line {where} states another."
                self._problems.report(self._table.shown, line, column, reason)

    def _status_codes(self, column: str) -> StatusArray:
        """Return the status of each usable row; a word that is none is reported."""
        cells = role_cells(self._table, column)
        coded = cells if isinstance(cells, Coded) else Coded(cells, np.arange(len(cells)))
        codes = np.full(len(coded.values), _UNSET, np.uint8)
        wrong: dict[int, str] = {}
        for number, cell in enumerate(coded.values):
            try:
                status = parse_status(as_text(cell))
            except CellError as error:
                wrong[number] = f"{error}."
                continue
            codes[number] = _UNSET if status is None else status
        for row in np.flatnonzero(np.isin(coded.codes, list(wrong))).tolist() if wrong else ():
            if self._keys.usable is None or row in self._keys.usable:
                line = self._table.lines[row]
                self._problems.report(self._table.shown, line, column, wrong[int(coded.codes[row])])
        found: StatusArray = codes[self._keys.of(coded.codes)]
        return found

    def _add_outputs(self) -> None:
        cells = role_cells(self._table, self._plan.roles["output"])
        keys = self._keys
        for content, n_items, trial, rows in self._by_run():
            texts: list[str | None] = [None] * n_items
            for row in rows.tolist():
                cell = cells[keys.row(row)]
                if cell is not None:
                    texts[int(keys.item[row])] = cell if isinstance(cell, str) else str(cell)
            content.outputs[trial] = texts


def _are_in_order(begins: npt.NDArray[Any], groups: Codes, items: Codes) -> bool:
    """Return whether each row stands at its place: the vectors are the column, and take no more."""
    for start in range(0, len(items), PART):
        part = slice(start, start + PART)
        places = begins[groups[part]] + items[part]
        if not np.array_equal(places, np.arange(start, start + len(places))):
            return False
    return True


def _groups(parts: Sequence[Codes]) -> Iterator[tuple[tuple[int, ...], IntArray]]:
    """Yield each distinct combination of numbers and the rows where it stands, in order."""
    if not len(parts[0]):
        return
    found, groups = together(parts, [int(part.max()) + 1 for part in parts])
    order = np.argsort(groups, kind="stable")
    bounds = np.cumsum(np.bincount(groups, minlength=len(found[0])))
    for number, key in enumerate(zip(*(part.tolist() for part in found), strict=True)):
        yield key, order[bounds[number - 1] if number else 0 : bounds[number]]
