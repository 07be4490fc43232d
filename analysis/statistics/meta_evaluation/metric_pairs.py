"""All pairs of metrics against one gold: cells that they share, one scale, a test for each."""

from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np

from analysis.statistics._typing import BoolArray, FloatArray, IntArray, Progress
from analysis.statistics.all_pairs.complete_sets import CompleteSet, complete_sets
from analysis.statistics.item_groups import renumber
from analysis.statistics.meta_evaluation.coefficients import as_epsilon
from analysis.statistics.meta_evaluation.levels import correlation
from analysis.statistics.meta_evaluation.swaps import SWAPS
from analysis.statistics.resampling.threads import part_of

CLOSED_FORMS: Final = ("fisher-z", "williams", "steiger")
SCALES: Final = ("standardised", "system means", "as given")


class Request(NamedTuple):
    """What is asked for, checked."""

    level: str
    coefficient: str
    test: str
    n_resamples: int
    seed: int
    epsilons: FloatArray
    """Tie threshold of each metric; NaN where the coefficient has none."""
    scale: str
    confidence_level: float
    keep_null: bool
    n_threads: int | None
    progress: Progress | None
    codes: IntArray | None = None
    """Group of each item."""


class Part(NamedTuple):
    """Metrics whose pairs share the same cells."""

    values: FloatArray
    """Shape (n_metrics, n_systems, n_items), rows and columns with cells only; NaN: no cell."""
    gold: FloatArray
    """Shape (n_systems, n_items), NaN in the same places."""
    observed: FloatArray
    """Coefficient of each metric with gold on these cells."""
    epsilons: FloatArray
    left: IntArray
    """First metric of each pair, as a position in `values`."""
    right: IntArray
    codes: IntArray | None = None
    """Number of each item's group, from 0; None where every item is by itself."""


class Tested(NamedTuple):
    """What a test says of listed pairs; arrays of shape (n_pairs,)."""

    statistic: FloatArray
    two_sided: FloatArray
    """P-values; NaN where nothing can be tested."""
    greater: FloatArray
    less: FloatArray
    floor: float
    """Smallest two-sided p-value possible."""
    n_replicates: int
    exact: bool
    low: FloatArray | None = None
    high: FloatArray | None = None
    null: FloatArray | None = None
    """Replicated differences, shape (n_pairs, n_replicates)."""


class PairFigures:
    """What was found for each pair of the upper triangle, part by part."""

    def __init__(self, n_metrics: int, n_null: int) -> None:
        n_pairs = n_metrics * (n_metrics - 1) // 2
        self._alternatives = {
            name: np.full(n_pairs, np.nan) for name in ("two-sided", "greater", "less")
        }
        self.difference, self.statistic = np.full(n_pairs, np.nan), np.full(n_pairs, np.nan)
        self.left_value, self.right_value = np.full(n_pairs, np.nan), np.full(n_pairs, np.nan)
        self.low, self.high = np.full(n_pairs, np.nan), np.full(n_pairs, np.nan)
        self._floor = np.full(n_pairs, np.nan)
        self.exact = np.zeros(n_pairs, dtype=np.bool_)
        self.n_replicates = np.zeros(n_pairs, dtype=np.int64)
        self.known: dict[int, float] = {}
        """Coefficients on all cells of a metric, where a pair has the same cells."""
        self.null = np.full((n_pairs, n_null), np.nan) if n_null else None

    def enter(self, pairs: IntArray, part: Part, tested: Tested) -> None:
        """Enter the pairs of one part."""
        left, right = part.observed[part.left], part.observed[part.right]
        self.left_value[pairs], self.right_value[pairs] = left, right
        self.difference[pairs] = left - right
        self.statistic[pairs] = tested.statistic
        for name, values in (
            ("two-sided", tested.two_sided),
            ("greater", tested.greater),
            ("less", tested.less),
        ):
            self._alternatives[name][pairs] = values
        self._floor[pairs] = tested.floor
        self.exact[pairs] = tested.exact
        self.n_replicates[pairs] = tested.n_replicates
        if tested.low is not None and tested.high is not None:
            self.low[pairs], self.high[pairs] = tested.low, tested.high
        if self.null is not None and tested.null is not None:
            self.null[pairs] = tested.null

    def pvalue(self, alternative: str) -> FloatArray:
        """Return the p-values; "greater": the first of the pair agrees better."""
        return self._alternatives[alternative]

    def floor(self, alternative: str) -> FloatArray:
        """Return the smallest p-values possible."""
        halved = self.exact & (alternative != "two-sided")
        return np.where(halved, self._floor / 2, self._floor)

    def values(self, metrics: FloatArray, gold: FloatArray, request: Request) -> FloatArray:
        """Return the coefficient of each metric on all cells that it shares with gold."""
        values = np.full(len(metrics), np.nan)
        others = [metric for metric in range(len(metrics)) if metric not in self.known]
        values[others] = coefficients_of(metrics[others], gold, request, request.epsilons[others])
        for metric, value in self.known.items():
            values[metric] = value
        return values


def compare_pairs(metrics: FloatArray, gold: FloatArray, request: Request) -> PairFigures:
    """Test all pairs of metrics, those together that share the same cells.

    Parameters
    ----------
    metrics : ndarray, shape (n_metrics, n_systems, n_items)
    gold : ndarray, shape (n_systems, n_items)
    request : Request

    Returns
    -------
    PairFigures
        NaN for pairs without shared cells.
    """
    n_metrics = len(metrics)
    found = PairFigures(n_metrics, request.n_resamples if request.keep_null else 0)
    present = ~(np.isnan(metrics) | np.isnan(gold)).reshape(n_metrics, gold.size)
    sets = list(complete_sets(present)) if n_metrics > 1 else []
    for number, cells in enumerate(sets):
        part = _part(metrics, gold, cells, request)
        progress = part_of(request.progress, number, len(sets))
        whole = present[cells.systems].sum(axis=1) == cells.items.size
        found.known |= dict(zip(cells.systems[whole].tolist(), part.observed[whole], strict=True))
        found.enter(cells.pairs, part, _test(part, request._replace(progress=progress)))
    return found


def coefficients_of(
    metrics: FloatArray, gold: FloatArray, request: Request, epsilons: FloatArray
) -> FloatArray:
    """Return the coefficient of each metric, with the tie thresholds settled before."""
    return np.array(
        [
            correlation(
                metric,
                gold,
                level=request.level,
                coefficient=request.coefficient,
                epsilon=None if np.isnan(epsilon) else float(epsilon),
                rng=request.seed,
            ).value
            for metric, epsilon in zip(metrics, epsilons, strict=True)
        ],
        dtype=np.float64,
    )


def epsilons_of(
    metrics: FloatArray,
    gold: FloatArray,
    level: str,
    coefficient: str,
    epsilon: float | Sequence[float] | None,
) -> FloatArray:
    """Return the tie threshold of each metric, calibrated where none is given."""
    n_metrics = len(metrics)
    if coefficient != "pairwise-accuracy":
        if epsilon is not None:
            as_epsilon(1.0, coefficient)
        return np.full(n_metrics, np.nan)
    if epsilon is None:
        found = [
            correlation(metric, gold, level=level, coefficient=coefficient).epsilon
            for metric in metrics
        ]
        return np.nan_to_num(np.array(found, dtype=np.float64))
    given = np.atleast_1d(np.asarray(epsilon))
    if given.ndim != 1 or given.size not in (1, n_metrics):
        raise ValueError(
            f"`epsilon` must be one number or one per metric ({n_metrics}), got shape "
            f"{given.shape}."
        )
    return np.array([as_epsilon(value, coefficient) for value in given]) * np.ones(n_metrics)


def _part(metrics: FloatArray, gold: FloatArray, cells: CompleteSet, request: Request) -> Part:
    """Return the metrics and the gold of one set of shared cells."""
    shared: BoolArray = np.zeros(gold.size, dtype=np.bool_)
    shared[cells.items] = True
    shared = shared.reshape(gold.shape)
    kept = np.ix_(np.flatnonzero(shared.any(axis=1)), np.flatnonzero(shared.any(axis=0)))
    there = shared[kept]
    values = np.stack([np.where(there, metrics[k][kept], np.nan) for k in cells.systems])
    human = np.where(there, gold[kept], np.nan)
    epsilons = request.epsilons[cells.systems]
    observed = coefficients_of(values, human, request, epsilons)
    codes = None if request.codes is None else renumber(request.codes[kept[1].reshape(-1)])
    return Part(values, human, observed, epsilons, cells.left, cells.right, codes)


def _test(part: Part, request: Request) -> Tested:
    """Return what the test says of the pairs of a part."""
    # The rooms of the tests import this module.
    if request.test in CLOSED_FORMS:
        from analysis.statistics.meta_evaluation.closed_forms import test_closed_form

        return test_closed_form(part, request)
    if request.test in SWAPS:
        from analysis.statistics.meta_evaluation.exchange import test_exchange

        return test_exchange(part, request)
    from analysis.statistics.meta_evaluation.resampled_tests import test_bootstrap

    return test_bootstrap(part, request)
