"""What the order of a board's entries tells of a metric that is not known by its name."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise

import numpy as np

from store.importers.known_metrics import lookup

Column = dict[tuple[str, str], float]
"""System and source -> value, in the order of the board."""
_FEWEST_IN_ORDER = 3
"""Entries of a board from which their order says what is better."""
_FEWEST_TOGETHER = 8
"""Entries from which two columns can be said to go together."""


def direction_in(columns: Mapping[str, Column], name: str) -> bool | None:
    """Return whether a board lists larger values of a metric with the better entries.

    Metrics that are known tell whether the best entry stands first or last. Where none is, it
    stands first: values that fall are larger where they are better, and so are values of like size
    that fall and rise with them.
    """
    if name not in columns:
        return None
    is_falling = _order(columns[name])
    known = {other: lookup(other) for other in columns if other != name}
    if not any(known.values()):
        leads = [column for column in columns.values() if _order(column)]
        follows = any(_go_together(columns[name], lead) for lead in leads)
        return True if is_falling or follows else None
    is_best_first = {
        _order(columns[other]) == one.higher_is_better
        for other, one in known.items()
        if one is not None and _order(columns[other]) is not None
    }
    if is_falling is None or len(is_best_first) != 1:
        return None
    return is_falling == (True in is_best_first)


def _order(column: Column) -> bool | None:
    """Return whether values only fall; ``None`` where they do not only fall or only rise."""
    values = list(column.values())
    if len(values) < _FEWEST_IN_ORDER or len(set(values)) < 2:
        return None
    if all(a >= b for a, b in pairwise(values)):
        return True
    return False if all(a <= b for a, b in pairwise(values)) else None


def _go_together(one: Column, other: Column) -> bool:
    """Return whether two columns are of like size and their ranks hardly differ (ρ ≥ 0.9)."""
    shared = [key for key in one if key in other]
    if len(shared) < _FEWEST_TOGETHER:
        return False
    pairs = np.array([[one[key], other[key]] for key in shared])
    small, large = sorted(abs(float(np.median(pairs[:, n]))) for n in range(2))
    ranks = pairs.argsort(axis=0).argsort(axis=0)
    rho = np.asarray(np.corrcoef(ranks.T))[0, 1]
    return bool(rho >= 0.9) and large <= 2 * small
