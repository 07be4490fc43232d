"""On how many datasets is each system better than each other one: all pairs at once."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from analysis.statistics._typing import FloatArray, IntArray
from analysis.statistics.across.replicability import COMBINATIONS, partial_conjunction
from analysis.statistics.results import Result, read_only, read_only_mapping
from analysis.statistics.signature import build_signature
from analysis.statistics.validation import as_floats, as_level, check_pvalue_range

COUNT_ESTIMATORS = ("count", *COMBINATIONS)
"""Ways to count: the plain number of small p-values, and the lower bounds."""


@dataclass(frozen=True, slots=True, eq=False)
class ReplicabilityCounts(Result):
    """Counts of datasets for all ordered pairs of systems.

    Attributes
    ----------
    n_systems : int
    n_cells : int
        Datasets (or cells of dataset and metric) in all.
    alpha : float
        Bound on the probability to claim too many datasets for one ordered pair.
    n_testable : ndarray of int, shape (n_systems, n_systems)
        Cells with a p-value for the pair.
    k : mapping of str to ndarray of int, shape (n_systems, n_systems)
        By estimator ("count", "bonferroni", "fisher", "simes", "stouffer"): the row is better
        than the column on at least so many; 0 on the diagonal.
    """

    n_systems: int
    n_cells: int
    alpha: float
    n_testable: IntArray
    k: Mapping[str, IntArray]

    @property
    def signature(self) -> str:
        """One line from which the counts can be repeated."""
        return build_signature(
            "replicability-counts", systems=self.n_systems, n=self.n_cells, alpha=self.alpha
        )


def count_all_pairs(pvalues: npt.ArrayLike, *, alpha: float = 0.05) -> ReplicabilityCounts:
    """Count, for every ordered pair of systems, the datasets on which the first is better.

    Parameters
    ----------
    pvalues : array_like, shape (n_cells, n_systems, n_systems)
        ``[c, i, j]`` is the one-sided p-value of "i is better than j" in cell c; NaN where the
        pair cannot be tested, which makes its number of cells smaller. The diagonal is ignored.
    alpha : float
        Strictly between 0 and 1.

    Returns
    -------
    ReplicabilityCounts

    Raises
    ------
    TypeError, ValueError
        If `pvalues` has another shape or leaves [0, 1]; if `alpha` is no level.

    Notes
    -----
    The counts of `analyse_replicability` for each pair, sorted and combined for all pairs that
    have equally many cells together ([1]_, equations 2 to 4). The bound of `alpha` holds for each
    ordered pair by itself.

    References
    ----------
    .. [1] Dror, Baumer, Bogomolov and Reichart (2017), Replicability analysis for natural
       language processing.

    Examples
    --------
    >>> p = [[[0, 0.001], [0.999, 0]], [[0, 0.02], [0.98, 0]]]
    >>> count_all_pairs(p).k["bonferroni"].tolist()
    [[0, 2], [0, 0]]
    """
    values = as_floats(pvalues, "pvalues")
    if values.ndim != 3 or values.shape[1] != values.shape[2]:
        raise ValueError(
            f"`pvalues` must have shape (n_cells, n_systems, n_systems), got {values.shape}."
        )
    check_pvalue_range(values, "pvalues")
    level = as_level(alpha)
    n_cells, n_systems, _ = values.shape
    rows = values.reshape(n_cells, n_systems * n_systems).T.copy()
    rows[:: n_systems + 1] = np.nan
    rows.sort(axis=1)  # NaN last
    n_testable = np.count_nonzero(~np.isnan(rows), axis=1)
    k = {name: np.zeros(len(rows), np.int64) for name in COUNT_ESTIMATORS}
    k["count"] += np.count_nonzero(rows <= level, axis=1)
    for n in np.unique(n_testable[n_testable > 0]):
        alike = np.flatnonzero(n_testable == n)
        for method in COMBINATIONS:
            k[method][alike] = _largest_claim(rows[alike, :n], method, level)
    return ReplicabilityCounts(
        n_systems=n_systems,
        n_cells=n_cells,
        alpha=level,
        n_testable=read_only(n_testable.reshape(n_systems, n_systems).astype(np.int64)),
        k=read_only_mapping(
            {name: read_only(found.reshape(n_systems, n_systems)) for name, found in k.items()}
        ),
    )


def _largest_claim(sorted_pvalues: FloatArray, method: str, alpha: float) -> IntArray:
    curve = partial_conjunction(sorted_pvalues, method, monotone=True)
    return np.asarray(np.count_nonzero(curve <= alpha, axis=1), dtype=np.int64)
