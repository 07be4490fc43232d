"""`tiebreak rank`: systems over datasets."""

from __future__ import annotations

import math
from typing import Any

import typer
from rich.console import Console

from analysis import numbers
from analysis.commands.asking import add_question
from analysis.studies.ranking import Rank, RankingStudy
from analysis.studies.ranking_report import rank_test_in_words
from store.console import table

app = typer.Typer()


def _interval(low: float, high: float, places: int) -> str:
    if math.isnan(low):
        return numbers.MISSING
    return f"{numbers.fixed(float(low), places)} to {numbers.fixed(float(high), places)}"


def _show(console: Console, study: RankingStudy) -> None:
    for text in (study.sentence, rank_test_in_words(study), study.order_note):
        if text:
            console.print(text, markup=False)
    found = study.aggregates
    columns: tuple[str, ...] = (
        "system",
        "=mean rank",
        "=interval",
        "=datasets",
        "=macro mean",
        "=interval",
        "=IQM",
    )
    rows: list[list[Any]] = [
        [
            name,
            numbers.fixed(float(study.mean_ranks[i]), 2),
            _interval(study.rank_low[i], study.rank_high[i], 2),
            int(study.n_datasets[i]),
            float(found.mean.value[i]),
            _interval(found.mean.low[i], found.mean.high[i], 4),
            float(found.iqm.value[i]),
        ]
        for i, name in enumerate(study.systems)
    ]
    if not study.complete:
        columns = (*columns, "=mean over common")
        for i, row in enumerate(rows):
            row.append(float(found.common.mean.value[i]))
    console.print(table("", columns, rows))


add_question(app, Rank, _show)
