"""Score vectors: their bytes, their summary, their value.

A vector is float64 of shape (n_items, n_components) in the dataset's item order, NaN = missing.
The components carry what is needed to compute the metric exactly on any selection of items.
"""

from __future__ import annotations

import hashlib
import math
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from store.corpus_metrics import bleu, chrf
from store.importers.kinds import COUNTED, ONE_SCORE, Aggregation, FloatArray, Status, StatusArray


class Summary(NamedTuple):
    """What is kept beside a vector, so that no list needs to read it."""

    n_scored: int
    value: float | None
    std: float | None
    min: float | None
    max: float | None


def encode(values: FloatArray) -> bytes:
    """Return the bytes of a vector: little-endian float64, row by row."""
    return np.ascontiguousarray(values, dtype="<f8").tobytes()


def decode(data: bytes, n_components: int) -> FloatArray:
    """Return the vector of shape (n_items, n_components) behind `data`; read-only, no copy."""
    return np.frombuffer(data, dtype="<f8").reshape(-1, n_components)


def decode_status(data: bytes) -> StatusArray:
    """Return one status byte per item; read-only, no copy."""
    return np.frombuffer(data, dtype=np.uint8)


def status_columns(status: StatusArray) -> dict[str, Any]:
    """Return what the store keeps of the outcomes of a trial: counts by kind, and all of them."""
    counts = np.bincount(status, minlength=len(Status)).tolist()
    counted = {name: counts[one] for one, name in COUNTED.items()}
    return {"n_items": len(status), **counted, "data": status.tobytes()}


def digest(data: bytes) -> str:
    """Return the SHA-256 of a vector's bytes, in hex."""
    return hashlib.sha256(data).hexdigest()


def scored(values: FloatArray) -> npt.NDArray[np.bool_]:
    """Return which items have a score: all of their components are present."""
    return np.asarray(~np.isnan(values).any(axis=1))


def item_values(values: FloatArray, aggregation: Aggregation) -> FloatArray:
    """Return one number per item, shape (n_items,); NaN where there is none.

    A ratio gives each item's own ratio, F1 each item's own F1. BLEU and chrF give the value that
    the item would have as a corpus of its own. A correlation has no value for a single item.
    """
    if aggregation in ONE_SCORE:
        return values[:, 0]
    if aggregation == "bleu":
        return bleu(values)
    if aggregation == "chrf":
        return chrf(values)
    with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
        if aggregation == "ratio":
            ratio: FloatArray = np.where(values[:, 1] != 0, values[:, 0] / values[:, 1], np.nan)
            return ratio
        if aggregation == "f1":
            double = 2 * values[:, 0]
            f1: FloatArray = double / (double + values[:, 1] + values[:, 2])
            return f1
    return np.full(len(values), np.nan)


def aggregate(values: FloatArray, aggregation: Aggregation) -> float:
    """Return the metric over the scored items; NaN when it is not defined on them."""
    present = values[scored(values)]
    if not len(present):
        return math.nan
    if aggregation == "mean":
        return float(present[:, 0].mean())
    if aggregation == "median":
        return float(np.median(present[:, 0]))
    sums = present.sum(axis=0)
    if aggregation == "bleu":
        return float(bleu(sums))
    if aggregation == "chrf":
        return float(chrf(sums))
    if aggregation == "ratio":
        return float(sums[0] / sums[1]) if sums[1] else math.nan
    if aggregation == "f1":
        total = 2 * sums[0] + sums[1] + sums[2]
        return float(2 * sums[0] / total) if total else math.nan
    prediction, gold = present[:, 0], present[:, 1]
    if aggregation == "spearman":
        prediction, gold = _ranks(prediction), _ranks(gold)
    return _pearson(prediction, gold)


def summarise(values: FloatArray, aggregation: Aggregation) -> Summary:
    """Return the numbers that are stored beside a vector."""
    with np.errstate(over="ignore", invalid="ignore"):  # sums of huge scores overflow
        per_item = item_values(values, aggregation)
        finite = per_item[np.isfinite(per_item)]
        value = aggregate(values, aggregation)
        std = float(finite.std(ddof=1)) if len(finite) > 1 else math.nan
    return Summary(
        n_scored=int(scored(values).sum()),
        value=value if math.isfinite(value) else None,
        std=std if math.isfinite(std) else None,
        min=float(finite.min()) if len(finite) else None,
        max=float(finite.max()) if len(finite) else None,
    )


def pad(values: FloatArray, n_items: int) -> FloatArray:
    """Return `values` lengthened with NaN to `n_items` rows: items added after the run."""
    if len(values) == n_items:
        return values
    padded = np.full((n_items, values.shape[1]), np.nan)
    padded[: len(values)] = values
    return padded


def _ranks(values: FloatArray) -> FloatArray:
    """Ranks from 1; ties share their mean rank."""
    _, inverse, counts = np.unique(values, return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    mean_rank: FloatArray = (last - (counts - 1) / 2)[inverse]
    return mean_rank


def _pearson(x: FloatArray, y: FloatArray) -> float:
    x, y = x - x.mean(), y - y.mean()
    norm = math.sqrt(float(x @ x) * float(y @ y))
    return float(x @ y) / norm if norm else math.nan
