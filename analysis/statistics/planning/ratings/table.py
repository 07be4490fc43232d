"""Ratings of two systems as sums per item and worker, and their variances where it is balanced."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from analysis.statistics._typing import BoolArray, FloatArray
from analysis.statistics.planning.ratings.design import (
    maximum_likelihood,
    restricted_maximum_likelihood,
)
from analysis.statistics.standard_error import exact_mean
from analysis.statistics.validation import as_floats

_FEWEST = 2


class RatingTable(NamedTuple):
    """Sums of (1, x)(1, x)' and of (1, x) y per cell; x is -1/2 or +1/2.

    Rows are items where there are more items than workers, and workers otherwise.
    """

    products: FloatArray
    """Shape (n_rows, 2, n_columns, 2)."""
    by_row: FloatArray
    by_column: FloatArray
    """The same summed over the other factor, shape (n_rows or n_columns, 2, 2)."""
    targets: FloatArray
    """Shape (n_rows, n_columns, 2)."""
    square: float
    centre: float
    """What was taken off y, so that its squares keep their digits."""
    n: int
    items_are_rows: bool


def as_rating_table(
    ratings: npt.ArrayLike, first: npt.ArrayLike, workers: npt.ArrayLike, items: npt.ArrayLike
) -> tuple[RatingTable, tuple[int, int], int]:
    """Return the sums per cell, the numbers of workers and items, and of ratings left out."""
    values = as_floats(ratings, "ratings")
    columns = {
        "ratings": values,
        "first": np.asarray(first),
        "workers": np.asarray(workers),
        "items": np.asarray(items),
    }
    for name, column in columns.items():
        if column.ndim != 1 or column.size != values.size:
            raise ValueError(
                f"`{name}` must be 1-D with one value per rating ({values.size}), "
                f"got shape {column.shape}."
            )
    if np.any(np.isinf(values)):
        raise ValueError("`ratings` must be finite (NaN = missing), got an infinite rating.")
    if not np.all((columns["first"] == 0) | (columns["first"] == 1)):
        raise ValueError("`first` must be True for the first system and False for the second.")
    known = ~np.isnan(values)
    y, is_first = values[known], columns["first"][known].astype(np.bool_)
    if not 0 < np.count_nonzero(is_first) < is_first.size:
        raise ValueError("`first` must name ratings of both systems, got those of one only.")
    if np.ptp(y) == 0:
        raise ValueError("`ratings` must not all be equal: there is no spread to estimate.")
    n_workers, worker = _as_codes(columns["workers"][known], "workers")
    n_items, item = _as_codes(columns["items"][known], "items")
    if n_items >= n_workers:
        table = _summed(y, is_first, (item, worker), (n_items, n_workers), items_are_rows=True)
    else:
        table = _summed(y, is_first, (worker, item), (n_workers, n_items), items_are_rows=False)
    return table, (n_workers, n_items), values.size - y.size


def _as_codes(labels: npt.NDArray[np.generic], name: str) -> tuple[int, npt.NDArray[np.intp]]:
    distinct, codes = np.unique(labels, return_inverse=True)
    if distinct.size < _FEWEST:
        raise ValueError(
            f"`{name}` must hold at least {_FEWEST} different ones, got {distinct.size}: how the "
            "difference varies between them cannot be seen."
        )
    return distinct.size, codes


def _summed(
    y: FloatArray,
    is_first: BoolArray,
    codes: tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]],
    shape: tuple[int, int],
    *,
    items_are_rows: bool,
) -> RatingTable:
    centre = exact_mean(y)
    y = y - centre
    cell = codes[0] * shape[1] + codes[1]
    x = np.where(is_first, 0.5, -0.5)

    def per_cell(weights: FloatArray) -> FloatArray:
        sums = np.bincount(cell, weights, shape[0] * shape[1])
        return np.asarray(sums, np.float64).reshape(shape)

    count, by_x = per_cell(np.ones_like(y)), per_cell(x)
    products = np.stack(
        [np.stack([count, by_x], axis=-1), np.stack([by_x, count / 4], axis=-1)], axis=1
    )
    return RatingTable(
        products,
        products.sum(axis=2).reshape(shape[0], 2, 2),
        products.sum(axis=0).transpose(1, 0, 2),
        np.stack([per_cell(y), per_cell(x * y)], axis=-1),
        float(y @ y),
        centre,
        y.size,
        items_are_rows,
    )


def is_balanced(table: RatingTable) -> bool:
    """Say whether each worker rated each item equally often under both systems."""
    counts, by_x = table.products[:, 0, :, 0], table.products[:, 0, :, 1]
    return bool(np.all(counts == counts[0, 0]) and not np.any(by_x))


def in_item_order(table: RatingTable, scales: FloatArray) -> FloatArray:
    """Return values of (rows, columns) as values of (items, workers)."""
    return scales if table.items_are_rows else np.roll(scales, 2)


def balanced_scales(table: RatingTable, *, reml: bool) -> FloatArray:
    """Return the relative standard deviations of a balanced table, without a search.

    Intercept and slope of rows, then of columns.
    """
    n_rows, n_columns = table.targets.shape[:2]
    repeats = float(table.products[0, 0, 0, 0]) / 2
    # Differences and twice the levels of the cells: both have a residual variance of 2 s² / k.
    levels, differences = table.targets[..., 0] / repeats, 2 * table.targets[..., 1] / repeats
    rest = 2 / repeats * table.square - float(np.sum(levels**2 + differences**2))
    sums = []
    for cells in (differences, levels):
        whole = cells - np.mean(cells)
        rows, columns = whole.mean(axis=1), whole.mean(axis=0)
        sums += [n_columns * float(rows @ rows), n_rows * float(columns @ columns)]
        rest += float(np.sum((whole - rows[:, np.newaxis] - columns) ** 2))
    inner = (n_rows - 1) * (n_columns - 1)
    n_rest = 2 * inner + table.n - 2 * n_rows * n_columns
    df = np.array([n_rows - 1, n_columns - 1, n_rows - 1, n_columns - 1, n_rest])
    fit = restricted_maximum_likelihood if reml else maximum_likelihood
    found = fit(np.array([*sums, rest])[:, np.newaxis], df)[:, 0]
    times = np.array([4 * n_columns, n_columns, 4 * n_rows, n_rows])
    beyond = np.maximum(0.0, found[[2, 0, 3, 1]] - found[4]) / times
    return np.asarray(np.sqrt(beyond / (found[4] * repeats / 2)))
