"""Steiger's test of all pairs of correlations with one gold."""

import numpy as np

from analysis.statistics._typing import FloatArray, IntArray
from analysis.statistics.all_pairs.closed_forms import square
from analysis.statistics.all_pairs.complete_sets import complete_sets
from analysis.statistics.all_pairs.result import PairMethod, PairPvalues
from analysis.statistics.correlations import as_ranked, correlate, standardise
from analysis.statistics.paired.correlation_tests import DependentCorrelations, steiger_z
from analysis.statistics.paired.result import TINY
from analysis.statistics.resampling.tails import both_ways, of_normal


def steiger_all_pairs(
    values: FloatArray, aggregation: str, *, alternative: str = "two-sided"
) -> PairPvalues:
    """Test all pairs of dependent correlations by Steiger's Z (averaged correlation).

    Parameters
    ----------
    values : ndarray, shape (n_systems, n_items, 2)
        Prediction and gold, the same gold for all; NaN where a system has none.
    aggregation : {"pearson", "spearman"}
    alternative : {"two-sided", "greater", "less"}

    Returns
    -------
    PairPvalues
        1 for identical systems. NaN for fewer than four shared items, where a correlation is not
        defined, and where it is 1 in size.

    References
    ----------
    Steiger (1980), Tests for comparing elements of a correlation matrix, eqs. 3, 11 and 14.
    """
    n_systems = len(values)
    n_pairs = n_systems * (n_systems - 1) // 2
    z = np.full(n_pairs, np.nan)
    identical = np.zeros(n_pairs, dtype=np.bool_)
    for part in complete_sets(~np.isnan(values[:, :, 0])):
        z[part.pairs] = _steiger_z(
            values[np.ix_(part.systems, part.items)], aggregation, part.left, part.right
        )
        for pair, i, j in zip(part.pairs, part.left, part.right, strict=True):
            if z[pair] == 0:
                a, b = values[part.systems[i]], values[part.systems[j]]
                identical[pair] = np.array_equal(a[part.items], b[part.items])
    above, below = both_ways(of_normal, z, alternative)
    # Where rounding could not tell 0 from a negligible p-value, no p-value is 0.
    above, below = (np.where(identical, 1.0, np.maximum(tail, TINY)) for tail in (above, below))
    floor = np.zeros(n_pairs)
    return square(n_systems, above, below, floor, floor, PairMethod.CLOSED_FORM)


def _steiger_z(values: FloatArray, aggregation: str, left: IntArray, right: IntArray) -> FloatArray:
    """Return Z of listed pairs of complete systems; NaN where a correlation is not defined."""
    n_items = values.shape[1]
    predictions = np.stack([as_ranked(system[:, 0], aggregation) for system in values])
    gold = as_ranked(values[0, :, 1], aggregation)
    with_gold = np.array([correlate(prediction, gold) for prediction in predictions])
    standard = np.stack([standardise(prediction) for prediction in predictions])
    among = np.clip(standard @ standard.T / n_items, -1.0, 1.0)
    z = np.full(left.size, np.nan)
    for pair, (i, j) in enumerate(zip(left, right, strict=True)):
        r = DependentCorrelations(with_gold[i], with_gold[j], among[i, j])
        if not np.isnan(r.a_gold + r.b_gold):
            z[pair] = steiger_z(r, n_items)
    return z
