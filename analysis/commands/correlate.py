"""`tiebreak correlate`: metrics held against human judgments."""

from __future__ import annotations

import math

import typer
from rich.console import Console

from analysis import numbers
from analysis.commands.asking import add_question
from analysis.statistics.boards.groups import shorten_letters
from analysis.studies.humans.correlate import Correlate
from analysis.studies.humans.correlations.report import method_in_words
from analysis.studies.humans.correlations.settings import (
    COEFFICIENTS_IN_WORDS,
)
from analysis.studies.humans.correlations.study import CorrelationsStudy
from analysis.studies.humans.golds import GoldsStudy
from analysis.studies.humans.over_datasets.marks import BETTER, WORSE
from analysis.studies.humans.over_datasets.report import mean_test_in_words
from analysis.studies.humans.over_datasets.study import CorrelationsOver
from store.console import table

app = typer.Typer()

MOST_COLUMNS = 6
"""Datasets that a terminal shows side by side."""


def _show_any(console: Console, study: CorrelationsStudy | CorrelationsOver | GoldsStudy) -> None:
    if isinstance(study, GoldsStudy):
        _show_golds(console, study)
    elif isinstance(study, CorrelationsOver):
        _show_over(console, study)
    else:
        _show(console, study)


def _show(console: Console, study: CorrelationsStudy) -> None:
    console.print(study.sentence, markup=False)
    console.print(method_in_words(study), markup=False)
    rows = [
        [
            row.metric,
            numbers.fixed(row.coefficient, 3),
            _interval(*row.ci),
            row.n,
            shorten_letters(row.group),
            numbers.pvalue(row.pvalue_vs_best),
            *([numbers.pvalue(row.pvalue_vs_reference)] if study.reference else []),
        ]
        for row in study.rows
    ]
    columns = (
        "metric",
        f"={COEFFICIENTS_IN_WORDS[study.coefficient]}",
        "=interval",
        "=n",
        "group",
        "=p, best",
        *([f"=p, {study.reference}"] if study.reference else []),
    )
    console.print(table("", columns, rows))
    if len(study.rows) > 1:
        console.print("Metrics that share a letter cannot be told apart.")
    if study.slices:
        header = (study.by or "slice", "=items", *(f"={name}" for name in study.metrics))
        cells = [
            [one.slice, one.n_items, *(numbers.fixed(v, 3) for v in one.values)]
            for one in study.slices
        ]
        console.print(table("", header, cells))


def _show_golds(console: Console, study: GoldsStudy) -> None:
    console.print(study.sentence, markup=False)
    if not study.golds:
        return
    columns = ("dataset", "gold", "kind", "=metrics", "=systems", "=items")
    rows = [[g.dataset, g.name, g.kind, g.n_metrics, g.n_systems, g.n_items] for g in study.golds]
    console.print(table("", columns, rows))


def _show_over(console: Console, study: CorrelationsOver) -> None:
    console.print(study.sentence, markup=False)
    console.print(mean_test_in_words(study), markup=False)
    shown = range(len(study.dataset_labels)) if len(study.dataset_labels) <= MOST_COLUMNS else ()
    columns = (
        "metric",
        "=mean",
        "=interval",
        "=by units",
        "group",
        f"=p, {study.reference}",
        "=datasets",
        "=better",
        "=worse",
        *(f"={study.dataset_labels[d]}" for d in shown),
    )
    marks = {BETTER: " +", WORSE: f" {numbers.MINUS}"}
    rows = [
        [
            name,
            numbers.fixed(float(study.mean[i]), 3),
            _interval(float(study.mean_low[i]), float(study.mean_high[i])),
            numbers.fixed(float(study.mean_by_units[i]), 3),
            shorten_letters(study.groups[i]),
            numbers.pvalue(float(study.pvalue_vs_reference[i])),
            int((study.n[i] > 0).sum()),
            int((study.differs[i] == BETTER).sum()),
            int((study.differs[i] == WORSE).sum()),
            *(
                numbers.fixed(float(study.values[i, d]), 3)
                + marks.get(int(study.differs[i, d]), "")
                for d in shown
            ),
        ]
        for i, name in enumerate(study.metrics)
    ]
    console.print(table("", columns, rows))
    text = (
        "group: metrics that share a letter cannot be told apart on the mean. better, worse: "
        f"datasets on which a metric differs from {study.reference}."
    )
    if not shown:
        text += " The single datasets: --format text, or --json."
    console.print(text, markup=False)


def _interval(low: float, high: float) -> str:
    if math.isnan(low):
        return numbers.MISSING
    return f"{numbers.fixed(low, 3)} to {numbers.fixed(high, 3)}"


add_question(app, Correlate, _show_any)
