"""Tables of a search for settings: each row is one choice of them, with the figures that it gave.

scikit-learn writes ``cv_results_`` (``param_C``, ``split0_test_score``), Optuna a table of trials
(``params_lr``, ``value``). Nobody names the systems: they are the file's name with the settings.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from store.errors import ImportFormatError, NoResultsError
from store.importers.bundle import Guess, ImportBundle, ReadOptions, RowProblems
from store.importers.cells import as_text, is_missing, looks_numeric
from store.importers.columns import normal_name
from store.importers.figures import Figure, Figures
from store.importers.file_names import specific_name
from store.importers.known_metrics import is_quality, lookup
from store.importers.metric_registry import words_of
from store.importers.no_metrics import no_metric_by_name
from store.importers.places import folder_name, own_name
from store.importers.reported_plan import reported_roles
from store.importers.settings import load_settings
from store.importers.tables import TABLE_SUFFIXES, Table, peek_columns, read_table
from store.importers.textfile import data_suffix
from store.importers.unread_results import kind_of_log

NAME = "search"
DESCRIPTION = "table of a search: a row for each choice of settings (scikit-learn, Optuna, sweeps)"
_SETTING = re.compile(r"params?_.+|hp_.+|hparams?_.+|[a-z0-9]+__[a-z0-9_]+", re.IGNORECASE)
_CALLED = words_of(
    """c gamma kernel n_estimators max_depth min_samples_leaf min_samples_split lora_r lora_alpha
    lora_dropout lr learning_rate batch_size dropout weight_decay hidden_size num_layers n_layers
    optimizer optimiser scheduler warmup_steps warmup_ratio max_length n_neighbors l1_ratio"""
)
_OF_LORA = words_of("rank alpha r")
"""Settings where two of them stand together."""
_OF_SPLIT = re.compile(r"split(\d+)_test_(.+)")
_REPEATS = ("seed", "fold", "trial", "repeat", "repetition", "run")
_DONE = ("", "COMPLETE")
_MOST_ROWS = 5_000


class _Columns(NamedTuple):
    settings: Sequence[str]
    """Those that vary."""
    repeats: Sequence[str]
    metrics: Mapping[str, tuple[str, str]]
    """Column -> metric, and the split that it is of."""


def sniff(path: Path, options: ReadOptions) -> bool:
    """Return whether rows are choices of settings, and nothing names systems, datasets or items."""
    if data_suffix(path) not in TABLE_SUFFIXES or options.columns or options.layout:
        return False
    columns = peek_columns(path)
    if kind_of_log(columns) is not None:
        return False
    if not any(map(_is_setting, columns)) and not _is_lora(columns):
        return False
    try:
        roles = reported_roles(columns, {}, path.name)
        if roles.get("system") == columns[0] and normal_name(columns[0]) in ("", "column_1"):
            del roles["system"]
        if {"system", "dataset", "item"} & roles.keys():
            return False
        table = read_table(path, path.name, RowProblems(lenient=True))
        return _columns_of(table) is not None
    except (ImportFormatError, OSError, ValueError):
        return False


def read(paths: Sequence[Path], options: ReadOptions, shown: Mapping[Path, str]) -> ImportBundle:
    """Read the figures of each choice of settings.

    Raises
    ------
    NoResultsError
        No row states a figure.
    ImportFormatError
        The file is damaged.
    """
    (path,) = paths
    settings = load_settings(path, shown[path], options)
    table = read_table(path, settings.shown, RowProblems(options.lenient))
    found = _columns_of(table)
    if found is None:
        raise ImportFormatError("no columns of settings with figures.", path=settings.shown)
    figures = Figures(settings, RowProblems(options.lenient))
    folder = folder_name(path)
    own = settings.system or specific_name(own_name(path)) or folder
    states = table.cells.get("state", [""] * len(table))
    n_open = 0
    for row, line in enumerate(table.lines):
        if as_text(states[row]) not in _DONE:
            n_open += 1
            continue
        said = ", ".join(f"{c}={as_text(table.cells[c][row])}" for c in found.settings)
        again = [f"{name} {as_text(table.cells[name][row])}" for name in found.repeats]
        for column, (metric, split) in found.metrics.items():
            cell = table.cells[column][row]
            source = ", ".join([path.name, *again, *filter(None, (split,))])
            figures.add(
                Figure(
                    f"{own} ({said})",
                    settings.dataset or folder,
                    metric,
                    None if is_missing(cell) else cell,
                    line=line,
                    column=column,
                    source=source if again or split else "",
                    higher_is_better=True if _is_of_sklearn(table.columns) else None,
                )
            )
    if not figures.figures:
        raise NoResultsError("no choice of settings has a figure.", path=settings.shown)
    told = [f"A row for each choice of settings: {', '.join(found.settings)}."]
    read = {*found.settings, *found.repeats, *found.metrics}
    unread = [c for c in table.columns if c not in read and looks_numeric(table.cells[c])]
    if unread:
        told.append(f"Columns not read: {', '.join(unread)}.")
    if n_open:
        told.append(f"{n_open} trials that did not end are left out.")
    guesses = [
        Guess("systems", f"{own} with its settings", "nothing else names them"),
        Guess("dataset", settings.dataset or folder, "the name of the folder"),
    ]
    return figures.bundle(NAME, settings.files(table.sha256), [*table.notes, *told], guesses)


def _is_setting(column: str) -> bool:
    is_called = normal_name(column) in _CALLED or no_metric_by_name(column) == "a setting"
    is_repeat = normal_name(column) in (*_REPEATS, "random_seed")
    return (
        column != "params"
        and not is_repeat
        and (is_called or _SETTING.fullmatch(column) is not None)
    )


def _is_lora(columns: Sequence[str]) -> bool:
    return sum(normal_name(column) in _OF_LORA for column in columns) > 1


def _is_of_sklearn(columns: Sequence[str]) -> bool:
    """Return whether columns are those of ``cv_results_``, whose scores are better when higher."""
    return any(c.startswith("mean_test_") for c in columns) and "mean_fit_time" in columns


def _columns_of(table: Table) -> _Columns | None:
    """Return what the columns are; ``None`` where rows are no choices of settings."""
    if not 1 < len(table) <= _MOST_ROWS:
        return None
    columns = table.columns
    is_lora = _is_lora(columns)
    named = [c for c in columns if _is_setting(c) or (is_lora and normal_name(c) in _OF_LORA)]
    varying = [c for c in named if len(set(map(_text, table.cells[c]))) > 1]
    words = [
        c
        for c in columns
        if c not in named
        and normal_name(c) in ("name", "run_name", "run_id", "experiment", "experiment_name")
    ]
    metrics = _metrics_of(table, named)
    if not varying or words or not metrics:
        return None
    choices = list(zip(*(map(_text, table.cells[c]) for c in varying), strict=True))
    if len(set(choices)) == len(table):
        return _Columns(varying, (), metrics)
    repeats = [c for c in columns if normal_name(c) in _REPEATS and c not in named]
    with_repeats = zip(choices, *(map(_text, table.cells[c]) for c in repeats), strict=True)
    is_told = bool(repeats) and len(set(with_repeats)) == len(table)
    return _Columns(varying, repeats, metrics) if is_told else None


def _text(cell: object) -> str:
    return "" if cell is None else str(cell).strip()


def _metrics_of(table: Table, settings: Sequence[str]) -> dict[str, tuple[str, str]]:
    """Return the columns of figures: splits of scikit-learn, a study's value, or known metrics."""
    if _is_of_sklearn(table.columns):
        splits = [found for c in table.columns if (found := _OF_SPLIT.fullmatch(c))]
        if splits:
            return {one[0]: (f"test_{one[2]}", f"split {one[1]}") for one in splits}
        return {c: (c.removeprefix("mean_"), "") for c in table.columns if c[:10] == "mean_test_"}
    if {"number", "value", "state"} <= set(table.columns):
        return {"value": ("value", "")}
    free = [c for c in table.columns if c not in settings and looks_numeric(table.cells[c])]
    known = [c for c in free if lookup(c) is not None and no_metric_by_name(c) is None]
    return {c: (c, "") for c in known} if any(map(is_quality, known)) else {}
