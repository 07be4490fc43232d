"""The Ladder: a leaderboard that moves only when a system is clearly better than the best."""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from analysis.statistics._typing import BoolArray, FloatArray, IntArray
from analysis.statistics.results import Result, read_only
from analysis.statistics.signature import build_signature
from analysis.statistics.validation import as_floats

_FEWEST_ITEMS = 2
_TOLERANCE = 1e-9
"""Share of the unit shown within which two numbers are taken for equal."""


@dataclass(frozen=True, slots=True, eq=False)
class Ladder(Result):
    """What a Ladder leaderboard shows after each look.

    Attributes
    ----------
    values : ndarray of float, shape (n_looks,)
        Score of each system, higher is better; NaN where it has none.
    released : ndarray of float, shape (n_looks,)
        Best score shown after each look, rounded; NaN before the first system with a score.
    climbed : ndarray of bool, shape (n_looks,)
        Where the shown best moved: the system beat it by more than `margins`.
    margins : ndarray of float, shape (n_looks,)
        Gain over the shown best that was asked for; 0 for the first system, NaN where a system
        has no score.
    leaders : ndarray of int, shape (n_looks,)
        Index of the system that the shown best comes from; -1 where there is none.
    n_items : int
        Items behind each score.
    """

    values: FloatArray
    released: FloatArray
    climbed: BoolArray
    margins: FloatArray
    leaders: IntArray
    n_items: int

    @property
    def signature(self) -> str:
        """One line from which the leaderboard can be repeated."""
        return build_signature("ladder", looks=self.values.size, step="by items", n=self.n_items)


def ladder(scores: npt.ArrayLike) -> Ladder:
    """Return what a Ladder leaderboard without a parameter shows after each look.

    A system climbs if its mean is above the shown best by more than one standard error of its
    difference from the leader; the best is then shown to 1/n_items.

    Parameters
    ----------
    scores : array_like, shape (n_looks, n_items)
        Higher is better, systems in the order in which they were scored. A row of NaN is a look
        without item scores: it never climbs.

    Returns
    -------
    Ladder

    Raises
    ------
    TypeError
        If `scores` does not hold numbers.
    ValueError
        If `scores` is not 2-D, has infinite values or fewer than 2 items, or a system misses
        some items.

    Notes
    -----
    One standard error is a level of about 0.16 for each look: the Ladder keeps the shown best
    close to the truth when systems adapt to what it shows; it is no test that a gain is real.

    The standard deviation has n - 1 in the denominator, as in the authors' code.

    References
    ----------
    .. [1] Blum and Hardt (2015), The Ladder: a reliable leaderboard for machine learning
       competitions: the parameter-free Ladder (losses there, scores here).

    Examples
    --------
    >>> shown = ladder([[0, 0, 1, 1], [0, 1, 1, 0], [1, 1, 1, 1]])
    >>> shown.released, shown.climbed
    (array([0.5, 0.5, 1. ]), array([ True, False,  True]))
    """
    matrix = as_floats(scores, "scores")
    if matrix.ndim != 2:
        raise ValueError(f"`scores` must be 2-D (looks × items), got shape {matrix.shape}.")
    n_items = matrix.shape[1]
    if n_items < _FEWEST_ITEMS:
        raise ValueError(f"`scores` must have at least {_FEWEST_ITEMS} items, got {n_items}.")
    if np.isinf(matrix).any():
        raise ValueError("`scores` must be finite (NaN = missing), got an infinite value.")
    missing = np.isnan(matrix).sum(axis=1)
    partial = np.flatnonzero((missing > 0) & (missing < n_items))
    if partial.size:
        raise ValueError(
            f"`scores` of a system must cover all items or none: row {partial[0]} misses "
            f"{missing[partial[0]]} of {n_items}; pass the items that all systems share."
        )

    def standard_error(look: int, leader: int) -> float:
        return float(np.std(matrix[look] - matrix[leader], ddof=1)) / math.sqrt(n_items)

    return _climb(matrix.mean(axis=1), standard_error, n_items)


def _climb(
    values: FloatArray,
    margin: Callable[[int, int], float],
    n_items: int,
) -> Ladder:
    """Move the shown best where a value passes it by more than `margin(look, leader)`."""
    unit = 1 / n_items
    released = np.full(values.size, np.nan)
    margins = np.full(values.size, np.nan)
    climbed = np.zeros(values.size, dtype=np.bool_)
    leaders = np.full(values.size, -1, dtype=np.int64)
    best, leader = -math.inf, -1
    for look, value in enumerate(values.tolist()):
        if not math.isnan(value):
            margins[look] = margin(look, leader) if leader >= 0 else 0.0
            if value - best > margins[look] + _TOLERANCE * unit:
                best, leader, climbed[look] = round(value / unit) * unit, look, True
        if leader >= 0:
            released[look], leaders[look] = best, leader
    return Ladder(
        values=read_only(values),
        released=read_only(released),
        climbed=read_only(climbed),
        margins=read_only(margins),
        leaders=read_only(leaders),
        n_items=n_items,
    )
