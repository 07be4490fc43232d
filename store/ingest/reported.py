"""Figures that a file states: scores and p-values."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from statistics import fmean
from types import SimpleNamespace
from typing import Any, NamedTuple, cast

import sqlalchemy as sa

from store.engine import Change, insert_columns
from store.errors import ConflictError
from store.importers.bundle import (
    BundleReportedComparison,
    BundleReportedScore,
    ImportBundle,
)
from store.ingest.reconcile import Policy, reconcile
from store.ingest.report import Difference, IngestReport
from store.ingest.run_parts import Arrived, Targets
from store.model_base import new_uids
from store.models import ReportedComparison, ReportedScore, Run, ScoreVector
from store.reported import is_another

_OF_SCORE = ("system_id", "dataset_id", "metric_id", "source", "run_id")
_OF_PVALUE = ("system_a_id", "system_b_id", "dataset_id", "metric_id", "source")
_AT_ONCE = 500


class _Known(NamedTuple):
    """The figures of some datasets, by what identifies them; new ones are added."""

    table: type[ReportedScore] | type[ReportedComparison]
    rows: dict[tuple[Any, ...], Any]
    new: list[SimpleNamespace]
    """Those of `rows` that are not in the store yet."""
    uids: Iterator[str]
    """For those that come."""

    def insert(self, change: Change) -> None:
        """Write the new ones all at once."""
        if self.new:
            table = cast(sa.Table, self.table.__table__)
            cells = zip(*(vars(row).values() for row in self.new), strict=True)
            columns = dict(zip(vars(self.new[0]), cells, strict=True))
            insert_columns(change.session.connection(), table, columns)


class KnownFigures(NamedTuple):
    """The figures that the store has of the datasets of some bundles."""

    scores: _Known
    pvalues: _Known

    def insert(self, change: Change) -> None:
        """Write the new ones."""
        self.scores.insert(change)
        self.pvalues.insert(change)


def known_figures(change: Change, arrived: Sequence[Arrived]) -> KnownFigures:
    """Return what the store has of the datasets that bundles bring figures of."""
    ids = set()
    for one in arrived:
        used = {score.dataset for score in one.bundle.reported_scores}
        used |= {comparison.dataset for comparison in one.bundle.reported_comparisons}
        ids |= {one.targets.datasets[dataset].row.id for dataset in used}
    return KnownFigures(
        _known(change, ReportedScore, _OF_SCORE, sorted(ids)),
        _known(change, ReportedComparison, _OF_PVALUE, sorted(ids)),
    )


def ingest_reported(
    change: Change,
    bundle: ImportBundle,
    targets: Targets,
    runs: list[Run],
    known: KnownFigures,
    *,
    replace: bool,
    report: IngestReport,
) -> None:
    """Take in reported scores and comparisons; `KnownFigures.insert` writes them.

    Raises
    ------
    ConflictError
        The store holds another value for the same cell of the same source and `replace` is False.
    """
    metrics = [metric.id for metric in targets.metrics]
    for score in bundle.reported_scores:
        identity = {
            "system_id": targets.systems[score.system],
            "dataset_id": targets.datasets[score.dataset].row.id,
            "metric_id": metrics[score.metric],
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
        cell = partial(_cell_of_score, bundle, score)
        _put(change, known.scores, identity, content, "value", cell, targets, replace, report)
    for comparison in bundle.reported_comparisons:
        identity = {
            "system_a_id": targets.systems[comparison.system_a],
            "system_b_id": targets.systems[comparison.system_b],
            "dataset_id": targets.datasets[comparison.dataset].row.id,
            "metric_id": metrics[comparison.metric],
            "source": comparison.source,
        }
        content = {
            "pvalue": comparison.pvalue,
            "test": comparison.test,
            "sidedness": comparison.sidedness,
            "printed": comparison.printed,
            "source_url": comparison.source_url,
        }
        cell = partial(_cell_of_pvalue, bundle, comparison)
        _put(change, known.pvalues, identity, content, "pvalue", cell, targets, replace, report)
    report.differences.extend(_differences(change, bundle, targets, runs))


def _known(
    change: Change,
    table: type[ReportedScore] | type[ReportedComparison],
    identity: Sequence[str],
    dataset_ids: Sequence[int],
) -> _Known:
    """Return the figures of datasets, read in a few queries instead of one for each figure."""
    rows: dict[tuple[Any, ...], Any] = {}
    for start in range(0, len(dataset_ids), _AT_ONCE):
        part = dataset_ids[start : start + _AT_ONCE]
        query: sa.Select[Any] = sa.select(table).where(table.dataset_id.in_(part))
        for row in change.session.scalars(query.order_by(table.id)):
            rows.setdefault(tuple(getattr(row, name) for name in identity), row)
    return _Known(table, rows, [], new_uids())


def _put(
    change: Change,
    known_rows: _Known,
    identity: Mapping[str, Any],
    content: Mapping[str, Any],
    decides: str,
    cell: Callable[[], str],
    targets: Targets,
    replace: bool,
    report: IngestReport,
) -> None:
    """Add a row, recognise it as known (and fill in what it lacks), or replace its content."""
    key = tuple(identity.values())
    row = known_rows.rows.get(key)
    if row is None:
        row = SimpleNamespace(
            uid=next(known_rows.uids), **identity, **content, ingest_id=targets.ingest_id
        )
        known_rows.rows[key] = row
        known_rows.new.append(row)
        report.add("reported figure", "added")
        return
    kind = known_rows.table.__tablename__

    def refuse(_: str, old: float, new: float) -> ConflictError:
        return ConflictError(
            f"The store holds {old:g} as the {cell()} from '{identity['source']}', the file says "
            f"{new:g}. Nothing was written. If the file is right, repeat with --replace (the old "
            "value stays in the audit trail)."
        )

    known = {name: getattr(row, name) for name in content}
    met = reconcile(known, content, (decides,), Policy(refuse, replace))
    report.add("reported figure", met.what)
    if met.what == "replaced":
        change.record("replace", kind, row.uid, old=getattr(row, decides), new=content[decides])
        row.ingest_id = targets.ingest_id
    elif met.missing:
        change.record("describe", kind, row.uid, filled_in=sorted(met.missing))
        report.add("detail", "filled in", len(met.missing))
    for name, value in (content if met.what == "replaced" else met.missing).items():
        setattr(row, name, value)


def _cell_of_score(bundle: ImportBundle, score: BundleReportedScore) -> str:
    return f"score of '{score.system}' on '{bundle.datasets[score.dataset].name}'"


def _cell_of_pvalue(bundle: ImportBundle, comparison: BundleReportedComparison) -> str:
    pair = f"'{comparison.system_a}' against '{comparison.system_b}'"
    return f"p-value of {pair} on '{bundle.datasets[comparison.dataset].name}'"


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
