"""The table that lm-evaluation-harness prints, kept in a page: a line for each task and metric.

Cells that repeat the line above are empty; sums over several tasks have no number of shots, or
stand in a table of groups, and are not read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from store.importers.board_tables import BoardTable
from store.importers.bundle import BundleMetric, Guess, ImportBundle
from store.importers.cells import is_missing
from store.importers.columns import normal_name
from store.importers.figures import Figure, Figures
from store.importers.lm_eval_results import MetricKey

_TASKS = ("task", "tasks")
_GROUPS = ("group", "groups")
_ALSO = frozenset({"version", "metric", "value", "stderr"})
_MODEL = re.compile(r"\b(?:pretrained|model|model_name)=([^\s,()]+)")
_ARROWS = {"↑": True, "↓": False}
_NO_VERSIONS = frozenset({"yaml", "n/a", ""})


def is_printed(table: BoardTable) -> bool:
    """Return whether a table is one that the harness prints of tasks or of groups."""
    names = [normal_name(column) for column in table.columns]
    return names[0] in (*_TASKS, *_GROUPS) and set(names) >= _ALSO


def add_printed(
    tables: Sequence[BoardTable], figures: Figures, path: Path, text: str
) -> list[Guess]:
    """Add the figures of the tables of one page and return what was guessed.

    The system is the model in the line above a table, as the harness prints it, else the page.
    """
    lines = text.splitlines()
    groups = {_task(row[0].text) for t in tables if not _is_of_tasks(t) for row in t.rows}
    guesses: dict[str, Guess] = {}
    for table in filter(_is_of_tasks, tables):
        said = [one for line in lines[: table.line or 0] for one in _MODEL.findall(line)]
        system = figures.settings.system or (said[-1] if said else path.name.rpartition(".")[0])
        if not said and figures.settings.system is None:
            guesses[system] = Guess("system", system, "the name of the file")
        for figure in _figures(table, system, groups):
            own = figures.settings.dataset
            figures.add(replace(figure, dataset=own) if own else figure)
    return list(guesses.values())


def with_filters(bundle: ImportBundle) -> ImportBundle:
    """Return the bundle with the filters of answers as signatures of its metrics."""
    return replace(bundle, metrics=[_with_filter(metric) for metric in bundle.metrics])


def _with_filter(metric: BundleMetric) -> BundleMetric:
    name, mark, signature = metric.name.partition(" [filter:")
    signed = f"filter:{signature.removesuffix(']')}"
    return replace(metric, name=name, signature=signed) if mark else metric


def _is_of_tasks(table: BoardTable) -> bool:
    return normal_name(table.columns[0]) in _TASKS


def _figures(table: BoardTable, system: str, groups: set[str]) -> Iterator[Figure]:
    at = {normal_name(column): number for number, column in enumerate(table.columns)}
    task = version = shots = ""
    for row, line in zip(table.rows, table.lines, strict=True):
        cells = [cell.text for cell in row]
        if cells[0]:
            task, version = _task(cells[0]), cells[at["version"]]
            shots = cells[at["n_shot"]] if "n_shot" in at else "0"
        if not task or not shots or task in groups or version == "N/A":
            continue
        key = MetricKey(cells[at["metric"]], cells[at["filter"]] if "filter" in at else "none")
        value = cells[at["value"]]
        yield Figure(
            system,
            task,
            f"{key.name} [{key.signature}]" if key.signature else key.name,
            None if is_missing(value) else value,
            line=line,
            column="Value",
            version="" if version.lower() in _NO_VERSIONS else version,
            higher_is_better=next((_ARROWS[c] for c in cells if c in _ARROWS), None),
        )


def _task(cell: str) -> str:
    return cell.lstrip("- ").strip()
