"""What was read becomes a plan, and what the plan takes goes into the store."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

import sqlalchemy as sa

from store.engine import Store
from store.errors import ImportFormatError
from store.importers.bundle import Guess, ImportBundle, Question
from store.importers.detect import Reading, ReadResult
from store.importers.known_metrics import likely_direction, lookup
from store.importers.plan import (
    ImportPlan,
    PlanEntry,
    entries_left_out,
    entry_of,
    entry_without,
    systems_of,
    without_metrics,
)
from store.ingest import IngestReport, ingest_all
from store.ingest.capitals import (
    Spellings,
    named_by_folder,
    spelled_as_stated,
    stated_datasets,
    with_names,
)
from store.ingest.item_ids import ItemIds
from store.ingest.unnamed import with_names_asked
from store.models import Metric
from store.spelling import composed

_WORDS = {True: "higher", False: "lower"}


@dataclass(frozen=True, slots=True)
class Settled:
    """A group of files with the answers put in."""

    reading: Reading
    bundle: ImportBundle
    """What goes in: without the metrics that wait for an answer."""
    asked: tuple[Question, ...]
    answered: Mapping[str, str]
    goes_in: bool
    n_known: Sequence[int | None] = ()
    """Items of each dataset that the store has; ``None``: it has none of the dataset."""


@dataclass(frozen=True, slots=True)
class Imported:
    """What an import did, or would do."""

    plan: ImportPlan
    reports: Sequence[IngestReport]
    """Of what went in."""


def settle(
    store: Store | None,
    readings: Sequence[Reading],
    answers: Mapping[str, str],
    *,
    higher_is_better: bool | None = None,
    take_guesses: bool = False,
    case_matters: bool = False,
) -> list[Settled]:
    """Return what goes in and what waits for an answer.

    Parameters
    ----------
    store
        Knows the directions of its metrics; ``None``: there is none yet.
    answers
        Subject of a question -> what was said.
    higher_is_better
        Direction of all metrics that nobody knows.
    take_guesses
        Answer every open question with its guess.
    case_matters
        Names and ids that differ in nothing but capitals are two without a question.

    Raises
    ------
    ImportFormatError
        An answer is none of the choices.
    """
    known = _directions(store)
    for reading in readings:
        for metric in reading.bundle.metrics:
            if metric.higher_is_better is not None:
                known.setdefault(composed(metric.name), metric.higher_is_better)
    named = with_names_asked([one.bundle for one in readings], answers)
    readings = [one._replace(bundle=bundle) for one, bundle in zip(readings, named, strict=True)]
    spellings = Spellings(store)
    coming = {name for reading in readings for name in systems_of(reading.bundle)}
    if not case_matters:
        stated = stated_datasets(reading.bundle for reading in readings)
        readings = [
            one._replace(bundle=spelled_as_stated(one.bundle, stated, spellings.knows_dataset))
            for one in readings
        ]
    ids = ItemIds(store, case_matters=case_matters)
    settled = []
    for reading in readings:
        bundle = _with_full_names(reading.bundle, coming, spellings)
        asked, renamed = spellings.questions(bundle, answers)
        bundle = with_names(bundle, renamed)
        if not case_matters:
            bundle = replace(bundle, questions=[*bundle.questions, *asked])
        bundle, n_known = ids.recognise(bundle, answers, take_guesses=take_guesses)
        one = reading._replace(bundle=bundle)
        taken = _settle(one, known, answers, higher_is_better, take_guesses)
        settled.append(replace(taken, n_known=n_known))
    return settled


def _with_full_names(
    bundle: ImportBundle, coming: Collection[str], spellings: Spellings
) -> ImportBundle:
    """Return a bundle whose systems are called by their full names, with a guess for each."""
    full = named_by_folder(bundle, lambda name: name in coming or spellings.knows_system(name))
    guesses = [
        Guess("system", name, f"'{short}', as folders write it")
        for (_, short), name in full.items()
    ]
    named = with_names(bundle, full)
    identities = dict(named.identities)
    for name in set(full.values()) & identities.keys():
        model = identities[name].get("model", name)
        identities[name] = {**identities[name], "model": model.replace("__", "/", 1)}
    return replace(named, identities=identities, guesses=[*bundle.guesses, *guesses])


def ingest_settled(
    store: Store,
    read: ReadResult,
    settled: Sequence[Settled],
    *,
    actor: str,
    higher_is_better: bool | None = None,
    replace: bool = False,
    dry_run: bool = False,
    missing_as_zero: bool = False,
) -> Imported:
    """Write what the plan takes, in one transaction; see `ingest_all`.

    Files that nobody named are left out where they contradict what the store or the import holds.

    Raises
    ------
    ConflictError, ImportFormatError
        A file that was named does not fit; nothing is written.
    """
    taken = [one for one in settled if one.goes_in]
    reports = ingest_all(
        store,
        [one.bundle for one in taken],
        actor=actor,
        higher_is_better=higher_is_better,
        replace=replace,
        dry_run=dry_run,
        case_matters=True,  # what differs in capitals is settled
        missing_as_zero=missing_as_zero,
        optional={number for number, one in enumerate(taken) if not one.reading.is_given},
    )
    by_place = dict(zip(map(id, taken), reports, strict=True))
    entries = [_entry(one, by_place.get(id(one))) for one in settled]
    plan = ImportPlan([*entries, *entries_left_out(read.left_out)])
    return Imported(plan, [report for report in reports if not report.refused])


def _settle(
    reading: Reading,
    known: Mapping[str, bool],
    answers: Mapping[str, str],
    flag: bool | None,
    take_guesses: bool,
) -> Settled:
    bundle = reading.bundle
    answered = {
        one.subject: _checked(answers[one.subject], one)  # the importer has used it
        for one in bundle.questions
        if one.subject in answers
    }
    asked = [one for one in bundle.questions if one.subject not in answered]
    guesses = list(bundle.guesses)
    if take_guesses:
        guesses += [Guess(q.subject, q.guess, "--yes") for q in asked]
        asked = []
    blocks = bool(asked)
    metrics, waiting = list(bundle.metrics), []
    for number, metric in enumerate(metrics):
        if metric.higher_is_better is not None or flag is not None or lookup(metric.name):
            continue
        stated = known.get(composed(metric.name))
        if stated is not None:  # by the store, or by another file, which may come later
            metrics[number] = replace(metric, higher_is_better=stated)
            continue
        question = direction_question(metric.name)
        said = answers.get(question.subject)
        if said is not None:
            answered[question.subject] = _checked(said, question)
        elif take_guesses:
            said = question.guess
            guesses.append(Guess(question.subject, said, "--yes"))
        else:
            asked.append(question)
            waiting.append(number)
            continue
        metrics[number] = replace(metric, higher_is_better=said == "higher")
    kept = replace(bundle, metrics=metrics, guesses=guesses)
    if waiting:
        kept = without_metrics(kept, waiting)
        blocks = blocks or not (
            kept.runs or kept.reported_scores or kept.reported_comparisons or kept.ratings
        )
    asked = list({one.subject: one for one in asked}.values())
    return Settled(reading, kept, tuple(asked), answered, not blocks)


def direction_question(metric: str) -> Question:
    """Return the question which way is better for a metric that nobody knows."""
    return Question(
        f"metric {metric}: direction",
        _WORDS[likely_direction(metric)],
        ("higher", "lower"),
        "no file, store or table of known metrics says which way is better",
    )


def _checked(said: str, question: Question) -> str:
    if question.choices and said not in question.choices:
        choices = " or ".join(question.choices)
        raise ImportFormatError(
            f"the answer '{said}' is none: write {choices}.", field=question.subject
        )
    return said


def _directions(store: Store | None) -> dict[str, bool]:
    if store is None:
        return {}
    with store.read() as connection:
        rows = connection.execute(sa.select(Metric.name, Metric.higher_is_better)).all()
    return {row.name: row.higher_is_better for row in rows}


def _entry(one: Settled, report: IngestReport | None) -> PlanEntry:
    if report is None:
        entry = entry_of(one.reading.bundle, one.asked, one.answered, one.n_known)
        return replace(entry, reason="nothing of it goes in before that is answered")
    if report.refused:
        files = [file.path for file in one.bundle.files]
        return entry_without(files, report.refused, one.bundle.format)
    entry = entry_of(_with_directions(one.bundle), one.asked, one.answered, one.n_known)
    if one.asked:
        return replace(entry, reason="what depends on the answer stays out")
    if report.skipped:
        return replace(entry, reason=f"{len(report.skipped):,} rows were skipped")
    return entry


def _with_directions(bundle: ImportBundle) -> ImportBundle:
    """Return a bundle whose metrics have the direction that everybody knows."""
    metrics = []
    for metric in bundle.metrics:
        usual = lookup(metric.name) if metric.higher_is_better is None else None
        metrics.append(
            replace(metric, higher_is_better=usual.higher_is_better) if usual else metric
        )
    return replace(bundle, metrics=metrics)
