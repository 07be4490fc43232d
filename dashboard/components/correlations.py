"""Metrics × datasets: how closely each metric follows the human judgments, and against which."""

from collections.abc import Sequence
from enum import IntEnum
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from dashboard.components.canvas import Plane, narrow, show_matrix


class Standing(IntEnum):
    """A metric on a dataset against the reference metric; numbers that the browser knows."""

    UNKNOWN = 0
    ALIKE = 1
    BETTER = 2
    WORSE = 3
    REFERENCE = 4


class PickedCell(NamedTuple):
    """The cell that the reader picked, as indices."""

    metric: int
    dataset: int


def correlation_heatmap(
    metrics: Sequence[str],
    datasets: Sequence[str],
    values: npt.ArrayLike,
    low: npt.ArrayLike,
    high: npt.ArrayLike,
    standing: npt.ArrayLike,
    *,
    quantity: str,
    reference: str,
    key: str,
    decimals: int = 2,
    confidence: float = 0.95,
    caption: str = "",
    ends: tuple[float, float] | None = None,
    leads_to: str = "",
    among: bool = False,
) -> PickedCell | None:
    """Show coefficients as shades with their numbers; return the cell picked in this run.

    ▲ and ▼ (short lines in small cells) stand where a metric follows the judgments of a
    dataset better or worse than the reference metric does.

    Parameters
    ----------
    metrics, datasets
        The M and D names, in the order of rows and columns.
    values, low, high
        Shape (M, D): coefficients with their intervals; NaN where there is none.
    standing
        Shape (M, D), codes of `Standing`.
    quantity
        What the coefficient is, for key and tooltip: "Pearson's r".
    reference
        Name of the reference metric.
    key
        Streamlit's key.
    decimals
        Decimals of a coefficient.
    confidence
        Of the intervals.
    caption
        What the shade means, for the key; default "Shade: … with the judgments".
    ends
        Coefficients at the pale and the dark end of the scale; default `scale_ends`.
    leads_to
        Address of the page that a picked cell opens; metric and dataset come after it as
        ``metric`` and ``dataset``. Without it the cell is returned.
    among
        Rows and columns are the same things: the diagonal stays empty.

    Raises
    ------
    ValueError
        If a matrix has not the shape (M, D), or `standing` has an unknown code.
    """
    shape = (len(metrics), len(datasets))
    planes: dict[str, Plane] = {}
    for name, given in (("value", values), ("low", low), ("high", high)):
        array = np.asarray(given, dtype=np.float64)
        if array.shape != shape:
            raise ValueError(_wrong(name if name != "value" else "values", array, shape))
        planes[name] = (narrow(array, decimals), "full", "")
    codes = np.asarray(standing)
    if codes.shape != shape:
        raise ValueError(_wrong("standing", codes, shape))
    known_codes = sorted({int(code) for code in codes.flat})
    if not set(known_codes) <= set(Standing):
        raise ValueError(
            f"`standing` has {known_codes}; it may hold {[int(code) for code in Standing]}"
        )
    planes["standing"] = (codes.astype(np.uint8), "full", "")
    shown = planes["value"][0]
    if among:
        shown = shown[~np.eye(*shape, dtype=bool)]
    known = shown[np.isfinite(shown)]
    low_end, high_end = scale_ends(known) if ends is None else ends
    header: dict[str, Any] = {
        "mode": "correlations",
        "title": f"Metrics and judgments, {quantity}",
        "label": f"{shape[0]} by {shape[1]}, {quantity}. Arrow keys move."
        if among
        else f"{shape[0]} metrics by {shape[1]} datasets, {quantity}. "
        "Arrow keys move, Enter opens the dataset.",
        "rows": [str(name) for name in metrics],
        "columns": [str(name) for name in datasets],
        "square": False,
        "among": among,
        "largest": [64, 34],
        "low": low_end,
        "high": high_end,
        "clipped": bool(known.size and known.min() < low_end),
        "decimals": decimals,
        "quantity": quantity,
        "caption": caption or f"Shade: {quantity} with the judgments",
        "reference": reference,
        "level": f"{100 * confidence:g} %",
        "missing": bool(known.size < shown.size),
        "codes": known_codes,
        "leads_to": leads_to,
        "carries": ["metric", "dataset"],
        "selected": None,
    }
    cell = show_matrix(header, planes, key=key)
    return None if cell is None else PickedCell(*cell)


def scale_ends(known: npt.NDArray[np.floating[Any]]) -> tuple[float, float]:
    """Choose the coefficients at the ends of the scale; a few low ones share its pale end.

    One metric that follows nobody would leave all others equally dark, so the scale begins three
    times as far below the 85th percentile as the 15th is, where some lie lower.
    """
    if not known.size:
        return 0.0, 1.0
    usual, above = (float(np.quantile(known, q)) for q in (0.15, 0.85))
    return max(float(known.min()), above - 3 * (above - usual)), float(known.max())


def _wrong(name: str, array: npt.NDArray[Any], shape: tuple[int, int]) -> str:
    return (
        f"`{name}` has shape {array.shape}; {shape[0]} metrics on {shape[1]} datasets need {shape}"
    )
