"""What bundles bring of a run, put together: the parts of one run may come in several files."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from store import vectors
from store.errors import ImportFormatError
from store.importers.bundle import (
    ONE_SCORE,
    BundleRun,
    FloatArray,
    ImportBundle,
    Status,
    StatusArray,
)
from store.importers.cells import LARGEST, BoolArray
from store.importers.key_columns import IntArray
from store.ingest.items import AlignedDataset
from store.ingest.reconcile import reconcile_scores
from store.ingest.report import IngestReport
from store.ingest.scales import Scales
from store.ingest.statuses import (
    contradict,
    join_statuses,
)
from store.models import Metric


class Vector(NamedTuple):
    """The scores of one metric and trial of a run."""

    metric: Metric
    trial: int
    values: FloatArray
    """Shape (n_covered, n_components), in the order of the stored dataset."""


VectorKey = tuple[int, int]
"""Metric and trial."""

_ROUNDED = 1e-12
"""So far, relative to it, a mean of floating-point numbers may lie beyond its bound."""


class Targets(NamedTuple):
    """What the names in a bundle stand for in the store."""

    systems: dict[str, int]
    datasets: list[AlignedDataset]
    metrics: list[Metric]
    ingest_id: int
    scales: Scales


class Arrived(NamedTuple):
    """A bundle, what its names stand for, and where to tell what became of it."""

    bundle: ImportBundle
    targets: Targets
    report: IngestReport

    @property
    def path(self) -> str:
        """The file that messages name."""
        return self.bundle.files[0].path if self.bundle.files else ""


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """What one bundle brings of a run."""

    arrived: Arrived
    wanted: BundleRun
    aligned: AlignedDataset
    vectors: list[Vector]
    statuses: dict[int, StatusArray]

    @property
    def has_item(self) -> BoolArray:
        """Shape (n_covered,): the items that the bundle has."""
        has_item = np.zeros(self.aligned.n_covered, np.bool_)
        has_item[self.aligned.positions] = True
        return has_item

    def key_of(self, position: int) -> str:
        """Return what the item at a position of the stored dataset is called."""
        number = int(np.flatnonzero(self.aligned.positions == position)[0])
        return self.arrived.bundle.datasets[self.wanted.dataset].items[number].key


class Joined(NamedTuple):
    """What all bundles together bring of a run."""

    parts: Sequence[Part]
    brought: dict[VectorKey, Vector]
    owners: dict[VectorKey, IntArray]
    """Which part scored each item, or −1."""
    statuses: dict[int, StatusArray]
    """By trial; with what a rule scored."""
    stated: dict[int, StatusArray]
    """By trial, without that."""
    widest: AlignedDataset
    has_item: BoolArray
    """Shape (n_covered,): the items that any bundle has."""


def part_of(arrived: Arrived, wanted: BundleRun) -> Part:
    """Return what a bundle brings of one of its runs."""
    aligned = arrived.targets.datasets[wanted.dataset]
    incoming = _incoming_vectors(wanted, aligned, arrived.targets, arrived.bundle)
    return Part(arrived, wanted, aligned, incoming, _incoming_statuses(wanted, aligned))


def joined_parts(parts: Sequence[Part], *, missing_as_zero: bool) -> Joined:
    """Join what several bundles bring of one run."""
    brought, owners = _joined_vectors(parts)
    statuses = _joined_statuses(parts)
    widest = max((part.aligned for part in parts), key=lambda aligned: aligned.n_covered)
    has_item = np.zeros(widest.n_covered, np.bool_)
    for part in parts:
        has_item[: part.aligned.n_covered] |= part.has_item
    stated = dict(statuses)
    if missing_as_zero:
        _score_by_rule(brought, owners, statuses, has_item, parts[0].arrived.report)
    return Joined(parts, brought, owners, statuses, stated, widest, has_item)


def _joined_vectors(
    parts: Sequence[Part],
) -> tuple[dict[VectorKey, Vector], dict[VectorKey, IntArray]]:
    """Return the vectors of all parts of a run, joined, and which part scored each item (or −1).

    Raises
    ------
    ImportFormatError
        Two parts score the same item; a part that is a copy of another one counts once.
    """
    joined: dict[VectorKey, Vector] = {}
    owners: dict[VectorKey, IntArray] = {}
    for number, part in enumerate(parts):
        for vector in part.vectors:
            key = key_of(vector)
            n_items = max(len(vector.values), len(owners.get(key, ())))
            owner = np.full(n_items, -1)
            owner[: len(owners.get(key, ()))] = owners.get(key, ())
            mine = np.flatnonzero(vectors.scored(vector.values))
            others = np.unique(owner[mine])
            if (others >= 0).any():
                other = parts[int(others[-1])]
                if not _is_copy(part, other, vector):
                    _refuse_twice(part, vector, parts, owner)
                continue
            owner[mine] = number
            owners[key] = owner
            earlier = joined.get(key)
            if earlier is not None:
                met = reconcile_scores(earlier.values, vector.values, part.has_item)
                vector = vector._replace(values=met.values)
            joined[key] = vector
    return joined, owners


def _is_copy(part: Part, other: Part, vector: Vector) -> bool:
    """Return whether another part brings the very same scores of all items, and tell it."""
    (same,) = (v.values for v in other.vectors if key_of(v) == key_of(vector))
    n_items = max(len(same), len(vector.values))
    theirs, mine = vectors.pad(same, n_items), vectors.pad(vector.values, n_items)
    here = vectors.scored(mine)
    if part is other or not np.array_equal(theirs[here], mine[here], equal_nan=True):
        return False
    told = f"'{part.wanted.system}' has the same scores in {other.arrived.path}: they count once."
    if told not in part.arrived.report.warnings:
        part.arrived.report.warnings.append(told)
    return True


def _refuse_twice(part: Part, vector: Vector, parts: Sequence[Part], owner: IntArray) -> None:
    """Raise the error that names both places of an item that two parts of a run score."""
    both = np.flatnonzero(vectors.scored(vector.values) & (owner[: len(vector.values)] >= 0))
    position = int(both[0])
    other = parts[int(owner[position])].arrived.path
    place = f"and in {other}" if other != part.arrived.path else "twice"
    more = f" So have {len(both) - 1:,} more items." if len(both) > 1 else ""
    raise ImportFormatError(
        f"item '{part.key_of(position)}' of '{part.wanted.system}' on '{part.aligned.row.name}' "
        f"has a score for '{vector.metric.name}' here {place}.{more} A run has one score of an "
        "item: leave one of them out, import one by itself with --run NAME, or name a column that "
        "tells the runs apart: --column run=NAME, --column trial=NAME.",
        path=part.arrived.path,
        field=vector.metric.name,
    )


def _joined_statuses(parts: Sequence[Part]) -> dict[int, StatusArray]:
    """Return the statuses of all parts, trial by trial.

    Raises
    ------
    ImportFormatError
        Two parts state another status of one item.
    """
    joined: dict[int, StatusArray] = {}
    stated: dict[int, StatusArray] = {}
    for part in parts:
        both = contradict(stated, part.statuses) if part.wanted.statuses else None
        if both is not None:
            other = next(
                one
                for one in parts
                if one.wanted.statuses and contradict(one.statuses, part.statuses) is not None
            )
            raise ImportFormatError(
                f"item '{part.key_of(both)}' of '{part.wanted.system}' has another status in "
                f"{other.arrived.path}. A run has one status of an item: leave one of them out, or "
                "import one by itself with --run NAME.",
                path=part.arrived.path,
                field="status",
            )
        for found in (joined, stated) if part.wanted.statuses else (joined,):
            for trial, status in part.statuses.items():
                found[trial] = join_statuses(found[trial], status) if trial in found else status
    return joined


def _score_by_rule(
    brought: dict[VectorKey, Vector],
    owners: dict[VectorKey, IntArray],
    statuses: dict[int, StatusArray],
    has_item: BoolArray,
    report: IngestReport,
) -> None:
    """Give every item without a score a 0, where that is the worst one, and mark it."""
    n_items = len(has_item)
    for key, vector in brought.items():
        metric, trial = vector.metric, vector.trial
        values = vectors.pad(vector.values, n_items).copy()
        lost = has_item & ~vectors.scored(values)
        is_worst = metric.higher_is_better and metric.lower in (None, 0)
        if not lost.any():
            continue
        if not is_worst or metric.aggregation not in ONE_SCORE or (values < 0).any():
            told = f"--missing zero leaves '{metric.name}' as it is: 0 is not its worst score."
            if told not in report.understood:
                report.understood.append(told)
            continue
        values[lost] = 0.0
        brought[key] = vector._replace(values=values)
        owner = np.full(n_items, -1)
        owner[: len(owners[key])] = owners[key]
        owner[lost] = 0
        owners[key] = owner
        status = np.full(n_items, Status.NOT_ATTEMPTED, np.uint8)
        status[: len(statuses[trial])] = statuses[trial]
        status[lost] = Status.SCORED_BY_RULE
        statuses[trial] = status
        report.add("score", "by rule", int(lost.sum()))


def key_of(vector: Vector) -> VectorKey:
    """Return what a vector is known by in its run."""
    return vector.metric.id, vector.trial


def _incoming_vectors(
    wanted: BundleRun, aligned: AlignedDataset, targets: Targets, bundle: ImportBundle
) -> list[Vector]:
    incoming = []
    for scores in wanted.scores:
        metric = targets.metrics[scores.metric]
        brought = _require_bounds(scores.values, metric, wanted, bundle)
        values = np.full((aligned.n_covered, brought.shape[1]), np.nan)
        values[aligned.positions] = brought
        incoming.append(Vector(metric, scores.trial, values))
    return incoming


def _require_bounds(
    values: FloatArray, metric: Metric, wanted: BundleRun, bundle: ImportBundle
) -> FloatArray:
    """Return scores within the bounds of a metric; what is beyond them by rounding is on them."""
    has_bounds = metric.aggregation in ONE_SCORE
    lower = metric.lower if has_bounds and metric.lower is not None else -LARGEST
    upper = metric.upper if has_bounds and metric.upper is not None else LARGEST
    inside = np.clip(values, lower, upper)
    outside = np.argwhere(np.abs(values - inside) > _ROUNDED * np.maximum(1.0, np.abs(inside)))
    if len(outside):
        items = bundle.datasets[wanted.dataset].items
        value = values[tuple(outside[0])]
        hint = " Is it a percentage?" if upper == 1 and 1 < value <= 100 else ""
        raise ImportFormatError(
            f"'{wanted.system}' has {value:g} on item '{items[outside[0][0]].key}', but "
            f"'{metric.name}' lies between {lower:g} and {upper:g}.{hint}",
            path=bundle.files[0].path if bundle.files else "",
            field=metric.name,
        )
    return inside


def _incoming_statuses(wanted: BundleRun, aligned: AlignedDataset) -> dict[int, StatusArray]:
    """Return one status vector per trial: as the source states it, else read off the scores."""
    statuses: dict[int, StatusArray] = {}
    for trial in sorted({scores.trial for scores in wanted.scores} | set(wanted.statuses)):
        stated = wanted.statuses.get(trial)
        if stated is None:
            stated = np.full(len(aligned.positions), Status.NOT_ATTEMPTED, np.uint8)
            for scores in wanted.scores:
                if scores.trial == trial:
                    stated[vectors.scored(scores.values)] = Status.OK
        status = np.full(aligned.n_covered, Status.NOT_ATTEMPTED, np.uint8)
        status[aligned.positions] = stated
        statuses[trial] = status
    return statuses
