"""Which of all pairs of systems differ, by how much, and how sure is that?"""

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from analysis.statistics._typing import Alternative, FloatArray, Seed
from analysis.statistics.all_pairs.bootstrap import bootstrap_all_pairs
from analysis.statistics.all_pairs.closed_forms import (
    Moments,
    fair_coin_all_pairs,
    paired_moments,
    t_all_pairs,
    wins_all_pairs,
)
from analysis.statistics.all_pairs.complete_sets import triangle
from analysis.statistics.all_pairs.components import (
    count_items,
    metric_differences,
)
from analysis.statistics.all_pairs.families import adjust_family
from analysis.statistics.all_pairs.intervals import (
    Ends,
    newcombe_intervals,
    t_intervals,
    tango_intervals,
)
from analysis.statistics.all_pairs.plan import Progress
from analysis.statistics.all_pairs.result import PairMethod, PairPvalues, Pairwise
from analysis.statistics.all_pairs.scales import Matrices, run_by_scale, too_coarse
from analysis.statistics.all_pairs.settings import (
    CORRECTIONS,
    INTERVALS,
    PAIRWISE_TESTS,
    Settings,
    settle,
)
from analysis.statistics.all_pairs.tiles import part_of
from analysis.statistics.paired.result import Groups
from analysis.statistics.results import read_only

__all__ = ["CORRECTIONS", "INTERVALS", "PAIRWISE_TESTS", "pairwise"]

IntArray = npt.NDArray[np.int64]


def pairwise(
    scores: npt.ArrayLike,
    *,
    aggregation: str = "mean",
    test: str = "auto",
    correction: str = "holm",
    alternative: Alternative = "two-sided",
    alpha: float = 0.05,
    groups: Groups = None,
    interval: str = "auto",
    n_resamples: int = 9_999,
    rng: Seed = 0,
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
        One of `PAIRWISE_TESTS`. "auto" takes Steiger's test for correlations, McNemar's exact
        test where all scores are 0 or 1, else the sign-flip test; with `groups` that join items
        the sign-flip test by group.
    correction : str
        One of `CORRECTIONS`: the methods of `adjust`, or "max-t", step-down over the largest
        statistic of one sign-flip plan, for tests "t", "mcnemar" and "signflip" of means.
    alternative : {"two-sided", "greater", "less"}
        One-sided, ``[i, j]`` tests i against j, and both directions of a pair count in the
        family.
    alpha : float
        Level of the whole family; intervals have 1 - alpha, each by itself.
    groups : sequence, shape (n_items,), optional
        A label per item; items with equal labels may depend on each other, None is a group of its
        own. "t", "signflip" and "bootstrap" take whole groups; the others refuse.
    interval : {"auto", "t", "newcombe", "tango", "percentile", "none"}
        "auto": Tango's score interval where all scores are 0 or 1 and items are independent, else
        Student's t for means (cluster-robust with groups), else percentiles of the bootstrap.
    n_resamples : int
        Replicates, where the test, "max-t" or the interval needs any.
    rng : int, Generator or None
        Seed; 0 is a seed.
    n_threads : int, optional
        By default one per usable processor, at most 8. No result depends on it.
    progress : callable, optional
        Called as ``progress(done, total)`` in the caller's thread; an exception that it raises
        cancels.

    Returns
    -------
    Pairwise
        `why` says which rule chose the test, `floor_note` whether the number of replicates
        decided a verdict. Pairs that cannot be tested are NaN and do not count in the family.

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
    settings, why, n_groups = settle(
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
    )
    return _Work(settings, progress).result(why, n_groups)


class _Work:
    """What the test, the intervals and the correction share."""

    def __init__(self, settings: Settings, progress: Progress | None) -> None:
        self._settings = settings
        self._progress = progress
        self._done = 0
        self._bootstrap_ends: tuple[Ends, FloatArray] | None = None
        self.drawn = False
        """Whether the correction or the intervals drew replicates."""
        self._moments: Moments | None = None
        self._wins: IntArray | None = None
        if settings.aggregation == "mean":
            self._moments = paired_moments(self._scores, groups=settings.codes)
            self.difference, self.n_items = self._moments.difference, self._moments.n_items
        else:
            self.difference = metric_differences(settings.values, settings.aggregation)
            self.n_items = count_items(settings.values)

    @property
    def _scores(self) -> FloatArray:
        return self._settings.values[:, :, 0]

    def result(self, why: str, n_groups: int | None) -> Pairwise:
        """Test, estimate and correct."""
        s = self._settings
        pvalues = self.test()
        ends, standard_error = self.intervals()
        family = adjust_family(
            pvalues,
            s.correction,
            self.max_t() if s.correction == "max-t" else None,
            alternative=s.alternative,
            alpha=s.alpha,
            n_resamples=s.n_resamples,
        )
        ways = (PairMethod.MONTE_CARLO, PairMethod.TAIL)
        drawn = self.drawn or bool(np.isin(pvalues.method, ways).any())
        upper = triangle(len(s.values))
        return Pairwise(
            n_systems=len(s.values),
            n_pairs=int(np.count_nonzero(~np.isnan(pvalues.pvalue[upper]))),
            difference=read_only(self.difference),
            standard_error=read_only(standard_error),
            ci_low=read_only(ends.low),
            ci_high=read_only(ends.high),
            pvalue=read_only(pvalues.pvalue),
            pvalue_adjusted=read_only(family.pvalue_adjusted),
            n_items=read_only(self.n_items),
            method=read_only(pvalues.method),
            pvalue_floor=read_only(pvalues.floor),
            test=s.test,
            why=why,
            aggregation=s.aggregation,
            interval_method=s.interval,
            correction=s.correction,
            alternative=s.alternative,
            alpha=s.alpha,
            confidence_level=1 - s.alpha,
            n_resamples=s.n_resamples if drawn else 0,
            seed=s.seed if drawn else None,
            n_groups=n_groups,
            n_tests=family.n_tests,
            floor_note=family.floor_note,
        )

    def test(self) -> PairPvalues:
        """Return the p-values of all pairs."""
        s = self._settings
        tests: dict[str, Callable[[], PairPvalues]] = {
            "t": self._t,
            "wilcoxon": self._wilcoxon,
            "sign": self._fair_coin,
            "mcnemar": self._fair_coin,
            "signflip": self._signflip,
            "bootstrap": self._bootstrap,
            "steiger": self._steiger,
        }
        return tests[s.test]()

    def intervals(self) -> tuple[Ends, FloatArray]:
        """Return the intervals and the standard errors of all differences."""
        s = self._settings
        error = np.full(self.difference.shape, np.nan)
        none = Ends(error.copy(), error.copy())
        if self._moments is not None:
            error = self._moments.standard_error
        if s.interval == "percentile":
            if self._bootstrap_ends is None:
                self._bootstrap()
            assert self._bootstrap_ends is not None
            ends, of_replicates = self._bootstrap_ends
            return ends, error if self._moments is not None else of_replicates
        if s.interval == "t" and self._moments is not None:
            return t_intervals(self._scores, self._moments, 1 - s.alpha), error
        if s.interval in ("tango", "newcombe"):
            of_shares = tango_intervals if s.interval == "tango" else newcombe_intervals
            return of_shares(self._scores, self._all_wins(), 1 - s.alpha), error
        return none, error

    def max_t(self) -> FloatArray:
        """Return the adjusted p-values of step-down max-T."""
        from analysis.statistics.all_pairs.max_t import max_t_all_pairs

        s = self._settings
        if self._moments is not None and too_coarse(self._scores, self._moments).any():
            raise ValueError(
                "`scores` are of so different sizes that no joint plan is exact for all pairs, "
                f"up to {np.nanmax(np.abs(self._scores)):.3g} in size. Leave out the systems with "
                "the largest scores, or use `correction` 'holm'."
            )
        self.drawn = True
        return max_t_all_pairs(
            self._scores,
            groups=s.codes,
            alternative=s.alternative,
            n_resamples=s.n_resamples,
            seed=s.seed,
            n_threads=s.n_threads,
            progress=self._next_part(),
        )

    def _t(self) -> PairPvalues:
        assert self._moments is not None
        return t_all_pairs(self._moments, alternative=self._settings.alternative)

    def _fair_coin(self) -> PairPvalues:
        return fair_coin_all_pairs(
            self._all_wins(), self.n_items, alternative=self._settings.alternative
        )

    def _wilcoxon(self) -> PairPvalues:
        from analysis.statistics.all_pairs.wilcoxon import wilcoxon_all_pairs

        s = self._settings
        return wilcoxon_all_pairs(
            self._scores,
            self.n_items,
            alternative=s.alternative,
            n_threads=s.n_threads,
            progress=self._next_part(),
        )

    def _signflip(self) -> PairPvalues:
        s = self._settings
        if self._moments is not None:
            return self._signflip_of_means(self._moments)
        from analysis.statistics.all_pairs.corpus import exchange_all_pairs

        return exchange_all_pairs(
            s.values,
            s.aggregation,
            ~np.isnan(self.difference),
            codes=s.codes,
            alternative=s.alternative,
            n_resamples=s.n_resamples,
            seed=s.seed,
            n_threads=s.n_threads,
            progress=self._next_part(),
        )

    def _signflip_of_means(self, moments: Moments) -> PairPvalues:
        from analysis.statistics.all_pairs.signflip import signflip_all_pairs

        s = self._settings
        progress = self._next_part()

        def run(systems: IntArray) -> Matrices:
            found = signflip_all_pairs(
                self._scores[systems],
                groups=s.codes,
                alternative=s.alternative,
                n_resamples=s.n_resamples,
                seed=s.seed,
                n_threads=s.n_threads,
                progress=progress if systems.size == len(self._scores) else None,
            )
            return [np.array(matrix, dtype=np.float64) for matrix in found]

        pvalue, method, floor = run_by_scale(run, self._scores, moments)
        return PairPvalues(pvalue, method.astype(np.uint8), floor)

    def _bootstrap(self) -> PairPvalues:
        s = self._settings
        progress = self._next_part()

        def run(systems: IntArray) -> Matrices:
            every = systems.size == len(s.values)
            found = bootstrap_all_pairs(
                s.values[systems],
                s.aggregation,
                codes=s.codes,
                alternative=s.alternative,
                n_resamples=s.n_resamples,
                seed=s.seed,
                confidence_level=1 - s.alpha if s.interval == "percentile" else None,
                n_threads=s.n_threads,
                progress=progress if every else None,
                moments=self._moments if every else None,
                warn=s.test == "bootstrap" and every,
            )
            matrices = (*found.pvalues, found.low, found.high, found.standard_error)
            return [np.array(matrix, dtype=np.float64) for matrix in matrices]

        if self._moments is None:
            found = run(np.arange(len(s.values)))
        else:
            found = run_by_scale(run, self._scores, self._moments)
        self.drawn = True
        pvalue, method, floor, low, high, error = found
        self._bootstrap_ends = Ends(low, high), error
        return PairPvalues(pvalue, method.astype(np.uint8), floor)

    def _steiger(self) -> PairPvalues:
        from analysis.statistics.all_pairs.correlations import steiger_all_pairs

        s = self._settings
        return steiger_all_pairs(s.values, s.aggregation, alternative=s.alternative)

    def _all_wins(self) -> IntArray:
        if self._wins is None:
            self._wins = wins_all_pairs(self._scores)
        return self._wins

    def _next_part(self) -> Progress | None:
        s = self._settings
        drawing_interval = s.interval == "percentile" and s.test != "bootstrap"
        tested = s.test in ("wilcoxon", "signflip", "bootstrap")
        n_parts = tested + drawing_interval + (s.correction == "max-t")
        self._done += 1
        return part_of(self._progress, self._done - 1, n_parts)
