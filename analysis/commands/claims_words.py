"""Claims, audits and changed verdicts as a terminal shows them."""

from __future__ import annotations

from rich.console import Console

from analysis import numbers
from analysis.columns import printed
from analysis.commands.terminal import show_table
from analysis.studies.claims import tables
from analysis.studies.claims.audit import AuditStudy, ChangesStudy
from analysis.studies.claims.study import ClaimsStudy
from analysis.studies.claims.words import VERDICT_WORDS
from store.console import table

_MOST_CHANGES = 50
"""Changes that a terminal shows; all are in the JSON."""


def show_claims(console: Console, study: ClaimsStudy, *, every: bool, with_why: bool) -> None:
    """Print the answer, a line per claim, and what every rule for the sequence says.

    Claims that only state a value are left out unless `every`, or where they are contradicted.
    """
    console.print(study.sentence, markup=False)
    told = tables.claims(study, only_best=not every)
    if told.rows:
        show_table(console, told.as_report())
    else:
        console.print("Nothing was claimed yet.")
    if left_out := len(study.rows) - len(told.rows):
        only = f"{numbers.counted(left_out, 'claim')} only to have a value: see --all."
        console.print(only, markup=False)
    if with_why:
        for row in told.rows:
            why = f"{printed(row['date'], told.columns['date'])} {row['system']}: {row['why']}"
            console.print(why, markup=False)
    show_table(console, tables.rules(study).as_report())


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
            numbers.stated(change.claim.printed, change.claim.value),
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
