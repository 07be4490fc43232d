"""How much the scores of systems change from training to training, for the tests of all pairs.

Samples of one system are no such repeats: they make its score of an item more exact.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from analysis.statistics._typing import FloatArray
from analysis.statistics.validity_bounds import RunSpread
from store.arrays import load_seeds
from store.engine import Store
from store.records import ScoreMatrix


class Spread(NamedTuple):
    """What is known of one system's repeats: an entry of `RunSpread`."""

    n_runs: int
    between: float
    noise: float


ONE_RUN = Spread(1, 0.0, 0.0)


def side_by_side(first: Spread, second: Spread) -> RunSpread | None:
    """Return what the test of two systems needs; ``None`` where neither has repeats."""
    if max(first.n_runs, second.n_runs) < 2:
        return None
    return RunSpread(
        np.array([first.n_runs, second.n_runs]),
        np.array([first.between, second.between]),
        np.array([first.noise, second.noise]),
    )


def load_run_spread(store: Store, matrix: ScoreMatrix) -> RunSpread | None:
    """Return how the trainings of a matrix's systems differ; ``None``: there is one of each."""
    if max(matrix.n_vectors, default=0) < 2 or matrix.metric.aggregation != "mean":
        return None
    spread = RunSpread(
        np.ones(len(matrix.systems), np.int64),
        np.zeros(len(matrix.systems)),
        np.zeros(len(matrix.systems)),
    )
    repeated = [uid for uid, n in zip(matrix.system_uids, matrix.n_vectors, strict=True) if n > 1]
    seeds = load_seeds(store, matrix.dataset.uid, matrix.metric.uid, repeated)
    for uid, scores in seeds.items():
        place = matrix.system_uids.index(uid)
        found = spread_of(scores[:, :, 0])
        spread.n_runs[place], spread.between[place], spread.noise[place] = found
    return spread if spread.n_runs.max() > 1 else None


def spread_of(scores: FloatArray) -> Spread:
    """Return how much the mean of one system changes from repeat to repeat.

    On items that all repeats scored, of shape (n_runs, n_items). With fewer than two of these
    nothing is known: one run.
    """
    complete = scores[:, ~np.isnan(scores).any(axis=0)]
    n_runs, n_items = complete.shape
    if n_runs < 2 or n_items < 2:
        return ONE_RUN
    of_runs = complete.mean(axis=1, keepdims=True)
    rest = complete - of_runs - complete.mean(axis=0) + complete.mean()
    noise = float(np.sum(rest**2)) / ((n_runs - 1) * (n_items - 1) * n_items)
    return Spread(n_runs, float(np.var(of_runs, ddof=1)), noise)
