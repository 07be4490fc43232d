"""Adjusted p-values for several tests at once."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from analysis.statistics._typing import BoolArray, FloatArray
from analysis.statistics.results import Result, read_only
from analysis.statistics.signature import build_signature
from analysis.statistics.validation import as_choice, as_level, as_pvalues

METHODS = ("none", "bonferroni", "holm", "hochberg", "hommel", "bh", "by")

_ANY = "No assumption: the p-values may depend on each other in any way."
_SIMES = "Independent tests, or positive dependence of the kind for which Simes' inequality holds."
_PRDS = "Independent tests, or positive regression dependence on the tests without effect."
_CONTROLS = {
    "none": ("each test by itself", "No assumption, and no protection against many tests."),
    "bonferroni": ("family-wise error", _ANY),
    "holm": ("family-wise error", _ANY),
    "hochberg": ("family-wise error", _SIMES),
    "hommel": ("family-wise error", _SIMES),
    "bh": ("false discovery rate", _PRDS),
    "by": ("false discovery rate", _ANY),
}


@dataclass(frozen=True, slots=True, eq=False)
class Adjustment(Result):
    """Adjusted p-values of one family of tests.

    Attributes
    ----------
    method : str
        One of `METHODS`.
    pvalues : ndarray of float, shape (n,)
        The p-values as given.
    pvalues_adjusted : ndarray of float, shape (n,)
        In the order given; NaN where the p-value is NaN.
    rejected : ndarray of bool, shape (n,)
        ``pvalues_adjusted <= alpha``; False where the p-value is NaN.
    alpha : float
        Level of the whole family.
    n_tests : int
        Size of the family, the m that the method used.
    n_untestable : int
        Number of NaN p-values.
    untestable_counted : bool
        Whether the NaN p-values count in `n_tests` (as if each were 1).
    controls : str
        The error that is kept at `alpha`: "family-wise error" or "false discovery rate".
    assumes : str
        What must hold between the tests for that.
    """

    method: str
    pvalues: FloatArray
    pvalues_adjusted: FloatArray
    rejected: BoolArray
    alpha: float
    n_tests: int
    n_untestable: int
    untestable_counted: bool
    controls: str
    assumes: str

    @property
    def signature(self) -> str:
        """One line from which the adjustment can be repeated."""
        return build_signature(
            self.method,
            m=self.n_tests,
            untestable=describe_untestable(self.n_untestable, counted=self.untestable_counted),
            alpha=self.alpha,
        )

    def __str__(self) -> str:
        lines = [f"{'p':>10}  {'adjusted':>10}  rejected"]
        for p, adjusted, rejected in zip(
            self.pvalues, self.pvalues_adjusted, self.rejected, strict=True
        ):
            verdict = "not testable" if np.isnan(p) else "yes" if rejected else "no"
            lines.append(f"{p:>10.4g}  {adjusted:>10.4g}  {verdict}")
        return "\n".join([*lines, self.signature])


def adjust(
    pvalues: npt.ArrayLike,
    method: str = "holm",
    *,
    alpha: float = 0.05,
    count_untestable: bool = False,
) -> Adjustment:
    """Adjust p-values for the number of tests made.

    A test is rejected exactly when its adjusted p-value is at most `alpha`.

    Parameters
    ----------
    pvalues : array_like, shape (n,)
        Values in [0, 1]. NaN means "not testable": its adjusted p-value is NaN, it is not
        rejected, and it is counted in `n_untestable`.
    method : {"none", "bonferroni", "holm", "hochberg", "hommel", "bh", "by"}
        "bh" is Benjamini-Hochberg, "by" Benjamini-Yekutieli.
    alpha : float
        Level of the family, strictly between 0 and 1.
    count_untestable : bool
        Count NaN p-values in the size of the family, as if each were 1. Use it when tests were
        planned and could not be run; the adjusted p-values of the others grow.

    Returns
    -------
    Adjustment

    Raises
    ------
    TypeError
        If `pvalues` does not hold numbers.
    ValueError
        If `pvalues` is not 1-D or leaves [0, 1], `method` is unknown, or `alpha` is no level.

    Notes
    -----
    All methods take O(n log n) time and O(n) memory. Empty input gives empty arrays.

    References
    ----------
    .. [1] Holm (1979), A simple sequentially rejective multiple test procedure.
    .. [2] Hochberg (1988), A sharper Bonferroni procedure.
    .. [3] Hommel (1988), A stagewise rejective multiple test procedure; computed by the
       quantities of Meijer, Krebs and Goeman (2019), Hommel's procedure in linear time.
    .. [4] Benjamini and Hochberg (1995), Controlling the false discovery rate.
    .. [5] Benjamini and Yekutieli (2001), The control of the false discovery rate under
       dependency.

    Examples
    --------
    >>> result = adjust([0.01, 0.04, float("nan"), 0.03])
    >>> result.pvalues_adjusted
    array([0.03, 0.06,  nan, 0.06])
    >>> result.signature.rpartition("|v:")[0]
    'holm|m:3|untestable:1 not counted|alpha:0.05'
    """
    values = as_pvalues(pvalues)
    as_choice(method, "method", METHODS)
    level = as_level(alpha)
    testable = np.flatnonzero(~np.isnan(values))
    n_untestable = values.size - testable.size
    n_counted = n_untestable if count_untestable else 0

    order = testable[np.argsort(values[testable])]
    ascending = np.concatenate([values[order], np.ones(n_counted)])
    adjusted = np.full(values.size, np.nan)
    adjusted[order] = adjust_ascending(ascending, method)[: order.size]
    controls, assumes = _CONTROLS[method]
    return Adjustment(
        method=method,
        pvalues=read_only(values),
        pvalues_adjusted=read_only(adjusted),
        rejected=read_only(adjusted <= level),
        alpha=level,
        n_tests=ascending.size,
        n_untestable=n_untestable,
        untestable_counted=count_untestable,
        controls=controls,
        assumes=assumes,
    )


def adjust_ascending(ascending: FloatArray, method: str) -> FloatArray:
    """Adjust p-values that are sorted, 1-D and free of NaN."""
    m = ascending.size
    if method == "none" or m == 0:
        return ascending.copy()
    if method == "bonferroni":
        return np.minimum(m * ascending, 1.0)
    if method == "holm":
        return step_down(ascending)
    if method == "hochberg":
        return _running_min_from_right(step_down_products(ascending))
    if method == "hommel":
        # Hommel rejects whatever Hochberg rejects; the minimum keeps that true to the last bit.
        hochberg = _running_min_from_right(step_down_products(ascending))
        return np.minimum(_hommel(ascending), hochberg)
    ranks = np.arange(1.0, m + 1)
    penalty = float(np.sum(1.0 / ranks)) if method == "by" else 1.0
    return np.minimum(_running_min_from_right(penalty * m * ascending / ranks), 1.0)


def step_down_products(ascending: FloatArray) -> FloatArray:
    """Return (N - u + 1) p_(u), at most 1, for u = 1..N along the last axis.

    This is Bonferroni's partial-conjunction p-value (Dror et al. 2017, equation 2) and at the
    same time Holm's step: both come from here, so that in floating point they can never disagree
    about a p-value that equals alpha / (N - u + 1).
    """
    remaining = np.arange(ascending.shape[-1], 0.0, -1.0)
    return np.minimum(remaining * ascending, 1.0)


def step_down(ascending: FloatArray) -> FloatArray:
    """Return Holm's adjusted p-values along the last axis.

    They are also the monotone Bonferroni curve of Dror et al. (2017), equation 4.
    """
    return np.maximum.accumulate(step_down_products(ascending), axis=-1)


def simes_of_tails(ascending: FloatArray) -> FloatArray:
    """Return Simes' p-value of p_(u)..p_(N) for every u = 1..N along the last axis.

    Entry u is ``min over j >= u of (N - u + 1) p_(j) / (j - u + 1)``.

    Notes
    -----
    The best j never moves left as u moves right: a later start favours later points. So the
    middle u is solved first, and each half then searches on its own side of the j found:
    O(N log N) for each row instead of O(N^2).
    """
    m = ascending.shape[-1]
    points = ascending.reshape(-1)
    ends = np.repeat(np.arange(m, points.size + 1, m) - 1, m) if m else np.arange(0)
    local = np.tile(np.arange(m), points.size // m if m else 0)
    best = np.empty(points.size, dtype=np.intp)
    slopes = np.empty(points.size)
    stride = 1 << max(m - 1, 0).bit_length()
    while stride:
        starts = np.flatnonzero((local + 1) % (2 * stride) == stride)
        has_left = local[starts] >= stride
        low = np.where(has_left, best[starts - stride * has_left], starts)
        has_right = starts + stride <= ends[starts]
        high = np.where(has_right, best[starts + stride * has_right], ends[starts])
        low = np.maximum(low, starts)
        best[starts], slopes[starts] = _smallest_slopes(points, starts, low, high)
        stride >>= 1
    sizes = np.arange(m, 0.0, -1.0)
    return np.minimum(sizes * slopes.reshape(ascending.shape), 1.0)


def _smallest_slopes(
    points: FloatArray,
    starts: npt.NDArray[np.intp],
    low: npt.NDArray[np.intp],
    high: npt.NDArray[np.intp],
) -> tuple[npt.NDArray[np.intp], FloatArray]:
    """Return, for each start, which j in low..high has the least p_j / (j - start + 1), and it."""
    if starts.size == 0:
        return starts, np.empty(0)
    lengths = high - low + 1
    offsets = np.cumsum(lengths) - lengths
    candidates = np.arange(lengths.sum()) + np.repeat(low - offsets, lengths)
    slopes = points[candidates] / (candidates - np.repeat(starts, lengths) + 1.0)
    least = np.minimum.reduceat(slopes, offsets)
    hits = np.flatnonzero(slopes == np.repeat(least, lengths))
    return candidates[hits[np.searchsorted(hits, offsets)]], least


def _hommel(ascending: FloatArray) -> FloatArray:
    """Return Hommel's adjusted p-values.

    At level a, let h(a) be the largest i whose i largest p-values Simes' test does not reject;
    p is rejected when h(a) p <= a. With A_i = max over i' >= i of Simes' p-value of the i'
    largest, h(a) = i for A_(i+1) <= a < A_i, so p's adjusted value is the least over i of
    max(A_(i+1), i p). The first term falls and the second grows with i: bisection finds where
    they cross.
    """
    m = ascending.size
    # Position i holds A_i: sizes m..1 become 1..m, A_0 = 1 and A_(m+1) = 0.
    tails = np.maximum.accumulate(simes_of_tails(ascending))[::-1]
    levels = np.concatenate([[1.0], tails, [0.0]])
    low = np.zeros(m, dtype=np.intp)
    high = np.full(m, m, dtype=np.intp)
    while np.any(low < high):
        middle = (low + high) // 2
        crossed = middle * ascending >= levels[middle + 1]
        high = np.where(crossed, middle, high)
        low = np.where(crossed, low, np.minimum(middle + 1, high))
    return np.asarray(np.minimum(low * ascending, levels[low]), dtype=np.float64)


def _running_min_from_right(values: FloatArray) -> FloatArray:
    return np.asarray(np.minimum.accumulate(values[::-1])[::-1])


def describe_untestable(n_untestable: int, *, counted: bool) -> str:
    """Say in a signature how many p-values are NaN and whether they count."""
    if n_untestable == 0:
        return "0"
    return f"{n_untestable} {'counted' if counted else 'not counted'}"
