"""Tables of runs without items: a line for each training or evaluation, figures beside settings.

Three kinds are known: MLflow's export (``run_id``, ``metrics.…``, ``params.…``); a table with the
name of the run, settings and well-known metrics; and repeats of one system (``Run 0``, ``Run 1``,
folds), whose columns are metrics or datasets.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from pathlib import Path

import numpy as np

from store.errors import ImportFormatError, NoResultsError
from store.importers.bundle import Guess, ImportBundle, ReadOptions, RowProblems
from store.importers.cells import (
    CellError,
    as_text,
    is_missing,
    looks_numeric,
    parse_date,
    read_numbers,
)
from store.importers.columns import normal_name, role_cells
from store.importers.figures import Figure, Figures
from store.importers.file_names import specific_name
from store.importers.item_columns import names_subjects
from store.importers.known_metrics import is_qualifier, lookup
from store.importers.metric_registry import words_of
from store.importers.naming_columns import names_systems_unsaid
from store.importers.no_metrics import no_metric_by_name
from store.importers.places import folder_name, own_name
from store.importers.reported_plan import reported_roles
from store.importers.settings import Settings, load_settings
from store.importers.tables import TABLE_SUFFIXES, Table, peek_columns, read_table
from store.importers.textfile import data_suffix
from store.importers.tracked import COUNTERS, TrackedRun, add_runs, is_metric

NAME = "runs"
DESCRIPTION = "table of runs without items: settings and figures of each, or repeats of one system"
_NUMBERED = (
    "seed", "random_seed", "fold", "cv_fold", "fold_id", "trial", "repeat", "repetition",
)  # fmt: skip
"""Columns that number repeats, of one system unless another column names several."""
_RUNS = ("run_name", "run", "run_id", "experiment", "experiment_name", *_NUMBERED)
_REPEAT = re.compile(r"(?:run|seed|trial|repeat|restart|fold)?[\s_#-]*\d+", re.IGNORECASE)
_A_SETTING = "a setting"
_FEWEST_METRICS = 2
"""Columns that are nothing but a metric, from which a table of repeats is one of metrics."""
_SUMMARIES = words_of(
    """mean average avg median min max minimum maximum std stdev sd total sum variance range best
    worst standard deviation error stderr"""
)


def sniff(path: Path, options: ReadOptions) -> bool:
    """Return whether the first columns name runs, and none names items, systems or datasets."""
    if data_suffix(path) not in TABLE_SUFFIXES or options.columns or options.layout:
        return False
    columns = peek_columns(path)
    if not columns or _run_column(columns) is None:
        return False
    if any(column.startswith("metrics.") for column in columns):
        return True
    try:
        roles = reported_roles(columns, {}, path.name)
    except ImportFormatError:
        return False
    if roles.get("system") == columns[0] and _is_index(columns[0]):
        del roles["system"]
    if {"item", "system", "score"} & roles.keys():
        return False
    if not any(is_metric(column) for column in columns) or names_subjects(path, roles):
        return False
    return normal_name(_run_column(columns) or "") not in _NUMBERED or not names_systems_unsaid(
        path
    )


def _run_column(columns: Sequence[str]) -> str | None:
    by_name = {normal_name(column): column for column in reversed(columns)}
    has_index = len(columns) > 1 and _is_index(columns[0])
    wanted = (*_RUNS, "name") if has_index else _RUNS
    return next((by_name[name] for name in wanted if name in by_name), None)


def _is_index(column: str) -> bool:
    """Return whether a column is headed as the index of a data frame is."""
    return normal_name(column) in ("", "column_1", "unnamed_0")


def read(paths: Sequence[Path], options: ReadOptions, shown: Mapping[Path, str]) -> ImportBundle:
    """Read the figures of all runs.

    Raises
    ------
    NoResultsError
        No run has a figure.
    ImportFormatError
        The file is damaged.
    """
    (path,) = paths
    settings = load_settings(path, shown[path], options)
    problems = RowProblems(options.lenient)
    table = read_table(path, settings.shown, problems)
    column = _run_column(table.columns)
    assert column is not None
    labels = [as_text(cell) for cell in role_cells(table, column)]
    rows = [n for n, label in enumerate(labels) if label and not _is_summary(label)]
    n_summaries = sum(bool(label) for label in labels) - len(rows)
    figures = Figures(settings, problems)
    if rows and all(_REPEAT.fullmatch(labels[row]) for row in rows):
        variants = _variants(table, column, rows)
        guesses = _add_repeats(table, column, rows, figures, variants)
        subjects = {guess.subject for guess in guesses}
        what = "metric" if "metrics" in subjects else "dataset"
        told = [f"{len(rows)} runs of one system; each column of figures is a {what}."]
    else:
        runs = _tracked(table, column, rows, settings)
        guesses = add_runs(runs, figures, "")
        names = dict.fromkeys(figure.metric for figure, _, _ in figures.figures)
        guesses.append(
            Guess("metrics", ", ".join(names), "their names; other columns are settings")
        )
        told = [f"{len(runs)} runs; well-known metrics are read, other columns are settings."]
    if not figures.figures:
        raise NoResultsError("no run has a figure of a known metric.", path=settings.shown)
    if n_summaries:
        told.append(f"{n_summaries} lines sum up the others (mean, minimum, …) and were left out.")
    return figures.bundle(NAME, settings.files(table.sha256), told, guesses)


def _variants(table: Table, column: str, rows: Sequence[int]) -> dict[int, str]:
    """Return what tells rows of one repeat apart, such as ``" (lr=0.1)"``: parts of the system.

    Raises
    ------
    ImportFormatError
        Neither settings nor words tell them apart.
    """
    labels = [as_text(cell) for cell in role_cells(table, column)]
    told: dict[int, tuple[str, ...]] = {row: (labels[row],) for row in rows}
    chosen: list[str] = []
    for name in sorted(table.columns, key=lambda one: no_metric_by_name(one) != _A_SETTING):
        if len(set(told.values())) == len(rows):
            break
        cells = role_cells(table, name)
        is_setting = no_metric_by_name(name) == _A_SETTING
        if name == column or not (is_setting or not looks_numeric(cells)):
            continue
        wider = {row: (*told[row], as_text(cells[row])) for row in rows}
        if len(set(wider.values())) > len(set(told.values())):
            told = wider
            chosen.append(name)
    if len(set(told.values())) < len(rows):
        raise ImportFormatError(
            f"several lines state figures of '{labels[rows[0]]}', and no column of settings or "
            "words tells them apart. Name what does: --column system=NAME, or "
            "--column item=NAME where lines are items.",
            path=table.shown,
            field=column,
        )
    if not chosen:
        return {}
    return {
        row: f" ({', '.join(f'{n}={v}' for n, v in zip(chosen, found[1:], strict=True))})"
        for row, found in told.items()
    }


def _is_summary(label: str) -> bool:
    return set(normal_name(label).split("_")) <= _SUMMARIES


def _add_repeats(
    table: Table,
    column: str,
    rows: Sequence[int],
    figures: Figures,
    variants: Mapping[int, str],
) -> list[Guess]:
    """Add repeats of one system: columns of one scale, one of them headed by the metric.

    `variants` says of rows what settings of the system they are of.
    """
    settings, own = figures.settings, own_name(figures.settings.path)
    numeric = {
        name: values
        for name in table.columns
        if name != column and no_metric_by_name(name) is None
        if np.isfinite(values := _numbers(table, name, rows)).any()
    }
    known = {name: found for name in numeric if (found := lookup(name)) is not None}
    if not known:
        return []
    alone = {name: values for name, values in numeric.items() if _is_metric_alone(name)}
    if not settings.metric and (len(alone) == len(numeric) or len(alone) >= _FEWEST_METRICS):
        return _add_metrics(table, column, rows, figures, alone, variants)
    metric = settings.metric or next(iter(known.values())).name
    highest = max(float(np.nanmax(values)) for values in numeric.values())
    is_one_scale = all((np.nanmax(v) > 1) == (highest > 1) for v in numeric.values())
    for name, values in numeric.items():
        one = known.get(name)
        if one is None and not is_one_scale:
            continue
        of_column = one.name if one is not None and not settings.metric else metric
        for row, value in zip(rows, values.tolist(), strict=True):
            figures.add(
                Figure(
                    (settings.system or own) + variants.get(row, ""),
                    f"{settings.dataset or own}/{_about(name)}",
                    of_column,
                    None if np.isnan(value) else value,
                    line=table.lines[row],
                    column=name,
                    source=f"{settings.path.name}, {as_text(role_cells(table, column)[row])}",
                )
            )
    return [
        Guess("system", settings.system or own, "the name of the file; its lines are runs of one"),
        Guess("datasets", "the columns", "all hold figures of one scale"),
        Guess("metric", metric, f"the column '{next(iter(known))}'"),
    ]


def _is_metric_alone(header: str) -> bool:
    """Return whether a header is the name of a known metric, and names no dataset beside it."""
    about = normal_name(_about(header)).split("_")
    is_plain = len(header.split()) == 1 or all(map(is_qualifier, about))
    return lookup(header) is not None and is_plain


def _add_metrics(
    table: Table,
    column: str,
    rows: Sequence[int],
    figures: Figures,
    numeric: Mapping[str, np.ndarray],
    variants: Mapping[int, str],
) -> list[Guess]:
    """Add repeats of one system on one dataset: each column is a metric."""
    settings, folder = figures.settings, folder_name(figures.settings.path)
    own = specific_name(own_name(settings.path)) or folder
    dataset = settings.dataset or folder
    labels = role_cells(table, column)
    for name, values in numeric.items():
        for row, value in zip(rows, values.tolist(), strict=True):
            label = as_text(labels[row])
            repeat = f"{column} {label}" if label.isdecimal() else label
            figures.add(
                Figure(
                    (settings.system or own) + variants.get(row, ""),
                    dataset,
                    name,
                    None if np.isnan(value) else value,
                    line=table.lines[row],
                    column=name,
                    source=f"{settings.path.name}, {repeat}",
                )
            )
    return [
        Guess("system", settings.system or own, "the name of the file; its lines are runs of one"),
        Guess("dataset", dataset, "the name of the folder"),
        Guess("metrics", ", ".join(numeric), "the names of the columns"),
    ]


def _about(header: str) -> str:
    """Return a column's name without the metric in it: ``"MNLI dev acc."`` -> ``"MNLI dev"``."""
    words = header.split()
    while len(words) > 1 and lookup(words[-1]) is not None:
        words.pop()
    return " ".join(words)


def _numbers(table: Table, column: str, rows: Sequence[int]) -> np.ndarray:
    cells = role_cells(table, column)
    found = read_numbers([cells[row] for row in rows])
    return np.full(len(rows), np.nan) if found.problems else found.values


def _has_a_spread(name: str, columns: Collection[str]) -> bool:
    """Return whether a column is a mean: its deviation stands beside it."""
    base = name.removesuffix("_mean").removesuffix("_avg")
    return any(f"{base}_{end}" in columns for end in ("std", "stderr", "sem", "stddev"))


def _tracked(
    table: Table, column: str, rows: Sequence[int], settings: Settings
) -> list[TrackedRun]:
    cells = {name: role_cells(table, name) for name in table.columns}
    is_mlflow = any(name.startswith("metrics.") for name in table.columns)
    if is_mlflow:
        measured = {name: name.removeprefix("metrics.") for name in cells if name[:8] == "metrics."}
        stated = {name: name.removeprefix("params.") for name in cells if name[:7] == "params."}
    else:
        measured = {
            name: name
            for name in cells
            if name != column and (is_metric(name) or _has_a_spread(name, cells))
        }
        stated = {
            name: name
            for name in cells
            if name not in measured and name != column and normal_name(name) not in COUNTERS
        }
    runs = []
    for row in rows:
        state = as_text(cells["status"][row]) if "status" in cells else ""
        if is_mlflow and state not in ("", "FINISHED"):
            continue
        facts = {short: as_text(cells[name][row]) for name, short in stated.items()}
        names = (*(["tags.mlflow.runName"] if is_mlflow else []), column)
        name = next((as_text(cells[n][row]) for n in names if n in cells and cells[n][row]), "")
        seed = facts.get("seed", "")
        project = as_text(cells["experiment_id"][row]) if "experiment_id" in cells else ""
        runs.append(
            TrackedRun(
                name,
                f"seed {seed}" if seed else f"line {table.lines[row]}",
                facts.get("wandb_project") or project or own_name(settings.path),
                facts,
                {short: _filled(cells[name][row]) for name, short in measured.items()},
                _date(as_text(cells["end_time"][row])) if "end_time" in cells else None,
                table.lines[row],
                is_system=not is_mlflow,
            )
        )
    return runs


def _filled(cell: object) -> object:
    return None if is_missing(cell) else cell


def _date(text: str) -> datetime | None:
    try:
        return parse_date(text)[0] if text else None
    except CellError:
        return None
