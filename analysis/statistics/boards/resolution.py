"""How finely a leaderboard can tell its systems apart."""

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from analysis.statistics._typing import FloatArray
from analysis.statistics.boards.rank_intervals import as_different
from analysis.statistics.results import Result
from analysis.statistics.signature import build_signature
from analysis.statistics.validation import as_floats, as_level


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
    items_to_separate_top_two : None
        Items are said for a difference that somebody names: those for the observed one are its
        p-value in other words, and too few, as the first was picked for being on top.
    alpha : float
        Level of the whole family.
    """

    adjacent_separable: float
    n_adjacent: int
    smallest_separable_gap: float
    items_to_separate_top_two: None
    alpha: float

    @property
    def signature(self) -> str:
        """One line from which the resolution can be repeated."""
        return build_signature("board", alpha=self.alpha)


def board_resolution(
    values: npt.ArrayLike,
    different: npt.ArrayLike,
    difference: npt.ArrayLike,
    *,
    alpha: float = 0.05,
) -> BoardResolution:
    """Return how finely a leaderboard can tell its systems apart.

    Parameters
    ----------
    values : array_like, shape (n_systems,)
        Scores, higher is better; systems with NaN are left out.
    different : array_like of bool, shape (n_systems, n_systems)
        Which pairs differ. Symmetric; the diagonal is ignored.
    difference : array_like, shape (n_systems, n_systems)
        Of the metric, row minus column; NaN where there is none.
    alpha : float
        Level of `different`, of the whole family.

    Returns
    -------
    BoardResolution

    Raises
    ------
    ValueError
        If shapes do not fit, `different` is not symmetric, or a level is out of range.

    Examples
    --------
    >>> different = [[False, True], [True, False]]
    >>> found = board_resolution([3, 2], different, [[0, 1], [-1, 0]])
    >>> found.adjacent_separable, found.smallest_separable_gap
    (1.0, 1.0)
    """
    scores = as_floats(values, "values")
    pairs = as_different(different, scores)
    gain = _as_matrix(difference, "difference", len(scores))
    family = as_level(alpha)
    ranked = np.flatnonzero(~np.isnan(scores))
    order = ranked[np.argsort(-scores[ranked], kind="stable")]
    adjacent = pairs[order[:-1], order[1:]]
    gaps = np.abs(gain[pairs])
    return BoardResolution(
        adjacent_separable=float(adjacent.mean()) if adjacent.size else math.nan,
        n_adjacent=int(adjacent.size),
        smallest_separable_gap=float(gaps.min()) if gaps.size else math.nan,
        items_to_separate_top_two=None,
        alpha=family,
    )


def _as_matrix(values: npt.ArrayLike, name: str, n_systems: int) -> FloatArray:
    matrix = as_floats(values, name)
    if matrix.shape != (n_systems, n_systems):
        raise ValueError(
            f"`{name}` must have shape {(n_systems, n_systems)}, one row and column per system, "
            f"got {matrix.shape}."
        )
    return matrix
