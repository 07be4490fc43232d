"""`tiebreak push`: what scripts logged and could not bring into the store themselves."""

from __future__ import annotations

import typer

from store.console import JsonOption, answer, current_actor, exits_in_words, opened
from store.ingest.report import summarise
from store.journal import push
from store.location import is_remote, resolve_location

app = typer.Typer()


@app.command("push")
@exits_in_words
def push_command(context: typer.Context, as_json: JsonOption = False) -> None:
    """Take in what scripts logged beside the store before they were stopped."""
    location = resolve_location(context.obj)
    if is_remote(location):
        from store.remote import Remote

        sent = Remote(location).push()
        answer(
            "push",
            {"runs": [report.to_dict() for report in sent]},
            store_revision=0,
            as_json=as_json,
            show=lambda console: console.print(summarise(sent), markup=False),
        )
        return
    with opened(context) as store:
        reports = push(store, actor=current_actor())
        answer(
            "push",
            {"runs": [report.to_dict() for report in reports]},
            store_revision=store.revision(),
            as_json=as_json,
            show=lambda console: console.print(summarise(reports), markup=False),
        )
