"""Two systems on the same items through the whole of a comparison, whoever asks.

The three stages of NLPStatTest (Zhu et al. 2020): look at the data, test and estimate, report. A
stored pair and a file that somebody drops on a page go through here alike.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Literal, get_args

import numpy as np

from analysis import numbers
from analysis.choices import Draws, Level, Margin, Seed, ShuffleSeed, UnitScore, UnitSize
from analysis.setting import Setting
from analysis.statistics._typing import Alternative, BoolArray, FloatArray
from analysis.statistics.aggregate import aggregate_items
from analysis.statistics.description.diagnostics import Diagnostics, summarise_pair
from analysis.statistics.description.evaluation_units import unit_scores
from analysis.statistics.effects.effect_size import EffectSizes, effect_sizes
from analysis.statistics.paired.equivalence import Equivalence, Verdict, decide
from analysis.statistics.paired.inference import PairInference, infer_pair
from analysis.statistics.paired.result import PairedTest
from analysis.statistics.planning.power import minimum_detectable_difference
from analysis.statistics.results import DegenerateDataWarning
from analysis.statistics.standard_error import is_binary, t_quantile
from analysis.statistics.validation import as_level
from analysis.statistics.validity_bounds import Reason, RunSpread
from analysis.studies.calibrated import caution, interval_caution, no_valid_test
from analysis.studies.study import count
from analysis.studies.test_names import IN_WORDS, INTERVALS_IN_WORDS, Test, to_statistics

Zeros = Literal["wilcox", "pratt", "zsplit"]
"""What the Wilcoxon test can do with items without a difference."""

Interval = Literal["auto", "t", "newcombe", "tango", "inverted", "percentile", "none"]
"""Intervals of a difference that a person can ask for."""
IntervalChoice = Annotated[
    Interval,
    Setting(
        "Of the difference; auto: the one that goes with the test.",
        label="Interval",
        words={"auto": "what goes with the test"}
        | {name: INTERVALS_IN_WORDS[name] for name in get_args(Interval)[1:]},
    ),
]

POWER = 0.8
"""The probability of finding a difference that 'could have been found' stands for."""


@dataclass(frozen=True, slots=True)
class PairSettings:
    """Everything about a comparison that a person can choose."""

    test: Test = "auto"
    alternative: Annotated[
        Alternative,
        Setting(
            "greater: the first system is better.",
            label="Looking for a difference in",
            words={"two-sided": "either", "greater": "A better", "less": "B better"},
            formerly="direction",
        ),
    ] = "two-sided"
    delta: Annotated[
        float,
        Setting(
            "The difference to test against, first minus second.",
            label="Difference to test against, A minus B",
        ),
    ] = 0.0
    alpha: Level = 0.05
    margin: Margin = None
    """``None`` = no margin, so no equivalence."""
    interval: IntervalChoice = "auto"
    n_resamples: Draws = 9_999
    seed: Seed = 0
    unit_size: UnitSize = 1
    unit_statistic: UnitScore = "mean"
    shuffle_seed: ShuffleSeed = None
    """``None`` = in order."""
    zeros: Annotated[
        Zeros,
        Setting(
            "Items without a difference in Wilcoxon's test.",
            label="Items without a difference in Wilcoxon's test",
            words={"wilcox": "left out", "pratt": "ranked, then left out", "zsplit": "split"},
        ),
    ] = "wilcox"

    @property
    def in_units(self) -> bool:
        """Whether items are cut into evaluation units, or shuffled for that."""
        return self.unit_size > 1 or self.shuffle_seed is not None


@dataclass(frozen=True, slots=True, eq=False)
class PairAnalysis:
    """What can be said about two systems on the same items."""

    difference: float
    """First minus second on the metric's own scale, on the items both were scored on."""
    ci: tuple[float, float]
    """Interval of the difference at 1 - alpha; NaN where there is none."""
    ci_method: str
    alpha: float
    score_a: float
    score_b: float
    test: PairedTest
    test_in_words: str
    not_testable: str
    """Why there is no p-value; empty when there is one."""
    why: str
    """"no-valid-test" where the verdict is not given because no test is known to hold."""
    guard: Reason
    """What was done to p and interval where the test alone does not hold."""
    n_items: int
    n_missing: int
    n_units: int
    """Independent units of the test: items, evaluation units, or groups."""
    effect_sizes: EffectSizes | None
    """``None`` where the metric is not a mean over items."""
    diagnostics: Diagnostics | None
    equivalence: Equivalence | None
    mde: float
    """Smallest difference found with 80 % probability at this number of items."""
    verdict: Verdict
    side: int
    """Where the difference was shown to lie of the one tested against: 1 above, -1 below, 0 not."""
    notes: tuple[str, ...]
    """What the statistics found odd about the data."""


def analyse_pair(
    a: FloatArray,
    b: FloatArray,
    settings: PairSettings,
    *,
    aggregation: str = "mean",
    sign: int = 1,
    groups: Sequence[str | None] | None = None,
    runs: RunSpread | None = None,
    bounds: tuple[float, float] | None = None,
) -> PairAnalysis:
    """Take two systems through tests, intervals, effect sizes and diagnostics.

    Parameters
    ----------
    a, b
        Scores on the metric's own scale, shape (n_items, n_components), NaN = missing.
    settings
        What the person chose.
    aggregation
        How the metric comes from the items.
    sign
        1 where higher is better, -1 where lower is better.
    groups
        Clusters of the items, or ``None``.
    runs
        How much the scores of both change from run to run, if there are several.
    bounds
        The lowest and the highest value of the metric, where they are known.

    Raises
    ------
    ValueError
        If settings and scores do not go together; the message says what to choose instead.
    """
    as_level(settings.alpha)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", DegenerateDataWarning)
        analysis = _analyse(a, b, settings, aggregation, sign, groups, runs, bounds)
    told = [str(w.message) for w in caught if issubclass(w.category, DegenerateDataWarning)]
    return replace(analysis, notes=tuple(dict.fromkeys(told)))


def _analyse(
    a: FloatArray,
    b: FloatArray,
    settings: PairSettings,
    aggregation: str,
    sign: int,
    groups: Sequence[str | None] | None,
    runs: RunSpread | None,
    bounds: tuple[float, float] | None,
) -> PairAnalysis:
    present = _present(a, b)
    n_items, n_missing = int(present.sum()), int((~present).sum())
    if settings.in_units:
        a, b = in_units(a, b, settings, aggregation)
        groups, runs = None, None
    # The statistics take higher as better: where lower is better, the systems change places.
    first, second = (a, b) if sign > 0 else (b, a)
    if runs is not None and sign < 0:
        runs = RunSpread(runs.n_runs[::-1], runs.between[::-1], runs.noise[::-1])
    inferred = infer_pair(
        first,
        second,
        test=to_statistics(settings.test),
        aggregation=aggregation,
        alternative=settings.alternative,
        delta=sign * settings.delta,
        groups=groups,
        runs=runs,
        interval=settings.interval,
        alpha=settings.alpha,
        margin=settings.margin,
        bounds=bounds,
        n_resamples=settings.n_resamples,
        rng=settings.seed,
        zeros=settings.zeros,
    )
    test, n_units = inferred.test, independent_units(a, b, groups)
    not_testable = _not_testable(test, inferred.refusal, n_units)
    interval, equivalence = inferred.interval, inferred.equivalence
    score_a, score_b = (aggregate_items(side, aggregation) for side in _complete(a, b))
    gain = test.difference
    found = decide(
        pvalue=test.pvalue,
        difference=test.direction,
        alpha=settings.alpha,
        alternative=settings.alternative,
    )
    side = {"better": 1, "worse": -1}.get(found, 0)
    # Where no p-value can reach alpha, it makes no sense to say what would have been found.
    hopeless = test.exact and (test.pvalue_floor or 0.0) > settings.alpha
    is_item_mean = aggregation == "mean" and n_items > 0
    return PairAnalysis(
        difference=sign * gain,
        ci=(interval.low, interval.high) if sign > 0 else (-interval.high, -interval.low),
        ci_method=interval.method,
        alpha=settings.alpha,
        score_a=score_a,
        score_b=score_b,
        test=test,
        test_in_words=IN_WORDS[test.test],
        not_testable=not_testable,
        why=inferred.refusal if not_testable and settings.test == "auto" else "",
        guard=inferred.guard,
        n_items=n_items,
        n_missing=n_missing,
        n_units=n_units,
        effect_sizes=replace(
            effect_sizes(first[:, 0], second[:, 0], delta=sign * settings.delta, groups=groups),
            # To the last digit those of the pair's cell on a board.
            cohens_dz=inferred.cohens_dz,
            hedges_g=inferred.hedges_g,
        )
        if is_item_mean
        else None,
        diagnostics=summarise_pair(a[:, 0], b[:, 0], delta=settings.delta)
        if is_item_mean
        else None,
        equivalence=equivalence,
        mde=math.nan
        if hopeless
        else _smallest_found(
            test.test, (a, b), (score_a, score_b), inferred, n_units, settings, bounds
        ),
        verdict=_verdict(side, sign * settings.delta, equivalence),
        side=sign * side,
        notes=(),
    )


def _verdict(side: int, delta: float, equivalence: Equivalence | None) -> Verdict:
    """Return what a rejected hypothesis says: above 0.01 is better, below 0.01 is not yet worse."""
    if side > 0 and delta >= 0:
        return "better"
    if side < 0 and delta <= 0:
        return "worse"
    return "equivalent" if equivalence is not None and equivalence.equivalent else "undecided"


def caution_about(
    analysis: PairAnalysis, settings: PairSettings, *, clustered: bool = False
) -> str:
    """Say where test or interval are known not to hold on such scores; empty where they do.

    `clustered`: items come in groups, and the test was not told. A test that chose itself is
    guarded where it would not hold; so is an interval that goes with it.
    """
    found = analysis.diagnostics
    skewness = math.nan if found is None else found.skewness
    binary = found is not None and found.binary
    of_test = caution(
        analysis.test.test,
        n_units=analysis.n_units,
        skewness=math.nan if settings.test == "auto" else skewness,
        clustered=clustered,
        binary=binary,
    )
    of_interval = ""
    if settings.interval not in ("auto", "none") and found is not None:
        of_interval = interval_caution(
            settings.interval,
            n_units=analysis.n_units,
            skewness=skewness,
            clustered=clustered,
            binary=binary,
            grouped=analysis.n_units < analysis.n_items and not settings.in_units,
        )
    return " ".join(filter(None, (of_interval, of_test, _disagreement(analysis, settings))))


def _disagreement(analysis: PairAnalysis, settings: PairSettings) -> str:
    """Say that the interval is of another procedure than the test, where that can be seen."""
    low, high = analysis.ci
    excludes = not low <= settings.delta <= high
    rejects = analysis.test.pvalue <= settings.alpha
    if math.isnan(low + high + analysis.test.pvalue) or excludes == rejects:
        return ""
    kind = INTERVALS_IN_WORDS[analysis.ci_method]
    hypothesis = f"a difference of {settings.delta:g}"
    return (
        f"Interval ({kind}) and {analysis.test_in_words} are two procedures, and here only the "
        f"{'interval' if excludes else 'test'} rules out {hypothesis}; the verdict is the test's."
    )


def in_units(
    a: FloatArray, b: FloatArray, settings: PairSettings, aggregation: str
) -> tuple[FloatArray, FloatArray]:
    """Return the scores per evaluation unit.

    Raises
    ------
    ValueError
        The metric is no mean over items, or there are fewer items than a unit takes.
    """
    if aggregation != "mean":
        raise ValueError(
            "`unit_size` groups the scores of items into units, which a metric by "
            f"'{aggregation}' does not have. Leave it at 1."
        )
    both = np.stack([a[:, 0], b[:, 0]])
    units = unit_scores(
        both,
        size=settings.unit_size,
        statistic=settings.unit_statistic,
        shuffle_seed=settings.shuffle_seed,
    )
    return units[0][:, np.newaxis], units[1][:, np.newaxis]


def _not_testable(test: PairedTest, refusal: str, n_units: int) -> str:
    """Return why a test says nothing; empty where it does."""
    if not math.isnan(test.pvalue):
        return ""
    if refusal:
        return no_valid_test(n_units)
    if test.n_items < 2:
        are = "is" if test.n_items == 1 else "are"
        return f"There {are} {count(test.n_items, 'item')} with a score from both."
    return "All items differ by the same amount, or the metric is not defined on them."


def _present(a: FloatArray, b: FloatArray) -> BoolArray:
    return np.asarray(~(np.isnan(a).any(axis=1) | np.isnan(b).any(axis=1)))


def _complete(a: FloatArray, b: FloatArray) -> tuple[FloatArray, FloatArray]:
    present = _present(a, b)
    return a[present], b[present]


def independent_units(a: FloatArray, b: FloatArray, groups: Sequence[str | None] | None) -> int:
    """Return how many items, or groups of items, both have."""
    present = _present(a, b)
    if groups is None:
        return int(present.sum())
    kept = [group for group, yes in zip(groups, present, strict=True) if yes]
    return len({group for group in kept if group is not None}) + kept.count(None)


def _error_of(inferred: PairInference, n_units: int) -> float:
    """Return the standard error; where the guard made the answer more careful, by the interval."""
    low, high = inferred.interval.low, inferred.interval.high
    if inferred.guard == Reason.KEPT or n_units < 2 or not math.isfinite(high - low):
        return inferred.standard_error
    quantile = t_quantile(n_units - 1, inferred.interval.confidence_level)
    return float(np.fmax(inferred.standard_error, (high - low) / 2 / quantile))


def _smallest_found(
    test: str,
    sides: tuple[FloatArray, FloatArray],
    scores: tuple[float, float],
    inferred: PairInference,
    n_units: int,
    settings: PairSettings,
    bounds: tuple[float, float] | None,
) -> float:
    """Return what the reported test finds with `POWER`; Student's t for all but tests of shares.

    NaN where that is more than the scale of the metric is long.
    """
    from analysis.studies.power.pair_models import Target, shares_model, smallest_gap

    direction: Literal["two-sided", "greater"] = (
        "two-sided" if settings.alternative == "two-sided" else "greater"
    )
    first, second = (side[:, 0] for side in _complete(*sides))
    if not first.size:
        return math.nan
    agreement = float(np.mean(first == second))
    target = Target(settings.alpha, POWER, direction)
    shares = shares_model(test, (scores[0], scores[1]), agreement, target)
    if shares is not None:
        # Against another difference than 0 the test has no plan.
        return math.nan if settings.delta else smallest_gap(shares, n_units)
    error = _error_of(inferred, n_units)
    if not error > 0 or n_units < 2:
        return math.nan
    found = minimum_detectable_difference(
        error, n_units - 1, alpha=settings.alpha, power=POWER, alternative=settings.alternative
    )
    if is_binary(first) and is_binary(second):
        bounds = (0.0, 1.0)
    return math.nan if bounds is not None and found > bounds[1] - bounds[0] else found


def decimals_of(analysis: PairAnalysis) -> int:
    """Return the decimals that the interval of the difference supports."""
    low, high = analysis.ci
    half_width = (high - low) / 2 if math.isfinite(high - low) else None
    span = 100.0 if max(abs(analysis.score_a), abs(analysis.score_b)) > 1.5 else 1.0
    return numbers.decimals(half_width=half_width, n=analysis.n_items or None, span=span)
