"""`tiebreak doctor`: what is wrong, and which command helps."""

from __future__ import annotations

import typer

from store.console import EXIT_GATE_FAILED, JsonOption, answer, exits_in_words, table
from store.doctor import examine

app = typer.Typer()
_MARKS = {"ok": "✓", "note": "!", "fault": "✗"}


@app.command("doctor")
@exits_in_words
def doctor_command(context: typer.Context, as_json: JsonOption = False) -> None:
    """Say what is wrong with the installation or the store, and which command helps."""
    findings = examine(context.obj)
    is_well = all(one.state != "fault" for one in findings)
    rows = [(_MARKS[one.state], one.what, one.found, one.help) for one in findings]
    answer(
        "doctor",
        {"well": is_well, "findings": [one.to_dict() for one in findings]},
        store_revision=0,
        as_json=as_json,
        show=lambda console: console.print(table("", ("", "what", "found", "help"), rows)),
    )
    if not is_well:
        raise typer.Exit(EXIT_GATE_FAILED)
