"""Power by the number of items: what every way to it gives."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from analysis.statistics._typing import FloatArray, IntArray
from analysis.statistics.planning.power_tally import PowerTally
from analysis.statistics.results import Result, read_only
from analysis.statistics.signature import build_signature


@dataclass(frozen=True, slots=True, eq=False)
class PowerBySize(Result):
    """Share of comparisons that would be significant, by the number of items.

    Attributes
    ----------
    method : str
        "normal" (closed form), "bootstrap" (items of a pilot, drawn anew) or "distribution".
    test, alternative : str
    alpha : float
    sizes : ndarray of int, shape (n_sizes,)
        Independent units: items, or groups of them where `n_groups` is not None.
    power : ndarray, shape (n_sizes,)
        Share of comparisons that are significant with the sign of the true difference; NaN where
        that is 0.
    rejection_rate : ndarray, shape (n_sizes,)
        Share of comparisons that are significant with either sign; the error rate without a
        difference.
    standard_error : ndarray, shape (n_sizes,)
        Monte Carlo error of `power` (of `rejection_rate` without a difference); 0 where it is
        exact.
    difference, std : float
        True difference that the power is for, and the standard deviation of the differences per
        item (NaN where the metric has none).
    n_items, n_missing : int
        Items that the data come from, and items left out; 0 where a distribution was stated.
    n_iterations : int
        Comparisons per size; 0 where the power is exact.
    seed : int or None
    power_low, power_high : ndarray, shape (n_sizes,)
        95% Monte Carlo band (Clopper-Pearson) of `power`, of `rejection_rate` without a
        difference; the value itself where it is exact.
    type_m : ndarray, shape (n_sizes,)
        Mean size of the significant differences over the true one; NaN where there are none.
    type_s : ndarray, shape (n_sizes,)
        Share of the significant differences with the wrong sign; NaN likewise.
    n_untestable : ndarray of int, shape (n_sizes,)
        Comparisons without a p-value, which count as not significant.
    aggregation : str
    n_groups : int or None
        Groups in the data (0: stated); None where items are independent.
    n_resamples : int
        Of each test; 0 where it draws none.
    settings : tuple of (str, str)
        Further choices that decide the numbers, as they stand in the signature.
    """

    method: str
    test: str
    alternative: str
    alpha: float
    sizes: IntArray
    power: FloatArray
    rejection_rate: FloatArray
    standard_error: FloatArray
    difference: float
    std: float
    n_items: int
    n_missing: int
    n_iterations: int
    seed: int | None
    power_low: FloatArray
    power_high: FloatArray
    type_m: FloatArray
    type_s: FloatArray
    n_untestable: IntArray
    aggregation: str = "mean"
    n_groups: int | None = None
    n_resamples: int = 0
    settings: tuple[tuple[str, str], ...] = ()

    @property
    def signature(self) -> str:
        """One line from which the curve can be computed again."""
        settings: dict[str, str | int | float] = {
            "by": self.method,
            "test": self.test,
            "alt": self.alternative,
            "alpha": self.alpha,
            "n": self.n_items,
            "missing": self.n_missing,
            "sizes": " ".join(str(size) for size in self.sizes),
        }
        if self.seed is not None:
            settings |= {"m": self.n_iterations, "seed": self.seed}
        if self.aggregation != "mean":
            settings["agg"] = self.aggregation
        if self.n_groups is not None:
            settings["groups"] = self.n_groups
        if self.n_resamples:
            settings["B"] = self.n_resamples
        settings |= dict(self.settings)
        return build_signature("power-by-size", **settings)

    def __str__(self) -> str:
        lines = [f"{'items':>9}  {'power':>6}  {'95% band':>14}  {'Type M':>7}  {'Type S':>7}"]
        lines += [
            f"{size:>9}  {power:>6.3f}  {f'{low:.3f} - {high:.3f}':>14}  {m:>7.3g}  {s:>7.3g}"
            for size, power, low, high, m, s in zip(
                self.sizes,
                self.power,
                self.power_low,
                self.power_high,
                self.type_m,
                self.type_s,
                strict=True,
            )
        ]
        return "\n".join([*lines, self.signature])


class Tallies(NamedTuple):
    """Columns of `PowerBySize`."""

    power: FloatArray
    rejection_rate: FloatArray
    power_low: FloatArray
    power_high: FloatArray
    standard_error: FloatArray
    type_m: FloatArray
    type_s: FloatArray
    n_untestable: IntArray


def columns_of(tallies: Sequence[PowerTally], n_iterations: int) -> Tallies:
    """Return what was counted at each size, by column and read-only."""
    table = np.array(tallies, dtype=np.float64).reshape(len(tallies), len(PowerTally._fields))
    power, rate, low, high, type_m, type_s, untestable = (np.array(column) for column in table.T)
    share = np.where(np.isnan(power), rate, power)
    error = np.sqrt(share * (1 - share) / n_iterations) if n_iterations else np.zeros(power.size)
    return Tallies(
        read_only(power),
        read_only(rate),
        read_only(low),
        read_only(high),
        read_only(error),
        read_only(type_m),
        read_only(type_s),
        read_only(untestable.astype(np.int64)),
    )
