"""Which test sets of a store are large enough for the gap between their first two systems?

A test set resolves gaps of x: if one of that size is there, it is found with the power asked for.
Whether the gap at hand is significant is another question, which the comparison answers.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from analysis.report import Report
from analysis.statistics.signature import build_signature
from analysis.studies.cells import CellKey, refuse_all_metrics, scored_cells
from analysis.studies.checked_numbers import check_numbers
from analysis.studies.power.cell_scores import judged_cells, load_scores
from analysis.studies.power.checks import check_target
from analysis.studies.power.pair_models import Target
from analysis.studies.power.resolution_rows import (
    ResolutionRow,
    row_from_figures,
    row_from_items,
)
from analysis.studies.power.resolution_words import resolution_report, sentence, warnings
from analysis.studies.reading import state_of
from analysis.studies.study import Study
from store.datasets import list_datasets
from store.engine import Store
from store.errors import NotFoundError
from store.metrics import get_metric, list_metrics
from store.records import MetricRecord, ReportedScoreRecord
from store.reported import list_reported_scores


@dataclass(frozen=True, slots=True, eq=False)
class ResolutionStudy(Study):
    """All test sets with two systems, the best resolved first; then those that cannot be said."""

    metric: MetricRecord | None
    """``None``: the most used one of each dataset."""
    metrics: tuple[str, ...]
    """Labels of the metrics that can be asked for."""
    alpha: float
    target_power: float
    rows: tuple[ResolutionRow, ...]
    n_said: int
    """Test sets of which it can be said, one way or the other."""
    n_resolved: int

    def report(self) -> Report:
        """Return the test sets to be written down."""
        return resolution_report(self.sentence, self.rows, self.warnings, self.signature)


def study_resolution(
    store: Store, *, metric: str | None = None, alpha: float = 0.05, power: float = 0.8
) -> ResolutionStudy:
    """Say for every test set whether it finds gaps like that between its first two systems.

    Parameters
    ----------
    store
        Where from.
    metric
        Uid or name; by default that of the settings, else of most systems, by dataset; cost last.
    alpha
        Level of each test, below 0.5.
    power
        Probability with which a gap is to be found, above `alpha`.

    Raises
    ------
    NotFoundError
        No such metric, or no dataset has scores of two systems.
    StoreError
        A number is out of range.
    """
    check_numbers(alpha=alpha, n_resamples=1, seed=0)
    check_target(alpha, power)
    refuse_all_metrics(metric)
    asked = None if metric is None else get_metric(store, metric)
    target = Target(alpha, power)
    known = {record.uid: record for record in list_metrics(store)}
    scored, figures = scored_cells(store), _figures(store)
    used = {key[1] for cells in (scored, figures) for key, row in cells.items() if len(row) > 1}
    if asked is not None:
        scored = {key: row for key, row in scored.items() if key[1] == asked.uid}
        figures = {key: row for key, row in figures.items() if key[1] == asked.uid}
    of_items = judged_cells(store, scored).values()
    from_items = [row_from_items(load_scores(store, key), target) for key in of_items]
    rows = [row for row in from_items if row is not None]
    done = {row.dataset_uid for row in rows}
    datasets = {dataset.uid: dataset for dataset in list_datasets(store)}
    figures = {key: row for key, row in figures.items() if key[0] not in done}
    rows += [
        row_from_figures(datasets[key[0]], known[key[1]], figures[key], target)
        for key in judged_cells(store, figures).values()
    ]
    if not rows:
        raise NotFoundError(
            "No dataset has scores of two systems"
            + (f" for the metric '{asked.label}'" if asked else "")
            + ". Import the results of a second system on the same dataset: `tiebreak ingest`."
        )
    ordered = tuple(sorted(rows, key=_order))
    return ResolutionStudy(
        sentence=sentence(ordered, target),
        signature=build_signature(
            "resolution",
            metric="most used" if asked is None else asked.label,
            alpha=alpha,
            power=power,
            **state_of(store),
        ),
        warnings=tuple(warnings(ordered)),
        store_revision=store.revision(),
        metric=asked,
        metrics=tuple(record.label for record in known.values() if record.uid in used),
        alpha=alpha,
        target_power=power,
        rows=ordered,
        n_said=sum(row.resolves is not None for row in ordered),
        n_resolved=sum(row.resolves is True for row in ordered),
    )


def _order(row: ResolutionRow) -> tuple[bool, bool, float, str]:
    unsaid = row.resolves is None and math.isnan(row.ratio)
    size = 0.0 if math.isnan(row.ratio) else -row.ratio
    return (unsaid, row.basis == "reported", size, row.dataset.casefold())


def _figures(store: Store) -> dict[CellKey, dict[str, ReportedScoreRecord]]:
    """Return the last figure of each system, by dataset and metric."""
    found: dict[CellKey, dict[str, ReportedScoreRecord]] = {}
    for record in list_reported_scores(store):
        found.setdefault((record.dataset_uid, record.metric_uid), {})[record.system_uid] = record
    return found
