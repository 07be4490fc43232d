"""`tiebreak power` for planned test sets: accuracies, any metric, BLEU, ratings, votes."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer

from analysis.commands.asking import add_question, parameter
from analysis.studies.power.planned import (
    AccuracyGap,
    AccuracyItems,
    AccuracyPower,
    CorpusPlan,
    DifferencePlan,
    RatingsPlan,
)
from analysis.studies.power.preferences import PreferencesPlan
from analysis.studies.power.ratings_file import FittedRatings, fit_ratings_file
from analysis.studies.power.ratings_store import fit_stored_ratings
from store.console import opened
from store.errors import StoreError

app = typer.Typer()

add_question(app, AccuracyPower, typed="mcnemar")
add_question(app, AccuracyGap, typed="mde")
add_question(app, AccuracyItems, typed="items")
add_question(app, DifferencePlan, typed="t")
add_question(app, CorpusPlan, typed="bleu")
add_question(app, PreferencesPlan, typed="preferences")

_FROM = Annotated[
    Path | None,
    typer.Option("--from", help="Ratings to estimate it from: worker, item, system, rating."),
]
_OF_STORE = {
    "dataset": "Estimate it from the judgments on this dataset.",
    "criterion": "Of --dataset: what was rated; by default the only one.",
    "a": "Of --dataset: by default the best.",
    "b": "Of --dataset: by default the second.",
}


def _with_ratings(context: typer.Context, asked: RatingsPlan, given: dict[str, Any]) -> RatingsPlan:
    return replace(asked, fitted=_fitted(context, given))


def _fitted(context: typer.Context, given: dict[str, Any]) -> FittedRatings | None:
    """Return the ratings of the one place that was named, if any."""
    places = {f"--{name}": given[name] for name in ("variance", "dataset")}
    named = [name for name, value in {"--from": given["from_file"], **places}.items() if value]
    if len(named) > 1:
        several = " and ".join(f"`{name}`" for name in named)
        raise StoreError(f"{several} exclude each other. Leave all but one of them out.")
    dataset, criterion, a, b = (given[name] for name in _OF_STORE)
    if dataset is None and not (criterion is a is b is None):
        raise StoreError("`--criterion`, `--a` and `--b` need `--dataset`. Name it.")
    if dataset is not None:
        with opened(context, read_only=True) as store:
            return fit_stored_ratings(store, dataset, criterion, a=a, b=b)
    return None if given["from_file"] is None else fit_ratings_file(given["from_file"])


add_question(
    app,
    RatingsPlan,
    typed="ratings",
    more=[
        parameter("from_file", _FROM, None),
        *(
            parameter(name, Annotated[str | None, typer.Option(help=help)], None)
            for name, help in _OF_STORE.items()
        ),
    ],
    complete=_with_ratings,
)
