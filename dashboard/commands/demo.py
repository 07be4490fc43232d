"""`tiebreak demo`: content to look at."""

from __future__ import annotations

from typing import Annotated

import typer

from dashboard.demo import DemoReport, load_demo
from store.console import JsonOption, answer, current_actor, exits_in_words, messages, opened
from store.systems import list_systems

app = typer.Typer()


@app.command()
@exits_in_words
def demo(
    context: typer.Context,
    if_empty: Annotated[
        bool, typer.Option("--if-empty", help="Do nothing when the store holds something.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Load the example content: figures of papers, runs that we made, dated claims."""
    with opened(context, create=True) as opened_store:
        location = opened_store.location
        is_left_alone = if_empty and bool(list_systems(opened_store))
        loaded = (
            DemoReport([], []) if is_left_alone else load_demo(opened_store, actor=current_actor())
        )
        if is_left_alone:
            messages.print(f"{location} holds something already: left alone.", markup=False)
        result = {
            "files": loaded.files,
            "runs_added": sum(report.n("run", "added") for report in loaded.ingests),
            "reported_added": sum(
                report.n("reported figure", "added") for report in loaded.ingests
            ),
            "claims_added": sum(report.claims_added for report in loaded.claims),
        }
        text = (
            f"{result['runs_added']} runs, {result['reported_added']} reported figures and "
            f"{result['claims_added']} dated claims loaded into {location}. Look at them with "
            "`tiebreak serve`."
        )
        if is_left_alone:
            text = "Look at it with `tiebreak serve`."
        answer(
            "demo",
            result,
            store_revision=opened_store.revision(),
            as_json=as_json,
            show=lambda console: console.print(text, markup=False),
        )
