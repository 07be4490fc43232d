"""One metric, one scale: 0.74 and 74.4 must not meet under one name."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal
from typing import NamedTuple

import numpy as np
import sqlalchemy as sa

from store.engine import Change
from store.errors import ConflictError, ImportFormatError
from store.importers.bundle import (
    ONE_SCORE,
    BundleMetric,
    BundleReportedScore,
    ImportBundle,
)
from store.importers.known_metrics import is_share
from store.importers.settings import outside_reason
from store.ingest.known import known_metrics, label_of
from store.models import Metric, Run, ScoreVector, System
from store.reported_models import ReportedScore

_PLACES = {("percent", "proportion"): -2, ("proportion", "percent"): 2}
"""By how many places the decimal point moves from one unit to the other."""


class _Highest(NamedTuple):
    """The highest score of a run, and whose that is."""

    score: float
    system: str


class _Known(NamedTuple):
    """How far the numbers of each metric go, in the store and in the import under way."""

    scores: dict[int, list[_Highest]]
    """The runs whose highest score is the least above 0, and the greatest; none: no scores."""
    figures: dict[str, float]
    """By `label_of`: a figure may come before its metric is in the store."""


class Scales:
    """How far the numbers of each metric go so far."""

    def __init__(self, change: Change, bundles: Sequence[ImportBundle] = ()) -> None:
        self._change = change
        self._known = _Known({}, {})
        self._of_import: dict[str, list[_Highest]] = {}
        for bundle in bundles:
            for number, here in _highest_of(bundle, bundle.metrics).items():
                self._of_import.setdefault(label_of(bundle.metrics[number]), []).extend(here)

    def state(self) -> _Known:
        """Return what `go_back` takes, when a part of the import is taken back."""
        return _Known(dict(self._known.scores), dict(self._known.figures))

    def go_back(self, state: _Known) -> None:
        """Forget what was learned since `state`."""
        self._known = state

    def require_one(self, metrics: Sequence[Metric], bundle: ImportBundle) -> None:
        """Raise `ConflictError` when a share comes in percent beside proportions, or the reverse.

        All runs of the import are looked at, in no order: the scale of the store stays, else that
        of more runs, else neither. Only for shares without a declared unit: with one, the bounds
        decide.
        """
        for number, here in _highest_of(bundle, metrics).items():
            metric = metrics[number]
            known, coming = self._of_scores(metric), self._of_import.get(label_of(metric), here)
            self._known.scores[metric.id] = _ends([*here, *known])
            ends = _ends([*here, *coming, *known])
            if any(_n_unlike(here, end) for end in _standing(ends, known, coming)):
                (low, who), (high, other) = ends
                raise ConflictError(
                    f"'{metric.name}' goes up to {low:g} for '{who}' and up to {high:g} for "
                    f"'{other}': these look like two scales. Convert one of them, or declare "
                    "unit: proportion or unit: percent for the metric in a YAML file."
                )

    def require_one_of_figures(
        self, metrics: Sequence[Metric], figures: Sequence[BundleReportedScore]
    ) -> None:
        """Raise `ConflictError` when stated figures are on another scale than the store's scores.

        One by one they may be small in percent, too: the largest figure of the import decides.
        """
        largest: dict[int, float] = {}
        for figure in figures:
            largest[figure.metric] = max(figure.value, largest.get(figure.metric, 0.0))
        for number, here in largest.items():
            metric = metrics[number]
            if not _is_open(metric):
                continue
            known = self._largest(metric)
            is_above_all = here > known and _are_two(here, known)  # no mean of items is
            if is_above_all or _are_two(here, known, _LITTLE_ABOVE_ONE):
                raise ConflictError(
                    f"The figures of '{metric.name}' go up to {here:g}, the item scores in the "
                    f"store up to {known:g}: these look like two scales. Convert the "
                    "figures, or declare their unit, percent or proportion, for the metric in "
                    "the YAML file beside them."
                )

    def figures_on_one(self, bundle: ImportBundle) -> tuple[ImportBundle, list[str]]:
        """Return the bundle with its figures on the scale of those that came before.

        Only for shares without a declared unit and without item scores in the store. One board
        prints 0.74, another one 74.4: the later one is taken for percent, or for proportions.

        Returns
        -------
        bundle, warnings
            The bundle, and a sentence for each metric that was converted.
        """
        figures, told = list(bundle.reported_scores), []
        by_metric: dict[int, list[int]] = {}
        for i, figure in enumerate(figures):
            by_metric.setdefault(figure.metric, []).append(i)
        for number, of_it in sorted(by_metric.items()):
            wanted = bundle.metrics[number]
            here = max(figures[i].value for i in of_it)
            row = known_metrics(self._change).get(label_of(wanted))
            if here <= 0 or not _is_open(wanted) or (row and not _is_open(row)):
                continue
            before = self._known_figures(wanted, row)
            if (row is None or not self._largest(row)) and _are_of_two_units(here, before):
                unit, kept = _UNITS[here > before]
                for i in of_it:
                    figures[i] = _shifted(figures[i], _PLACES[unit, kept])
                told.append(
                    f"Figures of '{wanted.name}' go up to {here:g} here and up to {before:g} in "
                    f"others: they are taken for {unit} and kept as {kept}. Where that is wrong, "
                    "declare their unit for the metric in the YAML file beside them."
                )
                here = max(figures[i].value for i in of_it)
            self._known.figures[label_of(wanted)] = max(here, before)
        return replace(bundle, reported_scores=figures), told

    def beside_figures(self, metrics: Sequence[Metric], bundle: ImportBundle) -> list[str]:
        """Return warnings of item scores that are on another scale than figures before them."""
        told = []
        for number in sorted({one.metric for run in bundle.runs for one in run.scores}):
            metric = metrics[number]
            if not _is_open(metric):
                continue
            here, before = self._largest(metric), self._known_figures(metric, metric)
            if before > here and _are_of_two_units(here, before):
                told.append(
                    f"'{metric.name}' goes up to {here:g} here, and up to {before:g} in figures "
                    "that the store has: these look like percent. Import them again with "
                    "unit: percent for the metric in the YAML file beside them, and --replace."
                )
        return told

    def _of_scores(self, metric: Metric) -> list[_Highest]:
        if metric.id not in self._known.scores:
            self._known.scores[metric.id] = _highest_in_store(self._change, metric)
        return self._known.scores[metric.id]

    def _largest(self, metric: Metric) -> float:
        return max((one.score for one in self._of_scores(metric)), default=0.0)

    def _known_figures(self, metric: BundleMetric | Metric, row: Metric | None) -> float:
        figures, label = self._known.figures, label_of(metric)
        if label not in figures:
            figures[label] = 0.0 if row is None else _largest_figure(self._change, row)
        return figures[label]


def _highest_of(
    bundle: ImportBundle, metrics: Sequence[Metric | BundleMetric]
) -> dict[int, list[_Highest]]:
    """Return metric -> the highest score of each run, of shares without a declared unit."""
    found: dict[int, list[_Highest]] = {}
    for run in bundle.runs:
        for one in run.scores:
            if _is_open(metrics[one.metric]) and not np.isnan(one.values).all():
                highest = _Highest(float(np.nanmax(one.values)), run.system)
                found.setdefault(one.metric, []).append(highest)
    return found


def _standing(
    ends: Sequence[_Highest], known: Sequence[_Highest], coming: Sequence[_Highest]
) -> list[_Highest]:
    """Return from which ends no run may differ in scale: both, where none has more runs."""
    if not ends:
        return []
    low, high = ends
    n_low, n_high = (
        np.inf if _n_unlike(known, other) else _n_unlike(coming, other) for other in (high, low)
    )
    return [low] * (n_low >= n_high) + [high] * (n_high >= n_low)


def _n_unlike(runs: Sequence[_Highest], end: _Highest) -> int:
    """Return how many runs are on another scale than one."""
    return sum(_are_two(one.score, end.score, _LITTLE_ABOVE_ONE) for one in runs)


def require_bounds(metrics: Sequence[Metric], bundle: ImportBundle) -> None:
    """Raise `ImportFormatError` for a figure outside the bounds that the store has of a metric.

    The bounds of items bind their mean, and not what arises over a whole corpus.
    """
    for figure in bundle.reported_scores:
        metric = metrics[figure.metric]
        is_low = metric.lower is not None and figure.value < metric.lower
        is_high = metric.upper is not None and figure.value > metric.upper
        if metric.aggregation in ONE_SCORE and (is_low or is_high):
            printed = figure.printed or f"{figure.value:g}"
            reason = outside_reason(figure.value, printed, metric.lower, metric.upper)
            path = bundle.files[0].path if bundle.files else ""
            raise ImportFormatError(
                f"'{metric.name}' of '{figure.system}': {reason}", path=path, field=metric.name
            )


def in_units_of_store(change: Change, bundle: ImportBundle) -> tuple[ImportBundle, list[str]]:
    """Return the bundle with its stated figures in the units that the store has.

    Figures whose unit is known, percent or proportion, are converted to the other one where the
    store has the metric in that; `printed` keeps what the source says. Item scores are never
    converted.

    Returns
    -------
    bundle, understood
        The bundle, and a sentence for each metric that was converted.
    """
    known = known_metrics(change)
    metrics, figures = list(bundle.metrics), list(bundle.reported_scores)
    with_items = {scores.metric for run in bundle.runs for scores in run.scores}
    told = []
    for number, wanted in enumerate(bundle.metrics):
        row = known.get(label_of(wanted))
        unit = _unit_in_store(change, row, wanted) if row and number not in with_items else ""
        places = _PLACES.get((wanted.unit, unit))
        if row is None or places is None:
            continue
        metrics[number] = replace(wanted, unit=row.unit, lower=row.lower, upper=row.upper)
        for i, figure in enumerate(figures):
            if figure.metric == number:
                figures[i] = _shifted(figure, places)
        told.append(
            f"Figures of '{wanted.name}' are in {wanted.unit} and are kept as {unit}, as the store "
            "has the metric."
        )
    return replace(bundle, metrics=metrics, reported_scores=figures), told


def _shifted(figure: BundleReportedScore, places: int) -> BundleReportedScore:
    """Return a figure with its decimal point moved, exactly: 64.93 becomes 0.6493."""

    def shift(number: float) -> float:
        return float(Decimal(repr(number)).scaleb(places))

    stderr = None if figure.stderr is None else shift(figure.stderr)
    return replace(figure, value=shift(figure.value), stderr=stderr)


def _unit_in_store(change: Change, metric: Metric, wanted: BundleMetric) -> str:
    """Return the unit of a metric: as declared; of a share without one, as its scores look."""
    if metric.unit or not wanted.unit or not _is_open(metric):
        return metric.unit
    highest = _highest_in_store(change, metric)
    largest = highest[-1].score if highest else _largest_figure(change, metric)
    if largest == 0:
        return ""
    return "proportion" if largest <= 1 else "percent"


def _is_open(metric: Metric | BundleMetric) -> bool:
    """Return whether a metric is a share whose scale nobody declared."""
    return not metric.unit and metric.aggregation in ONE_SCORE and is_share(metric.name)


_UNITS = {True: ("percent", "proportion"), False: ("proportion", "percent")}
"""Whether figures go further than others -> what they are taken for, and what they become."""


_LITTLE_ABOVE_ONE = 2.0
"""So far an item's share may go as an estimate; in percent some item of a run has more."""


_TIMES = 10
"""Scores that go above 1 on both sides are of two scales where one side goes so much further."""


def _are_two(one: float, other: float, most: float = 1.0) -> bool:
    less, more = min(one, other), max(one, other)
    return 0 < less <= most < more and (less <= 1 or more >= _TIMES * less)


def _are_of_two_units(one: float, other: float) -> bool:
    """Return whether one goes up to 1 and the other beyond what a share may be."""
    return 0 < min(one, other) <= 1 and max(one, other) > _LITTLE_ABOVE_ONE


def _largest_figure(change: Change, metric: Metric) -> float:
    of_it = sa.select(sa.func.max(ReportedScore.value)).where(ReportedScore.metric_id == metric.id)
    return change.session.scalar(of_it) or 0.0


def _highest_in_store(change: Change, metric: Metric) -> list[_Highest]:
    of_it = (
        sa.select(ScoreVector.max, System.name)
        .join(Run, Run.id == ScoreVector.run_id)
        .join(System, System.id == Run.system_id)
        .where(ScoreVector.metric_id == metric.id, Run.deleted_at.is_(None), ScoreVector.max > 0)
        .limit(1)
    )
    ends = (ScoreVector.max, System.name), (ScoreVector.max.desc(), System.name)
    rows = [row for end in ends for row in change.session.execute(of_it.order_by(*end))]
    return [_Highest(score, name) for score, name in rows if score is not None]


def _ends(runs: Sequence[_Highest]) -> list[_Highest]:
    above = sorted(one for one in runs if one.score > 0)
    return [above[0], max(above, key=lambda one: one.score)] if above else []
