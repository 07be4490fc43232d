"""Which boards matter now, who leads on each, and is the lead real?"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from functools import partial
from typing import Final

from analysis import numbers
from analysis.setting import build
from analysis.store_defaults import defaults_of
from analysis.studies.family import IN_WORDS
from analysis.studies.leaderboard import Board, Leaderboard, study_leaderboard
from analysis.studies.pairs_words import PairsSettings
from analysis.studies.store_parts import each_in_store
from store.claims import list_claims
from store.datasets import list_datasets
from store.engine import Store
from store.import_lists import import_moments
from store.metrics import list_metrics
from store.records import DatasetRecord, MetricRecord, Record
from store.reported import list_reported_scores
from store.runs import list_coverage, list_runs
from store.tags import PIN

MOST_WORK: Final = 100_000_000
"""Systems, squared, times items, of all boards asked for: a few seconds, the first time."""


STATED: Final = "stated only"
"""What is said of a lead without item scores."""


@dataclass(frozen=True, slots=True)
class BoardAtHand(Record):
    """A dataset with scores of two systems or more."""

    dataset: str
    dataset_uid: str
    n_systems: int
    """With item scores or a stated figure."""
    n_tested: int
    """With item scores."""
    n_items: int
    came_in: datetime
    """When the last import of runs was done; without runs, when the dataset came in."""
    is_pinned: bool

    @property
    def is_tested(self) -> bool:
        """Whether two systems have item scores: without, no difference can be tested."""
        return self.n_tested > 1


@dataclass(frozen=True, slots=True)
class Lead(Record):
    """The first of a board, on the metric that most of its systems have."""

    dataset_uid: str
    metric: str
    leader: str
    """The system in the first place, and how many share it."""
    first: str
    """One of them."""
    second: str
    """The system after it."""
    value: float
    score: str
    """With the decimals that it supports."""
    lead: str
    """"real", "tie of n" or "cannot tell", as on the board; `STATED` without item scores."""
    in_words: str
    """The same; of a pair among others, also what the first is against the second alone."""
    history: tuple[float, ...]
    """The best score so far after each day with a claim or a run, the oldest first."""


def list_boards(store: Store) -> list[BoardAtHand]:
    """Return the boards: pinned ones first, then those with item scores, the latest import first.

    Of one import, the board with most systems comes first.
    """
    coverage = list_coverage(store)
    n_tested = Counter(cell.dataset_uid for cell in coverage if cell.n_scored)
    n_systems = Counter(c.dataset_uid for c in coverage if c.n_scored or c.n_reported)
    moments = import_moments(store)
    last: dict[str, datetime] = {}
    for run in list_runs(store):
        at = bisect_left(moments, run.created_at)
        came_in = moments[at] if at < len(moments) else run.created_at
        last[run.dataset_uid] = max(last.get(run.dataset_uid, came_in), came_in)
    boards = [
        BoardAtHand(
            dataset.label,
            dataset.uid,
            n_systems[dataset.uid],
            n_tested[dataset.uid],
            dataset.n_items,
            last.get(dataset.uid, dataset.created_at),
            PIN in dataset.tags,
        )
        for dataset in list_datasets(store)
        if n_systems[dataset.uid] > 1
    ]
    boards.sort(key=lambda b: (-b.n_systems, b.dataset.casefold()))
    boards.sort(key=lambda b: (b.is_pinned, b.is_tested, b.came_in), reverse=True)
    return boards


def find_leads(store: Store, dataset_uids: Sequence[str]) -> dict[str, Lead]:
    """Return who leads, by dataset; boards for which there is no time are left out."""
    wanted = {board.dataset_uid: board for board in list_boards(store)}
    settings = build(PairsSettings, defaults_of(store, Board))
    parts, work = [], 0
    for uid in dataset_uids:
        board = wanted[uid]
        this = board.n_systems**2 * board.n_items if board.n_tested else 0
        if work + this <= MOST_WORK:
            work += this
            parts.append((uid, bool(board.n_tested)))
    found = each_in_store(store, partial(_lead, settings=settings), parts)
    return {lead.dataset_uid: lead for lead in found}


def _lead(store: Store, part: tuple[str, bool], *, settings: PairsSettings) -> Lead:
    """Return who leads on a dataset, which may have item scores or has none."""
    uid, is_tested = part
    if not is_tested:
        return _stated_lead(store, uid)
    study = study_leaderboard(store, uid, settings=settings)
    rows = [row for row in study.rows if row.basis == "items"]
    if not rows:  # item scores are on other metrics only
        return _stated_lead(store, uid)
    first = [row for row in study.rows if row.rank == 1]
    return Lead(
        dataset_uid=uid,
        metric=study.metric.label,
        leader=first[0].label + (f" and {len(first) - 1} more" if first[1:] else ""),
        first=rows[0].system,
        second=rows[1].system if len(rows) > 1 else "",
        value=first[0].score,
        score=numbers.fixed(first[0].score, study.decimals),
        lead=study.lead,
        in_words=_in_words(study),
        history=_history(store, study.dataset, study.metric),
    )


def _in_words(study: Leaderboard) -> str:
    if not study.lead or study.lead_alone is None or study.n_pairs < 2:
        return study.lead
    if study.correction == "none":
        return study.lead
    alone = IN_WORDS[study.lead_alone]
    return f"{study.lead} among {study.n_pairs:,} pairs · alone: {alone}"


def _stated_lead(store: Store, dataset_uid: str) -> Lead:
    """Return the best figure on the metric that most systems have one on."""
    figures = list_reported_scores(store, dataset_uid=dataset_uid)
    having = {
        uid: {one.system_uid for one in figures if one.metric_uid == uid}
        for uid in dict.fromkeys(one.metric_uid for one in figures)
    }
    most = max(having, key=lambda uid: len(having[uid]))
    own = [one for one in figures if one.metric_uid == most]
    metric = next(m for m in list_metrics(store, dataset_uid=dataset_uid) if m.uid == most)
    pick = max if metric.higher_is_better else min
    value = pick(one.value for one in own)
    first = list(dict.fromkeys(one.system for one in own if one.value == value))
    return Lead(
        dataset_uid=dataset_uid,
        metric=metric.label,
        leader=first[0] + (f" and {len(first) - 1} more" if first[1:] else ""),
        first=first[0],
        second="",
        value=value,
        score=numbers.stated(next(one.printed for one in own if one.value == value), value),
        lead=STATED,
        in_words=STATED,
        history=(),
    )


def _history(store: Store, dataset: DatasetRecord, metric: MetricRecord) -> tuple[float, ...]:
    """Return the best score after each day: of the claims where there are any, else of runs."""
    told = [
        (claim.claimed_on.date(), claim.value)
        for claim in list_claims(store, dataset_uid=dataset.uid, metric_uid=metric.uid)
    ] or [
        ((run.evaluated_on or run.created_at).date(), vector.value)
        for run in list_runs(store, dataset_uid=dataset.uid)
        for vector in run.vectors
        if vector.metric_uid == metric.uid
        and vector.value is not None
        and vector.n_scored == dataset.n_items
    ]
    pick = max if metric.higher_is_better else min
    best: dict[date, float] = {}
    for day, value in sorted(told):
        best[day] = pick([value, *[*best.values()][-1:]])
    return tuple(best.values())
