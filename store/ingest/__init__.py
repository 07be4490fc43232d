"""An `ImportBundle` into the store: one transaction, all or nothing, idempotent."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence, Set
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

from store.engine import Change, Store
from store.errors import ImportFormatError, StoreError, describe_place
from store.import_journal import Journal
from store.importers.bundle import ImportBundle
from store.ingest.batches import parcels
from store.ingest.checks import require_well_built
from store.ingest.complete import completed
from store.ingest.golds_due import GoldsDue
from store.ingest.items import align_datasets
from store.ingest.judgments import ingest_judgments
from store.ingest.known import forget
from store.ingest.names import add_overlaps, resolve_metrics, resolve_systems
from store.ingest.report import Difference, IngestReport, summarise
from store.ingest.reported import KnownFigures, ingest_reported, known_figures
from store.ingest.run_parts import Arrived, Targets
from store.ingest.runs import ingest_runs
from store.ingest.scales import Scales, in_units_of_store, require_bounds
from store.models import Ingest, Run
from store.progress import tell

_MOST_TRIES = 30
"""Files of one run that are left out one by one before each is written by itself."""

__all__ = ["Difference", "IngestReport", "ingest", "ingest_all"]


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
    case_matters: bool = False,
    missing_as_zero: bool = False,
    optional: Collection[int] = (),
) -> list[IngestReport]:
    """Write bundles into the store in one transaction: all of them, or nothing.

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
    case_matters
        Names of systems that differ in nothing but capitals are different systems.
    missing_as_zero
        An item of the import that a run has no score for counts as 0, with the status "scored by
        rule"; only for metrics whose worst score that is.
    optional
        Numbers of bundles that are left out whole where they do not fit, instead of stopping all;
        their reports say why in `refused`.

    Raises
    ------
    ConflictError
        The store holds something else under the same name.
    ImportFormatError
        A bundle does not fit: direction unknown, item text changed, score out of bounds.
    """
    for bundle in bundles:
        require_well_built(bundle)
    about = [(each.name, each.version) for bundle in bundles for each in bundle.datasets]
    with store.write(actor, dry_run=dry_run, about=about) as change:
        write = _Writer(
            change, bundles, higher_is_better, replace, dry_run, case_matters, missing_as_zero
        )
        reports: dict[int, IngestReport] = {}
        journal = Journal(change)
        n_files = sum(len(bundle.files) for bundle in bundles)
        n_written = 0
        with journal.watching():
            for parcel in parcels(bundles, set(optional)):
                tell("writing files", n_written, n_files)
                n_written += sum(len(bundles[n].files) for batch in parcel for n in batch)
                reports |= write.parcel(parcel, set(optional))
            write.golds.make()
            # Last: an overlap may name a dataset that comes with a later file.
            add_overlaps(change, [overlap for bundle in bundles for overlap in bundle.overlaps])
            change.session.flush()
        if any(report.changed for report in reports.values()):
            uid = journal.keep(_summary(bundles, reports))
            for report in reports.values():
                report.import_uid = None if dry_run else uid
        elif not change.events:  # not even a number was used up
            change.session.rollback()
    return [reports[number] for number in range(len(bundles))]


def _is_of(error: StoreError, bundle: ImportBundle) -> bool:
    """Return whether an error names a file of a bundle as the place of the fault."""
    path = error.path if isinstance(error, ImportFormatError) else ""
    return any(file.path == path for file in bundle.files)


def _summary(
    bundles: Sequence[ImportBundle], reports: Mapping[int, IngestReport]
) -> dict[str, Any]:
    """Return what is kept of an import to be shown."""
    taken = [bundles[number] for number, report in reports.items() if not report.refused]
    return {
        "files": [file.path for bundle in taken for file in bundle.files],
        "formats": sorted({bundle.format for bundle in taken}),
        "did": summarise(list(reports.values())),
        "guesses": [
            {"subject": one.subject, "value": one.value, "because": one.because}
            for bundle in taken
            for one in bundle.guesses
        ],
    }


@contextmanager
def _naming_file(bundle: ImportBundle) -> Iterator[None]:
    """Add the first file of a bundle to an error that names none, as of a name that is too long."""
    try:
        yield
    except ImportFormatError as error:
        if error.path or not bundle.files:
            raise
        path = bundle.files[0].path
        raise type(error)(error.reason, path=path, line=error.line, field=error.field) from None


@dataclass(frozen=True, slots=True)
class _Writer:
    """Writes bundles in one transaction, with a point to go back to before each batch."""

    change: Change
    bundles: Sequence[ImportBundle]
    higher_is_better: bool | None
    replace: bool
    dry_run: bool
    case_matters: bool
    missing_as_zero: bool
    scales: Scales = field(init=False)
    golds: GoldsDue = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "scales", Scales(self.change, self.bundles))
        object.__setattr__(self, "golds", GoldsDue(self.change))

    def parcel(
        self, batches: Sequence[Sequence[int]], optional: Set[int]
    ) -> dict[int, IngestReport]:
        """Write batches at once; where they do not fit, one after another."""
        numbers = [number for batch in batches for number in batch]
        if len(batches) > 1:
            if numbers[0] not in optional:
                return self._write(numbers)
            with suppress(StoreError):
                return self._tried(numbers)
        return {k: v for batch in batches for k, v in self.batch(batch, optional).items()}

    def batch(self, numbers: Sequence[int], optional: Set[int]) -> dict[int, IngestReport]:
        """Write bundles that name a run in common; return the report of each.

        Where they do not fit together and all are optional, the one that the error names is left
        out; where it names none, they are written one after another.
        """
        if not optional >= set(numbers):
            return self._write(numbers)
        left = list(numbers)
        refused: dict[int, IngestReport] = {}
        while left:
            try:
                return refused | self._tried(left)
            except StoreError as error:
                named = [number for number in left if _is_of(error, self.bundles[number])]
                if len(left) == 1:
                    named = left
                if len(named) != 1 or (len(refused) >= _MOST_TRIES and not self.replace):
                    singly = (self.batch([number], optional) for number in left)
                    return refused | {k: v for one in singly for k, v in one.items()}
                (number,) = named
                refused[number] = self._refused(number, error)
                left.remove(number)
        return refused

    def _refused(self, number: int, error: StoreError) -> IngestReport:
        """Return the report of a bundle that is left out; its only file is not named again."""
        bundle = self.bundles[number]
        files = [file.path for file in bundle.files]
        told = str(error)
        if len(files) == 1 and isinstance(error, ImportFormatError) and error.path == files[0]:
            told = describe_place("", error.line, error.field) + error.reason
        return IngestReport(bundle.format, files, self.dry_run, refused=told)

    def _tried(self, numbers: Sequence[int]) -> dict[int, IngestReport]:
        """Write bundles; where one does not fit, all that was written of them is taken back."""
        n_events = len(self.change.events)
        before, due = self.scales.state(), self.golds.state()
        try:
            with self.change.session.begin_nested():
                return self._write(numbers)
        except StoreError:
            del self.change.events[n_events:]
            self.scales.go_back(before)
            self.golds.go_back(due)
            forget(self.change)
            raise

    def _write(self, numbers: Sequence[int]) -> dict[int, IngestReport]:
        taken = [self.bundles[number] for number in numbers]
        rows = [
            Ingest(
                format=bundle.format,
                files={file.path: file.sha256 for file in bundle.files},
                actor=self.change.actor,
                report={},
            )
            for bundle in taken
        ]
        self.change.session.add_all(rows)
        self.change.session.flush()
        arrived = [self._prepare(*pair) for pair in zip(taken, rows, strict=True)]
        runs = ingest_runs(
            self.change, arrived, replace=self.replace, missing_as_zero=self.missing_as_zero
        )
        figures = known_figures(self.change, arrived)
        reports = {
            number: _finish(self.change, one, of_it, row, figures, self.golds, self.replace)
            for number, one, of_it, row in zip(numbers, arrived, runs, rows, strict=True)
        }
        figures.insert(self.change)
        return reports

    def _prepare(self, bundle: ImportBundle, row: Ingest) -> Arrived:
        """Find or make in the store what a bundle names."""
        change = self.change
        bundle, converted = in_units_of_store(change, completed(change, bundle))
        bundle, rescaled = self.scales.figures_on_one(bundle)
        report = IngestReport(
            format=bundle.format,
            files=[file.path for file in bundle.files],
            dry_run=self.dry_run,
            skipped=list(bundle.skipped),
            understood=[*bundle.understood, *converted],
            warnings=[*bundle.warnings, *rescaled],
        )
        with _naming_file(bundle):
            targets = Targets(
                systems=resolve_systems(change, bundle, report, case_matters=self.case_matters),
                metrics=resolve_metrics(change, bundle, self.higher_is_better, report),
                datasets=align_datasets(change, bundle, report),
                ingest_id=row.id,
                scales=self.scales,
            )
        targets.scales.require_one(targets.metrics, bundle)
        return Arrived(bundle, targets, report)


def _finish(
    change: Change,
    arrived: Arrived,
    runs: list[Run],
    row: Ingest,
    figures: KnownFigures,
    golds: GoldsDue,
    replace: bool,
) -> IngestReport:
    """Write what belongs to no run or rests on runs; keep the ingest if anything is new."""
    bundle, targets, report = arrived
    require_bounds(targets.metrics, bundle)
    report.warnings += targets.scales.beside_figures(targets.metrics, bundle)
    targets.scales.require_one_of_figures(targets.metrics, bundle.reported_scores)
    ingest_reported(change, bundle, targets, runs, figures, replace=replace, report=report)
    judged = ingest_judgments(
        change,
        bundle,
        targets.systems,
        targets.datasets,
        targets.ingest_id,
        replace=replace,
        report=report,
    )
    for dataset_id, criteria in judged.items():
        golds.add(dataset_id, criteria, row, report)
    if report.changed:
        report.ingest_uid = None if report.dry_run else row.uid
        row.report = report.to_dict()
        change.record("ingest", "ingest", row.uid, format=bundle.format, files=report.files)
    else:  # nothing new: the store stays exactly as it was
        change.session.delete(row)
    return report
