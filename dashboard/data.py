"""What pages read, each answer computed once.

Keys are the store's place and revision and the question asked, never the data themselves: a
cache that hashes big arrays looks at a sample of them and may give out a stale answer. Answers
are frozen, so that all sessions can share them.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from contextlib import nullcontext
from datetime import datetime
from types import MappingProxyType
from typing import Any, TypeVar, cast

import streamlit as st

from analysis import store_defaults
from analysis.question import Progress, Question
from analysis.studies.claims.audit import ChangesStudy
from analysis.studies.claims.study import study_histories
from analysis.studies.comparable import Comparables
from analysis.studies.item_changes import ItemChanges
from analysis.studies.item_pairs import ItemPair, study_item_pair
from analysis.studies.items import Items
from analysis.studies.leads import BoardAtHand, Lead, list_boards
from analysis.studies.overview import Overview, study_overview
from analysis.studies.study import Study
from dashboard.pool.asking import worked_out
from dashboard.pool.tasks import LISTS, Task
from dashboard.shelf import Shelf
from store.claim_evidence import list_evidence
from store.claim_records import EvidenceRecord, HistoryRecord
from store.damage import Seen, seen, seen_anywhere
from store.datasets import list_datasets, list_items, list_overlaps
from store.engine import Store, open_store
from store.errors import NotFoundError, StoreError
from store.history import list_events
from store.location import resolve_location, sqlite_path
from store.metric_cards import MetricCard, cards_on
from store.metrics import list_metrics
from store.people import current_person
from store.records import (
    DatasetRecord,
    EventRecord,
    ItemRecord,
    MetricRecord,
    NoteRecord,
    OutputRecord,
    OverlapRecord,
    ReportedComparisonRecord,
    ReportedScoreRecord,
    RunRecord,
    SystemRecord,
    TextRecord,
)
from store.repeats import Repeats, repeats_on
from store.reported import list_reported_comparisons, list_reported_scores
from store.run_scores import RunScores, load_run_scores
from store.runs import list_runs
from store.systems import list_systems
from store.tags import Attachable, OnItem, list_notes, list_on_items
from store.text_search import text_lengths as text_lengths_of
from store.texts import load_outputs, load_texts
from store.whereabouts import can_write_beside

A = TypeVar("A", bound=Study)


def is_frozen() -> bool:
    """Whether nobody may change anything from here."""
    return os.environ.get("TIEBREAK_READ_ONLY", "") not in ("", "0")


def is_read_only() -> bool:
    """Whether whoever sits before this page may change nothing."""
    return is_frozen() or not current_person().may("contributor")


def current_store() -> Store:
    """Return the store that the dashboard shows.

    Raises
    ------
    NotFoundError
        There is none yet.
    SchemaVersionError
        It needs another version.
    """
    location = resolve_location()
    store = _open(location, _identity(location), is_frozen())
    _were_open.add(location)
    return store


_were_open: set[str] = set()


def has_store() -> bool:
    """Whether there is a store."""
    try:
        current_store()
    except NotFoundError:
        if has_vanished():
            raise
        return False
    return True


def has_vanished() -> bool:
    """Return whether the store was open before and its file is there no more."""
    location = resolve_location()
    path = sqlite_path(location)
    return location in _were_open and path is not None and not path.exists()


def _identity(location: str) -> str:
    """Return what changes when another file takes the store's place, as after a restore."""
    path = sqlite_path(location)
    if path is None or not path.exists():
        return ""
    status = path.stat()
    written = "" if can_write_beside(path) else f":{status.st_mtime_ns}"  # read as it lies
    return f"{status.st_dev}:{status.st_ino}{written}"


@st.cache_resource(max_entries=4, show_spinner=False, on_release=lambda store: store.close())
def _open(location: str, identity: str, read_only: bool) -> Store:
    return open_store(location, read_only=read_only)


@st.cache_resource(max_entries=256, show_spinner="Computing …")
def _answered(identity: str, revision: int, question: str, arguments: tuple[Any, ...]) -> Any:
    if question in LISTS:
        key = (identity, revision, question, arguments)
        task = Task(question, arguments, resolve_location(), is_frozen())
        return worked_out(key, task, current_store(), None)
    return _QUESTIONS[question](current_store(), *arguments)


def damage_seen() -> list[Seen]:
    """Return what this process found damaged in the store as it is now."""
    if not seen_anywhere():
        return []
    try:
        with current_store().read() as connection:
            return seen(connection)
    except StoreError:  # the page says it
        return []


def state() -> tuple[str, int]:
    """Return what tells one state of a store from all others: its place and its revision."""
    store = current_store()
    return f"{store.location} {_identity(store.location)}", store.revision()


def shown_state() -> tuple[str, int]:
    """Return what tells one state of what pages show from all others: notes and tags too."""
    return state()[0], current_store().last_shown()


def _ask(question: str, *arguments: Any) -> Any:
    store = current_store()
    seen = store.revision() if question in _CONTENTS else store.last_change()
    return _answered(state()[0], seen, question, arguments)


_CONTENTS = frozenset(
    ("items", "texts", "outputs", "text lengths", "item pair", "item changes", "run scores")
)
"""Questions whose answers no tag and no note changes."""

_QUESTIONS: dict[str, Callable[..., Any]] = {
    "overview": study_overview,
    "boards": list_boards,
    "cards": cards_on,
    "repeats": repeats_on,
    "metrics": lambda store, dataset: list_metrics(store, dataset_uid=dataset),
    "all metrics": list_metrics,
    "histories": study_histories,
    "evidence": list_evidence,
    "systems": list_systems,
    "datasets": list_datasets,
    "runs": list_runs,
    "items": list_items,
    "texts": load_texts,
    "outputs": lambda store, dataset, positions, systems: load_outputs(
        store, dataset, positions, systems=systems
    ),
    "text lengths": text_lengths_of,
    "item pair": lambda store, question, a, b: study_item_pair(store, ask(question), a, b),
    "on items": list_on_items,
    "overlaps": list_overlaps,
    "run scores": load_run_scores,
    "reported scores": list_reported_scores,
    "reported comparisons": list_reported_comparisons,
}


def boards() -> list[BoardAtHand]:
    """Return the boards that matter, pinned and recent ones first."""
    return list(_ask("boards"))


def leads(dataset_uids: tuple[str, ...]) -> dict[str, Lead]:
    """Return who leads on some datasets, and whether the lead is real."""
    found: dict[str, Lead] = _ask("leads", dataset_uids)
    return found


def overview() -> Overview:
    """Return counts, coverage and the latest changes."""
    study: Overview = _ask("overview")
    return study


def comparables() -> Comparables:
    """Return which systems can be compared across datasets."""
    found: Comparables = _ask("comparables")
    return found


def metrics_of(dataset_uid: str) -> list[MetricRecord]:
    """Return the metrics that a dataset has scores on, the most used first."""
    return list(_ask("metrics", dataset_uid))


def cards_of(dataset_uid: str) -> list[MetricCard]:
    """Return the cards of the metrics that a dataset has scores on."""
    return list(_ask("cards", dataset_uid))


def repeats_of(dataset_uid: str) -> list[Repeats]:
    """Return the systems that were tried several times on a dataset."""
    return list(_ask("repeats", dataset_uid))


def item_changes(a: str, b: str, dataset: str, metric: str) -> ItemChanges:
    """Return the items of a dataset by A's advantage over B."""
    changes: ItemChanges = _ask("item changes", a, b, dataset, metric)
    return changes


@st.cache_resource(show_spinner=False)
def _shelf() -> Shelf[Study]:
    return Shelf(most=64)


def defaults_of(
    question: type[Any], given: Mapping[str, Any] = MappingProxyType({})
) -> dict[str, Any]:
    """Return what the store says about settings of a question, in place of their defaults."""
    try:
        return store_defaults.defaults_of(current_store(), question, given)
    except StoreError:  # a page that needs no store
        return {}


def ask(question: Question[A], progress: Progress | None = None) -> A:
    """Return the answer to a question, from the shelf where it lies there.

    What `progress` raises cancels the work, and nothing is kept.
    """
    store = current_store() if question.needs_store else None
    key = (*((*state(), store.last_label()) if store else ()), question)
    study = _shelf().take(key)
    if study is None:
        task = Task(question, (), resolve_location() if store else None, is_frozen())
        with st.spinner("Computing …") if progress is None else nullcontext():
            study = worked_out(key, task, store, progress)
        _shelf().put(key, study)
    return cast("A", study)


def histories() -> list[HistoryRecord]:
    """Return the datasets and metrics with dated scores or claims, by name."""
    return list(_ask("histories"))


def claim_changes(since: datetime) -> ChangesStudy:
    """Return the claims whose verdict is not what it was then."""
    study: ChangesStudy = _ask("claim changes", since)
    return study


def evidence(claim_uid: str) -> list[EvidenceRecord]:
    """Return what every audit made of a claim, the oldest first."""
    return list(_ask("evidence", claim_uid))


def systems() -> list[SystemRecord]:
    """Return all systems by name."""
    return list(_ask("systems"))


def datasets() -> list[DatasetRecord]:
    """Return all datasets by name."""
    return list(_ask("datasets"))


def runs() -> list[RunRecord]:
    """Return all runs, the newest first."""
    return list(_ask("runs"))


def all_metrics() -> list[MetricRecord]:
    """Return the metrics of the store."""
    return list(_ask("all metrics"))


def items(dataset_uid: str) -> list[ItemRecord]:
    """Return the items of a dataset in order."""
    return list(_ask("items", dataset_uid))


def item_texts(dataset_uid: str, positions: tuple[int, ...]) -> dict[int, TextRecord]:
    """Return position -> text of those items whose text is stored."""
    found: dict[int, TextRecord] = _ask("texts", dataset_uid, positions)
    return found


def item_outputs(
    dataset_uid: str, positions: tuple[int, ...], systems: tuple[str, ...]
) -> list[OutputRecord]:
    """Return what some systems answered on items."""
    return list(_ask("outputs", dataset_uid, positions, systems))


def text_lengths(dataset_uid: str) -> dict[int, int]:
    """Return position -> characters of the input of an item."""
    found: dict[int, int] = _ask("text lengths", dataset_uid)
    return found


def item_pair(question: Items, a: str, b: str) -> ItemPair:
    """Return two systems of a dataset item by item."""
    pair: ItemPair = _ask("item pair", question, a, b)
    return pair


def overlaps() -> list[OverlapRecord]:
    """Return all overlaps between datasets."""
    return list(_ask("overlaps"))


def run_scores(run_uid: str) -> list[RunScores]:
    """Return every score vector of a run."""
    return list(_ask("run scores", run_uid))


def reported_scores() -> list[ReportedScoreRecord]:
    """Return all figures that files and papers state."""
    return list(_ask("reported scores"))


def reported_comparisons() -> list[ReportedComparisonRecord]:
    """Return all p-values that files and papers state."""
    return list(_ask("reported comparisons"))


def on_items(dataset_uid: str) -> dict[str, OnItem]:
    """Return key -> tags and notes of the items of a dataset that have any."""
    found: dict[str, OnItem] = _ask("on items", dataset_uid)
    return found


def notes(kind: Attachable, uid: str) -> list[NoteRecord]:
    """Return the notes on a system, dataset, run, item or import."""
    return list_notes(current_store(), kind, uid)


def events(uid: str) -> list[EventRecord]:
    """Return what happened to a system, dataset or run, the latest first."""
    return list_events(current_store(), target_uid=uid)
