"""The soft pairwise accuracy: does a metric doubt the pairs of systems that humans doubt?"""

import numpy as np
import numpy.typing as npt

from analysis.statistics._typing import FloatArray, Seed
from analysis.statistics.all_pairs.signflip import signflip_all_pairs
from analysis.statistics.meta_evaluation.cells import as_cells, as_pair
from analysis.statistics.validation import as_count, as_seed

N_PERMUTATIONS = 1_000


def doubts(
    scores: npt.ArrayLike, *, n_permutations: int = N_PERMUTATIONS, rng: Seed = 0
) -> FloatArray:
    """Return the one-sided p-value of "i is better than j" for all pairs of systems.

    Parameters
    ----------
    scores : array_like, shape (n_systems, n_items)
        NaN: missing; a pair is compared on the items that both have.
    n_permutations : int
        Random exchanges of items, the same for all pairs and for all scores with one seed; used
        only where the p-values cannot be had exactly.
    rng : int, Generator or None

    Returns
    -------
    ndarray, shape (n_systems, n_systems)
        ``[i, j]`` and ``[j, i]`` add up to 1: permutations that give exactly the observed
        difference count by half. NaN on the diagonal and for pairs without shared items.
    """
    values = as_cells(scores, "scores")
    count = as_count(n_permutations, "n_permutations")
    if not len(values):
        return np.empty((0, 0))
    tails = signflip_all_pairs(
        values, alternative="greater", n_resamples=count, seed=as_seed(rng)
    ).pvalue
    # P(T >= t) and P(T <= t) of the same pair: half of what they share is the chance of a tie.
    return np.asarray((tails + 1.0 - tails.T) / 2.0)


def soft_pairwise_accuracy(
    metric: npt.ArrayLike,
    gold: npt.ArrayLike,
    *,
    n_permutations: int = N_PERMUTATIONS,
    rng: Seed = 0,
) -> float:
    """Return 1 less the mean distance of a metric's p-values from those of gold.

    Parameters
    ----------
    metric, gold : array_like, shape (n_systems, n_items)
        NaN: missing; only cells that have both count.
    n_permutations : int
    rng : int, Generator or None
        Seed; 0 is a seed.

    Returns
    -------
    float
        The mean over pairs of systems of ``1 - |p_metric - p_gold|``; NaN without a pair that
        shares items, and where either side gives all systems the same score on every item.

    Notes
    -----
    Differs from the paper's sampling in three ways that leave its meaning: p-values are exact
    where that is cheap, ties of a permutation with the observed difference count by half (so
    that the order in which systems are listed does not matter), and sums are exact.

    The paper does not speak of constant metrics. By its formula one would have p = 1 for every
    pair or, with ties by half, p = 1/2: close to gold wherever gold is unsure, and so better than
    metrics that say something. It is left undefined, as a correlation is.

    References
    ----------
    Thompson, Mathur, Deutsch and Khayrallah (2024), Improving statistical significance in human
    evaluation of automatic metrics via soft pairwise accuracy, eqs. 2 and 3.

    Examples
    --------
    >>> soft_pairwise_accuracy([[1, 2, 3], [0, 0, 0]], [[2, 4, 7], [1, 1, 1]])
    1.0
    """
    x, y = as_pair(metric, gold)
    missing = np.isnan(x) | np.isnan(y)
    x[missing] = y[missing] = np.nan
    seed = as_seed(rng)
    if not (tells_apart(x) and tells_apart(y)):
        return float("nan")
    return between_doubts(
        doubts(x, n_permutations=n_permutations, rng=seed),
        doubts(y, n_permutations=n_permutations, rng=seed),
    )


def tells_apart(scores: FloatArray) -> bool:
    """Return whether any two systems have different scores on some item."""
    low = np.min(scores, axis=0, initial=np.inf, where=~np.isnan(scores))
    high = np.max(scores, axis=0, initial=-np.inf, where=~np.isnan(scores))
    return bool(np.any(high > low))


def between_doubts(metric: FloatArray, gold: FloatArray) -> float:
    """Return the soft pairwise accuracy from the p-values of both sides."""
    apart = np.abs(metric - gold)[np.triu_indices(len(metric), 1)]
    apart = apart[~np.isnan(apart)]
    return float(1.0 - np.mean(apart)) if apart.size else float("nan")
