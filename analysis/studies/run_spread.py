"""How much the scores of systems change from run to run, for the tests of all pairs."""

from __future__ import annotations

import numpy as np

from analysis.statistics import FloatArray
from analysis.statistics.validity import RunSpread
from store.arrays import load_run_matrix
from store.engine import Store
from store.records import ScoreMatrix


def load_run_spread(store: Store, matrix: ScoreMatrix) -> RunSpread | None:
    """Return what is known of the runs of a matrix's systems; ``None`` = no mean, or no repeats."""
    if max(matrix.n_vectors, default=0) < 2 or matrix.metric.aggregation != "mean":
        return None
    spread = RunSpread(
        np.array(matrix.n_vectors),
        np.zeros(len(matrix.systems)),
        np.zeros(len(matrix.systems)),
    )
    for place, uid in enumerate(matrix.system_uids):
        if matrix.n_vectors[place] > 1:
            runs = load_run_matrix(store, matrix.dataset.uid, matrix.metric.uid, uid)
            found = _of_runs(runs.scores[:, :, 0])
            spread.n_runs[place], spread.between[place], spread.noise[place] = found
    return spread


def _of_runs(scores: FloatArray) -> tuple[int, float, float]:
    """Return runs, the variance of their means, and what chance within items makes of it.

    On items that all runs scored. With fewer than two of these nothing is known: one run.
    """
    complete = scores[:, ~np.isnan(scores).any(axis=0)]
    n_runs, n_items = complete.shape
    if n_runs < 2 or n_items < 2:
        return 1, 0.0, 0.0
    of_runs = complete.mean(axis=1, keepdims=True)
    rest = complete - of_runs - complete.mean(axis=0) + complete.mean()
    noise = float(np.sum(rest**2)) / ((n_runs - 1) * (n_items - 1) * n_items)
    return n_runs, float(np.var(of_runs, ddof=1)), noise
