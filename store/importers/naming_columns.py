"""The column of words that names the systems of a board, where no column is called so."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path

from store.importers.cells import as_text, is_missing, looks_numeric
from store.importers.columns import ROLE_NAMES, fields_of, find_roles, normal_name, role_cells
from store.importers.file_names import says_nothing
from store.importers.item_columns import is_id
from store.importers.known_metrics import KNOWN, is_quality, lookup, normal_metric
from store.importers.known_names import share_of_systems
from store.importers.metric_registry import words_of
from store.importers.no_metrics import A_TIME, no_metric_by_name
from store.importers.small_tables import is_small_and
from store.importers.tables import Table
from store.importers.textfile import data_stem

_NO_SYSTEMS = words_of(
    """class classes label labels category categories feature features event events topic topics
    language lang split subset entity entities tag intent emotion metric measure parameter param
    params variable group question text sentence word token column comment comments note notes
    status error reason date time at timestamp path file filename url source hypothesis src premise
    claim query utterance passage"""
)
"""Words in the names of columns that name something else."""
_SUBSETS = words_of(
    """category categories topic topics subject subjects scene scenes gender language lang domain
    domains difficulty genre discipline subset section subtask emotion emotions entity intent aspect
    relation level question_type query_type answer_type task_type"""
)
"""Words in the names of columns whose rows are parts of one dataset."""
_SPLITS = words_of("train val valid validation dev test cv")
_REPEATS = words_of("seed fold run trial repeat repetition replica attempt")
_OF_TRANSLATION = words_of("src mt ref hyp")
"""Columns of segments, as COMET has them."""
_OF_ITEMS = ("item", "input", "reference", "output")
_LIKE_DATASETS = -0.5
"""How much more the words in a column are like datasets than like systems, at least."""
_CLOCK = re.compile(r"\d\d?:\d\d(:\d\d)?(?!\w)|20\d\d-[01]\d-[0-3]\d(?!\w)")
_LONGEST = 80
"""Characters of the name of a system."""
_FEWEST_WORDS = 6
"""Of a sentence; names are shorter."""
_MOST_SEEN = 50
"""Rows of which the texts are looked at."""
_MOST_ROWS = 2_000
"""Of a board; longer tables are of items."""


def names_systems_unsaid(path: Path) -> bool:
    """Return whether a table has such a column beside figures of a known metric."""
    return is_small_and(path, _MOST_ROWS, lambda table: naming_column(table, {}) is not None)


def naming_column(table: Table, roles: Mapping[str, str], within: Sequence[str] = ()) -> str | None:
    """Return the first column of short words that is another in each row, or in each repeat.

    None in a table without a known metric of quality, or with names or texts of items. `within`
    are columns in each of whose values the words may stand again.
    """
    taken = {name for column in roles.values() for name in fields_of(column, table.columns)}
    if not 1 < len(table) <= _MOST_ROWS:
        return None
    if not any(map(is_quality, table.columns)) and metric_of_file(table.shown) is None:
        return None
    named = find_roles(table.columns, {}, _OF_ITEMS, table.shown)
    if set(named) - ({"item"} if states_splits(table.columns) else set()):
        return None
    if len(_OF_TRANSLATION.intersection(map(normal_name, table.columns))) > 1:
        return None
    repeats = [c for c in table.columns if normal_name(c) in _REPEATS or c in within]
    for column in table.columns:
        words = set(normal_name(column).split("_"))
        is_person = normal_name(column) in ROLE_NAMES["annotator"][:-3]  # a judge may be a model
        if column in taken or column in repeats or is_person or not _NO_SYSTEMS.isdisjoint(words):
            continue
        if is_id(column) and not states_splits(table.columns):
            continue
        cells = role_cells(table, column)
        if looks_numeric(cells) or any(is_missing(cell) or not _is_name(cell) for cell in cells):
            continue
        if no_metric_by_name(column) == A_TIME or all(_CLOCK.match(as_text(c)) for c in cells):
            continue
        if share_of_systems(list(dict.fromkeys(map(str, cells)))) < _LIKE_DATASETS:
            continue
        if _are_sentences(cells) or (words & {"id", "uid"} and _has_texts(table)):
            continue
        rows = zip(cells, *(table.cells[one] for one in repeats), strict=True)
        if len(set(map(str, rows))) == len(table) and len(set(map(str, cells))) > 1:
            return column
    return None


def subset_column(table: Table, roles: Mapping[str, str]) -> str | None:
    """Return the column of which each row is about one part of a dataset, as ``topic``.

    Either it is called so, or the file is: ``group_by_condition.csv``. None where a column names
    systems, datasets or items, and in a table of which neither a column nor the file is called
    after a metric of quality.
    """
    named = find_roles(table.columns, {}, ("system", "dataset", *_OF_ITEMS), table.shown)
    is_of_metric = any(map(is_quality, table.columns)) or metric_of_file(table.shown) is not None
    is_board = len(table.columns) > 2 and share_of_systems(list(table.columns[1:])) == 1
    if named or not 1 < len(table) <= _MOST_ROWS or not (is_of_metric or is_board):
        return None
    grouped = re.search(r"group(?:ed)?_by_(.+)", normal_name(data_stem(table.shown)))
    taken, are_parts = set(roles.values()), lists_parts(data_stem(table.shown))
    for column in table.columns:
        name = normal_name(column)
        is_called = not _SUBSETS.isdisjoint((name, *name.split("_"))) or (
            are_parts and name == "name"
        )
        if column in taken or not (
            is_called or (grouped and f"{grouped[1]}_".startswith(f"{name}_"))
        ):
            continue
        cells = role_cells(table, column)
        if looks_numeric(cells) or any(is_missing(cell) or not _is_name(cell) for cell in cells):
            continue
        if len(set(map(str, cells))) == len(table):
            return column
    return None


def lists_parts(stem: str) -> bool:
    """Return whether a file is called after parts of a dataset alone: ``domain_scores``."""
    words = [word for word in re.findall(r"[^\W_]+", stem.lower()) if not says_nothing(word)]
    return bool(words) and (_SUBSETS | {"group", "groups"}).issuperset(words)


def names_subsets_unsaid(path: Path) -> bool:
    """Return whether a table without systems and datasets has a row for each part of one."""
    return is_small_and(path, _MOST_ROWS, lambda table: subset_column(table, {}) is not None)


def states_splits(columns: Sequence[str]) -> bool:
    """Return whether metrics are stated of splits (``val_f1``): then lines are runs, not items."""
    return any(
        is_quality(column) and (words := normal_name(column).split("_"))[1:] and words[0] in _SPLITS
        for column in columns
    )


def metric_of_file(name: str) -> str | None:
    """Return the metric that the name of a file tells: ``wer`` of ``wer_results.csv``."""
    words = re.findall(r"[^\W_]+", data_stem(name))
    pairs = ["_".join(pair) for pair in pairwise(words)]
    known = [pair for pair in pairs if normal_metric(pair) in KNOWN]
    known = known or [word for word in words if lookup(word) is not None and not says_nothing(word)]
    return known[-1] if known else None


def _are_sentences(cells: Sequence[object]) -> bool:
    """Return whether most cells have many words, as questions of items have."""
    n_long = sum(len(as_text(cell).split()) >= _FEWEST_WORDS for cell in cells)
    return 2 * n_long > len(cells) or any(as_text(cell).rstrip().endswith("?") for cell in cells)


def _has_texts(table: Table) -> bool:
    """Return whether a column holds sentences: then what has an id is an item."""
    cells = (table.cells[column][:_MOST_SEEN] for column in table.columns)
    filled = ([cell for cell in one if not is_missing(cell)] for one in cells)
    words = [one for one in filled if one and not looks_numeric(one) and not _is_json(one[0])]
    return any(map(_are_sentences, words))


def _is_json(cell: object) -> bool:
    return isinstance(cell, (dict, list)) or as_text(cell).lstrip().startswith(("{", "["))


def _is_name(cell: object) -> bool:
    return isinstance(cell, str) and len(as_text(cell)) <= _LONGEST
