"""`tiebreak ingest`: files into the store."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import replace as replace_fields
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any

import typer

from store.commands.plan_shown import named_files, show_plan
from store.commands.plan_shown import told_of_faults as _told_of_faults
from store.commands.progress import shown_progress, stopped_in_words
from store.commands.questions import (
    QUESTIONS_FILE,
    ask,
    can_ask,
    read_answers,
    write_questions,
)
from store.console import (
    EXIT_PARTLY_DONE,
    EXIT_WRONG_USE,
    JsonOption,
    answer,
    current_actor,
    exits_in_words,
    json_of,
    messages,
    opened,
)
from store.engine import open_for_trial
from store.errors import EmptyStoreError, StoreError
from store.import_answers import remember_answers, remembered_answers
from store.importers.bundle import Question, ReadOptions
from store.importers.cells import FIRST_YEAR
from store.importers.detect import ReadResult, read_paths
from store.importers.plan import entries_left_out
from store.ingest.planned import Settled, ingest_settled, settle
from store.ingest.report import joined
from store.location import is_remote, resolve_location, sqlite_path

app = typer.Typer()


@app.command("ingest")
@exits_in_words
def ingest_command(
    context: typer.Context,
    paths: Annotated[
        list[Path],
        typer.Argument(help="Files, folders, archives, patterns, or - for standard input."),
    ],
    format: Annotated[
        str | None,
        typer.Option(help="name of a format, as docs/importing.md lists them; else recognised."),
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
        typer.Option("--case-matters", help="Names that differ in capitals alone are two."),
    ] = False,
    with_text: Annotated[
        bool,
        typer.Option(
            "--with-text/--no-text", help="Keep the texts of items and outputs, as by default."
        ),
    ] = True,
    yes: Annotated[bool, typer.Option("--yes", help="Take every guess, ask nothing.")] = False,
    strict: Annotated[
        bool, typer.Option("--strict", help="Refuse all as soon as something has to be asked.")
    ] = False,
    answers: Annotated[
        Path | None, typer.Option(help=f"Answers to what was asked, as in {QUESTIONS_FILE}.")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Read files into the store: all of a group of files, or nothing of it."""
    if missing not in ("zero", "nan"):
        raise StoreError(f"--missing '{missing}': write zero or nan.")
    location = resolve_location(context.obj)
    if is_remote(location):
        _send(location, context.params)
        return
    place_of_store = sqlite_path(location)
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
        answers={} if answers is None else read_answers(answers),
        recipes=None if place_of_store is None else place_of_store.parent / "recipes",
    )
    known = {**_kept_answers(context, place_of_store), **options.answers}
    options = replace_fields(options, answers=known)
    with stopped_in_words(), shown_progress():
        read = read_paths(paths, format=format, options=options)
    place = open_for_trial(context.obj) if dry_run else opened(context, create=True)
    with place as store, stopped_in_words(store), shown_progress() as progress:
        settled = settle(
            store,
            read.readings,
            known,
            higher_is_better=higher_is_better,
            take_guesses=yes,
            case_matters=case_matters,
        )
        open_questions = _open_questions(settled)
        if open_questions and not (yes or strict or dry_run) and can_ask():
            progress.clear()
            said = ask(open_questions, messages)
            options = replace_fields(options, answers={**options.answers, **said})
            read = read_paths(paths, format=format, options=options)
            settled = settle(
                store,
                read.readings,
                known | said,
                higher_is_better=higher_is_better,
                case_matters=case_matters,
            )
            open_questions = _open_questions(settled)
        if open_questions and strict:
            raise StoreError(_asked_in_words(open_questions))
        if not any(one.goes_in for one in settled) and not (settled and dry_run):
            raise _nothing_goes_in(read, open_questions)
        done = ingest_settled(
            store,
            read,
            settled,
            actor=current_actor(),
            higher_is_better=higher_is_better,
            replace=replace,
            dry_run=dry_run,
            missing_as_zero=missing == "zero",
        )
        if not dry_run:
            remember_answers(store, done.plan.answers, actor=current_actor())
        if not done.reports and not dry_run:
            faults = [entry for entry in done.plan.entries if entry.is_fault]
            raise StoreError("\n".join(_told_of_faults(faults)))
        progress.clear()
        result = joined(done.reports) | {"plan": done.plan.to_dict()}
        answer(
            "ingest",
            result,
            store_revision=store.revision(),
            warnings=result.pop("warnings"),
            as_json=as_json,
            show=lambda console: show_plan(console, done, dry_run=dry_run),
        )
    if open_questions and not dry_run:
        _keep_questions(open_questions)
    if not done.reports:
        raise typer.Exit(EXIT_WRONG_USE)
    if not done.plan.is_whole:
        raise typer.Exit(EXIT_PARTLY_DONE)


def _kept_answers(context: typer.Context, place: Path | None) -> dict[str, str]:
    """Return the answers that the store keeps; none where there is no store yet."""
    if place is not None and not place.exists():
        return {}
    try:
        with opened(context, read_only=True) as store:
            return remembered_answers(store)
    except EmptyStoreError:  # it is made when something goes in
        return {}


def _send(location: str, given: dict[str, Any]) -> None:
    """Bring the files to a server."""
    from store.commands.remote import send, show

    said = send(
        location,
        given,
        directions=parse_directions(given["direction"] or []),
        columns=parse_columns(given["column"] or []),
    )
    if given["as_json"]:
        print(json_of(said))
    else:
        show(said)
    if not said["result"]["plan"]["is_whole"]:
        raise typer.Exit(EXIT_PARTLY_DONE)


def _open_questions(settled: Sequence[Settled]) -> list[tuple[str, Question]]:
    return [
        (one.reading.bundle.files[0].path if one.reading.bundle.files else "", question)
        for one in settled
        for question in one.asked
    ]


def _keep_questions(questions: Sequence[tuple[str, Question]]) -> None:
    try:
        write_questions(questions, Path(QUESTIONS_FILE))
    except OSError as error:
        messages.print(
            f"What was asked cannot be kept in {QUESTIONS_FILE} here ({error.strerror}). Repeat it "
            "in a folder of yours, or take every guess with --yes.",
            markup=False,
        )
        return
    messages.print(
        f"What was asked stands in {QUESTIONS_FILE}, with guesses. Correct it and repeat with "
        f"--answers {QUESTIONS_FILE}, or take every guess with --yes.",
        markup=False,
    )


def _asked_in_words(questions: Sequence[tuple[str, Question]]) -> str:
    """Return open questions as one message that says how to answer."""
    unknown = list(
        dict.fromkeys(
            question.subject.removeprefix("metric ").removesuffix(": direction")
            for _, question in questions
            if question.subject.endswith(": direction")
        )
    )
    told = []
    if unknown:
        path = next(file for file, one in questions if one.subject.endswith(": direction"))
        names = ", ".join(f"'{name}'" for name in unknown)
        plural = "s" if len(unknown) > 1 else ""
        one = shlex.quote(f"{unknown[0]}=lower")
        told.append(
            f"{path}: nobody says whether higher is better for the metric{plural} {names}. Add "
            f"--direction {one} (or =higher), --higher-is-better or --lower-is-better for all "
            "that are unknown, or state it in the YAML file."
        )
    files_of: dict[str, list[str]] = {}
    for file, question in questions:
        if not question.subject.endswith(": direction"):
            words = f"{question.subject}? {question.because} (guess: {question.guess})"
            files_of.setdefault(words, []).append(file)
    return "\n".join([*told, *(f"{named_files(files)}: {one}" for one, files in files_of.items())])


def _nothing_goes_in(read: ReadResult, questions: Sequence[tuple[str, Question]]) -> StoreError:
    """Return the error of an import that brings nothing at all."""
    told = []
    if questions:
        told.append(_asked_in_words(questions))
        _keep_questions(questions)
    told += _told_of_faults(entries_left_out(read.faults))
    if not told:
        told = [f"Left out: {file.path}: {file.reason}" for file in read.left_out[:20]]
        told.insert(0, "Nothing to import: none of these files is in a format that is known.")
    return StoreError("\n".join(told))


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
