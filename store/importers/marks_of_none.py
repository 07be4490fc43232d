"""A number that stands for no score: -1 among shares, costs or times, which are never below 0."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from store.importers.bundle import FloatArray, Guess
from store.importers.cells import BoolArray
from store.importers.known_metrics import lookup

_MARK = -1.0


class Marks(NamedTuple):
    """Which scores of a metric are none, and what is told of those below 0."""

    is_mark: BoolArray
    guesses: list[Guess]
    warnings: list[str]


def marks_of_none(metric: str, scores: FloatArray, has_score: BoolArray) -> Marks:
    """Return which scores are marks of a missing one.

    A -1 is one where no score of the metric can be below 0, no other is, and some are neither 0
    nor 1: beside these two it may as well be a verdict. What is left below 0 is warned about.

    Parameters
    ----------
    metric
        Its name; nothing is found where it is not known.
    scores, has_score
        Shape (n_rows,): values, and which rows have one of the metric.
    """
    is_below = has_score & (scores < 0)
    known = lookup(metric)
    if known is None or known.lower != 0 or not is_below.any():
        return Marks(np.zeros_like(is_below), [], [])
    others = scores[has_score & ~is_below]
    n = int(is_below.sum())
    if (scores[is_below] == _MARK).all() and not np.isin(others, (0, 1)).all():
        told = f"no score in {n:,} {'row' if n == 1 else 'rows'}"
        because = "it is never below 0, and nothing else is"
        return Marks(is_below, [Guess(f"-1 of {metric}", told, because)], [])
    lowest = float(scores[is_below].min())
    warning = (
        f"'{metric}' is never below 0; here it is as low as {lowest:g}, and is read so ({n:,} "
        "below 0). Where that stands for no score, leave the cells empty."
    )
    return Marks(np.zeros_like(is_below), [], [warning])
