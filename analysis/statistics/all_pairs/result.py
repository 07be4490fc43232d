"""What a comparison of all pairs of systems gives."""

import math
from dataclasses import dataclass
from enum import IntEnum
from typing import NamedTuple

import numpy as np

from analysis.statistics._typing import BoolArray, ByteArray, FloatArray, IntArray
from analysis.statistics.effects.effect_size import hedges_factor
from analysis.statistics.results import Result
from analysis.statistics.signature import build_signature

_LONGEST_TABLE = 40


class PairMethod(IntEnum):
    """How the p-value of a pair came about."""

    NOT_TESTABLE = 0
    CLOSED_FORM = 1
    EXACT = 2
    ENUMERATED = 3
    MONTE_CARLO = 4
    TAIL = 5
    BOUND = 6


BOUND_PVALUE = 1e-30
"""P-values below this are not computed where that takes an approximation, but given as this."""


class PairPvalues(NamedTuple):
    """P-values of all pairs by one test, before any correction.

    One-sided ``[i, j]`` tests whether i is above ("greater") or below ("less") j; two-sided is
    symmetric. Diagonal and pairs that cannot be tested: NaN.
    """

    pvalue: FloatArray
    """Shape (n_systems, n_systems)."""
    method: ByteArray
    """`PairMethod` of each pair, same shape."""
    floor: FloatArray
    """Smallest p-value possible for the pair with that method, same shape."""


@dataclass(frozen=True, slots=True, eq=False)
class Pairwise(Result):
    """Result of testing every pair of systems on the same items.

    All matrices have shape (n_systems, n_systems); ``[i, j]`` is about system i minus system j,
    on the items that both have scores for.

    Attributes
    ----------
    n_systems : int
    n_pairs : int
        Pairs that could be tested.
    difference : ndarray of float
        Metric of i minus metric of j; 0 on the diagonal, NaN where it is not defined.
    standard_error : ndarray of float
        Standard error of `difference`: from the item differences ("mean"; cluster-robust with
        groups), else from the bootstrap; NaN where it is not defined or was not computed.
    ci_low, ci_high : ndarray of float
        Interval of each difference by itself, at `confidence_level`; NaN where there is none,
        infinite on the side that a one-sided test does not look at.
    ci_simultaneous_low, ci_simultaneous_high : ndarray of float
        Intervals that hold for all pairs at once, at `confidence_level`, for the corrections
        "bonferroni", "max-t-single" and "tukey"; NaN for others. One leaves `delta` out exactly
        where the pair differs after correction.
    cohens_dz : ndarray of float
        Difference, less `delta`, over the standard deviation of the items' differences; NaN where
        the metric is no mean over items or nothing scatters.
    margin_low, margin_high : ndarray of float
        Interval at 1 - 2 alpha, which decides equivalence; NaN without a margin.
    pvalue : ndarray of float
        One-sided ``[i, j]`` tests whether i is above ("greater") or below ("less") j. NaN on the
        diagonal and where nothing can be tested.
    pvalue_adjusted : ndarray of float
        After `correction` over all pairs that can be tested.
    n_items : ndarray of int
        Items that both systems have scores for; on the diagonal, the system's own.
    n_units : ndarray of int
        Groups among these items; the items themselves where nothing joins them.
    method : ndarray of uint8
        `PairMethod` of each p-value.
    pvalue_floor : ndarray of float
        Smallest p-value that the pair could have had with its method; 0 for a closed form.
    tests : list of str
        The tests used, the most frequent first: of `PAIRWISE_TESTS` but not "auto".
    test_code : ndarray of uint8
        Test of each pair, as a place in `tests`.
    intervals : list of str
        The intervals used: "t", "newcombe", "tango", "inverted", "percentile" or "none".
    interval_code : ndarray of uint8
        Interval of each pair, as a place in `intervals`.
    refused : list of str
        Why some pairs get no test, such as "no-valid-test"; the first is empty.
    refusal : ndarray of uint8
        Reason of each pair, as a place in `refused`; 0 where it is tested.
    guard : ndarray of uint8
        `Reason` of each pair: what was done to p and interval where the test alone does not hold.
    why : str
        Why the first of `tests` was used.
    aggregation : str
    correction : str
        One of `CORRECTIONS`.
    alternative : str
    alpha : float
        Level of the whole family.
    confidence_level : float
        ``1 - alpha``, of each interval by itself.
    delta : float
        The difference that the null hypothesis states.
    margin : float or None
        Differences smaller than this do not matter.
    n_resamples : int
        Replicates of the test; 0 where no p-value needed any.
    seed : int or None
        Seed of the replicates of test, correction and intervals; None if none were drawn.
    n_groups : int or None
        Groups of items that are exchanged or drawn as a whole; None without groups.
    n_tests : int
        Size of the family that the correction counts.
    floor_note : str
        What must be known where the number of replicates limits what the correction can reject;
        empty where it does not.
    """

    n_systems: int
    n_pairs: int
    difference: FloatArray
    standard_error: FloatArray
    cohens_dz: FloatArray
    ci_low: FloatArray
    ci_high: FloatArray
    ci_simultaneous_low: FloatArray
    ci_simultaneous_high: FloatArray
    margin_low: FloatArray
    margin_high: FloatArray
    pvalue: FloatArray
    pvalue_adjusted: FloatArray
    n_items: IntArray
    n_units: IntArray
    method: ByteArray
    pvalue_floor: FloatArray
    tests: list[str]
    test_code: ByteArray
    intervals: list[str]
    interval_code: ByteArray
    refused: list[str]
    refusal: ByteArray
    guard: ByteArray
    why: str
    aggregation: str
    correction: str
    alternative: str
    alpha: float
    confidence_level: float
    delta: float
    margin: float | None
    n_resamples: int
    seed: int | None
    n_groups: int | None
    n_tests: int
    floor_note: str = ""

    @property
    def test(self) -> str:
        """The test that most pairs got."""
        return self.tests[0]

    @property
    def interval_method(self) -> str:
        """The interval that most pairs got."""
        return self.intervals[0]

    @property
    def hedges_g(self) -> FloatArray:
        """`cohens_dz` without its bias in small samples."""
        return np.asarray(self.cohens_dz * hedges_factor(self.n_items))

    @property
    def equivalent(self) -> BoolArray:
        """Which pairs are shown to differ by less than the margin, each by itself."""
        if self.margin is None:
            return np.zeros(self.difference.shape, dtype=np.bool_)
        return np.asarray((self.margin_low >= -self.margin) & (self.margin_high <= self.margin))

    @property
    def different(self) -> BoolArray:
        """Which pairs differ at level `alpha` after correction; False where not testable."""
        return np.asarray(self.pvalue_adjusted <= self.alpha)

    @property
    def signature(self) -> str:
        """One line from which the comparison can be repeated."""
        settings: dict[str, str | int | float] = {
            "test": "+".join(self.tests),
            "agg": self.aggregation,
            "alt": self.alternative,
            "systems": self.n_systems,
            "m": self.n_tests,
            "correction": self.correction,
            "alpha": self.alpha,
            "interval": "+".join(self.intervals),
        }
        if self.n_groups is not None:
            settings["groups"] = self.n_groups
        if self.seed is not None:
            settings |= {"B": self.n_resamples, "seed": self.seed}
        return build_signature("pairwise", **settings)

    def __str__(self) -> str:
        first, second = np.triu_indices(self.n_systems, 1)
        order = np.argsort(self.pvalue_adjusted[first, second], kind="stable")[:_LONGEST_TABLE]
        lines = [f"{'pair':>12}  {'difference':>11}  {'p':>9}  {'adjusted':>9}  items"]
        for i, j in zip(first[order], second[order], strict=True):
            p, adjusted = self.pvalue[i, j], self.pvalue_adjusted[i, j]
            below = "< " if self.method[i, j] == PairMethod.BOUND else ""
            told = f"{f'{below}{p:.4g}':>9}  {f'{below}{adjusted:.4g}':>9}"
            if math.isnan(p):
                told = "not testable"
            lines.append(
                f"{f'{i} - {j}':>12}  {self.difference[i, j]:>11.5g}  {told}  {self.n_items[i, j]}"
            )
        if first.size > _LONGEST_TABLE:
            lines.append(f"... and {first.size - _LONGEST_TABLE} pairs more")
        return "\n".join([*lines, self.signature])
