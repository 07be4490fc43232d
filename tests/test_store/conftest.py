"""Small stores and bundles for the tests of the store."""

from __future__ import annotations

import inspect
import re
import shutil
import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
import sqlalchemy as sa

from store.engine import Store, open_store
from store.importers.bundle import (
    BundleCriterion,
    BundleDataset,
    BundleItem,
    BundleMetric,
    BundlePreference,
    BundleRating,
    BundleRun,
    BundleScores,
    ImportBundle,
    SourceFile,
)
from store.ingest import ingest

NEED_A_FILE = re.compile(r"\.path\b|sqlite3|PRAGMA")
"""In the words of a test: it is about the file of a store."""


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Function]) -> None:
    """Leave out what PostgreSQL has no part in."""
    if config.getoption("--postgres"):
        for item in items:
            if NEED_A_FILE.search(inspect.getsource(item.function)):
                item.add_marker(pytest.mark.skip(reason="is about the file of a store"))


Scores = npt.ArrayLike | Mapping[tuple[int, int], npt.ArrayLike]


@pytest.fixture(scope="session")
def new_store(
    tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest
) -> Callable[[], Store]:
    """Return a function that opens another empty store; whoever calls it closes it."""
    if request.config.getoption("--postgres"):
        new_address = request.getfixturevalue("new_address")
        return lambda: open_store(new_address())
    template = tmp_path_factory.mktemp("template") / "tiebreak.db"
    open_store(template, create=True).close()

    def make() -> Store:
        path = tmp_path_factory.mktemp("store") / "tiebreak.db"
        shutil.copy(template, path)
        return open_store(path)

    return make


@pytest.fixture
def store(new_store: Callable[[], Store]) -> Iterator[Store]:
    """Return an empty store."""
    opened = new_store()
    yield opened
    opened.close()


@pytest.fixture(scope="session")
def run() -> Callable[..., BundleRun]:
    """Return a function that makes a run of a bundle."""
    return _run


@pytest.fixture(scope="session")
def bundle() -> Callable[..., ImportBundle]:
    """Return a function that makes a bundle: one dataset, one metric unless told otherwise."""
    return _bundle


@pytest.fixture(scope="session")
def contents() -> Callable[[Store], dict[str, list[tuple[Any, ...]]]]:
    """Return a function that reads every row of every table, as another program would."""
    return _contents


def _run(system: str, scores: Scores = (), *, dataset: int = 0, **more: Any) -> BundleRun:
    """Make a run; `scores` are those of metric 0 in trial 0, or map (metric, trial) to scores."""
    by_place = scores if isinstance(scores, Mapping) else {(0, 0): scores}
    vectors = []
    for (metric, trial), values in by_place.items():
        array = np.asarray(values, dtype=np.float64)
        if array.size:
            vectors.append(BundleScores(metric, array.reshape(len(array), -1), trial))
    return BundleRun(system, dataset, scores=vectors, **more)


def _bundle(
    runs: Mapping[str, Scores] | Sequence[BundleRun],
    *,
    keys: Sequence[str] | None = None,
    items: Sequence[BundleItem] | None = None,
    dataset: str = "qa",
    version: str = "",
    metric: BundleMetric | Sequence[BundleMetric] | str = "score",
    path: str = "scores.csv",
    **more: Any,
) -> ImportBundle:
    """Make a bundle of runs, or of system -> scores. The items are called i000, i001, …"""
    made = [_run(s, v) for s, v in runs.items()] if isinstance(runs, Mapping) else list(runs)
    if items is None:
        if keys is None:
            n_items = next((len(scores.values) for r in made for scores in r.scores), 0)
            keys = [f"i{i:03d}" for i in range(n_items)]
        items = [BundleItem(key) for key in keys]
    if isinstance(metric, str):
        metric = BundleMetric(metric, higher_is_better=True)
    return ImportBundle(
        format="test",
        files=[SourceFile(path, "0" * 64)],
        datasets=more.pop("datasets", [BundleDataset(dataset, version, items)]),
        metrics=[metric] if isinstance(metric, BundleMetric) else metric,
        runs=made,
        **more,
    )


def _contents(store: Store) -> dict[str, list[tuple[Any, ...]]]:
    with store.read() as connection:
        names = set(sa.inspect(connection).get_table_names()) - {"seal"}  # digests of the others
        rows = {name: connection.exec_driver_sql(f'SELECT * FROM "{name}"') for name in names}
        return {name: sorted(map(tuple, found), key=repr) for name, found in rows.items()}


@pytest.fixture
def database(store: Store) -> Iterator[sqlite3.Connection]:
    """Return a bare connection to the store's file, to break things with."""
    if store.path is None:
        pytest.skip("breaks a file")
    connection = sqlite3.connect(store.path, isolation_level=None)
    yield connection
    connection.close()


@pytest.fixture(scope="session")
def rated() -> Callable[..., ImportBundle]:
    """Return a function that makes a bundle of ratings on one criterion."""
    return _rated


@pytest.fixture
def filled(store: Store, rated: Callable[..., ImportBundle]) -> Store:
    """Return a store with two annotators, two systems and four items."""
    ingest(
        store,
        rated(
            ("ann", 2, "B", 4.0), ("ann", 0, "B", 5.0), ("bob", 0, "A", 1.0), ("ann", 0, "A", 2.0)
        ),
        actor="t",
    )
    return store


@pytest.fixture(scope="session")
def compared() -> Callable[..., ImportBundle]:
    """Return a function that makes a bundle of preferences on one criterion."""
    return _compared


def _rated(*ratings: tuple[Any, ...] | BundleRating, **more: Any) -> ImportBundle:
    """Make a bundle of (annotator, item, system, value); "fluency" from 1 to 5 by default."""
    said = {"name": "fluency", "lower": 1.0, "upper": 5.0} | more
    rows = [row if isinstance(row, BundleRating) else BundleRating(0, *row) for row in ratings]
    return _judged(said, ratings=rows)


def _compared(*preferences: tuple[Any, ...] | BundlePreference, **more: Any) -> ImportBundle:
    """Make a bundle of (annotator, item, first, second, choice); "better" by default."""
    rows = [
        row if isinstance(row, BundlePreference) else BundlePreference(0, *row)
        for row in preferences
    ]
    return _judged({"name": "better", "kind": "preference"} | more, preferences=rows)


def _judged(said: dict[str, Any], **rows: Any) -> ImportBundle:
    items = [BundleItem(f"i{i}") for i in range(said.pop("n_items", 4))]
    annotators, name = said.pop("annotators", {}), said.pop("dataset_name", "qa")
    return ImportBundle(
        format="test",
        files=[SourceFile("judged.csv", "0" * 64)],
        datasets=[BundleDataset(name, items=items)],
        criteria=[BundleCriterion(dataset=0, **said)],
        annotators=annotators,
        **rows,
    )
