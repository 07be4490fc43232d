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
    nor 1: beside these two it may as well be a verdict. What is left below 0 is warned about, and
    so is a -1 of a metric without a known lower bound, where all else lies between 0 and 1.

    Parameters
    ----------
    metric
        Its name.
    scores, has_score
        Shape (n_rows,): values, and which rows have one of the metric.
    """
    is_below = has_score & (scores < 0)
    known = lookup(metric)
    lower = None if known is None else known.lower
    if not is_below.any() or lower not in (None, 0):
        return Marks(np.zeros_like(is_below), [], [])
    others = scores[has_score & ~is_below]
    n = int(is_below.sum())
    are_marks = bool((scores[is_below] == _MARK).all()) and not np.isin(others, (0, 1)).all()
    if lower is None:
        warning = (
            f"'{metric}' is -1 in {n:,} of {n + len(others):,} rows and between 0 and 1 in all "
            "others. Where -1 stands for no score, leave the cells empty."
        )
        is_odd = are_marks and bool((others <= 1).all())
        return Marks(np.zeros_like(is_below), [], [warning] if is_odd else [])
    if are_marks:
        told = f"no score in {n:,} {'row' if n == 1 else 'rows'}"
        because = "it is never below 0, and nothing else is"
        return Marks(is_below, [Guess(f"-1 of {metric}", told, because)], [])
    lowest = float(scores[is_below].min())
    warning = (
        f"'{metric}' is never below 0; here it is as low as {lowest:g}, and is read so ({n:,} "
        "below 0). Where that stands for no score, leave the cells empty."
    )
    return Marks(np.zeros_like(is_below), [], [warning])
