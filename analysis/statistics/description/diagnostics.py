"""What two systems' scores look like, and which tests suit them (NLPStatTest's data analysis)."""

import math
import warnings
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt
import scipy

from analysis.statistics._typing import FloatArray, IntArray
from analysis.statistics.description.advice import SkewnessRule, TestAdvice, advise
from analysis.statistics.fixed_point import whole_differences
from analysis.statistics.paired.result import as_delta, complete_pair
from analysis.statistics.results import Result, read_only
from analysis.statistics.signature import build_signature
from analysis.statistics.standard_error import exact_mean, exact_std, is_binary
from analysis.statistics.validation import as_level

_MOST_BINS = 49
_SHAPIRO_CALIBRATED = 5_000
_SLIGHT, _STRONG = 0.5, 1.0


class ScoreSummary(NamedTuple):
    """Summary statistics of one column; NaN without items."""

    n_items: int
    mean: float
    median: float
    std: float
    """With n - 1; NaN for one item."""
    minimum: float
    maximum: float


class Histogram(NamedTuple):
    """Counts of values between edges; the last bin holds its upper edge too."""

    edges: FloatArray
    """Shape (n_bins + 1,); empty without items."""
    counts: IntArray


@dataclass(frozen=True, slots=True, eq=False)
class Diagnostics(Result):
    """Description of two systems' scores on the same items, with advice on tests.

    Attributes
    ----------
    n_items, n_missing : int
        Items with a score from both, and items left out.
    delta : float
        Hypothesised difference; shifts what `zeros` counts, nothing else.
    a, b, difference : ScoreSummary
        Of the first system, of the second, of a - b per item.
    histogram_a, histogram_b, histogram_difference : Histogram
        At most 49 bins.
    zeros : int
        Items with a difference of `delta` exactly.
    binary : bool
        Whether all scores are 0 or 1.
    skewness : float
        Third central moment over the 3/2 power of the second (g1, dividing by n); NaN without
        spread.
    skewness_rule : {"symmetric", "moderate", "strong", "undefined"}
        |skewness| below 0.5, below 1, from 1 up; "undefined" without spread.
    normality_pvalue : float
        Shapiro-Wilk test of the differences; NaN with fewer than 3 items or without spread.
    normality_note : str
        Why there is no p-value, or what limits it; empty if nothing does.
    alpha_normality : float
    normal : bool or None
        Whether normality was not rejected; None where it could not be tested.
    recommended_statistic : {"mean", "median"}
        The measure of the centre of the differences that suits their skewness.
    recommended_tests : tuple of TestAdvice
        All tests for one score per item, the recommended one first.
    """

    n_items: int
    n_missing: int
    delta: float
    a: ScoreSummary
    b: ScoreSummary
    difference: ScoreSummary
    histogram_a: Histogram
    histogram_b: Histogram
    histogram_difference: Histogram
    zeros: int
    binary: bool
    skewness: float
    skewness_rule: SkewnessRule
    normality_pvalue: float
    normality_note: str
    alpha_normality: float
    normal: bool | None
    recommended_statistic: Literal["mean", "median"]
    recommended_tests: tuple[TestAdvice, ...]

    @property
    def signature(self) -> str:
        """One line from which the description can be made again."""
        return build_signature(
            "diagnostics",
            n=self.n_items,
            missing=self.n_missing,
            delta=self.delta,
            alpha1=self.alpha_normality,
        )


class _Normality(NamedTuple):
    pvalue: float
    note: str


def summarise_pair(
    a: npt.ArrayLike,
    b: npt.ArrayLike,
    *,
    delta: float = 0.0,
    alpha_normality: float = 0.05,
) -> Diagnostics:
    """Describe two systems' scores and say which tests suit them.

    Parameters
    ----------
    a, b : array_like, shape (n_items,) or (n_items, 1)
        Scores; items with a NaN in either are left out.
    delta : float
        Hypothesised difference a - b.
    alpha_normality : float
        Level of the test of normality (the paper's α1).

    Returns
    -------
    Diagnostics
        An answer for any number of items.

    Raises
    ------
    TypeError, ValueError
        If scores are no numbers, not finite, or of different shapes, or an argument is out of
        range.

    Notes
    -----
    The rule is NLPStatTest's: differences that are roughly symmetric are compared by their mean,
    skewed ones by their median; symmetric and normal ones by Student's t, symmetric ones that are
    not normal by Wilcoxon's test, skewed ones by the sign test. It looks at the data to choose a
    test, which costs little where the chosen tests hold their level anyway, but a test fixed
    beforehand needs no such excuse. A small sample hardly ever shows that it is not normal, a
    large one nearly always does. Shapiro-Wilk p-values are calibrated for up to 5,000 items.

    References
    ----------
    Zhu et al. (2020), NLPStatTest, 3.1; Bulmer (1979), Principles of Statistics, for the bounds
    of skewness; Shapiro and Wilk (1965); Royston (1995), algorithm AS R94.

    Examples
    --------
    >>> found = summarise_pair([0.8, 0.6, 0.9, 0.7], [0.7, 0.6, 0.7, 0.6])
    >>> found.skewness_rule, found.recommended_tests[0].test
    ('symmetric', 't')
    """
    level = as_level(alpha_normality, name="alpha_normality")
    shift = as_delta(delta)
    pair = complete_pair(a, b, n_components=1)
    first, second = pair.a[:, 0], pair.b[:, 0]
    whole = whole_differences(first, second)
    # Spread by whole steps, so that differences that are equal on paper are equal.
    steady = whole.steps.size == 0 or float(np.ptp(whole.steps)) == 0
    differences = first - second
    skewness = math.nan if steady else _skewness(differences)
    rule = _skewness_rule(skewness)
    normality = _normality(differences, steady=steady)
    normal = None if math.isnan(normality.pvalue) else normality.pvalue > level
    binary = is_binary(first) and is_binary(second)
    return Diagnostics(
        n_items=first.size,
        n_missing=pair.n_missing,
        delta=shift,
        a=_summarise(first),
        b=_summarise(second),
        difference=_summarise(differences),
        histogram_a=_histogram(first),
        histogram_b=_histogram(second),
        histogram_difference=_histogram(differences),
        zeros=int(np.count_nonzero(whole_differences(first - shift, second).steps == 0)),
        binary=binary,
        skewness=skewness,
        skewness_rule=rule,
        normality_pvalue=normality.pvalue,
        normality_note=normality.note,
        alpha_normality=level,
        normal=normal,
        recommended_statistic="median" if rule in ("moderate", "strong") else "mean",
        recommended_tests=advise(rule, normal=normal, binary=binary),
    )


def _summarise(values: FloatArray) -> ScoreSummary:
    if not values.size:
        return ScoreSummary(0, *[math.nan] * 5)
    return ScoreSummary(
        n_items=values.size,
        mean=exact_mean(values),
        median=float(np.median(values)),
        std=exact_std(values),
        minimum=float(np.min(values)),
        maximum=float(np.max(values)),
    )


def _histogram(values: FloatArray) -> Histogram:
    """Count values in bins of two interquartile ranges over the cube root of n (at most 49)."""
    if not values.size:
        return Histogram(read_only(np.empty(0)), read_only(np.empty(0, dtype=np.int64)))
    low, high = float(np.min(values)), float(np.max(values))
    quartiles = np.quantile(values, [0.25, 0.75])
    width = 2 * float(quartiles[1] - quartiles[0]) / values.size ** (1 / 3)
    by_width = math.ceil(min(_MOST_BINS, (high - low) / width)) if width > 0 else 0
    # Where the middle half is one value, by Sturges' rule.
    by_number = math.ceil(math.log2(values.size)) + 1
    n_bins = min(_MOST_BINS, max(1, by_width, by_number))
    if not np.all(np.diff(np.linspace(low, high, n_bins + 1)) > 0):
        n_bins = 1  # values so close that floats have no room for more edges
    counts, edges = np.histogram(values, bins=n_bins)
    return Histogram(read_only(edges), read_only(counts.astype(np.int64)))


def _skewness(differences: FloatArray) -> float:
    centred = differences - exact_mean(differences)
    centred /= np.max(np.abs(centred))
    second, third = (math.fsum(centred**power) / centred.size for power in (2, 3))
    return third / (second * math.sqrt(second))


def _skewness_rule(skewness: float) -> SkewnessRule:
    if math.isnan(skewness):
        return "undefined"
    if abs(skewness) < _SLIGHT:
        return "symmetric"
    return "moderate" if abs(skewness) < _STRONG else "strong"


def _normality(differences: FloatArray, *, steady: bool) -> _Normality:
    if differences.size < 3:
        return _Normality(math.nan, "Fewer than 3 items: normality cannot be tested.")
    if steady:
        return _Normality(math.nan, "All differences are equal: normality cannot be tested.")

    # Centred and scaled, which the test does not see but its arithmetic does.
    centred = differences - np.median(differences)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # the note below says it
        pvalue = float(scipy.stats.shapiro(np.sort(centred / np.max(np.abs(centred)))).pvalue)
    note = ""
    if differences.size > _SHAPIRO_CALIBRATED:
        note = (
            f"The Shapiro-Wilk p-value is calibrated up to {_SHAPIRO_CALIBRATED:,} items; with "
            f"{differences.size:,} it is an extrapolation, and small departures from normality, "
            "which do no harm, are found."
        )
    return _Normality(pvalue, note)
