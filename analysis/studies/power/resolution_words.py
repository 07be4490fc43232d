"""What the resolution of a store's test sets comes to, in words."""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import median
from typing import Any

from analysis import numbers
from analysis.answer_table import AnswerTable
from analysis.columns import Column
from analysis.report import Report
from analysis.studies.power.pair_models import Target
from analysis.studies.power.resolution_rows import ResolutionRow
from analysis.studies.study import count, listed

ITEMS_FOR_ONE_POINT = (
    "Items for a true difference of 1 point (of metrics that are shares), for one comparison "
    "without correction, with the level and power asked for; for another difference name it: "
    "`tiebreak power dataset NAME --effect X`."
)

_POINTS = {"proportion": 100.0, "percent": 1.0}


def sentence(rows: Sequence[ResolutionRow], target: Target) -> str:
    """Return the answer: how many test sets resolve the gap between their first two."""
    said = [row for row in rows if row.resolves is not None]
    if not said:
        return (
            f"Of {count(len(rows), 'test set')} none can be judged: that takes the item scores of "
            "two systems, or shares together with the number of items."
        )
    resolved = sum(row.resolves is True for row in said)
    chance = f"{_percent(target.power)} probability of finding a gap of that size."
    if len(said) == 1:
        words = f"{said[0].dataset} {'resolves' if resolved else 'does not resolve'} the gap "
        words += f"between its first two systems: it has {'at least' if resolved else 'less than'} "
    elif not resolved:
        words = f"None of {count(len(said), 'test set')} resolves the gap between its first two "
        words += "systems: all have less than "
    else:
        several = resolved > 1
        words = (
            f"Of {count(len(said), 'test set')} {resolved} {'resolve' if several else 'resolves'} "
        )
        words += f"the gap between {'their' if several else 'its'} first two systems: "
        words += f"{'they have' if several else 'it has'} at least "
    return words + chance


def warnings(rows: Sequence[ResolutionRow]) -> list[str]:
    """Return what a reader must know before believing the answer."""
    told = []
    mde = [_POINTS[row.unit] * row.mde for row in rows if row.unit in _POINTS and row.mde > 0]
    if len(mde) > 1:
        told.append(
            f"The median test set finds gaps of {numbers.fixed(median(mde), 1)} points or more; "
            f"the finest {numbers.fixed(min(mde), 1)}, the coarsest {numbers.fixed(max(mde), 1)}."
        )
    if any(row.basis == "items" for row in rows):
        told.append(
            "The first two were picked for being on top, and their gap is uncertain: a resolved "
            "gap need not be significant, nor an unresolved one be none. The comparison tells."
        )
    bounded = [row for row in rows if row.basis == "reported" and row.mde > 0]
    if bounded:
        told.append(
            f"For {count(len(bounded), 'test set')} only figures are stored: every item is taken "
            "as right or wrong and independent, and on how many two systems agree is unknown."
        )
    told += [f"{row.dataset}: {row.why}." for row in rows if row.basis == "items" and row.why]
    unsaid = [row for row in rows if row.resolves is None and not row.mde > 0]
    if unsaid:
        told.append(
            f"For {count(len(unsaid), 'further test set')} it is unknown: "
            + "; ".join(
                f"{listed([r.dataset for r in unsaid if r.why == why], most=3)} ({why})"
                for why in dict.fromkeys(row.why for row in unsaid)
            )
            + "."
        )
    return told


def resolution_report(
    answer: str, rows: Sequence[ResolutionRow], notes: Sequence[str], signature: str
) -> Report:
    """Return the test sets to be written down."""
    return Report(
        title="What the test sets resolve",
        sentences=(answer,),
        tables=(test_sets_table(rows).as_report(),),
        signature=signature,
        warnings=tuple(notes),
    )


def test_sets_table(rows: Sequence[ResolutionRow]) -> AnswerTable:
    """Return a row per test set; each has decimals of its own."""
    return AnswerTable(
        name="test_sets",
        noun="test set",
        columns={
            "dataset": Column("test set", pinned=True),
            "metric": Column("metric", least=True),
            "items": Column("items", "count", help="That the first two systems share"),
            "groups": Column("groups", "count", help="Independent units").when(False),
            "gap_text": Column("gap", right=True, help="Between the first two"),
            "found_text": Column("finds", right=True),
            "ratio": Column("gap ÷ found", "number", decimals=2, help="1 or more: resolved"),
            "items_needed": Column("items for 1 point", "count", help=ITEMS_FOR_ONE_POINT),
            "first": Column("first"),
            "second": Column("second"),
            "why": Column("note").when(any(row.why for row in rows)),
        },
        rows=[_as_row(row) for row in rows],
        caption="The smallest gap that each test set finds",
        notes=(ITEMS_FOR_ONE_POINT,),
    )


def _as_row(row: ResolutionRow) -> dict[str, Any]:
    digits = numbers.decimals(half_width=row.mde if row.mde > 0 else None, n=row.n_items or None)
    gap, found = numbers.fixed(row.gap, digits), numbers.fixed(row.mde, digits)
    nothing = row.resolves is False and math.isnan(row.mde)
    return {
        "dataset": row.dataset,
        "dataset_uid": row.dataset_uid,
        "metric": row.metric,
        "basis": row.basis,
        "only_figures": row.basis == "reported",
        "items": row.n_items or None,
        "groups": row.n_units if row.n_units != row.n_items else None,
        "first": row.first,
        "second": row.second,
        "gap": row.gap,
        "mde": row.mde,
        "mde_low": row.mde_low,
        "mde_high": row.mde_high,
        "ratio": 0.0 if nothing else row.ratio,
        "low": _over(row.gap, row.mde_high),
        "high": _over(row.gap, row.mde_low),
        "gap_text": gap,
        "found_text": "none" if nothing else found,
        "label": f"{gap}, finds none" if nothing else f"{gap} of {found}",
        "items_needed": row.items_needed,
        "why": row.why,
    }


def _over(gap: float, mde: float) -> float:
    return gap / mde if mde > 0 else math.nan


def _percent(share: float) -> str:
    return f"{100 * share:g}{numbers.THIN}%"
