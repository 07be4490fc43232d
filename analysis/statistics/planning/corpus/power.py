"""What a comparison by BLEU or another corpus metric could find: power, differences, items."""

import math
import warnings
from collections.abc import Callable

from analysis.statistics._typing import Alternative, Seed
from analysis.statistics.planning.arguments import (
    FEWEST_UNITS,
    as_difference,
    as_several,
    as_target_power,
)
from analysis.statistics.planning.corpus.model import (
    MOST_SIMULATED,
    CorpusMethod,
    CorpusModel,
    CorpusPower,
    as_model,
    as_moderate,
)
from analysis.statistics.results import DegenerateDataWarning

_MOST_ITEMS = 10**15
_DOUBLINGS = 60
_CLOSE = 1e-4
_CLOSE_ITEMS = 0.005
_STEP = 1.1


def corpus_power(
    difference: float,
    n_items: int,
    *,
    p_zero: float,
    scale: float,
    method: CorpusMethod = "normal",
    alternative: Alternative = "two-sided",
    alpha: float = 0.05,
    n_iterations: int = 1_000,
    n_resamples: int = 999,
    rng: Seed = 0,
) -> CorpusPower:
    """Return the power of a comparison by a corpus metric.

    Parameters
    ----------
    difference : float
        True difference of the two metrics, in their unit (BLEU: 0 to 100).
    n_items : int
        At least 2.
    p_zero : float
        Share of items whose exchange changes nothing, from 0 to below 1.
    scale : float
        Laplace scale of the other items' effects times `n_items` (b0), above 0. It belongs to the
        metric and the kind of text: it stays as it is when there are more items. `CARD_EFFECTS`
        has published ones, `exchange_effects` measures them.
    method : {"t", "normal", "simulation"}
        "t": the default comparison, a bootstrap that is no less careful than the jackknife's t.
        The others are for the exchange test (approximate randomization). "normal": sums of effects
        are normal; a closed form, for a hundred items or more. "simulation": comparisons are drawn
        from the model and tested by random exchanges.
    alternative : {"two-sided", "greater", "less"}
    alpha : float
    n_iterations, n_resamples : int
        Simulated comparisons, and random exchanges in each.
    rng : int, Generator or None
        Seed; 0 is a seed.

    Returns
    -------
    CorpusPower

    Raises
    ------
    TypeError, ValueError
        If an argument is out of range, such as more than two million items for a simulation.

    Notes
    -----
    The paper compares with percentiles of 1,000 exchanges; here a comparison is significant where
    p = (count + 1) / (n_resamples + 1) is at most `alpha`, as in the test. The power is 0 where
    not even all items on one side would be significant.

    "t" takes the observed difference for normal, measured against its own standard error with
    n - 1 degrees of freedom; a comparison is more careful still where pseudo-values are skewed.
    "normal" takes the width of the exchange distribution for known, and is too low with
    few items: at a power of 0.8, by 0.004 with 500 items, 0.01 with 200, 0.02 with 100 and 0.06
    with 30. Simulations keep 16 bytes per comparison and exchange.

    References
    ----------
    Card et al. (2020), With Little Power Comes Great Responsibility, section 4.

    Examples
    --------
    >>> round(corpus_power(1.0, 2_000, p_zero=0.13, scale=25.8).power, 4)
    0.7467
    """
    effect = as_moderate(difference, "difference")
    n = as_several(n_items, "n_items")
    model = as_model(
        p_zero=p_zero,
        scale=scale,
        method=method,
        alternative=alternative,
        alpha=alpha,
        n_iterations=n_iterations,
        n_resamples=n_resamples,
        rng=rng,
    )
    return model.at(effect, n)


def corpus_detectable_difference(
    n_items: int,
    *,
    p_zero: float,
    scale: float,
    power: float = 0.8,
    method: CorpusMethod = "normal",
    alternative: Alternative = "two-sided",
    alpha: float = 0.05,
    n_iterations: int = 1_000,
    n_resamples: int = 999,
    rng: Seed = 0,
) -> CorpusPower:
    """Return the smallest difference of a corpus metric that a comparison would find.

    Parameters
    ----------
    n_items, p_zero, scale, method, alternative, alpha, n_iterations, n_resamples, rng
        As for `corpus_power`. One-sided tests are taken in the direction of the difference.
    power : float
        Chance of finding it, with the right sign; above `alpha`.

    Returns
    -------
    CorpusPower
        At that difference, given without a sign ("less": negative). NaN, with a warning, where so
        few items can move the difference that none is large enough.

    Raises
    ------
    TypeError, ValueError
        If an argument is out of range.

    Warns
    -----
    DegenerateDataWarning
        If no difference has the power asked for.

    Notes
    -----
    A simulation uses the same draws for all differences, and gives the difference to 4 digits.

    Examples
    --------
    >>> found = corpus_detectable_difference(2_000, p_zero=0.13, scale=25.8)
    >>> round(found.difference, 4), round(found.power, 4)
    (1.0678, 0.8)
    """
    n = as_several(n_items, "n_items")
    model = as_model(
        p_zero=p_zero,
        scale=scale,
        method=method,
        alternative=alternative,
        alpha=alpha,
        n_iterations=n_iterations,
        n_resamples=n_resamples,
        rng=rng,
    )
    target = as_target_power(power, model.alpha)
    sign = -1.0 if alternative == "less" else 1.0
    close = _CLOSE if model.simulated else 1e-13
    found = _first_reached(
        lambda size: model.power(sign * size, n) - target, model.null_std(0.0, n), close
    )
    if math.isnan(found):
        warnings.warn(
            f"No difference has a power of {target:g} with `n_items` {n} and `p_zero` "
            f"{model.p_zero:g}: too few items matter for a test at `alpha` {model.alpha:g}. "
            "The difference is NaN.",
            DegenerateDataWarning,
            stacklevel=2,
        )
    return model.at(sign * found, n)


def corpus_items_needed(
    difference: float,
    *,
    p_zero: float,
    scale: float,
    power: float = 0.8,
    method: CorpusMethod = "normal",
    alternative: Alternative = "two-sided",
    alpha: float = 0.05,
    n_iterations: int = 1_000,
    n_resamples: int = 999,
    rng: Seed = 0,
) -> CorpusPower:
    """Return the fewest items with which a comparison would find a difference.

    Parameters
    ----------
    difference : float
        True difference of the two metrics, not 0; its sign plays no part in how many items.
    p_zero, scale, method, alternative, alpha, n_iterations, n_resamples, rng
        As for `corpus_power`. One-sided tests are taken in the direction of the difference.
    power : float
        Chance of finding it, with the right sign; above `alpha`.

    Returns
    -------
    CorpusPower
        With that number of items.

    Raises
    ------
    TypeError, ValueError
        If an argument is out of range, or more than 10^15 items would be needed (two million for
        a simulation).

    Notes
    -----
    A simulation narrows the number down to 0.5 %, which is below its own error.

    Examples
    --------
    >>> corpus_items_needed(0.5, p_zero=0.13, scale=25.8).n_items
    9098
    """
    effect = abs(as_moderate(as_difference(difference), "difference"))
    model = as_model(
        p_zero=p_zero,
        scale=scale,
        method=method,
        alternative=alternative,
        alpha=alpha,
        n_iterations=n_iterations,
        n_resamples=n_resamples,
        rng=rng,
    )
    target = as_target_power(power, model.alpha)
    if alternative == "less":
        effect = -effect
    return model.at(effect, _fewest_items(model, effect, target))


def _first_reached(missing: Callable[[float], float], start: float, close: float) -> float:
    """Return the smallest value that `missing`, below 0 at 0, lets through; NaN without one."""
    low, high = 0.0, start
    for _ in range(_DOUBLINGS):
        if missing(high) >= 0:
            break
        low, high = high, 2 * high
    else:
        return math.nan
    while high - low > close * high:
        middle = (low + high) / 2
        if not low < middle < high:
            break
        low, high = (low, middle) if missing(middle) >= 0 else (middle, high)
    return high


def _fewest_items(model: CorpusModel, difference: float, target: float) -> int:
    most = MOST_SIMULATED if model.simulated else _MOST_ITEMS

    def enough(n: int) -> bool:
        if n > most:
            raise ValueError(
                f"`difference` of {difference:.3g} at `scale` {model.scale:.3g} needs more than "
                f"{most:.0e} items. "
                + ("Use `method` 'normal'." if model.simulated else "Ask for a larger one.")
            )
        return model.power(difference, n) >= target

    low, high = FEWEST_UNITS - 1, FEWEST_UNITS
    if model.simulated:
        # Simulations are short near the closed form's answer, and long far above it.
        closed = model.closed()
        high = _fewest_items(closed, difference, target)
        low = max(low, int(high / _STEP))
        if low >= FEWEST_UNITS and enough(low):
            low, high = FEWEST_UNITS - 1, low
    while not enough(high):
        low = high
        high = math.ceil(high * _STEP) if model.simulated else 2 * high
    close = _CLOSE_ITEMS if model.simulated else 0.0
    while high - low > max(1.0, close * high):
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high
