"""How large is the difference between two systems, in units and out of them?"""

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from analysis.statistics._typing import FloatArray, Groups, IntArray
from analysis.statistics.effects.rank_effects import (
    SizeWithInterval,
    hodges_lehmann,
    rank_sizes,
    superiority,
)
from analysis.statistics.fixed_point import whole_differences
from analysis.statistics.intervals.interval import Interval
from analysis.statistics.paired.result import as_delta, complete_pair, metric_difference
from analysis.statistics.paired.walsh_averages import CONVENTIONS, Convention
from analysis.statistics.planning.noncentral_t import noncentrality_bounds
from analysis.statistics.results import Result
from analysis.statistics.signature import build_signature
from analysis.statistics.standard_error import (
    exact_mean,
    exact_std,
    n_units_of,
    rounding_error,
    spread_of_mean,
    t_quantile,
)
from analysis.statistics.validation import as_choice, as_level


@dataclass(frozen=True, slots=True, eq=False)
class EffectSizes(Result):
    """Sizes of the difference between systems a and b on the same items.

    Intervals are NaN where the items do not determine them, and reach to ±inf where too few
    items cannot bound them at the level asked for.

    Attributes
    ----------
    n_items, n_missing : int
        Items with a score from both, and items left out.
    n_groups : int or None
        Groups of dependent items; None if all items were taken as independent.
    delta : float
        Difference from which the dimensionless sizes, wins and losses are measured.
    confidence_level : float
        Of all intervals.
    walsh : str
        Pairs behind `hodges_lehmann`: "i<=j" or "i<j".
    difference : float
        Mean of a - b, in the unit of the scores.
    hodges_lehmann : float
        Median of the averages of all pairs of differences, in the unit of the scores: the centre
        of the differences if they are symmetric.
    hodges_lehmann_ci : Interval
    cohens_dz : float
        (difference - delta) / standard deviation of the differences: Cohen's d_z for paired
        data, which is not the d of two independent samples. ±inf without spread, 0 for systems
        that differ by `delta` throughout.
    cohens_dz_ci : Interval
    hedges_g : float
        d_z without its bias in small samples, by the exact factor (gamma functions).
    hedges_g_paper : float
        The same by the factor 1 - 3 / (4n - 9) that NLPStatTest prints. NaN for fewer than three
        items.
    hedges_g_ci : Interval
    wilcoxon_r : float
        |Z| / sqrt(items that differ), Z of the signed-rank statistic; at most some 0.87 without
        ties, and 1 where all differences have one size.
    wilcoxon_r_ci : Interval
        Holds what `rank_biserial_ci` holds; reaches 0 where that contains 0.
    rank_biserial : float
        Share of the rank sum in favour of a minus the share in favour of b, among items that
        differ, from -1 to 1.
    rank_biserial_ci : Interval
    win, tie, loss : int
        Items with a - b above, equal to and below `delta`.
    probability_of_superiority : float
        (win + tie / 2) / n_items.
    probability_of_superiority_ci : Interval
    """

    n_items: int
    n_missing: int
    n_groups: int | None
    delta: float
    confidence_level: float
    walsh: str
    difference: float
    hodges_lehmann: float
    hodges_lehmann_ci: Interval
    cohens_dz: float
    cohens_dz_ci: Interval
    hedges_g: float
    hedges_g_paper: float
    hedges_g_ci: Interval
    wilcoxon_r: float
    wilcoxon_r_ci: Interval
    rank_biserial: float
    rank_biserial_ci: Interval
    win: int
    tie: int
    loss: int
    probability_of_superiority: float
    probability_of_superiority_ci: Interval

    @property
    def signature(self) -> str:
        """One line from which the sizes can be computed again."""
        settings: dict[str, str | int | float] = {"n": self.n_items, "missing": self.n_missing}
        if self.n_groups is not None:
            settings["groups"] = self.n_groups
        settings |= {"delta": self.delta, "level": self.confidence_level, "walsh": self.walsh}
        return build_signature("effects", **settings)

    def __str__(self) -> str:
        rows = [
            ("difference", self.difference, None),
            ("Hodges-Lehmann", self.hodges_lehmann, self.hodges_lehmann_ci),
            ("Cohen's d_z", self.cohens_dz, self.cohens_dz_ci),
            ("Hedges' g", self.hedges_g, self.hedges_g_ci),
            ("Wilcoxon r", self.wilcoxon_r, self.wilcoxon_r_ci),
            ("rank-biserial", self.rank_biserial, self.rank_biserial_ci),
            (
                "P(superiority)",
                self.probability_of_superiority,
                self.probability_of_superiority_ci,
            ),
        ]
        lines = [
            f"{name:<15} {value:>10.5g}" + (f"  [{ci.low:.5g}, {ci.high:.5g}]" if ci else "")
            for name, value, ci in rows
        ]
        lines.append(f"{'win/tie/loss':<15} {self.win}/{self.tie}/{self.loss}")
        return "\n".join([*lines, self.signature])


def effect_sizes(
    a: npt.ArrayLike,
    b: npt.ArrayLike,
    *,
    delta: float = 0.0,
    confidence_level: float = 0.95,
    groups: Groups = None,
    walsh: Convention = "i<=j",
) -> EffectSizes:
    """Estimate the size of the difference between two systems in several ways.

    Parameters
    ----------
    a, b : array_like, shape (n_items,) or (n_items, 1)
        Scores, higher is better. NaN in either leaves the item out.
    delta : float
        Difference a - b to measure dimensionless sizes from; `difference` and
        `hodges_lehmann` stay what they are.
    confidence_level : float
    groups : sequence, shape (n_items,), optional
        Items with the same label depend on each other; None is a group of its own. Widens the
        intervals, never changes an estimate.
    walsh : {"i<=j", "i<j"}
        Whether a difference is also averaged with itself. NLPStatTest's code does so, its paper
        (equation 5) does not.

    Returns
    -------
    EffectSizes
        NaN without items.

    Raises
    ------
    TypeError, ValueError
        If scores are no numbers, not finite, or of different shapes, or an argument is out of
        range.

    Notes
    -----
    Intervals, none of which resamples: d_z and g from the noncentral t distribution; the
    Hodges-Lehmann estimate from the signed-rank distribution (exact up to 200 items), which
    supposes symmetric differences; rank-biserial correlation and r from the variance of the
    signed-rank statistic as a U-statistic, on the scale of Fisher's z; the probability of
    superiority from Tango's interval. With groups all use sums of influences per group and the t
    distribution with G - 1 degrees of freedom. Differences count as equal where they are equal
    but for the error of writing decimals in binary. O(n log^2 n) time and O(n) memory.

    References
    ----------
    Zhu et al. (2020), NLPStatTest, 3.3; Hedges (1981), Distribution theory for Glass's estimator
    of effect size; Kerby (2014), The simple difference formula, for the rank-biserial
    correlation; Hollander, Wolfe, Chicken (2014), Nonparametric Statistical Methods, 3.1 to 3.3.

    Examples
    --------
    >>> sizes = effect_sizes([5, 3, 4, 4, 5, 3], [3, 3, 1, 3, 3, 2])
    >>> sizes.win, sizes.tie, sizes.loss, sizes.rank_biserial
    (5, 1, 0, 1.0)
    >>> round(sizes.cohens_dz, 3), sizes.hodges_lehmann
    (1.43, 1.5)
    """
    level = as_level(confidence_level, name="confidence_level")
    as_choice(walsh, "walsh", CONVENTIONS)
    shift = as_delta(delta)
    pair = complete_pair(a, b, n_components=1, groups=groups)
    first, second = pair.a[:, 0], pair.b[:, 0]
    # Whole steps, so that differences that are equal on paper are tied.
    steps = whole_differences(first - shift, second).steps
    win, loss = int(np.count_nonzero(steps > 0)), int(np.count_nonzero(steps < 0))
    dz = _standardise(first - second - shift, rounding_error(first, second), pair.groups, level)
    ranks = rank_sizes(steps, pair.groups, level)
    centre = hodges_lehmann(first - second, pair.groups, walsh, level)
    superior = superiority(steps, pair.groups, level)
    exact = _hedges_factor(steps.size)
    paper = 1 - 3 / (4 * steps.size - 9) if steps.size > 2 else math.nan
    return EffectSizes(
        n_items=steps.size,
        n_missing=pair.n_missing,
        n_groups=pair.n_groups,
        delta=shift,
        confidence_level=level,
        walsh=walsh,
        difference=metric_difference(pair, "mean"),
        hodges_lehmann=centre.estimate,
        hodges_lehmann_ci=centre.interval,
        cohens_dz=dz.estimate,
        cohens_dz_ci=dz.interval,
        hedges_g=dz.estimate * exact,
        hedges_g_paper=dz.estimate * paper,
        hedges_g_ci=dz.interval._replace(
            low=dz.interval.low * exact, high=dz.interval.high * exact
        ),
        wilcoxon_r=ranks.wilcoxon_r.estimate,
        wilcoxon_r_ci=ranks.wilcoxon_r.interval,
        rank_biserial=ranks.biserial.estimate,
        rank_biserial_ci=ranks.biserial.interval,
        win=win,
        tie=steps.size - win - loss,
        loss=loss,
        probability_of_superiority=superior.estimate,
        probability_of_superiority_ci=superior.interval,
    )


def _standardise(
    shifted: FloatArray, rounding: float, groups: IntArray | None, level: float
) -> SizeWithInterval:
    """Return d_z with its interval."""
    n = shifted.size
    unknown = Interval(math.nan, math.nan, "noncentral t", level)
    if n < 2:
        return SizeWithInterval(math.nan, unknown)
    mean, std = exact_mean(shifted), exact_std(shifted)
    if np.ptp(shifted) <= rounding:
        size = 0.0 if abs(mean) <= rounding else math.copysign(math.inf, mean)
        return SizeWithInterval(size, unknown)
    dz = mean / std
    if groups is None or n_units_of(n, groups) == n:
        root = math.sqrt(n)
        low, high = noncentrality_bounds(dz * root, n - 1, level)
        return SizeWithInterval(dz, unknown._replace(low=low / root, high=high / root))
    # What each item adds to mean and standard deviation alike (first-order).
    scaled = (shifted - mean) / std
    spread = spread_of_mean(scaled - dz / 2 * scaled**2, groups)
    if spread.df == 0:
        return SizeWithInterval(dz, unknown._replace(method="delta"))
    reach = t_quantile(spread.df, level) * spread.standard_error
    return SizeWithInterval(dz, Interval(dz - reach, dz + reach, "delta", level))


def hedges_factor(n_items: npt.ArrayLike) -> FloatArray:
    """Return what takes the bias of small samples off d_z; NaN for fewer than three items.

    References
    ----------
    Hedges (1981), equation (6e), for n_items - 1 degrees of freedom.
    """
    n = np.asarray(n_items, dtype=np.int64)
    each, place = np.unique(n, return_inverse=True)
    return np.array([_hedges_factor(one) for one in each.tolist()])[place].reshape(n.shape)


def _hedges_factor(n: int) -> float:
    if n < 3:
        return math.nan
    half = (n - 1) / 2
    return math.exp(math.lgamma(half) - math.lgamma(half - 0.5)) / math.sqrt(half)
