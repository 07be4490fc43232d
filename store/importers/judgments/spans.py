"""Errors that annotators marked, as a list in one cell of a table of judgments."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from store.importers.bundle import BundleCriterion, BundleErrorSpan
from store.importers.cells import CellError
from store.importers.judgments.options import JudgmentOptions
from store.importers.settings import Settings
from store.importers.wmt.options import parse_weights

ERRORS = "errors"
"""Name of such a criterion where nothing names it."""

_MOST_CHARACTERS = 10**15


def span_criterion(
    name: str, dataset: int, settings: Settings, options: JudgmentOptions
) -> BundleCriterion:
    """Return the criterion of marked errors, with the usual weights of MQM or those stated."""
    return BundleCriterion(
        name or options.criterion or ERRORS,
        dataset,
        kind="error-spans",
        higher_is_better=False,
        weights=parse_weights(options.weights, settings.shown),
        question=options.question,
    )


def is_list_of_errors(cell: Any) -> bool:
    """Return whether a cell may hold marked errors rather than their number."""
    return isinstance(cell, list) or (isinstance(cell, str) and cell.lstrip().startswith("["))


def read_spans(cell: Any) -> tuple[BundleErrorSpan, ...]:
    """Return the errors in a cell: a list of objects, or JSON of one; empty means no error.

    Raises
    ------
    CellError
        No such list, or an error without severity.
    """
    if isinstance(cell, str):
        try:
            cell = json.loads(cell)
        except (ValueError, RecursionError):
            raise CellError(f"not a list of errors in JSON: {cell[:40]!r}.") from None
    if not isinstance(cell, list) or not all(isinstance(one, dict) for one in cell):
        raise CellError("not a list of errors: each is an object with a severity.")
    return tuple(_span(one) for one in cell)


def _span(error: Mapping[str, Any]) -> BundleErrorSpan:
    severity = error.get("severity")
    shown = json.dumps(error, ensure_ascii=False)[:60]
    if severity is None or severity == "":
        raise CellError(f"an error has no severity: {shown}.")
    if not isinstance(severity, str) or not severity.strip():
        raise CellError(f"the severity of an error is no word: {shown}.")
    start, end = _place(error, "start"), _place(error, "end")
    if start is not None and end is not None and start > end:
        raise CellError(f"an error begins at {start} and ends before, at {end}.")
    return BundleErrorSpan(
        severity.strip(),
        str(error.get("category") or ""),
        start,
        end,
        str(error.get("text") or ""),
        bool(error.get("in_source", error.get("is_source_error", False))),
        str(error.get("note") or error.get("comment") or ""),
    )


def _place(error: Mapping[str, Any], name: str) -> int | None:
    value = error.get(name)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < _MOST_CHARACTERS:
        raise CellError(f"the {name} of an error is no number of characters: {str(value)[:40]}.")
    return value
