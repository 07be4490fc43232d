"""On how many datasets is one system better than another, for all pairs in one picture."""

from collections.abc import Sequence
from enum import IntEnum
from typing import Any

import numpy as np
import numpy.typing as npt

from dashboard.components import tiles
from dashboard.components.canvas import Plane, narrow, show_matrix, upper
from dashboard.components.heatmap import LARGEST_CELL, Picked


class Kind(IntEnum):
    """Who is better somewhere; numbers that the browser knows."""

    NOTHING = 0
    NONE = 1
    ROW = 2
    COLUMN = 3
    BOTH = 4


def count_heatmap(
    systems: Sequence[str],
    k: npt.ArrayLike,
    n_shared: npt.ArrayLike,
    *,
    key: str,
    estimator: npt.ArrayLike = "",
    difference: npt.ArrayLike | None = None,
    n_datasets: int | None = None,
    quantity: str = "score",
    decimals: int = 3,
    selected: Picked | None = None,
    leads_to: str = "",
) -> Picked | None:
    """Show directed counts for all pairs; return the pair picked in this run, else None.

    The number in a cell says on how many datasets its row is better than its column, at least.
    Hue is who is better on more of them, strength of colour by how many more; ▲ and ▼ (short
    lines in small cells) say who is better somewhere, both of them that each is.

    Parameters
    ----------
    systems
        The S names, in the order of rows and columns.
    k
        Shape (S, S), integers from 0; [i, j] counts datasets on which i is better than j. The
        diagonal is not looked at.
    n_shared
        Shape (S, S), symmetric; datasets that the count of a pair is out of. Pairs with 0 are
        hatched.
    key
        Streamlit's key.
    estimator
        Shape (S, S) of names, or one for all: by which estimator a pair is counted.
    difference
        Shape (S, S), mean of row minus column over the shared datasets, for the tooltip.
    n_datasets
        All datasets in question; by default the most that a pair shares.
    quantity, decimals
        What the difference is measured in, and its decimals.
    selected
        A pair to ring.
    leads_to
        Address of the page that a picked pair opens, as for `significance_heatmap`.

    Raises
    ------
    ValueError
        If a matrix has not the shape (S, S), or a count is negative or above `n_shared`.
    """
    header, planes = _table(systems, k, n_shared, estimator, difference, decimals)
    if len(systems) > tiles.MOST_WHOLE:
        later = {name: planes.pop(name)[0] for name in ("estimator", "difference")}
        header["tiles"] = tiles.served(later, key=key)
    header |= {
        "title": "Datasets on which the row is better than the column, at least",
        "label": f"All pairs of {len(systems)} systems: datasets on which the row is better. "
        "Arrow keys move, Enter opens the pair.",
        "n_datasets": header["n_datasets"] if n_datasets is None else n_datasets,
        "quantity": quantity,
        "decimals": decimals,
        "leads_to": leads_to,
        "selected": None if selected is None else [int(place) for place in selected],
    }
    cell = show_matrix(header, planes, key=key)
    return None if cell is None or cell[0] == cell[1] else Picked(*cell)


def _table(
    systems: Sequence[str],
    k: npt.ArrayLike,
    n_shared: npt.ArrayLike,
    estimator: npt.ArrayLike,
    difference: npt.ArrayLike | None,
    decimals: int = 3,
) -> tuple[dict[str, Any], dict[str, Plane]]:
    """Check the matrices and choose how each is sent."""
    n = len(systems)
    names = np.broadcast_to(np.asarray(estimator, dtype=str), (n, n))
    means = np.full((n, n), np.nan) if difference is None else np.asarray(difference, dtype=float)
    counts, shared = np.asarray(k), np.asarray(n_shared)
    for name, array in (("k", counts), ("n_shared", shared), ("difference", means)):
        if array.shape != (n, n):
            raise ValueError(f"`{name}` has shape {array.shape}; {n} systems need {(n, n)}")
    off = ~np.eye(n, dtype=bool)
    counts, shared = np.where(off, counts, 0), np.where(off, shared, 0)
    if (counts < 0).any() or (counts > shared).any():
        raise ValueError("`k` must lie between 0 and `n_shared`")
    kinds = kinds_of(counts, shared)
    known, codes = np.unique(names, return_inverse=True)
    codes = codes.reshape(n, n)
    planes: dict[str, Plane] = {
        "k": (_small(counts), "full", ""),
        "n_shared": (upper(_small(shared)), "symmetric", ""),
        "estimator": (codes.astype(np.uint8), "full", ""),
        "difference": (narrow(np.where(off, means, 0.0), decimals), "full", ""),
    }
    largest = next(size for most, size in LARGEST_CELL if n <= most)
    header = {
        "mode": "counts",
        "rows": [str(name) for name in systems],
        "square": True,
        "largest": [largest, largest],
        "limit": max(1, int(np.abs(counts - counts.T).max(initial=0))),
        "n_datasets": int(shared.max(initial=0)),
        "estimators": [str(name) for name in known],
        "kinds": sorted({int(kind) for kind in kinds[off]}),
    }
    return header, planes


def _small(counts: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return counts in a byte each where they fit."""
    return counts.astype(np.uint8 if counts.max(initial=0) < 256 else np.int64)


def kinds_of(k: npt.NDArray[Any], n_shared: npt.NDArray[Any]) -> npt.NDArray[np.uint8]:
    """Return the `Kind` of every pair, (S, S)."""
    row, column = k > 0, k.T > 0
    kinds = np.select(
        [n_shared == 0, row & column, row, column],
        [Kind.NOTHING, Kind.BOTH, Kind.ROW, Kind.COLUMN],
        Kind.NONE,
    )
    return kinds.astype(np.uint8)
