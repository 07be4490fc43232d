"""`tiebreak claims add`, `import`, `withdraw` and `export claims`: the ledger in and out."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from analysis.columns import Column
from analysis.commands.options import (
    OutOption,
    TableFormat,
    TableFormatOption,
    write_table,
)
from analysis.report import Report, Table
from analysis.studies.study import count
from store.claim_evidence import withdraw_claim
from store.claim_records import NewClaim
from store.claims import add_claim, get_claim
from store.commands.file_format import RawOption
from store.commands.ingest import parse_columns, parse_date
from store.commands.plan_shown import show_end
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
from store.export import claim_rows, format_of
from store.importers.bundle import ReadOptions
from store.importers.cells import CellError
from store.importers.claims import read_claims
from store.importers.printed import parse_printed
from store.ingest.claims import ClaimsReport, import_claims
from store.metrics import get_metric
from store.records import MetricRecord

app = typer.Typer()
export_app = typer.Typer()


@app.command("add")
@exits_in_words
def add_command(
    context: typer.Context,
    system: Annotated[str, typer.Option(help="The system that the claim is about.")],
    dataset: Annotated[str, typer.Option(help="What it was evaluated on.")],
    metric: Annotated[str, typer.Option(help="What was measured.")],
    value: Annotated[str, typer.Option(help="The figure as the source prints it.")],
    date: Annotated[str, typer.Option(help="When it was claimed, as 2026-11-21.")],
    source: Annotated[str, typer.Option(help="Citation that a reader can follow.")],
    quote: Annotated[str, typer.Option(help="The words of the source.")] = "",
    url: Annotated[str | None, typer.Option(help="Address of the source.")] = None,
    run: Annotated[str | None, typer.Option(help="Uid of the run it is about.")] = None,
    as_json: JsonOption = False,
) -> None:
    """Put a claim into the ledger; it stays there for good."""
    claimed_on = parse_date(date)
    with opened(context) as store:
        said = NewClaim(
            *(system, dataset, metric, _number(value, get_metric(store, metric)), claimed_on),
            source,
            quote=quote,
            source_url=url,
            printed=value,
            run=run,
        )
        before = store.revision()
        claim = add_claim(store, said, actor=current_actor())
        is_new = store.revision() > before
        what = (
            f"the claim of {claim.printed or claim.value} by '{claim.system}' on "
            f"'{claim.dataset}' of {claim.claimed_on:%Y-%m-%d}"
        )
        text = f"Added {what}." if is_new else f"The ledger holds {what} already."
        follow = f"`tiebreak show claim {claim.uid}` shows it."
        answer(
            "claims add",
            claim.to_dict() | {"added": is_new},
            store_revision=store.revision(),
            as_json=as_json,
            show=lambda console: console.print(f"{text} {follow}", markup=False),
        )


@app.command("withdraw")
@exits_in_words
def withdraw_command(
    context: typer.Context,
    uid: Annotated[str, typer.Argument(help="Of the claim; `tiebreak ls claims` lists them.")],
    reason: Annotated[str, typer.Option(help="Why: mistyped, withdrawn by its authors …")],
    as_json: JsonOption = False,
) -> None:
    """Take a claim back: it stays in the ledger, with the reason, and counts for nothing."""
    with opened(context) as store:
        evidence = withdraw_claim(store, uid, reason, actor=current_actor())
        claim = get_claim(store, uid)
        answer(
            "claims withdraw",
            {"claim": claim.to_dict(), "evidence": evidence.to_dict()},
            store_revision=store.revision(),
            as_json=as_json,
            show=lambda console: console.print(
                f"Withdrawn: {claim.system} on {claim.dataset}, {claim.printed or claim.value}. "
                "It stays in the ledger and counts for nothing.",
                markup=False,
            ),
        )


@app.command("import")
@exits_in_words
def import_command(
    context: typer.Context,
    file: Annotated[Path, typer.Argument(help="CSV, TSV, JSON Lines or Parquet.")],
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
    date: Annotated[
        str | None, typer.Option(help="When it was claimed, where the file does not say.")
    ] = None,
    column: Annotated[
        list[str] | None,
        typer.Option(help="ROLE=NAME: which column holds what. Can be given several times."),
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what would happen.")] = False,
    lenient: Annotated[
        bool, typer.Option("--lenient", help="Skip and list rows that cannot be used.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Read a file of claims into the ledger: all of them, or nothing."""
    options = ReadOptions(
        system=system,
        dataset=dataset,
        dataset_version=dataset_version,
        metric=metric,
        higher_is_better=higher_is_better,
        date=None if date is None else parse_date(date),
        columns=parse_columns(column or []),
        lenient=lenient,
    )
    read = read_claims(file, options)
    place = open_for_trial(context.obj) if dry_run else opened(context, create=True)
    with place as store:
        report = import_claims(
            store,
            read,
            actor=current_actor(),
            higher_is_better=higher_is_better,
            dry_run=dry_run,
        )
        result = report.to_dict()
        answer(
            "claims import",
            result,
            store_revision=store.revision(),
            warnings=result.pop("warnings"),
            as_json=as_json,
            show=lambda console: _show_import(console, report),
        )
    if report.skipped:
        raise typer.Exit(EXIT_PARTLY_DONE)


@export_app.command("claims")
@exits_in_words
def export_claims_command(
    context: typer.Context,
    dataset: Annotated[str | None, typer.Option(help="Only this dataset.")] = None,
    metric: Annotated[str | None, typer.Option(help="Only this metric.")] = None,
    format: TableFormatOption = None,
    out: OutOption = None,
    raw: RawOption = False,
) -> None:
    """Write every claim with its latest verdict; `claims import` reads the statements again."""
    wanted = format_of(out, format, TableFormat)
    with opened(context, read_only=True) as store:
        rows = list(claim_rows(store, dataset=dataset, metric=metric))
    write_table(rows, lambda: _printed(rows), out, wanted, raw=raw)
    messages.print(f"{count(len(rows), 'claim')}.")


def _number(printed: str, metric: MetricRecord) -> float:
    """Return a printed figure on the metric's own scale."""
    try:
        number = parse_printed(printed)
        if math.isnan(number.value):
            raise CellError("holds no number")
        if number.is_upper_bound:
            raise CellError("is a bound, not a value")
    except CellError as error:
        raise StoreError(f"`--value` '{printed}': {error}.") from error
    if number.is_percent and metric.unit == "proportion":
        return number.value / 100
    if number.is_percent and metric.unit != "percent":
        raise StoreError(
            f"`--value` '{printed}' is a percentage, and the unit of '{metric.label}' is "
            f"{metric.unit or 'not stated'}: write the figure on the metric's own scale."
        )
    return number.value


def _show_import(console: Console, report: ClaimsReport) -> None:
    console.print(f"[bold]{', '.join(report.files)}[/bold]")
    for sentence in report.understood:
        console.print(f"  {sentence}", markup=False)
    for kind in ("systems", "datasets", "metrics"):
        made = getattr(report, f"{kind}_added")
        if made:
            console.print(f"  New {kind}: {', '.join(made)}", markup=False)
    known = f", {report.claims_unchanged:,} known already" * bool(report.claims_unchanged)
    console.print(f"  {count(report.claims_added, 'claim')} added{known}.")
    for row in report.skipped:
        place = f"{row.path}, line {row.line}, field {row.field}"
        console.print(f"  skipped {place}: {row.reason}", markup=False)
    show_end(console, report.import_uid, dry_run=report.dry_run)


def _printed(rows: list[dict[str, Any]]) -> Report:
    """Return the claims as a table to print: what was stated, and today's verdict."""
    columns: tuple[str | Column, ...] = (
        *("date", "system", "dataset", "metric", "value"),
        Column("gain", signed=True),
        Column("p", kind="pvalue"),
        *("verdict", "source"),
    )
    cells = [
        [
            row["date"][:10],
            *(row[name] for name in ("system", "dataset", "metric")),
            row["printed"] or row["value"],
            *(row.get(name) for name in ("gain", "pvalue", "verdict", "source")),
        ]
        for row in rows
    ]
    return Report(title="Claims", tables=[Table(columns, cells)])
