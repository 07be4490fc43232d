"""Figures that a file states: scores and p-values."""

from __future__ import annotations

from collections.abc import Mapping
from statistics import fmean
from typing import Any

import sqlalchemy as sa

from store.engine import Change
from store.errors import ConflictError
from store.importers.bundle import ImportBundle
from store.ingest.reconcile import Policy, reconcile
from store.ingest.report import Difference, IngestReport
from store.ingest.runs import Targets
from store.models import ReportedComparison, ReportedScore, Run, ScoreVector
from store.reported import is_another


def ingest_reported(
    change: Change,
    bundle: ImportBundle,
    targets: Targets,
    runs: list[Run],
    *,
    replace: bool,
    report: IngestReport,
) -> None:
    """Write reported scores and comparisons.

    Raises
    ------
    ConflictError
        The store holds another value for the same cell of the same source and `replace` is False.
    """
    for score in bundle.reported_scores:
        identity = {
            "system_id": targets.systems[score.system],
            "dataset_id": targets.datasets[score.dataset].row.id,
            "metric_id": targets.metrics[score.metric].id,
            "source": score.source,
            "run_id": None if score.run is None else runs[score.run].id,
        }
        content = {
            "value": score.value,
            "stderr": score.stderr,
            "n_items": score.n_items,
            "printed": score.printed,
            "source_url": score.source_url,
            "reported_on": score.reported_on,
        }
        cell = f"score of '{score.system}' on '{bundle.datasets[score.dataset].name}'"
        _put(change, ReportedScore, identity, content, "value", cell, targets, replace, report)
    for comparison in bundle.reported_comparisons:
        identity = {
            "system_a_id": targets.systems[comparison.system_a],
            "system_b_id": targets.systems[comparison.system_b],
            "dataset_id": targets.datasets[comparison.dataset].row.id,
            "metric_id": targets.metrics[comparison.metric].id,
            "source": comparison.source,
        }
        content = {
            "pvalue": comparison.pvalue,
            "test": comparison.test,
            "sidedness": comparison.sidedness,
            "printed": comparison.printed,
            "source_url": comparison.source_url,
        }
        cell = (
            f"p-value of '{comparison.system_a}' against '{comparison.system_b}' on "
            f"'{bundle.datasets[comparison.dataset].name}'"
        )
        _put(
            change, ReportedComparison, identity, content, "pvalue", cell, targets, replace, report
        )
    report.differences.extend(_differences(change, bundle, targets, runs))


def _put(
    change: Change,
    table: type[ReportedScore] | type[ReportedComparison],
    identity: Mapping[str, Any],
    content: Mapping[str, Any],
    decides: str,
    cell: str,
    targets: Targets,
    replace: bool,
    report: IngestReport,
) -> None:
    """Add a row, recognise it as known (and fill in what it lacks), or replace its content."""
    is_same = [getattr(table, name).is_not_distinct_from(value) for name, value in identity.items()]
    query: sa.Select[Any] = sa.select(table).where(*is_same)
    row = change.session.scalars(query).first()
    kind = table.__tablename__

    def refuse(_: str, old: float, new: float) -> ConflictError:
        return ConflictError(
            f"The store holds {old:g} as the {cell} from '{identity['source']}', the file says "
            f"{new:g}. Nothing was written. If the file is right, repeat with --replace (the old "
            "value stays in the audit trail)."
        )

    known = None if row is None else {name: getattr(row, name) for name in content}
    met = reconcile(known, content, (decides,), Policy(refuse, replace))
    report.add("reported figure", met.what)
    if row is None:
        change.session.add(table(**identity, **content, ingest_id=targets.ingest_id))
        return
    if met.what == "replaced":
        change.record("replace", kind, row.uid, old=getattr(row, decides), new=content[decides])
        row.ingest_id = targets.ingest_id
    elif met.missing:
        change.record("describe", kind, row.uid, filled_in=sorted(met.missing))
        report.add("detail", "filled in", len(met.missing))
    for name, value in (content if met.what == "replaced" else met.missing).items():
        setattr(row, name, value)


def _differences(
    change: Change, bundle: ImportBundle, targets: Targets, runs: list[Run]
) -> list[Difference]:
    """Return the stated aggregates that do not follow from the item scores beside them."""
    found = []
    for score in bundle.reported_scores:
        if score.run is None:
            continue
        metric, run = targets.metrics[score.metric], runs[score.run]
        values = list(
            change.session.scalars(
                sa.select(ScoreVector.value).where(
                    ScoreVector.run_id == run.id,
                    ScoreVector.metric_id == metric.id,
                    ScoreVector.value.is_not(None),
                )
            )
        )
        if not values:
            continue  # an aggregate whose item scores the file does not show
        recomputed = fmean(value for value in values if value is not None)
        if is_another(recomputed, score.value, score.printed):
            name = f"{score.system} on {bundle.datasets[score.dataset].name}"
            found.append(Difference(name, metric.name, score.value, recomputed))
    return found
