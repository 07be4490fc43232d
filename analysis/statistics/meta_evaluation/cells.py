"""Scores of systems on items: checked, as units of a level, as means of systems."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from analysis.statistics._typing import BoolArray, FloatArray
from analysis.statistics.meta_evaluation.coefficients import (
    COEFFICIENTS,
    as_epsilon,
    as_finite,
    in_steps,
)
from analysis.statistics.validation import as_choice

LEVELS = ("system", "item", "per-system", "global")
_NEARLY_CONSTANT = 1e-13


class SystemMeans(NamedTuple):
    """Mean of every system over its cells."""

    values: FloatArray
    """Shape (n_systems,); NaN for a system without cells."""
    step: float
    """What a difference of 1 is worth."""
    rounding: float
    """Means that differ by no more than this may differ by rounding alone."""


def check_choices(level: str, coefficient: str, epsilon: float | None) -> None:
    """Raise where level, coefficient and epsilon are unknown or do not go together."""
    as_choice(level, "level", LEVELS)
    as_choice(coefficient, "coefficient", COEFFICIENTS)
    if epsilon is not None:
        as_epsilon(epsilon, coefficient)
    if coefficient == "soft-pairwise-accuracy" and level != "system":
        raise ValueError(
            "'soft-pairwise-accuracy' compares systems by the items they have: `level` must be "
            f"'system', got '{level}'. Use 'pairwise-accuracy' for other levels."
        )


def as_cells(values: npt.ArrayLike, name: str) -> FloatArray:
    """Return the scores of systems (rows) on items (columns)."""
    cells = as_finite(values, name)
    if cells.ndim != 2:
        raise ValueError(
            f"`{name}` must have shape (n_systems, n_items), got {cells.ndim}-D values of shape "
            f"{cells.shape}."
        )
    return cells


def as_several(metrics: npt.ArrayLike) -> FloatArray:
    """Return the scores of several metrics, shape (n_metrics, n_systems, n_items)."""
    several = as_finite(metrics, "metrics")
    if several.ndim != 3:
        raise ValueError(
            "`metrics` must have shape (n_metrics, n_systems, n_items), got "
            f"{several.ndim}-D values of shape {several.shape}."
        )
    return several


def check_fit(metric: FloatArray, gold: FloatArray, name: str) -> None:
    """Raise where a metric and gold are not about the same systems and items."""
    if metric.shape != gold.shape:
        raise ValueError(
            f"`{name}` and `gold` must have the same systems and items, got "
            f"{metric.shape[0]} × {metric.shape[1]} and {gold.shape[0]} × {gold.shape[1]}."
        )


def as_pair(metric: npt.ArrayLike, gold: npt.ArrayLike) -> tuple[FloatArray, FloatArray]:
    """Return a metric and gold, checked."""
    x, y = as_cells(metric, "metric"), as_cells(gold, "gold")
    check_fit(x, y, "metric")
    return x, y


def as_metrics(metrics: npt.ArrayLike, gold: npt.ArrayLike) -> tuple[FloatArray, FloatArray]:
    """Return several metrics and gold, checked."""
    several, y = as_several(metrics), as_cells(gold, "gold")
    if several.shape[1:] != y.shape:
        raise ValueError(
            "`metrics` and `gold` must have the same systems and items, got "
            f"{several.shape[1]} × {several.shape[2]} and {y.shape[0]} × {y.shape[1]}."
        )
    return several, y


def as_units(cells: FloatArray, level: str) -> FloatArray:
    """Return one row per unit of a level that takes cells as they are."""
    if level == "item":
        return np.ascontiguousarray(cells.T)
    return cells.reshape(1, -1) if level == "global" else cells


def system_means(cells: FloatArray, shared: BoolArray, *, exact: bool) -> SystemMeans:
    """Return the mean of every system over its shared cells.

    Parameters
    ----------
    cells : ndarray, shape (n_systems, n_items)
        Finite where `shared`.
    shared : ndarray of bool, same shape
    exact : bool
        Means in whole steps above a common zero point: those that are equal come out equal,
        whatever the order of summing. For ranks and pairs. Else in the unit of `in_own_unit`.
    """
    values, step, rounding = np.where(shared, cells, np.nan), 1.0, 0.0
    if exact:
        values, step = in_steps(values, cells.shape[1])
    values = np.where(shared, values, 0.0)
    counts = np.count_nonzero(shared, axis=1)
    if not exact:
        values, rounding = in_own_unit(values)
    sums = np.sum(values, axis=1)
    means = np.full(len(cells), np.nan)
    np.divide(sums, counts, out=means, where=counts > 0)
    return SystemMeans(means, step, rounding)


def in_own_unit(values: FloatArray) -> tuple[FloatArray, float]:
    """Return values in units of the power of two below the largest, and what is rounding there.

    The rounding of a metric and that of gold can then be compared: a metric of probabilities
    near 1e-16 is not constant beside gold from 0 to 100.
    """
    _, exponent = np.frexp(np.max(np.abs(values), initial=0.0))
    scaled = np.ldexp(values, 1 - exponent)
    return scaled, _NEARLY_CONSTANT * float(np.max(np.abs(scaled), initial=0.0))
