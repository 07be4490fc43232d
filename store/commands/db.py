"""`tiebreak db`: look after the store's file."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Annotated

import typer

from store import backup
from store.console import (
    EXIT_WRONG_USE,
    JsonOption,
    answer,
    exits_in_words,
    messages,
    opened,
    table,
)
from store.copying import copy_store
from store.engine import open_store
from store.errors import StoreError
from store.restore import require_sound, restore_store
from store.schedule import repeat, seconds_of
from store.schema import head_revision

app = typer.Typer()


@app.command("upgrade")
@exits_in_words
def db_upgrade_command(context: typer.Context, as_json: JsonOption = False) -> None:
    """Migrate the store to this version; a backup is written beside it first."""
    done = backup.upgrade_store(context.obj)
    with opened(context, read_only=True) as store:
        answer(
            "db upgrade",
            done.to_dict(),
            store_revision=store.revision(),
            as_json=as_json,
            show=lambda console: console.print(done.told, markup=False),
        )


@app.command("backup")
@exits_in_words
def db_backup_command(
    context: typer.Context,
    path: Annotated[Path, typer.Argument(help="File to write; with --keep a folder.")],
    verify: Annotated[
        bool, typer.Option("--verify", help="Check the copy as `db check` does.")
    ] = False,
    keep: Annotated[
        int | None,
        typer.Option(min=1, help="Write a dated file into the folder; keep so many of them."),
    ] = None,
    schedule: Annotated[
        str | None,
        typer.Option(help="Go on, and write one each 30m, 6h or 1d; with --keep."),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Write a copy of the store, while others may go on reading and writing."""

    def write() -> None:
        _write_backup(context, path, verify=verify, keep=keep, as_json=as_json)

    if schedule is None:
        write()
        return
    if keep is None:
        raise StoreError("--schedule takes --keep: how many backups stay.")
    repeat(write, seconds_of(schedule), _told_failure)


def _told_failure(error: Exception, wait_s: float) -> None:
    messages.print(
        f"No backup this time: {error} The next try is in {wait_s / 60:,.0f} minutes.",
        markup=False,
    )


def _write_backup(
    context: typer.Context, path: Path, *, verify: bool, keep: int | None, as_json: bool
) -> None:
    with opened(context, read_only=True) as store:
        removed: list[Path] = []
        if keep is None:
            written = backup.write_backup(store, path)
        else:
            written, removed = backup.write_dated_backup(store, path, keep)
        if verify:
            require_sound(written)
        head = backup.head_of_backup(written)
        checked = " and checked" if verify else ""
        older = f" {len(removed)} older removed." if removed else ""
        answer(
            "db backup",
            {
                "path": str(written),
                "size_bytes": written.stat().st_size,
                "verified": verify,
                "removed": [str(one) for one in removed],
                "audit_head": head,
            },
            store_revision=store.revision(),
            as_json=as_json,
            show=lambda console: console.print(
                f"Backup written{checked}: {written}.{older}\nIts audit log ends with {head}.",
                markup=False,
                soft_wrap=True,
            ),
        )


@app.command("copy")
@exits_in_words
def db_copy_command(
    source: Annotated[str, typer.Argument(metavar="FROM", help="File or address of a store.")],
    target: Annotated[
        str, typer.Argument(metavar="TO", help="New file, or address of an empty database.")
    ],
    as_json: JsonOption = False,
) -> None:
    """Copy a store with all that it keeps, to PostgreSQL or back."""
    with open_store(source, read_only=True) as store:
        done = copy_store(store, target)
        revision = store.revision()
    again = " It went on where an earlier copy was stopped." if done.resumed else ""
    answer(
        "db copy",
        done.to_dict(),
        store_revision=revision,
        signature=shlex.join(["tiebreak", "db", "copy", done.source, done.target]),
        as_json=as_json,
        show=lambda console: console.print(
            f"{done.target} holds what {done.source} holds: {sum(done.rows.values()):,} rows, "
            f"compared bit for bit.{again}",
            markup=False,
        ),
    )


@app.command("restore")
@exits_in_words
def db_restore_command(
    context: typer.Context,
    path: Annotated[Path, typer.Argument(help="The backup.")],
    as_json: JsonOption = False,
) -> None:
    """Put a backup in the store's place; what stood there is put aside."""
    done = restore_store(path, context.obj)
    aside = f" What stood there is {done.aside} now." if done.aside else ""
    upgrade = "" if done.revision == head_revision() else " Run `tiebreak db upgrade` next."
    answer(
        "db restore",
        done.to_dict(),
        store_revision=0,
        as_json=as_json,
        show=lambda console: console.print(
            f"{done.store} holds the backup {done.backup}.{aside}{upgrade}", markup=False
        ),
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
