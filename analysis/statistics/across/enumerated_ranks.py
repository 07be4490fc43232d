"""How likely is a spread of rank totals, over all ways to permute ranks within datasets?"""

import itertools

import numpy as np

from analysis.statistics._typing import FloatArray, IntArray

MOST_SYSTEMS = 7
MOST_ROWS = 100_000
"""Of one step: possible totals so far, times arrangements of the next dataset."""
MOST_WORK = 300_000
"""Rows of all steps together; a hundredth of a second or two."""


def enumerated_tail(doubled: IntArray, squared_totals: float) -> float | None:
    """Return the exact chance of rank totals that spread as much; ``None`` where it takes long.

    Parameters
    ----------
    doubled : ndarray of int, shape (n_systems, n_datasets)
        Centred doubled ranks, ties included.
    squared_totals : float
        Observed sum over systems of the squared total.

    Notes
    -----
    Datasets are added one by one. All arrangements of a dataset are equally likely, whichever
    systems they name, so that totals need only be known in ascending order: for three systems on
    30 datasets some 1,000 of them stand for 6^30 arrangements.

    Examples
    --------
    >>> enumerated_tail(np.array([[-2, -2], [0, 0], [2, 2]]), 32.0)
    0.16666666666666666
    """
    n_systems, n_datasets = doubled.shape
    span = 2 * n_datasets * n_systems + 1
    if n_systems > MOST_SYSTEMS or span**n_systems > np.iinfo(np.int64).max:
        return None
    place = span ** np.arange(n_systems, dtype=np.int64)
    arrangements: dict[tuple[int, ...], IntArray] = {}
    totals: IntArray = np.zeros((1, n_systems), dtype=np.int64)
    chance: FloatArray = np.ones(1)
    work = 0
    for column in np.sort(doubled, axis=0).T:
        ranks = tuple(column.tolist())
        if ranks not in arrangements:
            arrangements[ranks] = np.unique(list(itertools.permutations(ranks)), axis=0)
        ways = arrangements[ranks]
        n_rows = len(totals) * len(ways)
        work += n_rows
        if n_rows > MOST_ROWS or work > MOST_WORK:
            return None
        added = (totals[:, np.newaxis] + ways).reshape(n_rows, n_systems)
        added.sort(axis=1)
        codes = (added + n_datasets * n_systems) @ place
        _, first, which = np.unique(codes, return_index=True, return_inverse=True)
        totals = added[first]
        chance = np.asarray(np.bincount(which, np.repeat(chance / len(ways), len(ways))))
    reached = np.sum(totals**2, axis=1) >= squared_totals
    return float(min(1.0, chance[reached].sum()))
