"""`tiebreak judges`: a model judge beside people."""

from __future__ import annotations

import math
from typing import Any

import typer
from rich.console import Console

from analysis import numbers
from analysis.commands.asking import add_question
from analysis.studies.humans.judges.study import BiasRow, Judges, JudgesStudy
from store.console import table

app = typer.Typer()

_SHOWN = 15


def _show(console: Console, study: JudgesStudy) -> None:
    console.print(study.sentence, markup=False)
    rows: list[list[Any]] = [
        [
            row.system,
            numbers.fixed(row.corrected, 3),
            _interval(row.corrected_low, row.corrected_high),
            numbers.fixed(row.human, 3),
            _interval(row.human_low, row.human_high),
            numbers.fixed(row.judge, 3),
            numbers.fixed(row.bias, 3, signed=True),
            row.n_human,
            row.n_judged_only,
        ]
        for row in study.systems
    ]
    columns = [*("system", "=corrected", "=interval", "=people", "=interval", "=judge")]
    columns += ["=judge less people", "=by both", "=by judge only"]
    console.print(table(study.unit_in_words.capitalize(), columns, rows))
    if study.pairs:
        _show_pairs(console, study)
    shown = [row for row in study.biases if row.is_known]
    if shown:
        columns = ["who", "=choices", "=first chosen", "=orders balanced", "=p, place"]
        columns += ["=same when swapped", "=longer chosen", "=log odds per doubling", "=p, length"]
        console.print(table("", columns, [_bias(row) for row in shown]))


def _show_pairs(console: Console, study: JudgesStudy) -> None:
    shown = sorted(study.pairs, key=lambda pair: (pair.pvalue_adjusted, pair.pvalue))[:_SHOWN]
    rows: list[list[Any]] = [
        [
            f"{pair.first} – {pair.second}",
            numbers.fixed(pair.corrected, 3, signed=True),
            _interval(pair.corrected_low, pair.corrected_high, signed=True),
            numbers.pvalue(pair.pvalue_adjusted),
            numbers.fixed(pair.human, 3, signed=True),
            _interval(pair.human_low, pair.human_high, signed=True),
            numbers.fixed(pair.judge, 3, signed=True),
        ]
        for pair in shown
    ]
    columns = ("difference", "=corrected", "=interval", "=p, Holm", "=people", "=interval")
    console.print(table("", (*columns, "=judge"), rows))
    more = len(study.pairs) - len(shown)
    if more > 0:
        console.print(f"… and {numbers.counted(more, 'pair')} more (see --json).")


def _bias(row: BiasRow) -> list[Any]:
    return [
        row.who,
        row.n_choices,
        numbers.fixed(row.position.first.value, 3),
        numbers.fixed(row.position.balanced.value, 3),
        numbers.pvalue(row.position.balanced.pvalue),
        numbers.fixed(row.position.consistent.value, 3),
        numbers.fixed(row.length.longer.value, 3),
        numbers.fixed(row.length.per_doubling, 3, signed=True),
        numbers.pvalue(row.length.per_doubling_pvalue),
    ]


def _interval(low: float, high: float, *, signed: bool = False) -> str:
    if math.isnan(low):
        return numbers.MISSING
    return f"{numbers.fixed(low, 3, signed=signed)} to {numbers.fixed(high, 3, signed=signed)}"


add_question(app, Judges, _show)
