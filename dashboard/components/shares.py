"""On what share of the datasets does one system score better than another, for all pairs?"""

from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from dashboard.components.canvas import Plane, show_matrix, upper
from dashboard.components.heatmap import LARGEST_CELL, Picked
from dashboard.components.marks import Mark

STEPS: Final = 65_520
"""Shares are sent in whole steps of 1 / this, as `paint_shares.js` reads them."""
_NONE: Final = 65_535
"""Instead of a step: there is no share."""
_MIRRORS: Final = {"share": "share", "low": "high", "high": "low"}
"""What the pair the other way round has the rest to 1 of."""


def share_heatmap(
    systems: Sequence[str],
    share: npt.ArrayLike,
    low: npt.ArrayLike,
    high: npt.ArrayLike,
    n_shared: npt.ArrayLike,
    *,
    key: str,
    confidence: float = 0.95,
    leads_to: str = "",
) -> Picked | None:
    """Show probabilities of improvement for all pairs; return the pair picked in this run.

    Hue is who scores better more often, strength of colour how far from half; ▲ and ▼ stand where
    the interval leaves half out.

    Parameters
    ----------
    systems
        The S names, in the order of rows and columns.
    share, low, high
        Shape (S, S), from 0 to 1: row above column, with its interval (NaN where there is none).
        The diagonal is not looked at.
    n_shared
        Shape (S, S); datasets that a pair shares.
    key
        Streamlit's key.
    confidence
        Of the intervals.
    leads_to
        Address of the page that a picked pair opens, as for `significance_heatmap`.

    Raises
    ------
    ValueError
        If a matrix has not the shape (S, S).
    """
    header, planes = _table(systems, share, low, high, n_shared)
    header |= {
        "title": "Datasets on which the row scores better, percent",
        "label": f"All pairs of {len(systems)} systems: on how many percent of the datasets the "
        "row scores better. Arrow keys move, Enter opens the pair.",
        "level": f"{100 * confidence:g} %",
        "leads_to": leads_to,
        "selected": None,
    }
    cell = show_matrix(header, planes, key=key)
    return None if cell is None or cell[0] == cell[1] else Picked(*cell)


def _table(
    systems: Sequence[str], *matrices: npt.ArrayLike
) -> tuple[dict[str, Any], dict[str, Plane]]:
    n = len(systems)
    names = ("share", "low", "high", "n_shared")
    arrays = {
        name: np.asarray(matrix, dtype=np.float64)
        for name, matrix in zip(names, matrices, strict=True)
    }
    for name, array in arrays.items():
        if array.shape != (n, n):
            raise ValueError(f"`{name}` has shape {array.shape}; {n} systems need {(n, n)}")
    off = ~np.eye(n, dtype=bool)
    marks = marks_of(*(arrays[name] for name in names))
    planes = {name: _plane(arrays, name, mirror) for name, mirror in _MIRRORS.items()}
    n_shared = np.where(off, arrays["n_shared"], 0).astype(np.int64)
    is_even = np.array_equal(n_shared, n_shared.T)
    planes["n_shared"] = (upper(n_shared), "symmetric", "") if is_even else (n_shared, "full", "")
    largest = next(size for most, size in LARGEST_CELL if n <= most)
    header = {
        "mode": "shares",
        "rows": [str(name) for name in systems],
        "square": True,
        "largest": [largest, largest],
        "intervals": bool(np.isfinite(arrays["low"][off]).any()),
        "codes": sorted({int(code) for code in marks[off]}),
    }
    return header, planes


def _plane(arrays: Mapping[str, npt.NDArray[np.float64]], name: str, mirror: str) -> Plane:
    """Send whole steps: the upper triangle, where the lower one has the rest to 1."""
    own, other = _steps(arrays[name]), _steps(arrays[mirror])
    rest = np.where(own == _NONE, _NONE, STEPS - own.astype(np.int64)).T
    if np.abs(rest - other).max(initial=0) <= 1:  # a step is lost to rounding
        return upper(own), "complement", mirror
    return own, "full", ""


def _steps(shares: npt.NDArray[np.float64]) -> npt.NDArray[np.uint16]:
    """Return shares in steps of 1 / `STEPS`; what lies beside a half stays there."""
    known = np.nan_to_num(shares, nan=0.0)
    steps = np.rint(STEPS * known)
    side = np.sign(known - 0.5)
    steps = np.where(np.sign(steps - STEPS / 2) == side, steps, STEPS / 2 + side)
    off = ~np.eye(len(shares), dtype=bool)
    return np.where(np.isnan(shares) | ~off, _NONE, steps).astype(np.uint16)


def marks_of(
    share: npt.NDArray[np.float64],
    low: npt.NDArray[np.float64],
    high: npt.NDArray[np.float64],
    n_shared: npt.NDArray[np.float64],
) -> npt.NDArray[np.uint8]:
    """Return the `Mark` of every pair, (S, S): what the interval says of half."""
    marks = np.select(
        [(n_shared == 0) | np.isnan(share), low > 0.5, high < 0.5],
        [Mark.NOT_COMPARABLE, Mark.BETTER, Mark.WORSE],
        Mark.UNDECIDED,
    )
    return marks.astype(np.uint8)
