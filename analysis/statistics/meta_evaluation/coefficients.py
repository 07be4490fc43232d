"""How alike two vectors order things: correlations, Kendall's tau, shares of pairs.

Every level, interval and matrix takes its coefficients from here.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from analysis.statistics._typing import BoolArray, CodeArray, FloatArray
from analysis.statistics.fixed_point import whole_scores
from analysis.statistics.validation import as_choice, as_floats

COEFFICIENTS = (
    "pearson",
    "spearman",
    "kendall-a",
    "kendall-b",
    "kendall-c",
    "pairwise-accuracy",
    "soft-pairwise-accuracy",
)
KINDS = {name: kind for kind, name in enumerate(COEFFICIENTS[:-1])}
"""What the loops call a coefficient. Soft pairwise accuracy is not one of two vectors."""

_SLACK = 1e-12
_EXACT_BITS = 52


class Rows(NamedTuple):
    """Vectors of equal length, made ready to be ranked; all fields have shape (n_rows, n)."""

    values: FloatArray
    """0 where missing."""
    codes: CodeArray
    """Number of the value among the row's distinct values, ascending; 0 where missing."""
    order: CodeArray
    """Positions in ascending order of the value, missing ones last."""
    present: BoolArray


def coefficient_of(
    x: npt.ArrayLike, y: npt.ArrayLike, coefficient: str, *, epsilon: float = 0.0
) -> float:
    """Return how well `x` follows `y`.

    Parameters
    ----------
    x, y : array_like, shape (n,)
        Higher is better in both. A position where either is NaN is left out.
    coefficient : str
        One of `COEFFICIENTS` except "soft-pairwise-accuracy", which needs items.

        - "pearson", "spearman" (Pearson's of mid-ranks);
        - "kendall-a": (C - D) / pairs, with C concordant and D discordant pairs;
        - "kendall-b": (C - D) / √((pairs not tied in x) · (pairs not tied in y));
        - "kendall-c" (Stuart): 2 (C - D) m / (n² (m - 1)), with m the smaller number of distinct
          values;
        - "pairwise-accuracy": the share of pairs that x puts in the same order as y, a tie in
          both included; a tie in one only is wrong.
    epsilon : float
        A pair is tied in `x` if it differs by at most this; "pairwise-accuracy" only.

    Returns
    -------
    float
        NaN for fewer than two positions, and where either side is constant; a pairwise accuracy
        is defined there too.

    Raises
    ------
    TypeError, ValueError
        If the vectors are no finite numbers or do not fit, or an option is unknown.

    References
    ----------
    Kendall (1945), The treatment of ties in ranking problems; Stuart (1953), The estimation and
    comparison of strengths of association in contingency tables; Kocmi et al. (2021), To ship or
    not to ship, eq. 1; Deutsch, Foster and Freitag (2023), Ties matter, eq. 5 and section 4.

    Examples
    --------
    >>> coefficient_of([1, 2, 3, 4], [1, 3, 2, 3], "kendall-b").__round__(4)
    0.5477
    """
    as_choice(coefficient, "coefficient", KINDS)
    side_x, side_y = as_finite(x, "x"), as_finite(y, "y")
    if side_x.ndim != 1 or side_x.shape != side_y.shape:
        raise ValueError(
            "`x` and `y` must be 1-D and of the same length, "
            f"got shapes {side_x.shape} and {side_y.shape}."
        )
    tolerated = as_epsilon(epsilon, coefficient)
    either = np.isnan(side_x) | np.isnan(side_y)
    side_x[either] = side_y[either] = np.nan
    x_row, y_row = side_x[np.newaxis], side_y[np.newaxis]
    return float(row_coefficients(x_row, y_row, coefficient, epsilon=tolerated)[0])


def row_coefficients(
    x: FloatArray,
    y: FloatArray,
    coefficient: str,
    *,
    weights: FloatArray | None = None,
    epsilon: float = 0.0,
    tolerance: float = 0.0,
) -> FloatArray:
    """Return the coefficient of every row of `x` with the row of `y`.

    Parameters
    ----------
    x, y : ndarray, shape (n_rows, n)
        NaN: missing. `y` may have one row for all.
    coefficient : str
        A key of `KINDS`.
    weights : ndarray, shape (n_rows, n) or (1, n), optional
        How often a position counts: whole numbers. Pairs of copies of one position are not
        counted as pairs, also not in what "kendall-c" divides by at most.
    epsilon : float
        As in `coefficient_of`.
    tolerance : float
        Rows that vary by no more than this are constant to "pearson".

    Returns
    -------
    ndarray, shape (n_rows,)
    """
    tied_below = 0.0
    if epsilon > 0:
        x, step = in_steps(x)
        tied_below = epsilon / step * (1 + _SLACK)
    return values_of_rows(
        prepare(x),
        prepare(y),
        coefficient,
        weights=weights,
        epsilon=tied_below,
        tolerance=tolerance,
    )


def values_of_rows(
    x: Rows,
    y: Rows,
    coefficient: str,
    *,
    weights: FloatArray | None = None,
    epsilon: float = 0.0,
    tolerance: float = 0.0,
) -> FloatArray:
    """Return the coefficient of every row as `row_coefficients` does, of rows made ready.

    `epsilon` is taken as it is: values of `x` that are not whole steps carry their rounding.
    """
    # Here, not above: who asks for no correlation need not wait for the compiler.
    from analysis.statistics.meta_evaluation.coefficient_kernels import row_values

    out = np.empty(len(x.values))
    row_values(
        KINDS[coefficient],
        x.values,
        y.values,
        x.codes,
        y.codes,
        x.order,
        x.present & y.present,
        np.ones((1, x.values.shape[1])) if weights is None else weights,
        tolerance,
        epsilon,
        out,
    )
    return out


def prepare(values: FloatArray) -> Rows:
    """Sort and number the values of every row; NaN is missing."""
    values = np.ascontiguousarray(values)
    order = np.argsort(values, axis=1, kind="stable")
    in_order = np.take_along_axis(values, order, axis=1)
    numbers = np.zeros(values.shape, dtype=np.int32)
    # NaN differs from everything, also from NaN: missing values are numbered last.
    np.cumsum(in_order[:, 1:] != in_order[:, :-1], axis=1, dtype=np.int32, out=numbers[:, 1:])
    codes = np.empty_like(numbers)
    np.put_along_axis(codes, order, numbers, axis=1)
    present = ~np.isnan(values)
    if not present.all():
        codes[~present] = 0
        values = np.where(present, values, 0.0)
    return Rows(values, codes, order.astype(np.int32), present)


def in_steps(values: FloatArray, n_terms: int = 1) -> tuple[FloatArray, float]:
    """Return values as whole steps above one zero point, and what a step is worth.

    Any sum of up to `n_terms` of them is exact. Values are rounded to a binary grid only where
    they are no multiples of a common simple fraction, or too large to be summed.

    Parameters
    ----------
    values : ndarray, any shape
        NaN stays NaN.
    n_terms : int

    Returns
    -------
    ndarray, same shape
    float
    """
    whole = whole_scores(values.reshape(-1, 1))
    steps, step = whole.steps.astype(np.float64).reshape(values.shape), whole.step
    excess = int(np.ceil(np.log2(max(1.0, whole.reach) * n_terms))) - _EXACT_BITS
    if excess > 0:
        steps, step = np.rint(np.ldexp(steps, -excess)), float(np.ldexp(step, excess))
    return np.where(np.isnan(values), np.nan, steps), step


def as_finite(values: npt.ArrayLike, name: str) -> FloatArray:
    """Return `values` as floats; NaN stands for missing and nothing is infinite."""
    array = as_floats(values, name)
    if np.isinf(array).any():
        place = tuple(int(i) for i in np.argwhere(np.isinf(array))[0])
        raise ValueError(
            f"`{name}` must be finite (NaN = missing), got {array[place]} at index "
            f"{place[0] if len(place) == 1 else place}."
        )
    return array


def as_epsilon(epsilon: float, coefficient: str) -> float:
    """Return the largest difference that is a tie, if the coefficient knows one."""
    try:
        value = float(epsilon)
    except (TypeError, ValueError):
        raise TypeError(f"`epsilon` must be a number, got {epsilon!r}.") from None
    if not 0 <= value < np.inf:
        raise ValueError(f"`epsilon` must be 0 or a positive number, got {value}.")
    if value and coefficient != "pairwise-accuracy":
        raise ValueError(
            f"`epsilon` belongs to 'pairwise-accuracy'; '{coefficient}' knows exact ties only. "
            "Leave it out."
        )
    return value
