"""Which model the scores of two systems call for."""

from __future__ import annotations

import math
from typing import Final

import numpy as np
import scipy

from analysis.statistics.item_groups import as_group_codes
from analysis.statistics.paired.inference import infer_pair
from analysis.statistics.planning.accuracy.agreement import AgreementModel
from analysis.statistics.planning.corpus.effects import exchange_effects
from analysis.statistics.standard_error import rounding_error, spread_of_mean
from analysis.studies.power.pair_models import (
    AccuracyModel,
    CorpusPairModel,
    MeanModel,
    PairModel,
    Target,
)
from analysis.studies.power.pair_scores import PairScores, column

_INTERVAL_RESAMPLES: Final = 999


def model_of(
    pair: PairScores, target: Target, *, expected: AgreementModel | None = None, seed: int = 0
) -> PairModel | str:
    """Return what the scores of a pair say about comparisons like it, or why they say nothing.

    Parameters
    ----------
    pair
        Two systems' scores.
    target
        Level, power, direction.
    expected
        What agreement to expect of right or wrong items where the pair's own leaves no gap to
        find; None: then nothing is said.
    seed
        Of the bootstrap for metrics that have no other standard error.
    """
    if pair.n_units < 2:
        return f"the two share fewer than two {'items' if pair.groups is None else 'groups'}"
    if pair.aggregation == "mean":
        if pair.is_right_or_wrong and pair.groups is None:
            return _of_accuracies(pair, target, expected)
        try:
            return mean_model(pair, target)
        except ValueError:
            return "the two differ by the same amount on every item"
    if pair.aggregation == "median":
        error = _by_interval(pair, seed)
        if not error > 0:
            return "the interval of the difference has no width"
        return MeanModel(error, pair.n_items, pair.n_units, target, "paired bootstrap test")
    try:
        effects = exchange_effects(
            column(pair.first),
            column(pair.second),
            aggregation=pair.aggregation,
            groups=pair.groups,
        )
    except ValueError:
        return "the metric is not defined on these items"
    if not effects.scale > 0:
        return "exchanging the two changes the metric on no item"
    return CorpusPairModel(effects.p_zero, effects.scale, pair.n_items, pair.n_units, target)


def _of_accuracies(
    pair: PairScores, target: Target, expected: AgreementModel | None
) -> PairModel | str:
    """Return a model by the pair's own agreement, or by the expected one where that is too high."""
    baseline = min(float(np.mean(pair.first)), float(np.mean(pair.second)))
    own = AccuracyModel(baseline, pair.agreement, target)
    if not math.isnan(own.smallest_found(pair.n_items)):
        return own
    if expected is not None:
        return AccuracyModel(baseline, expected, target)
    return (
        f"the two agree on all but {round((1 - pair.agreement) * pair.n_items):,} of "
        f"{pair.n_items:,} items, too few to test"
    )


def mean_model(pair: PairScores, target: Target) -> MeanModel:
    """Return Student's t for the mean scores of a pair.

    Raises
    ------
    ValueError
        The metric is no mean, or the differences do not vary.
    """
    if pair.aggregation != "mean":
        raise ValueError(
            f"`by` 'normal' is for means of item scores, and this metric is by "
            f"'{pair.aggregation}'. Leave `by` out."
        )
    first, second = pair.first[:, 0], pair.second[:, 0]
    codes = None if pair.groups is None else as_group_codes(pair.groups, pair.n_items)
    error = spread_of_mean(first - second, codes, rounding_error(first, second)).standard_error
    if not error > 0:
        raise ValueError("The two differ by the same amount on every item.")
    differs = first != second
    n_differing = int(np.count_nonzero(differs))
    if codes is not None:
        n_differing = np.unique(codes[differs]).size
    return MeanModel(error, pair.n_items, pair.n_units, target, n_differing=n_differing)


def _by_interval(pair: PairScores, seed: int) -> float:
    """Return the standard error that an interval stands for."""
    bounds = infer_pair(
        column(pair.first),
        column(pair.second),
        aggregation=pair.aggregation,
        groups=pair.groups,
        n_resamples=_INTERVAL_RESAMPLES,
        rng=seed,
    ).interval
    return (
        (bounds.high - bounds.low)
        / 2
        / float(scipy.special.ndtri(0.5 + bounds.confidence_level / 2))
    )
