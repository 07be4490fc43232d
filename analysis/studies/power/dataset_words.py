"""What a test set can find, in words: the answer, what it rests on, why some power is refused."""

from __future__ import annotations

import math
from typing import Final

from analysis import numbers
from analysis.answer_table import AnswerTable
from analysis.columns import Column
from analysis.report import Report
from analysis.studies.clusters import Clusters
from analysis.studies.power.dataset_curves import MOST_DRAWN
from analysis.studies.power.dataset_result import DatasetPowerResult
from analysis.studies.power.pair_models import Target
from analysis.studies.study import count

FEW_ITEMS: Final = 50
"""Below this many a pilot is a rough guide."""

_OBSERVED_POWER_REFUSED = (
    "The power of the observed difference is a function of its p-value and says nothing more: "
    "p = 0.05 always gives about one half, and a difference that was not significant always "
    "looks underpowered (Hoenig and Heisey, 2001). State in `effect` the difference that would "
    "matter, or that was claimed beforehand, and look at the interval of the observed one."
)


def sentence(study: DatasetPowerResult) -> str:
    """Return the answer: the smallest difference found, and what was stated."""
    pair = f"{study.system_a} and {study.system_b}"
    items = units_in_words(study)
    label = study.dataset.label
    if study.not_said:
        return f"What {label} can find cannot be computed from {pair}: {study.not_said}."
    if math.isnan(study.mde):
        words = f"With {items} {label} finds no difference: {study.ceiling}."
    else:
        words = (
            f"With {items} {label} finds differences in {study.metric.label} of {_mde(study)} or "
            f"more between systems like {pair} ({percent(study.target_power)} probability, "
            f"{study.test}{_sided(study)})."
        )
    if study.effect is not None:
        return words + " " + _about_effect(study)
    return words + _about_observed(study)


def _about_effect(study: DatasetPowerResult) -> str:
    effect = numbers.fixed(study.effect, places(study), signed=True)
    words = f"A true difference of {effect} would be found with a probability of "
    words += numbers.probability(study.power)
    if study.type_m > 1.05:
        words += f"; where it is found, it looks {numbers.fixed(study.type_m, 1)} times as large"
    words += "."
    if study.items_needed is None and study.by == "bootstrap":
        return words + f" {MOST_DRAWN:,} items do not find it with {percent(study.target_power)}."
    if study.items_needed is None:
        return words + f" No number of items finds it with {percent(study.target_power)}."
    if study.items_needed > study.n_items:
        return words + (
            f" For {percent(study.target_power)} {count(study.items_needed, 'item')} "
            "would be needed, for one comparison without correction."
        )
    return words + f" {count(study.items_needed, 'item')} would do."


def _about_observed(study: DatasetPowerResult) -> str:
    if math.isnan(study.difference):
        return ""
    gap = numbers.fixed(abs(study.difference), places(study))
    if not study.difference:
        return " The two score the same."
    return f" The two are {gap} apart. For a number of items, name the difference."


def warnings(study: DatasetPowerResult, clusters: Clusters) -> list[str]:
    """Return what a reader must know before believing the answer."""
    told = [f"Computed for these two: {study.source}."] if study.source else []
    facts = study.agreement
    if facts is not None and not math.isnan(facts.mde_expected) and study.kind == "accuracy":
        line = (
            f"the line fitted to {count(facts.n_pairs, 'pair')} of {facts.source}"
            if facts.n_pairs
            else f"the published line of {facts.source} (fewer than five systems here)"
        )
        told.append(
            f"For two other systems at these accuracies {line} expects an agreement of "
            f"{percent(round(facts.expected, 3))}: differences of "
            f"{numbers.fixed(facts.mde_expected, places(study))} or more."
        )
    if study.design is not None and study.design.deff > 1:
        told.append(
            f"Items of a group resemble each other (correlation {study.design.icc:.2g}): "
            f"{count(study.design.n_items, 'item')} tell as much as "
            f"{study.design.effective_items:,.0f} independent ones."
        )
    if clusters.note:
        told.append(clusters.note)
    if study.n_missing:
        told.append(
            f"{count(study.n_missing, 'item')} without a score from both "
            f"{'is' if study.n_missing == 1 else 'are'} left out."
        )
    if study.curve.n_iterations:
        told.append(
            "Drawing anew reaches a difference by drawing the items that favour it more often, so "
            "that more items differ. The model keeps the spread seen here, and is the more "
            "hopeful the larger the difference and the fewer items differ."
        )
    if study.n_units < FEW_ITEMS and not study.not_said:
        told.append(
            f"With {units_in_words(study)} how much differences vary is itself uncertain: take "
            "the figures as a rough guide."
        )
    return told


def observed_refused(
    names: tuple[str, str], difference: float, ci: tuple[float, float], target: Target
) -> str:
    """Return why there is no power of the observed difference, and what to look at instead."""
    words = _OBSERVED_POWER_REFUSED
    if all(map(math.isfinite, ci)):
        digits = numbers.decimals(half_width=(ci[1] - ci[0]) / 2)
        low, high = (numbers.fixed(end, digits, signed=True) for end in ci)
        words += (
            f" {names[0]} less {names[1]}: {numbers.fixed(difference, digits, signed=True)}, "
            f"{numbers.confidence(target.alpha)} interval {low} to {high}."
        )
    return words


def dataset_report(study: DatasetPowerResult) -> Report:
    """Return what to write down."""
    return Report(
        title=f"What {study.dataset.label} can find",
        sentences=(study.sentence,),
        tables=(sizes_table(study).as_report(),),
        signature=study.signature,
        warnings=study.warnings,
    )


def sizes_table(study: DatasetPowerResult) -> AnswerTable:
    """Return what more and fewer items find."""
    digits = places(study)
    size = numbers.fixed(study.for_effect, digits)
    return AnswerTable(
        name="sizes",
        noun="size",
        columns={
            "n_items": Column("items", "count"),
            "times": Column("times those here", "number", decimals=2),
            "mde": Column("finds", "number", decimals=digits + 1),
            "power": Column(f"power for {size}", right=True),
        },
        rows=[
            {
                "n_items": row.n_items,
                "times": row.n_items / study.n_items,
                "mde": row.mde,
                "power": numbers.probability(row.power),
            }
            for row in study.by_size
        ],
        caption=f"{study.metric.label}: the smallest difference found with "
        f"{percent(study.target_power)} probability, by number of items",
        stands_out={
            "n_items": [k for k, row in enumerate(study.by_size) if row.n_items == study.n_items]
        },
        strong="the items that are here",
    )


def places(study: DatasetPowerResult) -> int:
    """Return the decimals that the smallest difference found deserves."""
    span = 100.0 if max(abs(study.score_a), abs(study.score_b)) > 1.5 else 1.0
    half_width = None if math.isnan(study.mde) else study.mde
    return numbers.decimals(half_width=half_width, n=study.n_items or None, span=span)


def units_in_words(study: DatasetPowerResult) -> str:
    """Return the items, and the groups that they come in."""
    words = count(study.n_items, "item")
    if study.n_units != study.n_items:
        words += f" in {count(study.n_units, 'group')}"
    return words


def percent(share: float) -> str:
    """Print a share that was chosen."""
    return f"{100 * share:.6g}{numbers.THIN}%"


def _mde(study: DatasetPowerResult) -> str:
    return numbers.fixed(study.mde, places(study))


def _sided(study: DatasetPowerResult) -> str:
    level = f", α = {study.alpha:g}"
    return level if study.alternative == "two-sided" else f", one-sided{level}"
