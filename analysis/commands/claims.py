"""`tiebreak claims`: what was claimed about a dataset over time, and what of it holds."""

from __future__ import annotations

import sys
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.progress import Progress

from analysis import numbers
from analysis.commands.claims_words import show_audit, show_changes, show_claims
from analysis.commands.options import (
    AlphaOption,
    FormatOption,
    ReportStyle,
    SeedOption,
    gave_report,
)
from analysis.studies.claims.audit import audit_claims, study_changes
from analysis.studies.claims.settings import ClaimSettings, Counting, Order, Rule
from analysis.studies.claims.study import study_claims, study_histories
from store.claim_records import HistoryRecord
from store.commands.ingest import parse_date
from store.console import (
    JsonOption,
    answer,
    current_actor,
    exits_in_words,
    messages,
    opened,
    table,
)
from store.errors import StoreError

app = typer.Typer()
history = typer.Typer(add_completion=False)
"""Its one command answers where the first word is none of the group's commands."""

MetricOption = Annotated[
    str | None, typer.Option(help="By default the one with most dated scores and claims.")
]
RuleOption = Annotated[Rule, typer.Option(help="How the level of each claim is set.")]
CountingOption = Annotated[
    Counting, typer.Option(help="Whether levels are spent on records alone or on every score.")
]
OrderOption = Annotated[
    Order, typer.Option(help="Whether systems of one day stand side by side or follow each other.")
]
GainOption = Annotated[
    float | None, typer.Option(help="The gain that matters; by default the usual one here.")
]
PowerOption = Annotated[
    float, typer.Option(help="Below this for that gain, a test set is too small for it.")
]
ResamplesOption = Annotated[int, typer.Option(help="Resamples, where no exact way is short.")]


@history.command()
@exits_in_words
def history_command(
    context: typer.Context,
    dataset: Annotated[
        str | None, typer.Argument(help="By default all with a history are listed.")
    ] = None,
    metric: MetricOption = None,
    alpha: AlphaOption = 0.05,
    rule: RuleOption = "alpha-spending",
    counting: CountingOption = "claims",
    order: OrderOption = "days",
    gain: GainOption = None,
    power: PowerOption = 0.8,
    n_resamples: ResamplesOption = 9_999,
    seed: SeedOption = 0,
    every: Annotated[
        bool, typer.Option("--all", help="Also claims that only state a value.")
    ] = False,
    why: Annotated[bool, typer.Option("--why", help="A sentence for every claim.")] = False,
    format: FormatOption = ReportStyle.table,
    as_json: JsonOption = False,
) -> None:
    """Say which claims on a dataset hold; nothing is written."""
    if dataset is None:
        if metric is not None or format is not ReportStyle.table:
            raise StoreError("`--metric` and `--format` go with a dataset: `tiebreak claims NAME`.")
        _list_histories(context, as_json)
        return
    settings = ClaimSettings(
        alpha=alpha,
        rule=rule,
        counting=counting,
        order=order,
        power=power,
        gain=gain,
        n_resamples=n_resamples,
        seed=seed,
    )
    with opened(context, read_only=True) as store, _progress() as bar:
        task = bar.add_task("Testing claims", total=None)
        study = study_claims(
            store,
            dataset,
            metric=metric,
            settings=settings,
            progress=lambda done, total: bar.update(task, completed=done, total=total),
        )
    if gave_report(study.report, format, as_json):
        return
    answer(
        "claims",
        study.to_dict(),
        store_revision=study.store_revision,
        signature=study.signature,
        warnings=study.warnings,
        as_json=as_json,
        show=lambda console: show_claims(console, study, every=every, with_why=why),
    )


@app.command("audit")
@exits_in_words
def audit_command(
    context: typer.Context,
    dataset: Annotated[str | None, typer.Argument(help="By default all.")] = None,
    metric: MetricOption = None,
    alpha: AlphaOption = 0.05,
    rule: RuleOption = "alpha-spending",
    counting: CountingOption = "claims",
    order: OrderOption = "days",
    gain: GainOption = None,
    power: PowerOption = 0.8,
    n_resamples: ResamplesOption = 9_999,
    seed: SeedOption = 0,
    as_json: JsonOption = False,
) -> None:
    """Find records, test all claims, and add to the ledger what is new; nothing is rewritten."""
    settings = ClaimSettings(
        alpha=alpha,
        rule=rule,
        counting=counting,
        order=order,
        power=power,
        gain=gain,
        n_resamples=n_resamples,
        seed=seed,
    )
    with opened(context) as store, _progress() as bar:
        task = bar.add_task("Auditing", total=None)
        study = audit_claims(
            store,
            dataset=dataset,
            metric=metric,
            settings=settings,
            actor=current_actor(),
            progress=lambda done, total: bar.update(task, completed=done, total=total),
        )
    answer(
        "claims audit",
        study.to_dict(),
        store_revision=study.store_revision,
        signature=study.signature,
        warnings=study.warnings,
        as_json=as_json,
        show=lambda console: show_audit(console, study),
    )


@app.command("changed")
@exits_in_words
def changed_command(
    context: typer.Context,
    since: Annotated[str, typer.Option(help="A day or a time, as 2026-11-21.")],
    as_json: JsonOption = False,
) -> None:
    """List the claims whose verdict is not what it was then."""
    moment = parse_date(since, "--since")
    with opened(context, read_only=True) as store:
        study = study_changes(store, moment)
    answer(
        "claims changed",
        study.to_dict(),
        store_revision=study.store_revision,
        signature=study.signature,
        warnings=study.warnings,
        as_json=as_json,
        show=lambda console: show_changes(console, study),
    )


def _progress() -> Progress:
    return Progress(console=messages, transient=True, disable=not sys.stderr.isatty())


def _list_histories(context: typer.Context, as_json: bool) -> None:
    with opened(context, read_only=True) as store:
        found = study_histories(store)
        answer(
            "claims",
            {"rows": [record.to_dict() for record in found]},
            store_revision=store.revision(),
            as_json=as_json,
            show=lambda console: _show_histories(console, found),
        )


def _show_histories(console: Console, found: tuple[HistoryRecord, ...]) -> None:
    if not found:
        console.print(
            "No dataset has a history of claims: two scores with a date, or claims, make one. Give "
            "--date to `tiebreak ingest`, or read claims with `tiebreak claims import`.",
            markup=False,
        )
        return
    rows: list[list[Any]] = [
        [h.dataset, h.metric, h.n_scores, h.n_claims, numbers.day(h.first), numbers.day(h.last)]
        for h in found
    ]
    columns = ("dataset", "metric", "=scores", "=claims", "first", "last")
    console.print(table("", columns, rows))
    console.print("`tiebreak claims DATASET` says which claims hold.", markup=False)
