"""Which items are hard, which tell the systems apart, and do systems fail on the same ones?"""

from __future__ import annotations

import math
import warnings as python_warnings
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from analysis import numbers
from analysis.choices import DatasetName, Failures, MetricName
from analysis.question import Progress, Question
from analysis.statistics._typing import FloatArray
from analysis.statistics.results import read_only
from analysis.statistics.signature import build_signature
from analysis.studies.chosen_metric import choose_metric
from analysis.studies.reading import read_matrix, state_of
from analysis.studies.study import Study, count
from store import vectors
from store.datasets import get_dataset, list_items
from store.engine import Store
from store.errors import NotFoundError
from store.records import DatasetRecord, MetricRecord


@dataclass(frozen=True, slots=True, eq=False)
class ItemsStudy(Study):
    """The items of a dataset against the systems that answered them."""

    dataset: DatasetRecord
    metric: MetricRecord
    metrics: tuple[MetricRecord, ...]
    systems: tuple[str, ...]
    """The best mean first."""
    system_uids: tuple[str, ...]
    scores: FloatArray
    """Shape (n_items, n_systems), on the metric's own scale; NaN = missing."""
    keys: tuple[str, ...]
    groups: tuple[str | None, ...]
    mean: FloatArray
    """Mean of each item over the systems scored on it."""
    spread: FloatArray
    """Standard deviation over systems: 0 = the item tells nobody apart."""
    discrimination: FloatArray
    """Correlation of the item with a system's mean over the other items; negative = good
    systems fail on it, so look at its reference. NaN where either has no spread."""
    n_scored: tuple[int, ...]
    agreement: FloatArray
    """Correlation of two systems' scores over items, shape (n_systems, n_systems)."""
    is_binary: bool
    """Whether every score is 0 or 1."""
    n_useless: int
    """Items on which all systems score the same."""
    n_solved_by_none: int
    n_solved_by_all: int

    @property
    def hardest(self) -> tuple[int, ...]:
        """Positions of the items, the hardest first; those nobody was scored on are left out."""
        ease = self.metric.sign * self.mean
        return tuple(int(i) for i in np.argsort(ease, kind="stable") if not math.isnan(ease[i]))

    @property
    def dividing(self) -> tuple[int, ...]:
        """Positions of the items, the largest spread between systems first."""
        known = np.where(np.isnan(self.spread), -1.0, self.spread)
        return tuple(int(i) for i in np.argsort(-known, kind="stable") if known[i] > 0)

    @property
    def suspicious(self) -> tuple[int, ...]:
        """Positions of the items that better systems do worse on, the most striking first."""
        known = np.where(np.isnan(self.discrimination), 1.0, self.discrimination)
        return tuple(int(i) for i in np.argsort(known, kind="stable") if known[i] < 0)


@dataclass(frozen=True)
class Items(Question[ItemsStudy]):
    """Show the hardest items of a dataset and those that divide its systems."""

    name: ClassVar[str] = "items"
    has_report: ClassVar[bool] = False

    dataset: DatasetName
    metric: MetricName = None
    failures: Failures = None

    def answer(self, store: Store, progress: Progress | None = None) -> ItemsStudy:
        """Return the items: see `study_items`."""
        return study_items(store.counting(self.failures), self.dataset, metric=self.metric)


def study_items(store: Store, dataset: str, *, metric: str | None = None) -> ItemsStudy:
    """Look at a dataset item by item.

    Parameters
    ----------
    store
        Where from.
    dataset, metric
        Uid or name; by default the metric with most scores.

    Raises
    ------
    NotFoundError
        A name is unknown, or the metric has no value per item.
    """
    chosen = get_dataset(store, dataset)
    measure, available = choose_metric(store, chosen, metric)
    matrix = read_matrix(store, chosen.uid, measure.uid)
    if not matrix.systems or not chosen.n_items:
        raise NotFoundError(
            f"The store has no item scores on '{chosen.label}' for '{measure.label}': there are "
            "no items to look at. Import the scores per item."
        )
    values = np.stack([vectors.item_values(rows, measure.aggregation) for rows in matrix.scores])
    if np.isnan(values).all():
        raise NotFoundError(
            f"'{measure.label}' is a metric by '{measure.aggregation}': it has no value per item."
        )
    means = _mean(values, axis=1)
    order = sorted(
        range(len(means)),
        key=lambda i: (
            math.isnan(means[i]),
            -measure.sign * means[i],
            matrix.systems[i].casefold(),
        ),
    )
    values = values[order]
    # By a power of two, which changes no digit: squares of scores must neither overflow nor vanish.
    exponent = int(np.frexp(np.nanmax(np.abs(values)))[1]) - 1
    scaled = np.ldexp(values, -exponent)
    spread = np.ldexp(_std(scaled), exponent)
    mean = _mean(values, axis=0)
    scored = (~np.isnan(values)).sum(axis=0)
    useless = int(np.count_nonzero((spread == 0) & (scored > 1)))
    is_binary = bool(np.isin(values[~np.isnan(values)], (0.0, 1.0)).all())
    worst, best = (0.0, 1.0) if measure.sign > 0 else (1.0, 0.0)
    none = int(np.count_nonzero(mean == worst)) if is_binary else 0
    everyone = int(np.count_nonzero(mean == best)) if is_binary else 0
    items = list_items(store, chosen.uid)
    agreement = _correlations(scaled)
    return ItemsStudy(
        sentence=_sentence(chosen, measure, len(order), useless, none, everyone, agreement),
        signature=build_signature(
            "items", dataset=chosen.label, metric=measure.label, **state_of(store, chosen.uid)
        ),
        warnings=tuple(_warnings(values)),
        store_revision=store.revision(),
        dataset=chosen,
        metric=measure,
        metrics=tuple(available),
        systems=tuple(matrix.systems[i] for i in order),
        system_uids=tuple(matrix.system_uids[i] for i in order),
        scores=read_only(np.ascontiguousarray(values.T)),
        keys=tuple(item.key for item in items),
        groups=tuple(item.group for item in items),
        mean=read_only(mean),
        spread=read_only(spread),
        discrimination=read_only(_discrimination(scaled)),
        n_scored=tuple(int(n) for n in scored),
        agreement=read_only(agreement),
        is_binary=is_binary,
        n_useless=useless,
        n_solved_by_none=none,
        n_solved_by_all=everyone,
    )


def _mean(values: FloatArray, axis: int) -> FloatArray:
    with python_warnings.catch_warnings():
        python_warnings.simplefilter("ignore", RuntimeWarning)  # nobody scored: NaN is the answer
        mean: FloatArray = np.nanmean(values, axis=axis)
    return mean


def _std(values: FloatArray) -> FloatArray:
    """Return the standard deviation of each column; exactly 0 where all values are equal."""
    with python_warnings.catch_warnings():
        python_warnings.simplefilter("ignore", RuntimeWarning)
        std: FloatArray = np.nanstd(values, axis=0)
        same = np.nanmax(values, axis=0) == np.nanmin(values, axis=0)
    std[same] = 0.0
    return std


def _discrimination(values: FloatArray) -> FloatArray:
    """Return each item's correlation over systems with their mean on the other items."""
    present = ~np.isnan(values)
    filled = np.where(present, values, 0.0)
    sums, counts = filled.sum(axis=1, keepdims=True), present.sum(axis=1, keepdims=True)
    with np.errstate(invalid="ignore", divide="ignore"):
        rest = np.where(present, (sums - filled) / (counts - 1), np.nan)
    return _column_correlation(np.where(np.isfinite(rest), values, np.nan), rest)


def _column_correlation(x: FloatArray, y: FloatArray) -> FloatArray:
    with python_warnings.catch_warnings(), np.errstate(invalid="ignore", divide="ignore"):
        python_warnings.simplefilter("ignore", RuntimeWarning)
        dx, dy = x - np.nanmean(x, axis=0), y - np.nanmean(y, axis=0)
        covariance = np.nansum(dx * dy, axis=0)
        norm = np.sqrt(np.nansum(dx * dx, axis=0) * np.nansum(dy * dy, axis=0))
        small = 1e-12 * np.maximum(np.nansum(x * x, axis=0), 1.0)
        correlation: FloatArray = np.where(norm > small, covariance / norm, np.nan)
    return np.clip(correlation, -1.0, 1.0)


def _correlations(values: FloatArray) -> FloatArray:
    """Return Pearson's correlation between all rows over the items that both have."""
    present = ~np.isnan(values)
    mask = present.astype(np.float64)
    centred = np.where(present, values - _mean(values, axis=1)[:, np.newaxis], 0.0)
    n = mask @ mask.T
    sums, squares, products = centred @ mask.T, (centred**2) @ mask.T, centred @ centred.T
    with np.errstate(invalid="ignore", divide="ignore"):
        covariance = products - sums * sums.T / n
        variance = squares - sums**2 / n
        norm = np.sqrt(np.maximum(variance, 0.0) * np.maximum(variance.T, 0.0))
        known = (n > 2) & (norm > 1e-12 * np.maximum(squares, squares.T))
        correlation = np.where(known, covariance / norm, np.nan)
    clipped: FloatArray = np.clip(correlation, -1.0, 1.0)
    return clipped


def _sentence(
    dataset: DatasetRecord,
    metric: MetricRecord,
    n_systems: int,
    useless: int,
    none: int,
    everyone: int,
    agreement: FloatArray,
) -> str:
    told = f"{dataset.label} has {count(dataset.n_items, 'item')} scored on {metric.label}"
    told += f" for {count(n_systems, 'system')}"
    if n_systems < 2:
        return told + ": with one system no item can tell systems apart."
    told += f"; {count(useless, 'item')} {'tells' if useless == 1 else 'tell'} no two systems apart"
    if none or everyone:
        told += f" ({everyone:,} solved by all, {none:,} by none)"
    between = agreement[np.triu_indices(n_systems, 1)]
    between = between[~np.isnan(between)]
    told += "."
    if between.size:
        told += (
            " Two systems' item scores correlate at "
            f"{numbers.fixed(float(np.median(between)), 2)} (median over pairs)"
            + (": they largely fail on the same items." if np.median(between) > 0.6 else ".")
        )
    return told


def _warnings(values: FloatArray) -> list[str]:
    missing = np.isnan(values)
    if not missing.any():
        return []
    n_partial = int(np.count_nonzero(missing.any(axis=0)))
    return [
        f"{count(n_partial, 'item')} {'lacks' if n_partial == 1 else 'lack'} a score from at "
        "least one system: means and correlations use the scores there are."
    ]
