"""What a table of judgments holds beside them: scores of automatic metrics, and outputs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Sized
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from store.errors import ImportFormatError
from store.importers.bundle import BundleMetric, BundleRun, BundleScores, RowProblems
from store.importers.cells import as_text, read_numbers
from store.importers.columns import role_cells
from store.importers.judgments.forms import Layout
from store.importers.judgments.rows import NOT_PLAIN, Row, is_plain, short_paths
from store.importers.settings import Settings
from store.importers.tables import Table


@dataclass(slots=True)
class Beside:
    """The runs of the systems that were judged."""

    metrics: list[BundleMetric] = field(default_factory=list)
    runs: list[BundleRun] = field(default_factory=list)
    understood: list[str] = field(default_factory=list)


def read_beside(
    rows: Sequence[Row],
    items: Sequence[Sized],
    taken: AbstractSet[str],
    layout: Layout,
    settings: Settings,
    problems: RowProblems,
) -> Beside:
    """Return a run for each system with the scores and outputs that stand beside its judgments.

    Parameters
    ----------
    rows
        What the lines of the table belong to.
    items
        The items of each dataset.
    taken
        Names of the criteria: a metric of such a name keeps the whole name of its column.

    Raises
    ------
    ImportFormatError
        Scores stand in a table that names no system.
    """
    places = [(row.system or "", row.dataset) for row in rows]
    if layout.metrics and not all(system for system, _ in places):
        raise ImportFormatError(
            "scores of metrics belong to systems, and no column names one. Give --system NAME (or "
            "--column system=NAME).",
            path=layout.table.shown,
            field="metrics",
        )
    result = Beside(_metrics(layout, taken, settings))
    if result.metrics:
        named = ", ".join(metric.name for metric in result.metrics)
        result.understood.append(f"Scores of metrics: {named}.")
    n_items = [len(names) for names in items]
    runs = list(dict.fromkeys(places))
    scores: dict[tuple[str, int], list[BundleScores]] = {run: [] for run in runs}
    for number, column in enumerate(layout.metrics):
        cells = _numbers(layout.table, column, problems)
        found = _by_place(rows, cells, layout.table, column, problems)
        for run in runs:
            values = np.full((n_items[run[1]], 1), np.nan)
            for item, value in found.get(run, {}).items():
                values[item, 0] = value
            if not np.isnan(values).all():
                scores[run].append(BundleScores(number, values))
    texts = _outputs(rows, layout, problems) if settings.options.with_text else {}
    for run in runs:
        outputs = [texts.get(run, {}).get(item) for item in range(n_items[run[1]])]
        has_output = any(text is not None for text in outputs)
        if run[0] and (scores[run] or has_output):
            label = settings.run_label or ""
            shown = {0: outputs} if has_output else {}
            result.runs.append(BundleRun(*run, label, scores[run], outputs=shown))
    return result


def _outputs(
    rows: Sequence[Row], layout: Layout, problems: RowProblems
) -> Mapping[tuple[str, int], Mapping[int, Any]]:
    if "output" not in layout.roles:
        return {}
    column = layout.roles["output"]
    cells = list(role_cells(layout.table, column))
    for i, cell in enumerate(cells):
        if not is_plain(cell):
            problems.report(layout.table.shown, layout.table.lines[i], column, f"{NOT_PLAIN}.")
            cells[i] = None
    cells = [as_text(cell) or None for cell in cells]
    return _by_place(rows, cells, layout.table, column, problems)


def _metrics(layout: Layout, taken: AbstractSet[str], settings: Settings) -> list[BundleMetric]:
    names = [" ".join(path) for path in short_paths(layout.metrics).values()]
    if not taken.isdisjoint(names):
        names = [column.replace(".", " ") for column in layout.metrics]
    is_only = len(names) == 1
    return [settings.metric_of(name, "mean", is_percent=False, is_only=is_only) for name in names]


def _numbers(table: Table, column: str, problems: RowProblems) -> list[float | None]:
    read = read_numbers(table.cells[column])
    for row, reason in read.problems:
        problems.report(table.shown, table.lines[row], column, f"{reason}.")
    return [None if np.isnan(value) else value for value in read.values.tolist()]


def _by_place(
    rows: Sequence[Row],
    cells: Sequence[Any],
    table: Table,
    column: str,
    problems: RowProblems,
) -> dict[tuple[str, int], dict[int, Any]]:
    """Return system and dataset -> item -> cell; report lines that contradict an earlier one."""
    found: dict[tuple[str, int], dict[int, tuple[Any, int]]] = {}
    for row in rows:
        cell = cells[row.number]
        if cell is None:
            continue
        run = found.setdefault((row.system or "", row.dataset), {})
        earlier, line = run.setdefault(row.item, (cell, row.line))
        if earlier != cell:
            reason = f"other than in line {line}, for the same output."
            problems.report(table.shown, row.line, column, reason)
    return {run: {item: cell for item, (cell, _) in items.items()} for run, items in found.items()}
