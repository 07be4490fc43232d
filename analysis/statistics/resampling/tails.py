"""Which replicates are as extreme as what was observed: one rule, one tolerance."""

from typing import NamedTuple

import numpy as np

from analysis.statistics._typing import BoolArray, FloatArray, Floats

TIE = 1e-12
"""Values this close, relative to their size, are equal but for rounding."""
COEFFICIENT_TIE = 1e-10
"""The same for differences of coefficients, which are at most 1 in size and sums of many terms."""
OTHER_SIDE = {"two-sided": "two-sided", "greater": "less", "less": "greater"}


class FlipOutcome(NamedTuple):
    """What the exchange distribution says about the observed difference."""

    pvalue: float
    floor: float
    """The smallest p-value that these data and this number of patterns could give."""
    exact: bool
    n_resamples: int
    """Random patterns drawn; 0 when the distribution is exact."""


def reached(
    drawn: Floats, observed: Floats | float, side: str, room: FloatArray | float = 0.0
) -> BoolArray:
    """Return which replicates are as extreme as what was observed, or within `room` of it.

    Parameters
    ----------
    drawn, observed, room : ndarray or float
        Broadcast together.
    side : {"two-sided", "greater", "less"}
        As large in size, as large, as small. A replicate that is not defined is as extreme.
    """
    if side == "two-sided":
        return np.asarray(~(np.abs(drawn) < np.abs(observed) - room))
    if side == "greater":
        return np.asarray(~(drawn < observed - room))
    return np.asarray(~(drawn > observed + room))
