"""A store with the example content, and one with a few runs of known scores."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from store.engine import Store, open_store
from store.importers.bundle import (
    BundleDataset,
    BundleItem,
    BundleMetric,
    BundleRun,
    BundleScores,
    ImportBundle,
    Provenance,
)
from store.ingest import ingest, ingest_all
from tests.test_studies.claimed import START, AddDated


@pytest.fixture(scope="session")
def example(example_copy: Callable[[], Any]) -> Iterator[Store]:
    """Return the example content, to read only."""
    store = open_store(example_copy().path)
    yield store
    store.close()


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """Return an empty store."""
    opened = open_store(tmp_path / "store.db", create=True)
    yield opened
    opened.close()


@pytest.fixture
def add_run(store: Store) -> Callable[..., None]:
    """Return a function that stores one run with the given scores."""

    def add(
        system: str,
        dataset: str,
        scores: list[float],
        *,
        label: str = "",
        metric: str = "accuracy",
        higher_is_better: bool = True,
        missing_as_zero: bool = False,
        statuses: list[int] | None = None,
    ) -> None:
        values = np.array(scores, dtype=float).reshape(len(scores), 1)
        bundle = ImportBundle(
            format="test",
            datasets=[
                BundleDataset(dataset, items=[BundleItem(f"i{k}") for k in range(len(scores))])
            ],
            metrics=[BundleMetric(metric, higher_is_better=higher_is_better)],
            runs=[
                BundleRun(
                    system,
                    0,
                    label,
                    [BundleScores(0, values)],
                    {} if statuses is None else {0: np.array(statuses, np.uint8)},
                )
            ],
        )
        ingest_all(store, [bundle], actor="tests", missing_as_zero=missing_as_zero)

    return add


@pytest.fixture
def add_dated(store: Store) -> AddDated:
    """Return a function that stores a run with its day and scores."""

    def add(
        system: str,
        day: float | None,
        scores: list[float] | list[list[float]],
        *,
        label: str = "",
        metric: str = "accuracy",
        higher_is_better: bool = True,
        groups: list[str] | None = None,
        replace: bool = False,
        statuses: list[int] | None = None,
    ) -> None:
        trials = scores if isinstance(scores[0], list) else [scores]
        items = [
            BundleItem(f"i{k}", group=groups[k] if groups else None) for k in range(len(trials[0]))
        ]
        when = None if day is None else START + timedelta(days=day)
        vectors = [
            BundleScores(0, np.array(values, dtype=float).reshape(-1, 1), trial=trial)
            for trial, values in enumerate(trials)
        ]
        bundle = ImportBundle(
            format="test",
            datasets=[BundleDataset("qa", items=items)],
            metrics=[BundleMetric(metric, higher_is_better=higher_is_better)],
            runs=[
                BundleRun(
                    system,
                    0,
                    label,
                    vectors,
                    {} if statuses is None else {0: np.array(statuses, np.uint8)},
                    provenance=Provenance(evaluated_on=when),
                )
            ],
        )
        ingest(store, bundle, actor="tests", replace=replace)

    return add
