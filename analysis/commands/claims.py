"""`tiebreak claims`: what was claimed about a dataset over time, and what of it holds."""

from __future__ import annotations

from typing import Annotated, Any

import typer
from rich.console import Console

from analysis import numbers
from analysis.commands.asking import (
    answered,
    asked_of,
    parameter,
    shown_progress,
    with_options,
)
from analysis.commands.claims_words import show_audit, show_changes, show_claims
from analysis.commands.options import (
    FormatOption,
    ReportStyle,
    gave_report,
)
from analysis.studies.claims.audit import audit_claims, study_changes
from analysis.studies.claims.settings import ClaimSettings
from analysis.studies.claims.study import Claims, study_histories
from store.claim_records import HistoryRecord
from store.console import (
    JsonOption,
    answer,
    current_actor,
    exits_in_words,
    opened,
    table,
)
from store.errors import StoreError

app = typer.Typer()
history = typer.Typer(add_completion=False)
"""Its one command answers where the first word is none of the group's commands."""

EveryOption = Annotated[bool, typer.Option("--all", help="Also claims that only state a value.")]
WhyOption = Annotated[bool, typer.Option("--why", help="A sentence for every claim.")]
MetricOption = Annotated[
    str | None, typer.Option(help="By default the one with most dated scores and claims.")
]


def _history(context: typer.Context, dataset: str | None, metric: str | None, **given: Any) -> None:
    """Say which claims on a dataset hold; nothing is written."""
    as_json, style = given["as_json"], given["format"]
    if dataset is None:
        if metric is not None or style is not ReportStyle.table:
            raise StoreError("`--metric` and `--format` go with a dataset: `tiebreak claims NAME`.")
        _list_histories(context, as_json)
        return
    settings = asked_of(context, ClaimSettings, given)
    study = answered(context, Claims(dataset, metric, settings))
    if gave_report(study.report, style, as_json):
        return
    answer(
        "claims",
        study.to_dict(),
        store_revision=study.store_revision,
        signature=study.signature,
        warnings=study.warnings,
        as_json=as_json,
        show=lambda console: show_claims(
            console, study, every=given["every"], with_why=given["why"]
        ),
    )


def _audit(context: typer.Context, dataset: str | None, metric: str | None, **given: Any) -> None:
    """Find records, test all claims, and add to the ledger what is new; nothing is rewritten."""
    settings = asked_of(context, ClaimSettings, given)
    with opened(context) as store, shown_progress() as progress:
        study = audit_claims(
            store,
            dataset=dataset,
            metric=metric,
            settings=settings,
            actor=current_actor(),
            progress=progress,
        )
    answer(
        "claims audit",
        study.to_dict(),
        store_revision=study.store_revision,
        signature=study.signature,
        warnings=study.warnings,
        as_json=given["as_json"],
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
    from store.commands.ingest import parse_date  # loads every importer

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


_OF_HISTORY = Annotated[
    str | None, typer.Argument(help="By default all with a history are listed.")
]
_OF_AUDIT = Annotated[str | None, typer.Argument(help="By default all.")]
_METRIC = parameter("metric", MetricOption, None)
_JSON = parameter("as_json", JsonOption, False)

history.command()(
    exits_in_words(
        with_options(
            _history,
            ClaimSettings,
            [
                parameter("every", EveryOption, False),
                parameter("why", WhyOption, False),
                parameter("format", FormatOption, ReportStyle.table),
                _JSON,
            ],
            before=[parameter("dataset", _OF_HISTORY, None), _METRIC],
        )
    )
)
app.command("audit")(
    exits_in_words(
        with_options(
            _audit,
            ClaimSettings,
            [_JSON],
            before=[parameter("dataset", _OF_AUDIT, None), _METRIC],
        )
    )
)
