"""Which of all pairs of systems differ, by how much, and how sure is that?

One engine: a pair is two rows of all pairs. The test of a pair, its p-value and its interval depend
on the scores of its two systems, on where their items stand, and on the plan; never on who else is
compared.
"""

import numpy as np
import numpy.typing as npt

from analysis.statistics._typing import Alternative, FloatArray, Groups, Progress, Seed
from analysis.statistics.all_pairs.closed_forms import paired_moments
from analysis.statistics.all_pairs.complete_sets import triangle
from analysis.statistics.all_pairs.corrections import Corrections
from analysis.statistics.all_pairs.engine import Engine
from analysis.statistics.all_pairs.pair_intervals import PairIntervals
from analysis.statistics.all_pairs.possible import largest_differences, within
from analysis.statistics.all_pairs.result import PairMethod, Pairwise
from analysis.statistics.all_pairs.settings import (
    CORRECTIONS,
    INTERVALS,
    PAIRWISE_TESTS,
    settle,
)
from analysis.statistics.results import read_only
from analysis.statistics.validity_bounds import RunSpread

__all__ = ["CORRECTIONS", "INTERVALS", "PAIRWISE_TESTS", "pairwise"]


def pairwise(
    scores: npt.ArrayLike,
    *,
    aggregation: str = "mean",
    test: str = "auto",
    correction: str = "holm",
    alternative: Alternative = "two-sided",
    alpha: float = 0.05,
    groups: Groups = None,
    runs: RunSpread | None = None,
    interval: str = "auto",
    n_resamples: int = 9_999,
    rng: Seed = 0,
    delta: float = 0.0,
    margin: float | None = None,
    bounds: tuple[float, float] | None = None,
    n_threads: int | None = None,
    progress: Progress | None = None,
) -> Pairwise:
    """Test every pair of systems on the same items, and correct for the number of pairs.

    Parameters
    ----------
    scores : array_like, shape (n_systems, n_items) or (n_systems, n_items, n_components)
        Higher is better; or what a corpus metric is computed from. NaN in any component: the
        system has no score for the item, and each of its pairs uses the items that both have.
    aggregation : str
        One of `AGGREGATIONS`.
    test : str
        One of `PAIRWISE_TESTS`. "auto" chooses for each pair by its own scores: the score test
        where all are 0 or 1; the sign-flip test for other means, by group where groups join
        items; Student's t for 3 to 9 groups; the jackknife for correlations; the bootstrap by
        percentiles for other metrics.
    correction : str
        One of `CORRECTIONS`: the methods of `adjust`; "max-t", step-down over the largest
        statistic of one sign-flip plan, or in one step as "max-t-single"; "tukey", by the
        studentised range. The last three are for means, and two-sided but for "max-t".
    alternative : {"two-sided", "greater", "less"}
        One-sided, ``[i, j]`` tests i against j, and both directions of a pair count in the
        family.
    alpha : float
        Level of the whole family; intervals have 1 - alpha, each by itself.
    groups : sequence, shape (n_items,), optional
        A label per item; items with equal labels may depend on each other, None is a group of its
        own. "t", "signflip" and "bootstrap" take whole groups; the others refuse.
    runs : RunSpread, optional
        How much the mean of each system, of `scores` that are means over runs, changes from run to
        run; "auto" then counts what another run would change.
    interval : {"auto", "t", "newcombe", "tango", "inverted", "percentile", "none"}
        "auto" inverts the test of the pair, so that it holds no difference of 0 exactly where the
        test rejects. A test that has no such interval gets the one of the default test.
    n_resamples : int
        Replicates, where the test, "max-t" or the interval needs any.
    rng : int, Generator or None
        Seed; 0 is a seed.
    delta : float
        The difference that the null hypothesis states, first minus second; for two systems.
    margin : float, optional
        Differences smaller than this do not matter: a pair is equivalent where its interval at
        1 - 2 alpha lies within ±margin.
    bounds : (float, float), optional
        The lowest and the highest value of the metric. No interval of a difference is longer than
        these allow; what a formula or right and wrong items say of it counts without.
    n_threads : int, optional
        By default one per usable processor, at most 8. No result depends on it.
    progress : callable, optional
        Called as ``progress(done, total)`` in the caller's thread; an exception that it raises
        cancels.

    Returns
    -------
    Pairwise
        `why` says which rule chose the test, `floor_note` whether the number of replicates
        decided a verdict. Pairs that cannot be tested are NaN and do not count in the family;
        `refusal` says for which of them no valid test is known.

    Raises
    ------
    TypeError, ValueError
        If scores do not suit the aggregation, the test, the interval or the correction, or an
        option is unknown.

    Warns
    -----
    DegenerateDataWarning
        If a test has no spread to measure a pair's difference against.

    Notes
    -----
    All tests of a kind share their work: products of matrices over items, one resampling plan.
    Memory: a few copies of the scores, some twenty matrices of shape (n_systems, n_systems), and
    n_systems · n_resamples values where a bootstrap interval is asked for.

    Examples
    --------
    >>> result = pairwise([[5, 4, 5, 3, 4, 5], [1, 2, 2, 1, 3, 2], [5, 4, 5, 3, 4, 5]], alpha=0.1)
    >>> result.different
    array([[False,  True, False],
           [ True, False,  True],
           [False,  True, False]])
    """
    settings = settle(
        scores,
        aggregation=aggregation,
        test=test,
        interval=interval,
        correction=correction,
        alternative=alternative,
        alpha=alpha,
        groups=groups,
        n_resamples=n_resamples,
        rng=rng,
        n_threads=n_threads,
        delta=delta,
        bounds=bounds,
    )
    return _result(Engine(settings, progress, runs), margin)


def _result(engine: Engine, margin: float | None) -> Pairwise:
    """Test, estimate and correct."""
    s, intervals = engine.settings, PairIntervals(engine)
    corrections = Corrections(engine, intervals)
    pvalues = engine.test()
    ends, standard_error = intervals.intervals(pvalues.pvalue, s.alpha)
    # A test by name that has no spread to work with says nothing, nor does an interval beside it.
    silent = np.isnan(pvalues.pvalue) & (standard_error == 0)
    ends.low[silent] = ends.high[silent] = np.nan
    wide = None
    if margin is not None:
        undecided = np.full(pvalues.pvalue.shape, np.nan)
        wide = intervals.two_sided_ends(undecided, min(2 * s.alpha, 1 - 1e-9))[0]
    family, together = corrections.correct(pvalues, ends)
    largest = largest_differences(engine)
    ends, together = (within(side, largest, s.delta) for side in (ends, together))
    wide = None if wide is None else within(wide, largest)
    ways = (PairMethod.MONTE_CARLO, PairMethod.TAIL)
    drawn = engine.drawn or bool(np.isin(pvalues.method, ways).any())
    upper = triangle(len(s.values))
    choice = engine.choice  # with the pairs that the guard refuses
    return Pairwise(
        n_systems=len(s.values),
        n_pairs=int(np.count_nonzero(~np.isnan(pvalues.pvalue[upper]))),
        difference=read_only(engine.difference),
        standard_error=read_only(standard_error),
        cohens_dz=read_only(_cohens_dz(engine)),
        ci_low=read_only(ends.low),
        ci_high=read_only(ends.high),
        ci_simultaneous_low=read_only(together.low),
        ci_simultaneous_high=read_only(together.high),
        margin_low=read_only(np.full_like(ends.low, np.nan) if wide is None else wide.low),
        margin_high=read_only(np.full_like(ends.low, np.nan) if wide is None else wide.high),
        pvalue=read_only(pvalues.pvalue),
        pvalue_adjusted=read_only(family.pvalue_adjusted),
        n_items=read_only(engine.n_items),
        n_units=read_only(engine.n_units),
        method=read_only(pvalues.method),
        pvalue_floor=read_only(pvalues.floor),
        tests=list(choice.tests),
        test_code=read_only(choice.code),
        intervals=list(intervals.kinds),
        interval_code=read_only(intervals.kind_code),
        refused=list(choice.refused),
        refusal=read_only(choice.refusal),
        guard=read_only(
            np.zeros(choice.code.shape, np.uint8)
            if engine.guarding is None
            else engine.guarding.reason
        ),
        why=choice.why,
        aggregation=s.aggregation,
        correction=s.correction,
        alternative=s.alternative,
        alpha=s.alpha,
        confidence_level=1 - s.alpha,
        delta=s.delta,
        margin=margin,
        n_resamples=s.n_resamples if drawn else 0,
        seed=s.seed if drawn else None,
        n_groups=s.n_groups,
        n_tests=family.n_tests,
        floor_note=family.floor_note,
    )


def _cohens_dz(engine: Engine) -> FloatArray:
    """Return mean differences over the standard deviation of the items' differences."""
    s = engine.settings
    if engine.moments is None:
        return np.full(engine.difference.shape, np.nan)
    by_item = engine.moments if s.codes is None else paired_moments(engine.scores)
    with np.errstate(divide="ignore", invalid="ignore"):
        found = (by_item.difference - s.delta) / (by_item.standard_error * np.sqrt(by_item.n_items))
    return np.asarray(np.where(by_item.identical & (s.delta == 0), 0.0, found))
