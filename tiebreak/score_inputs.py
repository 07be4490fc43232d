"""What people have scores in: mappings, arrays, series, tables of any library."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Any

import numpy as np
import pyarrow as pa

from store.errors import ImportFormatError

ITEM_COLUMNS = ("item", "id", "item_id")
"""Names of the column of a table that names the items."""
NO_SCORES = (*ITEM_COLUMNS, "group")
_AS_TABLE = ("__arrow_c_stream__", "__dataframe__", "collect")


def is_table(given: Any) -> bool:
    """Return whether something is a table (pandas, polars, Arrow, DuckDB …)."""
    kind = type(given)
    if not hasattr(kind, "columns") and not hasattr(kind, "schema"):
        return False  # a polars series offers Arrow, too
    return any(hasattr(kind, name) for name in _AS_TABLE)


def columns_of(table: Any) -> dict[str, list[Any]]:
    """Return the columns of a table by name; a pandas index with names of items is ``"item"``.

    Raises
    ------
    ImportFormatError
        Two columns have one name.
    """
    index = getattr(table, "index", None)
    if index is not None and hasattr(table, "reset_index"):
        names = list(map(str, table.columns))
        cells = [table.iloc[:, i].tolist() for i in range(len(names))]
        if not _counts(index) and not any(name in names for name in ITEM_COLUMNS):
            names, cells = ["item", *names], [index.tolist(), *cells]
    else:
        arrow = _arrow_of(table)
        names = arrow.column_names
        cells = [column.to_pylist() for column in arrow.columns]
    for name in names:
        if names.count(name) > 1:
            raise ImportFormatError(f"two columns are called '{name}'.", field="data")
    return {name: list(map(_cell, column)) for name, column in zip(names, cells, strict=True)}


def _arrow_of(table: Any) -> pa.Table:
    if not hasattr(table, "__arrow_c_stream__") and hasattr(table, "collect"):
        table = table.collect()  # lazy, of polars
    if hasattr(table, "__arrow_c_stream__"):
        return pa.table(table)
    from pyarrow.interchange import from_dataframe

    return from_dataframe(table)


def _cell(value: Any) -> Any:
    """Return a cell; `pandas.NA`, which is no number, is NaN."""
    return math.nan if type(value).__name__ == "NAType" else value


def scores_by_metric(scores: Any, metric: str | None) -> dict[str, dict[str, float | None]]:
    """Return metric -> item -> score.

    Parameters
    ----------
    scores
        ``{item: score}``, ``{item: {metric: score}}``, an array or list (items are then called
        ``"0"``, ``"1"``, …), a pandas series, or a table with a row for each item: the items are
        its column ``item`` or its index, every other column of numbers is a metric.
    metric
        What is measured; for a table the one column to take, by default all.

    Raises
    ------
    ImportFormatError
        The scores have another form, or no metric is named.
    """
    if is_table(scores):
        return _of_table(columns_of(scores), metric)
    if isinstance(scores, Mapping) and any(isinstance(v, Mapping) for v in scores.values()):
        found: dict[str, dict[str, float | None]] = {}
        for item, of_item in scores.items():
            for name, value in dict(of_item).items():
                found.setdefault(str(name), {})[str(item)] = value
        return found
    if metric is None:
        raise ImportFormatError("say what is measured: `metric='accuracy'`.", field="metric")
    return {metric: one_column(scores)}


def one_column(scores: Any) -> dict[str, float | None]:
    """Return item -> score of a mapping, a series, an array or a list.

    Raises
    ------
    ImportFormatError
        The scores have another form, or an item stands in them twice.
    """
    if isinstance(scores, Mapping):
        return by_item(map(str, scores), scores.values())
    index = getattr(scores, "index", None)
    if index is not None and not callable(index):
        if not hasattr(scores, "tolist"):
            raise ImportFormatError(
                "a table holds the scores of one system for each column. Give one of its columns, "
                "as table['score'].",
                field="scores",
            )
        return by_item(map(str, index), scores.tolist())
    if isinstance(scores, (str, AbstractSet)) or not isinstance(scores, Iterable):
        raise ImportFormatError(
            f"scores are {{item: score}}, an array, a series or a table, not {scores!r:.40}.",
            field="scores",
        )
    values = np.asarray(scores if hasattr(scores, "__array__") else list(scores), dtype=object)
    if values.ndim != 1:
        raise ImportFormatError(
            f"an array of scores has one dimension, a score for each item; this has shape "
            f"{values.shape}.",
            field="scores",
        )
    return by_item(map(str, range(len(values))), values.tolist())


def by_item(items: Iterable[str], values: Iterable[Any]) -> dict[str, float | None]:
    """Return item -> score; an item that stands twice is refused."""
    found: dict[str, float | None] = {}
    for item, value in zip(items, values, strict=True):
        if item in found:
            raise ImportFormatError(f"the item '{item}' has two scores.", field="scores")
        found[item] = _cell(value)
    return found


def require_equal(lengths: Iterable[tuple[str, str, int]]) -> None:
    """Refuse arrays of different lengths: which items they share nobody can know.

    Parameters
    ----------
    lengths
        Dataset, system and number of scores, of each.
    """
    first: dict[str, tuple[str, int]] = {}
    for dataset, system, n in lengths:
        other, n_other = first.setdefault(dataset, (system, n))
        if n_other != n:
            raise ImportFormatError(
                f"'{other}' has {n_other:,} scores and '{system}' {n:,}. Arrays are "
                "compared place by place: give {item: score} where items are missing.",
                field="data",
            )


def texts_by_item(given: Any, items: Sequence[str], what: str) -> dict[str, str]:
    """Return item -> text of a mapping, or of a list in the order of the scores.

    Raises
    ------
    ImportFormatError
        There are not as many texts as items.
    """
    if given is None:
        return {}
    if isinstance(given, Mapping):
        return {str(item): str(text) for item, text in given.items() if text is not None}
    texts = list(given)
    if len(texts) != len(items):
        raise ImportFormatError(
            f"there are {len(texts):,} {what} for {len(items):,} items.", field=what
        )
    return {item: str(text) for item, text in zip(items, texts, strict=True) if text is not None}


def _of_table(
    columns: dict[str, list[Any]], metric: str | None
) -> dict[str, dict[str, float | None]]:
    named = next((name for name in ITEM_COLUMNS if name in columns), None)
    rows = len(next(iter(columns.values()), []))
    items = [str(one) for one in columns[named]] if named else list(map(str, range(rows)))
    if metric is not None and metric not in columns:
        others = [name for name in columns if name not in NO_SCORES]
        if len(others) != 1:
            raise ImportFormatError(
                f"the table has no column '{metric}'; it has {', '.join(columns)}.", field="metric"
            )
        return {metric: by_item(items, columns[others[0]])}
    wanted = [metric] if metric is not None else numeric(columns)
    if not wanted:
        raise ImportFormatError("the table has no column of numbers.", field="scores")
    return {name: by_item(items, columns[name]) for name in wanted}


def numeric(columns: Mapping[str, Sequence[Any]]) -> list[str]:
    """Return the columns that hold numbers only, without those that name items and groups.

    Raises
    ------
    ImportFormatError
        Most cells of a column are numbers, and one is not: its scores would vanish.
    """
    found = []
    for name, cells in columns.items():
        if name in NO_SCORES:
            continue
        odd = [at for at, cell in enumerate(cells) if not _is_score(cell)]
        if not odd:
            found.append(name)
        elif 2 * len(odd) < len(cells):
            raise ImportFormatError(
                f"column '{name}', row {odd[0] + 1}: {str(cells[odd[0]])[:60]!r} is no number. "
                "Leave the cell empty where there is no score.",
                field="scores",
            )
    return found


def _is_score(cell: Any) -> bool:
    return cell is None or isinstance(cell, bool | int | float | np.number)


def _counts(index: Any) -> bool:
    """Return whether a pandas index only counts the rows."""
    return type(index).__name__ == "RangeIndex" or (
        len(index) > 0 and list(index) == list(range(len(index)))
    )
