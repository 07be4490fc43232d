"""Is a metric one of the annotators? What exchanging it with one of them would do."""

from typing import NamedTuple

import numpy as np

from analysis.statistics._typing import FloatArray, IntArray
from analysis.statistics.annotation.agreement import TieCredit, credit
from analysis.statistics.annotation.judged import CoJudged
from analysis.statistics.random_streams import BLOCK_ROWS, Stream, random_uniforms

_SAME = 1e-12


class Exchanges(NamedTuple):
    """By how much the difference changes if the metric and an annotator change places.

    The places of a group, one for each of its annotators and one for leaving all as it is, follow
    one another.
    """

    first: IntArray
    """Of each group, its first place, shape (n_groups,)."""
    n_places: IntArray
    change: FloatArray
    """Of each place."""


def exchanges(
    judged: FloatArray,
    said: FloatArray,
    shared: CoJudged,
    groups: IntArray,
    tie_credit: TieCredit,
) -> Exchanges:
    """Return what each exchange does to (agreement of annotators) - (agreement with the metric).

    Parameters
    ----------
    judged : ndarray, shape (n_annotators, n_units)
        NaN on all units that do not count: each that does has two judgments or more.
    said : ndarray, shape (n_units,)
        The metric; a value on each unit that counts.
    shared : CoJudged
        Of `judged`.
    groups : ndarray of int, shape (n_units,)
        On the units of a group all exchanges are with the same annotator.
    tie_credit : {"half", "strict"}

    Notes
    -----
    With x the values of a unit, m the metric's, c agreement and w the weight that both means give
    to a pair of annotators on the unit, exchanging k and the metric adds the sum over the other
    annotators b of (w_kb + v_b) (c(m, x_b) - c(x_k, x_b)), v_b being half the sum of w over all
    pairs of b.
    """
    n_annotators = max(len(judged), 1)
    unit, annotator = np.nonzero(~np.isnan(judged.T))
    cells = unit * n_annotators + annotator  # ascending
    first, second = shared.first[shared.pair], shared.second[shared.pair]
    sides = [np.searchsorted(cells, shared.unit * n_annotators + who) for who in (first, second)]
    n_shared = np.bincount(shared.pair)
    weight = (1 / (n_shared * len(n_shared)))[shared.pair] if n_shared.size else np.empty(0)
    of_cell = sum(np.bincount(side, weights=weight / 2, minlength=len(cells)) for side in sides)
    between, metric = credit(shared.a, shared.b, tie_credit), said[shared.unit]
    keys, place = np.unique(groups[unit] * n_annotators + annotator, return_inverse=True)
    place = place.reshape(-1)
    change = np.zeros(len(keys))
    for leaving, other, value in ((sides[0], sides[1], shared.b), (sides[1], sides[0], shared.a)):
        gained = credit(metric, value, tie_credit) - between
        added = (weight + np.asarray(of_cell)[other]) * gained
        change += np.bincount(place[leaving], weights=added, minlength=len(keys))
    met, first_key, counts = np.unique(keys // n_annotators, return_index=True, return_counts=True)
    # One more place in front of each group: nothing is exchanged.
    with_stay = np.insert(change, first_key, 0.0)
    begins = first_key + np.arange(len(met))
    return Exchanges(begins.astype(np.int64), (counts + 1).astype(np.int64), with_stay)


def exchange_pvalue(found: Exchanges, n_resamples: int, seed: int) -> float:
    """Return the two-sided p-value of the metric being one of the annotators.

    Twice the smaller share of random exchanges after which the difference is at least, or at
    most, as large as observed; one is added to each count and to the number of exchanges.
    """
    n_groups = len(found.first)
    if not n_groups:
        return float("nan")
    above = below = 0
    for block, start in enumerate(range(0, n_resamples, BLOCK_ROWS)):
        rows = min(BLOCK_ROWS, n_resamples - start)
        draws = random_uniforms(seed, Stream.ANNOTATOR_SWAPS, block, n_groups)[:rows]
        places = found.first + (draws * found.n_places).astype(np.int64)
        moved = found.change[places].sum(axis=1)
        above += int(np.count_nonzero(moved >= -_SAME))
        below += int(np.count_nonzero(moved <= _SAME))
    return min(1.0, 2 * (min(above, below) + 1) / (n_resamples + 1))
