"""What is said of two systems: the sentence, and what a reader must know."""

from __future__ import annotations

import math

from analysis import numbers
from analysis.statistics.description.variance_components import (
    VarianceComponents,
)
from analysis.studies.pair_analysis import (
    PairAnalysis,
    PairSettings,
)
from analysis.studies.study import count
from store.records import MetricRecord, ScoreMatrix


def sentence(
    analysis: PairAnalysis,
    settings: PairSettings,
    a: str,
    b: str,
    metric: MetricRecord | None,
    where: str,
) -> str:
    """Return the answer in words: verdict first, then the figures it rests on."""
    low, high = analysis.ci
    places = numbers.decimals(
        half_width=(high - low) / 2 if math.isfinite(high - low) else None,
        n=analysis.n_items or None,
        span=100.0 if max(abs(analysis.score_a), abs(analysis.score_b)) > 1.5 else 1.0,
    )
    on = f" on {where}" if where else ""
    quantity = metric.label if metric else "score"
    lower = " (lower is better)" if metric and not metric.higher_is_better else ""
    units = count(analysis.n_items, "item")
    if analysis.n_units != analysis.n_items:
        units += f" in {count(analysis.n_units, 'unit')}"
    if analysis.why:
        return f"Cannot tell {a} and {b} apart{on}: {analysis.not_testable}"
    if analysis.not_testable:
        return f"Nothing can be tested between {a} and {b}{on}: {analysis.not_testable}"
    figures = (
        f"{quantity}{lower} {numbers.fixed(analysis.score_a, places)} against "
        f"{numbers.fixed(analysis.score_b, places)}, a difference of "
        f"{numbers.fixed(analysis.difference, places, signed=True)}"
    )
    if math.isfinite(low):
        ends = " to ".join(numbers.fixed(end, places, signed=True) for end in (low, high))
        figures += f" ({100 * (1 - settings.alpha):g} % interval {ends})"
    tested = f"p {numbers.relation(analysis.test.pvalue)}, {analysis.test_in_words}"
    if settings.alternative != "two-sided":
        tested += ", one-sided"
    if settings.delta and analysis.side:
        than = "above" if analysis.side > 0 else "below"
        return (
            f"The difference {a} minus {b}{on} is {than} {settings.delta:+g} with {units}: "
            f"{figures}; {tested}."
        )
    if analysis.verdict in ("better", "worse"):
        told = f"{a} is {analysis.verdict} than {b}{on} with {units}: {figures}; {tested}."
        if analysis.equivalence is not None and analysis.equivalence.equivalent:
            told += f" The difference is real, but within the margin of ±{settings.margin:g}."
        return told
    if analysis.verdict == "equivalent":
        return (
            f"{a} and {b} are equivalent{on} within ±{settings.margin:g} with {units}: "
            f"{figures}; {tested}."
        )
    if settings.delta:
        return (
            f"Cannot tell whether the difference {a} minus {b}{on} is other than "
            f"{settings.delta:+g} with {units}: {figures}; {tested}."
        )
    told = f"Cannot tell {a} and {b} apart{on} with {units}: {figures}; {tested}."
    if math.isfinite(analysis.mde):
        told += (
            f" A difference of {numbers.fixed(analysis.mde, places)} would have been found with "
            "80 % probability."
        )
    return told


def about_runs(variance: VarianceComponents | None, *, by_name: bool, has_seeds: bool) -> list[str]:
    """Say what the verdict leaves out where there are several runs, and what would help most."""
    if variance is None:
        return []
    if not has_seeds:
        told = ["Trials are samples here: test and interval take their mean on each item."]
    elif by_name:
        told = [
            "The verdict is about the runs that were made: test and interval take the mean over "
            "runs and count the chance in the items, not that in the seeds."
        ]
    else:
        told = ["Test and interval count the chance in the items and that in the seeds."]
    if variance.n_incomplete > variance.n_items:
        return [
            *told,
            f"Only {count(variance.n_items, 'item')} were scored by every run: too few to tell the "
            "part of the runs.",
        ]
    return [*told, variance.sentence]


def warnings_of(analysis: PairAnalysis, matrix: ScoreMatrix) -> list[str]:
    """Return what a reader must know of the items that were compared, and of p."""
    warnings = []
    if analysis.n_missing:
        warnings.append(
            f"{count(analysis.n_missing, 'item')} of {matrix.dataset.n_items:,} "
            f"{'has' if analysis.n_missing == 1 else 'have'} a score from only one of the two, or "
            "from none, and are left out. If hard items are the ones that fail, this favours the "
            "system that failed on them."
        )
    test = analysis.test
    floor = test.pvalue_floor
    if floor is None or math.isnan(test.pvalue):
        return warnings
    if test.exact and floor > analysis.alpha:
        warnings.append(
            f"With so few differing items no p-value below {floor:.2g} is possible: no difference "
            "could be shown here."
        )
    if not test.exact and test.pvalue <= floor * (1 + 1e-9):
        warnings.append(
            f"p is at the floor of {test.n_resamples:,} resamples: it says at most "
            f"{floor:.2g}. More resamples would make it smaller."
        )
    return warnings
