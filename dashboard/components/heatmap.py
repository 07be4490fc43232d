"""Which differences are real, for all pairs of systems in one picture."""

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from dashboard.components import tiles
from dashboard.components.canvas import Plane, narrow, narrow_pvalues, show_matrix, upper
from dashboard.components.marks import Mark

_Planes = dict[str, Plane]
LARGEST_CELL: Final = ((4, 64), (8, 56), (12, 34), (1_000_000, 28))
"""The largest side of a cell, in px, up to how many systems."""


class Picked(NamedTuple):
    """The pair that the reader picked, as indices into `systems`."""

    row: int
    column: int


def significance_heatmap(
    systems: Sequence[str],
    difference: npt.ArrayLike,
    ci_low: npt.ArrayLike,
    ci_high: npt.ArrayLike,
    pvalue: npt.ArrayLike,
    pvalue_adjusted: npt.ArrayLike,
    n_items: npt.ArrayLike,
    marks: npt.ArrayLike,
    *,
    quantity: str,
    decimals: int,
    alpha: float,
    key: str,
    rule: str = "",
    noun: str = "item",
    thing: str = "system",
    higher_is_better: bool = True,
    selected: Picked | None = None,
    leads_to: str = "",
) -> Picked | None:
    """Show row minus column for all pairs; return the pair picked in this run, else None.

    Hue is who is better, strength of colour the size of the difference on a scale that is the same
    for both directions; ▲ and ▼ (short lines in small cells) stand where the row is better or
    worse. A click, a second tap, or Enter picks a pair.

    Parameters
    ----------
    systems
        The S names, in the order of rows and columns.
    difference, ci_low, ci_high, pvalue, pvalue_adjusted, n_items
        Shape (S, S); [i, j] is i minus j, or i against j. The diagonal is not looked at. NaN
        is "none"; a negative p is too.
    marks
        Shape (S, S), codes of `Mark`.
    quantity
        What the difference is measured in, for key and tooltip: "accuracy".
    decimals
        Decimals of differences and intervals.
    alpha
        Level of the test; the intervals are said to be of 1 - alpha.
    key
        Streamlit's key.
    rule
        When a pair is marked, for the key; default "adjusted p ≤ alpha".
    noun
        What `n_items` counts.
    thing
        What is compared.
    higher_is_better
        Whether a positive difference favours the row.
    leads_to
        Address of the page that a picked pair opens; the names of row and column come after it as
        ``a`` and ``b``. Without it the pair is returned. (Code on the server cannot switch to
        another page while filters of this one are bound to the address.)
    selected
        A pair to ring, for instance the one in the address.

    Raises
    ------
    ValueError
        If a matrix has not the shape (S, S), or `marks` has an unknown code.
    """
    sign = 1 if higher_is_better else -1
    header, numbers = _table(
        systems, decimals, difference, ci_low, ci_high, pvalue, pvalue_adjusted, n_items, marks
    )
    if len(systems) > tiles.MOST_WHOLE:
        codes = tiles.looks(numbers["marks"], numbers["difference"], header["limit"], sign)
        planes = {"looks": tiles.picture(codes)}
        told = {name: values for name, values in numbers.items() if name != "marks"}
        header["tiles"] = tiles.served(told, key=key)
    else:
        planes = _planes(numbers)
    header |= {
        "title": f"Differences in {quantity}",
        "label": f"All pairs of {len(systems)} {thing}s, row minus column, {quantity}. "
        "Arrow keys move, Enter opens the pair.",
        "quantity": quantity,
        "sign": sign,
        "noun": noun,
        "thing": thing,
        "decimals": decimals,
        "alpha": alpha,
        "rule": rule or f"adjusted p ≤ {alpha:g}",
        "leads_to": leads_to,
        "selected": None if selected is None else [int(k) for k in selected],
    }
    cell = show_matrix(header, planes, key=key)
    return None if cell is None or cell[0] == cell[1] else Picked(*cell)


def color_limit(differences: npt.NDArray[np.float64]) -> tuple[float, bool]:
    """Choose the difference that has full colour; True if larger ones share it.

    An outlying system or two would leave all others pale, so the scale ends at the 85th
    percentile where the largest difference is more than half as large again.
    """
    sizes = np.abs(differences[np.isfinite(differences)])
    largest = float(sizes.max()) if sizes.size else 0.0
    if largest == 0.0:
        return 1.0, False
    usual = float(np.quantile(sizes, 0.85))
    if 0 < 1.5 * usual < largest:
        return usual, True
    return largest, False


def _table(
    systems: Sequence[str], decimals: int, *matrices: npt.ArrayLike
) -> tuple[dict[str, Any], dict[str, npt.NDArray[Any]]]:
    """Check the matrices; return what is said of them, and each as it is sent."""
    n = len(systems)
    names = ("difference", "ci_low", "ci_high", "pvalue", "pvalue_adjusted", "n_items", "marks")
    arrays = dict(zip(names, map(np.asarray, matrices), strict=True))
    for name, array in arrays.items():
        if array.shape != (n, n):
            raise ValueError(f"`{name}` has shape {array.shape}; {n} systems need {(n, n)}")
    off = ~np.eye(n, dtype=bool)
    marks = np.where(off, arrays["marks"], Mark.NOT_COMPARABLE)
    codes: list[int] = np.unique(marks[off]).astype(int).tolist()
    if codes and not set(codes) <= set(Mark):
        raise ValueError(f"`marks` has {codes}; it may hold {[int(code) for code in Mark]}")
    limit, clipped = color_limit(arrays["difference"].astype(np.float64)[off])
    sent: dict[str, npt.NDArray[Any]] = {"marks": marks.astype(np.uint8)}
    for name in ("difference", "ci_low", "ci_high"):
        sent[name] = narrow(np.where(off, arrays[name].astype(np.float64), 0.0), decimals)
    for name in ("pvalue", "pvalue_adjusted"):
        values = arrays[name].astype(np.float64)
        sent[name] = narrow_pvalues(np.where(np.isnan(values) | ~off, -1.0, values))
    sent["n_items"] = np.where(off, arrays["n_items"], 0).astype(np.int64)
    largest = next(size for most, size in LARGEST_CELL if n <= most)
    header = {
        "mode": "significance",
        "rows": [str(name) for name in systems],
        "square": True,
        "largest": [largest, largest],
        "limit": limit,
        "clipped": clipped,
        "codes": codes,
    }
    return header, sent


def _planes(sent: dict[str, npt.NDArray[Any]]) -> _Planes:
    """Choose how each matrix is sent: whole, or as its upper triangle."""
    planes: _Planes = {"marks": (sent["marks"], "full", "")}
    planes |= _signed("difference", sent["difference"])
    planes |= _interval(sent["ci_low"], sent["ci_high"])
    for name in ("pvalue", "pvalue_adjusted", "n_items"):
        planes |= _unsigned(name, sent[name])
    return planes


def _signed(name: str, values: npt.NDArray[Any]) -> _Planes:
    """Send the upper triangle where the lower one is minus it."""
    if np.array_equal(values, -values.T, equal_nan=True):
        return {name: (upper(values), "antisymmetric", name)}
    return {name: (values, "full", "")}


def _interval(low: npt.NDArray[Any], high: npt.NDArray[Any]) -> _Planes:
    """Send upper triangles where a pair the other way round has the mirrored interval."""
    if np.array_equal(low, -high.T, equal_nan=True):
        return {
            "ci_low": (upper(low), "antisymmetric", "ci_high"),
            "ci_high": (upper(high), "antisymmetric", "ci_low"),
        }
    return {"ci_low": (low, "full", ""), "ci_high": (high, "full", "")}


def _unsigned(name: str, values: npt.NDArray[Any]) -> _Planes:
    """Send the upper triangle of a symmetric plane."""
    if np.array_equal(values, values.T):
        return {name: (upper(values), "symmetric", "")}
    return {name: (values, "full", "")}
