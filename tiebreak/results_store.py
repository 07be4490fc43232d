"""Opening a store, reading files into it, and what can go wrong."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from pathlib import Path

from store.console import current_actor
from store.engine import Store, open_for_trial, open_store
from store.errors import ImportFormatError, NotFoundError, StoreError
from store.importers.bundle import ReadOptions
from store.ingest.files import ingest_files
from store.ingest.planned import Imported
from tiebreak.argument_names import names_arguments

__all__ = ["ImportFormatError", "NotFoundError", "Store", "StoreError", "ingest", "open_store"]

_MOST_REASONS = 10


@names_arguments
def ingest(
    paths: Iterable[Path | str] | Path | str,
    *,
    store: Store | str | Path | None = None,
    format: str | None = None,
    system: str | None = None,
    dataset: str | None = None,
    dataset_version: str | None = None,
    metric: str | None = None,
    higher_is_better: bool | None = None,
    directions: Mapping[str, bool] | None = None,
    run: str | None = None,
    date: datetime | None = None,
    columns: Mapping[str, str] | None = None,
    layout: str | None = None,
    gold: Path | None = None,
    score: Sequence[str] = (),
    options: Mapping[str, str] | None = None,
    answers: Mapping[str, str] | None = None,
    take_guesses: bool = False,
    lenient: bool = False,
    with_text: bool = True,
    replace: bool = False,
    missing_as_zero: bool = False,
    case_matters: bool = False,
    dry_run: bool = False,
) -> Imported:
    """Read files, folders or archives into a store; return the plan and what went in.

    The arguments are the flags of `tiebreak ingest`. Nobody is asked: what waits for an answer
    stays out, unless it is in `answers` or `take_guesses` is set.

    Raises
    ------
    ImportFormatError
        A file that you name cannot be read as it stands, or nothing goes in at all.
    ConflictError
        The store has other scores for a run.
    """
    given = ReadOptions(
        system=system,
        dataset=dataset,
        dataset_version=dataset_version,
        metric=metric,
        higher_is_better=higher_is_better,
        directions=directions or {},
        run_label=run,
        date=date,
        columns=columns or {},
        layout=layout,
        choices=options or {},
        gold=gold,
        score=score,
        answers=answers or {},
        lenient=lenient,
        with_text=with_text,
    )

    def put_into(opened: Store) -> Imported:
        return ingest_files(
            opened,
            paths,
            actor=current_actor(),
            format=format,
            options=given,
            take_guesses=take_guesses,
            replace=replace,
            missing_as_zero=missing_as_zero,
            case_matters=case_matters,
            dry_run=dry_run,
        )

    if isinstance(store, Store):
        done = put_into(store)
    else:
        with open_for_trial(store) if dry_run else open_store(store, create=True) as opened:
            done = put_into(opened)
    if not done.reports:
        raise ImportFormatError("\n".join(_why_nothing(done)[:_MOST_REASONS]))
    return done


def _why_nothing(done: Imported) -> list[str]:
    """Return why nothing went in, for each file."""
    told = [
        f"{entry.files[0]}: {question.subject}? Say it in `answers` or with an argument."
        for entry, question in done.plan.questions
    ]
    told += [f"{entry.files[0]}: {entry.reason}" for entry in done.plan.entries if entry.reason]
    return told or ["there is nothing to read."]
