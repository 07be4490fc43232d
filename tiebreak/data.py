"""What a question is asked of: a store, or scores that nobody stores."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa

from store.console import current_actor
from store.datasets import list_datasets
from store.engine import Store, open_store
from store.errors import ImportFormatError, StoreError
from store.importers.logged import LoggedRun
from store.ingest import ingest_all
from store.journal import require_direction
from store.kept_settings import Failures
from store.scratch import scratch_folder
from tiebreak.long_tables import columns_if_long, put_table
from tiebreak.score_inputs import (
    ITEM_COLUMNS,
    by_item,
    columns_of,
    is_table,
    numeric,
    one_column,
    require_equal,
)

AnyData = Store | str | Path | Mapping[str, Any] | Any
"""An open store, a file or database URL (``None``: `$TIEBREAK_STORE`, else ``tiebreak.db``), or
scores: ``{system: scores}``, ``{dataset: {system: scores}}``, or a table of pandas, polars, Arrow
or DuckDB. Scores are ``{item: score}``, an array or a series. A wide table has a column for each
system and a row for each item. A long table has a row for each score or judgment; its columns are
those of a file that `tiebreak ingest` reads."""

NO_NAME = "scores"


@contextmanager
def as_store(
    data: AnyData,
    *,
    metric: str | None = None,
    higher_is_better: bool | None = None,
    gold: str | None = None,
    failures: Failures | None = None,
) -> Iterator[Store]:
    """Yield the store that `data` is or names, or one for as long as the question takes.

    `gold` names a column of scores that people gave; `failures` is what failed attempts count as.

    Raises
    ------
    StoreError
        There is no such store, or the scores cannot be used.
    """
    if isinstance(data, Store):
        yield data.counting(failures)
    elif data is None or isinstance(data, str | Path):
        with open_store(data, read_only=True) as opened:
            yield opened.counting(failures)
    else:
        with (
            scratch_folder() as folder,
            open_store(folder / "scores.db", create=True) as made,
        ):
            data = pa.table(data) if hasattr(data, "read_next_batch") else data  # is read once
            columns = columns_if_long(data)
            if columns:
                put_table(
                    made,
                    columns,
                    folder,
                    dataset=NO_NAME,
                    metric=metric,
                    higher_is_better=higher_is_better,
                    gold=gold,
                )
            else:
                _put_runs(made, runs_of(data, metric, higher_is_better))
            yield made.counting(failures)


def _put_runs(store: Store, runs: list[LoggedRun]) -> None:
    for run in runs:
        for name in run.scores:
            require_direction(store, run, name)
    ingest_all(
        store,
        [run.bundle() for run in runs],
        actor=current_actor(),
        higher_is_better=runs[0].higher_is_better,
        case_matters=True,
    )


def only_dataset(store: Store, given: str | None) -> str:
    """Return `given`, else the one dataset there is.

    Raises
    ------
    StoreError
        There are several, or none.
    """
    if given is not None:
        return given
    found = list_datasets(store)
    if len(found) == 1:
        return found[0].uid
    names = ", ".join(f"'{one.name}'" for one in found[:10])
    raise StoreError(f"say which `dataset`: {names}." if names else "the store has no dataset.")


def runs_of(data: Any, metric: str | None, higher_is_better: bool | None) -> list[LoggedRun]:
    """Return the runs of scores that nobody stores; a metric without a name is called ``score``.

    Raises
    ------
    ImportFormatError
        The scores have another form, or arrays of one dataset differ in length.
    """
    if higher_is_better is None and metric is None:
        higher_is_better = True
    name = metric or "score"
    if is_table(data):
        runs = _of_table(data, NO_NAME, name)
    elif isinstance(data, Mapping) and data:
        by_dataset = data if _has_datasets(data) else {NO_NAME: data}
        runs = [
            run
            for dataset, systems in by_dataset.items()
            for run in (
                _of_table(systems, str(dataset), name)
                if is_table(systems)
                else [
                    LoggedRun(str(system), str(dataset), scores={name: one_column(scores)})
                    for system, scores in systems.items()
                ]
            )
        ]
    else:
        raise ImportFormatError(
            "give a store, {system: scores}, or a table with a column for each system. "
            "An array of several systems does not name them.",
            field="data",
        )
    require_equal(
        (run.dataset, run.system, len(scores))
        for run in runs
        for scores in run.scores.values()
        if list(scores) == [str(number) for number in range(len(scores))]
    )
    return [replace(run, higher_is_better=higher_is_better) for run in runs]


def _has_datasets(data: Mapping[str, Any]) -> bool:
    def holds_scores(value: Any) -> bool:
        return isinstance(value, Mapping | list | tuple) or bool(getattr(value, "shape", ()))

    return all(
        is_table(one) or (isinstance(one, Mapping) and one and all(map(holds_scores, one.values())))
        for one in data.values()
    )


def _of_table(table: Any, dataset: str, metric: str) -> list[LoggedRun]:
    columns = columns_of(table)
    items = next((columns[name] for name in ITEM_COLUMNS if name in columns), None)
    rows = len(next(iter(columns.values()), []))
    keys = list(map(str, range(rows) if items is None else items))
    groups = dict(zip(keys, map(str, columns["group"]), strict=True)) if "group" in columns else {}
    systems = numeric(columns)
    if not systems:
        raise ImportFormatError(
            "the table has no column of numbers: give a column for each system.", field="data"
        )
    return [
        LoggedRun(name, dataset, scores={metric: by_item(keys, columns[name])}, groups=groups)
        for name in systems
    ]
