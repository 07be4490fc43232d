"""Almost stochastic order: two systems that each ran several times on a dataset."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from analysis.statistics import FloatArray
from analysis.statistics.across.stochastic_order import StochasticOrder, almost_stochastic_order
from analysis.statistics.aggregate import aggregate_items
from analysis.studies.evidence import PairEvidence
from store.arrays import load_run_matrix
from store.engine import Store

FEWEST_RUNS = 3
"""With fewer runs the spread between them cannot be seen."""


@dataclass(frozen=True, slots=True, eq=False)
class SeedOrder:
    """The scores of several runs of A against those of several runs of B, on one dataset."""

    dataset: str
    metric: str
    n_runs_a: int
    n_runs_b: int
    a_over_b: StochasticOrder
    b_over_a: StochasticOrder


def order_by_seeds(
    store: Store, systems: tuple[str, str], evidence: PairEvidence, *, alpha: float, seed: int
) -> tuple[SeedOrder, ...]:
    """Compare the runs of both systems wherever each has at least three.

    The bounds hold for all datasets and both directions together (Bonferroni).
    """
    repeated = [c for c in evidence.cells if min(c.matrix.n_vectors) >= FEWEST_RUNS]
    orders = []
    for cell in repeated:
        matrix = cell.matrix
        a, b = (
            _scores_of_runs(store, matrix.dataset.uid, matrix.metric.uid, uid) for uid in systems
        )
        a, b = matrix.metric.sign * a, matrix.metric.sign * b
        there, back = (
            almost_stochastic_order(
                first,
                second,
                confidence_level=1 - alpha,
                n_comparisons=2 * len(repeated),
                rng=seed,
            )
            for first, second in ((a, b), (b, a))
        )
        orders.append(
            SeedOrder(matrix.dataset.label, matrix.metric.label, len(a), len(b), there, back)
        )
    return tuple(orders)


def _scores_of_runs(store: Store, dataset: str, metric: str, system: str) -> FloatArray:
    runs = load_run_matrix(store, dataset, metric, system)
    scores = [aggregate_items(run, runs.metric.aggregation) for run in runs.scores]
    return np.array([score for score in scores if np.isfinite(score)])
