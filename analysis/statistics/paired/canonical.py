"""A pair in an order of its own, ready for resampling: no figure depends on how it was given."""

from typing import NamedTuple

import numpy as np

from analysis.statistics._typing import FloatArray
from analysis.statistics.aggregate import aggregate_items
from analysis.statistics.fixed_point import whole_differences
from analysis.statistics.item_groups import renumber
from analysis.statistics.paired.result import CompletePair, metric_difference
from analysis.statistics.resampling.metrics import ResampledMetric, resampled_metric
from analysis.statistics.resampling.tails import TIE
from analysis.statistics.standard_error import rounding_error


class Canonical(NamedTuple):
    """What is resampled, in an order that depends neither on the items' nor on the systems'."""

    metric: ResampledMetric
    observed: float
    """The metric, or difference of metrics, of all items; of b less a where `turned`."""
    turned: bool
    scale: float
    """Values that differ by much less than this are equal but for rounding."""
    near: float
    """Precision of the scores: values no farther apart are equal."""


def canonical(
    pair: CompletePair, aggregation: str, *, of_median: bool = False, single: bool = False
) -> Canonical:
    """Bring a pair into an order of its own, the better system first, ready for resampling.

    With `single`, the metric is that of the first system alone, and nothing is turned.
    """
    near = 0.0
    if single:
        if pair.a.shape[1] == 1:
            near = rounding_error(pair.a[:, 0])
        pair = _sort(pair)
        metric = resampled_metric((pair.a,), aggregation, pair.groups)
        observed = _value_of_all(metric)
        return Canonical(metric, observed, False, abs(observed), near)
    if of_median or aggregation == "mean":
        # Only differences matter; in whole steps first, so that equal ones are equal.
        whole = whole_differences(pair.a[:, 0], pair.b[:, 0])
        differences, near = (whole.steps * whole.step)[:, np.newaxis], whole.near
        pair = pair._replace(a=differences, b=np.zeros_like(differences))
    pair, turned = _turn(_sort(pair), aggregation, of_median=of_median)
    sides = (pair.a,) if of_median else (pair.a, pair.b)
    metric = resampled_metric(sides, "median" if of_median else aggregation, pair.groups)
    observed, scale = _value_of_all(metric), 0.0
    if aggregation != "mean":  # whose sums of whole steps need no tolerance
        scale = max(abs(aggregate_items(side, aggregation)) for side in (pair.a, pair.b))
    return Canonical(metric, observed, turned, max(abs(observed), scale), near)


def _value_of_all(metric: ResampledMetric) -> float:
    return float(metric.values(np.ones((1, metric.n_units)))[0])


def tie_tolerance(problem: Canonical, values: FloatArray) -> float:
    """Return how far values that are equal on paper may lie apart."""
    largest = float(np.nanmax(np.abs(values), initial=0.0))
    return problem.near + TIE * max(problem.scale, largest)


def _sort(pair: CompletePair) -> CompletePair:
    sorted_pair = pair.in_order(np.lexsort(np.concatenate([pair.a, pair.b], axis=1).T[::-1]))
    if sorted_pair.groups is None:
        return sorted_pair
    return sorted_pair._replace(groups=renumber(sorted_pair.groups))


def _turn(pair: CompletePair, aggregation: str, *, of_median: bool) -> tuple[CompletePair, bool]:
    """Put the better system first; of equally good ones that whose sorted scores come last."""
    lead = float(np.median(pair.a)) if of_median else metric_difference(pair, aggregation)
    one_sided = of_median or aggregation == "mean"
    swapped = pair._replace(a=-pair.a) if one_sided else pair._replace(a=pair.b, b=pair.a)
    swapped = _sort(swapped)
    if lead == 0:
        gap = np.concatenate([pair.a - swapped.a, pair.b - swapped.b], axis=1).reshape(-1)
        nonzero = gap[gap != 0]
        lead = float(nonzero[0]) if nonzero.size else 0.0
    return (swapped, True) if lead < 0 else (pair, False)
