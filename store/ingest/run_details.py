"""Provenance that comes after the scores: filled in where the store knows none."""

from __future__ import annotations

from store.engine import Change
from store.importers.bundle import BundleRun
from store.ingest.reconcile import reconcile
from store.ingest.report import IngestReport
from store.models import Run

_FIELDS = (
    "evaluated_on", "seed", "command", "harness", "harness_version", "git_origin", "git_commit",
    "git_dirty", "source_url", "packages", "config",
)  # fmt: skip


def fill_in(change: Change, run: Run, wanted: BundleRun, report: IngestReport) -> None:
    """Give a known run what the store does not say of it yet.

    What the store says stays. A date that the file states otherwise is told in a warning.
    """
    given = wanted.provenance
    stated = {name: value for name in _FIELDS if (value := getattr(given, name)) is not None}
    missing = reconcile({name: getattr(run, name) for name in stated}, stated).missing
    date = stated.get("evaluated_on")
    if date is not None and run.evaluated_on is not None and date != run.evaluated_on:
        report.warnings.append(
            f"The run of '{wanted.system}'{f' ({run.label})' if run.label else ''} is of "
            f"{run.evaluated_on:%Y-%m-%d} in the store and of {date:%Y-%m-%d} in this file. The "
            "store's date stays; delete the run and import it again to change it."
        )
    if not missing:
        return
    for name, value in missing.items():
        setattr(run, name, dict(value) if name in ("packages", "config") else value)
    if "evaluated_on" in missing:
        run.tz_assumed = given.tz_assumed
    change.record("describe", "run", run.uid, filled_in=sorted(missing))
    report.add("detail", "filled in", len(missing))
