"""Everything that is inferred about one pair: test, interval and equivalence from one engine.

A pair is two rows of all pairs (`all_pairs.pairwise`): what is said of it alone and what is said of
it on a board are the same to the last digit.
"""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from analysis.statistics._typing import Alternative, FloatArray, Groups, Seed
from analysis.statistics.aggregate import CORRELATIONS
from analysis.statistics.intervals.interval import Interval
from analysis.statistics.intervals.no_spread import no_spread_tail, score_range
from analysis.statistics.paired.equivalence import Equivalence, as_margin
from analysis.statistics.paired.null_hypotheses import null_hypothesis
from analysis.statistics.paired.result import (
    CompletePair,
    PairedTest,
    as_delta,
    check_same_gold,
    complete_components,
    metric_difference,
    side_of,
    sign_of,
)
from analysis.statistics.paired.single import WITH_STATISTIC, single_test, with_pvalue_of
from analysis.statistics.registry import TESTS
from analysis.statistics.results import DegenerateDataWarning
from analysis.statistics.validation import ALTERNATIVES, as_choice, as_count, as_level, as_seed
from analysis.statistics.validity_bounds import Reason

if TYPE_CHECKING:
    from analysis.statistics.all_pairs.result import Pairwise
    from analysis.statistics.validity_bounds import RunSpread


@dataclass(frozen=True, slots=True, eq=False)
class PairInference:
    """A test of two systems with the interval and the equivalence that go with it."""

    test: PairedTest
    interval: Interval
    """At 1 - alpha; one-sided open on the side that the test does not look at."""
    standard_error: float
    """Of the difference; NaN where it is not defined."""
    cohens_dz: float
    """Mean difference over the standard deviation of differences; NaN for other metrics."""
    hedges_g: float
    """The same without its bias in small samples."""
    equivalence: Equivalence | None
    guard: Reason
    """What was done to p and interval where the test alone does not hold."""
    refusal: str
    """Why no test is valid here, such as "no-valid-test"; empty where there is one."""


def infer_pair(
    a: npt.ArrayLike,
    b: npt.ArrayLike,
    *,
    test: str = "auto",
    aggregation: str = "mean",
    alternative: Alternative = "two-sided",
    delta: float = 0.0,
    groups: Groups = None,
    runs: RunSpread | None = None,
    interval: str = "auto",
    alpha: float = 0.05,
    margin: float | None = None,
    bounds: tuple[float, float] | None = None,
    n_resamples: int = 9_999,
    rng: Seed = 0,
    zeros: str = "wilcox",
) -> PairInference:
    """Test two systems on the same items, with the interval that inverts the test.

    Parameters
    ----------
    a, b : array_like, shape (n_items,) or (n_items, n_components)
        Scores, higher is better. NaN in any component of either leaves the item out.
    test : str
        Any of `TESTS`. With one that all pairs do not have, interval and equivalence are those that
        "auto" gives.
    aggregation, alternative, groups, runs, interval, alpha, margin, bounds, n_resamples, rng
        As for `pairwise`.
    delta : float
        Difference a - b under the null hypothesis.
    zeros : {"wilcox", "pratt", "zsplit"}
        Of the Wilcoxon test, as for `wilcoxon`.

    Returns
    -------
    PairInference
        The interval leaves `delta` out exactly where the test rejects at `alpha`, for every test
        that has an interval of its own.

    Raises
    ------
    TypeError, ValueError
        If scores, groups or settings do not go together; the message names the argument.
    """
    from analysis.statistics.all_pairs.pairwise import pairwise

    as_choice(test, "test", ("auto", *TESTS))
    as_choice(alternative, "alternative", ALTERNATIVES)
    shift, resamples, seed = as_delta(delta), as_count(n_resamples, "n_resamples"), as_seed(rng)
    level = as_level(alpha)
    pair = complete_components(a, b, aggregation=aggregation, groups=groups)
    if aggregation in CORRELATIONS:
        check_same_gold(pair)
    values = _rows(a, b)

    def run(**changes: object) -> Pairwise:
        arguments: dict[str, Any] = {
            "aggregation": aggregation,
            "test": test if test == "auto" or TESTS[test].together else "auto",
            "correction": "none",
            "alternative": alternative,
            "alpha": level,
            "groups": groups,
            "runs": runs,
            "interval": interval,
            "n_resamples": resamples,
            "rng": seed,
            "delta": shift,
            "bounds": bounds,
        }
        return pairwise(values, **(arguments | changes))

    found = run(margin=None if margin is None else as_margin(margin, level))
    equivalence = None
    if margin is not None:
        # By name: the interval is guarded, the two tests are those that it would invert without.
        own = found.tests[found.test_code[0, 1]]
        by = own if TESTS[own].interval and TESTS[own].delta else "auto"
        with warnings.catch_warnings():
            # NaN p-values say what the warning would.
            warnings.simplefilter("ignore", DegenerateDataWarning)
            sides = [
                run(test=by, alternative=side, delta=null, interval="none").pvalue[0, 1]
                for side, null in (("greater", -margin), ("less", margin))
            ]
        equivalence = _equivalence(found, pair, float(sides[0]), float(sides[1]), aggregation)
    reported = _paired_test(found, pair, values)
    own_zeros = {} if test != "wilcoxon" or zeros == "wilcox" else {"zeros": zeros}
    if test in WITH_STATISTIC or own_zeros or (test != "auto" and not TESTS[test].together):
        alone = single_test(
            test,
            a,
            b,
            aggregation=aggregation,
            delta=shift,
            shared={"alternative": alternative, "groups": groups},
            resampling={"n_resamples": resamples, "rng": seed},
            of_wilcoxon=own_zeros,
        )
        on_board = TESTS[test].together and not own_zeros
        reported = with_pvalue_of(alone, reported) if on_board else alone
    return PairInference(
        test=reported,
        interval=Interval(
            float(found.ci_low[0, 1]),
            float(found.ci_high[0, 1]),
            _interval_kind(found),
            found.confidence_level,
        ),
        standard_error=float(found.standard_error[0, 1]),
        cohens_dz=float(found.cohens_dz[0, 1]),
        hedges_g=float(found.hedges_g[0, 1]),
        equivalence=equivalence,
        guard=Reason(int(found.guard[0, 1])),
        refusal=found.refused[found.refusal[0, 1]],
    )


def _interval_kind(found: Pairwise) -> str:
    kind = found.intervals[found.interval_code[0, 1]]
    none = found.standard_error[0, 1] == 0 and kind in ("inverted", "t")
    return "no-spread" if none else kind


def _rows(a: npt.ArrayLike, b: npt.ArrayLike) -> FloatArray:
    first, second = (np.asarray(side, dtype=np.float64) for side in (a, b))
    return np.stack([first, second])


def _paired_test(found: Pairwise, pair: CompletePair, values: FloatArray) -> PairedTest:
    """Return the test of two rows as that of a pair, with its statistic."""
    from analysis.statistics.all_pairs.result import PairMethod

    test = found.tests[found.test_code[0, 1]]
    method = PairMethod(int(found.method[0, 1]))
    difference = float(found.difference[0, 1])
    statistic, name, direction = _statistic(test, found, pair, values, difference)
    drawn = method in (PairMethod.MONTE_CARLO, PairMethod.TAIL)
    closed = test in ("t", "score", "steiger", "jackknife")
    exact = not drawn and not closed
    if test == "wilcoxon":
        exact = method == PairMethod.EXACT
    floor = float(found.pvalue_floor[0, 1])
    return PairedTest(
        test=test,
        aggregation=found.aggregation,
        statistic=statistic,
        pvalue=float(found.pvalue[0, 1]),
        difference=difference,
        n_items=len(pair.a),
        n_missing=pair.n_missing,
        alternative=found.alternative,
        exact=exact,
        n_resamples=found.n_resamples if drawn else 0,
        seed=found.seed if drawn else None,
        pvalue_floor=None if closed or math.isnan(floor) else floor,
        tests_that=null_hypothesis(
            test,
            found.alternative,
            aggregation=found.aggregation,
            delta=found.delta,
            grouped=pair.groups is not None,
        ),
        why=found.why,
        delta=found.delta,
        n_groups=pair.n_groups,
        statistic_name=name,
        direction=direction,
    )


def _statistic(
    test: str, found: Pairwise, pair: CompletePair, values: FloatArray, difference: float
) -> tuple[float, str, int]:
    """Return the statistic, its name and the side of the null hypothesis that it lies on."""
    delta = found.delta
    if test == "t":
        error = float(found.standard_error[0, 1])
        if error > 0:
            t = (difference - delta) / error
        else:
            side = side_of(difference, delta)
            t = math.nan if math.isnan(error) else math.copysign(math.inf, side) if side else 0.0
        return t, "t", sign_of(t)
    if test == "score":
        from analysis.statistics.intervals.binary import count_pairs, tango_z

        counts = count_pairs(pair.a[:, 0], pair.b[:, 0])
        z = float(tango_z(counts, delta)[0]) if len(pair.a) else math.nan
        return z, "z", sign_of(z)
    return difference, "difference", side_of(difference, delta)


def _equivalence(
    found: Pairwise, pair: CompletePair, lower: float, upper: float, aggregation: str
) -> Equivalence:
    kind = _interval_kind(found)
    low, high = float(found.margin_low[0, 1]), float(found.margin_high[0, 1])
    assert found.margin is not None
    if kind == "no-spread":
        largest = score_range(pair.a[:, 0], pair.b[:, 0])
        difference = float(found.difference[0, 1])
        lower, upper = (
            no_spread_tail(side * difference, found.margin, largest, pair.n_units)
            for side in (1.0, -1.0)
        )
    if math.isnan(low):
        lower = upper = math.nan
    pvalue = math.nan if math.isnan(lower + upper) else max(lower, upper)
    if not math.isnan(pvalue):
        # The interval decides: a guarded one may hold more.
        above = math.nextafter(found.alpha, 1.0)
        pvalue = min(pvalue, found.alpha) if found.equivalent[0, 1] else max(pvalue, above)
    return Equivalence(
        equivalent=bool(found.equivalent[0, 1]),
        pvalue=pvalue,
        pvalue_lower=lower,
        pvalue_upper=upper,
        margin=found.margin,
        difference=metric_difference(pair, aggregation),
        interval=Interval(low, high, kind, 1 - 2 * found.alpha),
        alpha=found.alpha,
        aggregation=aggregation,
        n_items=len(pair.a),
        n_missing=pair.n_missing,
        n_groups=pair.n_groups,
        n_resamples=found.n_resamples,
        seed=found.seed,
    )
