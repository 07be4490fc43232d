"""From components summed over items to a corpus metric."""

from typing import NamedTuple

import numpy as np

from analysis.statistics._typing import FloatArray
from analysis.statistics.validation import as_choice


class Aggregation(NamedTuple):
    """What the columns of a score are, in order."""

    components: tuple[str, ...]
    non_negative: tuple[int, ...]


AGGREGATIONS = {
    "mean": Aggregation(("score",), ()),
    "ratio": Aggregation(("numerator", "denominator"), (1,)),
    "f1": Aggregation(("true positives", "false positives", "false negatives"), (0, 1, 2)),
}
_CORRELATIONS = ("pearson", "spearman", "kendall", "correlation")


def as_aggregation(aggregation: str) -> Aggregation:
    """Return the columns that `aggregation` needs, or raise ValueError."""
    if aggregation in _CORRELATIONS:
        raise ValueError(
            f"`aggregation` '{aggregation}' is a correlation: it is not a function of sums over "
            "items, so swapping items between the systems does not test it. Use a test for "
            "correlations."
        )
    return AGGREGATIONS[as_choice(aggregation, "aggregation", AGGREGATIONS)]


def aggregate_sums(sums: FloatArray, aggregation: str, n_items: int) -> FloatArray:
    """Return the corpus metric of component sums.

    Parameters
    ----------
    sums : ndarray, shape (..., n_components)
        Components summed over items.
    aggregation : {"mean", "ratio", "f1"}
    n_items : int
        Number of items summed, at least 1; used by "mean".

    Returns
    -------
    ndarray, shape (...)
        NaN where the denominator is 0.
    """
    if aggregation == "mean":
        return sums[..., 0] / n_items
    if aggregation == "ratio":
        numerator, denominator = sums[..., 0], sums[..., 1]
    else:
        numerator = 2.0 * sums[..., 0]
        denominator = numerator + sums[..., 1] + sums[..., 2]
    metric = np.full(np.shape(denominator), np.nan)
    np.divide(numerator, denominator, out=metric, where=denominator > 0)
    return metric
