"""What a question is asked of: a store, or scores that nobody stores."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from store.console import current_actor
from store.datasets import list_datasets
from store.engine import Store, open_store
from store.errors import ImportFormatError, StoreError
from store.importers.logged import LoggedRun
from store.ingest import ingest_all
from store.journal import require_direction
from tiebreak.score_inputs import NO_SCORES, by_item, columns_of, is_table, numeric, one_column

AnyData = Store | str | Path | Mapping[str, Any] | Any
"""An open store, a file or database URL (``None``: `$TIEBREAK_STORE`, else ``tiebreak.db``), or
scores: ``{system: scores}``, ``{dataset: {system: scores}}``, or a table. Scores are
``{item: score}``, an array or a series. A table has a column for each system and a row for each
item, or the columns `system` and `score` and, as far as needed, `dataset`, `item`, `metric`,
`trial`, `group`."""

NO_NAME = "scores"


@contextmanager
def as_store(
    data: AnyData, *, metric: str | None = None, higher_is_better: bool | None = None
) -> Iterator[Store]:
    """Yield the store that `data` is or names, or one for as long as the question takes.

    Raises
    ------
    StoreError
        There is no such store, or the scores cannot be used.
    """
    if isinstance(data, Store):
        yield data
    elif data is None or isinstance(data, str | Path):
        with open_store(data, read_only=True) as opened:
            yield opened
    else:
        runs = runs_of(data, metric, higher_is_better)
        with (
            tempfile.TemporaryDirectory() as folder,
            open_store(Path(folder) / "scores.db", create=True) as made,
        ):
            for run in runs:
                for name in run.scores:
                    require_direction(made, run, name)
            ingest_all(
                made,
                [run.bundle() for run in runs],
                actor=current_actor(),
                higher_is_better=runs[0].higher_is_better,
                case_matters=True,
            )
            yield made


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
        runs = _of_table(columns_of(data), name)
    elif isinstance(data, Mapping) and data:
        by_dataset = data if _has_datasets(data) else {NO_NAME: data}
        runs = [
            LoggedRun(str(system), str(dataset), scores={name: one_column(scores)})
            for dataset, systems in by_dataset.items()
            for system, scores in systems.items()
        ]
    else:
        raise ImportFormatError(
            "give a store, {system: scores}, or a table with a column for each system.",
            field="data",
        )
    _require_equal_lengths(runs)
    return [replace(run, higher_is_better=higher_is_better) for run in runs]


def _has_datasets(data: Mapping[str, Any]) -> bool:
    def holds_scores(value: Any) -> bool:
        return isinstance(value, Mapping | list | tuple) or bool(getattr(value, "shape", ()))

    return all(
        isinstance(one, Mapping) and one and all(map(holds_scores, one.values()))
        for one in data.values()
    )


def _of_table(columns: dict[str, list[Any]], metric: str) -> list[LoggedRun]:
    if "system" in columns:
        return _of_long_table(columns, metric)
    items = next((columns[name] for name in NO_SCORES[:-1] if name in columns), None)
    rows = len(next(iter(columns.values()), []))
    keys = list(map(str, range(rows) if items is None else items))
    groups = dict(zip(keys, map(str, columns["group"]), strict=True)) if "group" in columns else {}
    systems = numeric(columns)
    if not systems:
        raise ImportFormatError(
            "the table has no column of numbers: give a column for each system.", field="data"
        )
    return [
        LoggedRun(name, NO_NAME, scores={metric: by_item(keys, columns[name])}, groups=groups)
        for name in systems
    ]


def _of_long_table(columns: dict[str, list[Any]], metric: str) -> list[LoggedRun]:
    column = metric if metric in columns else "score"
    if column not in columns:
        raise ImportFormatError(
            f"the table has a column 'system' and none called '{column}' with its scores.",
            field="data",
        )
    n_rows = len(columns["system"])

    def cells(name: str, otherwise: Any) -> list[Any]:
        return columns.get(name, [otherwise] * n_rows)

    runs: dict[tuple[str, str, int], dict[str, dict[str, Any]]] = {}
    groups: dict[str, dict[str, str]] = {}
    for row, (system, dataset, trial, measure) in enumerate(
        zip(
            columns["system"],
            cells("dataset", NO_NAME),
            cells("trial", 0),
            cells("metric", metric),
            strict=True,
        )
    ):
        found = runs.setdefault((str(system), str(dataset), int(trial)), {})
        scores = found.setdefault(str(measure), {})
        item = str(columns["item"][row]) if "item" in columns else str(len(scores))
        if item in scores:
            raise ImportFormatError(
                f"the item '{item}' of '{dataset}' has two scores of '{system}'.", field="data"
            )
        scores[item] = columns[column][row]
        if "group" in columns:
            groups.setdefault(str(dataset), {})[item] = str(columns["group"][row])
    return [
        LoggedRun(system, dataset, trial=trial, scores=scores, groups=groups.get(dataset, {}))
        for (system, dataset, trial), scores in runs.items()
    ]


def _require_equal_lengths(runs: list[LoggedRun]) -> None:
    """Refuse arrays of different lengths: which items they share nobody can know."""
    lengths: dict[str, tuple[str, int]] = {}
    for run in runs:
        for scores in run.scores.values():
            if list(scores) != [str(number) for number in range(len(scores))]:
                continue
            system, n = lengths.setdefault(run.dataset, (run.system, len(scores)))
            if n != len(scores):
                raise ImportFormatError(
                    f"'{system}' has {n:,} scores and '{run.system}' {len(scores):,}. Arrays are "
                    "compared place by place: give {item: score} where items are missing.",
                    field="data",
                )
