"""`tiebreak answers`: what was answered to questions of imports, and how to forget it."""

from __future__ import annotations

from typing import Annotated

import typer

from store.console import JsonOption, answer, current_actor, exits_in_words, opened, table
from store.import_answers import forget_answer, remembered_answers

app = typer.Typer()


@app.command("answers")
@exits_in_words
def answers_command(
    context: typer.Context,
    forget: Annotated[
        str | None, typer.Option(metavar="QUESTION", help="Ask this one again next time.")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """List the answers to questions of imports that the store keeps, or forget one."""
    with opened(context) as store:
        if forget is not None:
            forget_answer(store, forget, actor=current_actor())
        kept = remembered_answers(store)
        rows = [{"question": subject, "answer": said} for subject, said in kept.items()]
        grid = table("", ("question", "answer"), [tuple(row.values()) for row in rows])
        answer(
            "answers",
            {"rows": rows},
            store_revision=store.revision(),
            as_json=as_json,
            show=lambda console: console.print(grid if rows else "No answer is kept."),
        )
