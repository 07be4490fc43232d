"""A corpus metric under every exchange of two systems that differ on a few items only.

Exchanging the systems on an item keeps the sum of their scores and turns the sign of their
difference. With S the sums over items and V = Σ ± (a - b), the exchanged systems have
(S + V) / 2 and (S - V) / 2: only V is listed. The differences are brought into one canonical
order and sign first, so the result depends neither on the order of the items nor on which system
is called a.
"""

import math

import numpy as np

from analysis.statistics._typing import FloatArray, IntArray
from analysis.statistics.aggregate import CORRELATIONS, aggregate_sums
from analysis.statistics.correlations import exchangeable_moments, from_moments
from analysis.statistics.fixed_point import whole_differences
from analysis.statistics.resampling.tails import TIE, FlipOutcome, reached

MAX_ENUMERATED = 16
"""Up to this many differing items all 2^n patterns are listed."""


def list_flips(
    a: FloatArray,
    b: FloatArray,
    *,
    aggregation: str,
    alternative: str,
    groups: IntArray | None = None,
) -> FlipOutcome:
    """Test a difference of corpus metrics against all exchanges.

    Parameters
    ----------
    a, b : ndarray, shape (n_items, n_components)
        Complete items that differ on at most 16 items or groups; the metric of both systems must
        be defined.
    aggregation : {"ratio", "f1", "bleu", "chrf", "pearson", "spearman"}
        For a correlation, predictions are exchanged, standardised or ranked per system; gold
        stays with its item.
    alternative : {"two-sided", "greater", "less"}
        Two-sided counts patterns with ``|T| >= |t|``.
    groups : ndarray of int, shape (n_items,), optional
        Numbers of the items' groups from 0; whole groups are exchanged.

    Notes
    -----
    Equality is to a relative 1e-12, so that equal quotients of different sums count as ties. A
    metric that an exchange leaves undefined counts as 0.
    """
    if aggregation in CORRELATIONS:
        a, b = (exchangeable_moments(side, aggregation) for side in (a, b))
    columns = [whole_differences(a[:, c], b[:, c]) for c in range(a.shape[1])]
    signed = np.stack([column.steps for column in columns], axis=1)
    steps = np.array([column.step for column in columns])
    totals = np.array([math.fsum([*a[:, c], *b[:, c]]) for c in range(a.shape[1])])

    def differences(sums: FloatArray) -> FloatArray:
        values = sums * steps
        sides = (totals + values) / 2, (totals - values) / 2
        first, second = (exchanged_metric(side, aggregation, len(a)) for side in sides)
        return first - second

    observed, drawn = float(differences(np.sum(signed, axis=0))), differences(_sums(signed, groups))
    room = TIE
    if aggregation not in CORRELATIONS:
        room *= max(abs(float(exchanged_metric(totals / 2, aggregation, len(a)))), abs(observed))
    # The canonical rows ignore which system is a, so "less" is "greater" with the sign turned:
    # exchanging a and b then gives the same count.
    side = "two-sided" if alternative == "two-sided" else "greater"
    target = -observed if alternative == "less" else observed
    most = np.max(np.abs(drawn) if side == "two-sided" else drawn)
    extreme, fewest = (np.count_nonzero(reached(drawn, at, side, room)) for at in (target, most))
    return FlipOutcome(float(extreme / drawn.size), float(fewest / drawn.size), True, 0)


def exchanged_metric(sums: FloatArray, aggregation: str, n_items: int) -> FloatArray:
    """Return the metric of sums over exchanged items; 0 where it is not defined."""
    if aggregation in CORRELATIONS:
        found = from_moments(sums, n_items)
    else:
        found = aggregate_sums(sums, aggregation, n_items)
    return np.where(np.isnan(found), 0.0, found)


def _sums(signed: FloatArray, groups: IntArray | None) -> FloatArray:
    """Return Σ ± difference for all sign patterns of units, shape (2^n, n_components)."""
    if groups is not None:
        signed = np.stack([np.bincount(groups, weights=steps) for steps in signed.T], axis=1)
    rows = signed[np.any(signed != 0, axis=1)]
    # The first component that differs decides the sign of a row.
    leading = rows[np.arange(len(rows)), np.argmax(rows != 0, axis=1)]
    rows = rows * np.sign(leading)[:, np.newaxis]
    sums = np.zeros((1, rows.shape[1]))
    for row in rows[np.lexsort(rows.T)]:
        sums = np.concatenate([sums + row, sums - row])
    return sums
