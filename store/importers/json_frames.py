"""JSON in which pandas and others write a table: by row, by column, or below one more key.

``{"0": {"model": "a", …}, "1": {…}}``, ``{"model": {"0": "a", …}, …}``, ``{"model": ["a", …], …}``
and ``{"data": {"rows": [{…}, …]}}`` are the same table.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from store.importers.metric_registry import words_of

_NAMES = words_of(
    """system system_name model model_name model_id method item item_id id question_id example_id
    instance_id sample_id task_id problem_id prompt_id doc_id qid uid question prompt input"""
)
"""Columns that name systems or items; without one, keys and lists may be anything."""


def rows_of_frame(content: Mapping[Any, Any]) -> list[dict[str, Any]]:
    """Return the rows of a table that a mapping holds in such a form; else nothing."""
    if not content:
        return []
    values = list(content.values())
    if all(isinstance(value, dict) for value in values):
        return _by_row(content) or _by_column(content)
    if all(isinstance(value, list) for value in values) and _names_rows(content):
        return _of_lists(content)
    return []


def _by_row(content: Mapping[Any, Any]) -> list[dict[str, Any]]:
    rows = [dict(row) for row in content.values()]
    columns = list(dict.fromkeys(name for row in rows for name in row))
    are_rows = _are_counted(content) and _names_rows(columns)
    return rows if are_rows and not any(_has_mapping(row) for row in rows) else []


def _by_column(content: Mapping[Any, Any]) -> list[dict[str, Any]]:
    first, *others = content.values()
    if not _are_counted(first) or any(one.keys() != first.keys() for one in others):
        return []
    return _of_lists({name: list(cells.values()) for name, cells in content.items()})


def _of_lists(columns: Mapping[Any, Sequence[Any]]) -> list[dict[str, Any]]:
    """Return the rows of columns that are of one length."""
    sizes = {len(cells) for cells in columns.values()}
    if len(columns) < 2 or len(sizes) != 1 or sizes <= {0, 1} or not _names_rows(columns):
        return []
    rows = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    return [] if any(isinstance(v, (dict, list)) for v in rows[0].values()) else rows


def _names_rows(columns: Mapping[Any, Any] | Sequence[Any]) -> bool:
    """Return whether one of several columns names systems or items."""
    names = [str(name) for name in columns]
    return len(names) > 1 and not _NAMES.isdisjoint(re.sub(r"\W", "_", n.lower()) for n in names)


def _are_counted(keys: Mapping[Any, Any]) -> bool:
    """Return whether keys are the numbers of rows, from 0 or 1 on in any order."""
    if len(keys) < 2 or not all(str(key).isdecimal() for key in keys):
        return False
    numbers = sorted(int(str(key)) for key in keys)
    return numbers in (list(range(len(keys))), list(range(1, len(keys) + 1)))


def _has_mapping(row: Mapping[str, Any]) -> bool:
    return any(isinstance(value, dict) for value in row.values())


def only_list_below(content: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the only list of records below an entry that is an object: ``{"data": {"rows": …}}``.

    What stands beside it holds for all of them where it is a text.
    """
    found = [
        (below, value)
        for below in content.values()
        if isinstance(below, dict)
        for value in below.values()
        if isinstance(value, list) and value and all(isinstance(one, dict) for one in value)
    ]
    if len(found) != 1:
        return []
    below, records = found[0]
    said = {k: v for one in (content, below) for k, v in one.items() if isinstance(v, str)}
    columns = list(dict.fromkeys(name for record in records for name in record))
    return [{**said, **record} for record in records] if _names_rows([*said, *columns]) else []
