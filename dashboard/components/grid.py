"""Items × systems: which items are hard, and for whom."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from dashboard.components.canvas import Plane, narrow, show_matrix

MOST_ROWS: Final = 200
"""More items than this are drawn as bands of neighbours."""
_OF_A_MEAN: Final = 2


class PickedItems(NamedTuple):
    """What the reader picked: items `start` to `stop` - 1, and a system, as indices."""

    start: int
    stop: int
    system: int


def item_grid(
    items: Sequence[str],
    systems: Sequence[str],
    scores: npt.ArrayLike,
    *,
    quantity: str,
    decimals: int,
    key: str,
    low: float | None = None,
    high: float | None = None,
    caption: str = "",
) -> PickedItems | None:
    """Show item scores as shades, a row per item; return the cell picked in this run, else None.

    Items keep the order given. Above `MOST_ROWS` items, a row is a band of neighbouring items
    and its shade their mean score; the key says so.

    Parameters
    ----------
    items, systems
        The n and S names, in the order of rows and columns.
    scores
        Shape (n, S); NaN is an item without a score, drawn hatched.
    quantity
        What the score is, for key and tooltip: "accuracy".
    decimals
        Decimals of a score; the mean of a band has two at least.
    key
        Streamlit's key.
    low, high
        Scores at the pale and the dark end of the scale; default the smallest and the largest.
    caption
        What the shade means, for the key; default "Shade: accuracy of each item".

    Raises
    ------
    ValueError
        If `scores` has not the shape (n, S).
    """
    values = np.asarray(scores, dtype=np.float64)
    if values.shape != (len(items), len(systems)):
        raise ValueError(
            f"`scores` has shape {values.shape}; {len(items)} items of {len(systems)} systems "
            f"need {(len(items), len(systems))}"
        )
    bounds = bands(len(items))
    means, counts = band_means(values, bounds)
    known = values[np.isfinite(values)]
    per_row = int(np.diff(bounds).max(initial=1))
    if per_row > 1:  # of right and wrong, a mean is neither
        decimals = max(decimals, _OF_A_MEAN)
    header: dict[str, Any] = {
        "mode": "scores",
        "title": f"Items and systems, {quantity}",
        "label": f"{len(items)} items by {len(systems)} systems, {quantity}. "
        "Arrow keys move, Enter opens the cell.",
        "rows": _row_names(items, bounds),
        "columns": [str(name) for name in systems],
        "square": False,
        "largest": [30, 18],
        "low": float(known.min()) if low is None and known.size else (low or 0.0),
        "high": float(known.max()) if high is None and known.size else (high or 1.0),
        "decimals": decimals,
        "quantity": quantity,
        "caption": caption or _caption(quantity, bounds),
        "per_row": per_row,
        "missing": bool((counts == 0).any()),
        "selected": None,
    }
    planes: dict[str, Plane] = {
        "score": (narrow(means, decimals), "full", ""),
        "n_items": (counts.astype(np.int64), "full", ""),
    }
    cell = show_matrix(header, planes, key=key)
    if cell is None:
        return None
    return PickedItems(int(bounds[cell[0]]), int(bounds[cell[0] + 1]), cell[1])


def bands(n_items: int) -> npt.NDArray[np.int64]:
    """Return where each of at most `MOST_ROWS` bands of neighbouring items begins, and the end."""
    n_rows = min(n_items, MOST_ROWS)
    return np.round(np.linspace(0, n_items, n_rows + 1)).astype(np.int64)


def band_means(
    values: npt.NDArray[np.float64], bounds: npt.NDArray[np.int64]
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.int64]]:
    """Return mean and number of the scores in each band, per system; NaN where there is none."""
    if values.size == 0:
        return values, np.zeros(values.shape, dtype=np.int64)
    known = ~np.isnan(values)
    counts = np.add.reduceat(known.astype(np.int64), bounds[:-1], axis=0)
    sums = np.add.reduceat(np.where(known, values, 0.0), bounds[:-1], axis=0)
    with np.errstate(invalid="ignore"):
        return sums / np.where(counts, counts, np.nan), counts


def _row_names(items: Sequence[str], bounds: npt.NDArray[np.int64]) -> list[str]:
    if len(bounds) == len(items) + 1:
        return [str(name) for name in items]
    return [f"{a + 1:,}–{b:,}" for a, b in pairwise(bounds)]


def _caption(quantity: str, bounds: npt.NDArray[np.int64]) -> str:
    sizes = np.diff(bounds)
    if sizes.max(initial=1) == 1:
        return f"Shade: {quantity} of each item"
    few, many = int(sizes.min()), int(sizes.max())
    size = f"{many}" if few == many else f"{few} or {many}"
    return f"Shade: mean {quantity} of bands of {size} items, {bounds[-1]:,} in all"
