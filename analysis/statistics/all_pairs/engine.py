"""The tests of all pairs: which each pair gets, and its p-value."""

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from analysis.statistics._typing import FloatArray, IntArray, Progress
from analysis.statistics.aggregate import is_sum_based
from analysis.statistics.all_pairs.bootstrap import bootstrap_all_pairs
from analysis.statistics.all_pairs.choice import Choice, choose_tests, named_test
from analysis.statistics.all_pairs.closed_forms import (
    Moments,
    fair_coin_all_pairs,
    paired_moments,
    t_all_pairs,
    wins_all_pairs,
)
from analysis.statistics.all_pairs.components import count_items, count_units, metric_differences
from analysis.statistics.all_pairs.intervals import Ends, score_all_pairs
from analysis.statistics.all_pairs.result import PairMethod, PairPvalues
from analysis.statistics.all_pairs.scales import Matrices, run_by_scale
from analysis.statistics.all_pairs.settings import Settings
from analysis.statistics.resampling.threads import part_of
from analysis.statistics.validity_bounds import RunSpread

if TYPE_CHECKING:
    from analysis.statistics.all_pairs.corpus_guard import CorpusGuard
    from analysis.statistics.all_pairs.guarding import Guarding
    from analysis.statistics.correlation_differences import CorrelationDifferences


_DRAWN_TESTS = ("wilcoxon", "signflip", "bootstrap", "bootstrap-percentile")


class Engine:
    """The scores of all systems, the test that each pair gets, and its p-value."""

    def __init__(
        self, settings: Settings, progress: Progress | None, runs: RunSpread | None
    ) -> None:
        """Look at the scores and choose the test of each pair."""
        self.settings = s = settings
        self._progress = progress
        self._done = 0
        self._bootstrapped: dict[tuple[str, float], tuple[PairPvalues, Ends, FloatArray]] = {}
        self.drawn = False
        """Whether the correction or the intervals drew replicates."""
        self.moments: Moments | None = None
        self._wins: IntArray | None = None
        if s.aggregation == "mean":
            self.moments = paired_moments(self.scores, groups=s.codes)
            self.difference, self.n_items = self.moments.difference, self.moments.n_items
            self.n_units = self.moments.n_units
        else:
            self.difference = metric_differences(s.values, s.aggregation)
            self.n_items = count_items(s.values)
            self.n_units = self.n_items if s.codes is None else count_units(s.values, s.codes)
        self.binary = np.all((s.values == 0) | (s.values == 1) | np.isnan(s.values), axis=(1, 2))
        self.choice = self.by_scores if s.test == "auto" else named_test(s.test, len(s.values))
        self.n_parts = sum(test in _DRAWN_TESTS for test in self.choice.tests)
        """Parts of the work that report progress; intervals and corrections add theirs."""
        self.guarding: Guarding | CorpusGuard | None = None
        if s.test == "auto" and s.aggregation == "mean" and len(s.values) > 1:
            from analysis.statistics.all_pairs import guarding

            self.guarding = guarding.Guarding(
                self.tested(),
                self.choice,
                codes=s.codes,
                runs=runs,
                alternative=s.alternative,
                null=s.delta,
                n_threads=s.n_threads,
            )
        elif s.test == "auto" and is_sum_based(s.aggregation) and len(s.values) > 1:
            from analysis.statistics.all_pairs import corpus_guard

            self.guarding = corpus_guard.CorpusGuard(
                s.values,
                self.difference,
                self.n_units,
                self.choice,
                aggregation=s.aggregation,
                codes=s.codes,
                alternative=s.alternative,
                null=s.delta,
                n_threads=s.n_threads,
            )

    @functools.cached_property
    def by_scores(self) -> Choice:
        """The test that suits each pair, whatever was asked for."""
        s = self.settings
        return choose_tests(s.aggregation, self.binary, self.n_items, self.n_units, s.delta)

    @property
    def scores(self) -> FloatArray:
        return self.settings.values[:, :, 0]

    def tested(self) -> FloatArray:
        """Return the scores with the hypothesised difference taken off the first system's."""
        s = self.settings
        if not s.delta:
            return self.scores
        return np.asarray(self.scores - np.array([[s.delta], [0.0]]))

    def test(self) -> PairPvalues:
        """Return the p-values of all pairs, each by its own test."""
        run: dict[str, Callable[[], PairPvalues]] = {
            "t": self._t,
            "wilcoxon": self._wilcoxon,
            "sign": self._fair_coin,
            "mcnemar": self._fair_coin,
            "score": self._score,
            "signflip": self._signflip,
            "bootstrap": lambda: self.bootstrap("bootstrap", self.settings.alpha)[0],
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
        if self.guarding is not None:
            pvalue, self.choice = self.guarding.pvalues(pvalue, self.choice)
            method[self.choice.refusal > 0] = PairMethod.NOT_TESTABLE
        return PairPvalues(pvalue, method, floor)

    def _t(self) -> PairPvalues:
        s = self.settings
        assert self.moments is not None
        moments = self.moments
        if s.delta:
            moments = paired_moments(self.tested(), groups=s.codes)
        return t_all_pairs(moments, alternative=s.alternative)

    def _fair_coin(self) -> PairPvalues:
        s = self.settings
        wins = wins_all_pairs(self.tested()) if s.delta else self.all_wins()
        return fair_coin_all_pairs(wins, self.n_items, alternative=s.alternative)

    def _score(self) -> PairPvalues:
        s = self.settings
        return score_all_pairs(
            self.scores, self.all_wins(), alternative=s.alternative, delta=s.delta
        )

    def _wilcoxon(self) -> PairPvalues:
        from analysis.statistics.all_pairs.wilcoxon import wilcoxon_all_pairs

        s = self.settings
        return wilcoxon_all_pairs(
            self.tested(),
            self.n_items,
            alternative=s.alternative,
            n_threads=s.n_threads,
            progress=self.next_part(),
        )

    def _signflip(self) -> PairPvalues:
        s = self.settings
        if self.moments is not None:
            return self._signflip_of_means(self.moments)
        from analysis.statistics.all_pairs.corpus import exchange_all_pairs

        values = s.values if not s.delta else self.tested()[:, :, np.newaxis]
        return exchange_all_pairs(
            values,
            s.aggregation,
            ~np.isnan(self.difference),
            codes=s.codes,
            alternative=s.alternative,
            n_resamples=s.n_resamples,
            seed=s.seed,
            n_threads=s.n_threads,
            progress=self.next_part(),
        )

    def _signflip_of_means(self, moments: Moments) -> PairPvalues:
        from analysis.statistics.all_pairs.signflip import signflip_all_pairs

        s = self.settings
        progress = self.next_part()
        scores = self.tested()
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
        return self.bootstrap("bootstrap-percentile", self.settings.alpha)[0]

    def bootstrap(self, test: str, alpha: float) -> tuple[PairPvalues, Ends, FloatArray]:
        """Return p-values, percentile intervals at 1 - alpha, and standard errors; kept."""
        key = (test, alpha)
        if key in self._bootstrapped:
            return self._bootstrapped[key]
        s = self.settings
        progress = self.next_part()

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
                moments=self.moments if every else None,
                warn=test in self.choice.tests and every,
            )
            matrices = (*found.pvalues, found.low, found.high, found.standard_error)
            return [np.array(matrix, dtype=np.float64) for matrix in matrices]

        if self.moments is None:
            found = run(np.arange(len(s.values)))
        else:
            found = run_by_scale(run, self.scores, self.moments)
        self.drawn = True
        pvalue, method, floor, low, high, error = found
        outcome = PairPvalues(pvalue, method.astype(np.uint8), floor), Ends(low, high), error
        self._bootstrapped[key] = outcome
        return outcome

    def percentiles(self, alpha: float) -> tuple[Ends, FloatArray]:
        """Return percentile intervals at 1 - alpha and standard errors of all differences.

        A test that has drawn at this level has them, whichever way it counts replicates.
        """
        test = "bootstrap" if ("bootstrap", alpha) in self._bootstrapped else "bootstrap-percentile"
        return self.bootstrap(test, alpha)[1:]

    def _steiger(self) -> PairPvalues:
        from analysis.statistics.all_pairs.correlations import steiger_all_pairs

        s = self.settings
        return steiger_all_pairs(s.values, s.aggregation, alternative=s.alternative)

    def _jackknife(self) -> PairPvalues:
        found = self.correlations(self.settings.alpha)
        method = np.where(
            np.isnan(found.pvalue), PairMethod.NOT_TESTABLE, PairMethod.CLOSED_FORM
        ).astype(np.uint8)
        return PairPvalues(found.pvalue, method, np.where(np.isnan(found.pvalue), np.nan, 0.0))

    def correlations(self, alpha: float) -> "CorrelationDifferences":
        from analysis.statistics.correlation_differences import correlation_differences

        s = self.settings
        present = ~np.isnan(s.values[:, :, 1])
        gold = np.max(s.values[:, :, 1], axis=0, where=present, initial=-np.inf)
        return correlation_differences(
            self.scores,
            np.where(present.any(axis=0), gold, np.nan),
            aggregation=s.aggregation,
            codes=s.codes,
            alternative=s.alternative,
            delta=s.delta,
            alpha=alpha,
        )

    def all_wins(self) -> IntArray:
        """Return on how many items each system has a higher score than each other, kept."""
        if self._wins is None:
            self._wins = wins_all_pairs(self.scores)
        return self._wins

    def next_part(self) -> Progress | None:
        """Return what the next part of the work reports to."""
        n_parts = max(1, self.n_parts)
        self._done = min(self._done + 1, n_parts)
        return part_of(self._progress, self._done - 1, n_parts)
