"""Max-T: the correction for all pairs that knows how they depend on each other."""

import math
from collections.abc import Hashable, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from analysis.statistics._typing import Alternative, FloatArray, IntArray, Progress
from analysis.statistics.all_pairs.missing import Comparison, SharedSums, set_up
from analysis.statistics.resampling.plan import BLOCK
from analysis.statistics.resampling.tails import TIE
from analysis.statistics.resampling.threads import count_blocks, run_blocks
from analysis.statistics.results import read_only
from analysis.statistics.validation import ALTERNATIVES, as_choice, as_count, as_seed


def max_t_all_pairs(
    scores: npt.ArrayLike,
    *,
    groups: Sequence[Hashable] | npt.NDArray[np.generic] | None = None,
    alternative: Alternative = "two-sided",
    n_resamples: int = 9_999,
    seed: int = 0,
    n_threads: int | None = None,
    progress: Progress | None = None,
) -> FloatArray:
    """Adjust the sign-flip test of all pairs for their number by the largest statistic.

    Exchanges all systems by one plan, so the largest of the statistics is drawn with the
    dependence between pairs as it is: pairs share systems, and systems share hard items. The
    family-wise error is controlled strongly where exchanging the systems of any true null
    hypotheses leaves their joint distribution as it is.

    Parameters
    ----------
    scores, groups, n_resamples, seed, n_threads, progress
        As for `signflip_all_pairs`; the same plan.
    alternative : {"two-sided", "greater", "less"}
        One-sided, the family is all ordered pairs: ``[i, j]`` and ``[j, i]`` both count.

    Returns
    -------
    ndarray, shape (n_systems, n_systems)
        Adjusted p-values, (count + 1) / (n_resamples + 1); NaN on the diagonal and for pairs
        without shared items. Identical systems have 1.

    Raises
    ------
    TypeError, ValueError
        As `signflip_all_pairs`.

    Notes
    -----
    The statistic is T / sqrt(Σ d²) over units, which exchanging does not change the denominator
    of: pairs with little and with much noise enter on the same footing. Adjusted p-values have
    the floor 1 / (n_resamples + 1) as well, but against the level of the whole family: unlike
    Bonferroni or Holm, the number of pairs does not push what is needed below the floor, so 9,999
    patterns serve thousands of pairs. Equal statistics count as reached within a relative 1e-12.
    Memory: as for `signflip_all_pairs`; with missing items 64 MiB per thread, or 128 bytes for
    each system and pattern of missing items where that is more.

    References
    ----------
    Westfall, Young (1993), Resampling-Based Multiple Testing, algorithm 2.8. Romano, Wolf (2005),
    Exact and approximate stepdown methods for multiple hypothesis testing.

    Examples
    --------
    >>> adjusted = max_t_all_pairs([[3, 2, 5, 4, 4, 5], [1, 1, 2, 3, 1, 3], [3, 2, 5, 4, 4, 5]])
    >>> bool(adjusted[0, 1] < 0.1), float(adjusted[0, 2])
    (True, 1.0)
    """
    as_choice(alternative, "alternative", ALTERNATIVES)
    resamples, plan = as_count(n_resamples, "n_resamples"), as_seed(seed)
    comparison = set_up(scores, groups)
    two_sided = alternative == "two-sided"
    family = _family(comparison, two_sided)
    adjusted = np.full((comparison.n_systems, comparison.n_systems), np.nan)
    shared = comparison.n_shared > 0
    left, right = comparison.left[shared], comparison.right[shared]
    # What is not in the family below: pairs of identical systems.
    adjusted[left, right] = adjusted[right, left] = 1.0
    if family.left.size:
        counts = _count(comparison, family, two_sided, resamples, plan, n_threads, progress)
        pvalues = (counts + 1) / (resamples + 1)
        # Least extreme first: no hypothesis may have a smaller p-value than a more extreme one.
        pvalues = np.maximum.accumulate(pvalues[::-1])[::-1]
        adjusted[family.left, family.right] = pvalues
        if two_sided:
            adjusted[family.right, family.left] = pvalues
    return read_only(np.ascontiguousarray(adjusted.T) if alternative == "less" else adjusted)


class _Family(NamedTuple):
    """The hypotheses, least extreme statistic first."""

    left: IntArray
    right: IntArray
    weight: FloatArray
    """1 / sqrt(Σ d²)."""
    target: FloatArray
    """Observed statistic, a little less."""


class SingleStep(NamedTuple):
    """Single-step max-T: adjusted p-values, and the statistic that rejects."""

    pvalue: FloatArray
    """Shape (n_systems, n_systems), (count + 1) / (n_resamples + 1); NaN on the diagonal."""
    critical: float
    """A pair with a larger |T| / sqrt(Σ d²) has a p of at most alpha; inf where none can."""


def single_step_max_t(
    scores: npt.ArrayLike,
    *,
    alpha: float,
    groups: Sequence[Hashable] | npt.NDArray[np.generic] | None = None,
    n_resamples: int = 9_999,
    seed: int = 0,
    n_threads: int | None = None,
    progress: Progress | None = None,
) -> SingleStep:
    """Compare every pair with the largest statistic of all pairs, two-sided.

    Parameters
    ----------
    scores, groups, n_resamples, seed, n_threads, progress
        As for `max_t_all_pairs`, whose plan this is. Its adjusted p-values are never larger.
    alpha : float
        Of the family.

    Raises
    ------
    TypeError, ValueError
        As `signflip_all_pairs`.

    References
    ----------
    Westfall, Young (1993), Resampling-Based Multiple Testing, section 2.3.
    """
    resamples, plan = as_count(n_resamples, "n_resamples"), as_seed(seed)
    comparison = set_up(scores, groups)
    family = _family(comparison, two_sided=True)
    pvalue = np.full((comparison.n_systems, comparison.n_systems), np.nan)
    shared = comparison.n_shared > 0
    left, right = comparison.left[shared], comparison.right[shared]
    pvalue[left, right] = pvalue[right, left] = 1.0
    highest = np.sort(_maxima(comparison, family, resamples, plan, n_threads, progress))
    reached = resamples - np.searchsorted(highest, family.target, side="left")
    pvalue[family.left, family.right] = (reached + 1) / (resamples + 1)
    pvalue[family.right, family.left] = (reached + 1) / (resamples + 1)
    above = math.floor(alpha * (resamples + 1) * (1 + 1e-12)) - 1
    critical = math.inf if above < 0 else float(highest[resamples - 1 - above])
    return SingleStep(read_only(pvalue), critical)


def _maxima(
    comparison: Comparison,
    family: _Family,
    n_resamples: int,
    seed: int,
    n_threads: int | None,
    progress: Progress | None,
) -> FloatArray:
    """Return the largest statistic of each pattern."""
    from analysis.statistics.all_pairs import kernels

    sums = SharedSums(comparison, seed)
    left, right = sums.place[family.left], sums.place[family.right]
    highest = np.zeros(n_resamples)

    def work(block: int, rows: int) -> None:
        own = highest[block * BLOCK : block * BLOCK + rows]
        for slab in sums.slabs(block):
            part = own[slab.start : slab.start + slab.sums.shape[2]]
            kernels.raise_maxima(slab.sums, sums.pattern, left, right, family.weight, part)
            if slab.start + slab.sums.shape[2] >= rows:
                break

    run_blocks(work, n_resamples, n_threads=n_threads, progress=progress)
    return highest


def _family(comparison: Comparison, two_sided: bool) -> _Family:
    squares = _sums_of_squares(comparison)
    able = squares > 0
    left, right = comparison.left[able], comparison.right[able]
    weight = 1.0 / np.sqrt(squares[able])
    statistic = comparison.observed[able] * weight
    if two_sided:
        statistic = np.abs(statistic)
    else:
        left, right = np.concatenate([left, right]), np.concatenate([right, left])
        weight, statistic = np.tile(weight, 2), np.concatenate([statistic, -statistic])
    order = np.argsort(statistic, kind="stable")
    target = statistic[order] - TIE * np.abs(statistic[order])
    return _Family(left[order], right[order], weight[order], target)


def _sums_of_squares(comparison: Comparison) -> FloatArray:
    """Return Σ d² over units of each pair, in squared steps."""
    from analysis.statistics.all_pairs import difference_kernels

    squares = np.empty(comparison.left.size)
    difference_kernels.square_pairs(
        comparison.scores,
        comparison.units,
        comparison.n_units,
        comparison.left,
        comparison.right,
        squares,
    )
    return squares


def _count(
    comparison: Comparison,
    family: _Family,
    two_sided: bool,
    n_resamples: int,
    seed: int,
    n_threads: int | None,
    progress: Progress | None,
) -> IntArray:
    """Count the patterns whose maximum over a hypothesis and all less extreme ones reaches it."""
    from analysis.statistics.all_pairs import kernels

    sums = SharedSums(comparison, seed)
    left, right = sums.place[family.left], sums.place[family.right]

    def work(block: int, rows: int) -> IntArray:
        found = np.zeros(left.size, np.int64)
        for slab in sums.slabs(block):
            kernels.count_maxima(
                slab.sums,
                sums.pattern,
                min(rows - slab.start, slab.sums.shape[2]),
                left,
                right,
                family.weight,
                family.target,
                two_sided,
                found,
            )
            if slab.start + slab.sums.shape[2] >= rows:
                break
        return found

    counts = np.zeros(left.size, np.int64)
    return count_blocks(work, counts, n_resamples, n_threads=n_threads, progress=progress)
