"""What seems to hold results in no form that is known: it is left out as such, with the reason.

A file without any is passed over; one with figures must not be, or nobody would miss them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from store.errors import ImportFormatError
from store.importers.cells import looks_numeric
from store.importers.columns import ROLE_NAMES, normal_name
from store.importers.file_names import is_of_settings
from store.importers.known_metrics import is_quality, normal_metric
from store.importers.known_names import is_like_dataset
from store.importers.metric_registry import words_of
from store.importers.tables import Table
from store.importers.textfile import data_suffix, peek_text

_STEPS = words_of("epoch step global_step iteration iter n_iter batch")
_THRESHOLDS = words_of("threshold thresholds cutoff cut_off prob_threshold decision_threshold")
_CURVES = (words_of("fpr tpr"), words_of("false_positive_rate true_positive_rate"))
_COMMON = words_of("score rating similarity quality correct match success")
"""Metrics whose names stand for much else in data."""
_ENTRY = re.compile(r'"([^"\n]{1,60})"\s*:\s*(-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?)\s*[,}\n\r]')
_LISTED = re.compile(r'"([^"\n]{1,60})"\s*:\s*\[\s*-?\d')
_LOGGED = re.compile(r'"log_history"\s*:')
_BESIDE_LOG = ("all_results.json", "eval_results.json", "test_results.json", "train_results.json")
_OF_WORKERS = words_of("assignmentid hitid assignment_id hit_id")
_MOST_TIMES = 50
"""How often one metric stands in a file of results; more of it is data of items."""
_MOST_ROWS = 5_000
_MOST_TOLD = 3

_VERDICT = re.compile(
    r"(model|output|response|answer|assistant|system|candidate)[ _-]?[12ab]|tie|draw|both|neither",
    re.IGNORECASE,
)
"""How a cell says which of two outputs is better."""
_NO_VERDICTS = words_of("tie draw both neither")

LOG = "a log of training: figures at each step, and nothing names the result."
ANSWERS = (
    "the answers of workers on Mechanical Turk, which say of no system how it did; give the "
    "results that were computed from them."
)
CURVE = "a curve: figures of one system at each threshold, and nothing names the result."


def kind_of_log(columns: Sequence[str]) -> str | None:
    """Return why a table of figures is no result, where its columns say that it is none."""
    names = {normal_name(column) for column in columns}
    has_metric = any(map(is_quality, columns)) or any("loss" in name for name in names)
    if not names.isdisjoint(_THRESHOLDS) and has_metric:
        return CURVE
    if any(curve <= names for curve in _CURVES):
        return CURVE
    return LOG if not names.isdisjoint(_STEPS) and has_metric else None


def are_answers_of_workers(columns: Sequence[str]) -> bool:
    """Return whether rows are tasks that workers did, with their pay, as Mechanical Turk has it."""
    return len(_OF_WORKERS.intersection(map(normal_name, columns))) > 1


def verdicts_on_pairs(table: Table) -> str | None:
    """Return what is said of a table whose rows say which of two outputs is better."""
    for column in table.columns:
        if normal_name(column) in ROLE_NAMES["system"]:
            continue
        words = {str(cell).strip() for cell in table.cells[column]}
        if words and all(map(_VERDICT.fullmatch, words)) and not words <= _NO_VERDICTS:
            return (
                f"verdicts on pairs of outputs in '{column}', and no columns name both systems. "
                "Name them in columns model_a and model_b, and the better one in winner."
            )
    return None


def unread_table(table: Table) -> str | None:
    """Return what is said of a table that no reading fits and that seems to hold results."""
    if are_answers_of_workers(table.columns):
        return ANSWERS
    told = kind_of_log(table.columns)
    if told is not None:
        return told
    if (told := verdicts_on_pairs(table)) is not None:
        return told
    if len(table) > _MOST_ROWS:
        return None
    numeric = [column for column in table.columns if looks_numeric(table.cells[column])]
    known = [c for c in numeric if is_quality(c) and normal_metric(c) not in _COMMON]
    if len(known) < 2 and 2 * len(known) <= len(numeric):
        return None
    return _told(known)


def unread_file(path: Path) -> str | None:
    """Return what is said of JSON that no importer knows and that seems to hold results."""
    if data_suffix(path) != ".json" or is_of_settings(path):
        return None
    try:
        text = peek_text(path)
    except ImportFormatError:
        return None
    found: dict[str, int] = {}
    for entry in _ENTRY.finditer(text):
        is_metric = is_quality(entry[1]) and normal_metric(entry[1]) not in _COMMON
        if "." in entry[2] and (is_metric or is_like_dataset(entry[1])):
            found[entry[1]] = found.get(entry[1], 0) + 1
    listed = {entry[1] for entry in _LISTED.finditer(text)}
    if any("loss" in name.lower() for name in listed) and any(map(is_quality, listed)):
        return LOG
    if _LOGGED.search(text):
        is_told = any((path.parent / name).is_file() for name in _BESIDE_LOG)
        return LOG if found and not is_told else None
    if not found or max(found.values()) > _MOST_TIMES:
        return None
    return _told(list(found))


def _told(names: Sequence[str]) -> str:
    more = ", …" if len(names) > _MOST_TOLD else ""
    listed = ", ".join(names[:_MOST_TOLD])
    return f"it seems to hold results ({listed}{more}), in no form that is known."
