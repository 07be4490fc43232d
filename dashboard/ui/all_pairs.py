"""What the page of all pairs lets a reader choose, and in which order it shows the systems."""

from __future__ import annotations

import numpy as np

from analysis import numbers
from analysis.studies.pairs import PairsStudy

ORDERS = ("score", "name", "likeness")


def ordered(study: PairsStudy, order: str) -> list[int]:
    """Return the positions of the systems in the order asked for."""
    if order == "name":
        return list(study.order_by_name)
    if order == "likeness":
        return list(study.order_by_cluster)
    return list(range(len(study.systems)))


def places(study: PairsStudy) -> int:
    """Return the decimals that the intervals of the differences support."""
    widths = (study.ci_high - study.ci_low)[np.triu_indices(len(study.systems), 1)]
    widths = widths[np.isfinite(widths) & (widths > 0)]
    span = 100.0 if any(abs(score) > 1.5 for score in study.scores) else 1.0
    half_width = float(np.median(widths)) / 2 if widths.size else None
    return numbers.decimals(half_width=half_width, n=study.n_units or None, span=span)
