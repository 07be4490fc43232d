"""The paired bootstrap: items, or whole groups of them, drawn with replacement."""

import math
import warnings
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from analysis.statistics._typing import Alternative, FloatArray, Groups, Seed
from analysis.statistics.aggregate import aggregate_items
from analysis.statistics.fixed_point import whole_differences
from analysis.statistics.item_groups import renumber
from analysis.statistics.paired.inference import infer_pair
from analysis.statistics.paired.result import (
    CompletePair,
    PairedTest,
    as_delta,
    check_statistic,
    complete_components,
    median_difference,
    metric_difference,
    of_median,
)
from analysis.statistics.resampling.metrics import ResampledMetric, resampled_metric
from analysis.statistics.resampling.plan import replicates
from analysis.statistics.resampling.tails import OTHER_SIDE, TIE, FlipOutcome, reached
from analysis.statistics.results import DegenerateDataWarning
from analysis.statistics.validation import ALTERNATIVES, as_choice, as_count, as_seed


class Canonical(NamedTuple):
    """What is resampled, in an order that depends neither on the items' nor on the systems'."""

    metric: ResampledMetric
    observed: float
    """The metric, or difference of metrics, of all items; of b less a where `turned`."""
    turned: bool
    scale: float
    """Values that differ by much less than this are equal but for rounding."""


def bootstrap(
    a: npt.ArrayLike,
    b: npt.ArrayLike,
    *,
    aggregation: str = "mean",
    statistic: str = "metric",
    alternative: Alternative = "two-sided",
    delta: float = 0.0,
    groups: Groups = None,
    n_resamples: int = 9_999,
    rng: Seed = 0,
) -> PairedTest:
    """Test two systems by drawing items anew (paired bootstrap, shift method).

    Both systems keep their scores on the items drawn. The resampled differences less the observed
    one stand for what the difference would do if it were `delta`. Assumes independent items, or
    groups, and enough of them (some 50) to stand for the population; with few it rejects too
    often.

    Parameters
    ----------
    a, b : array_like, shape (n_items,) or (n_items, n_components)
        Scores, higher is better; or what a corpus metric is computed from. NaN in any component
        of either leaves the item out.
    aggregation : str
        One of `AGGREGATIONS`; the metric is computed anew for each resample.
    statistic : {"metric", "median"}
        "metric": the difference of the systems' metrics. "median": the median of the differences
        per item, for "mean" scores.
    alternative : {"two-sided", "greater", "less"}
        Two-sided counts resamples with ``|T* - t| >= |t - delta|``.
    delta : float
        Difference a - b under the null hypothesis.
    groups : sequence, shape (n_items,), optional
        A label per item; whole groups are drawn. None is a group of its own.
    n_resamples : int
    rng : int, Generator or None
        Seed; 0 is a seed.

    Returns
    -------
    PairedTest
        p = (count + 1) / (n_resamples + 1). Identical systems give 1. NaN without items, where
        the metric is not defined, and where every resample gives the same difference other than
        `delta`: there is no spread to measure it against. A resample whose metric is not defined
        counts as extreme.

    Raises
    ------
    TypeError, ValueError
        If scores are no numbers, not finite, of the wrong shape, or negative counts; if `groups`
        does not fit.

    Warns
    -----
    DegenerateDataWarning
        If every resample gives the same difference other than `delta`.

    Notes
    -----
    Memory: 6 KB per item. Sums of means are exact (see `fixed_point`); ties with the observed
    value count as reached, to a relative 1e-12. Draws belong to the place of an item: another
    order of items gives a p-value that agrees within Monte Carlo error. Which system is called a
    does not matter.

    References
    ----------
    Efron and Tibshirani (1993), An Introduction to the Bootstrap, 16.4; Noreen (1989),
    Computer-Intensive Methods for Testing Hypotheses (shift method); Berg-Kirkpatrick, Burkett,
    Klein (2012) for what goes wrong with other centres.

    Examples
    --------
    >>> bootstrap([1, 0, 1, 1], [1, 0, 1, 1]).pvalue
    1.0
    """
    as_choice(alternative, "alternative", ALTERNATIVES)
    shift, resamples, seed = as_delta(delta), as_count(n_resamples, "n_resamples"), as_seed(rng)
    if not check_statistic(statistic, aggregation):
        return infer_pair(
            a,
            b,
            test="bootstrap",
            aggregation=aggregation,
            alternative=alternative,
            delta=shift,
            groups=groups,
            interval="none",
            n_resamples=resamples,
            rng=seed,
        ).test
    pair = complete_components(a, b, aggregation=aggregation, groups=groups)
    observed = median_difference(pair)
    pvalue = math.nan
    if len(pair.a):
        problem = canonical(pair, aggregation, of_median=True)
        pvalue = _pvalue(problem, resamples, seed, shift, alternative)
        if math.isnan(pvalue):
            warnings.warn(_no_spread(pair, observed), DegenerateDataWarning, stacklevel=2)
    return of_median(
        pair,
        "bootstrap-median",
        FlipOutcome(pvalue, 1 / (resamples + 1), False, resamples),
        aggregation=aggregation,
        alternative=alternative,
        delta=shift,
        seed=seed,
    )


def _no_spread(pair: CompletePair, observed: float) -> str:
    return (
        f"Every resample of {pair.n_units} {'items' if pair.groups is None else 'groups'} gives "
        f"the same difference ({observed:.6g}): the bootstrap has no spread to work with and its "
        "p-value is NaN. Use the sign-flip test."
    )


def canonical(
    pair: CompletePair, aggregation: str, *, of_median: bool = False, single: bool = False
) -> Canonical:
    """Bring a pair into an order of its own, the better system first, ready for resampling.

    With `single`, the metric is that of the first system alone, and nothing is turned.
    """
    if single:
        pair = _sort(pair)
        metric = resampled_metric((pair.a,), aggregation, pair.groups)
        observed = _value_of_all(metric)
        return Canonical(metric, observed, False, abs(observed))
    if of_median or aggregation == "mean":
        # Only differences matter; in whole steps first, so that equal ones are equal.
        whole = whole_differences(pair.a[:, 0], pair.b[:, 0])
        differences = (whole.steps * whole.step)[:, np.newaxis]
        pair = pair._replace(a=differences, b=np.zeros_like(differences))
    pair, turned = _turn(_sort(pair), aggregation, of_median=of_median)
    sides = (pair.a,) if of_median else (pair.a, pair.b)
    metric = resampled_metric(sides, "median" if of_median else aggregation, pair.groups)
    observed, scale = _value_of_all(metric), 0.0
    if aggregation != "mean":  # whose sums of whole steps need no tolerance
        scale = max(abs(aggregate_items(side, aggregation)) for side in (pair.a, pair.b))
    return Canonical(metric, observed, turned, max(abs(observed), scale))


def _value_of_all(metric: ResampledMetric) -> float:
    return float(metric.values(np.ones((1, metric.n_units)))[0])


def tie_tolerance(problem: Canonical, values: FloatArray) -> float:
    """Return how far values that are equal on paper may lie apart."""
    return TIE * max(problem.scale, float(np.nanmax(np.abs(values), initial=0.0)))


def _pvalue(
    problem: Canonical, n_resamples: int, seed: int, delta: float, alternative: str
) -> float:
    centred = (
        replicates(problem.metric.values, problem.metric.n_units, n_resamples, seed)
        - problem.observed
    )
    gain = problem.observed - (-delta if problem.turned else delta)
    side = OTHER_SIDE[alternative] if problem.turned else alternative
    tolerance = max(tie_tolerance(problem, centred), TIE * abs(delta))
    if np.nanmax(np.abs(centred), initial=0.0) <= tolerance < abs(gain):
        return math.nan
    extreme = int(np.count_nonzero(reached(centred, gain, side, tolerance)))
    return (extreme + 1) / (n_resamples + 1)


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
