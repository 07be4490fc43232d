"""Exports of Weights & Biases: the table of runs as CSV, and the summary of one run.

The table has the columns of the page, then the settings, then the figures; only a name tells a
figure from a setting. Scripts write another, with all figures of a run in a cell (`wandb_frame`).
The table of a chart has a column ``RUN - METRIC`` for each line, and what it says last is the
figure. The summary (``wandb-summary.json``) has figures, counters and histograms.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from store.errors import ImportFormatError, NoResultsError
from store.importers.bundle import Guess, ImportBundle, ReadOptions, RowProblems, SourceFile
from store.importers.cells import CellError, as_text, looks_numeric, parse_date
from store.importers.columns import normal_name, role_cells
from store.importers.figures import Figures
from store.importers.places import folder_name, own_name
from store.importers.settings import Settings, load_settings
from store.importers.tables import Table, peek_columns, read_table
from store.importers.textfile import (
    data_stem,
    data_suffix,
    peek_json,
    peek_text,
    read_json,
    read_text,
)
from store.importers.tracked import COUNTERS, TrackedRun, add_runs, is_metric, names_model
from store.importers.wandb_folder import SUMMARY, is_copy_of_latest, run_and_project
from store.importers.wandb_frame import is_frame, runs_of_frame
from store.importers.yaml_nodes import parse_yaml

NAME = "wandb"
DESCRIPTION = "Weights & Biases: the exported table of runs or of a chart, or the summary of a run"
_PAGE = ("State", "Notes", "User", "Tags", "Created", "Runtime", "Sweep")
"""Columns of the page of runs; ``Name`` stands before them."""
_NO_SETTINGS = ("ID", "Group", "Job Type", "GPU Count", "GPU Type", "Hostname", "End Time")
"""Columns that the page can show besides."""
_COUNTERS = ("_timestamp", "_runtime", "_step", "_wandb")
_LINE = re.compile(r"(.+) - (.+)")
_EXTREMES = ("__MIN", "__MAX")
_HF_MODEL = "_name_or_path"
"""Where the trainer of transformers keeps the model that it began with."""
_OWN_KEY = re.compile(r"^(_wandb|wandb_version):", re.MULTILINE)
_FINISHED = ("finished", "")
_MADE_UP = re.compile(r"[a-z]+-[a-z]+-\d+")
"""A name that W&B gave a run, as ``dainty-sky-7``."""
Reader = Callable[[Table, Settings], tuple[list[TrackedRun], list[str]]]


def sniff(path: Path, options: ReadOptions) -> bool:
    """Return whether a table has the columns of the page, or JSON the counters of a summary."""
    if data_suffix(path) == ".json":
        return _is_summary(path)
    if data_suffix(path) in (".yaml", ".yml"):
        return _is_config(path)
    columns = peek_columns(path) if data_suffix(path) == ".csv" else []
    if "Name" not in columns:
        return is_frame(columns) or _is_chart(columns)
    n_of_page = sum(name in columns for name in _PAGE)
    is_of_page = n_of_page > 2 or (n_of_page > 0 and any(name in columns for name in _COUNTERS))
    return is_of_page or is_frame(columns) or _is_chart(columns) or _is_bars(columns)


def _is_chart(columns: Sequence[str]) -> bool:
    return any(_LINE.fullmatch(one) and f"{one}__MIN" in columns for one in columns)


def _is_bars(columns: Sequence[str]) -> bool:
    """Return whether a table states what a chart of bars shows: a figure of each run."""
    return columns[0] == "Name" and any(f"{one}__MIN" in columns for one in columns)


def _project(settings: Settings) -> str:
    """Return what a table is called after: not the moment at which it was exported."""
    is_export = data_stem(settings.path.name).startswith("wandb_export")
    return folder_name(settings.path) if is_export else own_name(settings.path)


def _is_summary(path: Path) -> bool:
    try:
        content = peek_json(path)
    except ImportFormatError:
        return False
    is_called = path.name == SUMMARY
    n_counters = sum(name in content for name in _COUNTERS) if isinstance(content, dict) else 0
    return n_counters > 1 or (is_called and n_counters > 0)


def _is_config(path: Path) -> bool:
    """Return whether YAML is the settings of a run, which W&B keeps beside its summary."""
    try:
        start = peek_text(path)
    except ImportFormatError:
        return False
    return path.name.startswith("config") and _OWN_KEY.search(start) is not None


def read(paths: Sequence[Path], options: ReadOptions, shown: Mapping[Path, str]) -> ImportBundle:
    """Read the figures of finished runs.

    Raises
    ------
    NoResultsError
        No finished run has a figure.
    ImportFormatError
        The file is damaged.
    """
    path = paths[0]
    if data_suffix(path) in (".yaml", ".yml"):
        raise NoResultsError(f"the settings of a run, read with its {SUMMARY}.", path=shown[path])
    settings = load_settings(path, shown[path], options)
    problems = RowProblems(options.lenient)
    if data_suffix(path) == ".json":
        runs, files, told = _from_summaries(paths, settings, shown)
    else:
        table = read_table(path, settings.shown, problems)
        runs, told = _reader_of(table.columns)(table, settings)
        files = list(settings.files(table.sha256))
    figures = Figures(settings, problems)
    guesses = add_runs(runs, figures, "W&B")
    if not figures.figures:
        raise NoResultsError("no finished run has a figure.", path=settings.shown)
    names = dict.fromkeys(figure.metric for figure, _, _ in figures.figures)
    guesses.append(Guess("metrics", ", ".join(names), "their names; other columns are settings"))
    return figures.bundle(NAME, files, told, guesses)


def _reader_of(columns: Sequence[str]) -> Reader:
    if is_frame(columns):
        return runs_of_frame
    return _from_chart if _is_chart(columns) else _from_table


def _from_table(table: Table, settings: Settings) -> tuple[list[TrackedRun], list[str]]:
    cells = {column: role_cells(table, column) for column in table.columns}
    others = [
        column
        for column in table.columns
        if column not in ("Name", *_PAGE, *_NO_SETTINGS) and not column.endswith(_EXTREMES)
    ]
    are_made_up = all(_MADE_UP.fullmatch(as_text(name)) for name in cells["Name"])
    measured = [
        column
        for column in [*others, *(["Runtime"] if "Runtime" in table.columns else [])]
        if is_metric(column) and looks_numeric([c for c in cells[column] if as_text(c)])
    ]
    kept = [column for column in others if column not in measured and not column.startswith("_")]
    counted = [column for column in kept if normal_name(column) in COUNTERS]
    runs, n_unfinished = [], 0
    for row, line in enumerate(table.lines):
        state = as_text(cells["State"][row]) if "State" in cells else ""
        if state.lower() not in _FINISHED:
            n_unfinished += 1
            continue
        stated = {column: as_text(cells[column][row]) for column in kept if column not in counted}
        name, created = as_text(cells["Name"][row]), _cell(cells, "Created", row)
        seed = stated.get("seed") or stated.get("random_seed") or ""
        runs.append(
            TrackedRun(
                name,
                ", ".join(part for part in (f"seed {seed}" if seed else "", created) if part),
                stated.get("wandb_project") or _project(settings),
                stated,
                {column: cells[column][row] for column in measured},
                _date(created),
                line,
                is_system=not (are_made_up and names_model(stated)),
            )
        )
    told = [f"{len(runs)} finished runs of {len({run.name for run in runs})} names."]
    if n_unfinished:
        told.append(f"{n_unfinished} runs did not finish and were left out.")
    return runs, told


def _from_chart(table: Table, settings: Settings) -> tuple[list[TrackedRun], list[str]]:
    figures: dict[str, dict[str, str]] = {}
    for column in table.columns:
        found = _LINE.fullmatch(column)
        values = [one for cell in role_cells(table, column) if (one := as_text(cell))]
        if found and values and not column.endswith(_EXTREMES):
            name = found[1].removeprefix("Group: ")
            figures.setdefault(name, {})[found[2]] = values[-1]
    runs = [
        TrackedRun(name, "", _project(settings), {}, of_run, is_system=True)
        for name, of_run in figures.items()
    ]
    return runs, [f"The chart of {len(runs)} runs; what it says last of each is its figure."]


def _from_summaries(
    paths: Sequence[Path], settings: Settings, shown: Mapping[Path, str]
) -> tuple[list[TrackedRun], list[SourceFile], list[str]]:
    """Return the runs of a project, each with what its summary says; a copy counts once."""
    runs, files, n_entries = [], [], 0
    copies = {path for path in paths if len(paths) > 1 and is_copy_of_latest(path)}
    for path in paths:
        content, sha256 = read_json(path, shown[path])
        files.append(SourceFile(shown[path], sha256))
        if path not in copies:
            n_entries += len(content)
            runs.append(_run_of(path, content, shown[path]))
    n_figures = sum(len(run.figures) for run in runs)
    told = [f"{n_figures} figures of {n_entries} entries; counters and histograms are none."]
    told += [f"{shown[path]} is the latest of the other runs." for path in sorted(copies)]
    return runs, [*files, *settings.files("")[1:]], told


def _run_of(path: Path, content: Mapping[str, Any], shown: str) -> TrackedRun:
    figures = {
        name: value
        for name, value in content.items()
        if isinstance(value, (int, float)) and not isinstance(value, bool) and is_metric(name)
    }
    stamp = content.get("_timestamp")
    name, project = run_and_project(path)
    stated = settings_beside(path)
    return TrackedRun(
        name,
        "",
        stated.get("wandb_project", project),
        stated,
        figures,
        _date(str(stamp)) if isinstance(stamp, str) else _moment(stamp),
        shown=shown,
        is_system=not stated,
    )


def settings_beside(summary: Path) -> dict[str, str]:
    """Return the settings that ``config.yaml`` beside a summary states, if it is there."""
    path = summary.with_name("config.yaml")
    if not path.is_file():
        return {}
    node = parse_yaml(read_text(path, path.name)[0], path.name)
    content = node.plain() if node is not None and node.is_mapping else {}
    stated = {
        str(key): value["value"] if isinstance(value, dict) and "value" in value else value
        for key, value in content.items()
    }
    if stated.get(_HF_MODEL):
        stated.setdefault("model_name_or_path", stated[_HF_MODEL])
    return {
        key: str(value)
        for key, value in stated.items()
        if isinstance(value, (str, int, float)) and not key.startswith("_")
    }


def _cell(cells: Mapping[str, Sequence[object]], column: str, row: int) -> str:
    return as_text(cells[column][row]) if column in cells else ""


def _date(text: str) -> datetime | None:
    try:
        return parse_date(text)[0]
    except CellError:
        return None


def _moment(seconds: object) -> datetime | None:
    if isinstance(seconds, bool) or not isinstance(seconds, (int, float)):
        return None
    return datetime.fromtimestamp(seconds, UTC) if 0 < seconds < 1e11 else None
