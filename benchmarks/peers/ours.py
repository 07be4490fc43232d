"""Our side of each case: the same figures from the same data."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from analysis.statistics._typing import FloatArray
from analysis.statistics.across.aggregates import aggregate_over_datasets
from analysis.statistics.across.friedman import friedman_test
from analysis.statistics.across.nemenyi import nemenyi
from analysis.statistics.across.over_datasets import pairs_over_datasets
from analysis.statistics.across.resampled_datasets import DatasetScores, resample_over_datasets
from analysis.statistics.all_pairs.pairwise import pairwise
from analysis.statistics.meta_evaluation.comparison import compare_all_metrics
from benchmarks.peers.theirs import Figures, Work
from store.arrays import load_matrix
from store.engine import open_store
from store.importers.bundle import (
    BundleDataset,
    BundleItem,
    BundleMetric,
    BundleRun,
    BundleScores,
    ImportBundle,
    SourceFile,
)
from store.ingest import ingest


def _upper(square: FloatArray) -> list[float]:
    found: list[float] = square[np.triu_indices(len(square), 1)].tolist()
    return found


def _pvalues(scores: FloatArray, test: str) -> list[float]:
    found = pairwise(scores, test=test, interval="none", correction="none", n_threads=1)
    return _upper(found.pvalue)


def _evalstats(scores: FloatArray) -> Figures:
    return _upper(pairwise(scores, correction="max-t", n_threads=1).difference)


def _nlpstats(scores: FloatArray) -> Figures:
    found = compare_all_metrics(
        scores[:-1], scores[-1], level="system", coefficient="pearson", test="perm-both",
        n_resamples=999, n_threads=1,
    )  # fmt: skip
    return _upper(found.pvalue)


def _autorank(scores: FloatArray) -> Figures:
    friedman, apart = friedman_test(scores), nemenyi(scores)
    pairs_over_datasets(scores)
    ranks: Sequence[float] = friedman.mean_ranks.tolist()
    return [*ranks, friedman.pvalue, apart.critical_difference]


def _posthocs(scores: FloatArray) -> Figures:
    return _upper(nemenyi(scores).pvalue)


def _rliable(scores: FloatArray) -> Figures:
    datasets = [
        DatasetScores(np.ascontiguousarray(scores[:, task, :, np.newaxis]), "mean")
        for task in range(scores.shape[1])
    ]
    mean = aggregate_over_datasets(
        resample_over_datasets(datasets, n_resamples=2_000, n_threads=1)
    ).mean
    return np.stack([mean.value, mean.low, mean.high], axis=1).ravel().tolist()


def _mlflow(scores: FloatArray) -> Figures:
    with tempfile.TemporaryDirectory() as folder:
        store = open_store(Path(folder) / "ours.db", create=True)
        items = [BundleItem(f"item {number:05d}") for number in range(scores.shape[1])]
        runs = [
            BundleRun(f"system {number:03d}", 0, scores=[BundleScores(0, row[:, np.newaxis])])
            for number, row in enumerate(scores)
        ]
        bundle = ImportBundle(
            format="benchmark",
            files=[SourceFile("scores.csv", "0" * 64)],
            datasets=[BundleDataset("qa", items=items)],
            metrics=[BundleMetric("score", higher_is_better=True)],
            runs=runs,
        )
        ingest(store, bundle, actor="bench")
        read = load_matrix(store, "qa", "score").scores[:, :, 0]
        store.close()
        found: list[float] = read.mean(axis=1).tolist()
        return found


CASES: dict[str, Work] = {
    "wilcoxon": lambda scores: _pvalues(scores, "wilcoxon"),
    "mcnemar": lambda scores: _pvalues(scores, "mcnemar"),
    "evalstats": _evalstats,
    "nlpstats": _nlpstats,
    "autorank": _autorank,
    "posthocs": _posthocs,
    "rliable": _rliable,
    "mlflow": _mlflow,
}
