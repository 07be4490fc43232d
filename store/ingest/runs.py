"""Runs of bundles: joined, added, extended, recognised as unchanged, or replaced."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any, Literal, cast

import numpy as np
import sqlalchemy as sa

from store import vectors
from store.engine import Change, insert_rows
from store.errors import ConflictError
from store.importers.bundle import (
    BundleRun,
    FloatArray,
    Status,
    StatusArray,
)
from store.importers.cells import BoolArray
from store.importers.key_columns import IntArray
from store.ingest.items import AlignedDataset
from store.ingest.reconcile import ReconciledScores, fitted, reconcile_scores
from store.ingest.run_details import fill_in
from store.ingest.run_parts import (
    Arrived,
    Joined,
    Part,
    Vector,
    VectorKey,
    joined_parts,
    key_of,
    part_of,
)
from store.ingest.run_rows import (
    known_vectors,
    replace_run,
    run_of,
    tell_created,
    vector_rows,
    widen_vectors,
    write_outputs,
    write_vectors,
)
from store.ingest.statuses import (
    add_statuses,
    contradict,
    join_statuses,
    says_more,
    stored_statuses,
    write_statuses,
)
from store.models import Run, ScoreVector

_AT_ONCE = 100
"""Runs that are written together."""

_MOST_CELLS = 1 << 20
"""Scores of them, so that they take little memory."""

_MOST_VARIABLES = 10_000
"""Of one statement."""


def ingest_runs(
    change: Change,
    arrived: Sequence[Arrived],
    *,
    replace: bool,
    missing_as_zero: bool = False,
) -> list[list[Run]]:
    """Write the runs of bundles that belong together; return for each bundle the stored runs.

    What the bundles bring of one run (system, dataset, label) is joined: they are shards of it.
    With `missing_as_zero` an item of the bundles without a score gets 0, as scored by rule.

    Raises
    ------
    ConflictError
        A run is in the store with other scores and `replace` is False.
    ImportFormatError
        A score lies outside the bounds of its metric, or two bundles score one item of a run.
    """
    groups: dict[tuple[int, int, str], list[tuple[int, int]]] = {}
    for number, one in enumerate(arrived):
        for place, run in enumerate(one.bundle.runs):
            dataset_id = one.targets.datasets[run.dataset].row.id
            key = (one.targets.systems[run.system], dataset_id, run.label)
            groups.setdefault(key, []).append((number, place))
    known = _living_runs(change, groups)
    stored: dict[tuple[int, int], Run] = {}
    batch: list[tuple[list[tuple[int, int]], Joined]] = []
    ids: list[int] = []
    """Of the runs of the batch; none when they are new."""
    n_cells = 0

    def write() -> None:
        joined = [one for _, one in batch]
        runs = _reconcile_runs(change, ids, joined, replace) if ids else _add_runs(change, joined)
        for (places, _), run in zip(batch, runs, strict=True):
            stored.update(dict.fromkeys(places, run))
        batch.clear()
        ids.clear()

    for key, places in groups.items():
        is_full = len(batch) == _AT_ONCE or n_cells > _MOST_CELLS
        if batch and (is_full or bool(ids) != (key in known)):
            write()  # new and known ones apart, in the order of the files
            n_cells = 0
        parts = [part_of(arrived[number], arrived[number].bundle.runs[p]) for number, p in places]
        joined = joined_parts(parts, missing_as_zero=missing_as_zero)
        batch.append((places, joined))
        n_cells += len(joined.has_item) * len(joined.brought)
        if key in known:
            ids.append(known[key])
    write()
    return [
        [stored[number, place] for place in range(len(one.bundle.runs))]
        for number, one in enumerate(arrived)
    ]


def _living_runs(
    change: Change, wanted: Collection[tuple[int, int, str]]
) -> dict[tuple[int, int, str], int]:
    """Return the ids of the runs (system, dataset, label) that the store has."""
    columns = Run.system_id, Run.dataset_id, Run.label, Run.id
    living = sa.select(*columns).where(Run.deleted_at.is_(None))
    found = {}
    for dataset in dict.fromkeys(dataset for _, dataset, _ in wanted):
        systems = list({system for system, of_it, _ in wanted if of_it == dataset})
        for start in range(0, len(systems), _MOST_VARIABLES):
            part = systems[start : start + _MOST_VARIABLES]
            query = living.where(Run.dataset_id == dataset, Run.system_id.in_(part))
            for system, _, label, run in change.session.execute(query):
                found[system, dataset, label] = run
    return found


def _add_runs(change: Change, new: Sequence[Joined]) -> list[Run]:
    """Add runs that the store does not have, with one statement for each table."""
    runs = []
    for one in new:
        first = one.parts[0]
        run = run_of(first.wanted, first.arrived.targets, first.aligned)
        run.complete = all(part.wanted.complete for part in one.parts)
        runs.append(run)
    change.session.add_all(runs)
    change.session.flush()
    rows: list[dict[str, Any]] = []
    for run, one in zip(runs, new, strict=True):
        first = one.parts[0]
        tell_created(change, run, first.wanted, first.aligned)
        rows += vector_rows(change, run, one.widest, list(one.brought.values()))
        gained = {key: vectors.scored(vector.values) for key, vector in one.brought.items()}
        _tell_added(change, run, one.parts, one.owners, gained, "added")
    insert_rows(change.session.connection(), cast(sa.Table, ScoreVector.__table__), rows)
    add_statuses(change, [(run.id, one.statuses) for run, one in zip(runs, new, strict=True)])
    return runs


def _reconcile_runs(
    change: Change, ids: Sequence[int], arrived: Sequence[Joined], replace: bool
) -> list[Run]:
    """Bring what arrived of runs together with what the store has of them."""
    runs = {run.id: run for run in change.session.scalars(sa.select(Run).where(Run.id.in_(ids)))}
    metrics = {metric for one in arrived for metric, _ in one.brought}
    known, statuses = known_vectors(change, ids, metrics), stored_statuses(change, ids)
    return [
        _reconcile_run(change, runs[run_id], joined, known[run_id], statuses[run_id], replace)
        for run_id, joined in zip(ids, arrived, strict=True)
    ]


def _reconcile_run(
    change: Change,
    stored: Run,
    joined: Joined,
    in_store: Mapping[VectorKey, FloatArray],
    before: dict[int, StatusArray],
    replace: bool,
) -> Run:
    """Bring what arrived of a run together with its vectors and statuses in the store."""
    parts, brought, owners, statuses, stated, widest, has_item = joined
    first, targets = parts[0], parts[0].arrived.targets
    known = {key: values for key, values in in_store.items() if key in brought}
    met = {
        key: reconcile_scores(values, brought[key].values, has_item)
        for key, values in known.items()
    }
    new = {key: vector for key, vector in brought.items() if key not in met}
    changed = [brought[key].metric.name for key, one in met.items() if one.contradicted.any()]
    what = f"scores for '{changed[0]}'" if changed else ""
    has_stated = any(part.wanted.statuses for part in parts)
    if not (new or changed) and has_stated and contradict(before, stated) is not None:
        what = "statuses"
    if what and not replace:
        raise ConflictError(_conflict_text(first.wanted, first.aligned, what))
    if what or (replace and any(one.lacking.any() for one in met.values())):
        _keep_other_items(brought, known, met, has_item, before, statuses)
        run = replace_run(change, stored, first.wanted, targets, first.aligned, brought, statuses)
        run.complete = all(part.wanted.complete for part in parts)
        gained = {key: vectors.scored(vector.values) for key, vector in brought.items()}
        write_vectors(change, run, widest, list(brought.values()))
        write_statuses(change, run, statuses)
        _tell_added(change, run, parts, owners, gained, "replaced")
        return run
    _tell_lacking(first, stored, met)
    gained = {key: one.gained for key, one in met.items() if one.gained.any()}
    widen_vectors(change, stored, widest, {key: met[key].values for key in gained}, brought)
    write_vectors(change, stored, widest, list(new.values()))
    gained |= {key: vectors.scored(vector.values) for key, vector in new.items()}
    has_more = has_stated and says_more(before, statuses)
    if gained or has_more:
        write_statuses(change, stored, statuses)
    _tell_extended(change, stored, parts, owners, gained, is_more=bool(gained) or has_more)
    return stored


def _keep_other_items(
    brought: dict[VectorKey, Vector],
    known: dict[VectorKey, FloatArray],
    met: dict[VectorKey, ReconciledScores],
    has_item: BoolArray,
    before: dict[int, StatusArray],
    statuses: dict[int, StatusArray],
) -> None:
    """Carry over what the store has of items that the import does not have at all."""
    for key, one in met.items():
        n_items = len(one.values)
        others = ~fitted(has_item, n_items)
        values = np.where(
            others[:, None],
            vectors.pad(known[key], n_items),
            vectors.pad(brought[key].values, n_items),
        )
        if not vectors.scored(values)[others].any():
            continue
        brought[key] = brought[key]._replace(values=values)
        trial = key[1]
        if trial in before:
            kept = before[trial].copy()
            kept[~others[: len(kept)]] = Status.NOT_ATTEMPTED
            statuses[trial] = join_statuses(statuses.get(trial, kept), kept)


def _tell_lacking(part: Part, run: Run, met: dict[VectorKey, ReconciledScores]) -> None:
    n_lacking = sum(int(one.lacking.sum()) for one in met.values())
    if n_lacking:
        label = f" '{run.label}'" if run.label else ""
        scores = "1 score" if n_lacking == 1 else f"{n_lacking:,} scores"
        part.arrived.report.warnings.append(
            f"The store holds {scores} of the run{label} of '{part.wanted.system}' on "
            f"'{part.aligned.row.name}' for items without one in {part.arrived.path}. They stay; "
            "--replace takes them out."
        )


def _tell_added(
    change: Change,
    run: Run,
    parts: Sequence[Part],
    owners: Mapping[VectorKey, IntArray],
    gained: Mapping[VectorKey, BoolArray],
    what: Literal["added", "replaced"],
) -> None:
    """Count a run where its first part came in, and what each part brought."""
    for number, part in enumerate(parts):
        report = part.arrived.report
        if number:
            fill_in(change, run, part.wanted, report)
        n_outputs = write_outputs(change, run, part.wanted, part.aligned)
        n_scores = _n_gained(number, owners, gained)
        is_copy = number and not (n_outputs or n_scores)
        report.add("run", what if not number else "unchanged" if is_copy else "extended")
        report.add("output", "added", n_outputs)
        report.add("score", "added", n_scores)
        report.run_uids.append(run.uid)


def _tell_extended(
    change: Change,
    run: Run,
    parts: Sequence[Part],
    owners: Mapping[VectorKey, IntArray],
    gained: Mapping[VectorKey, BoolArray],
    *,
    is_more: bool,
) -> None:
    n_all_outputs = 0
    for number, part in enumerate(parts):
        report = part.arrived.report
        fill_in(change, run, part.wanted, report)
        n_outputs = write_outputs(change, run, part.wanted, part.aligned)
        n_all_outputs += n_outputs
        n_scores = _n_gained(number, owners, gained)
        if not (is_more or n_outputs):
            report.add("run", "unchanged")
            continue
        report.add("run", "extended")
        report.add("output", "added", n_outputs)
        report.add("score", "added", n_scores)
        report.run_uids.append(run.uid)
    if is_more or n_all_outputs:
        names = {v.metric.name for part in parts for v in part.vectors if key_of(v) in gained}
        change.record("extend", "run", run.uid, metrics=sorted(names), n_outputs=n_all_outputs)


def _n_gained(
    number: int, owners: Mapping[VectorKey, IntArray], gained: Mapping[VectorKey, BoolArray]
) -> int:
    """Return how many scores a part brought that were not known."""
    total = 0
    for key, mask in gained.items():
        n_items = min(len(mask), len(owners[key]))
        total += int((mask[:n_items] & (owners[key][:n_items] == number)).sum())
    return total


def _conflict_text(wanted: BundleRun, aligned: AlignedDataset, what: str) -> str:
    label = f" '{wanted.label}'" if wanted.label else ""
    return (
        f"The store holds a run{label} of '{wanted.system}' on '{aligned.row.name}' with other "
        f"{what}. Nothing was written. If the new ones are right, repeat with --replace (the old "
        "run is kept and can be restored); if this is a second run, name it with --run NAME."
    )
