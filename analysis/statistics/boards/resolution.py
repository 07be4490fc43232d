"""How finely a leaderboard can tell its systems apart."""

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from analysis.statistics._typing import FloatArray
from analysis.statistics.boards.rank_intervals import as_different
from analysis.statistics.results import Result
from analysis.statistics.signature import build_signature
from analysis.statistics.validation import as_choice, as_floats, as_level

_CORRECTIONS = ("none", "bonferroni", "holm", "hochberg", "hommel", "bh", "by", "max-t")

_SMALLEST_EFFECT = 1e-6
"""Difference over standard deviation below which no number of items is of use."""


@dataclass(frozen=True, slots=True, eq=False)
class BoardResolution(Result):
    """What a leaderboard can tell apart.

    Attributes
    ----------
    adjacent_separable : float
        Share of neighbours by score that differ; NaN with fewer than two systems.
    n_adjacent : int
        Pairs of neighbours.
    smallest_separable_gap : float
        Smallest difference between two systems that differ; NaN where none do.
    items_to_separate_top_two : int or None
        Items needed to tell the first two apart with probability `power`, if they differ as they
        do now; None where they are as good as equal, or have no standard error.
    alpha : float
        Level of the whole family.
    level : float
        Level that the first two have to meet.
    power : float
    """

    adjacent_separable: float
    n_adjacent: int
    smallest_separable_gap: float
    items_to_separate_top_two: int | None
    alpha: float
    level: float
    power: float

    @property
    def signature(self) -> str:
        """One line from which the resolution can be repeated."""
        return build_signature("board", alpha=self.alpha, level=self.level, power=self.power)


def board_resolution(
    values: npt.ArrayLike,
    different: npt.ArrayLike,
    difference: npt.ArrayLike,
    standard_error: npt.ArrayLike,
    n_items: npt.ArrayLike,
    *,
    alpha: float = 0.05,
    power: float = 0.8,
    correction: str = "none",
) -> BoardResolution:
    """Return how finely a leaderboard can tell its systems apart.

    Parameters
    ----------
    values : array_like, shape (n_systems,)
        Scores, higher is better; systems with NaN are left out.
    different : array_like of bool, shape (n_systems, n_systems)
        Which pairs differ. Symmetric; the diagonal is ignored.
    difference, standard_error : array_like, shape (n_systems, n_systems)
        Of the metric, row minus column; NaN where there is none.
    n_items : array_like of int, shape (n_systems, n_systems)
        Items behind each pair.
    alpha : float
        Level of `different`, of the whole family.
    power : float
        Probability with which the first two shall be told apart.
    correction : str
        What `different` was corrected by. It decides the level that the first two have to meet:
        that at which the next pair would be told apart by Holm's rule, with the pairs told apart
        so far (for Benjamini's rules likewise; for max-T Holm's is an upper bound).

    Returns
    -------
    BoardResolution

    Raises
    ------
    ValueError
        If shapes do not fit, `different` is not symmetric, or a level is out of range.

    Notes
    -----
    Items needed are of a t test (noncentral t) on item differences that vary as they do now;
    with groups of items the standard error is that of groups, and more items means more groups.
    The observed difference of the first two is on average too large when it was picked for being
    on top, so the number is a lower guide.

    Examples
    --------
    >>> same = [[False] * 3] * 3
    >>> found = board_resolution([3, 2, 1], same, np.ones((3, 3)), np.ones((3, 3)), [[9] * 3] * 3)
    >>> found.adjacent_separable, found.items_to_separate_top_two
    (0.0, 73)
    """
    scores = as_floats(values, "values")
    pairs = as_different(different, scores)
    gain = _as_matrix(difference, "difference", len(scores))
    error = _as_matrix(standard_error, "standard_error", len(scores))
    counts = _as_matrix(n_items, "n_items", len(scores))
    family = as_level(alpha)
    chance = as_level(power, name="power")
    as_choice(correction, "correction", _CORRECTIONS)
    ranked = np.flatnonzero(~np.isnan(scores))
    order = ranked[np.argsort(-scores[ranked], kind="stable")]
    adjacent = pairs[order[:-1], order[1:]]
    gaps = np.abs(gain[pairs])
    upper = np.triu(np.ones_like(pairs), 1)
    level = _next_level(
        family, correction, int((upper & np.isfinite(gain)).sum()), int((upper & pairs).sum())
    )
    needed = None
    if len(order) > 1:
        top = (int(order[0]), int(order[1]))
        needed = _items_for(gain[top], error[top], counts[top], level, chance)
    return BoardResolution(
        adjacent_separable=float(adjacent.mean()) if adjacent.size else math.nan,
        n_adjacent=int(adjacent.size),
        smallest_separable_gap=float(gaps.min()) if gaps.size else math.nan,
        items_to_separate_top_two=needed,
        alpha=family,
        level=level,
        power=chance,
    )


def _next_level(alpha: float, correction: str, n_pairs: int, n_different: int) -> float:
    """Return the level that one more pair has to meet."""
    if correction == "none" or not n_pairs:
        return alpha
    if correction == "bonferroni":
        return alpha / n_pairs
    if correction in ("bh", "by"):
        tests = n_pairs * (sum(1 / k for k in range(1, n_pairs + 1)) if correction == "by" else 1)
        return alpha * min(n_different + 1, n_pairs) / tests
    return alpha / max(1, n_pairs - n_different)


def _items_for(
    difference: float, error: float, n_items: float, level: float, power: float
) -> int | None:
    if not (0 < error < math.inf and n_items > 0 and 0 < abs(difference) < math.inf):
        return None
    from analysis.statistics.planning.power import items_needed

    std = error * math.sqrt(n_items)
    if abs(difference) < _SMALLEST_EFFECT * std:
        return None
    return int(items_needed(abs(difference), std, alpha=level, power=power))


def _as_matrix(values: npt.ArrayLike, name: str, n_systems: int) -> FloatArray:
    matrix = as_floats(values, name)
    if matrix.shape != (n_systems, n_systems):
        raise ValueError(
            f"`{name}` must have shape {(n_systems, n_systems)}, one row and column per system, "
            f"got {matrix.shape}."
        )
    return matrix
