"""An `ImportBundle` into the store: one transaction, all or nothing, idempotent."""

from __future__ import annotations

from collections.abc import Sequence

from store.engine import Change, Store
from store.importers.bundle import ImportBundle
from store.ingest.checks import require_well_built
from store.ingest.items import align_datasets, seal
from store.ingest.judgments import ingest_judgments
from store.ingest.names import add_overlaps, resolve_metrics, resolve_systems
from store.ingest.report import Difference, IngestReport
from store.ingest.reported import ingest_reported
from store.ingest.runs import Targets, ingest_runs
from store.ingest.scales import Scales, in_units_of_store, require_bounds
from store.models import Ingest

__all__ = ["Difference", "IngestReport", "ingest", "ingest_all", "seal"]


def ingest(
    store: Store,
    bundle: ImportBundle,
    *,
    actor: str,
    higher_is_better: bool | None = None,
    replace: bool = False,
    dry_run: bool = False,
) -> IngestReport:
    """Write one bundle into the store; see `ingest_all`."""
    return ingest_all(
        store,
        [bundle],
        actor=actor,
        higher_is_better=higher_is_better,
        replace=replace,
        dry_run=dry_run,
    )[0]


def ingest_all(
    store: Store,
    bundles: Sequence[ImportBundle],
    *,
    actor: str,
    higher_is_better: bool | None = None,
    replace: bool = False,
    dry_run: bool = False,
) -> list[IngestReport]:
    """Write bundles into the store: all of them, or nothing.

    Parameters
    ----------
    store
        Where to.
    bundles
        What the importers made of the files.
    actor
        Who does it, for the audit trail.
    higher_is_better
        Direction of the metrics that do not state one.
    replace
        Accept other scores for a run that the store holds; the old run is deleted softly. Accept
        other judgments; the old ones stay in the audit trail.
    dry_run
        Do everything and take it back: the reports say what would happen.

    Raises
    ------
    ConflictError
        The store holds something else under the same name.
    ImportFormatError
        A bundle does not fit: direction unknown, item text changed, score out of bounds.
    """
    for bundle in bundles:
        require_well_built(bundle)
    with store.write(actor, dry_run=dry_run) as change:
        scales = Scales(change)
        reports = [
            _ingest_bundle(change, bundle, higher_is_better, replace, dry_run, scales)
            for bundle in bundles
        ]
        # Last: an overlap may name a dataset that comes with a later file.
        add_overlaps(change, [overlap for bundle in bundles for overlap in bundle.overlaps])
    return reports


def _ingest_bundle(
    change: Change,
    bundle: ImportBundle,
    higher_is_better: bool | None,
    replace: bool,
    dry_run: bool,
    scales: Scales,
) -> IngestReport:
    bundle, converted = in_units_of_store(change, bundle)
    report = IngestReport(
        format=bundle.format,
        files=[file.path for file in bundle.files],
        dry_run=dry_run,
        skipped=list(bundle.skipped),
        understood=[*bundle.understood, *converted],
        warnings=list(bundle.warnings),
    )
    row = Ingest(
        format=bundle.format,
        files={file.path: file.sha256 for file in bundle.files},
        actor=change.actor,
        report={},
    )
    change.session.add(row)
    change.session.flush()
    targets = Targets(
        systems=resolve_systems(change, bundle, report),
        metrics=resolve_metrics(change, bundle, higher_is_better, report),
        datasets=align_datasets(change, bundle, report),
        ingest_id=row.id,
        scales=scales,
    )
    runs = ingest_runs(change, bundle, targets, replace=replace, report=report)
    require_bounds(targets.metrics, bundle)
    scales.require_one_of_figures(targets.metrics, bundle.reported_scores)
    ingest_reported(change, bundle, targets, runs, replace=replace, report=report)
    ingest_judgments(
        change,
        bundle,
        targets.systems,
        targets.datasets,
        row.id,
        replace=replace,
        report=report,
    )
    if report.changed:
        report.ingest_uid = None if dry_run else row.uid
        row.report = report.to_dict()
        change.record("ingest", "ingest", row.uid, format=bundle.format, files=report.files)
    else:  # nothing new: the store stays exactly as it was
        change.session.delete(row)
    return report
