"""Ties of a metric: how small a difference says nothing.

A metric that knows no ties cannot agree where humans see none. Deutsch, Foster and Freitag (2023)
take differences up to epsilon as ties, and choose epsilon so that the metric agrees best.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from analysis.statistics._typing import BoolArray, CodeArray, FloatArray
from analysis.statistics.meta_evaluation.cells import LEVELS, as_pair, as_units, system_means
from analysis.statistics.meta_evaluation.coefficients import in_steps, prepare
from analysis.statistics.validation import as_choice

_MOST_LISTED = 1 << 22
_N_BINS = 1 << 16
_EQUAL = 1e-12


class BestEpsilon(NamedTuple):
    """The tie threshold that makes a metric agree best."""

    epsilon: float
    """NaN where there are no pairs."""
    accuracy: float
    """Pairwise accuracy with it, averaged over units."""
    n_candidates: int
    """Thresholds that were compared."""


def best_epsilon(metric: npt.ArrayLike, gold: npt.ArrayLike, *, level: str) -> BestEpsilon:
    """Return the smallest tie threshold with the highest pairwise accuracy.

    Parameters
    ----------
    metric, gold : array_like, shape (n_systems, n_items)
        NaN: missing.
    level : {"system", "item", "per-system", "global"}
        Which pairs are compared; one threshold serves all units, whose accuracies are averaged.

    Returns
    -------
    BestEpsilon

    Raises
    ------
    TypeError, ValueError
        If scores are no finite numbers or do not fit, or the level is unknown.

    Notes
    -----
    Epsilon may be 0 or the size of any difference that the metric shows between two cells of a
    unit: between two such sizes the accuracy is constant. With more than 2^22 pairs, sizes are
    grouped into at most 2^16 bins of equal width and epsilon is the upper end of one; for scores
    in fewer steps this is the same.

    The same data choose epsilon and are judged with it. A metric without ties thus gets the
    share of human ties as a lower bound; compare metrics that were all calibrated.

    References
    ----------
    Deutsch, Foster and Freitag (2023), Ties matter: meta-evaluating modern metrics with pairwise
    accuracy and tie calibration, section 6.

    Examples
    --------
    >>> best_epsilon([[0.1], [0.12], [0.5]], [[1], [1], [2]], level="item").epsilon.__round__(9)
    0.02
    """
    as_choice(level, "level", LEVELS)
    x, y = as_pair(metric, gold)
    if level == "system":
        shared = ~(np.isnan(x) | np.isnan(y))
        means = system_means(x, shared, exact=True)
        x, step = means.values[np.newaxis], means.step
        y = system_means(y, shared, exact=True).values[np.newaxis]
    else:
        x, step = in_steps(x)
        x, y = as_units(x, level), as_units(y, level)
    rows_x, rows_y = prepare(x), prepare(y)
    present = rows_x.present & rows_y.present
    counts = np.count_nonzero(present, axis=1)
    n_pairs = counts * (counts - 1) // 2
    used = n_pairs > 0
    if not used.any():
        return BestEpsilon(np.nan, np.nan, 0)
    shares = np.zeros(len(n_pairs))
    np.divide(1.0 / np.count_nonzero(used), n_pairs, out=shares, where=used)
    arguments = (rows_x.values, rows_y.codes, present, shares)
    total = int(np.sum(n_pairs))
    sizes, gains = _listed(*arguments, total) if total <= _MOST_LISTED else _binned(*arguments)
    accuracy = np.cumsum(gains)
    best = int(np.argmax(accuracy >= np.max(accuracy) - _EQUAL))
    return BestEpsilon(float(sizes[best] * step), float(accuracy[best]), sizes.size)


def _listed(
    x: FloatArray,
    y: CodeArray,
    present: BoolArray,
    shares: FloatArray,
    n_pairs: int,
) -> tuple[FloatArray, FloatArray]:
    """Return every size of a difference, ascending from 0, and what the accuracy gains there."""
    from analysis.statistics.meta_evaluation.tie_kernels import list_pairs

    sizes, gains = np.empty(n_pairs), np.empty(n_pairs)
    at_zero = list_pairs(x, y, present, shares, sizes, gains)
    sizes, inverse = np.unique(np.append(sizes, 0.0), return_inverse=True)
    gained = np.bincount(inverse, weights=np.append(gains, at_zero), minlength=sizes.size)
    return sizes, np.asarray(gained, dtype=np.float64)


def _binned(
    x: FloatArray, y: CodeArray, present: BoolArray, shares: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return the upper ends of bins of sizes, the first of them 0, and the gains in each."""
    from analysis.statistics.meta_evaluation.tie_kernels import add_to_bins

    low = np.min(x, axis=1, initial=np.inf, where=present)
    high = np.max(x, axis=1, initial=-np.inf, where=present)
    reach = float(np.max(high - low))
    width = max(1.0, np.ceil(reach / (_N_BINS - 1)))
    gained = np.zeros(int(np.ceil(reach / width)) + 1)
    at_zero = add_to_bins(x, y, present, shares, width, gained)
    gained[0] += at_zero
    return np.arange(gained.size) * width, gained
