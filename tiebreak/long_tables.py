"""Long tables in memory, put into a store by what reads such files: both are understood alike.

A long table has a row for each score or judgment, and columns that say of whom and of what it is.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from store.console import current_actor
from store.engine import Store
from store.errors import ImportFormatError
from store.importers.bundle import ReadOptions
from store.importers.columns import GENERIC_ROLES, JUDGMENT_ROLES, find_roles, normal_name
from store.ingest.files import ingest_files
from tiebreak.score_inputs import columns_of, is_table, require_equal

Columns = Mapping[str, Sequence[Any]]

NAME = "table"
FILE = f"{NAME}.parquet"
_SURE = ("system", "annotator", "worker", "rater")
"""Columns whose name leaves no doubt begin so."""
_TELLS_APART = ("system", "dataset", "dataset_version", "metric", "trial", "run", "seed", "date")
"""Roles of the columns that say of whose scores a row is one."""


def columns_if_long(data: Any) -> Columns:
    """Return the columns of a long table, of rows or columns of one; else nothing.

    It is long where a column names systems or annotators.
    """
    if is_table(data):
        columns = columns_of(data)
    elif isinstance(data, list) and data and all(isinstance(row, Mapping) for row in data):
        names = dict.fromkeys(str(name) for row in data for name in row)
        columns = {name: [row.get(name) for row in data] for name in names}
    elif isinstance(data, Mapping) and not any(isinstance(v, Mapping) for v in data.values()):
        columns = {str(name): list(cells) for name, cells in data.items() if _is_column(cells)}
        if len(columns) < len(data) or len({len(cells) for cells in columns.values()}) > 1:
            return {}
    else:
        return {}
    system = _roles(columns, GENERIC_ROLES).get("system")
    return columns if _is_judged(columns) or _names(columns, system) else {}


def put_table(
    store: Store,
    columns: Columns,
    folder: Path,
    *,
    dataset: str,
    metric: str | None,
    higher_is_better: bool | None,
    gold: str | None = None,
) -> None:
    """Put a long table into a store, by way of a file in `folder`.

    Parameters
    ----------
    dataset
        Its name, where no column has one.
    metric
        The column to take, or what to call the column `score`.
    gold
        A column of scores that people gave.

    Raises
    ------
    ImportFormatError
        As an import of that table would, or it has nothing to take in.
    """
    roles = _roles(columns, GENERIC_ROLES)
    is_judged = _is_judged(columns)
    if not is_judged and "item" not in roles:
        columns = _with_items(columns, roles)
    if higher_is_better is None and metric is None and "metric" not in roles and "score" in roles:
        higher_is_better = True
    pq.write_table(_as_arrow(columns), folder / FILE)
    if gold in columns:
        stated = {"metrics": {gold: {"source": "human"}}}  # JSON is YAML
        (folder / f"{NAME}.tiebreak.yaml").write_text(json.dumps(stated), encoding="utf-8")
    done = ingest_files(
        store,
        folder / FILE,
        actor=current_actor(),
        format=_format(columns, is_judged),
        options=ReadOptions(
            dataset=None if "dataset" in roles else dataset,
            metric=None if "metric" in roles else metric,
            higher_is_better=higher_is_better,
        ),
        root=folder,
    )
    for _, question in done.plan.questions:
        raise ImportFormatError(
            f"{question.subject}: {question.because}. Give `higher_is_better=True` or `False`.",
            field="data",
        )


def _format(columns: Columns, is_judged: bool) -> str | None:
    """Return how to read the table; without items it states figures, in one of several forms."""
    if is_judged:
        return "judgments"
    return "generic" if "item" in _roles(columns, GENERIC_ROLES) else None


def _is_column(cells: Any) -> bool:
    return isinstance(cells, list | tuple) or len(getattr(cells, "shape", ())) == 1


def _roles(columns: Columns, wanted: Collection[str]) -> dict[str, str]:
    return find_roles(tuple(columns), {}, wanted, NAME)


def _names(columns: Columns, column: str | None) -> bool:
    """Return whether a column names something; one called `judge` may hold a system's scores."""
    if column is None:
        return False
    if normal_name(column).startswith(_SURE):
        return True
    return any(isinstance(cell, str) for cell in columns[column])


def _is_judged(columns: Columns) -> bool:
    roles = _roles(columns, JUDGMENT_ROLES)
    if not roles.keys() & {"item", "input"}:
        return False
    return _names(columns, roles.get("annotator")) or {"first", "second", "choice"} <= roles.keys()


def _with_items(columns: Columns, roles: Mapping[str, str]) -> Columns:
    """Return the columns with one that counts the rows of a system: the first is item 0.

    Where each system has one row the table states figures, not scores of items.
    """
    keys = [
        tuple(map(str, key))
        for key in zip(*(columns[roles[r]] for r in _TELLS_APART if r in roles), strict=True)
    ]
    counted = Counter(keys)
    if max(counted.values(), default=1) == 1:
        return columns
    require_equal((key[1] if "dataset" in roles else "", key[0], n) for key, n in counted.items())
    seen: Counter[tuple[str, ...]] = Counter()
    items = []
    for key in keys:
        items.append(str(seen[key]))
        seen[key] += 1
    return {"item": items, **columns}


def _as_arrow(columns: Columns) -> pa.Table:
    """Return an Arrow table; what has no one type becomes text."""
    arrays = {}
    for name, cells in columns.items():
        try:
            arrays[name] = pa.array(cells, from_pandas=True)
        except (pa.ArrowException, OverflowError):
            arrays[name] = pa.array([None if cell is None else str(cell) for cell in cells])
    return pa.table(arrays)
