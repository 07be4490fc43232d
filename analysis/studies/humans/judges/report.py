"""What to write down about a judge."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from analysis.columns import Column
from analysis.report import Cell, Report, Strong, Table

if TYPE_CHECKING:
    from analysis.studies.humans.judges.study import JudgesStudy


def judges_report(study: JudgesStudy) -> Report:
    """Return the tables of a study of a judge."""
    tables = [_systems(study)]
    if study.pairs:
        tables.append(_pairs(study))
    if any(row.is_known for row in study.biases):
        tables.append(_biases(study))
    return Report(
        title=f"{study.judge} as a judge of {study.criterion.name}, {study.dataset.label}",
        sentences=(study.sentence,),
        tables=tuple(tables),
        signature=study.signature,
        warnings=study.warnings,
    )


def _ends(low: float, high: float) -> tuple[float, float] | None:
    return None if math.isnan(low) else (low, high)


def _systems(study: JudgesStudy) -> Table:
    rows: list[list[Cell]] = [
        [
            row.system,
            row.corrected,
            _ends(row.corrected_low, row.corrected_high),
            row.human,
            _ends(row.human_low, row.human_high),
            row.judge,
            row.bias,
            row.n_human,
            row.n_judged_only,
        ]
        for row in study.systems
    ]
    columns = (
        "system",
        Column("corrected", decimals=3),
        Column("interval", decimals=3),
        Column("people alone", decimals=3),
        Column("interval", decimals=3),
        Column("judge alone", decimals=3),
        Column("judge less people", decimals=3, signed=True),
        "judged by both",
        "by the judge only",
    )
    return Table(columns, rows, caption=f"Systems: {study.unit_in_words}")


def _pairs(study: JudgesStudy) -> Table:
    rows: list[list[Cell]] = [
        [
            Strong(f"{row.first} – {row.second}")
            if row.better in ("first", "second")
            else f"{row.first} – {row.second}",
            row.corrected,
            _ends(row.corrected_low, row.corrected_high),
            row.pvalue_adjusted,
            row.human,
            _ends(row.human_low, row.human_high),
            row.judge,
        ]
        for row in study.pairs
    ]
    columns = (
        "pair",
        Column("corrected difference", decimals=3, signed=True),
        Column("interval", decimals=3, signed=True),
        Column("p (Holm)", "pvalue"),
        Column("people alone", decimals=3, signed=True),
        Column("interval", decimals=3, signed=True),
        Column("judge alone", decimals=3, signed=True),
    )
    return Table(columns, rows, caption="Pairs of systems", strong="separated")


def _biases(study: JudgesStudy) -> Table:
    rows: list[list[Cell]] = [
        [
            row.who,
            row.n_choices,
            row.position.first.value,
            row.position.balanced.value,
            _ends(*row.position.balanced.interval[:2]),
            row.position.balanced.pvalue,
            row.position.consistent.value,
            row.length.longer.value,
            row.length.per_doubling,
            _ends(*row.length.per_doubling_interval[:2]),
            row.length.per_doubling_pvalue,
        ]
        for row in study.biases
        if row.is_known
    ]
    columns = (
        "who",
        "choices",
        Column("first chosen", decimals=3),
        Column("orders balanced", decimals=3),
        Column("interval", decimals=3),
        Column("p, place", "pvalue"),
        Column("same when swapped", decimals=3),
        Column("longer chosen", decimals=3),
        Column("log odds per doubling", decimals=3, signed=True),
        Column("interval", decimals=3, signed=True),
        Column("p, length", "pvalue"),
    )
    return Table(columns, rows, caption="Place and length")
