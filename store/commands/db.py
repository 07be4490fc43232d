"""`tiebreak db`: look after the store's file."""

from __future__ import annotations

from pathlib import Path

import typer

from store import backup
from store.console import EXIT_WRONG_USE, JsonOption, answer, exits_in_words, opened, table

app = typer.Typer()


@app.command("upgrade")
@exits_in_words
def db_upgrade_command(context: typer.Context, as_json: JsonOption = False) -> None:
    """Migrate the store to this version; a backup is written beside it first."""
    done = backup.upgrade_store(context.obj)
    text = (
        f"Already at revision {done.after}."
        if done.before == done.after
        else f"Upgraded from {done.before} to {done.after}. Backup: {done.backup or 'none'}."
    )
    with opened(context, read_only=True) as store:
        answer(
            "db upgrade",
            done.to_dict(),
            store_revision=store.revision(),
            as_json=as_json,
            show=lambda console: console.print(text, markup=False),
        )


@app.command("backup")
@exits_in_words
def db_backup_command(context: typer.Context, path: Path, as_json: JsonOption = False) -> None:
    """Write a copy of the store, while others may go on reading and writing."""
    with opened(context, read_only=True) as store:
        written = backup.write_backup(store, path)
        answer(
            "db backup",
            {"path": str(written), "size_bytes": written.stat().st_size},
            store_revision=store.revision(),
            as_json=as_json,
            show=lambda console: console.print(f"Backup written: {written}", markup=False),
        )


@app.command("check")
@exits_in_words
def db_check_command(context: typer.Context, as_json: JsonOption = False) -> None:
    """Check the file, all references, every score vector and every chain of items."""
    with opened(context, read_only=True) as store:
        problems = backup.check(store)
        text = "\n".join(problems) if problems else "The store is sound."
        answer(
            "db check",
            {"sound": not problems, "problems": problems},
            store_revision=store.revision(),
            as_json=as_json,
            show=lambda console: console.print(text, markup=False),
        )
    if problems:
        raise typer.Exit(EXIT_WRONG_USE)


@app.command("info")
@exits_in_words
def db_info_command(context: typer.Context, as_json: JsonOption = False) -> None:
    """Show the store's place, size, revisions and counts."""
    with opened(context, read_only=True) as store:
        found = backup.info(store)
        rows = [(k, v) for k, v in found.to_dict().items() if k != "rows"] + list(
            found.rows.items()
        )
        answer(
            "db info",
            found.to_dict(),
            store_revision=found.store_revision,
            as_json=as_json,
            show=lambda console: console.print(table("", ("what", "=value"), rows)),
        )
