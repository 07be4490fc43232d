"""`tiebreak ingest`: files into the store."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from store.console import (
    EXIT_PARTLY_DONE,
    JsonOption,
    answer,
    current_actor,
    exits_in_words,
    messages,
    opened,
)
from store.engine import open_for_trial
from store.errors import StoreError
from store.importers.bundle import ReadOptions
from store.importers.cells import FIRST_YEAR
from store.importers.detect import read_paths
from store.ingest import IngestReport, ingest_all
from store.ingest.report import summarise

app = typer.Typer()


@app.command("ingest")
@exits_in_words
def ingest_command(
    context: typer.Context,
    paths: Annotated[list[Path], typer.Argument(help="Files or folders.")],
    format: Annotated[
        str | None,
        typer.Option(help="generic, nlpstattest, reported, lm_eval or mteb; else recognised."),
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
    direction: Annotated[
        list[str] | None,
        typer.Option(help="METRIC=higher or METRIC=lower. Can be given several times."),
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
    option: Annotated[
        list[str] | None,
        typer.Option(help="NAME=VALUE: what a format lets you choose. Can be given several times."),
    ] = None,
    gold: Annotated[
        Path | None, typer.Option(help="File with what is right, to score predictions.")
    ] = None,
    score: Annotated[
        str | None, typer.Option(help="METRIC[,METRIC]: what to score predictions by.")
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what would happen.")] = False,
    lenient: Annotated[
        bool, typer.Option("--lenient", help="Skip and list rows that cannot be used.")
    ] = False,
    replace: Annotated[
        bool, typer.Option("--replace", help="Accept other scores or judgments than known.")
    ] = False,
    missing: Annotated[
        str,
        typer.Option(help="zero: a missing score counts as 0, scored by rule; nan: it is missing."),
    ] = "nan",
    case_matters: Annotated[
        bool,
        typer.Option("--case-matters", help="Systems whose names differ in capitals are two."),
    ] = False,
    with_text: Annotated[
        bool, typer.Option("--with-text", help="Keep the texts of items and outputs.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Read files into the store: all of a group of files, or nothing of it."""
    if missing not in ("zero", "nan"):
        raise StoreError(f"--missing '{missing}': write zero or nan.")
    options = ReadOptions(
        system=system,
        dataset=dataset,
        dataset_version=dataset_version,
        metric=metric,
        higher_is_better=higher_is_better,
        directions=parse_directions(direction or []),
        run_label=run,
        date=None if date is None else parse_date(date),
        columns=parse_columns(column or []),
        layout=layout,
        choices=parse_choices(option or []),
        gold=gold,
        score=[] if score is None else score.split(","),
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
            case_matters=case_matters,
            missing_as_zero=missing == "zero",
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
        console.print(f"  {summarise([report])}")
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


def parse_date(text: str, option: str = "--date") -> datetime:
    """Return the moment that an option says, in UTC where it names no offset."""
    try:
        date = datetime.fromisoformat(text)
    except ValueError as error:
        raise StoreError(f"{option} '{text}' is no date: write it as 2026-11-21.") from error
    if date.year < FIRST_YEAR:
        raise StoreError(f"{option} '{text}' lies before {FIRST_YEAR}: is the year right?")
    return date if date.tzinfo else date.replace(tzinfo=UTC)


def parse_columns(given: list[str]) -> dict[str, str]:
    """Return role -> column from what `--column` says."""
    columns = {}
    for text in given:
        role, separator, name = text.partition("=")
        if not separator or not role.strip():
            raise StoreError(
                f"--column '{text}': write it as ROLE=NAME, as item=question_id, or as ROLE= where "
                "no column plays that role."
            )
        columns[role.strip()] = name if name.strip() else ""
    return columns


def parse_directions(given: list[str]) -> dict[str, bool]:
    """Return metric -> whether higher is better, from what `--direction` says."""
    directions = {}
    for text in given:
        name, _, word = text.rpartition("=")
        if not name.strip() or word.strip().lower() not in ("higher", "lower"):
            raise StoreError(f"--direction '{text}': write it as METRIC=higher or METRIC=lower.")
        directions[name.strip()] = word.strip().lower() == "higher"
    return directions


def parse_choices(given: list[str]) -> dict[str, str]:
    """Return name -> value from what `--option` says."""
    choices: dict[str, str] = {}
    for text in given:
        name, separator, value = text.partition("=")
        if not separator or not name.strip() or not value.strip():
            raise StoreError(f"--option '{text}': write it as NAME=VALUE, as punctuation=keep.")
        earlier = choices.setdefault(name.strip(), value.strip())
        if earlier != value.strip():
            raise StoreError(
                f"--option {name.strip()} is given twice, as '{earlier}' and as '{value.strip()}'."
            )
    return choices
