"""Claims, audits and changed verdicts as a terminal shows them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import median
from typing import Any

from rich.console import Console

from analysis import numbers
from analysis.studies.claims.audit import AuditStudy, ChangesStudy
from analysis.studies.claims.records import ClaimRow
from analysis.studies.claims.study import ClaimsStudy
from analysis.studies.claims.words import VERDICT_WORDS, verdict_in_words
from store.console import table

_MOST_CHANGES = 50
"""Changes that a terminal shows; all are in the JSON."""


def show_claims(console: Console, study: ClaimsStudy, *, every: bool, with_why: bool) -> None:
    """Print the answer, a line per claim, and what every rule for the sequence says.

    Claims that only state a value are left out unless `every`, or where they are contradicted.
    """
    console.print(study.sentence, markup=False)
    columns = (
        *("date", "system", "=claimed", f"={study.metric.label}", "=look", "=gain", "=interval"),
        "=p",
        *("=p in sequence", "=smallest found", "=power", "=Type M", "verdict"),
    )
    places = _places(study.rows)
    shown = [row for row in study.rows if every or row.claims_best or row.verdict == "contradicted"]
    rows = [_cells(row, places) for row in shown]
    console.print(table("", columns, rows) if rows else "Nothing was claimed yet.")
    left_out = len(study.rows) - len(shown)
    if left_out:
        told = f"{numbers.counted(left_out, 'claim')} only to have a value: see --all."
        console.print(told, markup=False)
    if with_why:
        for row in shown:
            told = f"{numbers.day(row.date)} {row.system}: {row.why}"
            console.print(told, markup=False)
    outcomes = [
        [
            found.rule + " (used)" * (found.rule == study.settings.rule),
            f"{found.n_held} of {sum(held is not None for held in found.holds)}",
            found.controls,
            found.assumes,
        ]
        for found in study.rules
    ]
    console.print(table("Rules side by side", ("rule", "=hold", "controls", "assumes"), outcomes))


def _cells(row: ClaimRow, places: int) -> list[Any]:
    return [
        numbers.day(row.date),
        row.system,
        None if row.claimed is None else row.printed or numbers.fixed(row.claimed, places),
        numbers.fixed(row.score, places),
        row.look,
        numbers.fixed(row.gain, places, signed=True),
        _interval(row, places),
        numbers.pvalue(row.pvalue),
        numbers.pvalue(row.pvalue_sequential),
        numbers.fixed(row.mde_at_level, places),
        numbers.probability(row.power_at_level),
        numbers.fixed(row.type_m, 1),
        verdict_in_words(row),
    ]


def _interval(row: ClaimRow, places: int) -> str:
    if not all(map(math.isfinite, row.ci)):
        return numbers.MISSING
    return " to ".join(numbers.fixed(end, places, signed=True) for end in row.ci)


def _places(rows: Sequence[ClaimRow]) -> int:
    """Return one precision for a table: that of the median interval."""
    widths = [(row.ci[1] - row.ci[0]) / 2 for row in rows]
    known = [width for width in widths if math.isfinite(width) and width > 0]
    if known:
        return numbers.decimals(half_width=median(known))
    span = 100.0 if any(abs(row.score) > 1.5 for row in rows) else 1.0
    return numbers.decimals(n=max((row.n_items for row in rows), default=0) or None, span=span)


def show_audit(console: Console, study: AuditStudy) -> None:
    """Print what an audit found and wrote."""
    console.print(study.sentence, markup=False)
    counts = [[VERDICT_WORDS[v], n] for v, n in study.verdicts.items() if n]
    if counts:
        console.print(table("", ("verdict", "=claims"), counts))
    rows = [
        [
            *(change.dataset, change.metric, numbers.day(change.date), change.system),
            VERDICT_WORDS[change.before] if change.before else "new",
            VERDICT_WORDS[change.after],
            change.why,
        ]
        for change in study.changes[:_MOST_CHANGES]
    ]
    columns = ("dataset", "metric", "date", "system", "before", "now", "why")
    if rows:
        console.print(table("What changed", columns, rows))
    _say_rest(console, len(study.changes))


def show_changes(console: Console, study: ChangesStudy) -> None:
    """Print the claims whose verdict changed."""
    console.print(study.sentence, markup=False)
    rows = [
        [
            numbers.moment(change.changed_at),
            *(change.claim.dataset, change.claim.metric, change.claim.system),
            change.claim.printed or f"{change.claim.value:g}",
            VERDICT_WORDS[change.before],
            VERDICT_WORDS[change.claim.verdict] if change.claim.verdict else None,
            change.claim.uid,
        ]
        for change in study.changes[:_MOST_CHANGES]
    ]
    columns = ("changed", "dataset", "metric", "system", "=claimed", "before", "now", "claim")
    if rows:
        console.print(table("", columns, rows))
    _say_rest(console, len(study.changes))


def _say_rest(console: Console, n_changes: int) -> None:
    if n_changes > _MOST_CHANGES:
        console.print(f"… and {n_changes - _MOST_CHANGES:,} more: see --json.")
