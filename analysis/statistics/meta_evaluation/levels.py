"""The correlation of a metric with gold: of systems, per item, per system, of everything pooled."""

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from analysis.statistics._typing import FloatArray, Seed
from analysis.statistics.meta_evaluation.cells import (
    LEVELS,
    as_pair,
    as_several,
    as_units,
    check_choices,
    system_means,
)
from analysis.statistics.meta_evaluation.coefficients import (
    Rows,
    in_steps,
    prepare,
    values_of_rows,
)
from analysis.statistics.meta_evaluation.soft_accuracy import soft_pairwise_accuracy
from analysis.statistics.meta_evaluation.ties import best_epsilon
from analysis.statistics.results import Result
from analysis.statistics.signature import build_signature
from analysis.statistics.validation import as_seed

__all__ = [
    "LEVELS",
    "Correlation",
    "correlation",
    "metric_correlations",
    "unit_correlations",
]

_SLACK = 1e-12


@dataclass(frozen=True, slots=True, eq=False)
class Correlation(Result):
    """Correlation of a metric with gold.

    Attributes
    ----------
    value : float
        NaN where no unit defines it.
    level, coefficient : str
    n_units : int
        Units that the value is the average of: items ("item"), systems ("per-system"), else 1.
    n_undefined : int
        Units left out of the average: fewer than two cells, or one side constant.
    n_systems, n_items : int
        With at least one cell that has both a metric's score and gold.
    n_cells : int
    epsilon : float
        Largest difference of the metric that was taken as a tie; NaN but for "pairwise-accuracy".
    calibrated : bool
        Whether `epsilon` was chosen as the one with the highest accuracy.
    """

    value: float
    level: str
    coefficient: str
    n_units: int
    n_undefined: int
    n_systems: int
    n_items: int
    n_cells: int
    epsilon: float
    calibrated: bool

    @property
    def signature(self) -> str:
        """One line from which the correlation can be repeated."""
        ties: dict[str, str | float] = {}
        if self.coefficient == "pairwise-accuracy":
            ties = {"epsilon": "calibrated" if self.calibrated else self.epsilon}
        return build_signature(
            "correlation", level=self.level, coefficient=self.coefficient, **ties
        )


class Units(NamedTuple):
    """Vectors of which one coefficient each is taken, a metric's and gold's."""

    x: Rows
    y: Rows
    epsilon: float
    """In the steps of `x`."""
    tolerance: float
    """Vectors that vary by no more than this are constant."""

    def values(self, coefficient: str) -> FloatArray:
        """Return the coefficient of every unit; NaN where it is not defined."""
        return values_of_rows(
            self.x, self.y, coefficient, epsilon=self.epsilon, tolerance=self.tolerance
        )


def correlation(
    metric: npt.ArrayLike,
    gold: npt.ArrayLike,
    *,
    level: str,
    coefficient: str,
    epsilon: float | None = None,
    rng: Seed = 0,
) -> Correlation:
    """Return how well a metric follows gold.

    Parameters
    ----------
    metric, gold : array_like, shape (n_systems, n_items)
        Higher is better in both. NaN: missing; only cells that have both count.
    level : {"system", "item", "per-system", "global"}
        - "system": of the systems' means over their cells;
        - "item": over systems, for each item, averaged over items;
        - "per-system": over items, for each system, averaged over systems;
        - "global": over all cells pooled.
    coefficient : str
        One of `COEFFICIENTS`, see `coefficients.coefficient_of`. Items and systems for which it
        is not defined are left out of the average and counted. "soft-pairwise-accuracy" knows
        the level "system" only.
    epsilon : float, optional
        For "pairwise-accuracy": differences of the metric up to this are ties. By default 0 for
        systems (Kocmi et al. 2021) and calibrated at other levels (Deutsch et al. 2023): the
        smallest one with the highest accuracy, see `ties.best_epsilon`.
    rng : int, Generator or None
        Seed of the item permutations of "soft-pairwise-accuracy"; 0 is a seed.

    Returns
    -------
    Correlation

    Raises
    ------
    TypeError, ValueError
        If scores are no finite numbers or do not fit, an option is unknown, or the coefficient
        does not go with the level or with `epsilon`.

    References
    ----------
    Deutsch, Dror and Roth (2021), A statistical analysis of summarization evaluation metrics
    using resampling methods, section 2; Deutsch, Foster and Freitag (2023), Ties matter;
    Thompson et al. (2024), Improving statistical significance in human evaluation of automatic
    metrics via soft pairwise accuracy.

    Examples
    --------
    >>> found = correlation([[1, 2], [3, 3], [5, 9]], [[1, 1], [2, 1], [2, 3]],
    ...                     level="item", coefficient="kendall-b")
    >>> round(found.value, 4), found.n_units
    (0.8165, 2)
    """
    check_choices(level, coefficient, epsilon)
    x, y = as_pair(metric, gold)
    return _correlation(x, y, level, coefficient, epsilon, as_seed(rng))


def unit_correlations(
    metric: npt.ArrayLike,
    gold: npt.ArrayLike,
    *,
    level: str,
    coefficient: str,
    epsilon: float = 0.0,
) -> FloatArray:
    """Return what `correlation` averages: a coefficient per item or system, NaN if undefined.

    Parameters
    ----------
    metric, gold : array_like, shape (n_systems, n_items)
    level : {"system", "item", "per-system", "global"}
        One value for "system" and "global".
    coefficient : str
        Any but "soft-pairwise-accuracy".
    epsilon : float
        Not calibrated here.

    Returns
    -------
    ndarray, shape (n_units,)
    """
    check_choices(level, coefficient, epsilon)
    if coefficient == "soft-pairwise-accuracy":
        raise ValueError("'soft-pairwise-accuracy' has no units: use `correlation`.")
    x, y = as_pair(metric, gold)
    return units_of(x, y, level, coefficient, epsilon).values(coefficient)


def metric_correlations(
    metrics: npt.ArrayLike, *, level: str, coefficient: str, rng: Seed = 0
) -> FloatArray:
    """Return the correlations of metrics with each other.

    Parameters
    ----------
    metrics : array_like, shape (n_metrics, n_systems, n_items)
        NaN: missing; two metrics are compared on the cells that both have.
    level, coefficient, rng
        As for `correlation`. Ties are exact ones: neither metric is the right one, so that no
        threshold can be calibrated.

    Returns
    -------
    ndarray, shape (n_metrics, n_metrics)
        Symmetric; NaN where not defined. The diagonal holds each metric's coefficient with
        itself: 1, but less for "kendall-a" and "kendall-c" where there are ties.

    Examples
    --------
    >>> metric_correlations([[[1], [2], [3]], [[2], [4], [9]]], level="system",
    ...                     coefficient="spearman")
    array([[1., 1.],
           [1., 1.]])
    """
    check_choices(level, coefficient, None)
    several, seed = as_several(metrics), as_seed(rng)
    n_metrics = len(several)
    if level == "system":
        # Means depend on the cells that both metrics of a pair have.
        between = np.empty((n_metrics, n_metrics))
        for i in range(n_metrics):
            for j in range(i, n_metrics):
                found = _correlation(several[i], several[j], level, coefficient, None, seed)
                between[i, j] = between[j, i] = found.value
        return between
    rows = [prepare(as_units(metric, level)) for metric in several]
    between = np.full((n_metrics, n_metrics), np.nan)
    for i, x in enumerate(rows):
        for j, y in enumerate(rows[i:], i):
            values = values_of_rows(x, y, coefficient)
            defined = values[~np.isnan(values)]
            if defined.size:
                between[i, j] = between[j, i] = np.mean(defined)
    return between


def units_of(
    x: FloatArray, y: FloatArray, level: str, coefficient: str, epsilon: float = 0.0
) -> Units:
    """Return the units of a level, from checked cells of a metric and gold."""
    step, tolerance = 1.0, 0.0
    if level == "system":
        shared = ~(np.isnan(x) | np.isnan(y))
        of_x, of_y = (system_means(side, shared, exact=coefficient != "pearson") for side in (x, y))
        x, y = of_x.values[np.newaxis], of_y.values[np.newaxis]
        step, tolerance = of_x.step, max(of_x.rounding, of_y.rounding)
    else:
        if epsilon > 0:
            x, step = in_steps(x)
        x, y = as_units(x, level), as_units(y, level)
    return Units(prepare(x), prepare(y), epsilon / step * (1 + _SLACK), tolerance)


def _correlation(
    x: FloatArray, y: FloatArray, level: str, coefficient: str, epsilon: float | None, seed: int
) -> Correlation:
    used, calibrated = math.nan, False
    if coefficient == "soft-pairwise-accuracy":
        values = np.array([soft_pairwise_accuracy(x, y, rng=seed)])
    else:
        if coefficient == "pairwise-accuracy":
            calibrated = epsilon is None and level != "system"
            used = best_epsilon(x, y, level=level).epsilon if calibrated else float(epsilon or 0)
        tied_below = 0.0 if math.isnan(used) else used
        values = units_of(x, y, level, coefficient, tied_below).values(coefficient)
    defined = values[~np.isnan(values)]
    shared = ~(np.isnan(x) | np.isnan(y))
    return Correlation(
        value=float(np.mean(defined)) if defined.size else math.nan,
        level=level,
        coefficient=coefficient,
        n_units=defined.size,
        n_undefined=values.size - defined.size,
        n_systems=int(np.count_nonzero(shared.any(axis=1))),
        n_items=int(np.count_nonzero(shared.any(axis=0))),
        n_cells=int(np.count_nonzero(shared)),
        epsilon=used,
        calibrated=calibrated,
    )
