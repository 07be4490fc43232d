"""`tiebreak agreement`: annotators among themselves and against metrics."""

from __future__ import annotations

import math
from typing import Any

import typer
from rich.console import Console

from analysis import numbers
from analysis.commands.asking import add_question
from analysis.studies.humans.agreement.study import Agreement, AgreementStudy
from store.console import table

app = typer.Typer()

_SHOWN = 20
_VERDICTS = {
    "less": "less than they",
    "more": "more than they",
    "undecided": "cannot be told",
    "no comparison": numbers.MISSING,
}


def _show(console: Console, study: AgreementStudy) -> None:
    console.print(study.sentence, markup=False)
    rows: list[list[Any]] = [
        [row.name, numbers.fixed(row.value, 3), _interval(row.ci_low, row.ci_high), row.note]
        for row in study.coefficients
    ]
    if rows:
        console.print(table("", ("coefficient", "=value", "=interval", "of"), rows))
    _show_annotators(console, study)
    if study.metrics:
        _show_metrics(console, study)
    if len(study.strengths) > 2:
        rows = [
            [
                row.system,
                numbers.fixed(row.strength, 3, signed=True),
                _interval(row.low, row.high),
                row.rank,
                f"{row.rank_low} to {row.rank_high}",
                row.n_choices,
            ]
            for row in study.strengths
        ]
        columns = ("system", "=strength", "=interval", "=rank", "=rank interval", "=choices")
        console.print(table("Systems by the annotators' choices (Bradley–Terry)", columns, rows))
    if study.disagreements:
        worst = study.disagreements[0]
        said = "; ".join(f"{name}: {what}" for name, what in list(worst.judgments.items())[:8])
        about = f" ({worst.what})" if worst.what else ""
        console.print(f"They differ most on item {worst.item_key}{about}: {said}.", markup=False)


def _show_metrics(console: Console, study: AgreementStudy) -> None:
    rows: list[list[Any]] = [
        [
            row.name,
            row.n_units,
            numbers.fixed(row.agreement, 3),
            _interval(row.ci_low, row.ci_high),
            numbers.fixed(row.humans, 3),
            numbers.fixed(row.difference, 3, signed=True),
            _interval(row.difference_low, row.difference_high, signed=True),
            numbers.pvalue(row.pvalue_adjusted),
            _VERDICTS[row.verdict],
        ]
        for row in study.metrics
    ]
    columns = ["metric", "=units", "=with annotators", "=interval", "=they with each other"]
    columns += ["=difference", "=interval", "=p, Holm", "agrees with them"]
    console.print(table("", columns, rows))


def _show_annotators(console: Console, study: AgreementStudy) -> None:
    shown = list(study.annotators)
    if len(shown) > _SHOWN:
        shown = sorted(shown, key=lambda row: -row.n_judged)[:_SHOWN]
    has_competence = any(not math.isnan(row.competence) for row in study.annotators)
    rows: list[list[Any]] = [
        [
            row.name,
            row.kind,
            row.n_judged,
            numbers.fixed(row.agreement_with_others, 3),
            numbers.fixed(row.agreement_with_consensus, 3),
            *([numbers.fixed(row.competence, 3)] * has_competence),
        ]
        for row in shown
    ]
    columns = ("annotator", "kind", "=judged", "=with the others", "=with the consensus")
    console.print(table("", (*columns, *(["=competence"] * has_competence)), rows))
    more = len(study.annotators) - _SHOWN
    if more > 0:
        console.print(
            f"… and {numbers.counted(more, 'annotator')} who judged no more (see --json)."
        )


def _interval(low: float, high: float, *, signed: bool = False) -> str:
    if math.isnan(low):
        return numbers.MISSING
    return f"{numbers.fixed(low, 3, signed=signed)} to {numbers.fixed(high, 3, signed=signed)}"


add_question(app, Agreement, _show)
