"""The figures of a test set: what the model of two systems says for what was asked."""

from __future__ import annotations

import math
from typing import Any, Literal, NamedTuple

from analysis.statistics import Alternative
from analysis.statistics.planning.accuracy.agreement import AgreementModel
from analysis.studies.power.dataset_curves import (
    By,
    Curve,
    SizeRow,
    drawn_power,
    no_curve,
    normal_power,
    power_by_difference,
    power_by_items,
    size_rows,
)
from analysis.studies.power.pair_models import CorpusPairModel, Found, PairModel, Target
from analysis.studies.power.pair_scores import PairScores


class Asked(NamedTuple):
    """What a person asks of a test set, checked."""

    target: Target
    alternative: Alternative
    effect: float | Literal["observed"] | None
    by: By
    seed: int


def figures_of(
    pair: PairScores,
    model: PairModel | None,
    expected: AgreementModel,
    asked: Asked,
    effect: float | None,
) -> dict[str, Any]:
    """Return what the model says: nothing without one."""
    nothing = Found(math.nan, math.nan, math.nan)
    mde = math.nan if model is None else model.smallest_found(pair.n_items)
    size = mde if effect is None else abs(effect)
    of_effect = model if model is None or not size > 0 else model.allowing(size, expected)
    found = nothing if effect is None or of_effect is None else of_effect.find(size, pair.n_items)
    rows: tuple[SizeRow, ...] = ()
    if model is not None and of_effect is not None:
        rows = size_rows(model, of_effect, pair.n_items, size)
    return {
        "kind": None if model is None else model.kind,
        "test": "" if model is None else model.test,
        "source": "" if model is None else model.source,
        "mde": mde,
        "ceiling": "" if model is None else model.ceiling(pair.n_items),
        **found._asdict(),
        "items_needed": None
        if effect is None or of_effect is None
        else of_effect.items_needed(size),
        "p_zero": model.p_zero if isinstance(model, CorpusPairModel) else math.nan,
        "scale": model.scale if isinstance(model, CorpusPairModel) else math.nan,
        "for_effect": size,
        "by_size": rows,
        "by_difference": no_curve()
        if model is None or math.isnan(mde)
        else power_by_difference(model, pair.n_items, mde),
        "curve": _curve(pair, rows, size, "" if model is None else model.test, asked, effect),
    }


def _curve(
    pair: PairScores,
    rows: tuple[SizeRow, ...],
    size: float,
    test: str,
    asked: Asked,
    effect: float | None,
) -> Curve:
    """Return the power by number of items, as it was asked for."""
    if not rows or not size > 0:
        return no_curve()
    if asked.by == "model":
        return power_by_items(rows, test)
    if asked.by == "normal":
        return normal_power(pair, rows, size, asked.target)
    against = asked.alternative == "less"
    signed = (-size if against else size) if effect is None else effect
    return drawn_power(pair, signed, asked.target, asked.alternative, seed=asked.seed)
