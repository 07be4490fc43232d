"""What a paired comparison by Student's t could find: with how many items, how small a difference.

Everything comes from the noncentral t distribution, without normal approximations.
"""

import math

import numpy as np
from scipy import optimize, special

from analysis.statistics._typing import Alternative, FloatArray
from analysis.statistics.planning.noncentral_t import expect_over_s, noncentrality_for, t_power
from analysis.statistics.validation import ALTERNATIVES, as_choice, as_count, as_level

_FEWEST_ITEMS = 2
_MOST_ITEMS = 10**15


def power_of_t(
    difference: float,
    std: float,
    n_items: int,
    *,
    alpha: float = 0.05,
    alternative: Alternative = "two-sided",
) -> float:
    """Return the probability that a paired t test finds a difference.

    Parameters
    ----------
    difference : float
        True mean difference less the hypothesised one.
    std : float
        Standard deviation of the differences per item.
    n_items : int
        At least 2.
    alpha : float
    alternative : {"two-sided", "greater", "less"}

    Returns
    -------
    float
        Two-sided power counts rejections on either side, as the test does.

    Raises
    ------
    TypeError, ValueError
        If an argument is out of range.

    Examples
    --------
    >>> round(power_of_t(0.3, 1.0, 50), 4)
    0.5477
    """
    effect = _as_finite(difference, "difference")
    spread = _as_std(std)
    level, _ = _as_test(alpha, alternative)
    n = as_count(n_items, "n_items")
    if n < _FEWEST_ITEMS:
        raise ValueError(f"`n_items` must be at least {_FEWEST_ITEMS}, got {n}.")
    if alternative == "less":
        effect = -effect
    return t_power(effect / spread * math.sqrt(n), n - 1, level, alternative)


def minimum_detectable_difference(
    standard_error: float,
    df: int,
    *,
    alpha: float = 0.05,
    power: float = 0.8,
    alternative: Alternative = "two-sided",
) -> float:
    """Return the smallest true difference that a t test would find with the power asked for.

    Parameters
    ----------
    standard_error : float
        Of the difference, as it was estimated (of a group mean with groups).
    df : int
        Degrees of freedom: items, or groups, less one.
    alpha, power : float
        `power` above `alpha`.
    alternative : {"two-sided", "greater", "less"}
        The size is given without a sign.

    Returns
    -------
    float
        In the unit of `standard_error`; NaN if that is NaN.

    Raises
    ------
    TypeError, ValueError
        If an argument is out of range.

    Examples
    --------
    >>> round(minimum_detectable_difference(0.01, 399), 5)
    0.02808
    """
    error = _as_number(standard_error, "standard_error")
    if math.isnan(error):
        return math.nan
    if not 0 <= error < math.inf:
        raise ValueError(f"`standard_error` must be finite and not negative, got {error}.")
    level, target = _as_test(alpha, alternative, power)
    return error * noncentrality_for(target, as_count(df, "df"), level, alternative)


def items_needed(
    difference: float,
    std: float,
    *,
    alpha: float = 0.05,
    power: float = 0.8,
    alternative: Alternative = "two-sided",
) -> int:
    """Return the fewest items with which a paired t test would find a difference.

    Parameters
    ----------
    difference : float
        True mean difference, not 0; its sign plays no part.
    std : float
        Standard deviation of the differences per item.
    alpha, power : float
        `power` above `alpha`.
    alternative : {"two-sided", "greater", "less"}
        One-sided tests are taken in the direction of the difference.

    Returns
    -------
    int
        At least 2.

    Raises
    ------
    TypeError, ValueError
        If an argument is out of range, or more than 10^15 items would be needed.

    Notes
    -----
    NLPStatTest (3.4) iterates a formula with central t quantiles twice, which gives too few items
    where the effect is large: 3 instead of 5 for a difference of 2 standard deviations.

    Examples
    --------
    >>> items_needed(0.5, 1.0), items_needed(0.5, 1.0, alternative="greater")
    (34, 27)
    """
    effect = abs(_as_finite(difference, "difference"))
    spread = _as_std(std)
    level, target = _as_test(alpha, alternative, power)
    ratio = effect / spread
    if effect == 0:
        raise ValueError("`difference` must not be 0: no number of items could show it.")

    def enough(n: int) -> bool:
        return t_power(ratio * math.sqrt(n), n - 1, level, alternative) >= target

    high = _FEWEST_ITEMS
    while not enough(high):
        high *= 2
        if high > _MOST_ITEMS:
            raise ValueError(
                f"`difference` of {effect:.3g} at `std` {spread:.3g} needs more than 10^15 items."
            )
    low = max(_FEWEST_ITEMS - 1, high // 2)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high


def unrounded_items_needed(
    difference: float,
    std: float,
    *,
    alpha: float = 0.05,
    power: float = 0.8,
    alternative: Alternative = "two-sided",
) -> float:
    """Return the number of items, with its fraction, at which the power is just that asked for.

    Parameters
    ----------
    difference, std, alpha, power, alternative
        As for `items_needed`, which gives the next whole number.

    Returns
    -------
    float
        At least 2, as R's `pwr.t.test` gives it, whose root finder stops some 1e-5 away.

    Raises
    ------
    TypeError, ValueError
        As `items_needed` does.

    Examples
    --------
    >>> round(unrounded_items_needed(0.5, 1.0), 4)
    33.3671
    """
    most = items_needed(difference, std, alpha=alpha, power=power, alternative=alternative)
    ratio = abs(float(difference)) / float(std)

    def excess(n: float) -> float:
        return _power_between(ratio * math.sqrt(n), n - 1, alpha, alternative) - power

    if most == _FEWEST_ITEMS:
        return float(most)
    return float(optimize.brentq(excess, most - 1, most, xtol=1e-12, rtol=1e-14))


def _power_between(noncentrality: float, df: float, alpha: float, alternative: str) -> float:
    """Return what `t_power` does, for degrees of freedom that need not be whole."""
    sides = (1.0, -1.0) if alternative == "two-sided" else (1.0,)
    critical = -float(special.stdtrit(df, alpha / len(sides)))
    breaks = [(side * noncentrality + far) / critical for side in sides for far in (-9.0, 9.0)]

    def rejected(s: FloatArray) -> FloatArray:
        tails = [special.ndtr(side * noncentrality - critical * s) for side in sides]
        return np.asarray(sum(tails))

    return expect_over_s(rejected, df, breaks if critical > 0 else ())


def _as_test(alpha: float, alternative: str, power: float | None = None) -> tuple[float, float]:
    level = as_level(alpha)
    as_choice(alternative, "alternative", ALTERNATIVES)
    target = level if power is None else as_level(power, name="power")
    if power is not None and target <= level:
        raise ValueError(
            f"`power` must be above `alpha` ({level}), which a test of no use has, got {target}."
        )
    return level, target


def _as_number(value: float, name: str) -> float:
    try:
        return float(value)
    except (TypeError, ValueError):
        raise TypeError(f"`{name}` must be a number, got {value!r}.") from None


def _as_finite(value: float, name: str) -> float:
    number = _as_number(value, name)
    if not math.isfinite(number):
        raise ValueError(f"`{name}` must be finite, got {number}.")
    return number


def _as_std(std: float) -> float:
    spread = _as_finite(std, "std")
    if spread <= 0:
        raise ValueError(f"`std` must be above 0, got {spread}.")
    return spread
