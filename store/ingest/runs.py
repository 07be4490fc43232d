"""Runs of a bundle: added, extended, recognised as unchanged, or replaced."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import sqlalchemy as sa
from sqlalchemy.orm import undefer

from store import vectors
from store.engine import Change
from store.errors import ConflictError, ImportFormatError
from store.importers.bundle import (
    ONE_SCORE,
    BundleRun,
    FloatArray,
    ImportBundle,
    Status,
    StatusArray,
)
from store.importers.cells import LARGEST
from store.ingest.items import AlignedDataset
from store.ingest.report import IngestReport
from store.ingest.run_details import fill_in
from store.ingest.scales import Scales
from store.models import Item, Metric, Output, Run, ScoreVector, StatusVector, utc_now
from store.tags import copy_attached


class _Vector(NamedTuple):
    metric: Metric
    trial: int
    values: FloatArray
    data: bytes
    digest: str


class Targets(NamedTuple):
    """What the names in a bundle stand for in the store."""

    systems: dict[str, int]
    datasets: list[AlignedDataset]
    metrics: list[Metric]
    ingest_id: int
    scales: Scales


def ingest_runs(
    change: Change, bundle: ImportBundle, targets: Targets, *, replace: bool, report: IngestReport
) -> list[Run]:
    """Write the bundle's runs and return the stored one for each, in order.

    Raises
    ------
    ConflictError
        A run is in the store with other scores and `replace` is False.
    ImportFormatError
        A score lies outside the bounds of its metric.
    """
    return [_ingest_run(change, run, bundle, targets, replace, report) for run in bundle.runs]


def _ingest_run(
    change: Change,
    wanted: BundleRun,
    bundle: ImportBundle,
    targets: Targets,
    replace: bool,
    report: IngestReport,
) -> Run:
    aligned = targets.datasets[wanted.dataset]
    incoming = _incoming_vectors(wanted, aligned, targets, bundle)
    statuses = _incoming_statuses(wanted, aligned)
    stored = change.session.scalars(
        sa.select(Run).where(
            Run.system_id == targets.systems[wanted.system],
            Run.dataset_id == aligned.row.id,
            Run.label == wanted.label,
            Run.deleted_at.is_(None),
        )
    ).first()
    if stored is None:
        run = _add_run(change, wanted, targets, aligned)
        report.runs_added += 1
    else:
        known = _known_digests(change, stored)
        new = [v for v in incoming if (v.metric.id, v.trial) not in known]
        changed = [v for v in incoming if _differs(change, stored, v, known)]
        what = f"scores for '{changed[0].metric.name}'" if changed else ""
        if not (new or changed) and _statuses_differ(change, stored, wanted, statuses):
            what = "statuses"
        if what and not replace:
            raise ConflictError(_conflict_text(wanted, aligned, what))
        if what:
            run = _replace_run(change, stored, wanted, targets, aligned, incoming, statuses)
            report.runs_replaced += 1
        else:
            return _extend_run(change, stored, wanted, aligned, new, statuses, report)
    _write_vectors(change, run, aligned, incoming)
    _write_statuses(change, run, statuses)
    report.outputs_added += _write_outputs(change, run, wanted, aligned)
    report.scores_added += sum(int(vectors.scored(v.values).sum()) for v in incoming)
    report.run_uids.append(run.uid)
    return run


def _extend_run(
    change: Change,
    run: Run,
    wanted: BundleRun,
    aligned: AlignedDataset,
    new: list[_Vector],
    statuses: dict[int, StatusArray],
    report: IngestReport,
) -> Run:
    """Add the metrics, trials and outputs that a known run does not have yet, if any."""
    n_outputs = _write_outputs(change, run, wanted, aligned)
    fill_in(change, run, wanted, report)
    if not (new or n_outputs):
        report.runs_unchanged += 1
        return run
    if new:
        _write_vectors(change, run, aligned, new)
        _write_statuses(change, run, statuses)
    metrics = sorted({v.metric.name for v in new})
    change.record("extend", "run", run.uid, metrics=metrics, n_outputs=n_outputs)
    report.runs_extended += 1
    report.outputs_added += n_outputs
    report.scores_added += sum(int(vectors.scored(v.values).sum()) for v in new)
    report.run_uids.append(run.uid)
    return run


def _conflict_text(wanted: BundleRun, aligned: AlignedDataset, what: str) -> str:
    label = f" '{wanted.label}'" if wanted.label else ""
    return (
        f"The store holds a run{label} of '{wanted.system}' on '{aligned.row.name}' with other "
        f"{what}. Nothing was written. If the new ones are right, repeat with --replace (the old "
        "run is kept and can be restored); if this is a second run, name it with --run NAME."
    )


def _incoming_vectors(
    wanted: BundleRun, aligned: AlignedDataset, targets: Targets, bundle: ImportBundle
) -> list[_Vector]:
    incoming = []
    for scores in wanted.scores:
        metric = targets.metrics[scores.metric]
        _require_bounds(scores.values, metric, wanted, bundle)
        targets.scales.require_one(metric, scores.values, wanted.system)
        values = np.full((aligned.n_covered, scores.values.shape[1]), np.nan)
        values[aligned.positions] = scores.values
        data = vectors.encode(values)
        incoming.append(_Vector(metric, scores.trial, values, data, vectors.digest(data)))
    return incoming


def _require_bounds(
    values: FloatArray, metric: Metric, wanted: BundleRun, bundle: ImportBundle
) -> None:
    has_bounds = metric.aggregation in ONE_SCORE
    lower = metric.lower if has_bounds and metric.lower is not None else -LARGEST
    upper = metric.upper if has_bounds and metric.upper is not None else LARGEST
    outside = np.argwhere((values < lower) | (values > upper))
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


def _known_digests(change: Change, run: Run) -> dict[tuple[int, int], str]:
    rows = change.session.execute(
        sa.select(ScoreVector.metric_id, ScoreVector.trial, ScoreVector.digest).where(
            ScoreVector.run_id == run.id
        )
    )
    return {(metric_id, trial): digest for metric_id, trial, digest in rows}


def _differs(
    change: Change, run: Run, incoming: _Vector, known: dict[tuple[int, int], str]
) -> bool:
    """Whether the store holds other scores; how many items without any follow does not matter."""
    if known.get((incoming.metric.id, incoming.trial), incoming.digest) == incoming.digest:
        return False
    data = change.session.scalars(
        sa.select(ScoreVector.data).where(
            ScoreVector.run_id == run.id,
            ScoreVector.metric_id == incoming.metric.id,
            ScoreVector.trial == incoming.trial,
        )
    ).one()
    stored = vectors.decode(data, incoming.values.shape[1])
    n_items = max(len(stored), len(incoming.values))
    padded = vectors.pad(incoming.values, n_items)
    return vectors.encode(vectors.pad(stored, n_items)) != vectors.encode(padded)


def _add_run(change: Change, wanted: BundleRun, targets: Targets, aligned: AlignedDataset) -> Run:
    given = wanted.provenance
    run = Run(
        system_id=targets.systems[wanted.system],
        dataset_id=aligned.row.id,
        label=wanted.label,
        complete=wanted.complete,
        evaluated_on=given.evaluated_on,
        tz_assumed=given.tz_assumed,
        seed=given.seed,
        command=given.command,
        harness=given.harness,
        harness_version=given.harness_version,
        git_origin=given.git_origin,
        git_commit=given.git_commit,
        git_dirty=given.git_dirty,
        source_url=given.source_url,
        packages=dict(given.packages) if given.packages else None,
        config=dict(given.config) if given.config else None,
        ingest_id=targets.ingest_id,
    )
    change.session.add(run)
    change.session.flush()
    change.record(
        "create", "run", run.uid, system=wanted.system, dataset=aligned.row.name, label=run.label
    )
    return run


def _replace_run(
    change: Change,
    old: Run,
    wanted: BundleRun,
    targets: Targets,
    aligned: AlignedDataset,
    incoming: list[_Vector],
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
    brought = {v.metric.id for v in incoming}
    kept = change.session.scalars(
        sa.select(ScoreVector)
        .options(undefer(ScoreVector.data))
        .where(ScoreVector.run_id == old.id, ScoreVector.metric_id.not_in(brought))
    ).all()
    if not kept:
        return run
    columns = [c.key for c in ScoreVector.__table__.columns if c.key not in ("id", "run_id")]
    copies = [{"run_id": run.id} | {c: getattr(vector, c) for c in columns} for vector in kept]
    change.session.execute(sa.insert(ScoreVector), copies)
    _carry_statuses(kept, _stored_statuses(change, old), statuses)
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
        statuses[vector.trial] = _joined(statuses.get(vector.trial, known), known)


def _write_vectors(
    change: Change, run: Run, aligned: AlignedDataset, incoming: list[_Vector]
) -> None:
    if not incoming:
        return
    rows = []
    for vector in incoming:
        summary = vectors.summarise(vector.values, vector.metric.aggregation)
        rows.append(
            {
                "run_id": run.id,
                "metric_id": vector.metric.id,
                "trial": vector.trial,
                "n_items": len(vector.values),
                "n_components": vector.values.shape[1],
                "chain_hash": aligned.chain_hash,
                "digest": vector.digest,
                "data": vector.data,
                **summary._asdict(),
            }
        )
    change.session.execute(sa.insert(ScoreVector), rows)


def _write_statuses(change: Change, run: Run, statuses: dict[int, StatusArray]) -> None:
    known = {
        row.trial: row
        for row in change.session.scalars(
            sa.select(StatusVector)
            .options(undefer(StatusVector.data))
            .where(StatusVector.run_id == run.id)
        )
    }
    for trial, incoming in statuses.items():
        status = incoming
        row = known.get(trial)
        if row is not None:  # an extended run: an item that either file attempted was attempted
            status = _joined(vectors.decode_status(row.data), incoming)
        else:
            row = StatusVector(run_id=run.id, trial=trial)
            change.session.add(row)
        row.n_items = len(status)
        row.n_error = int((status == Status.ERROR).sum())
        row.n_not_attempted = int((status == Status.NOT_ATTEMPTED).sum())
        row.n_by_rule = int((status == Status.SCORED_BY_RULE).sum())
        row.data = status.tobytes()


def _stored_statuses(change: Change, run: Run) -> dict[int, StatusArray]:
    query = sa.select(StatusVector.trial, StatusVector.data).where(StatusVector.run_id == run.id)
    return {trial: vectors.decode_status(data) for trial, data in change.session.execute(query)}


def _statuses_differ(
    change: Change, run: Run, wanted: BundleRun, statuses: dict[int, StatusArray]
) -> bool:
    """Whether the source states other statuses than the store holds.

    An item that this source did not attempt may have been scored by another one on another metric.
    """
    if not wanted.statuses:
        return False
    stored = _stored_statuses(change, run)
    for trial in wanted.statuses:
        known = stored.get(trial, np.empty(0, np.uint8))
        stated = np.full(max(len(known), len(statuses[trial])), Status.NOT_ATTEMPTED, np.uint8)
        stated[: len(statuses[trial])] = statuses[trial]
        known = _joined(known, np.full(len(stated), Status.NOT_ATTEMPTED, np.uint8))
        if ((stated != known) & (stated != Status.NOT_ATTEMPTED)).any():
            return True
    return False


def _joined(old: StatusArray, new: StatusArray) -> StatusArray:
    joined = np.full(max(len(old), len(new)), Status.NOT_ATTEMPTED, np.uint8)
    joined[: len(old)] = old
    unknown = joined[: len(new)] == Status.NOT_ATTEMPTED
    joined[: len(new)][unknown] = new[unknown]
    return joined


def _write_outputs(change: Change, run: Run, wanted: BundleRun, aligned: AlignedDataset) -> int:
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
