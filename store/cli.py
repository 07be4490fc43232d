"""The store's commands: ingest, ls, show, export, delete, restore, purge, tag, note, db."""

from __future__ import annotations

import typer

from store.commands import browse, change, db, export, ingest

app = typer.Typer(no_args_is_help=True)
for part in (ingest, browse, change):
    app.add_typer(part.app)
app.add_typer(export.app, name="export")
app.add_typer(db.app, name="db")
