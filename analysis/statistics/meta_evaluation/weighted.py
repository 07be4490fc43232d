"""Is one metric better than another on the average over datasets, such as language pairs?"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from analysis.statistics._typing import BoolArray, FloatArray
from analysis.statistics.all_pairs.complete_sets import triangle
from analysis.statistics.boards.groups import group_letters
from analysis.statistics.meta_evaluation.comparison_result import MetricComparisons, square
from analysis.statistics.multiplicity import METHODS, adjust
from analysis.statistics.resampling.tails import COEFFICIENT_TIE, reached
from analysis.statistics.results import Result, read_only
from analysis.statistics.signature import build_signature
from analysis.statistics.validation import as_choice, as_floats, as_level

_PAIRS_AT_ONCE = 64


@dataclass(frozen=True, slots=True, eq=False)
class WeightedComparisons(Result):
    """Result of testing every pair of metrics on their weighted average over datasets.

    Attributes
    ----------
    values : ndarray, shape (n_metrics,)
        Weighted average of each metric's coefficients; NaN where one is missing.
    difference, pvalue, pvalue_adjusted : ndarray, shape (n_metrics, n_metrics)
        As in `MetricComparisons`, of the averages. NaN for a pair that some dataset cannot
        compare.
    different : ndarray of bool
    letters : tuple of str
    groups : tuple of tuple of int
        As in `MetricComparisons`.
    weights : ndarray, shape (n_datasets,)
        As used: they add up to 1.
    tests, levels, coefficients : tuple of str
        Of each dataset; they may differ.
    correction : str
    alpha : float
    n_tests : int
        Size of the family that the correction counts.
    n_resamples : int
        Null draws of each dataset, which are averaged draw by draw.
    seeds : tuple of int
        Of each dataset's draws.
    """

    values: FloatArray
    difference: FloatArray
    pvalue: FloatArray
    pvalue_adjusted: FloatArray
    different: BoolArray
    letters: tuple[str, ...]
    groups: tuple[tuple[int, ...], ...]
    weights: FloatArray
    tests: tuple[str, ...]
    levels: tuple[str, ...]
    coefficients: tuple[str, ...]
    correction: str
    alpha: float
    n_tests: int
    n_resamples: int
    seeds: tuple[int, ...]

    @property
    def signature(self) -> str:
        """One line from which the comparison can be repeated."""
        return build_signature(
            "metrics over datasets",
            tests=_joined(self.tests),
            levels=_joined(self.levels),
            coefficients=_joined(self.coefficients),
            weights=" ".join(f"{weight:.6g}" for weight in self.weights),
            m=self.n_tests,
            correction=self.correction,
            alpha=self.alpha,
            B=self.n_resamples,
            seeds=_joined(self.seeds),
        )


def compare_over_datasets(
    comparisons: Sequence[MetricComparisons],
    weights: npt.ArrayLike | None = None,
    *,
    correction: str = "holm",
    alpha: float = 0.05,
) -> WeightedComparisons:
    """Test every pair of metrics on their weighted average over datasets.

    Parameters
    ----------
    comparisons : sequence of MetricComparisons
        One per dataset (or task: levels and coefficients may differ), of the same metrics in the
        same order, each with `keep_null` and a seed of its own.
    weights : array_like, shape (n_datasets,), optional
        Above 0; by default equal. They are scaled to add up to 1.
    correction, alpha
        As for `compare_all_metrics`.

    Returns
    -------
    WeightedComparisons

    Raises
    ------
    TypeError, ValueError
        If a comparison kept no null draws, their numbers or the metrics' differ, two share a
        seed, or a weight is not above 0.

    Notes
    -----
    Draw b of the average is the weighted average of draws b of the datasets. These are
    independent because the seeds differ, so that nothing has to be drawn again, whatever the
    weights and whichever datasets take part. p = (b + 1) / (n_resamples + 1), two-sided; a draw
    that is not defined counts as extreme.

    References
    ----------
    Freitag et al. (2023), Results of WMT23 metrics shared task, on the weighted average over
    tasks and its test.
    """
    as_choice(correction, "correction", METHODS)
    level = as_level(alpha)
    _check(comparisons)
    shares = _shares(weights, len(comparisons))
    n_metrics = comparisons[0].n_metrics
    first, second = triangle(n_metrics)
    values = sum(share * found.values for share, found in zip(shares, comparisons, strict=True))
    observed = sum(
        share * found.difference[first, second]
        for share, found in zip(shares, comparisons, strict=True)
    )
    tested = [~np.isnan(found.pvalue[first, second]) for found in comparisons]
    pvalue = np.where(
        np.all(tested, axis=0), _pvalues(comparisons, shares, np.asarray(observed)), np.nan
    )
    adjustment = adjust(pvalue, correction, alpha=level)
    different = square(adjustment.rejected.astype(np.float64), n_metrics, 0.0) > 0
    letters, groups = group_letters(values, different)
    return WeightedComparisons(
        values=read_only(np.asarray(values)),
        difference=read_only(square(np.asarray(observed), n_metrics, 0.0, sign=-1.0)),
        pvalue=read_only(square(pvalue, n_metrics)),
        pvalue_adjusted=read_only(square(adjustment.pvalues_adjusted, n_metrics)),
        different=read_only(different),
        letters=letters,
        groups=groups,
        weights=read_only(shares),
        tests=tuple(found.test for found in comparisons),
        levels=tuple(found.level for found in comparisons),
        coefficients=tuple(found.coefficient for found in comparisons),
        correction=correction,
        alpha=level,
        n_tests=adjustment.n_tests,
        n_resamples=comparisons[0].n_resamples,
        seeds=tuple(found.seed if found.seed is not None else -1 for found in comparisons),
    )


def _pvalues(
    comparisons: Sequence[MetricComparisons], shares: FloatArray, observed: FloatArray
) -> FloatArray:
    n_resamples = comparisons[0].n_resamples
    counts = np.empty(observed.size, dtype=np.int64)
    for start in range(0, observed.size, _PAIRS_AT_ONCE):
        at = slice(start, start + _PAIRS_AT_ONCE)
        drawn = np.zeros((observed[at].size, n_resamples))
        for share, found in zip(shares, comparisons, strict=True):
            assert found.null is not None
            drawn += share * found.null[at]
        extreme = reached(drawn, observed[at][:, np.newaxis], "two-sided", COEFFICIENT_TIE)
        counts[at] = np.count_nonzero(extreme, axis=1)
    return np.asarray((counts + 1) / (n_resamples + 1))


def _check(comparisons: Sequence[MetricComparisons]) -> None:
    if not comparisons:
        raise ValueError("`comparisons` must hold at least one dataset.")
    for number, found in enumerate(comparisons):
        if found.null is None:
            raise ValueError(
                f"`comparisons[{number}]` kept no null draws. Make it by `compare_all_metrics` "
                "with `keep_null=True`."
            )
        for what in ("n_metrics", "n_resamples"):
            if getattr(found, what) != getattr(comparisons[0], what):
                raise ValueError(
                    f"`comparisons` must all have the same `{what}`, got "
                    f"{getattr(comparisons[0], what)} and {getattr(found, what)}."
                )
    seeds = [found.seed for found in comparisons]
    if len(set(seeds)) < len(seeds):
        raise ValueError(
            "`comparisons` must have a seed each: with the same one their null draws depend on "
            f"each other, got {_joined(seeds)}. Pass another `rng` for each dataset."
        )


def _shares(weights: npt.ArrayLike | None, n_datasets: int) -> FloatArray:
    given = np.ones(n_datasets) if weights is None else as_floats(weights, "weights")
    if given.shape != (n_datasets,):
        raise ValueError(
            f"`weights` must have one number per dataset ({n_datasets}), got shape {given.shape}."
        )
    if not np.all((given > 0) & np.isfinite(given)):
        raise ValueError("`weights` must be above 0 and finite. Leave out the other datasets.")
    return np.asarray(given / math.fsum(given))


def _joined(values: Sequence[object]) -> str:
    """Return values separated by spaces, one where they are all the same."""
    return str(values[0]) if len(set(values)) == 1 else " ".join(str(value) for value in values)
