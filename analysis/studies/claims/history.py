"""The history of a test set: every scored system as a look at it, in order of time."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any, Final, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from analysis import numbers
from analysis.statistics._typing import FloatArray
from analysis.statistics.aggregate import aggregate_items
from analysis.statistics.planning.accuracy.agreement import CARD_2020_GLUE, AgreementModel
from analysis.statistics.precision import comparable
from analysis.statistics.sequences.records import Records, find_records
from analysis.studies.agreement_line import line_of_agreement
from analysis.studies.claims.settings import Order
from analysis.studies.clusters import choose_clusters
from analysis.studies.reading import failures_count
from analysis.studies.run_spread import ONE_RUN, Spread, spread_of
from analysis.studies.study import listed
from store.arrays import load_groups, load_runs, mean_of_trials
from store.claim_records import ClaimRecord, DatedScoreRecord, HistoryRecord
from store.claims import list_claims
from store.datasets import get_dataset
from store.dated_scores import list_dated_scores, list_histories
from store.engine import Store
from store.errors import NotFoundError
from store.kept_settings import AS_SOURCE
from store.metrics import get_metric, list_metrics
from store.records import DatasetRecord, MetricRecord, ReportedComparisonRecord
from store.repeats import seeds_within
from store.reported import list_reported_comparisons
from store.settings import settings_of_dataset
from store.vectors import scored

EntryKind = Literal["run", "reported", "claim"]

_SHARE_SO_FAR: Final = 0.9
"""Of the items of the largest score so far: what a record has to have."""
_SHARE_OF_ALL: Final = 0.5
"""Of those of the largest score at all; a test set that grows keeps its history."""
_LAST: Final = datetime.max.replace(tzinfo=UTC)


@dataclass(frozen=True, slots=True, eq=False)
class Entry:
    """A system's score on the test set, and when it was there."""

    date: datetime
    """When it was evaluated, or claimed where that was earlier."""
    system: str
    system_uid: str
    run_uid: str | None
    label: str
    kind: EntryKind
    score: float
    """On the metric's own scale: of the items where there are any, else as stated."""
    n_items: int | None
    stderr: float | None
    """As the source states it."""
    printed: str = ""
    """The score as it stands in the source: its digits say how far it was rounded."""
    is_complete: bool = True
    """False when the run did not finish."""
    claims: tuple[ClaimRecord, ...] = ()
    """What the ledger holds about it, the oldest first."""
    statements: tuple[DatedScoreRecord, ...] = ()
    """Figures that others report of it."""
    scores: FloatArray | None = field(default=None, repr=False)
    """Item scores, shape (n_items, n_components), NaN = missing; means over trials."""
    spread: Spread = ONE_RUN
    """Of the trials."""

    @property
    def values(self) -> list[tuple[datetime, float]]:
        """The values that somebody states, with their days; the score where nobody does."""
        said = [(claim.claimed_on, claim.value) for claim in self.claims]
        said += [(figure.dated_on or self.date, figure.value) for figure in self.statements]
        return said or [(self.date, self.score)]


class ReportedPvalue(NamedTuple):
    """What somebody reports about two systems."""

    pvalue: float
    """Two-sided."""
    test: str
    """As the source names it."""
    told: str
    """How it is reported."""


class TimeLine(NamedTuple):
    """The looks at a test set, the oldest first."""

    dataset: DatasetRecord
    metric: MetricRecord
    metrics: tuple[MetricRecord, ...]
    """All metrics of the dataset with dated scores or claims, the most used first."""
    entries: tuple[Entry, ...]
    times: npt.NDArray[np.datetime64]
    """When each was there; looks of one moment are not compared with each other."""
    records: Records
    """Of the entries' scores, turned so that higher is better."""
    groups: list[str | None] | None
    """Group of each item, where groups are the units of the tests."""
    groups_note: str
    n_undated: int
    """Scores without a date, which are left out."""
    partial: frozenset[int]
    """Places of scores of too few items, and of runs that did not finish: they are no records,
    and have no number."""
    agreement: AgreementModel
    """What agreement two systems of which only the accuracies are known usually have."""
    comparisons: Mapping[frozenset[str], Sequence[ReportedComparisonRecord]]
    """P-values that somebody reports for two systems, by their names."""

    def gain(self, score: float, before: float) -> float:
        """Return by how much one score is better than another."""
        gain = self.metric.sign * (score - before)
        return 0.0 if abs(gain) <= 1e-12 * max(abs(score), abs(before)) else gain

    def batches(self) -> list[list[int]]:
        """Return the places of the scored looks, those of one moment together."""
        found: dict[Any, list[int]] = {}
        for at in np.flatnonzero(self.records.looks):
            found.setdefault(self.times[at], []).append(int(at))
        return list(found.values())

    def reported_pvalue(self, later: Entry, earlier: Entry) -> ReportedPvalue | None:
        """Return the p-value that somebody reports for two systems, two-sided.

        Of several sources the largest. It has to be about these figures: a claim of another value
        is not what was tested. One that was tested in the other direction than the scores
        go says nothing for them.
        """
        gain = self.gain(later.score, earlier.score)
        found = []
        for stated in self.comparisons.get(frozenset((later.system, earlier.system)), ()):
            if not (_is_about(stated, later) and _is_about(stated, earlier)):
                continue
            printed = f"p {numbers.relation(stated.pvalue)}, as reported"
            if stated.sidedness in ("two-sided", "unstated"):
                found.append(ReportedPvalue(stated.pvalue, stated.test, printed))
                continue
            is_a = stated.system_a == later.system
            for_later = is_a == (stated.sidedness == "greater")
            if for_later == (gain > 0):
                doubled = min(1.0, 2 * stated.pvalue)
                found.append(ReportedPvalue(doubled, stated.test, f"{printed}, one-sided"))
            else:
                told = f"{printed} for the other direction only"
                found.append(ReportedPvalue(1.0, stated.test, told))
        return max(found, key=lambda one: one.pvalue, default=None)


def load_time_line(
    store: Store,
    dataset: str,
    metric: str | None,
    order: Order = "days",
    histories: Sequence[HistoryRecord] | None = None,
) -> TimeLine:
    """Return the dated scores and claims on a dataset, put together.

    Parameters
    ----------
    store
        Where from.
    dataset, metric
        Uid or name; by default the metric with most dated scores and claims.
    order
        Whether looks of one day are of one moment, or follow each other by the time of day.
    histories
        Those of the store, from a caller that has them.

    Raises
    ------
    NotFoundError
        There is no such dataset or metric, or nothing of it has a date.

    Notes
    -----
    A claim belongs to its run, else to the run of the same system that is nearest in time, else
    to a reported score of that system; so does a figure that somebody reports of a system with
    item scores. What belongs to nothing is a look of its own.
    """
    chosen = get_dataset(store, dataset)
    if histories is None:
        histories = list_histories(store, chosen.uid)
    here = [h for h in histories if h.dataset_uid == chosen.uid]
    measure = _choose_metric(store, chosen, here, metric)
    scores = list_dated_scores(store, chosen.uid, measure.uid)
    made = list_claims(store, dataset_uid=chosen.uid, metric_uid=measure.uid)
    claims = [claim for claim in made if not claim.withdrawn]
    trials = load_runs(store, chosen.uid, measure.uid)
    given = {uid: mean_of_trials(one) for uid, one in trials.items()}
    items = (
        dict(zip(given, comparable(np.stack(list(given.values()))), strict=True)) if given else {}
    )
    spreads = {}
    if measure.aggregation == "mean":
        seeds = seeds_within(store, chosen.uid)
        spreads = {
            uid: spread_of(one[:, :, 0])
            for uid, one in trials.items()
            if len(one) > 1 and uid in seeds
        }
    stand = failures_count(store, chosen.uid) == AS_SOURCE
    scores = [
        score
        if (uid := score.run_uid) not in items
        or (stand and np.array_equal(items[uid], given[uid], True))
        else replace(
            score,
            value=aggregate_items(items[uid], measure.aggregation),
            n_items=max(int(scored(one).sum()) for one in trials[uid]),
        )
        for score in scores
    ]
    entries, n_undated = _entries(scores, claims, items, spreads)
    figures = comparable(np.array([entry.score for entry in entries]).reshape(-1, 1))[:, 0]
    entries = [replace(e, score=float(v)) for e, v in zip(entries, figures, strict=True)]
    entries.sort(key=lambda entry: moment_of(entry.date, order))  # within a moment as they came
    labels = load_groups(store, chosen.uid) if items else []
    clusters = choose_clusters(labels, None)
    times = np.array([moment_of(entry.date, order) for entry in entries], dtype="datetime64[s]")
    partial = _partial(entries)
    values = [
        math.nan if at in partial else measure.sign * entry.score
        for at, entry in enumerate(entries)
    ]
    return TimeLine(
        dataset=chosen,
        metric=measure,
        metrics=_metrics_of(store, here),
        entries=tuple(entries),
        times=times,
        records=find_records(values, times=times),
        groups=clusters.groups,
        groups_note=clusters.note,
        n_undated=n_undated,
        partial=partial,
        agreement=_line_of_agreement(entries, chosen, measure),
        comparisons=_comparisons(store, chosen, measure),
    )


def _metrics_of(store: Store, histories: Sequence[HistoryRecord]) -> tuple[MetricRecord, ...]:
    known = {metric.uid: metric for metric in list_metrics(store)}
    return tuple(known[h.metric_uid] for h in histories)


def _is_about(stated: ReportedComparisonRecord, entry: Entry) -> bool:
    """Return whether a reported p-value is about the score of a look."""
    score = stated.score_a if stated.system_a == entry.system else stated.score_b
    if score is None:  # the source does not say; a claim by itself is from elsewhere
        return entry.kind != "claim"
    return math.isclose(score, entry.score, rel_tol=1e-9)


def _comparisons(
    store: Store, dataset: DatasetRecord, metric: MetricRecord
) -> dict[frozenset[str], list[ReportedComparisonRecord]]:
    found: dict[frozenset[str], list[ReportedComparisonRecord]] = {}
    stated_here = list_reported_comparisons(store, dataset_uid=dataset.uid, metric_uid=metric.uid)
    for stated in stated_here:
        found.setdefault(frozenset((stated.system_a, stated.system_b)), []).append(stated)
    return found


def _partial(entries: Sequence[Entry]) -> frozenset[int]:
    """Return the places of runs that are no measure of the whole test set.

    Scores of few items are extreme by chance, and scores of other items are no comparison: a trial
    run of ten items would be a record for ever.
    """
    sizes = [entry.n_items or 0 for entry in entries]
    most = max(sizes, default=0)
    found, so_far = set(), 0
    for at, entry in enumerate(entries):  # the oldest first
        so_far = max(so_far, sizes[at])
        is_small = sizes[at] < _SHARE_SO_FAR * so_far or sizes[at] < _SHARE_OF_ALL * most
        if not entry.is_complete or (sizes[at] > 0 and is_small):
            found.add(at)
    return frozenset(found)


def _line_of_agreement(
    entries: Sequence[Entry], dataset: DatasetRecord, metric: MetricRecord
) -> AgreementModel:
    """Return the line of the runs with item scores; that of GLUE where they are too few."""
    with_items = [entry.scores for entry in entries if entry.scores is not None]
    bare = len(with_items) < len(entries)
    if not bare or not with_items or metric.aggregation != "mean":
        return CARD_2020_GLUE  # nobody asks, or nobody can tell
    return line_of_agreement(np.stack(with_items)[:, :, 0], dataset.label)


def _choose_metric(
    store: Store, dataset: DatasetRecord, histories: Sequence[HistoryRecord], wanted: str | None
) -> MetricRecord:
    chosen = None if wanted is None else get_metric(store, wanted)
    if not histories:
        raise NotFoundError(
            f"Nothing on '{dataset.label}' has a date, so there is no history of claims. Give "
            "`--date` to `tiebreak ingest`, a column of dates, or state claims with "
            "`tiebreak claims add` or `tiebreak claims import`."
        )
    if chosen is None:
        primary = settings_of_dataset(store, dataset.uid).get("metric")
        most = max(histories, key=lambda h: (h.metric_uid == primary, h.n_scores + h.n_claims))
        return get_metric(store, most.metric_uid)
    if chosen.uid not in {h.metric_uid for h in histories}:
        raise NotFoundError(
            f"Nothing on '{dataset.label}' has a date for the metric '{chosen.label}'. There are "
            f"dated scores for {listed([h.metric for h in histories])}."
        )
    return chosen


def _entries(
    scores: Sequence[DatedScoreRecord],
    claims: Sequence[ClaimRecord],
    items: dict[str, FloatArray],
    spreads: Mapping[str, Spread],
) -> tuple[list[Entry], int]:
    """Return the looks with what belongs to each, and how many scores have no date at all."""
    runs = [s for s in scores if s.kind == "run"]
    with_items = {s.system_uid for s in runs}
    reported = [s for s in scores if s.kind == "reported" and s.system_uid not in with_items]
    owners = [*runs, *reported]
    of_system: dict[str, list[int]] = {}
    for i, owner in enumerate(owners):
        of_system.setdefault(owner.system_uid, []).append(i)
    own_claims: dict[int, list[ClaimRecord]] = {}
    own_figures: dict[int, list[DatedScoreRecord]] = {}
    alone = []
    for claim in claims:
        at = _owner_of(claim, owners, of_system.get(claim.system_uid, ()))
        if at is None:
            alone.append(_of_claim(claim))
        else:
            own_claims.setdefault(at, []).append(claim)
    for score in scores:
        if score.kind == "reported" and score.system_uid in with_items:
            at = _nearest(score.dated_on, owners, of_system[score.system_uid])
            own_figures.setdefault(at, []).append(score)
    entries, n_undated = alone, 0
    for i, owner in enumerate(owners):
        stated = own_claims.get(i, [])
        figures = own_figures.get(i, [])
        dates = [c.claimed_on for c in stated] + [f.dated_on for f in figures if f.dated_on]
        if owner.dated_on is not None:
            dates.append(owner.dated_on)
        if dates:
            entries.append(_of_score(owner, min(dates), stated, figures, items, spreads))
        else:
            n_undated += 1
    return entries, n_undated


def _owner_of(
    claim: ClaimRecord, owners: Sequence[DatedScoreRecord], places: Sequence[int]
) -> int | None:
    """Return the place of the score that a claim is about."""
    for at in places:
        if claim.run_uid is not None and owners[at].run_uid == claim.run_uid:
            return at
    runs = [at for at in places if owners[at].kind == "run"]
    if runs:  # a later run of the system takes no earlier claim from the one it was about
        made = [at for at in runs if (owners[at].dated_on or _LAST) <= claim.claimed_on]
        return _nearest(claim.claimed_on, owners, made or runs)
    same = [at for at in places if owners[at].value == claim.value]
    return _nearest(claim.claimed_on, owners, same) if same else None


def _nearest(
    when: datetime | None, owners: Sequence[DatedScoreRecord], places: Iterable[int]
) -> int:
    """Return which of the scores is nearest in time; undated ones come last."""

    def distance(at: int) -> tuple[bool, float]:
        then = owners[at].dated_on
        if then is None or when is None:
            return True, 0.0
        return False, abs((then - when).total_seconds())

    return min(places, key=distance)


def _of_claim(claim: ClaimRecord) -> Entry:
    return Entry(
        date=claim.claimed_on,
        system=claim.system,
        system_uid=claim.system_uid,
        run_uid=None,
        label="",
        kind="claim",
        score=claim.value,
        n_items=None,
        stderr=None,
        printed=claim.printed,
        claims=(claim,),
    )


def _of_score(
    score: DatedScoreRecord,
    when: datetime,
    claims: Sequence[ClaimRecord],
    figures: Sequence[DatedScoreRecord],
    items: dict[str, FloatArray],
    spreads: Mapping[str, Spread],
) -> Entry:
    return Entry(
        date=when,
        system=score.system,
        system_uid=score.system_uid,
        run_uid=score.run_uid,
        label=score.label,
        kind=score.kind,
        score=score.value,
        n_items=score.n_items,
        stderr=score.stderr,
        printed=score.printed,
        is_complete=score.is_complete,
        claims=tuple(claims),
        statements=tuple(figures),
        scores=items.get(score.run_uid) if score.kind == "run" and score.run_uid else None,
        spread=spreads.get(score.run_uid or "", ONE_RUN),
    )


def moment_of(date: datetime, order: Order) -> np.datetime64:
    """Return the moment that a date stands for: with "days" the beginning of its day, UTC."""
    when = date.astimezone(UTC).replace(tzinfo=None)
    if order == "days":
        when = when.replace(hour=0, minute=0, second=0)
    return np.datetime64(when, "s")
