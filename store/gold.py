"""Gold: what judgments amount to for each system and item, as scores of a metric.

A metric whose source is human (or model) is called after its criterion, and its signature says by
which rule the judgments became scores. Its scores stand in a run labelled "judgments" of each
system. The rule "mean of annotators" ("share of comparisons won" for preferences) is computed
whenever judgments come in; other rules come from `put_gold`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import sqlalchemy as sa
from sqlalchemy.orm import undefer

from store import vectors
from store.engine import Change, Store
from store.errors import StoreError
from store.gold_metrics import GoldScale, GoldSource, gold_metric, same_rule
from store.importers.cells import LARGEST
from store.importers.kinds import AnnotatorKind, FloatArray, Status
from store.judgment_queries import preferences_of, ratings_of
from store.judgment_records import IntArray, Preferences, Ratings
from store.lookup import find_criterion_id, find_id, find_ids
from store.metrics import metric_by_id
from store.models import (
    Criterion,
    Dataset,
    Metric,
    Preference,
    Rating,
    Run,
    ScoreVector,
    StatusVector,
    System,
)
from store.records import MetricRecord

RUN_LABEL = "judgments"
MEAN_RULE = "mean of annotators"
SHARE_RULE = "share of comparisons won"


def put_gold(
    store: Store,
    dataset: str,
    criterion: str,
    *,
    rule: str,
    source: GoldSource,
    systems: Sequence[str],
    values: FloatArray,
    lower: float | None = None,
    upper: float | None = None,
    higher_is_better: bool | None = None,
    actor: str,
) -> MetricRecord:
    """Write a gold that was computed by another rule; what that rule gave before is replaced.

    Parameters
    ----------
    store
        Where to.
    dataset, criterion
        Uid or name; the metric is called as the criterion.
    rule
        How judgments became values, as ``"median of annotators"``. The metric's signature is
        ``"human: median of annotators"``.
    source
        Whose judgments they are.
    systems
        Uid or name of the system of each row.
    values
        Shape (n_systems, n_items), in item order; NaN = not judged.
    lower, upper
        Bounds of the values, where the rule has some.
    higher_is_better
        Direction of the values; by default the criterion's.
    actor
        Who does it, for the audit trail.

    Raises
    ------
    NotFoundError
        There is no such dataset, criterion or system.
    StoreError
        The values do not fit the systems and items, are infinite or out of bounds; the criterion
        has no judgments yet; or another rule has that name.
    """
    with store.write(actor) as change:
        connection = change.session.connection()
        dataset_id = find_id(connection, "dataset", dataset)
        criterion_id = find_criterion_id(connection, dataset_id, criterion)
        row = change.session.get_one(Criterion, criterion_id)
        ids = find_ids(connection, "system", systems)
        n_items = change.session.get_one(Dataset, dataset_id).n_items
        _require_fitting(values, (len(ids), n_items), ids, lower, upper)
        _require_other_rule(rule.strip())
        direction = row.higher_is_better if higher_is_better is None else higher_is_better
        scale = GoldScale(direction, lower, upper)
        writer = _Writer(change, row)
        metric, _ = writer.put(source, rule.strip(), scale, dict(zip(ids, values, strict=True)))
        writer.finish()
        change.session.flush()
        return metric_by_id(connection, metric.id)


def recompute_gold(change: Change, criteria: Sequence[Criterion]) -> list[str]:
    """Write what judgments amount to for criteria of one dataset; the same again changes nothing.

    Returns
    -------
    list of str
        A sentence for each metric whose scores changed.
    """
    told = []
    writer = None
    kinds: tuple[AnnotatorKind, ...] = ("human", "model")
    for criterion in criteria:
        if criterion.kind != "preference" and criterion.level == "nominal":
            continue  # labels have no mean
        writer = _Writer(change, criterion) if writer is None else writer.of(criterion)
        for kind in kinds:
            values = _values(change, criterion, kind)
            rule = SHARE_RULE if criterion.kind == "preference" else MEAN_RULE
            if values or writer.has_gold(kind, rule):
                _, said = writer.put(kind, rule, _scale_of(criterion), values)
                told += said
    if writer is not None:
        writer.finish()
    return told


def recompute_comparisons(change: Change, system_id: int) -> None:
    """Bring all shares of comparisons in line after a system was hidden or came back."""
    compared = sa.select(Preference.criterion_id).where(
        sa.or_(Preference.first_id == system_id, Preference.second_id == system_id)
    )
    criteria: dict[int, list[Criterion]] = {}
    for row in change.session.scalars(sa.select(Criterion).where(Criterion.id.in_(compared))):
        criteria.setdefault(row.dataset_id, []).append(row)
    for rows in criteria.values():
        recompute_gold(change, rows)


def mean_of_annotators(ratings: Ratings) -> FloatArray:
    """Return the mean over annotators of each annotator's mean over replicates.

    Returns
    -------
    array
        Shape (n_systems, n_items); NaN where nobody gave a value. Ratings of items themselves do
        not count.
    """
    shape = (len(ratings.systems), len(ratings.item_keys))
    used = (ratings.system >= 0) & ~np.isnan(ratings.value)
    cells = (ratings.system * shape[1] + ratings.item)[used]
    return _mean_of_means(cells, ratings.annotator[used], ratings.value[used], shape)


def share_won(preferences: Preferences) -> FloatArray:
    """Return the share of comparisons that each system won on each item; a tie is half.

    An annotator who compared the same pair several times counts once, with the mean. A baseline,
    the one system of three or more that is in every comparison, has one half wherever it was
    compared: its wins over one system are no evidence against another.

    Returns
    -------
    array
        Shape (n_systems, n_items); NaN where a system was not compared.
    """
    n_systems, n_items = shape = (len(preferences.systems), len(preferences.item_keys))
    won = (preferences.choice.astype(np.float64) + 1) / 2
    cells, by, values = [], [], []
    for own, other, share in (
        (preferences.first, preferences.second, won),
        (preferences.second, preferences.first, 1 - won),
    ):
        cells.append(own * n_items + preferences.item)
        by.append(preferences.annotator * n_systems + other)
        values.append(share)
    shares = _mean_of_means(
        np.concatenate(cells), np.concatenate(by), np.concatenate(values), shape
    )
    baseline = baseline_of(preferences)
    if baseline is not None:
        shares[baseline, ~np.isnan(shares[baseline])] = 0.5
    return shares


def baseline_of(preferences: Preferences) -> int | None:
    """Return the row of the one system, of three or more, that is in every comparison."""
    there = set(preferences.first.tolist()) | set(preferences.second.tolist())
    if len(there) < 3:
        return None
    everywhere = [
        system
        for system in there
        if bool(np.all((preferences.first == system) | (preferences.second == system)))
    ]
    return everywhere[0] if everywhere else None


def _mean_of_means(
    cells: IntArray, by: IntArray, values: FloatArray, shape: tuple[int, int]
) -> FloatArray:
    """Return the mean in each cell over the means of all values with the same `by`."""
    n_by = int(by.max(initial=0)) + 1
    voices, inverse = np.unique(cells * n_by + by, return_inverse=True)
    means = np.bincount(inverse, values) / np.bincount(inverse) if len(voices) else values
    cell = voices // n_by
    size = shape[0] * shape[1]
    with np.errstate(invalid="ignore"):
        found = np.bincount(cell, means, size) / np.bincount(cell, minlength=size)
    return found.reshape(shape)


def _values(change: Change, criterion: Criterion, kind: AnnotatorKind) -> dict[int, FloatArray]:
    """Return system -> value of each item; systems that nobody of that kind judged are left out."""
    connection = change.session.connection()
    if criterion.kind == "preference":
        preferences = preferences_of(connection, criterion, kind=kind)
        uids, values = preferences.system_uids, share_won(preferences)
    else:
        ratings = ratings_of(connection, criterion, kind=kind)
        uids, values = ratings.system_uids, mean_of_annotators(ratings)
    query = sa.select(System.id, System.uid).where(System.uid.in_(uids)).order_by(System.id)
    number = {uid: n for n, uid in enumerate(uids)}
    rows = ((id_, values[number[uid]]) for id_, uid in connection.execute(query))
    return {id_: row for id_, row in rows if not np.isnan(row).all()}


def _scale_of(criterion: Criterion) -> GoldScale:
    if criterion.kind == "preference":
        return GoldScale(criterion.higher_is_better, 0.0, 1.0, "proportion")
    if criterion.kind == "error-spans":
        return GoldScale(False, 0.0, None)
    return GoldScale(criterion.higher_is_better, criterion.lower, criterion.upper)


def _require_other_rule(rule: str) -> None:
    if not rule:
        raise StoreError("`rule` must say how the judgments became values.")
    if rule in (MEAN_RULE, SHARE_RULE):
        raise StoreError(
            f"`rule` must not be '{rule}': that gold follows the judgments at every import."
        )


def _require_fitting(
    values: FloatArray,
    shape: tuple[int, int],
    system_ids: Sequence[int],
    lower: float | None,
    upper: float | None,
) -> None:
    if values.ndim != 2 or values.shape != shape:
        raise StoreError(
            f"`values` must have a row for each of {shape[0]} systems and a column for each of "
            f"{shape[1]} items, got shape {values.shape}."
        )
    if len(set(system_ids)) < len(system_ids):
        raise StoreError("`systems` names a system twice.")
    if (np.abs(values) > LARGEST).any():
        raise StoreError(f"`values` must be finite, at most {LARGEST:g} in size; NaN: none.")
    low = -np.inf if lower is None else lower
    high = np.inf if upper is None else upper
    if ((values < low) | (values > high)).any():
        raise StoreError(f"`values` must lie between {low:g} and {high:g}.")


def _first_ingests(change: Change, criterion: Criterion) -> dict[int | None, int]:
    """Return system -> the ingest that judged it first; ``None`` stands for the items."""
    table: Any = Preference if criterion.kind == "preference" else Rating
    columns = [table.first_id, table.second_id] if table is Preference else [table.system_id]
    found: dict[int | None, int] = {}
    for column in columns:
        query = sa.select(column, sa.func.min(table.ingest_id)).group_by(column)
        of_it = query.where(table.criterion_id == criterion.id)
        for system_id, first in change.session.execute(of_it):
            found[system_id] = min(first, found.get(system_id, first))
    return found


class _Stored(NamedTuple):
    run: Run
    vectors: dict[int, ScoreVector]
    """By metric."""


class _Writer:
    """Writes vectors into the runs of judgments of one dataset, and their statuses at the end."""

    def __init__(self, change: Change, criterion: Criterion) -> None:
        self._change = change
        self._criterion = criterion
        self._dataset = change.session.get_one(Dataset, criterion.dataset_id)
        self._ingests: dict[int | None, int] | None = None
        """What `_first_ingests` gives, once it was asked."""
        self._stored = self._load()
        self._touched: set[int] = set()

    def of(self, criterion: Criterion) -> _Writer:
        """Go on with another criterion of the same dataset."""
        self._criterion = criterion
        self._ingests = None
        return self

    def has_gold(self, source: GoldSource, rule: str) -> bool:
        """Return whether the criterion's scores by that rule are stored."""
        used = {metric_id for stored in self._stored.values() for metric_id in stored.vectors}
        known = same_rule(self._change, self._criterion.name, source, rule)
        return not used.isdisjoint(known)

    def put(
        self, source: GoldSource, rule: str, scale: GoldScale, values: Mapping[int, FloatArray]
    ) -> tuple[Metric, list[str]]:
        """Make these the criterion's scores by that rule: of these systems, and of no others.

        Returns
        -------
        metric, sentences
            The metric they are of, and a sentence if anything changed.
        """
        name = self._criterion.name
        metric = gold_metric(self._change, name, source, rule, scale)
        n_changed = sum(self._put_vector(metric, of, row) for of, row in values.items())
        for other in same_rule(self._change, name, source, rule):
            for system_id, stored in self._stored.items():
                is_current = other == metric.id and system_id in values
                if not is_current and other in stored.vectors:
                    self._change.session.delete(stored.vectors.pop(other))
                    self._touched.add(system_id)
                    n_changed += 1
        if not n_changed:
            return metric, []
        judged = [~np.isnan(row) for row in values.values()]
        n_items = int(np.logical_or.reduce(judged).sum()) if judged else 0
        self._change.record(
            *("gold", "metric", metric.uid),
            dataset=self._dataset.uid,
            criterion=self._criterion.uid,
            n_systems=len(values),
            n_items=n_items,
        )
        return metric, [
            f"Metric '{metric.name} [{metric.signature}]': {len(values):,} "
            f"system{'' if len(values) == 1 else 's'}, {n_items:,} "
            f"item{'' if n_items == 1 else 's'}."
        ]

    def finish(self) -> None:
        """Bring the statuses of the runs in line with their scores."""
        for system_id in self._touched:
            run, found = self._stored[system_id]
            status = np.full(self._dataset.n_items, Status.NOT_ATTEMPTED, np.uint8)
            for vector in found.values():
                present = vectors.scored(vectors.decode(vector.data, 1))
                status[: len(present)][present] = Status.OK
            query = sa.select(StatusVector).where(StatusVector.run_id == run.id)
            row = self._change.session.scalars(query).first()
            if row is None:
                row = StatusVector(run_id=run.id, trial=0)
                self._change.session.add(row)
            for name, value in vectors.status_columns(status).items():
                setattr(row, name, value)

    def _load(self) -> dict[int, _Stored]:
        session = self._change.session
        runs = session.scalars(
            sa.select(Run)
            .join(System, System.id == Run.system_id)
            .where(
                Run.dataset_id == self._dataset.id,
                Run.label == RUN_LABEL,
                Run.deleted_at.is_(None),
                System.deleted_at.is_(None),
            )
        )
        stored = {run.id: _Stored(run, {}) for run in runs}
        found = session.scalars(
            sa.select(ScoreVector)
            .options(undefer(ScoreVector.data))
            .where(ScoreVector.run_id.in_(list(stored)), ScoreVector.trial == 0)
        )
        for vector in found:
            stored[vector.run_id].vectors[vector.metric_id] = vector
        return {of.run.system_id: of for of in stored.values()}

    def _put_vector(self, metric: Metric, system_id: int, row: FloatArray) -> bool:
        """Write one vector; return whether anything changed."""
        if system_id not in self._stored:
            self._stored[system_id] = _Stored(self._make_run(system_id), {})
        run, known = self._stored[system_id]
        values = row[:, None]
        vector = known.get(metric.id)
        if vector is not None:
            stored = vectors.pad(vectors.decode(vector.data, 1), len(values))
            if vectors.encode(stored) == vectors.encode(values):
                return False
        else:
            vector = known[metric.id] = ScoreVector(run_id=run.id, metric_id=metric.id, trial=0)
            self._change.session.add(vector)
        vector.data = vectors.encode(values)
        vector.digest = vectors.digest(vector.data)
        vector.n_items, vector.n_components = len(values), 1
        vector.chain_hash = self._dataset.chain_hash
        for name, number in vectors.summarise(values, metric.aggregation)._asdict().items():
            setattr(vector, name, number)
        self._touched.add(system_id)
        return True

    def _make_run(self, system_id: int) -> Run:
        session = self._change.session
        if self._ingests is None:
            self._ingests = _first_ingests(self._change, self._criterion)
        if not self._ingests:
            raise StoreError(f"There are no judgments on '{self._criterion.name}' yet.")
        run = Run(
            system_id=system_id,
            dataset_id=self._dataset.id,
            label=RUN_LABEL,
            harness=RUN_LABEL,
            ingest_id=self._ingests.get(system_id, max(self._ingests.values())),
        )
        session.add(run)
        session.flush()
        self._change.record("create", "run", run.uid, dataset=self._dataset.name, label=run.label)
        return run
