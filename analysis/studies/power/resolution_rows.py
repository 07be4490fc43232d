"""One test set: the gap between its first two systems, and the smallest gap that it finds."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal

from analysis.statistics.planning.accuracy.agreement import (
    CARD_2020_GLUE,
    Agreement,
    agreement_range,
)
from analysis.studies.power.cell_scores import CellScores
from analysis.studies.power.chosen_model import model_of
from analysis.studies.power.pair_models import AccuracyModel, MeanModel, PairModel, Target
from store.records import DatasetRecord, MetricRecord, ReportedScoreRecord

Basis = Literal["items", "reported"]

_SHARES: Final = {"proportion": 1.0, "percent": 100.0}
ONE_POINT: Final = 0.01
"""Of the whole: the difference that items are said for, as none was named."""


@dataclass(frozen=True, slots=True, eq=False)
class ResolutionRow:
    """What is known of one test set."""

    dataset: str
    """The label: name, and version where there is one."""
    dataset_uid: str
    metric: str
    metric_uid: str
    unit: str
    basis: Basis
    n_systems: int
    """With item scores, or with a figure."""
    n_items: int
    """Shared by the two; the number stated for figures, 0 where none is."""
    n_units: int
    """Independent ones: fewer where items come in groups."""
    first: str
    second: str
    first_uid: str
    second_uid: str
    score_first: float
    score_second: float
    gap: float
    """Between the two on the items they share, without a sign."""
    mde: float
    """The smallest gap found with the power asked for; NaN where that cannot be said."""
    mde_low: float
    """Figures alone leave open on how many items two systems agree: at the most agreement."""
    mde_high: float
    """At the least agreement. Both are `mde` where item scores are stored."""
    ratio: float
    """`gap` over `mde`: 1 or more is resolved. NaN where that cannot be said."""
    resolves: bool | None
    """Whether a gap of that size is found; ``None`` where it cannot be said. False with an `mde`
    of NaN: the test set finds no gap at all."""
    items_needed: int | None
    """To find a true difference of one point, whatever the two differ by; ``None`` where no
    number is enough, and for metrics that are no shares."""
    test: str
    """By which it would be found; empty where it cannot be said."""
    why: str
    """Why it cannot be said, or what was assumed; empty where nothing needs to be said."""


def row_from_items(cell: CellScores, target: Target) -> ResolutionRow | None:
    """Return what item scores say of the first two systems; None without two of them."""
    if len(cell.order) < 2:
        return None
    dataset, metric = cell.matrix.dataset, cell.matrix.metric
    rival = cell.rival()
    pair = cell.pair(0, rival)
    model, why = _model(cell, target)
    gap = abs(pair.difference)
    mde = math.nan if model is None else model.smallest_found(pair.n_items)
    whole = _whole(metric)
    needed = None
    if model is not None and model.kind == "accuracy":
        whole = 1.0  # right or wrong, whether or not the metric says so
    if model is not None and whole is not None:
        point = ONE_POINT * whole
        needed = model.allowing(point, cell.expected_agreement()).items_needed(point)
    return ResolutionRow(
        dataset=dataset.label,
        dataset_uid=dataset.uid,
        metric=metric.label,
        metric_uid=metric.uid,
        unit=metric.unit,
        basis="items",
        n_systems=len(cell.order),
        n_items=pair.n_items,
        n_units=pair.n_units,
        first=cell.systems[0],
        second=cell.systems[rival],
        first_uid=cell.system_uids[0],
        second_uid=cell.system_uids[rival],
        score_first=cell.scores[0],
        score_second=cell.scores[rival],
        gap=gap,
        mde=mde,
        mde_low=mde,
        mde_high=mde,
        ratio=_ratio(gap, mde),
        resolves=None if model is None or math.isnan(gap) else gap >= mde,
        items_needed=needed,
        test="" if model is None else model.test,
        why="; ".join(filter(None, (why, model.ceiling(pair.n_items) if model else ""))),
    )


def _model(cell: CellScores, target: Target) -> tuple[PairModel | None, str]:
    """Return the model of the first two, and what stands in the way of a plain one."""
    pair = cell.pair(0, cell.rival())
    model = model_of(pair, target)
    if not isinstance(model, str):
        return model, model.few if isinstance(model, MeanModel) else ""
    expected = cell.expected_agreement()
    assumed = model_of(pair, target, expected=expected)
    if isinstance(assumed, str):
        return None, assumed
    return assumed, f"{model}; by the agreement that the line of {expected.source} expects"


def row_from_figures(
    dataset: DatasetRecord,
    metric: MetricRecord,
    figures: Mapping[str, ReportedScoreRecord],
    target: Target,
) -> ResolutionRow:
    """Return what figures alone say of the first two systems: bounds, where they are shares."""
    first, second = sorted(
        figures.values(), key=lambda record: (-metric.sign * record.value, record.system.casefold())
    )[:2]
    n_items = _n_items(dataset, first, second)
    gap = abs(first.value - second.value)
    whole = _whole(metric)
    why = _why_unsaid(metric, n_items, first.value, second.value)
    low = expected = high = math.nan
    needed = None
    if not why and whole is not None:
        baseline = min(first.value, second.value) / whole
        low, expected, high = (
            _gap_found(n_items, baseline, agreement, target) * whole
            for agreement in ("most", CARD_2020_GLUE, "least")
        )
        needed = _needed(ONE_POINT, baseline, target)
        why = "agreement as on GLUE; the bounds are those of any agreement"
    return ResolutionRow(
        dataset=dataset.label,
        dataset_uid=dataset.uid,
        metric=metric.label,
        metric_uid=metric.uid,
        unit=metric.unit,
        basis="reported",
        n_systems=len(figures),
        n_items=n_items,
        n_units=n_items,
        first=first.system,
        second=second.system,
        first_uid=first.system_uid,
        second_uid=second.system_uid,
        score_first=first.value,
        score_second=second.value,
        gap=gap,
        mde=expected,
        mde_low=low,
        mde_high=high,
        ratio=_ratio(gap, expected),
        resolves=_resolved(gap, low, high),
        items_needed=needed,
        test="" if math.isnan(expected) else AccuracyModel(0.0, 0.0, target).test,
        why=why,
    )


def _whole(metric: MetricRecord) -> float | None:
    """Return what the metric gives a system that gets all items right; None if it is no share."""
    if metric.unit:
        return _SHARES.get(metric.unit)
    return metric.upper if metric.lower == 0 and metric.upper in _SHARES.values() else None


def _n_items(dataset: DatasetRecord, *records: ReportedScoreRecord) -> int:
    stated = [record.n_items for record in records if record.n_items]
    return min(stated) if stated else dataset.n_items or dataset.n_items_stated or 0


def _why_unsaid(metric: MetricRecord, n_items: int, *values: float) -> str:
    """Return why figures say nothing; empty where they do."""
    whole = _whole(metric)
    if metric.aggregation != "mean" or whole is None:
        return "figures only, of a metric that is not known to be a share of items"
    if not n_items:
        return "figures only, and nobody states the number of items"
    if not all(0 <= value <= whole for value in values):
        return f"figures only, outside of 0 to {whole:g}"
    return ""


def _gap_found(n_items: int, baseline: float, agreement: Agreement, target: Target) -> float:
    return AccuracyModel(baseline, agreement, target).smallest_found(n_items)


def _needed(gap: float, baseline: float, target: Target) -> int | None:
    possible = agreement_range(baseline, gap)
    expected = CARD_2020_GLUE.expected(baseline, gap)
    if not gap or not possible.least <= expected <= possible.most:
        return None
    return AccuracyModel(baseline, expected, target).items_needed(gap)


def _resolved(gap: float, low: float, high: float) -> bool | None:
    """Return whether a gap is found whatever the agreement; None where it decides."""
    if not math.isnan(high) and gap >= high:
        return True
    return False if not math.isnan(low) and gap < low else None


def _ratio(gap: float, mde: float) -> float:
    return gap / mde if mde > 0 else math.nan
