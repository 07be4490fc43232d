"""The store's commands: ingest, ls, show, export, delete, restore, purge, tag, note, db."""

from __future__ import annotations

import sys
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from store import backup, lifecycle, tags
from store.console import (
    EXIT_PARTLY_DONE,
    EXIT_WRONG_USE,
    JsonOption,
    answer,
    current_actor,
    exits_in_words,
    messages,
    opened,
    table,
)
from store.datasets import get_dataset, list_datasets, list_overlaps
from store.engine import Store, open_for_trial
from store.errors import StoreError
from store.export import run_rows, score_rows, write_rows
from store.history import list_events, list_ingests
from store.importers.bundle import ReadOptions
from store.importers.detect import read_paths
from store.ingest import IngestReport, ingest_all
from store.metrics import list_metrics
from store.records import Record
from store.reported import list_reported_scores
from store.runs import get_run, list_runs
from store.systems import get_system, list_systems

app = typer.Typer(no_args_is_help=True)
db_app = typer.Typer(no_args_is_help=True, help="Look after the store's file.")
export_app = typer.Typer(no_args_is_help=True, help="Write scores or tables to a file.")
app.add_typer(db_app, name="db")
app.add_typer(export_app, name="export")


class Target(StrEnum):
    """What can be tagged, noted on, deleted."""

    system = "system"
    dataset = "dataset"
    run = "run"


class Listing(StrEnum):
    """What can be listed."""

    systems = "systems"
    datasets = "datasets"
    metrics = "metrics"
    runs = "runs"
    ingests = "ingests"


class FileFormat(StrEnum):
    """What an export writes."""

    csv = "csv"
    jsonl = "jsonl"
    parquet = "parquet"


@app.command("ingest")
@exits_in_words
def ingest_command(
    context: typer.Context,
    paths: Annotated[list[Path], typer.Argument(help="Files or folders.")],
    format: Annotated[
        str | None, typer.Option(help="generic, reported or lm_eval; by default recognised.")
    ] = None,
    system: Annotated[str | None, typer.Option(help="System, where the file names none.")] = None,
    dataset: Annotated[str | None, typer.Option(help="Dataset, where the file names none.")] = None,
    dataset_version: Annotated[str | None, typer.Option(help="Version of the dataset.")] = None,
    metric: Annotated[str | None, typer.Option(help="Metric, where the file names none.")] = None,
    higher_is_better: Annotated[
        bool | None,
        typer.Option(
            "--higher-is-better/--lower-is-better", help="Direction of metrics that state none."
        ),
    ] = None,
    date: Annotated[str | None, typer.Option(help="When it was evaluated, as 2026-11-21.")] = None,
    run: Annotated[str | None, typer.Option(help="Name of the run, to keep several apart.")] = None,
    column: Annotated[
        list[str] | None,
        typer.Option(help="ROLE=NAME: which column holds what. Can be given several times."),
    ] = None,
    layout: Annotated[
        str | None, typer.Option(help="Pattern of wide column names, as '{system}_{metric}'.")
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what would happen.")] = False,
    lenient: Annotated[
        bool, typer.Option("--lenient", help="Skip and list rows that cannot be used.")
    ] = False,
    replace: Annotated[
        bool, typer.Option("--replace", help="Accept other scores for a known run.")
    ] = False,
    with_text: Annotated[
        bool, typer.Option("--with-text", help="Keep the texts of items and outputs.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Read files into the store: all of a group of files, or nothing of it."""
    options = ReadOptions(
        system=system,
        dataset=dataset,
        dataset_version=dataset_version,
        metric=metric,
        higher_is_better=higher_is_better,
        run_label=run,
        date=None if date is None else _parse_date(date),
        columns=_parse_columns(column or []),
        layout=layout,
        lenient=lenient,
        with_text=with_text,
    )
    read = read_paths(paths, format=format, options=options)
    for file in read.ignored:
        messages.print(f"Left alone: {file.path}: {file.reason}", markup=False)
    if not read.bundles:
        raise StoreError("Nothing to import: none of these files is in a format that is known.")
    place = open_for_trial(context.obj) if dry_run else opened(context, create=True)
    with place as store:
        reports = ingest_all(
            store,
            read.bundles,
            actor=current_actor(),
            higher_is_better=higher_is_better,
            replace=replace,
            dry_run=dry_run,
        )
        result = _joined(reports)
        answer(
            "ingest",
            result,
            store_revision=store.revision(),
            warnings=result.pop("warnings"),
            as_json=as_json,
            show=lambda console: _show_ingest(console, reports, dry_run),
        )
    if result["skipped"]:
        raise typer.Exit(EXIT_PARTLY_DONE)


def _joined(reports: list[IngestReport]) -> dict[str, Any]:
    """Return one report for all groups of files: numbers added up, lists put together."""
    joined: dict[str, Any] = {}
    for report in reports:
        for key, value in report.to_dict().items():
            if key in ("format", "dry_run", "ingest_uid"):
                continue
            joined[key] = value if key not in joined else joined[key] + value
    formats = list(dict.fromkeys(report.format for report in reports))
    return {"format": ", ".join(formats)} | joined


def _show_ingest(console: Console, reports: list[IngestReport], dry_run: bool) -> None:
    for report in reports:
        console.print(f"[bold]{', '.join(report.files[:3])}[/bold] as {report.format}")
        for sentence in report.understood:
            console.print(f"  {sentence}", markup=False)
        numbers = {
            "runs added": report.runs_added,
            "runs extended": report.runs_extended,
            "runs unchanged": report.runs_unchanged,
            "runs replaced": report.runs_replaced,
            "items added": report.items_added,
            "scores added": report.scores_added,
            "reported figures added": report.reported_added,
            "reported figures unchanged": report.reported_unchanged,
        }
        console.print("  " + " · ".join(f"{n:,} {what}" for what, n in numbers.items() if n))
        for row in report.skipped:
            place = f"{row.path}, line {row.line}, field {row.field}"
            console.print(f"  skipped {place}: {row.reason}", markup=False)
        for difference in report.differences:
            console.print(
                f"  {difference.run}: the file states {difference.metric} = "
                f"{difference.reported:g}, its items give {difference.recomputed:g}",
                markup=False,
            )
    if dry_run:
        console.print("Dry run: nothing was written.")


@app.command("ls")
@exits_in_words
def ls_command(context: typer.Context, what: Listing, as_json: JsonOption = False) -> None:
    """List systems, datasets, metrics, runs or ingests."""
    with opened(context, read_only=True) as store:
        records = _LISTINGS[what](store)
        answer(
            "ls",
            {"rows": [record.to_dict() for record in records]},
            store_revision=store.revision(),
            as_json=as_json,
            show=lambda console: _show_listing(console, what, records),
        )


_LISTINGS: dict[Listing, Any] = {
    Listing.systems: list_systems,
    Listing.datasets: list_datasets,
    Listing.metrics: list_metrics,
    Listing.runs: list_runs,
    Listing.ingests: list_ingests,
}

_LISTED_COLUMNS: dict[Listing, tuple[str, ...]] = {
    Listing.systems: ("uid", "name", "=n_runs", "=n_datasets", "=n_reported", "tags"),
    Listing.datasets: ("uid", "name", "version", "task", "language", "=n_items", "=n_systems"),
    Listing.metrics: ("uid", "name", "signature", "higher_is_better", "aggregation", "unit"),
    Listing.runs: ("uid", "system", "dataset", "label", "evaluated_on", "complete", "tags"),
    Listing.ingests: ("uid", "format", "actor", "created_at"),
}


def _show_listing(console: Console, what: Listing, records: list[Record]) -> None:
    columns = _LISTED_COLUMNS[what]
    rows = [[getattr(record, name.lstrip("=")) for name in columns] for record in records]
    console.print(table("", columns, rows) if rows else f"No {what} yet.")


@app.command("show")
@exits_in_words
def show_command(
    context: typer.Context, what: Target, name: str, as_json: JsonOption = False
) -> None:
    """Show everything about a run, system or dataset (by uid or name)."""
    with opened(context, read_only=True) as store:
        result = _shown(store, what, name)
        answer(
            "show",
            result,
            store_revision=store.revision(),
            as_json=as_json,
            show=lambda console: _show_fields(console, result),
        )


def _shown(store: Store, what: Target, name: str) -> dict[str, Any]:
    if what is Target.run:
        run = get_run(store, name)
        own = list_reported_scores(store, run_uid=run.uid)
        return run.to_dict() | _attached(store, "run", run.uid) | _dicts("reported", own)
    if what is Target.system:
        system = get_system(store, name)
        runs = list_runs(store, system_uid=system.uid)
        stated = list_reported_scores(store, system_uid=system.uid)
        described = system.to_dict() | _attached(store, "system", system.uid)
        return described | _dicts("runs", runs) | _dicts("reported", stated)
    dataset = get_dataset(store, name)
    runs = list_runs(store, dataset_uid=dataset.uid)
    stated = list_reported_scores(store, dataset_uid=dataset.uid)
    overlaps = [
        overlap
        for overlap in list_overlaps(store)
        if dataset.uid in (overlap.dataset_a_uid, overlap.dataset_b_uid)
    ]
    described = dataset.to_dict() | _attached(store, "dataset", dataset.uid)
    return (
        described | _dicts("runs", runs) | _dicts("reported", stated) | _dicts("overlaps", overlaps)
    )


def _attached(store: Store, kind: Any, uid: str) -> dict[str, Any]:
    notes = tags.list_notes(store, kind, uid)
    return _dicts("notes", notes) | _dicts("history", list_events(store, target_uid=uid))


def _dicts(name: str, records: Any) -> dict[str, Any]:
    return {name: [record.to_dict() for record in records]}


def _show_fields(console: Console, result: dict[str, Any]) -> None:
    simple = {
        k: v for k, v in result.items() if not isinstance(v, list) or k in ("tags", "aliases")
    }
    console.print(table("", ("field", "value"), [(k, v) for k, v in simple.items() if v]))
    for name, rows in result.items():
        if not isinstance(rows, list) or not rows or not isinstance(rows[0], dict):
            continue
        columns = [k for k, v in rows[0].items() if not isinstance(v, dict | list)][:8]
        console.print(table(name, columns, [[row.get(c) for c in columns] for row in rows[:50]]))


@export_app.command("scores")
@exits_in_words
def export_scores_command(
    context: typer.Context,
    dataset: Annotated[str | None, typer.Option(help="Only this dataset.")] = None,
    format: FileFormat = FileFormat.csv,
    out: Annotated[Path | None, typer.Option(help="File to write; else standard output.")] = None,
) -> None:
    """Write every item score, in the long form that `ingest` reads."""
    with opened(context, read_only=True) as store:
        n_rows = write_rows(score_rows(store, dataset=dataset), out, format.value, sys.stdout)
    messages.print(f"{n_rows:,} rows.")


@export_app.command("runs")
@exits_in_words
def export_runs_command(
    context: typer.Context,
    format: FileFormat = FileFormat.csv,
    out: Annotated[Path | None, typer.Option(help="File to write; else standard output.")] = None,
) -> None:
    """Write one row per run and metric, with provenance."""
    with opened(context, read_only=True) as store:
        n_rows = write_rows(run_rows(store), out, format.value, sys.stdout)
    messages.print(f"{n_rows:,} rows.")


def _change(context: typer.Context, command: str, uid: str, text: str, as_json: bool) -> None:
    with opened(context, read_only=True) as store:
        answer(
            command,
            {"changed": uid},
            store_revision=store.revision(),
            as_json=as_json,
            show=lambda console: console.print(text, markup=False),
        )


@app.command("delete")
@exits_in_words
def delete_command(
    context: typer.Context, what: Target, name: str, as_json: JsonOption = False
) -> None:
    """Hide a run, system or dataset; it can be restored."""
    with opened(context) as store:
        uid = lifecycle.delete(store, what.value, name, actor=current_actor())
    restore = f"`tiebreak restore {what} {uid}` brings it back."
    _change(context, "delete", uid, f"Deleted {what} '{name}'. {restore}", as_json)


@app.command("restore")
@exits_in_words
def restore_command(
    context: typer.Context, what: Target, uid: str, as_json: JsonOption = False
) -> None:
    """Bring a deleted run, system or dataset back (by uid)."""
    with opened(context) as store:
        lifecycle.restore(store, what.value, uid, actor=current_actor())
    _change(context, "restore", uid, f"Restored {what} '{uid}'.", as_json)


@app.command("purge")
@exits_in_words
def purge_command(
    context: typer.Context, what: Target, uid: str, as_json: JsonOption = False
) -> None:
    """Remove a deleted run, system or dataset for good, with its scores (by uid)."""
    with opened(context) as store:
        lifecycle.purge(store, what.value, uid, actor=current_actor())
    _change(context, "purge", uid, f"Purged {what} '{uid}' for good.", as_json)


@app.command("tag")
@exits_in_words
def tag_command(
    context: typer.Context,
    what: Target,
    name: str,
    tag: str,
    remove: Annotated[bool, typer.Option("--remove", help="Take the tag off.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Put a tag on a run, system or dataset, or take it off."""
    with opened(context) as store:
        change = tags.remove_tag if remove else tags.add_tag
        change(store, what.value, name, tag, actor=current_actor())
    done = "taken off" if remove else "put on"
    _change(context, "tag", name, f"Tag '{tag}' {done} {what} '{name}'.", as_json)


@app.command("note")
@exits_in_words
def note_command(
    context: typer.Context, what: Target, name: str, text: str, as_json: JsonOption = False
) -> None:
    """Add a Markdown note to a run, system or dataset."""
    with opened(context) as store:
        tags.add_note(store, what.value, name, text, actor=current_actor())
    _change(context, "note", name, f"Noted on {what} '{name}'.", as_json)


@db_app.command("upgrade")
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


@db_app.command("backup")
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


@db_app.command("check")
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


@db_app.command("info")
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


def _parse_date(text: str) -> datetime:
    try:
        date = datetime.fromisoformat(text)
    except ValueError as error:
        raise StoreError(f"--date '{text}' is no date: write it as 2026-11-21.") from error
    return date if date.tzinfo else date.replace(tzinfo=UTC)


def _parse_columns(given: list[str]) -> dict[str, str]:
    columns = {}
    for text in given:
        role, separator, name = text.partition("=")
        if not separator or not role or not name:
            raise StoreError(f"--column '{text}': write it as ROLE=NAME, as item=question_id.")
        columns[role.strip()] = name
    return columns
