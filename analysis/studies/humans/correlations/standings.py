"""What is known of a metric against another one."""

from __future__ import annotations

import math
from typing import Literal

Standing = Literal["reference", "better", "worse", "undecided", "untested"]


def stands(pvalue: float, difference: float, alpha: float, is_itself: bool) -> Standing:
    """Return how a metric stands to the one it was tested against.

    The direction is that of the difference that was tested, on the cells that both metrics
    scored: on all the cells of each by itself it can be another.
    """
    if is_itself:
        return "reference"
    if math.isnan(pvalue):
        return "untested"
    if pvalue > alpha:
        return "undecided"
    return "better" if difference > 0 else "worse"
