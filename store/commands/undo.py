"""`tiebreak undo`: an import taken back whole."""

from __future__ import annotations

from typing import Annotated

import typer

from store.console import JsonOption, answer, current_actor, exits_in_words, opened
from store.imports import undo
from store.location import is_remote, resolve_location

app = typer.Typer()


@app.command("undo")
@exits_in_words
def undo_command(
    context: typer.Context,
    uid: Annotated[str, typer.Argument(metavar="IMPORT", help="Its uid, see `ls ingests`.")],
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what would happen.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Take an import back whole, or refuse where later results build on it."""
    location = resolve_location(context.obj)
    if is_remote(location):
        from store.remote import Remote

        said = Remote(location).undo(uid, dry_run=dry_run)
        result, revision = said["result"], said["store_revision"]
    else:
        with opened(context) as store:
            result = undo(store, uid, actor=current_actor(), dry_run=dry_run)
            revision = store.revision()
    removed = ", ".join(f"{number:,} × {name}" for name, number in result["removed"].items())
    told = f"Taken back: {removed or 'nothing added'}; {result['put_back']:,} rows as before."
    answer(
        "undo",
        result | {"dry_run": dry_run},
        store_revision=revision,
        as_json=as_json,
        show=lambda console: console.print(told, markup=False),
    )
