"""How what a test set finds goes with its size, and with the difference."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

import numpy as np

from analysis.statistics import Alternative, FloatArray
from analysis.statistics.planning.pilot_power import pilot_power
from analysis.statistics.results import read_only
from analysis.studies.power.chosen_model import mean_model
from analysis.studies.power.pair_models import PairModel, Target
from analysis.studies.power.pair_scores import PairScores
from analysis.studies.test_names import IN_WORDS

By = Literal["model", "normal", "bootstrap"]

ITERATIONS: Final = 400
"""Comparisons drawn per size; their power is within 0.05 of the truth 95 times in 100."""
GROUP_ITERATIONS: Final = 200
"""The same where whole groups are drawn, which are tested one draw at a time."""
_RESAMPLES: Final = 299
_MULTIPLES: Final = (0.125, 0.25, 0.5, 0.71, 1, 1.41, 2, 4, 8, 16)
_DRAWN_MULTIPLES: Final = (0.25, 0.5, 1, 2, 4)
_MOST_DRAWN: Final = 40_000
_FEWEST: Final = 10
_DIFFERENCES: Final = 41


@dataclass(frozen=True, slots=True, eq=False)
class SizeRow:
    """What so many items find."""

    n_items: int
    mde: float
    """The smallest difference found with the power asked for; NaN where none is."""
    power: float
    """For `for_effect` of the curve."""


@dataclass(frozen=True, slots=True, eq=False)
class Curve:
    """Power along an axis."""

    x: FloatArray
    power: FloatArray
    """Probability of a significant result in the right direction."""
    low: FloatArray
    """95 % Monte Carlo band; `power` where nothing is drawn."""
    high: FloatArray
    label: str
    n_iterations: int
    """Comparisons drawn per point; 0 where nothing is."""


def item_counts(n_items: int, multiples: Sequence[float] = _MULTIPLES) -> list[int]:
    """Return round numbers of items around the one at hand, which is among them."""
    counts = {n_items}
    for multiple in multiples:
        wanted = n_items * multiple
        step = 10 ** max(0, math.floor(math.log10(max(wanted, 1))) - 1)
        counts.add(max(_FEWEST, round(wanted / step) * step))
    close = [n for n in counts if n == n_items or abs(n - n_items) > 0.02 * n_items]
    return sorted(close)


def size_rows(
    model: PairModel, of_effect: PairModel, n_items: int, effect: float
) -> tuple[SizeRow, ...]:
    """Return the smallest difference found, and the power for `effect`, by number of items."""
    return tuple(
        SizeRow(
            n,
            model.smallest_found(n),
            of_effect.find(effect, n).power if effect > 0 else math.nan,
        )
        for n in item_counts(n_items)
    )


def power_by_difference(model: PairModel, n_items: int, mde: float) -> Curve:
    """Return the power of the items at hand for differences up to twice the smallest found."""
    kept, power = [], []
    for difference in np.linspace(0, 2 * mde, _DIFFERENCES)[1:].tolist():
        try:
            found = model.find(difference, n_items).power
        except ValueError:  # larger than any that such systems can have
            break
        kept.append(difference)
        power.append(found)
    return _curve(kept, power, model.test)


def power_by_items(rows: Sequence[SizeRow], label: str) -> Curve:
    """Return the power for one difference by number of items, by the model."""
    return _curve([row.n_items for row in rows], [row.power for row in rows], label)


def normal_power(pair: PairScores, rows: Sequence[SizeRow], effect: float, target: Target) -> Curve:
    """Return the same as if differences were normal: Student's t, whatever the scores.

    Raises
    ------
    ValueError
        The two differ by the same amount on every item.
    """
    model = mean_model(pair, target)
    sizes = [row.n_items for row in rows]
    return _curve(sizes, [model.find(effect, n).power for n in sizes], f"{model.test}, normal")


def no_curve() -> Curve:
    """Return a curve without a point."""
    return _curve([], [], "")


def drawn_power(
    pair: PairScores, effect: float, target: Target, alternative: Alternative, *, seed: int
) -> Curve:
    """Return the power for one difference by number of items, drawing the stored items anew.

    Raises
    ------
    ValueError
        The metric is no mean, or the items leave no room for such a difference.
    """
    if pair.aggregation != "mean":
        raise ValueError(
            "`by` 'bootstrap' states a difference of item means, and this metric is by "
            f"'{pair.aggregation}'. Leave `by` out: how items move the metric is modelled."
        )
    per_unit = pair.n_items / pair.n_units
    sizes = [n for n in item_counts(pair.n_items, _DRAWN_MULTIPLES) if n <= _MOST_DRAWN]
    units = sorted({max(2, round(n / per_unit)) for n in sizes or [_MOST_DRAWN]})
    found = pilot_power(
        pair.first[:, 0],
        pair.second[:, 0],
        sizes=units,
        effect=effect,
        alpha=target.alpha,
        alternative=alternative,
        groups=pair.groups,
        n_iterations=ITERATIONS if pair.groups is None else GROUP_ITERATIONS,
        n_resamples=_RESAMPLES,
        rng=seed,
    )
    return Curve(
        x=read_only(np.round(found.sizes * per_unit)),
        power=found.power,
        low=found.power_low,
        high=found.power_high,
        label=f"{IN_WORDS[found.test]}, items drawn anew",
        n_iterations=found.n_iterations,
    )


def _curve(x: Sequence[float], power: Sequence[float], label: str) -> Curve:
    values = read_only(np.array(power, dtype=np.float64))
    return Curve(read_only(np.array(x, dtype=np.float64)), values, values, values, label, 0)
