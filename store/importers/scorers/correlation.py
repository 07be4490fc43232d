"""Correlation of predicted numbers with the right ones, kept as pairs."""

from __future__ import annotations

from typing import Literal

import numpy as np

from store.importers.bundle import BundleMetric, FloatArray
from store.importers.cells import CellError, parse_number
from store.importers.scorers.metric import Outputs, Prepare, Prepared, References


def number_of(text: str | None) -> float:
    """Return the number that a text is; NaN where it is none."""
    try:
        return float("nan") if text is None else parse_number(text)[0]
    except CellError:
        return float("nan")


def correlation(kind: Literal["pearson", "spearman"]) -> Prepare:
    """Return what prepares the correlation of the outputs, read as numbers, with the gold."""
    metric = BundleMetric(
        kind, "predictions with gold", higher_is_better=True, aggregation=kind, lower=-1, upper=1
    )

    def prepare(references: References, language: str) -> Prepared:
        gold = np.array([number_of(rights[0]) for rights in references])

        def values(outputs: Outputs) -> FloatArray:
            pairs = np.stack([np.array([number_of(given) for given in outputs]), gold], axis=1)
            pairs[np.isnan(pairs).any(axis=1)] = np.nan
            return pairs

        return Prepared(metric, values)

    return prepare
