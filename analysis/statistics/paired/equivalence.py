"""Is the difference small enough not to matter? And the verdict that follows from all of it."""

import math
from dataclasses import dataclass
from typing import Literal, TypeAlias

from analysis.statistics._typing import Alternative
from analysis.statistics.intervals.interval import Interval
from analysis.statistics.results import Result
from analysis.statistics.signature import build_signature
from analysis.statistics.validation import ALTERNATIVES, as_choice, as_level

Verdict: TypeAlias = Literal["better", "worse", "equivalent", "undecided"]


@dataclass(frozen=True, slots=True, eq=False)
class Equivalence(Result):
    """Result of two one-sided tests against a margin, from `infer_pair`.

    A large p-value of a test for a difference does not show that there is none; this does.

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

    References
    ----------
    Schuirmann (1987), A comparison of the two one-sided tests procedure; Tango (1998).
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


def as_margin(margin: float, alpha: float) -> float:
    """Return a margin as a float above 0, for two one-sided tests at a level below 0.5."""
    level = as_level(alpha)
    if level >= 0.5:
        raise ValueError(f"`alpha` must be below 0.5 for two one-sided tests, got {level}.")
    try:
        width = float(margin)
    except (TypeError, ValueError):
        raise TypeError(f"`margin` must be a number, got {margin!r}.") from None
    if not 0 < width < math.inf:
        raise ValueError(f"`margin` must be finite and above 0, got {width}.")
    return width
