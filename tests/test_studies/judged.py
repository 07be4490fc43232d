"""Stores with judgments whose every number can be worked out again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from store.engine import Store
from store.importers.bundle import (
    BundleCriterion,
    BundleDataset,
    BundleItem,
    BundleMetric,
    BundlePreference,
    BundleRating,
    BundleReportedScore,
    BundleRun,
    BundleScores,
    ImportBundle,
)
from store.ingest import ingest

FloatArray = npt.NDArray[np.float64]


def add_rated(
    store: Store,
    scores: FloatArray,
    ratings: FloatArray,
    *,
    dataset: str = "talks",
    metrics: Sequence[str] = (),
    groups: Sequence[str] | None = None,
    domains: Sequence[str] | None = None,
) -> None:
    """Store metrics, shape (n_metrics, n_systems, n_items), and ratings of a criterion "quality".

    Ratings have shape (n_annotators, n_systems, n_items); NaN: not rated.
    """
    n_metrics, n_systems, n_items = scores.shape
    names = list(metrics) or [f"m{k}" for k in range(n_metrics)]
    items = [
        BundleItem(
            f"i{i}",
            group=None if groups is None else groups[i],
            metadata=None if domains is None else {"domain": domains[i], "tokens": i},
        )
        for i in range(n_items)
    ]
    runs = [
        BundleRun(
            f"s{s}", 0, scores=[BundleScores(m, scores[m, s][:, None]) for m in range(n_metrics)]
        )
        for s in range(n_systems)
    ]
    found = [
        BundleRating(0, f"annotator {a}", i, f"s{s}", float(ratings[a, s, i]))
        for a, s, i in np.argwhere(~np.isnan(ratings)).tolist()
    ]
    ingest(
        store,
        ImportBundle(
            format="test",
            datasets=[BundleDataset(dataset, items=items)],
            metrics=[BundleMetric(name, higher_is_better=True) for name in names],
            runs=runs,
            criteria=[BundleCriterion("quality", 0)],
            ratings=found,
        ),
        actor="tests",
    )


def add_preferred(
    store: Store,
    scores: FloatArray,
    choices: FloatArray,
    *,
    dataset: str = "parses",
    metrics: Sequence[str] = (),
) -> None:
    """Store metrics of two systems, shape (n_metrics, 2, n_items), and choices between them.

    Choices have shape (n_annotators, n_items): 1 = "a" is better, -1 = "b", 0 = a tie.
    """
    n_metrics, _, n_items = scores.shape
    names = list(metrics) or [f"m{k}" for k in range(n_metrics)]
    words = {1.0: "first", -1.0: "second", 0.0: "tie"}
    ingest(
        store,
        ImportBundle(
            format="test",
            datasets=[BundleDataset(dataset, items=[BundleItem(f"i{i}") for i in range(n_items)])],
            metrics=[BundleMetric(name, higher_is_better=True) for name in names],
            runs=[
                BundleRun(
                    system,
                    0,
                    scores=[BundleScores(m, scores[m, s][:, None]) for m in range(n_metrics)],
                )
                for s, system in enumerate("ab")
            ],
            criteria=[BundleCriterion("better", 0, kind="preference")],
            preferences=[
                BundlePreference(0, f"annotator {a}", i, "a", "b", words[float(choices[a, i])])  # type: ignore[arg-type]
                for a, i in np.argwhere(~np.isnan(choices)).tolist()
            ],
        ),
        actor="tests",
    )


def add_compared(
    store: Store,
    scores: FloatArray,
    choices: FloatArray,
    names: Sequence[str],
    *,
    dataset: str = "answers",
) -> None:
    """Store metrics of several systems, shape (n_metrics, n_systems, n_items), and choices.

    Choices have shape (n_systems, n_systems, n_items): who is better of the row and the column, one
    annotator; only pairs with row < column are read. `names` are those of the systems.
    """
    n_metrics, n_systems, n_items = scores.shape
    words = {1.0: "first", -1.0: "second", 0.0: "tie"}
    ingest(
        store,
        ImportBundle(
            format="test",
            datasets=[BundleDataset(dataset, items=[BundleItem(f"i{i}") for i in range(n_items)])],
            metrics=[BundleMetric(f"m{k}", higher_is_better=True) for k in range(n_metrics)],
            runs=[
                BundleRun(
                    names[s],
                    0,
                    scores=[BundleScores(m, x[s][:, None]) for m, x in enumerate(scores)],
                )
                for s in range(n_systems)
            ],
            criteria=[BundleCriterion("better", 0, kind="preference")],
            preferences=[
                BundlePreference(
                    0, "annotator", i, names[a], names[b], words[float(choices[a, b, i])]
                )  # type: ignore[arg-type]
                for a in range(n_systems)
                for b in range(a + 1, n_systems)
                for i in range(n_items)
            ],
        ),
        actor="tests",
    )


def add_labels(store: Store, *, dataset: str = "labelled") -> None:
    """Store labels of items that no system made."""
    ingest(
        store,
        ImportBundle(
            format="test",
            datasets=[BundleDataset(dataset, items=[BundleItem("i0"), BundleItem("i1")])],
            criteria=[BundleCriterion("topic", 0, level="nominal", labels=("x", "y"))],
            ratings=[BundleRating(0, "annotator", i, None, float(i)) for i in range(2)],
        ),
        actor="tests",
    )


def add_reported(
    store: Store,
    figures: Mapping[str, Sequence[float]],
    human: Sequence[float],
    *,
    dataset: str = "news de-en",
    lower_is_better: Sequence[str] = (),
) -> None:
    """Store figures of metrics, one per system, and those of people, the metric "DA"."""
    columns = {**figures, "DA": human}
    ingest(
        store,
        ImportBundle(
            format="test",
            datasets=[BundleDataset(dataset)],
            metrics=[
                BundleMetric(
                    name,
                    higher_is_better=name not in lower_is_better,
                    source="human" if name == "DA" else "automatic",
                )
                for name in columns
            ],
            reported_scores=[
                BundleReportedScore(f"s{s}", 0, m, float(value), source="test")
                for m, column in enumerate(columns.values())
                for s, value in enumerate(column)
            ],
        ),
        actor="tests",
    )
