"""Claims to be written down: as text, Markdown, LaTeX."""

from __future__ import annotations

import math

from analysis import numbers
from analysis.report import Cell, Report, Table
from analysis.studies.claims.result import ClaimsResult
from analysis.studies.claims.words import amount, verdict_in_words


def claims_report(study: ClaimsResult) -> Report:
    """Return the claims, oldest first, and the frontier that was shown."""
    rows: list[list[Cell]] = [
        [
            f"{row.date:%Y-%m-%d}",
            row.system,
            row.printed or row.claimed,
            row.score,
            row.look,
            amount(row.gain) if row.previous else None,
            numbers.interval(*row.ci, signed=True) if math.isfinite(row.ci[0]) else None,
            numbers.pvalue(row.pvalue) if row.previous else None,
            numbers.pvalue(row.pvalue_sequential) if row.previous else None,
            verdict_in_words(row),
        ]
        for row in study.rows
    ]
    shown: list[list[Cell]] = [
        [f"{step.date:%Y-%m-%d}", step.system, step.score, step.look] for step in study.frontier
    ]
    columns = (
        *("date", "system", "claimed", study.metric.label, "look", "gain", "interval", "p"),
        *("p in sequence", "verdict"),
    )
    return Report(
        title=f"Claims on {study.dataset.label}",
        sentences=(study.sentence,),
        tables=(
            Table(
                columns,
                rows,
                caption=f"Claims on {study.dataset.label}, {study.metric.label}",
            ),
            Table(
                ("date", "system", study.metric.label, "look"),
                shown,
                caption="The first score, and the best ones that were shown to be so",
            ),
        ),
        signature=study.signature,
        warnings=study.warnings,
    )
