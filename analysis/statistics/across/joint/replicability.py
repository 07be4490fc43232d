"""On how many cells is one system better, where cells share items?

A cell is a metric on a dataset. Cells depend on each other where datasets share items or where
two metrics look at the same items. Exchanging the two systems on an item in all cells at once
keeps this dependence, whatever it is, so a sum of the cells' statistics can be judged against
what exchanges make of it: as strong as Fisher's combination, without its independence.
"""

from collections.abc import Sequence
from dataclasses import dataclass, fields

import numpy as np
import numpy.typing as npt

from analysis.statistics._typing import BoolArray, FloatArray, IntArray, Progress, Seed
from analysis.statistics.across.joint.cells import JointCell, prepare_cells
from analysis.statistics.across.joint.closed_sums import (
    largest_pvalues,
    largest_unrejected,
    needed_reached,
)
from analysis.statistics.across.joint.statistics import (
    exchange_statistics,
    minus_two_log,
    with_room,
)
from analysis.statistics.resampling.plan import all_codes
from analysis.statistics.results import JsonValue, Result, read_only, to_plain
from analysis.statistics.signature import build_signature
from analysis.statistics.validation import as_count, as_level, as_seed


@dataclass(frozen=True, slots=True, eq=False)
class JointDirection:
    """One of the three questions: a over b, b over a, or any difference.

    Attributes
    ----------
    k : int
        Lower bound on the number of cells with an effect, with confidence 1 - alpha.
    decided : bool
        Whether `k` is all that closed testing gives; if not, the search for sets that are not
        rejected was given up and `k` may be too low, never too high.
    pvalue : ndarray of float, shape (n,)
        Of each cell by itself, (count + 1) / (n_resamples + 1); NaN where not testable.
    pvalue_adjusted : ndarray of float, shape (n,)
        Step-down max-T over all cells; NaN where not testable.
    identified : ndarray of bool, shape (n,)
        ``pvalue_adjusted <= alpha``.
    partial_conjunction : ndarray of float, shape (n_cells,)
        Entry u - 1 is the p-value of "an effect on at least u cells", never falling with u; `k` of
        them are at most alpha.
    """

    k: int
    decided: bool
    pvalue: FloatArray
    pvalue_adjusted: FloatArray
    identified: BoolArray
    partial_conjunction: FloatArray

    def to_dict(self) -> dict[str, JsonValue]:
        """Return all attributes as JSON-safe values (NaN: None)."""
        return {field.name: to_plain(getattr(self, field.name)) for field in fields(self)}


@dataclass(frozen=True, slots=True, eq=False)
class JointReplicability(Result):
    """Replicability of a difference over cells that may share items.

    Attributes
    ----------
    n_cells : int
        Testable cells.
    n_untestable : int
        Cells without shared items, or where a metric is not defined.
    n_shared_units : int
        Units that more than one cell has.
    alpha : float
    n_resamples, seed : int
    statistic : ndarray of float, shape (n,)
        Sum of the differences per unit over the root of the sum of their squares, of a less b;
        near standard normal without an effect. NaN where not testable.
    a_over_b, b_over_a, undirected : JointDirection
    correlation : ndarray of float, shape (n, n)
        Of the statistics under the joint exchange, exactly; NaN for cells that are not testable
        or where the systems are identical.
    """

    n_cells: int
    n_untestable: int
    n_shared_units: int
    alpha: float
    n_resamples: int
    seed: int
    statistic: FloatArray
    a_over_b: JointDirection
    b_over_a: JointDirection
    undirected: JointDirection
    correlation: FloatArray

    @property
    def signature(self) -> str:
        """One line from which the analysis can be repeated."""
        return build_signature(
            "joint-replicability",
            n=self.n_cells,
            untestable=self.n_untestable,
            shared=self.n_shared_units,
            alpha=self.alpha,
            m=self.n_resamples,
            seed=self.seed,
        )

    def to_dict(self) -> dict[str, JsonValue]:
        """Return all attributes and the signature as JSON-safe values (NaN: None)."""
        values: dict[str, JsonValue] = {}
        for field in fields(self):
            value = getattr(self, field.name)
            values[field.name] = (
                value.to_dict() if isinstance(value, JointDirection) else to_plain(value)
            )
        return values | {"signature": self.signature}

    def __str__(self) -> str:
        return "\n".join(
            [
                f"at least k of {self.n_cells} cells, jointly exchanged:",
                f"  a better   {self.a_over_b.k}",
                f"  b better   {self.b_over_a.k}",
                f"  different  {self.undirected.k}",
                self.signature,
            ]
        )


def joint_replicability(
    cells: Sequence[JointCell],
    *,
    alpha: float = 0.05,
    n_resamples: int = 9_999,
    rng: Seed = 0,
    progress: Progress | None = None,
) -> JointReplicability:
    """Count and identify the cells on which one of two systems is better.

    Parameters
    ----------
    cells : sequence of JointCell
        Scores of two systems, a and b, on each dataset by each metric. `JointCell.units` tells
        what is exchanged together; `joint_units` finds it from shared items and groups.
    alpha : float
        1 less the confidence of `k`, and level of the identification.
    n_resamples : int
        Random exchanges; at least 1 / alpha - 1.
    rng : int, Generator or None
        Seed; 0 is a seed.
    progress : callable, optional
        Called as ``progress(done, total)``; an exception that it raises cancels.

    Returns
    -------
    JointReplicability
        Without testable cells every `k` is 0 and every curve empty.

    Raises
    ------
    TypeError, ValueError
        If a cell does not hold the finite scores of two systems or its units do not fit; if
        `alpha` is no level or `n_resamples` too few for it.

    Notes
    -----
    **Assumption.** On the cells without an effect, exchanging a and b on a unit in all of these
    cells at once leaves the distribution of the scores as it is, and units are independent of
    each other. Nothing is assumed of the cells with an effect, nor of the dependence of cells.
    For many units, mean differences of 0 are enough: the statistics are then near normal with
    the covariance that exchanges have too.

    **Statistic.** For each cell z = Σ d / sqrt(Σ d²) over units, turned into T = -2 ln of its
    normal tail. d is the difference of the two scores; of a metric of sums its linear part
    (`cells`), of a median the difference of the signs of both scores less the median of both.
    T is a scale to add on; the p-values come from exchanges, (count + 1) / (n_resamples + 1).

    **k.** A set of cells is rejected where at most a share alpha of the exchanges, the observed
    one among them, reach its sum of T. With m the size of the largest set that is not rejected,
    k is the number of cells less m [1]_. It is larger than the true number only if the set of all
    cells without an effect is rejected, which happens with probability alpha at most, so no
    correction for the number of sets is due. Single step, then branch and bound [2]_.

    **Direction.** "Without an effect" means a not better than b, b better included. Lowering a's
    scores on one cell raises the p-value of its mean, exchange by exchange. For a sum the
    argument is one of many units: each z lies below the normal distribution that exchanges give
    it, by its shift, and T never falls with z, so the observed sum lies stochastically below its
    exchanges. Where a is clearly worse, T is near 0 while exchanges keep it above: k becomes
    smaller, as it does by Fisher's combination.

    Differences that are skewed around a mean of 0, so not exchangeable, make each cell's error a
    little larger or smaller than it should be; many small cells, skewed to the same side, add it
    up, jointly as by Fisher's combination. `JointCell.floor` guards against it: the statistic of
    a cell counts for no more than that p-value.

    Cells where both systems have the same scores are testable and without an effect. `identified`
    and `k` are claims of their own, each with error alpha: one strong cell among many weak ones,
    or among some where b is better, may be identified although k is smaller.

    Memory: 40 N n_resamples bytes for N cells, and 128 MiB for the search.

    References
    ----------
    .. [1] Goeman and Solari (2011), Multiple testing for exploratory research.
    .. [2] Vesely, Finos and Goeman (2023), Permutation-based true discovery guarantee by sum
       tests.
    .. [3] Dror, Baumer, Bogomolov and Reichart (2017), Replicability analysis for natural
       language processing (Fisher's and Bonferroni's k).
    .. [4] Westfall and Young (1993), Resampling-Based Multiple Testing, algorithm 2.8.

    Examples
    --------
    Two metrics on the same items, and a dataset of its own:

    >>> rng = np.random.default_rng(0)
    >>> skill = rng.normal(size=(2, 80, 1)) + np.array([0.6, 0.0])[:, np.newaxis, np.newaxis]
    >>> noise = rng.normal(size=(2, 80, 1))
    >>> cells = [
    ...     JointCell(skill, "mean", np.arange(80)),
    ...     JointCell(-(skill + 0.1 * noise), "mean", np.arange(80), sign=-1),
    ...     JointCell(noise, "mean", np.arange(100, 180)),
    ... ]
    >>> result = joint_replicability(cells)
    >>> result.a_over_b.k, result.b_over_a.k
    (2, 0)
    >>> result.a_over_b.identified.tolist(), bool(result.correlation[0, 1] > 0.9)
    ([True, True, False], True)
    """
    level, resamples, seed = as_level(alpha), as_count(n_resamples, "n_resamples"), as_seed(rng)
    needed = needed_reached(level, resamples)
    prepared, n_units = prepare_cells(cells, n_systems=2)
    codes = all_codes(seed, resamples, n_units)
    stages = _Stages(progress, len(prepared) + 3)
    found = exchange_statistics(prepared, codes, resamples, stages.step)
    observed, drawn = found.observed[found.testable], found.drawn[found.testable]
    n_cells = observed.size
    ceilings = np.array([cell.ceiling(0, slice(1, 2))[:, 0] for cell in cells]).reshape(-1, 2)
    ahead, behind = np.minimum(np.stack([observed, -observed]), ceilings[found.testable].T)

    def direction(sign: int) -> JointDirection:
        both = np.where(observed > 0, ahead, np.maximum(behind, 0.0))
        seen = {0: np.maximum(both, 0.0), 1: ahead, -1: behind}[sign]
        others = np.abs(drawn) if sign == 0 else sign * drawn
        answer = _analyse(seen, others, found.testable, level, needed)
        stages.step()
        return answer

    statistic = np.where(found.testable, found.observed, np.nan)
    return JointReplicability(
        n_cells=n_cells,
        n_untestable=found.testable.size - n_cells,
        n_shared_units=_count_shared([cell.units for cell in prepared], n_units),
        alpha=level,
        n_resamples=resamples,
        seed=seed,
        statistic=read_only(statistic),
        a_over_b=direction(1),
        b_over_a=direction(-1),
        undirected=direction(0),
        correlation=read_only(found.correlation),
    )


class _Stages:
    """Stages done of the whole, told to whoever wants to know."""

    def __init__(self, progress: Progress | None, total: int) -> None:
        self._progress, self._total, self._done = progress, total, 0

    def step(self) -> None:
        self._done += 1
        if self._progress is not None:
            self._progress(self._done, self._total)


def _analyse(
    observed: FloatArray, drawn: FloatArray, testable: BoolArray, alpha: float, needed: int
) -> JointDirection:
    """Answer one question from the statistics of testable cells, the larger the better."""
    n_cells, n_resamples = drawn.shape
    order = np.argsort(observed, kind="stable")
    target = with_room(observed)
    gains = minus_two_log(drawn[order], n_cells)
    gains -= minus_two_log(target[order], n_cells)[:, np.newaxis]
    unrejected = largest_unrejected(gains, needed)
    k = n_cells - unrejected.size
    # Sets of at least m cells: m falls as u grows.
    curve = largest_pvalues(gains)[::-1].copy()
    # The searches may have been given up at different places: what the other one knows counts.
    curve[:k] = np.minimum(curve[:k], needed / (n_resamples + 1))
    curve[k:] = np.maximum(curve[k:], (needed + 1) / (n_resamples + 1))
    reached = np.count_nonzero(drawn >= target[:, np.newaxis], axis=1)
    pvalue, adjusted = np.full(testable.size, np.nan), np.full(testable.size, np.nan)
    pvalue[testable] = (reached + 1) / (n_resamples + 1)
    adjusted[testable] = _step_down(drawn, target, order)
    with np.errstate(invalid="ignore"):
        identified = adjusted <= alpha
    return JointDirection(
        k=k,
        decided=unrejected.decided,
        pvalue=read_only(pvalue),
        pvalue_adjusted=read_only(adjusted),
        identified=read_only(identified),
        partial_conjunction=read_only(curve),
    )


def _step_down(
    drawn: FloatArray, target: FloatArray, ascending: npt.NDArray[np.intp]
) -> FloatArray:
    """Return p-values adjusted by the largest statistic of a cell and all less extreme ones."""
    adjusted = np.empty(target.size)
    highest = np.full(drawn.shape[1], -np.inf)
    for cell in ascending:
        np.maximum(highest, drawn[cell], out=highest)
        adjusted[cell] = np.count_nonzero(highest >= target[cell]) + 1
    adjusted /= drawn.shape[1] + 1
    # No cell may have a smaller p-value than one with a larger statistic.
    adjusted[ascending] = np.maximum.accumulate(adjusted[ascending][::-1])[::-1]
    return adjusted


def _count_shared(units: Sequence[IntArray], n_units: int) -> int:
    """Return how many units more than one cell has."""
    seen = np.zeros(n_units, dtype=np.int64)
    for numbers in units:
        seen[numbers] += 1
    return int(np.count_nonzero(seen > 1))
