"""From the scores of items to a corpus metric."""

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from analysis.statistics._typing import BoolArray, FloatArray
from analysis.statistics.correlations import as_ranked, correlate
from analysis.statistics.exact_sums import exact_sums
from analysis.statistics.validation import as_choice


class Aggregation(NamedTuple):
    """What the columns of a score are, in order."""

    components: tuple[str, ...]
    non_negative: tuple[int, ...]


_BLEU_ORDER = 4
_CHRF_ORDER = 6
_CHRF_WEIGHT = 4.0  # beta squared: recall counts twice
_BLEU = (
    "system length",
    "reference length",
    *(f"correct {n}-grams" for n in range(1, _BLEU_ORDER + 1)),
    *(f"{n}-grams" for n in range(1, _BLEU_ORDER + 1)),
)
_CHRF = tuple(
    f"{side} {n}-grams"
    for n in range(1, _CHRF_ORDER + 1)
    for side in ("system", "reference", "matching")
)

AGGREGATIONS = {
    "mean": Aggregation(("score",), ()),
    "median": Aggregation(("score",), ()),
    "ratio": Aggregation(("numerator", "denominator"), (1,)),
    "f1": Aggregation(("true positives", "false positives", "false negatives"), (0, 1, 2)),
    "bleu": Aggregation(_BLEU, tuple(range(len(_BLEU)))),
    "chrf": Aggregation(_CHRF, tuple(range(len(_CHRF)))),
    "pearson": Aggregation(("prediction", "gold"), ()),
    "spearman": Aggregation(("prediction", "gold"), ()),
}
CORRELATIONS = ("pearson", "spearman")
RANGES = {
    "f1": (0.0, 1.0),
    "bleu": (0.0, 100.0),
    "chrf": (0.0, 100.0),
    **dict.fromkeys(CORRELATIONS, (-1.0, 1.0)),
}
"""Lowest and highest value of the metrics whose formula has them."""
_NOT_FROM_SUMS = ("median", *CORRELATIONS)


def as_aggregation(aggregation: str) -> Aggregation:
    """Return the columns that `aggregation` needs, or raise ValueError."""
    return AGGREGATIONS[as_choice(aggregation, "aggregation", AGGREGATIONS)]


def is_sum_based(aggregation: str) -> bool:
    """Return whether the metric is a function of its components summed over items."""
    return aggregation not in _NOT_FROM_SUMS


def aggregate_sums(sums: FloatArray, aggregation: str, n_items: int | FloatArray) -> FloatArray:
    """Return the corpus metric of component sums.

    Parameters
    ----------
    sums : ndarray, shape (..., n_components)
        Components summed over items.
    aggregation : {"mean", "ratio", "f1", "bleu", "chrf"}
        "bleu" and "chrf" are those of sacrebleu 2 by its defaults, 0 to 100: BLEU of order 4 with
        exponential smoothing, chrF2 of character order 6 with effective order.
    n_items : int or ndarray, shape (...)
        Number of items summed, at least 1; used by "mean".

    Returns
    -------
    ndarray, shape (...)
        NaN where the denominator of a ratio or F1 is 0, or so small that the quotient has no
        value in float64. BLEU and chrF without matches are 0.

    Raises
    ------
    ValueError
        If the metric is no function of sums.

    References
    ----------
    Papineni et al. (2002), BLEU; Chen and Cherry (2014), smoothing method 3; Popović (2015),
    chrF; Post (2018), A Call for Clarity in Reporting BLEU Scores (sacrebleu).
    """
    if aggregation == "mean":
        return sums[..., 0] / n_items
    metric = _FROM_SUMS[as_choice(aggregation, "aggregation", _FROM_SUMS)]
    with np.errstate(over="ignore", invalid="ignore"):
        values = metric(sums)
    return np.where(np.isfinite(values), values, np.nan)


def aggregate_items(values: FloatArray, aggregation: str) -> float:
    """Return the corpus metric of one system.

    Parameters
    ----------
    values : ndarray, shape (n_items, n_components)
        An item with a NaN in any component is left out.
    aggregation : {"mean", "median", "ratio", "f1", "bleu", "chrf", "pearson", "spearman"}

    Returns
    -------
    float
        NaN without items, over a denominator of 0, and for a correlation with a constant.
    """
    kind = as_aggregation(aggregation)
    if values.ndim != 2 or values.shape[1] != len(kind.components):
        raise ValueError(
            f"`values` must have shape (n_items, {len(kind.components)}) for aggregation "
            f"'{aggregation}', got {values.shape}."
        )
    present = values[~np.isnan(values).any(axis=1)]
    if not len(present):
        return math.nan
    if is_sum_based(aggregation):
        sums = exact_sums(present.T)
        return float(aggregate_sums(sums, aggregation, len(present)))
    if aggregation == "median":
        return float(np.median(present[:, 0]))
    return correlate(*(as_ranked(column, aggregation) for column in present.T))


def aggregate_systems(values: FloatArray, aggregation: str) -> FloatArray:
    """Return the corpus metric of each system, as `aggregate_items` does.

    Parameters
    ----------
    values : ndarray, shape (n_systems, n_items, n_components)
        An item with a NaN in any component is left out for that system.
    aggregation : str
        As for `aggregate_items`.

    Returns
    -------
    ndarray of float, shape (n_systems,)
    """
    if not is_sum_based(aggregation):
        return np.array([aggregate_items(system, aggregation) for system in values])
    missing: BoolArray = np.asarray(np.isnan(values).any(axis=2))
    counts = values.shape[1] - np.count_nonzero(missing, axis=1)
    present = np.where(missing[:, :, np.newaxis], 0.0, values) if missing.any() else values
    sums = np.stack([exact_sums(column) for column in np.moveaxis(present, 2, 0)], axis=-1)
    metric = aggregate_sums(sums, aggregation, np.maximum(counts, 1.0))
    return np.where(counts > 0, metric, math.nan)


def _ratio(sums: FloatArray) -> FloatArray:
    return _divide(sums[..., 0], sums[..., 1])


def _f1(sums: FloatArray) -> FloatArray:
    numerator = 2.0 * sums[..., 0]
    return _divide(numerator, numerator + sums[..., 1] + sums[..., 2])


def _bleu(sums: FloatArray) -> FloatArray:
    system, reference = sums[..., 0], sums[..., 1]
    correct, total = sums[..., 2 : 2 + _BLEU_ORDER], sums[..., 2 + _BLEU_ORDER :]
    defined = np.any(correct > 0, axis=-1) & np.all(total > 0, axis=-1)
    # Order by order, a precision of 0 counts as 1 / (2, 4, 8 ... times the number of n-grams).
    smoothing = np.exp2(np.cumsum(correct <= 0, axis=-1))
    matches = np.where(correct > 0, correct, 1.0 / smoothing)
    logarithms = np.log(matches) - np.log(np.where(total > 0, total, 1.0))
    length = np.where(system > 0, system, 1.0)
    brevity = np.minimum(0.0, 1.0 - reference / length)
    score = 100.0 * np.exp(brevity + np.mean(logarithms, axis=-1))
    return np.where(defined & (system > 0), score, 0.0)


def _chrf(sums: FloatArray) -> FloatArray:
    system, reference, matching = sums[..., 0::3], sums[..., 1::3], sums[..., 2::3]
    counted = (system > 0) & (reference > 0)
    orders = np.maximum(np.sum(counted, axis=-1), 1)
    precision = _mean_share(matching, system, counted) / orders
    recall = _mean_share(matching, reference, counted) / orders
    numerator = 100.0 * (1.0 + _CHRF_WEIGHT) * precision * recall
    denominator = _CHRF_WEIGHT * precision + recall
    return np.where(denominator > 0, numerator / np.where(denominator > 0, denominator, 1.0), 0.0)


def _mean_share(part: FloatArray, whole: FloatArray, counted: np.ndarray) -> FloatArray:
    share = np.where(counted, part, 0.0) / np.where(counted, whole, 1.0)
    return np.asarray(np.sum(share, axis=-1))


def _divide(numerator: FloatArray, denominator: FloatArray) -> FloatArray:
    metric = np.full(np.shape(denominator), np.nan)
    np.divide(numerator, denominator, out=metric, where=denominator > 0)
    return metric


_FROM_SUMS: dict[str, Callable[[FloatArray], FloatArray]] = {
    "ratio": _ratio,
    "f1": _f1,
    "bleu": _bleu,
    "chrf": _chrf,
}
