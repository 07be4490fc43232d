"""What a comparison that is already made could have found.

Not the power of the observed difference: that is the p-value in another guise.
"""

import math
from dataclasses import dataclass

import numpy.typing as npt

from analysis.statistics._typing import Alternative, Groups
from analysis.statistics.paired.result import CompletePair, complete_pair
from analysis.statistics.planning.arguments import as_finite, as_target_power
from analysis.statistics.planning.power import items_needed, minimum_detectable_difference
from analysis.statistics.planning.type_errors import type_errors
from analysis.statistics.results import Result
from analysis.statistics.signature import build_signature
from analysis.statistics.standard_error import (
    Spread,
    exact_mean,
    rounding_error,
    spread_of_mean,
    t_quantile,
)
from analysis.statistics.validation import ALTERNATIVES, as_choice, as_level

OBSERVED_POWER_REFUSED = (
    "The power of the observed difference is a function of its p-value and says nothing more: "
    "p = 0.05 always gives about one half, and a difference that was not significant always "
    "looks underpowered (Hoenig and Heisey, 2001). State in `effect` the difference that would "
    "matter, or that was claimed beforehand, and look at the interval of the observed one."
)
"""Why `power_for_effect` asks for an effect."""
_SAME = 1e-9


@dataclass(frozen=True, slots=True, eq=False)
class EffectPower(Result):
    """What a comparison could find if a stated difference were the true one.

    Attributes
    ----------
    effect : float
        The stated difference.
    power : float
        Chance that a comparison like this one finds it, with its sign; NaN for an effect of 0.
    rejection_rate : float
        Chance of a significant difference of either sign.
    type_m, type_s : float
        Mean exaggeration of the significant differences, and their share with the wrong sign.
    minimum_detectable : float
        Smallest true difference found with `target_power`.
    target_power : float
    units_needed : int or None
        Items, or groups with `n_groups`, that would find `effect` with `target_power`; None where
        `effect` is 0 or the test looks at the other side.
    difference : float
        Observed mean of a - b.
    ci_low, ci_high : float
        Its interval by Student's t at `confidence_level`, whatever the alternative.
    effect_in_interval : bool
        Whether the data leave the stated difference possible.
    standard_error, confidence_level, alpha : float
    alternative : str
    n_items, n_missing : int
    n_groups : int or None
        Groups of dependent items; None if all items were taken as independent.
    """

    effect: float
    power: float
    rejection_rate: float
    type_m: float
    type_s: float
    minimum_detectable: float
    target_power: float
    units_needed: int | None
    difference: float
    ci_low: float
    ci_high: float
    effect_in_interval: bool
    standard_error: float
    confidence_level: float
    alpha: float
    alternative: str
    n_items: int
    n_missing: int
    n_groups: int | None

    @property
    def signature(self) -> str:
        """One line from which the power can be computed again."""
        settings: dict[str, str | int | float] = {
            "test": "t",
            "effect": self.effect,
            "alt": self.alternative,
            "alpha": self.alpha,
            "power": self.target_power,
            "level": self.confidence_level,
            "n": self.n_items,
            "missing": self.n_missing,
        }
        if self.n_groups is not None:
            settings["groups"] = self.n_groups
        return build_signature("power-for-effect", **settings)

    def __str__(self) -> str:
        return (
            f"A true difference of {self.effect:.4g} would be found with probability "
            f"{self.power:.3f}; {self.minimum_detectable:.4g} with {self.target_power:g}. "
            f"Observed: {self.difference:.4g} [{self.ci_low:.4g}, {self.ci_high:.4g}]\n"
            f"{self.signature}"
        )


def power_for_effect(
    a: npt.ArrayLike,
    b: npt.ArrayLike,
    *,
    effect: float | None = None,
    alpha: float = 0.05,
    power: float = 0.8,
    alternative: Alternative = "two-sided",
    confidence_level: float = 0.95,
    groups: Groups = None,
) -> EffectPower:
    """Return what a comparison could have found, for a stated difference and never the observed.

    Parameters
    ----------
    a, b : array_like, shape (n_items,)
        Scores; items with a NaN in either are left out.
    effect : float
        Difference a - b that would matter, or was claimed. Left out, or equal to the observed
        one, it is refused with the reason.
    alpha : float
        Below one half for a one-sided test.
    power : float
        For the smallest detectable difference and the items needed; above `alpha`.
    alternative : {"two-sided", "greater", "less"}
    confidence_level : float
    groups : sequence, shape (n_items,), optional
        A label per item; the standard error is then cluster-robust.

    Returns
    -------
    EffectPower

    Raises
    ------
    TypeError, ValueError
        If `effect` is missing or the observed difference; if there are fewer than two items or
        groups, or differences do not vary; if an argument is out of range.

    Notes
    -----
    Power is that of the t test with the standard error observed, taken as the true one; with few
    items, or groups, it is itself uncertain.

    References
    ----------
    Hoenig and Heisey (2001), The abuse of power: the pervasive fallacy of power calculations for
    data analysis; Gelman and Carlin (2014), Beyond power calculations.

    Examples
    --------
    >>> a = [0.9, 0.4, 0.7, 0.8, 0.6, 0.9, 0.5, 0.7]
    >>> b = [0.8, 0.5, 0.6, 0.8, 0.4, 0.7, 0.5, 0.6]
    >>> found = power_for_effect(a, b, effect=0.05)
    >>> round(found.power, 2), round(found.type_m, 1), found.units_needed
    (0.22, 1.8, 36)
    """
    as_choice(alternative, "alternative", ALTERNATIVES)
    level, target = as_level(alpha), as_target_power(power, alpha)
    confidence = as_level(confidence_level, name="confidence_level")
    pair = complete_pair(a, b, n_components=1, groups=groups)
    spread, observed = _spread_of(pair), exact_mean(pair.a[:, 0] - pair.b[:, 0])
    stated = _as_effect(effect, observed)
    found = type_errors(
        stated / spread.standard_error, spread.df, alpha=level, alternative=alternative
    )
    reach = t_quantile(spread.df, confidence) * spread.standard_error
    looked_for = _looks_for(alternative, stated)
    per_unit = spread.standard_error * math.sqrt(pair.n_units)
    settled = {"alpha": level, "power": target}
    return EffectPower(
        effect=stated,
        power=found.power,
        rejection_rate=found.rejection_rate,
        type_m=found.type_m,
        type_s=found.type_s,
        minimum_detectable=minimum_detectable_difference(
            spread.standard_error, spread.df, alternative=alternative, **settled
        ),
        target_power=target,
        units_needed=items_needed(stated, per_unit, alternative=alternative, **settled)
        if looked_for
        else None,
        difference=observed,
        ci_low=observed - reach,
        ci_high=observed + reach,
        effect_in_interval=bool(observed - reach <= stated <= observed + reach),
        standard_error=spread.standard_error,
        confidence_level=confidence,
        alpha=level,
        alternative=alternative,
        n_items=len(pair.a),
        n_missing=pair.n_missing,
        n_groups=pair.n_groups,
    )


def _spread_of(pair: CompletePair) -> Spread:
    first, second = pair.a[:, 0], pair.b[:, 0]
    spread = spread_of_mean(first - second, pair.groups, rounding_error(first, second))
    if not spread.standard_error > 0:
        raise ValueError(
            "`a` and `b` must share at least 2 items, or groups, whose differences vary, got "
            f"{pair.n_units} with a standard error of {spread.standard_error:g}."
        )
    return spread


def _looks_for(alternative: str, effect: float) -> bool:
    if alternative == "two-sided":
        return effect != 0
    return effect > 0 if alternative == "greater" else effect < 0


def _as_effect(effect: float | None, observed: float) -> float:
    if effect is None:
        raise ValueError(f"`effect` must be stated. {OBSERVED_POWER_REFUSED}")
    stated = as_finite(effect, "effect")
    if stated != 0 and abs(stated - observed) <= _SAME * abs(observed):
        raise ValueError(f"`effect` is the observed difference. {OBSERVED_POWER_REFUSED}")
    return stated
