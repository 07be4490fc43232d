"""The rows of runs in the store: runs, their score vectors and outputs, written and read."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import undefer

from store import vectors
from store.engine import Change
from store.importers.bundle import (
    BundleRun,
    FloatArray,
    Status,
    StatusArray,
)
from store.ingest.items import AlignedDataset
from store.ingest.run_parts import Targets, Vector, VectorKey
from store.ingest.statuses import (
    join_statuses,
    stored_statuses,
)
from store.models import Item, Metric, Output, Run, ScoreVector, utc_now
from store.progress import tell_rows
from store.tags import copy_attached


def known_vectors(
    change: Change, ids: Sequence[int], metrics: Collection[int]
) -> dict[int, dict[VectorKey, FloatArray]]:
    """Return the stored vectors of runs on some metrics."""
    columns = (
        ScoreVector.run_id, ScoreVector.metric_id, ScoreVector.trial, ScoreVector.data,
        ScoreVector.n_components,
    )  # fmt: skip
    found: dict[int, dict[VectorKey, FloatArray]] = {run_id: {} for run_id in ids}
    wanted = (ScoreVector.run_id.in_(ids), ScoreVector.metric_id.in_(metrics))
    rows = change.session.execute(sa.select(*columns).where(*wanted))
    for run_id, metric_id, trial, data, n_components in rows:
        found[run_id][metric_id, trial] = vectors.decode(data, n_components)
    return found


def _add_run(change: Change, wanted: BundleRun, targets: Targets, aligned: AlignedDataset) -> Run:
    run = run_of(wanted, targets, aligned)
    change.session.add(run)
    change.session.flush()
    tell_created(change, run, wanted, aligned)
    return run


def tell_created(change: Change, run: Run, wanted: BundleRun, aligned: AlignedDataset) -> None:
    """Tell the audit trail of a run that is new."""
    change.record(
        "create", "run", run.uid, system=wanted.system, dataset=aligned.row.name, label=run.label
    )


def run_of(wanted: BundleRun, targets: Targets, aligned: AlignedDataset) -> Run:
    """Return a run that is not yet in the store."""
    given = wanted.provenance
    told = {
        "evaluated_on": given.evaluated_on,
        "seed": given.seed,
        "command": given.command,
        "harness": given.harness,
        "harness_version": given.harness_version,
        "git_origin": given.git_origin,
        "git_commit": given.git_commit,
        "git_dirty": given.git_dirty,
        "source_url": given.source_url,
        "packages": dict(given.packages) if given.packages else None,
        "config": dict(given.config) if given.config else None,
    }
    return Run(
        system_id=targets.systems[wanted.system],
        dataset_id=aligned.row.id,
        label=wanted.label,
        complete=wanted.complete,
        tz_assumed=given.tz_assumed,
        ingest_id=targets.ingest_id,
        **{name: value for name, value in told.items() if value is not None},
    )


def replace_run(
    change: Change,
    old: Run,
    wanted: BundleRun,
    targets: Targets,
    aligned: AlignedDataset,
    brought: Mapping[VectorKey, Vector],
    statuses: dict[int, StatusArray],
) -> Run:
    """Delete `old` softly and add its successor; metrics that the file does not bring go along.

    `statuses` is completed with those of the items that only these metrics scored.
    """
    old.deleted_at = utc_now()
    change.session.flush()
    run = _add_run(change, wanted, targets, aligned)
    change.record("replace", "run", old.uid, by=run.uid)
    copy_attached(change.session, "run", old.id, run.id)
    metrics = {metric_id for metric_id, _ in brought}
    kept = change.session.scalars(
        sa.select(ScoreVector)
        .options(undefer(ScoreVector.data))
        .where(ScoreVector.run_id == old.id, ScoreVector.metric_id.not_in(metrics))
    ).all()
    if not kept:
        return run
    columns = [c.key for c in ScoreVector.__table__.columns if c.key not in ("id", "run_id")]
    copies = [{"run_id": run.id} | {c: getattr(vector, c) for c in columns} for vector in kept]
    change.session.execute(sa.insert(ScoreVector), copies)
    _carry_statuses(kept, stored_statuses(change, [old.id])[old.id], statuses)
    return run


def _carry_statuses(
    kept: Sequence[ScoreVector], before: dict[int, StatusArray], statuses: dict[int, StatusArray]
) -> None:
    """Complete `statuses`: of a trial that the file brings, only what the kept vectors scored."""
    for vector in kept:
        if vector.trial not in before:
            continue
        known = before[vector.trial].copy()
        if vector.trial in statuses:
            scored = vectors.scored(vectors.decode(vector.data, vector.n_components))
            known[: len(scored)][~scored] = Status.NOT_ATTEMPTED
            known[len(scored) :] = Status.NOT_ATTEMPTED
        statuses[vector.trial] = join_statuses(statuses.get(vector.trial, known), known)


def write_vectors(
    change: Change, run: Run, aligned: AlignedDataset, brought: Sequence[Vector]
) -> None:
    """Add the score vectors of one run."""
    if brought:
        rows = vector_rows(change, run, aligned, brought)
        change.session.execute(sa.insert(ScoreVector), rows)


def vector_rows(
    change: Change, run: Run, aligned: AlignedDataset, brought: Sequence[Vector]
) -> list[dict[str, Any]]:
    """Return the rows of score vectors of a run, as the store keeps them."""
    tell_rows(sum(len(vector.values) for vector in brought))
    return [
        {
            "run_id": run.id,
            "metric_id": vector.metric.id,
            "trial": vector.trial,
            "n_components": vector.values.shape[1],
            "chain_hash": _chain_hash(change, aligned, len(vector.values)),
            **_columns(vector.values, vector.metric),
        }
        for vector in brought
    ]


def widen_vectors(
    change: Change,
    run: Run,
    aligned: AlignedDataset,
    values: Mapping[VectorKey, FloatArray],
    brought: Mapping[VectorKey, Vector],
) -> None:
    """Write vectors that the store has with further items anew."""
    for key, joined in values.items():
        metric_id, trial = key
        change.session.execute(
            sa.update(ScoreVector)
            .where(
                ScoreVector.run_id == run.id,
                ScoreVector.metric_id == metric_id,
                ScoreVector.trial == trial,
            )
            .values(
                chain_hash=_chain_hash(change, aligned, len(joined)),
                **_columns(joined, brought[key].metric),
            )
        )


def _columns(values: FloatArray, metric: Metric) -> dict[str, Any]:
    data = vectors.encode(values)
    return {
        "n_items": len(values),
        "digest": vectors.digest(data),
        "data": data,
        **vectors.summarise(values, metric.aggregation)._asdict(),
    }


def _chain_hash(change: Change, aligned: AlignedDataset, n_items: int) -> str:
    """Return the chain hash of the last of so many items."""
    if n_items == aligned.n_covered:
        return aligned.chain_hash
    of_last = (Item.dataset_id == aligned.row.id, Item.position == n_items - 1)
    return change.session.scalars(sa.select(Item.chain_hash).where(*of_last)).one()


def write_outputs(change: Change, run: Run, wanted: BundleRun, aligned: AlignedDataset) -> int:
    """Add the outputs that the store does not have; return how many."""
    if not wanted.outputs:
        return 0
    of_items = sa.select(Item.position, Item.id).where(Item.dataset_id == aligned.row.id)
    ids = {position: id_ for position, id_ in change.session.execute(of_items)}
    of_run = sa.select(Output.trial, Output.item_id).where(Output.run_id == run.id)
    known = {(trial, item_id) for trial, item_id in change.session.execute(of_run)}
    rows = [
        {"run_id": run.id, "trial": trial, "item_id": ids[position], "text": text}
        for trial, texts in wanted.outputs.items()
        for position, text in zip(aligned.positions.tolist(), texts, strict=True)
        if text is not None and (trial, ids[position]) not in known
    ]
    if rows:
        change.session.execute(sa.insert(Output), rows)
    return len(rows)
