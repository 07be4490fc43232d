"""Do annotators agree with each other more than with a metric?"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from analysis.statistics._typing import BoolArray, FloatArray, Groups, IntArray, Seed
from analysis.statistics.annotation.agreement import (
    TIE_CREDITS,
    TieCredit,
    credit,
    interval_over_pairs,
    mean_over_pairs,
)
from analysis.statistics.annotation.exchange import Exchanges, exchange_pvalue, exchanges
from analysis.statistics.annotation.judged import CoJudged, as_judgments, co_judged, group_codes
from analysis.statistics.annotation.made_up import SAME_OR_NOT
from analysis.statistics.intervals.interval import Interval
from analysis.statistics.results import Result, read_only
from analysis.statistics.signature import build_signature
from analysis.statistics.validation import as_choice, as_count, as_level, as_seed

_APART: FloatArray = np.array([1.0, -1.0, 0.0])
_ONE_EACH: FloatArray = np.array([1.0, 1.0, 2.0])
"""Made-up units of a difference: one on which two annotators alone agree, one on which each of
them agrees with the metric alone, two on which the metric is as they are."""


@dataclass(frozen=True, slots=True, eq=False)
class HumansAgainstMetric(Result):
    """Agreement of annotators with each other, less their agreement with a metric.

    All of it is about the same units: those that two annotators judged and the metric scored. Only
    where there are none `metric` is about those that one judged, and the rest NaN.

    Attributes
    ----------
    humans : float
        Mean over pairs of annotators; NaN where no two judged the same unit.
    humans_interval : Interval
    metric : float
        Mean over the same pairs of how far the two agree with the metric. Where all judged the
        same units that is the mean over annotators.
    metric_interval : Interval
    difference : float
        `humans` less `metric`.
    interval : Interval
        Of `difference`, for other units, or groups of them; the annotators are taken as they are.
        All intervals count four made-up units, see `made_up`.
    pvalue : float
        Two-sided, of the metric being one of the annotators: by exchange, see Notes.
    per_annotator : ndarray, shape (n_annotators,)
        Agreement of each with the metric, on the same units.
    n_units : int
        Units that count.
    n_single : int
        Units that the metric scored and a single annotator judged, which do not count.
    n_ties : int
        Of the units that count, those on which the metric says 0.
    tie_credit : str
    seed, n_resamples : int
    """

    humans: float
    humans_interval: Interval
    metric: float
    metric_interval: Interval
    difference: float
    interval: Interval
    pvalue: float
    per_annotator: FloatArray
    n_units: int
    n_single: int
    n_ties: int
    tie_credit: TieCredit
    seed: int
    n_resamples: int

    @property
    def signature(self) -> str:
        """One line from which the comparison can be repeated."""
        return build_signature(
            "humans-against-metric",
            units=self.n_units,
            ties=self.tie_credit,
            conf=self.interval.confidence_level,
            n_resamples=self.n_resamples,
            seed=self.seed,
        )


def humans_against_metric(
    judgments: npt.ArrayLike,
    metric: npt.ArrayLike,
    *,
    tie_credit: TieCredit = "half",
    groups: Groups = None,
    confidence_level: float = 0.95,
    n_resamples: int = 1_999,
    rng: Seed = 0,
) -> HumansAgainstMetric:
    """Compare the agreement between annotators with that between annotators and a metric.

    Parameters
    ----------
    judgments : array_like, shape (n_annotators, n_units)
        Choices (1, 0, -1) or labels; NaN = not judged.
    metric : array_like, shape (n_units,)
        What the metric says, in the same values; NaN where it has no score.
    tie_credit : {"half", "strict"}
        "half": 0 is a tie and agrees half with a choice, whoever says it. "strict": only equal
        values agree.
    groups : sequence, shape (n_units,), optional
        Units that go together.
    confidence_level : float
    n_resamples, rng
        Of the exchanges.

    Raises
    ------
    TypeError, ValueError
        If the arrays do not fit, hold no finite numbers, or settings are out of range.

    Notes
    -----
    Both sides are means over pairs of annotators of what happens on the units that both judged and
    the metric scored: how often the two agree, and how often each of them agrees with the metric.
    Units that one annotator judged would count on one side alone, and may be easier or harder.
    The answer is for these annotators and further units of the same kind.

    The p-value comes from exchanging, on every unit (or group of units), the metric with one of
    those who judged it, drawn at random, or with none: if the metric is as good as drawn from
    among them this changes nothing. With annotators of different competence the metric is held
    against the average one.

    References
    ----------
    Plank et al. (2015), Do dependency parsing metrics correlate with human judgments?, table 5,
    which has both sides without a test.

    Examples
    --------
    >>> humans = [[1, 1, -1, 1], [1, -1, -1, 1]]
    >>> found = humans_against_metric(humans, [1, -1, 0, -1])
    >>> found.humans, found.metric, found.difference
    (0.75, 0.5, 0.25)
    """
    return humans_against_metrics(
        judgments,
        [metric],
        tie_credit=tie_credit,
        groups=groups,
        confidence_level=confidence_level,
        n_resamples=n_resamples,
        rng=rng,
    )[0]


def humans_against_metrics(
    judgments: npt.ArrayLike,
    metrics: Sequence[npt.ArrayLike],
    *,
    tie_credit: TieCredit = "half",
    groups: Groups = None,
    confidence_level: float = 0.95,
    n_resamples: int = 1_999,
    rng: Seed = 0,
) -> tuple[HumansAgainstMetric, ...]:
    """Compare several metrics on the same units; see `humans_against_metric`."""
    judged = as_judgments(judgments)
    as_choice(tie_credit, "tie_credit", TIE_CREDITS)
    level = as_level(confidence_level, name="confidence_level")
    resamples, seed = as_count(n_resamples, "n_resamples"), as_seed(rng)
    said = [_as_said(values, judged) for values in metrics]
    codes = group_codes(groups, judged.shape[1])
    n_judges = np.count_nonzero(~np.isnan(judged), axis=0)
    people: dict[bytes, _Humans] = {}
    found = []
    for values in said:
        scored = (n_judges > 0) & ~np.isnan(values)
        used = scored & (n_judges > 1)
        # Metrics with the same units share what is known of the annotators there.
        key = used.tobytes()
        if key not in people:
            people[key] = _humans(judged, used, codes, tie_credit, level)
        humans = people[key]
        alone = not used.any()  # nothing to compare with: the metric by itself
        metric = _metric_side(judged, values, humans, codes, tie_credit, level)
        counted = scored if alone else used
        gap = humans.mean - metric.mean
        exchanged = exchanges(humans.judged, values, humans.shared, codes, tie_credit)
        found.append(
            HumansAgainstMetric(
                humans=humans.mean,
                humans_interval=humans.interval,
                metric=metric.mean,
                metric_interval=metric.interval,
                difference=gap,
                interval=metric.gap,
                pvalue=_pvalue(exchanged, gap, resamples, seed),
                per_annotator=read_only(_per_annotator(judged, values, counted, tie_credit)),
                n_units=int(np.count_nonzero(counted)),
                n_single=int(np.count_nonzero(scored & ~counted)),
                n_ties=int(np.count_nonzero(counted & (values == 0))),
                tie_credit=tie_credit,
                seed=seed,
                n_resamples=resamples,
            )
        )
    return tuple(found)


class _Humans(NamedTuple):
    """Annotators among themselves, on some units."""

    judged: FloatArray
    """NaN on the other units."""
    shared: CoJudged
    mean: float
    interval: Interval


class _Metric(NamedTuple):
    """A metric against them."""

    mean: float
    interval: Interval
    gap: Interval
    """Of the annotators' agreement less the metric's."""


def _humans(
    judged: FloatArray, used: BoolArray, codes: IntArray, tie_credit: TieCredit, level: float
) -> _Humans:
    kept = np.where(used, judged, np.nan)
    shared = co_judged(kept)
    agreed = credit(shared.a, shared.b, tie_credit)
    interval = interval_over_pairs(shared, codes, agreed, SAME_OR_NOT, level)
    return _Humans(kept, shared, mean_over_pairs(shared, agreed), interval)


def _metric_side(
    judged: FloatArray,
    said: FloatArray,
    humans: _Humans,
    codes: IntArray,
    tie_credit: TieCredit,
    level: float,
) -> _Metric:
    """Return the agreement with a metric; of the metric alone where no two judged a unit."""
    shared = humans.shared
    if not shared.pair.size:
        shared = _by_annotator(judged, said)
    metric = said[shared.unit]
    agreed = (credit(shared.a, metric, tie_credit) + credit(shared.b, metric, tie_credit)) / 2
    interval = interval_over_pairs(shared, codes, agreed, SAME_OR_NOT, level)
    gap = Interval(math.nan, math.nan, "jackknife", level)
    if humans.shared.pair.size:
        apart = credit(shared.a, shared.b, tie_credit) - agreed
        gap = interval_over_pairs(
            shared, codes, apart, _APART, level, counted=_ONE_EACH, least=-1.0
        )
    return _Metric(mean_over_pairs(shared, agreed), interval, gap)


def _by_annotator(judged: FloatArray, said: FloatArray) -> CoJudged:
    """Return each annotator's judgments of what the metric scored, as if shared with himself."""
    annotator, unit = np.nonzero(~np.isnan(judged) & ~np.isnan(said))
    met, pair = np.unique(annotator, return_inverse=True)
    values = judged[annotator, unit]
    return CoJudged(len(judged), met, met, pair.reshape(-1), unit, values, values)


def _pvalue(found: Exchanges, difference: float, n_resamples: int, seed: int) -> float:
    return math.nan if math.isnan(difference) else exchange_pvalue(found, n_resamples, seed)


def _as_said(metric: npt.ArrayLike, judged: FloatArray) -> FloatArray:
    values = np.atleast_2d(np.asarray(metric))
    said = as_judgments(values, "metric")
    if said.shape != (1, judged.shape[1]):
        raise ValueError(
            f"`metric` must have one value per unit, {judged.shape[1]}; got shape "
            f"{np.shape(metric)}."
        )
    return np.asarray(said[0])


def _per_annotator(
    judged: FloatArray, said: FloatArray, counted: BoolArray, tie_credit: TieCredit
) -> FloatArray:
    shares = np.full(len(judged), np.nan)
    for row, own in enumerate(judged):
        both = counted & ~np.isnan(own)
        if both.any():
            shares[row] = float(credit(own[both], said[both], tie_credit).mean())
    return shares
