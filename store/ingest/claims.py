"""A file of claims into the ledger: one transaction, all or nothing, idempotent."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from store.claims import Ledger, checked_date, checked_source, checked_url, checked_value
from store.engine import Change, Store
from store.errors import ConflictError, ImportFormatError, StoreError
from store.import_journal import Journal
from store.importers.bundle import BundleDataset
from store.importers.claims import ClaimsFile
from store.importers.problems import SkippedRow
from store.ingest.checks import require_well_built
from store.ingest.items import AlignedDataset, align_datasets
from store.ingest.names import resolve_metrics, resolve_systems
from store.ingest.report import IngestReport
from store.ingest.scales import Scales, in_units_of_store
from store.lookup import Name, names_of
from store.models import Dataset, Ingest, Metric
from store.spelling import composed


@dataclass(slots=True)
class ClaimsReport:
    """What an import of claims did."""

    files: list[str]
    dry_run: bool = False
    ingest_uid: str | None = None
    import_uid: str | None = None
    """Of the import as a whole, which `undo` takes back."""
    claims_added: int = 0
    claims_unchanged: int = 0
    claim_uids: list[str] = field(default_factory=list)
    """Of the claims that were added."""
    systems_added: list[str] = field(default_factory=list)
    datasets_added: list[str] = field(default_factory=list)
    metrics_added: list[str] = field(default_factory=list)
    skipped: list[SkippedRow] = field(default_factory=list)
    understood: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)

    def to_dict(self) -> dict[str, Any]:
        """Return the report as JSON-safe values."""
        return asdict(self)


def import_claims(
    store: Store,
    file: ClaimsFile,
    *,
    actor: str,
    higher_is_better: bool | None = None,
    dry_run: bool = False,
) -> ClaimsReport:
    """Put the claims of a file into the ledger: all of them, or nothing.

    Systems, datasets and metrics that the store does not know are made, and the report names them.
    A dataset is found by its name, also where it has a version and no other has that name.

    Parameters
    ----------
    store
        Where to.
    file
        What `store.importers.claims.read_claims` made of a file.
    actor
        Who does it, for the ledger and the audit trail.
    higher_is_better
        Direction of the metrics that do not state one.
    dry_run
        Do everything and take it back: the report says what would happen.

    Raises
    ------
    ConflictError
        The ledger holds a claim with other words, or a dataset's name may be one of several.
    ImportFormatError
        The direction of a metric is unknown, or a value, date or source cannot be.
    """
    require_well_built(file.bundle)
    with store.write(actor, dry_run=dry_run) as change:
        journal = Journal(change)
        with journal.watching():
            report, is_new = _import(change, file, higher_is_better, dry_run)
        if is_new:
            uid = journal.keep(
                {
                    "files": report.files,
                    "formats": [file.bundle.format],
                    "did": f"{report.claims_added:,} claims added",
                    "guesses": [],
                }
            )
            report.import_uid = None if dry_run else uid
        return report


def _import(
    change: Change, file: ClaimsFile, higher_is_better: bool | None, dry_run: bool
) -> tuple[ClaimsReport, bool]:
    """Put the claims into the ledger; return the report and whether anything is new."""
    names = names_of(change.session.connection(), "dataset")
    known = {name.id: name.label for group in names for name in group}
    datasets = [_known_dataset(change, wanted, names, known) for wanted in file.bundle.datasets]
    bundle, converted = in_units_of_store(change, replace(file.bundle, datasets=datasets))
    row = Ingest(
        format=bundle.format,
        files={source.path: source.sha256 for source in bundle.files},
        actor=change.actor,
        report={},
    )
    change.session.add(row)
    change.session.flush()
    made = IngestReport(bundle.format, [source.path for source in bundle.files], dry_run)
    systems = resolve_systems(change, bundle, made)
    metrics = resolve_metrics(change, bundle, higher_is_better, made)
    Scales(change).require_one_of_figures(metrics, bundle.reported_scores)
    aligned = align_datasets(change, bundle, made)
    report = ClaimsReport(
        made.files,
        dry_run,
        systems_added=made.systems_added,
        datasets_added=made.datasets_added,
        metrics_added=made.metrics_added,
        skipped=list(bundle.skipped),
        understood=[*bundle.understood, *converted],
        warnings=[*bundle.warnings, *made.warnings],
    )
    _put_all(change, replace(file, bundle=bundle), row, systems, aligned, metrics, report)
    is_new = bool(report.claims_added) or made.changed
    if is_new:
        report.ingest_uid = None if dry_run else row.uid
        row.report = made.to_dict() | report.to_dict()
        change.record("ingest", "ingest", row.uid, format=bundle.format, files=report.files)
    else:  # nothing new: the store stays exactly as it was
        change.session.delete(row)
    return report, is_new


def _put_all(
    change: Change,
    file: ClaimsFile,
    ingest: Ingest,
    systems: dict[str, int],
    datasets: Sequence[AlignedDataset],
    metrics: Sequence[Metric],
    report: ClaimsReport,
) -> None:
    path = file.bundle.files[0].path if file.bundle.files else ""
    ledger = Ledger(change)
    for score, quote in zip(file.bundle.reported_scores, file.quotes, strict=True):
        metric = metrics[score.metric]
        if score.reported_on is None:
            raise ValueError("importer 'claims' built a claim without a date")
        try:
            content = {
                "system_id": systems[score.system],
                "dataset_id": datasets[score.dataset].row.id,
                "metric_id": metric.id,
                "run_id": None,
                "value": checked_value(metric, score.value, score.printed),
                "claimed_on": checked_date(score.reported_on),
                "source": checked_source(score.source),
                "source_url": checked_url(score.source_url),
                "quote": quote.strip(),
                "printed": score.printed,
                "tier": "reported",
                "origin": "file",
                "ingest_id": ingest.id,
            }
            put = ledger.put(content)
        except ConflictError:
            raise
        except StoreError as error:
            reason = f"claim of '{score.system}', {score.printed}: {error}"
            raise ImportFormatError(reason, path=path) from error
        if put.is_new:
            report.claims_added += 1
            report.claim_uids.append(put.row.uid)
        else:
            report.claims_unchanged += 1


def _known_dataset(
    change: Change,
    wanted: BundleDataset,
    names: tuple[list[Name], list[Name]],
    known: dict[int, str],
) -> BundleDataset:
    """Return the name and version under which the store holds a dataset, if it does."""
    if wanted.version:
        return wanted
    for group in names:
        ids = {name.id for name in group if name.typed == wanted.name} or {
            name.id for name in group if composed(name.typed) == composed(wanted.name)
        }
        if len(ids) > 1:
            labels = ", ".join(sorted(f"'{known[id_]}'" for id_ in ids))
            raise ConflictError(
                f"'{wanted.name}' may be one of several datasets: {labels}. Write one of these in "
                "the file, or give --dataset-version."
            )
        if ids:
            row = change.session.get_one(Dataset, ids.pop())
            return replace(wanted, name=row.name, version=row.version)
    return wanted
