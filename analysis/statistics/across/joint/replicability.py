"""On how many cells is one system better, where cells share items?"""

from collections.abc import Sequence
from dataclasses import dataclass, fields

import numpy as np
import numpy.typing as npt

from analysis.statistics._typing import BoolArray, FloatArray, Seed
from analysis.statistics.across.joint.cells import JointCell, prepare_cells
from analysis.statistics.across.joint.closed_sums import (
    largest_pvalues,
    largest_unrejected,
    needed_reached,
)
from analysis.statistics.across.joint.statistics import (
    draw_codes,
    exchange_statistics,
    minus_two_log,
    with_room,
)
from analysis.statistics.all_pairs.plan import Progress
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
    """Count and identify the cells on which one of two systems is better."""
    level, resamples, seed = as_level(alpha), as_count(n_resamples, "n_resamples"), as_seed(rng)
    needed = needed_reached(level, resamples)
    prepared, n_units = prepare_cells(cells, n_systems=2)
    codes = draw_codes(seed, resamples, n_units)
    found = exchange_statistics(prepared, codes, resamples)
    observed, drawn = found.observed[found.testable], found.drawn[found.testable]
    n_cells = observed.size

    def direction(sign: int) -> JointDirection:
        seen = np.abs(observed) if sign == 0 else sign * observed
        others = np.abs(drawn) if sign == 0 else sign * drawn
        return _analyse(seen, others, found.testable, level, needed)

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


def _count_shared(units: Sequence[npt.NDArray[np.int64]], n_units: int) -> int:
    """Return how many units more than one cell has."""
    seen = np.zeros(n_units, dtype=np.int64)
    for numbers in units:
        seen[numbers] += 1
    return int(np.count_nonzero(seen > 1))
