"""What pages read, each answer computed once.

Keys are the store's place and revision and the question asked, never the data themselves: a
cache that hashes big arrays looks at a sample of them and may give out a stale answer. Answers
are frozen, so that all sessions can share them.
"""

from __future__ import annotations

import os
import threading
from collections import OrderedDict
from collections.abc import Callable
from datetime import datetime
from typing import Any

import streamlit as st

from analysis.studies.claims.audit import ChangesStudy, study_changes
from analysis.studies.claims.settings import ClaimSettings
from analysis.studies.claims.study import ClaimsStudy, study_claims, study_histories
from analysis.studies.comparable import Comparables, find_comparables
from analysis.studies.comparison import Comparison, study_comparison
from analysis.studies.item_changes import ItemChanges, study_item_changes
from analysis.studies.items import ItemsStudy, study_items
from analysis.studies.leaderboard import Leaderboard, study_leaderboard
from analysis.studies.leaderboard_standing import ScoreIntervalName
from analysis.studies.leads import Leads, find_leads
from analysis.studies.overview import Overview, study_overview
from analysis.studies.pair_analysis import PairSettings
from analysis.studies.pairs import PairsStudy, study_pairs
from analysis.studies.pairs_words import Correction, PairsSettings
from analysis.studies.power.dataset import DatasetPower, study_dataset_power
from analysis.studies.power.resolution import ResolutionStudy, study_resolution
from analysis.studies.ranking import RankingStudy, study_ranking
from analysis.studies.replicability import (
    ReplicabilitySettings,
    ReplicabilityStudy,
    study_replicability,
)
from analysis.studies.replicability_matrix import (
    ReplicabilityMatrixStudy,
    study_replicability_matrix,
)
from analysis.studies.study import Study
from store.arrays import RunScores, load_run_scores
from store.claim_evidence import list_evidence
from store.claim_records import EvidenceRecord, HistoryRecord
from store.damage import seen, seen_anywhere
from store.datasets import list_datasets, list_items, list_overlaps
from store.engine import Store, open_store, resolve_location, sqlite_path
from store.errors import StoreError
from store.history import list_events
from store.lookup import Kind
from store.metrics import list_metrics
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
from store.reported import list_reported_comparisons, list_reported_scores
from store.runs import list_runs
from store.systems import list_systems
from store.tags import list_notes
from store.texts import load_outputs, load_texts


def is_read_only() -> bool:
    """Whether pages may change nothing here."""
    return os.environ.get("TIEBREAK_READ_ONLY", "") not in ("", "0")


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
    return _open(location, _identity(location), is_read_only())


def _identity(location: str) -> str:
    """Return what changes when another file takes the store's place, as after a restore."""
    path = sqlite_path(location)
    if path is None or not path.exists():
        return ""
    status = path.stat()
    return f"{status.st_dev}:{status.st_ino}"


@st.cache_resource(max_entries=4, show_spinner=False, on_release=lambda store: store.close())
def _open(location: str, identity: str, read_only: bool) -> Store:
    return open_store(location, read_only=read_only)


@st.cache_resource(max_entries=256, show_spinner="Computing …")
def _answered(identity: str, revision: int, question: str, arguments: tuple[Any, ...]) -> Any:
    return _QUESTIONS[question](current_store(), *arguments)


def seen_damage() -> list[str]:
    """Return what this process found damaged in the store, one sentence each."""
    if not seen_anywhere():
        return []
    try:
        with current_store().read() as connection:
            return [str(one) for one in seen(connection)]
    except StoreError:  # the page says it
        return []


def state() -> tuple[str, int]:
    """Return what tells one state of a store from all others: its place and its revision."""
    store = current_store()
    return f"{store.location} {_identity(store.location)}", store.revision()


def _ask(question: str, *arguments: Any) -> Any:
    return _answered(*state(), question, arguments)


_QUESTIONS: dict[str, Callable[..., Any]] = {
    "overview": study_overview,
    "leads": find_leads,
    "leaderboard": lambda store, dataset, metric, settings, interval: study_leaderboard(
        store, dataset, metric=metric, settings=settings, interval=interval
    ),
    "replicability": lambda store, a, b, settings: study_replicability(store, a, b, settings),
    "comparables": find_comparables,
    "comparison": lambda store, a, b, dataset, metric, settings, clusters, family: study_comparison(
        store,
        a,
        b,
        dataset=dataset,
        metric=metric,
        settings=settings,
        clusters=clusters,
        correction=family,
    ),
    "item changes": lambda store, a, b, dataset, metric: study_item_changes(
        store, a, b, dataset=dataset, metric=metric
    ),
    "metrics": lambda store, dataset: list_metrics(store, dataset_uid=dataset),
    "all metrics": list_metrics,
    "items study": lambda store, dataset, metric: study_items(store, dataset, metric=metric),
    "histories": study_histories,
    "claim changes": study_changes,
    "evidence": list_evidence,
    "resolution": lambda store, metric, alpha, power: study_resolution(
        store, metric=metric, alpha=alpha, power=power
    ),
    "dataset power": lambda store, dataset, settings: study_dataset_power(
        store, dataset, **dict(settings)
    ),
    "systems": list_systems,
    "datasets": list_datasets,
    "runs": list_runs,
    "items": list_items,
    "texts": lambda store, dataset, position: load_texts(store, dataset, [position]),
    "outputs": lambda store, dataset, position, systems: load_outputs(
        store, dataset, [position], systems=systems
    ),
    "overlaps": list_overlaps,
    "run scores": load_run_scores,
    "reported scores": list_reported_scores,
    "reported comparisons": list_reported_comparisons,
}


def leads() -> Leads:
    """Return who leads on each dataset, and whether the lead is real."""
    found: Leads = _ask("leads")
    return found


def overview() -> Overview:
    """Return counts, coverage and the latest changes."""
    study: Overview = _ask("overview")
    return study


def leaderboard(
    dataset: str,
    metric: str | None,
    settings: PairsSettings,
    interval: ScoreIntervalName = "auto",
) -> Leaderboard:
    """Return the leaderboard of a dataset."""
    study: Leaderboard = _ask("leaderboard", dataset, metric, settings, interval)
    return study


def replicability(a: str, b: str, settings: ReplicabilitySettings) -> ReplicabilityStudy:
    """Return two systems across datasets."""
    study: ReplicabilityStudy = _ask("replicability", a, b, settings)
    return study


def comparables() -> Comparables:
    """Return which systems can be compared across datasets."""
    found: Comparables = _ask("comparables")
    return found


def metrics_of(dataset_uid: str) -> list[MetricRecord]:
    """Return the metrics that a dataset has scores on, the most used first."""
    return list(_ask("metrics", dataset_uid))


def comparison(
    a: str,
    b: str,
    dataset: str,
    metric: str | None,
    settings: PairSettings,
    clusters: bool | None = None,
    family: Correction | None = None,
) -> Comparison:
    """Return two systems compared on a dataset, by themselves or as one pair of the board."""
    study: Comparison = _ask("comparison", a, b, dataset, metric, settings, clusters, family)
    return study


def item_changes(a: str, b: str, dataset: str, metric: str) -> ItemChanges:
    """Return the items of a dataset by A's advantage over B."""
    changes: ItemChanges = _ask("item changes", a, b, dataset, metric)
    return changes


def items_study(dataset: str, metric: str | None) -> ItemsStudy:
    """Return the items of a dataset against its systems."""
    study: ItemsStudy = _ask("items study", dataset, metric)
    return study


class _Shelf:
    """The latest studies of many systems, which show progress and so cannot be `_ask`ed."""

    def __init__(self) -> None:
        self._studies: OrderedDict[Any, Study] = OrderedDict()
        self._lock = threading.Lock()

    def take(self, key: Any) -> Study | None:
        with self._lock:
            if key in self._studies:
                self._studies.move_to_end(key)
            return self._studies.get(key)

    def put(self, key: Any, study: Study) -> None:
        with self._lock:
            self._studies[key] = study
            while len(self._studies) > 32:
                self._studies.popitem(last=False)


@st.cache_resource(show_spinner=False)
def _shelf() -> _Shelf:
    return _Shelf()


def worked_out(question: str, arguments: Any, work: Callable[[Store], Study]) -> Any:
    """Return a study from the shelf, or put it there; what `work` raises is not kept."""
    store = current_store()
    key = (store.location, _identity(store.location), store.revision(), question, arguments)
    study = _shelf().take(key)
    if study is None:
        study = work(store)
        _shelf().put(key, study)
    return study


Progress = Callable[[int, int], None]


def pairs(
    dataset: str,
    metric: str | None,
    settings: PairsSettings,
    *,
    progress: Progress | None = None,
) -> PairsStudy:
    """Return all pairs of a dataset; what `progress` raises cancels the work."""
    study: PairsStudy = worked_out(
        "pairs",
        (dataset, metric, settings),
        lambda store: study_pairs(
            store, dataset, metric=metric, settings=settings, progress=progress
        ),
    )
    return study


def ranking(*, progress: Progress | None = None, **settings: Any) -> RankingStudy:
    """Return systems ranked over datasets; settings as in `study_ranking`, all hashable."""
    study: RankingStudy = worked_out(
        "ranking",
        tuple(sorted(settings.items())),
        lambda store: study_ranking(store, progress=progress, **settings),
    )
    return study


def replicability_matrix(
    *, progress: Progress | None = None, **settings: Any
) -> ReplicabilityMatrixStudy:
    """Return all pairs across datasets; settings as in `study_replicability_matrix`, hashable."""
    study: ReplicabilityMatrixStudy = worked_out(
        "replicability matrix",
        tuple(sorted(settings.items())),
        lambda store: study_replicability_matrix(store, progress=progress, **settings),
    )
    return study


def histories() -> list[HistoryRecord]:
    """Return the datasets and metrics with dated scores or claims, by name."""
    return list(_ask("histories"))


def claims(
    dataset: str, metric: str, settings: ClaimSettings, *, progress: Progress | None = None
) -> ClaimsStudy:
    """Return the claims on a dataset over time; what `progress` raises cancels the work."""
    study: ClaimsStudy = worked_out(
        "claims",
        (dataset, metric, settings),
        lambda store: study_claims(
            store, dataset, metric=metric, settings=settings, progress=progress
        ),
    )
    return study


def claim_changes(since: datetime) -> ChangesStudy:
    """Return the claims whose verdict is not what it was then."""
    study: ChangesStudy = _ask("claim changes", since)
    return study


def evidence(claim_uid: str) -> list[EvidenceRecord]:
    """Return what every audit made of a claim, the oldest first."""
    return list(_ask("evidence", claim_uid))


def resolution(metric: str | None, alpha: float, power: float) -> ResolutionStudy:
    """Return which test sets find gaps like that between their first two systems."""
    study: ResolutionStudy = _ask("resolution", metric, alpha, power)
    return study


def dataset_power(dataset: str, **settings: Any) -> DatasetPower:
    """Return what a test set can find; settings as in `study_dataset_power`, all hashable."""
    study: DatasetPower = _ask("dataset power", dataset, tuple(sorted(settings.items())))
    return study


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


def item_text(dataset_uid: str, position: int) -> TextRecord | None:
    """Return the stored text of an item, if there is any."""
    found: dict[int, TextRecord] = _ask("texts", dataset_uid, position)
    return found.get(position)


def outputs(dataset_uid: str, position: int, systems: tuple[str, ...]) -> list[OutputRecord]:
    """Return what some systems answered on an item."""
    return list(_ask("outputs", dataset_uid, position, systems))


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


def notes(kind: Kind, uid: str) -> list[NoteRecord]:
    """Return the notes on a system, dataset or run."""
    return list_notes(current_store(), kind, uid)


def events(uid: str) -> list[EventRecord]:
    """Return what happened to a system, dataset or run, the latest first."""
    return list_events(current_store(), target_uid=uid)
