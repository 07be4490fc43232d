"""The result of a paired test, and the items that two systems share."""

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from analysis.statistics._typing import FloatArray, Groups, IntArray
from analysis.statistics.aggregate import (
    aggregate_items,
    aggregate_sums,
    as_aggregation,
    is_sum_based,
)
from analysis.statistics.item_groups import as_group_codes, keep_groups
from analysis.statistics.precision import without_rounding
from analysis.statistics.results import Result
from analysis.statistics.signature import build_signature
from analysis.statistics.validation import as_floats

TINY = float(np.finfo(np.float64).tiny)
"""No p-value is below this: one of 0 would claim certainty."""
_LARGEST_SCORE = 1e100
_RECOMPUTING = ("signflip", "bootstrap", "steiger", "williams")


@dataclass(frozen=True, slots=True, eq=False)
class PairedTest(Result):
    """Result of a test of two systems on the same items.

    Attributes
    ----------
    test : str
        One of `paired_tests.TESTS` but not "auto".
    aggregation : str
        The metric that `difference` compares.
    statistic : float
        What `statistic_name` says.
    pvalue : float
        NaN where nothing can be tested.
    difference : float
        Metric of a minus metric of b on the items tested; NaN where it is not defined.
    n_items : int
        Items that both systems have scores for.
    n_missing : int
        Items left out because either score is NaN.
    alternative : str
        "two-sided", "greater" (a above b) or "less".
    exact : bool
        Whether the p-value comes from the full null distribution, without approximation or
        Monte Carlo.
    n_resamples : int
        Random patterns drawn; 0 if none.
    seed : int or None
        Seed of the random patterns; None if none were drawn.
    pvalue_floor : float or None
        Smallest p-value that this test could give on these data; None for a test by a continuous
        distribution, which has none.
    tests_that : str
        The null hypothesis in words.
    why : str
        Why this test was used.
    delta : float
        The difference a - b that the null hypothesis states.
    n_groups : int or None
        Groups of dependent items; None if all items were taken as independent.
    statistic_name : str
        "t", "W+" (sum of the ranks of items where a is above), "wins" (items where a is above),
        "chi2", "z", "difference" or "median difference".
    direction : int
        On which side of the null hypothesis the statistic lies: 1 a above, -1 a below, 0 neither
        or not defined. Can differ from the sign of `difference` where the test does not look at
        that metric.
    options : tuple of (str, str)
        Further choices that decide the numbers, as they stand in the signature.
    """

    test: str
    aggregation: str
    statistic: float
    pvalue: float
    difference: float
    n_items: int
    n_missing: int
    alternative: str
    exact: bool
    n_resamples: int
    seed: int | None
    pvalue_floor: float | None
    tests_that: str
    why: str = "Asked for by name."
    delta: float = 0.0
    n_groups: int | None = None
    statistic_name: str = "difference"
    direction: int = 0
    options: tuple[tuple[str, str], ...] = ()

    @property
    def signature(self) -> str:
        """One line from which the test can be repeated."""
        settings: dict[str, str | int | float] = {}
        if self.test in _RECOMPUTING:
            settings["agg"] = self.aggregation
        settings |= {"alt": self.alternative, "n": self.n_items, "missing": self.n_missing}
        if self.delta != 0:
            settings["delta"] = self.delta
        if self.n_groups is not None:
            settings["groups"] = self.n_groups
        settings |= dict(self.options)
        if self.test.startswith(("signflip", "bootstrap")):
            settings["m"] = "exact" if self.exact else self.n_resamples
        if self.seed is not None:
            settings["seed"] = self.seed
        return build_signature(self.test, **settings)

    def __str__(self) -> str:
        return (
            f"difference {self.difference:.6g}, p = {self.pvalue:.4g} ({self.alternative}), "
            f"{self.n_items} items, {self.n_missing} left out\n{self.tests_that}\n{self.signature}"
        )


class CompletePair(NamedTuple):
    """Scores of the items that both systems have, shape (n_items, n_components) each."""

    a: FloatArray
    b: FloatArray
    n_missing: int
    groups: IntArray | None = None
    """Numbers of the items' groups from 0, shape (n_items,); None without groups."""

    @property
    def n_groups(self) -> int | None:
        """How many groups there are; None without groups."""
        return None if self.groups is None else int(np.max(self.groups, initial=-1)) + 1

    @property
    def n_units(self) -> int:
        """Independent units: groups, or else items."""
        return len(self.a) if self.n_groups is None else self.n_groups

    def in_order(self, order: npt.NDArray[np.intp]) -> "CompletePair":
        """Return the same items in another order."""
        groups = None if self.groups is None else self.groups[order]
        return CompletePair(self.a[order], self.b[order], self.n_missing, groups)


def complete_pair(
    a: npt.ArrayLike,
    b: npt.ArrayLike,
    *,
    n_components: int,
    aggregation: str = "mean",
    groups: Groups = None,
) -> CompletePair:
    """Check both systems' scores and leave out items with a NaN in either."""
    first, second = (
        _as_scores(given, name, n_components, aggregation) for name, given in (("a", a), ("b", b))
    )
    if first.shape != second.shape:
        raise ValueError(
            f"`a` and `b` must hold the same items, got {len(first)} and {len(second)}."
        )
    complete = ~np.any(np.isnan(first) | np.isnan(second), axis=1)
    n_missing = int(np.count_nonzero(~complete))
    codes = None if groups is None else keep_groups(as_group_codes(groups, len(first)), complete)
    return CompletePair(first[complete], second[complete], n_missing, codes)


def complete_components(
    a: npt.ArrayLike, b: npt.ArrayLike, *, aggregation: str, groups: Groups = None
) -> CompletePair:
    """Do as `complete_pair` for any aggregation, and check that counts are not negative."""
    kind = as_aggregation(aggregation)
    pair = complete_pair(
        a, b, n_components=len(kind.components), aggregation=aggregation, groups=groups
    )
    for name, values in (("a", pair.a), ("b", pair.b)):
        for column in kind.non_negative:
            if np.any(values[:, column] < 0):
                raise ValueError(
                    f"`{name}` must not be negative in component {column} "
                    f"({kind.components[column]}), got {np.min(values[:, column])}."
                )
    return pair


def metric_difference(pair: CompletePair, aggregation: str) -> float:
    """Return the metric of a minus the metric of b; NaN without items or where undefined."""
    n_items = len(pair.a)
    if n_items == 0:
        return math.nan
    if aggregation == "mean":
        return math.fsum(pair.a[:, 0] - pair.b[:, 0]) / n_items
    if not is_sum_based(aggregation):
        return aggregate_items(pair.a, aggregation) - aggregate_items(pair.b, aggregation)
    sums = np.array([[math.fsum(column) for column in side.T] for side in (pair.a, pair.b)])
    metrics = aggregate_sums(sums, aggregation, n_items)
    return float(metrics[0] - metrics[1])


def median_difference(pair: CompletePair) -> float:
    """Return the median of a - b; NaN without items."""
    return float(np.median(pair.a[:, 0] - pair.b[:, 0])) if len(pair.a) else math.nan


def check_same_gold(pair: CompletePair) -> None:
    """Raise ValueError where the two systems are not measured against the same gold."""
    different = np.flatnonzero(pair.a[:, 1] != pair.b[:, 1])
    if different.size:
        first = different[0]
        raise ValueError(
            "`a` and `b` must have the same gold in column 1, they differ on "
            f"{different.size} of {len(pair.a)} items ({pair.a[first, 1]:g} and "
            f"{pair.b[first, 1]:g} on the first of them). Compare runs of one dataset."
        )


def as_delta(delta: float) -> float:
    """Return the hypothesised difference as a finite float."""
    try:
        value = float(delta)
    except (TypeError, ValueError):
        raise TypeError(f"`delta` must be a number, got {delta!r}.") from None
    if not abs(value) <= _LARGEST_SCORE:
        raise ValueError(f"`delta` must be finite and at most 1e100 in size, got {value}.")
    return value


def side_of(observed: float, delta: float) -> int:
    """Return on which side of `delta` a value lies; 0 where they are equal but for rounding."""
    return sign_of(float(without_rounding(observed, delta)))


def sign_of(value: float) -> int:
    """Return 1, 0 or -1; 0 for NaN."""
    return int(value > 0) - int(value < 0)


def refuse_groups(pair: CompletePair, test: str) -> None:
    """Raise where items depend on each other and the test has no way to allow for it."""
    if pair.n_groups is not None and pair.n_groups < len(pair.a):
        raise ValueError(
            f"`test` '{test}' takes items as independent, but `groups` joins {len(pair.a)} items "
            f"into {pair.n_groups} groups. Use 'signflip', 't' or 'bootstrap', which take whole "
            "groups."
        )


def _as_scores(given: npt.ArrayLike, name: str, n_components: int, aggregation: str) -> FloatArray:
    values = as_floats(given, name)
    if values.ndim == 1:
        values = values[:, np.newaxis]
    if values.ndim != 2 or values.shape[1] != n_components:
        wanted = "(n_items,)" if n_components == 1 else f"(n_items, {n_components})"
        raise ValueError(
            f"`{name}` must have shape {wanted} for aggregation '{aggregation}', "
            f"got {np.shape(given)}."
        )
    too_large = values[np.abs(values) > _LARGEST_SCORE]
    if too_large.size:
        raise ValueError(
            f"`{name}` must be finite and at most 1e100 in size (NaN = missing), "
            f"got {too_large[0]}."
        )
    return values
