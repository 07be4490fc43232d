"""Which of all pairs of systems differ, by how much, and how sure is that?

One engine: a pair is two rows of all pairs. The test of a pair, its p-value and its interval depend
on the scores of its two systems, on where their items stand, and on the plan; never on who else is
compared.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from analysis.statistics._typing import Alternative, BoolArray, FloatArray, Seed
from analysis.statistics.aggregate import CORRELATIONS, is_sum_based
from analysis.statistics.all_pairs.bootstrap import bootstrap_all_pairs
from analysis.statistics.all_pairs.choice import Choice, choose_tests, named_test
from analysis.statistics.all_pairs.closed_forms import (
    Moments,
    fair_coin_all_pairs,
    paired_moments,
    t_all_pairs,
    wins_all_pairs,
)
from analysis.statistics.all_pairs.complete_sets import triangle
from analysis.statistics.all_pairs.components import count_items, count_units, metric_differences
from analysis.statistics.all_pairs.families import Family, adjust_family
from analysis.statistics.all_pairs.intervals import (
    Ends,
    newcombe_intervals,
    score_all_pairs,
    t_intervals,
    tango_intervals,
)
from analysis.statistics.all_pairs.inversion import agreeing, inverted_intervals
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
from analysis.statistics.all_pairs.simultaneous import (
    reach_of_max_t,
    t_reach,
    too_few_beyond,
    widest,
)
from analysis.statistics.all_pairs.tiles import part_of
from analysis.statistics.all_pairs.tukey import tukey_all_pairs
from analysis.statistics.paired.result import Groups
from analysis.statistics.registry import TESTS
from analysis.statistics.results import read_only
from analysis.statistics.validity import RunSpread

if TYPE_CHECKING:
    from analysis.statistics.all_pairs.corpus_guard import CorpusGuard
    from analysis.statistics.all_pairs.guarding import Guarding
    from analysis.statistics.correlation_differences import CorrelationDifferences

__all__ = ["CORRECTIONS", "INTERVALS", "PAIRWISE_TESTS", "pairwise"]

IntArray = npt.NDArray[np.int64]
_DRAWN_TESTS = ("wilcoxon", "signflip", "bootstrap", "bootstrap-percentile")


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
    )
    return _Work(settings, progress, runs).result(margin)


class _Work:
    """What the test, the intervals and the correction share."""

    def __init__(
        self, settings: Settings, progress: Progress | None, runs: RunSpread | None
    ) -> None:
        self._settings = s = settings
        self._progress = progress
        self._done = 0
        self._bootstrapped: dict[tuple[str, float], tuple[PairPvalues, Ends, FloatArray]] = {}
        self.drawn = False
        """Whether the correction or the intervals drew replicates."""
        self._moments: Moments | None = None
        self._wins: IntArray | None = None
        if s.aggregation == "mean":
            self._moments = paired_moments(self._scores, groups=s.codes)
            self.difference, self.n_items = self._moments.difference, self._moments.n_items
            self.n_units = self._moments.n_units
        else:
            self.difference = metric_differences(s.values, s.aggregation)
            self.n_items = count_items(s.values)
            self.n_units = self.n_items if s.codes is None else count_units(s.values, s.codes)
        self.binary = np.all((s.values == 0) | (s.values == 1) | np.isnan(s.values), axis=(1, 2))
        by_scores = choose_tests(s.aggregation, self.binary, self.n_items, self.n_units)
        self._by_scores = by_scores
        self.choice = by_scores if s.test == "auto" else named_test(s.test, len(s.values))
        self._n_parts = self._count_parts()
        self._guarding: Guarding | CorpusGuard | None = None
        if s.test == "auto" and s.aggregation == "mean" and len(s.values) > 1:
            from analysis.statistics.all_pairs import guarding

            self._guarding = guarding.Guarding(
                self._tested(),
                self.choice,
                codes=s.codes,
                runs=runs,
                alternative=s.alternative,
                null=s.delta,
                n_threads=s.n_threads,
            )
        elif s.test == "auto" and is_sum_based(s.aggregation) and len(s.values) > 1:
            from analysis.statistics.all_pairs import corpus_guard

            self._guarding = corpus_guard.CorpusGuard(
                s.values,
                self.difference,
                self.n_units,
                aggregation=s.aggregation,
                codes=s.codes,
                alternative=s.alternative,
                null=s.delta,
            )

    @property
    def _scores(self) -> FloatArray:
        return self._settings.values[:, :, 0]

    def _tested(self) -> FloatArray:
        """Return the scores with the hypothesised difference taken off the first system's."""
        s = self._settings
        if not s.delta:
            return self._scores
        return np.asarray(self._scores - np.array([[s.delta], [0.0]]))

    def result(self, margin: float | None) -> Pairwise:
        """Test, estimate and correct."""
        s = self._settings
        pvalues = self.test()
        ends, standard_error = self.intervals(pvalues.pvalue, s.alpha)
        wide = None
        if margin is not None:
            undecided = np.full(pvalues.pvalue.shape, np.nan)
            wide = self.two_sided_ends(undecided, min(2 * s.alpha, 1 - 1e-9))[0]
        family, together = self.correct(pvalues, ends)
        ways = (PairMethod.MONTE_CARLO, PairMethod.TAIL)
        drawn = self.drawn or bool(np.isin(pvalues.method, ways).any())
        upper = triangle(len(s.values))
        choice = self.choice  # with the pairs that the guard refuses
        return Pairwise(
            n_systems=len(s.values),
            n_pairs=int(np.count_nonzero(~np.isnan(pvalues.pvalue[upper]))),
            difference=read_only(self.difference),
            standard_error=read_only(standard_error),
            cohens_dz=read_only(self._cohens_dz()),
            ci_low=read_only(ends.low),
            ci_high=read_only(ends.high),
            ci_simultaneous_low=read_only(together.low),
            ci_simultaneous_high=read_only(together.high),
            margin_low=read_only(np.full_like(ends.low, np.nan) if wide is None else wide.low),
            margin_high=read_only(np.full_like(ends.low, np.nan) if wide is None else wide.high),
            pvalue=read_only(pvalues.pvalue),
            pvalue_adjusted=read_only(family.pvalue_adjusted),
            n_items=read_only(self.n_items),
            n_units=read_only(self.n_units),
            method=read_only(pvalues.method),
            pvalue_floor=read_only(pvalues.floor),
            tests=list(choice.tests),
            test_code=read_only(choice.code),
            intervals=list(self._kinds),
            interval_code=read_only(self._kind_code),
            refused=list(choice.refused),
            refusal=read_only(choice.refusal),
            guard=read_only(
                np.zeros(choice.code.shape, np.uint8)
                if self._guarding is None
                else self._guarding.reason
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

    def test(self) -> PairPvalues:
        """Return the p-values of all pairs, each by its own test."""
        run: dict[str, Callable[[], PairPvalues]] = {
            "t": self._t,
            "wilcoxon": self._wilcoxon,
            "sign": self._fair_coin,
            "mcnemar": self._fair_coin,
            "score": self._score,
            "signflip": self._signflip,
            "bootstrap": lambda: self._bootstrap("bootstrap", self._settings.alpha)[0],
            "bootstrap-percentile": self._percentile_test,
            "steiger": self._steiger,
            "jackknife": self._jackknife,
        }
        shape = self.difference.shape
        pvalue, floor = np.full(shape, np.nan), np.full(shape, np.nan)
        method = np.full(shape, PairMethod.NOT_TESTABLE, np.uint8)
        for test in self.choice.tests:
            here = self.choice.uses(test)
            if not here.any():
                continue
            found = run[test]()
            pvalue[here], floor[here] = found.pvalue[here], found.floor[here]
            method[here] = found.method[here]
        np.fill_diagonal(method, PairMethod.NOT_TESTABLE)
        np.fill_diagonal(pvalue, np.nan)
        np.fill_diagonal(floor, np.nan)
        if self._guarding is not None:
            pvalue, self.choice = self._guarding.pvalues(pvalue, self.choice)
            method[self.choice.refusal > 0] = PairMethod.NOT_TESTABLE
        return PairPvalues(pvalue, method, floor)

    def intervals(self, pvalue: FloatArray, alpha: float) -> tuple[Ends, FloatArray]:
        """Return the intervals and the standard errors of all differences.

        One-sided they are open on the side that the test does not look at.
        """
        s = self._settings
        if s.alternative == "two-sided":
            return self.two_sided_ends(pvalue, alpha)
        none = np.full(pvalue.shape, np.nan)
        ends, error = self.two_sided_ends(none, min(2 * alpha, 1 - 1e-9))
        bounds = agreeing(ends, self.difference, pvalue, alpha, s.delta)
        open_end = np.where(np.isnan(ends.low), np.nan, np.inf)
        if s.alternative == "greater":
            return Ends(bounds.low, open_end), error
        return Ends(-open_end, bounds.high), error

    def two_sided_ends(self, pvalue: FloatArray, alpha: float) -> tuple[Ends, FloatArray]:
        """Return intervals at 1 - alpha, each by the method of its pair, and standard errors."""
        s = self._settings
        shape = self.difference.shape
        low, high = np.full(shape, np.nan), np.full(shape, np.nan)
        error = np.full(shape, np.nan) if self._moments is None else self._moments.standard_error
        if s.aggregation in CORRELATIONS and "jackknife" in self.choice.tests:
            error = self._correlations(alpha).standard_error
        for place, kind in enumerate(self._kinds):
            here = self._kind_code == place
            if kind == "percentile":
                ends, of_replicates = self._bootstrap("bootstrap-percentile", alpha)[1:]
                if self._moments is None and s.aggregation not in CORRELATIONS:
                    error = of_replicates
            else:
                ends = self._ends_of(kind, here, alpha)
            low[here], high[here] = ends.low[here], ends.high[here]
        if self._guarding is not None and s.interval == "auto":
            low, high = self._guarding.ends(low, high, 1 - alpha)
        untested = self.choice.refusal > 0
        low[untested] = high[untested] = np.nan
        np.fill_diagonal(low, np.nan)
        np.fill_diagonal(high, np.nan)
        bounds = agreeing(Ends(low, high), self.difference, pvalue, alpha, s.delta)
        inverted = self._inverts()
        return Ends(
            np.where(inverted, bounds.low, low), np.where(inverted, bounds.high, high)
        ), error

    def _ends_of(self, kind: str, here: BoolArray, alpha: float) -> Ends:
        """Return intervals of mean differences, at least of the pairs that are wanted."""
        s = self._settings
        if kind in ("tango", "newcombe"):
            of_shares = tango_intervals if kind == "tango" else newcombe_intervals
            return of_shares(self._scores, self._all_wins(), 1 - alpha)
        if kind == "jackknife":
            found = self._correlations(alpha)
            return Ends(found.low, found.high)
        if kind == "none" or self._moments is None:
            none = np.full(here.shape, np.nan)
            return Ends(none, none)
        plain = t_intervals(self._scores, self._moments, 1 - alpha)
        if kind == "t":
            return plain
        upper = triangle(len(s.values))
        # Where nothing varies all halves agree, which would read as certainty.
        wanted = np.flatnonzero(here[upper] & (self._moments.standard_error[upper] > 0))
        self.drawn = self.drawn or bool(wanted.size)
        halves = inverted_intervals(
            self._tested(),
            wanted,
            codes=s.codes,
            alpha=alpha,
            n_resamples=s.n_resamples,
            seed=s.seed,
            n_threads=s.n_threads,
            progress=self._next_part(),
        )
        low, high = plain.low.copy(), plain.high.copy()
        at = (upper[0][wanted], upper[1][wanted])
        low[at], high[at] = halves.low + s.delta, halves.high + s.delta
        low[at[::-1]], high[at[::-1]] = 0.0 - high[at], 0.0 - low[at]
        return Ends(low, high)

    @property
    def _kinds(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(self._interval_names().values()))

    @property
    def _kind_code(self) -> npt.NDArray[np.uint8]:
        names, kinds = self._interval_names(), self._kinds
        source = self._interval_source()
        codes = np.array([kinds.index(names[test]) for test in source.tests], np.uint8)
        return np.asarray(codes[source.code])

    def _interval_source(self) -> Choice:
        """Return the choice of tests whose intervals are shown."""
        s = self._settings
        if s.test != "auto" and s.interval == "auto" and not TESTS[s.test].interval:
            return self._by_scores
        return self.choice

    def _interval_names(self) -> dict[str, str]:
        s = self._settings
        source = self._interval_source()
        if s.interval != "auto":
            return dict.fromkeys(source.tests, s.interval)
        inverts_means = s.aggregation == "mean"
        return {
            test: "percentile"
            if TESTS[test].interval == "inverted" and not inverts_means
            else TESTS[test].interval or "percentile"
            for test in source.tests
        }

    def _inverts(self) -> BoolArray:
        """Return the pairs whose interval is that of their own test."""
        kinds = self._kinds
        kind_code = self._kind_code
        found = np.zeros(self.difference.shape, dtype=np.bool_)
        for test in self.choice.tests:
            own = TESTS[test].interval
            if own == "inverted" and self._settings.aggregation != "mean":
                continue
            if own in kinds:
                found |= self.choice.uses(test) & (kind_code == kinds.index(own))
        return found

    def correct(self, pvalues: PairPvalues, ends: Ends) -> tuple[Family, Ends]:
        """Return the adjusted p-values, and the intervals that hold at once; NaN without any.

        A pair differs after correction exactly where such an interval leaves `delta` out.
        """
        s = self._settings
        joint = reach = None
        if s.correction == "max-t":
            joint = self._max_t()
        elif s.correction == "tukey":
            found = tukey_all_pairs(self._scores, alpha=s.alpha)
            joint, reach = found.pvalue, np.full(ends.low.shape, found.reach)
        elif s.correction == "max-t-single":
            joint, reach = self._single_step()
        family = adjust_family(
            pvalues,
            s.correction,
            joint,
            alternative=s.alternative,
            alpha=s.alpha,
            n_resamples=s.n_resamples,
        )
        if reach is None and (s.correction != "bonferroni" or not family.n_tests):
            none = np.full(ends.low.shape, np.nan)
            return family, Ends(none, none)
        if reach is None:
            inverted = self._inverts()
            wide = self._bonferroni(pvalues.pvalue, s.alpha / family.n_tests)
        else:
            inverted = np.ones(ends.low.shape, np.bool_)
            wide = Ends(self.difference - reach, self.difference + reach)
        wide = widest(ends, wide)
        agreed = agreeing(wide, self.difference, family.pvalue_adjusted, s.alpha, s.delta)
        known = ~np.isnan(ends.low + family.pvalue_adjusted)
        return family, Ends(
            np.where(known, np.where(inverted, agreed.low, wide.low), np.nan),
            np.where(known, np.where(inverted, agreed.high, wide.high), np.nan),
        )

    def _bonferroni(self, pvalue: FloatArray, alpha: float) -> Ends:
        """Return intervals at 1 - alpha, Student's where replicates do not reach so far."""
        s = self._settings
        found, error = self.intervals(pvalue, alpha)
        drawn = [at for at, kind in enumerate(self._kinds) if kind in ("inverted", "percentile")]
        if not too_few_beyond(alpha, s.n_resamples):
            return found
        wide = alpha if s.alternative == "two-sided" else 2 * alpha
        reach = t_reach(error, self.n_units, wide)
        other = widest(found, Ends(self.difference - reach, self.difference + reach))
        few = np.isin(self._kind_code, drawn)
        return Ends(np.where(few, other.low, found.low), np.where(few, other.high, found.high))

    def _cohens_dz(self) -> FloatArray:
        """Return mean differences over the standard deviation of the items' differences."""
        s = self._settings
        if self._moments is None:
            return np.full(self.difference.shape, np.nan)
        by_item = self._moments if s.codes is None else paired_moments(self._scores)
        with np.errstate(divide="ignore", invalid="ignore"):
            found = (by_item.difference - s.delta) / (
                by_item.standard_error * np.sqrt(by_item.n_items)
            )
        return np.asarray(np.where(by_item.identical & (s.delta == 0), 0.0, found))

    def _single_step(self) -> tuple[FloatArray, FloatArray]:
        """Return the adjusted p-values of single-step max-T, and how far it does not reject."""
        from analysis.statistics.all_pairs.max_t import single_step_max_t

        s = self._settings
        self._require_one_plan()
        found = single_step_max_t(
            self._scores,
            alpha=s.alpha,
            groups=s.codes,
            n_resamples=s.n_resamples,
            seed=s.seed,
            n_threads=s.n_threads,
            progress=self._next_part(),
        )
        assert self._moments is not None
        error = self._moments.standard_error
        return found.pvalue, reach_of_max_t(found.critical, error, self.n_units)

    def _max_t(self) -> FloatArray:
        """Return the adjusted p-values of step-down max-T."""
        from analysis.statistics.all_pairs.max_t import max_t_all_pairs

        s = self._settings
        self._require_one_plan()
        return max_t_all_pairs(
            self._scores,
            groups=s.codes,
            alternative=s.alternative,
            n_resamples=s.n_resamples,
            seed=s.seed,
            n_threads=s.n_threads,
            progress=self._next_part(),
        )

    def _require_one_plan(self) -> None:
        self.drawn = True
        if self._moments is not None and too_coarse(self._scores, self._moments).any():
            raise ValueError(
                "`scores` are of so different sizes that no joint plan is exact for all pairs, "
                f"up to {np.nanmax(np.abs(self._scores)):.3g} in size. Leave out the systems with "
                "the largest scores, or use `correction` 'holm'."
            )

    def _t(self) -> PairPvalues:
        s = self._settings
        assert self._moments is not None
        moments = self._moments
        if s.delta:
            moments = paired_moments(self._tested(), groups=s.codes)
        return t_all_pairs(moments, alternative=s.alternative)

    def _fair_coin(self) -> PairPvalues:
        s = self._settings
        wins = wins_all_pairs(self._tested()) if s.delta else self._all_wins()
        return fair_coin_all_pairs(wins, self.n_items, alternative=s.alternative)

    def _score(self) -> PairPvalues:
        s = self._settings
        return score_all_pairs(
            self._scores, self._all_wins(), alternative=s.alternative, delta=s.delta
        )

    def _wilcoxon(self) -> PairPvalues:
        from analysis.statistics.all_pairs.wilcoxon import wilcoxon_all_pairs

        s = self._settings
        return wilcoxon_all_pairs(
            self._tested(),
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

        values = s.values if not s.delta else self._tested()[:, :, np.newaxis]
        return exchange_all_pairs(
            values,
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
        scores = self._tested()
        if s.delta:
            moments = paired_moments(scores, groups=s.codes)

        def run(systems: IntArray) -> Matrices:
            found = signflip_all_pairs(
                scores[systems],
                groups=s.codes,
                alternative=s.alternative,
                n_resamples=s.n_resamples,
                seed=s.seed,
                n_threads=s.n_threads,
                progress=progress if systems.size == len(scores) else None,
            )
            return [np.array(matrix, dtype=np.float64) for matrix in found]

        pvalue, method, floor = run_by_scale(run, scores, moments)
        return PairPvalues(pvalue, method.astype(np.uint8), floor)

    def _percentile_test(self) -> PairPvalues:
        return self._bootstrap("bootstrap-percentile", self._settings.alpha)[0]

    def _bootstrap(self, test: str, alpha: float) -> tuple[PairPvalues, Ends, FloatArray]:
        """Return p-values, percentile intervals at 1 - alpha, and standard errors; kept."""
        key = (test, alpha)
        if key in self._bootstrapped:
            return self._bootstrapped[key]
        s = self._settings
        progress = self._next_part()

        def run(systems: IntArray) -> Matrices:
            every = systems.size == len(s.values)
            found = bootstrap_all_pairs(
                s.values[systems],
                s.aggregation,
                by_percentiles=test == "bootstrap-percentile",
                codes=s.codes,
                alternative=s.alternative,
                delta=s.delta,
                n_resamples=s.n_resamples,
                seed=s.seed,
                confidence_level=1 - alpha,
                n_threads=s.n_threads,
                progress=progress if every else None,
                moments=self._moments if every else None,
                warn=test in self.choice.tests and every,
            )
            matrices = (*found.pvalues, found.low, found.high, found.standard_error)
            return [np.array(matrix, dtype=np.float64) for matrix in matrices]

        if self._moments is None:
            found = run(np.arange(len(s.values)))
        else:
            found = run_by_scale(run, self._scores, self._moments)
        self.drawn = True
        pvalue, method, floor, low, high, error = found
        outcome = PairPvalues(pvalue, method.astype(np.uint8), floor), Ends(low, high), error
        self._bootstrapped[key] = outcome
        return outcome

    def _steiger(self) -> PairPvalues:
        from analysis.statistics.all_pairs.correlations import steiger_all_pairs

        s = self._settings
        return steiger_all_pairs(s.values, s.aggregation, alternative=s.alternative)

    def _jackknife(self) -> PairPvalues:
        found = self._correlations(self._settings.alpha)
        method = np.where(
            np.isnan(found.pvalue), PairMethod.NOT_TESTABLE, PairMethod.CLOSED_FORM
        ).astype(np.uint8)
        return PairPvalues(found.pvalue, method, np.where(np.isnan(found.pvalue), np.nan, 0.0))

    def _correlations(self, alpha: float) -> "CorrelationDifferences":
        from analysis.statistics.correlation_differences import correlation_differences

        s = self._settings
        present = ~np.isnan(s.values[:, :, 1])
        gold = np.max(s.values[:, :, 1], axis=0, where=present, initial=-np.inf)
        return correlation_differences(
            self._scores,
            np.where(present.any(axis=0), gold, np.nan),
            aggregation=s.aggregation,
            codes=s.codes,
            alternative=s.alternative,
            delta=s.delta,
            alpha=alpha,
        )

    def _all_wins(self) -> IntArray:
        if self._wins is None:
            self._wins = wins_all_pairs(self._scores)
        return self._wins

    def _count_parts(self) -> int:
        """Return how many parts of the work report progress."""
        s = self._settings
        tests = sum(test in _DRAWN_TESTS for test in self.choice.tests)
        kinds = self._kinds
        drawn = ("inverted" in kinds) + (
            "percentile" in kinds and "bootstrap-percentile" not in self.choice.tests
        )
        return max(1, tests + drawn + s.correction.startswith("max-t"))

    def _next_part(self) -> Progress | None:
        self._done = min(self._done + 1, self._n_parts)
        return part_of(self._progress, self._done - 1, self._n_parts)
