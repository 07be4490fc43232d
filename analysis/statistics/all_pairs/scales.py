"""Scores of so different sizes that one grid of whole steps cannot serve all pairs.

Sums of all systems are exact because scores are whole steps of one grid (`fixed_point`). Where a
score is a million million times larger than what other systems differ by, that grid is too coarse
for these; they then get a grid of their own.
"""

from collections.abc import Callable
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from analysis.statistics._typing import BoolArray, FloatArray, IntArray
from analysis.statistics.all_pairs.closed_forms import Moments
from analysis.statistics.fixed_point import whole_scores

Matrices: TypeAlias = list[FloatArray]

_GRID_BITS = 51
_FINE = 1e-7
"""Largest step, relative to what a pair differs by per item, that cannot change a p-value."""
_FINEST = 1e-6
"""The same of the rounding error of a sum, relative to the sum's standard deviation."""


def too_coarse(scores: FloatArray, moments: Moments) -> BoolArray:
    """Return the pairs that a grid for all of `scores` cannot tell apart well enough.

    Parameters
    ----------
    scores : ndarray, shape (n_systems, n_items)
    moments : Moments
        Of the same scores.

    Returns
    -------
    ndarray of bool, shape (n_systems, n_systems)
    """
    present = ~np.isnan(scores)
    with np.errstate(invalid="ignore"):
        ranges = np.max(scores, axis=0, where=present, initial=-np.inf) - np.min(
            scores, axis=0, where=present, initial=np.inf
        )
    widest = float(np.max(ranges, initial=0.0, where=np.isfinite(ranges)))
    step = widest * 2.0 ** (scores.shape[1].bit_length() - _GRID_BITS)
    spread = np.nan_to_num(moments.standard_error * np.sqrt(moments.n_units))
    size = np.maximum(np.abs(np.nan_to_num(moments.difference)), spread)
    coarse = (step > _FINE * size) & ~moments.identical & (moments.n_items > 0)
    np.fill_diagonal(coarse, False)
    # Simple fractions need no rounding, however large they are.
    if coarse.any() and whole_scores(scores).exact:
        coarse[...] = False
    return np.asarray(coarse)


def too_fine(tolerance: FloatArray, squares: FloatArray) -> BoolArray:
    """Return the pairs whose differences are too small beside the rounding of their scores.

    Parameters
    ----------
    tolerance, squares : ndarray, shape (n_pairs,)
        Rounding error of a sum of differences, and their sum of squares.
    """
    return np.asarray(tolerance > _FINEST * np.sqrt(squares))


def own_differences(
    values: FloatArray, near: FloatArray, left: IntArray, right: IntArray
) -> tuple[FloatArray, FloatArray]:
    """Return the differences of pairs by themselves, each pair's on a scale of its own.

    Parameters
    ----------
    values : ndarray, shape (n_systems, n_items)
        NaN where missing.
    near : ndarray, shape (n_pairs,)
        Precision of the pairs.
    left, right : ndarray of int, shape (n_pairs,)

    Returns
    -------
    differences : ndarray, shape (n_pairs, n_items)
        Divided by the power of two at the largest; 0 where scores are equal.
    near : ndarray, shape (n_pairs,)
        Divided by the same.
    """
    differences = values[left] - values[right]
    differences[np.abs(differences) <= near[:, np.newaxis]] = 0.0
    peaks = np.max(np.abs(differences), axis=1, initial=0.0, where=~np.isnan(differences))
    exponents = -np.frexp(peaks)[1]
    return np.ldexp(differences, exponents[:, np.newaxis]), np.ldexp(near, exponents)


def run_by_scale(
    run: Callable[[IntArray], Matrices], scores: FloatArray, moments: Moments
) -> Matrices:
    """Run a procedure that puts all scores on one grid, and again where that is too coarse.

    Parameters
    ----------
    run : callable
        From the numbers of systems to matrices about their pairs.
    scores : ndarray, shape (n_systems, n_items)
    moments : Moments

    Returns
    -------
    list of ndarray, shape (n_systems, n_systems)
        As `run` gives for all systems, pairs on too coarse a grid replaced by what it gives for
        the systems of a like scale, or for the pair by itself.
    """
    n_systems = len(scores)
    found = run(np.arange(n_systems))
    coarse = too_coarse(scores, moments)
    if n_systems <= 2 or not coarse.any():
        return found
    calm = _calm(scores, moments)
    if calm.size > 2:
        _replace(found, run(calm), calm, coarse)
        coarse[np.ix_(calm, calm)] = False
    for pair in np.argwhere(np.triu(coarse)):
        _replace(found, run(pair), pair, coarse)
    return found


def _calm(scores: FloatArray, moments: Moments) -> IntArray:
    """Return the systems that are left, without too coarse a pair, once the wildest are not."""
    middle = np.nanmedian(np.where(np.isnan(scores).all(axis=0), 0.0, scores), axis=0)
    wildness = np.nanmax(np.abs(scores - middle), axis=1, initial=0.0)
    order = np.argsort(wildness, kind="stable")
    left_out = 1
    while left_out < len(order):
        calm = np.sort(order[:-left_out])
        at = np.ix_(calm, calm)
        part = Moments(
            moments.n_items[at],
            moments.n_units[at],
            moments.difference[at],
            moments.standard_error[at],
            moments.identical[at],
        )
        if not too_coarse(scores[calm], part).any():
            return calm
        left_out *= 2
    return order[:0]


def _replace(
    found: Matrices, part: Matrices, systems: npt.NDArray[np.integer], coarse: BoolArray
) -> None:
    at = np.ix_(systems, systems)
    for matrix, better in zip(found, part, strict=True):
        matrix[at] = np.where(coarse[at], better, matrix[at])
