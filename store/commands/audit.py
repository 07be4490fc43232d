"""`tiebreak audit`: the recorded changes of a store, looked through and written to a file."""

from __future__ import annotations

import sys
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from store.console import JsonOption, answer, exits_in_words, messages, opened, table
from store.errors import StoreError
from store.history import Wanted, find_events, head_of_log, log_of, moment_of
from store.records import EventRecord

app = typer.Typer()


class Written(StrEnum):
    """How a log is written."""

    jsonl = "jsonl"
    csv = "csv"


@app.command("audit")
@exits_in_words
def audit_command(
    context: typer.Context,
    find: Annotated[str, typer.Argument(help="Words that stand anywhere in a change.")] = "",
    who: Annotated[list[str] | None, typer.Option(help="Only of this person.")] = None,
    action: Annotated[
        list[str] | None, typer.Option(help="Only this kind of change, as rename.")
    ] = None,
    kind: Annotated[list[str] | None, typer.Option(help="Only of these, as system.")] = None,
    since: Annotated[str | None, typer.Option(help="From this day on, as 2026-11-21.")] = None,
    until: Annotated[str | None, typer.Option(help="Up to the end of this day.")] = None,
    limit: Annotated[int, typer.Option(min=1, help="Show so many, the latest.")] = 100,
    format: Annotated[
        Written | None, typer.Option(help="Write them all so: to --out, else to standard output.")
    ] = None,
    out: Annotated[Path | None, typer.Option(help="File to write them all to.")] = None,
    head: Annotated[
        bool, typer.Option("--head", help="Print the hash of the whole log, to keep elsewhere.")
    ] = False,
    kept: Annotated[
        str, typer.Option(help="With --head: hold the log against one that was kept.")
    ] = "",
    as_json: JsonOption = False,
) -> None:
    """List who changed what, when and why; with --format or --out write all of it."""
    if head or kept:
        _show_head(context, kept.strip(), is_asked=head, as_json=as_json)
        return
    wanted = Wanted(
        find=find,
        who=tuple(who or ()),
        actions=tuple(action or ()),
        kinds=tuple(kind or ()),
        since=None if since is None else moment_of(since),
        until=None if until is None else moment_of(until, is_end=True),
    )
    with opened(context, read_only=True) as store:
        if format is not None or out is not None:
            if as_json:
                raise StoreError("--json shows them here; --format and --out write them.")
            kind_of_file = format or (Written.csv if str(out).endswith(".csv") else Written.jsonl)
            lines = log_of(store, wanted, kind_of_file.value)
            if out is None:
                sys.stdout.writelines(lines)
                return
            with out.open("w", encoding="utf-8", newline="") as file:
                file.writelines(lines)
            messages.print(f"Written: {out}", markup=False)
            return
        found = find_events(store, wanted, limit=limit)
        grid = table(
            f"{found.n_found:,} of {found.n_all:,} changes",
            ("when", "who", "change", "of", "what", "why", "through"),
            [_cells(event) for event in found.events],
        )
        answer(
            "audit",
            {
                "rows": [event.to_dict() for event in found.events],
                "n_found": found.n_found,
                "n_all": found.n_all,
            },
            store_revision=store.revision(),
            as_json=as_json,
            show=lambda console: console.print(grid),
        )


def _show_head(context: typer.Context, kept: str, *, is_asked: bool, as_json: bool) -> None:
    if not is_asked:
        raise StoreError("--kept goes with --head.")
    with opened(context, read_only=True) as store:
        found = head_of_log(store, kept=kept)
        answer(
            "audit",
            {"head": found},
            store_revision=store.revision(),
            as_json=as_json,
            show=lambda console: console.print(found, markup=False, soft_wrap=True),
        )


def _cells(event: EventRecord) -> tuple[str, ...]:
    return (
        f"{event.at:%Y-%m-%d %H:%M}",
        *(event.actor, event.action, event.target_kind, event.told),
        str(event.detail.get("why", "")),
        event.via or "",
    )
