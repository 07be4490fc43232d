"""From the columns of a table to score vectors, statuses and outputs of runs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from store.errors import ImportFormatError
from store.importers.bundle import (
    ONE_SCORE,
    BundleMetric,
    BundleScores,
    FloatArray,
    RowProblems,
    Status,
    StatusArray,
)
from store.importers.cells import BoolArray, CellError, as_text, parse_status, read_numbers
from store.importers.columns import role_cells
from store.importers.generic_forms import Plan, ScoreColumns
from store.importers.generic_rows import RowKeys, dataset_identity
from store.importers.key_columns import IntArray
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

    def build(self) -> None:
        """Read every score column, then statuses and outputs."""
        for one in self._plan.scores:
            if one.metric is not None:
                self.metric_names.number(one.metric)
        for one in self._plan.scores:
            self._add_scores(one)
        if "status" in self._plan.roles:
            self._add_statuses()
        if "output" in self._plan.roles and self._settings.options.with_text:
            self._add_outputs()

    def _add_scores(self, one: ScoreColumns) -> None:
        keys = self._keys
        values, is_percent, is_good = self._read(one)
        metric = keys.metric
        if metric is None:
            metric = np.full(len(keys.rows), self.metric_names.number(one.metric or ""), np.int64)
        for number in np.unique(metric[is_good]).tolist():
            self._check_metric(number, one, values, is_percent, is_good, metric == number)
        system = keys.system
        if system is None:
            name = self._settings.canonical(one.system or "")
            system = np.full(len(keys.rows), self.systems.number(name), np.int64)
        parts = [system, keys.dataset, keys.run, keys.trial, metric]
        for (s, d, r, trial, number), rows in self._vectors(parts, is_good, one):
            vector = np.full((len(keys.items[d]), values.shape[1]), np.nan)
            vector[keys.item[rows]] = values[rows]
            if "status" not in self._plan.roles and np.isnan(vector).all():
                self._warn_empty(s, d, number)
                continue
            content = self.runs.setdefault((s, d, r), RunContent())
            content.scores.append(BundleScores(number, vector, trial))

    def _read(self, one: ScoreColumns) -> tuple[FloatArray, BoolArray, BoolArray]:
        """Return values (n_rows, n_components), percent signs and which rows are readable."""
        keys, table = self._keys, self._table
        is_good = np.zeros(len(table), np.bool_)
        is_good[keys.rows[self._is_meant(one)]] = True
        columns, percent = [], np.zeros(len(table), np.bool_)
        for column in one.columns:
            read = read_numbers(role_cells(table, column))
            columns.append(read.values)
            percent |= read.is_percent
            for row, reason in read.problems:
                if is_good[row]:
                    self._problems.report(table.shown, table.lines[row], column, f"{reason}.")
                is_good[row] = False
        values = np.column_stack(columns)
        if values.shape[1] > 1:
            partly = np.isnan(values).any(axis=1) & ~np.isnan(values).all(axis=1)
            for row in np.flatnonzero(partly & is_good).tolist():
                is_good[row] = False
                absent = one.columns[int(np.flatnonzero(np.isnan(values[row]))[0])]
                reason = f"is empty although the other parts ({', '.join(one.columns)}) are given."
                self._problems.report(table.shown, table.lines[row], absent, reason)
        return values[keys.rows], percent[keys.rows], is_good[keys.rows]

    def _is_meant(self, one: ScoreColumns) -> BoolArray:
        """Return the usable rows whose metric stands in these columns."""
        metric = self._keys.metric
        if one.only is None or metric is None:
            return np.ones(len(self._keys.rows), np.bool_)
        index = self._keys.metrics.index
        return np.isin(metric, [index[name] for name in one.only if name in index])

    def _check_metric(
        self,
        number: int,
        one: ScoreColumns,
        values: FloatArray,
        is_percent: BoolArray,
        is_good: BoolArray,
        here: BoolArray,
    ) -> None:
        """Make the metric; mark as bad the rows whose score does not fit it."""
        has_score = here & is_good & ~np.isnan(values).any(axis=1)
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
        for row in np.flatnonzero(is_outside & here & is_good).tolist():
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
        return as_text(role_cells(self._table, one.columns[0])[int(self._keys.rows[row])])

    def _refuse(self, row: int, one: ScoreColumns, is_good: BoolArray, reason: str) -> None:
        is_good[row] = False
        line = self._table.lines[int(self._keys.rows[row])]
        self._problems.report(self._table.shown, line, one.columns[0], reason)

    def _vectors(
        self, parts: Sequence[IntArray], is_good: BoolArray, one: ScoreColumns
    ) -> Iterator[tuple[tuple[int, ...], IntArray]]:
        """Yield what each vector belongs to and its rows; report cells that stand twice."""
        keys = self._keys
        good = np.flatnonzero(is_good)
        for key, members in _groups([part[good] for part in parts]):
            rows = good[members]
            _, first = np.unique(keys.item[rows], return_index=True)
            if len(first) < len(rows):
                self._report_twice(rows, first, one)
                rows = rows[first]
            yield key, rows

    def _report_twice(self, rows: IntArray, first: IntArray, one: ScoreColumns) -> None:
        keys, lines = self._keys, self._table.lines
        line_of = {int(keys.item[i]): lines[int(keys.rows[i])] for i in rows[first].tolist()}
        hint = ""
        for role in ("run", "trial"):
            if role not in self._plan.roles:
                hint = f" For repeats name the column that counts them: --column {role}=NAME."
        for i in np.delete(rows, first).tolist():
            self._problems.report(
                self._table.shown,
                lines[int(keys.rows[i])],
                one.columns[0],
                "system, dataset, item, metric, run and trial are those of line "
                f"{line_of[int(keys.item[i])]}.{hint}",
            )

    def _warn_empty(self, system: int, dataset: int, metric: int) -> None:
        self.warnings.append(
            f"'{self.systems[system]}' has no score for '{self.metric_names[metric]}' on "
            f"'{dataset_identity(self._keys.datasets[dataset])[0]}': nothing is stored for it."
        )

    def _by_run(self) -> Iterator[tuple[RunContent, int, int, IntArray]]:
        """Yield run, number of items, trial and rows where each row belongs to one system."""
        keys = self._keys
        if keys.system is None:
            return
        for (s, d, r, trial), rows in _groups([keys.system, keys.dataset, keys.run, keys.trial]):
            if (s, d, r) in self.runs:
                yield self.runs[s, d, r], len(keys.items[d]), trial, rows

    def _add_statuses(self) -> None:
        column = self._plan.roles["status"]
        codes = self._status_codes(column)
        keys, lines = self._keys, self._table.lines
        for content, n_items, trial, rows in self._by_run():
            statuses = np.full(n_items, _UNSET, np.uint8)
            where: dict[int, int] = {}
            for row in rows[codes[rows] != _UNSET].tolist():
                item, code = int(keys.item[row]), codes[row]
                line = lines[int(keys.rows[row])]
                if statuses[item] not in (_UNSET, code):
                    reason = f"the status of one item changes: line {where[item]} states another."
                    self._problems.report(self._table.shown, line, column, reason)
                    continue
                statuses[item], where[item] = code, line
            has_score = np.zeros(len(statuses), np.bool_)
            for scores in content.scores:
                if scores.trial == trial:
                    has_score |= np.isfinite(scores.values).all(axis=1)
            derived = np.where(has_score, Status.OK, Status.NOT_ATTEMPTED).astype(np.uint8)
            content.statuses[trial] = np.where(statuses == _UNSET, derived, statuses)

    def _status_codes(self, column: str) -> StatusArray:
        cells = role_cells(self._table, column)
        codes = np.full(len(self._keys.rows), _UNSET, np.uint8)
        known: dict[str, np.uint8] = {}
        for i, row in enumerate(self._keys.rows.tolist()):
            try:
                text = as_text(cells[row])
                if text not in known:
                    status = parse_status(text)
                    known[text] = _UNSET if status is None else np.uint8(status)
                codes[i] = known[text]
            except CellError as error:
                line = self._table.lines[row]
                self._problems.report(self._table.shown, line, column, f"{error}.")
        return codes

    def _add_outputs(self) -> None:
        cells = role_cells(self._table, self._plan.roles["output"])
        keys = self._keys
        for content, n_items, trial, rows in self._by_run():
            texts: list[str | None] = [None] * n_items
            for row in rows.tolist():
                cell = cells[int(keys.rows[row])]
                if cell is not None:
                    texts[int(keys.item[row])] = cell if isinstance(cell, str) else str(cell)
            content.outputs[trial] = texts


def _groups(parts: Sequence[IntArray]) -> Iterator[tuple[tuple[int, ...], IntArray]]:
    """Yield each distinct combination of numbers and the indices where it stands."""
    code = parts[0]
    for part in parts[1:]:
        code = code * (int(part.max(initial=0)) + 1) + part
    _, first, group = np.unique(code, return_index=True, return_inverse=True)
    order = np.argsort(group, kind="stable")
    bounds = np.searchsorted(group[order], np.arange(len(first) + 1))
    for i, where in enumerate(first.tolist()):
        yield tuple(int(part[where]) for part in parts), order[bounds[i] : bounds[i + 1]]
