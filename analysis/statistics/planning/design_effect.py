"""What groups of items cost: correlation within groups and design effect."""

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from analysis.statistics._typing import FloatArray, IntArray
from analysis.statistics.item_groups import as_group_codes, keep_groups
from analysis.statistics.results import Result
from analysis.statistics.signature import build_signature
from analysis.statistics.standard_error import exact_mean, rounding_error, spread_of_mean
from analysis.statistics.validation import as_floats


@dataclass(frozen=True, slots=True, eq=False)
class DesignEffect(Result):
    """How much less grouped items tell than as many independent ones.

    Attributes
    ----------
    n_items, n_missing, n_groups : int
        Items with a value, items left out, and groups of the former.
    group_size : float
        Mean number of items per group.
    weighted_group_size : float
        Size of the group that an item is in, on average: Σ m² / Σ m.
    icc : float
        Correlation of two items of one group, by analysis of variance; can be estimated below 0.
        NaN where no group has two items, there is one group, or nothing varies.
    deff : float
        1 + (weighted_group_size - 1) · icc, with an `icc` below 0 taken as 0: the variance of
        the mean over that of independent items. 1 where no group has two items.
    deff_robust : float
        The squared cluster-robust standard error over that of independent items, which is what
        tests with groups meet in these data.
    effective_items : float
        n_items / deff.
    """

    n_items: int
    n_missing: int
    n_groups: int
    group_size: float
    weighted_group_size: float
    icc: float
    deff: float
    deff_robust: float
    effective_items: float

    @property
    def signature(self) -> str:
        """One line from which the design effect can be estimated again."""
        return build_signature(
            "design-effect",
            n=self.n_items,
            missing=self.n_missing,
            groups=self.n_groups,
        )

    def __str__(self) -> str:
        return (
            f"{self.n_items} items in {self.n_groups} groups, correlation {self.icc:.3g}: "
            f"design effect {self.deff:.3g}, as much as {self.effective_items:.0f} independent "
            f"items\n{self.signature}"
        )


def design_effect(
    values: npt.ArrayLike,
    groups: Sequence[Hashable] | npt.NDArray[np.generic],
) -> DesignEffect:
    """Estimate the correlation within groups of items, and what it costs.

    Parameters
    ----------
    values : array_like, shape (n_items,)
        One per item: the differences of two systems for a comparison, the scores of one for its
        mean. NaN leaves the item out. The two can have very different design effects.
    groups : sequence, shape (n_items,)
        A label per item; None is a group of its own.

    Returns
    -------
    DesignEffect

    Raises
    ------
    TypeError, ValueError
        If values are no numbers, not finite or not 1-D, there are fewer than two, or labels do
        not fit.

    Notes
    -----
    There is no interval: that of F misses the correlation far more often than it promises where
    values are not normal, as it does for `intraclass_correlations`.

    References
    ----------
    Kish (1965), Survey Sampling, for the design effect; Donner (1986), A review of inference
    procedures for the intraclass correlation coefficient in the one-way random effects model, for
    the estimate by analysis of variance.

    Examples
    --------
    >>> found = design_effect([1, 2, 1, 5, 6, 6, 3, 3, 2], list("aaabbbccc"))
    >>> round(found.icc, 3), round(found.deff, 2), round(found.effective_items, 1)
    (0.935, 2.87, 3.1)
    """
    given = as_floats(values, "values")
    if given.ndim != 1:
        raise ValueError(f"`values` must be 1-D (one per item), got shape {given.shape}.")
    if np.isinf(given).any():
        raise ValueError("`values` must be finite (NaN = missing), got an infinite one.")
    present = ~np.isnan(given)
    codes = keep_groups(as_group_codes(groups, given.size), present)
    kept = given[present]
    if kept.size < 2:
        raise ValueError(f"`values` must hold at least 2 items, got {kept.size}.")
    counts = np.bincount(codes)
    weighted = float(np.sum(counts**2)) / kept.size
    icc = _correlation(kept, codes, counts)
    robust = spread_of_mean(kept, codes).standard_error
    plain = spread_of_mean(kept, None).standard_error
    deff = 1.0 if weighted == 1 else 1 + (weighted - 1) * (icc if not icc < 0 else 0.0)
    return DesignEffect(
        n_items=kept.size,
        n_missing=int(given.size - kept.size),
        n_groups=counts.size,
        group_size=kept.size / counts.size,
        weighted_group_size=weighted,
        icc=icc,
        deff=deff,
        deff_robust=(robust / plain) ** 2 if plain > 0 else math.nan,
        effective_items=kept.size / deff,
    )


def _correlation(values: FloatArray, codes: IntArray, counts: IntArray) -> float:
    """Return the correlation within groups."""
    n, n_groups = values.size, counts.size
    if n_groups < 2 or n == n_groups or np.ptp(values) <= rounding_error(values):
        return math.nan
    means = np.bincount(codes, weights=values) / counts
    within = math.fsum((values - means[codes]) ** 2) / (n - n_groups)
    between = math.fsum(counts * (means - exact_mean(values)) ** 2) / (n_groups - 1)
    usual = (n - float(np.sum(counts**2)) / n) / (n_groups - 1)
    if within == 0:
        return 1.0
    ratio = between / within
    return (ratio - 1) / (ratio + usual - 1)
