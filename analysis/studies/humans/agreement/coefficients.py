"""The coefficients of agreement that fit what was judged."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from analysis.statistics.annotation.agreement import PairwiseAgreement
from analysis.statistics.annotation.alpha import ScaleLevel, krippendorff_alpha
from analysis.statistics.annotation.both_ways import counted_once
from analysis.statistics.annotation.icc import IntraclassCorrelations, intraclass_correlations
from analysis.statistics.annotation.kappa import (
    ChanceCorrected,
    KappaSpacing,
    cohen_kappa,
    fleiss_kappa,
)
from analysis.studies.humans.agreement.rows import Settings
from analysis.studies.humans.judged_units import JudgedUnits
from analysis.studies.study import count
from store.judgments import CriterionRecord

_MOST_LEVELS = 20
"""Distinct values up to which kappa of ratings is told."""
_BY_CHANCE = {
    "answers": "if each kept to the own shares of answers without looking",
    "systems": "without looking: each with the own share of ties, else either output alike",
}
_ICC_WORDS = {
    "ICC1": "one rating, each unit by raters of its own",
    "ICC2": "one rating, raters drawn at random who rate all",
    "ICC3": "one rating, these raters only",
    "ICC1k": "mean of all raters, each unit by raters of its own",
    "ICC2k": "mean of all raters, raters drawn at random who rate all",
    "ICC3k": "mean of all raters, these raters only",
}


@dataclass(frozen=True, slots=True)
class CoefficientRow:
    """One coefficient of agreement."""

    name: str
    value: float
    ci_low: float
    ci_high: float
    note: str


def coefficient_rows(
    units: JudgedUnits,
    pairwise: PairwiseAgreement,
    what: str,
    settings: Settings,
    *,
    turned: bool,
) -> tuple[CoefficientRow, ...]:
    """Return the coefficients that fit what was judged, those of chance among them.

    `turned`: agreement is that of choices taken both ways.
    """
    low, high = pairwise.interval.low, pairwise.interval.high
    over = f"mean over {count(pairwise.n_pairs, 'pair')} of annotators"
    if pairwise.n_pairs == 1:
        over = "two annotators"
    by_chance = _BY_CHANCE["systems" if turned else "answers"]
    rows = [
        CoefficientRow("mean pairwise agreement", pairwise.mean, low, high, f"{what}; {over}"),
        CoefficientRow("agreement by chance", pairwise.expected, math.nan, math.nan, by_chance),
    ]
    # Of choices between several systems the commonest answer is no side of a pair.
    if units.what != "values" and not units.is_turned and not math.isnan(pairwise.majority_share):
        rows.append(
            CoefficientRow(
                "commonest answer",
                pairwise.majority_share,
                math.nan,
                math.nan,
                "share of the judgments that give it",
            )
        )
    if not pairwise.n_pairs:
        return tuple(row for row in rows if not math.isnan(row.value))
    asked = units.both_ways() if units.is_turned else units
    options = {
        "groups": asked.clusters,
        "n_resamples": settings.n_resamples,
        "rng": settings.seed,
    }
    if units.what == "values":
        return (*rows, *_of_values(units, options))
    return (*rows, *_of_labels(asked, options, turned=units.is_turned))


def _of_labels(
    units: JudgedUnits, options: dict[str, Any], *, turned: bool
) -> list[CoefficientRow]:
    kappa = cohen_kappa(units.values, groups=units.clusters)
    rows = [_row("Cohen's kappa, mean over pairs", kappa, _of_pairs(kappa))]
    fleiss = fleiss_kappa(units.values, groups=units.clusters)
    rows.append(_row("Fleiss' kappa", fleiss, f"chance {fleiss.expected:.3f}"))
    levels: list[ScaleLevel] = ["nominal"]
    if units.what == "choices" and fleiss.n_values > 2:
        levels.append("ordinal")  # a tie lies between the two choices
    return rows + [_alpha(units, level, options, turned=turned) for level in levels]


def _of_values(units: JudgedUnits, options: dict[str, Any]) -> list[CoefficientRow]:
    rows = []
    is_order = units.criterion.level == "ordinal"
    n_values = np.unique(units.values[~np.isnan(units.values)]).size
    if n_values <= _MOST_LEVELS:
        kappa = cohen_kappa(units.values, groups=units.clusters)
        rows.append(_row("Cohen's kappa, mean over pairs", kappa, _of_pairs(kappa)))
        spacing, note = spacing_of(units.criterion)
        kappa = cohen_kappa(
            units.values, weights="quadratic", spacing=spacing, groups=units.clusters
        )
        note = f"{note}; {_of_pairs(kappa)}"
        rows.append(_row("quadratic weighted kappa, mean over pairs", kappa, note))
    levels: list[ScaleLevel] = ["ordinal"] if is_order else ["ordinal", "interval"]
    rows += [_alpha(units, level, options) for level in levels]
    return rows + _of_spread(intraclass_correlations(units.values))


def spacing_of(criterion: CriterionRecord) -> tuple[KappaSpacing, str]:
    """Return where weighted kappa takes distances from, and that in words.

    An ordinal criterion has distances only by its scale: by its labels, or from a lowest to a
    highest value.
    """
    if criterion.labels:
        return "values", "distances by place in the labels"
    if criterion.lower is not None and criterion.upper is not None:
        return "values", f"distances on the scale {criterion.lower:g} to {criterion.upper:g}"
    if criterion.level == "ordinal":
        return "ranks", "distances by place among the values given; the scale is not known"
    return "values", "distances of the values"


def _of_spread(found: IntraclassCorrelations) -> list[CoefficientRow]:
    """Return the intraclass correlations, without intervals.

    Those by F hold for normal ratings only: at 95 % they miss in 10 to 80 % where ratings are few
    values, skewed or rare (20 and 50 units), and no test of normality on so few tells where.
    """
    rows = []
    where = f"{count(found.n_units, 'unit')} that all {found.n_annotators} rated"
    if found.n_incomplete:
        where += f", {found.n_incomplete:,} left out"
    for form in found.forms:
        note = f"{_ICC_WORDS[form.form]}; {where}"
        if math.isnan(form.value):
            note += "; " + (
                "not defined: ratings contradict each other more than they agree"
                if form.form.endswith("k") and not math.isnan(form.statistic)
                else "not defined: ratings do not vary"
            )
        if form.value < -1:
            note += "; below \N{MINUS SIGN}1: ratings of a unit contradict each other"
        rows.append(CoefficientRow(form.form, form.value, math.nan, math.nan, note))
    if found.uneven is not None:
        times = (
            f"{found.fewest}" if found.fewest == found.most else f"{found.fewest} to {found.most}"
        )
        note = f"{_ICC_WORDS['ICC1']}; {count(found.n_uneven, 'unit')} rated {times} times"
        uneven = found.uneven
        name = "ICC1, with gaps"
        rows.append(CoefficientRow(name, uneven.value, math.nan, math.nan, note))
    return rows


def _alpha(
    units: JudgedUnits, level: ScaleLevel, options: dict[str, Any], *, turned: bool = False
) -> CoefficientRow:
    alpha = krippendorff_alpha(units.values, level=level, **options)
    alpha = counted_once(alpha) if turned else alpha
    note = f"{count(alpha.n_judgments, 'judgment')} of {count(alpha.n_units, 'unit')} judged twice"
    return _row(f"Krippendorff's alpha, {level}", alpha, note + " or more")


def _of_pairs(kappa: ChanceCorrected) -> str:
    note = f"chance {kappa.expected:.3f} on average; {count(kappa.n_pairs, 'pair')}"
    if kappa.n_undefined:
        note += f", {kappa.n_undefined} of them without a value: both always say the same"
    return note


def _row(name: str, found: ChanceCorrected, note: str) -> CoefficientRow:
    return CoefficientRow(name, found.value, found.interval.low, found.interval.high, note)
