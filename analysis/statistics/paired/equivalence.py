"""Is the difference small enough not to matter? And the verdict that follows from all of it."""

import math
import warnings
from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeAlias

import numpy.typing as npt
from scipy import special

from analysis.statistics._typing import Alternative, Seed
from analysis.statistics.intervals.binary import count_pairs, tango_interval, tango_z
from analysis.statistics.intervals.bootstrap import bootstrap_interval
from analysis.statistics.intervals.differences import mean_difference_interval, score_range
from analysis.statistics.intervals.interval import Interval
from analysis.statistics.paired.bootstrap import bootstrap
from analysis.statistics.paired.result import (
    CompletePair,
    Groups,
    complete_components,
    metric_difference,
)
from analysis.statistics.results import DegenerateDataWarning, Result
from analysis.statistics.signature import build_signature
from analysis.statistics.standard_error import exact_mean, is_binary, spread_of_mean
from analysis.statistics.validation import ALTERNATIVES, as_choice, as_level, as_seed

Verdict: TypeAlias = Literal["better", "worse", "equivalent", "undecided"]


@dataclass(frozen=True, slots=True, eq=False)
class Equivalence(Result):
    """Result of two one-sided tests against a margin.

    Attributes
    ----------
    equivalent : bool
        Whether the difference is shown to lie within ±margin.
    pvalue : float
        The larger of the two; NaN where nothing can be tested.
    pvalue_lower : float
        Of the null hypothesis that the difference is -margin or below.
    pvalue_upper : float
        Of the null hypothesis that the difference is +margin or above.
    margin : float
        Largest difference that does not matter, in the unit of the metric.
    difference : float
        Metric of a minus metric of b.
    interval : Interval
        At level 1 - 2 alpha: equivalent means that it lies within ±margin.
    alpha : float
    aggregation : str
    n_items, n_missing : int
        Items with a score from both, and items left out.
    n_groups : int or None
        Groups of dependent items; None if all items were taken as independent.
    n_resamples : int
        Resamples drawn; 0 if none.
    seed : int or None
        Seed of the resamples; None if none were drawn.
    """

    equivalent: bool
    pvalue: float
    pvalue_lower: float
    pvalue_upper: float
    margin: float
    difference: float
    interval: Interval
    alpha: float
    aggregation: str
    n_items: int
    n_missing: int
    n_groups: int | None
    n_resamples: int
    seed: int | None

    @property
    def signature(self) -> str:
        """One line from which the test can be repeated."""
        settings: dict[str, str | int | float] = {
            "agg": self.aggregation,
            "margin": self.margin,
            "alpha": self.alpha,
            "n": self.n_items,
            "missing": self.n_missing,
            "by": self.interval.method,
        }
        if self.n_groups is not None:
            settings["groups"] = self.n_groups
        if self.seed is not None:
            settings |= {"m": self.n_resamples, "seed": self.seed}
        return build_signature("tost", **settings)


class _Tails(NamedTuple):
    lower: float
    upper: float
    interval: Interval


def tost(
    a: npt.ArrayLike,
    b: npt.ArrayLike,
    margin: float,
    *,
    aggregation: str = "mean",
    groups: Groups = None,
    alpha: float = 0.05,
    n_resamples: int = 9_999,
    rng: Seed = 0,
) -> Equivalence:
    """Test whether two systems differ by less than a margin (two one-sided tests).

    A large p-value of a test for a difference does not show that there is none; this does.

    Parameters
    ----------
    a, b : array_like, shape (n_items,) or (n_items, n_components)
        Scores, higher is better. NaN in either leaves the item out.
    margin : float
        Above 0: the largest difference that does not matter. To be chosen before looking.
    aggregation : str
        As for `paired_test`.
    groups : sequence, shape (n_items,), optional
        Items with the same label depend on each other; None is a group of its own.
    alpha : float
        Of each of the two tests, and so of wrongly finding equivalence; below 0.5.
    n_resamples, rng
        For metrics other than means.

    Returns
    -------
    Equivalence
        By Tango's score test for independent items that are right or wrong, Student's t for
        other means (cluster-robust with groups), the bootstrap's shift method else.

    Raises
    ------
    TypeError, ValueError
        If scores do not suit the aggregation, or an argument is out of range.

    Notes
    -----
    Where all items differ by the same amount, as for identical systems, the share of items that
    may behave otherwise takes the place of a spread: see `difference_interval`.

    References
    ----------
    Schuirmann (1987), A comparison of the two one-sided tests procedure; Tango (1998).

    Examples
    --------
    >>> result = tost([0.8, 0.6, 0.9, 0.7], [0.79, 0.61, 0.9, 0.69], 0.1)
    >>> result.equivalent, result.interval.method
    (True, 't')
    """
    level = as_level(alpha)
    if level >= 0.5:
        raise ValueError(f"`alpha` must be below 0.5 for two one-sided tests, got {level}.")
    width = _as_margin(margin)
    pair = complete_components(a, b, aggregation=aggregation, groups=groups)
    seed = None
    if aggregation != "mean":
        seed = as_seed(rng)
        tails = _by_bootstrap(a, b, width, aggregation, groups, level, n_resamples, seed)
    elif _is_independent_binary(pair):
        tails = _by_score_test(pair, width, level)
    else:
        tails = _by_t(pair, width, level)
    pvalue = max(tails.lower, tails.upper)
    if math.isnan(tails.lower + tails.upper):
        pvalue = math.nan
    return Equivalence(
        equivalent=bool(pvalue <= level),
        pvalue=pvalue,
        pvalue_lower=tails.lower,
        pvalue_upper=tails.upper,
        margin=width,
        difference=metric_difference(pair, aggregation),
        interval=tails.interval,
        alpha=level,
        aggregation=aggregation,
        n_items=len(pair.a),
        n_missing=pair.n_missing,
        n_groups=pair.n_groups,
        n_resamples=0 if seed is None else n_resamples,
        seed=seed,
    )


def decide(
    *,
    pvalue: float,
    difference: float,
    alpha: float,
    alternative: Alternative = "two-sided",
    equivalence: Equivalence | None = None,
) -> Verdict:
    """Return what a comparison says about system a.

    Parameters
    ----------
    pvalue : float
        Of the test for a difference; NaN if there is none.
    difference : float
        The metric of a minus that of b, less the hypothesised difference; for a test that does
        not look at the metric, such as the sign test, the test's own direction. Only the sign
        counts.
    alpha : float
    alternative : {"two-sided", "greater", "less"}
        What the p-value was computed against.
    equivalence : Equivalence, optional
        Without it nothing is called equivalent.

    Returns
    -------
    {"better", "worse", "equivalent", "undecided"}
        A significant difference comes before equivalence: it may be both real and too small to
        matter.

    Examples
    --------
    >>> decide(pvalue=0.03, difference=-0.4, alpha=0.05)
    'worse'
    """
    level = as_level(alpha)
    as_choice(alternative, "alternative", ALTERNATIVES)
    if pvalue <= level:
        # A one-sided p-value speaks for its own side only.
        if difference > 0 and alternative != "less":
            return "better"
        if difference < 0 and alternative != "greater":
            return "worse"
    if equivalence is not None and equivalence.equivalent:
        return "equivalent"
    return "undecided"


def _as_margin(margin: float) -> float:
    try:
        width = float(margin)
    except (TypeError, ValueError):
        raise TypeError(f"`margin` must be a number, got {margin!r}.") from None
    if not 0 < width < math.inf:
        raise ValueError(f"`margin` must be finite and above 0, got {width}.")
    return width


def _is_independent_binary(pair: CompletePair) -> bool:
    return pair.n_units == len(pair.a) and is_binary(pair.a[:, 0]) and is_binary(pair.b[:, 0])


def _by_score_test(pair: CompletePair, margin: float, alpha: float) -> _Tails:
    counts = count_pairs(pair.a[:, 0], pair.b[:, 0])
    interval = tango_interval(counts, 1 - 2 * alpha)
    if margin > 1:
        return _Tails(0.0, 0.0, interval)  # no difference of shares reaches the margin
    return _Tails(
        float(special.ndtr(-tango_z(counts, -margin))),
        float(special.ndtr(tango_z(counts, margin))),
        interval,
    )


def _by_t(pair: CompletePair, margin: float, alpha: float) -> _Tails:
    interval = mean_difference_interval(pair, 1 - 2 * alpha)
    if math.isnan(interval.low):
        return _Tails(math.nan, math.nan, interval)
    first, second = pair.a[:, 0], pair.b[:, 0]
    difference = exact_mean(first - second)
    if interval.method == "no-spread":
        largest = score_range(first, second)
        return _Tails(
            _no_spread_tail(difference, margin, largest, pair.n_units),
            _no_spread_tail(-difference, margin, largest, pair.n_units),
            interval,
        )
    spread = spread_of_mean(first - second, pair.groups)
    lower = (difference + margin) / spread.standard_error
    upper = (difference - margin) / spread.standard_error
    return _Tails(
        float(special.stdtr(spread.df, -lower)), float(special.stdtr(spread.df, upper)), interval
    )


def _no_spread_tail(difference: float, margin: float, largest: float, n_units: int) -> float:
    """Return the chance of so many equal differences if the mean were -margin.

    For that a share of (difference + margin) / (difference + largest) of all units would have to
    differ by -largest: the inverse of `no_spread_bounds`.
    """
    if difference <= -margin:
        return 1.0
    if margin >= largest:
        return 0.0  # no difference reaches the margin
    return (1 - (difference + margin) / (difference + largest)) ** n_units


def _by_bootstrap(
    a: npt.ArrayLike,
    b: npt.ArrayLike,
    margin: float,
    aggregation: str,
    groups: Groups,
    alpha: float,
    n_resamples: int,
    seed: int,
) -> _Tails:
    """Return tails by the shift method, which the basic interval inverts."""

    def tail(alternative: Alternative, delta: float) -> float:
        return bootstrap(
            a,
            b,
            aggregation=aggregation,
            alternative=alternative,
            delta=delta,
            groups=groups,
            n_resamples=n_resamples,
            rng=seed,
        ).pvalue

    with warnings.catch_warnings():
        # NaN p-values say what the warning would.
        warnings.simplefilter("ignore", DegenerateDataWarning)
        lower, upper = tail("greater", -margin), tail("less", margin)
    interval = bootstrap_interval(
        a,
        b,
        aggregation=aggregation,
        groups=groups,
        method="basic",
        confidence_level=1 - 2 * alpha,
        n_resamples=n_resamples,
        rng=seed,
    )
    return _Tails(lower, upper, interval)
