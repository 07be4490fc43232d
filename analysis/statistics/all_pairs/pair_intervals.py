"""The interval of each pair: that of its own test, where it has one."""

import numpy as np

from analysis.statistics._typing import BoolArray, ByteArray, FloatArray
from analysis.statistics.aggregate import CORRELATIONS
from analysis.statistics.all_pairs.choice import Choice
from analysis.statistics.all_pairs.complete_sets import triangle
from analysis.statistics.all_pairs.engine import Engine
from analysis.statistics.all_pairs.intervals import (
    Ends,
    share_intervals,
    t_intervals,
)
from analysis.statistics.all_pairs.inversion import agreeing, inverted_intervals
from analysis.statistics.registry import TESTS


class PairIntervals:
    """Intervals of the differences, pair by pair."""

    def __init__(self, engine: Engine) -> None:
        """Take the scores and the choice of tests from an engine."""
        self._engine = engine
        tests, kinds = engine.choice.tests, self.kinds
        engine.n_parts += "inverted" in kinds
        # A two-sided bootstrap has the percentiles of the same level.
        at_hand = engine.settings.alternative == "two-sided" and (
            "bootstrap" in tests or "bootstrap-percentile" in tests
        )
        engine.n_parts += "percentile" in kinds and not at_hand

    def intervals(self, pvalue: FloatArray, alpha: float) -> tuple[Ends, FloatArray]:
        """Return the intervals and the standard errors of all differences.

        One-sided they are open on the side that the test does not look at.
        """
        s = self._engine.settings
        if s.alternative == "two-sided":
            return self.two_sided_ends(pvalue, alpha)
        none = np.full(pvalue.shape, np.nan)
        ends, error = self.two_sided_ends(none, min(2 * alpha, 1 - 1e-9))
        bounds = agreeing(ends, self._engine.difference, pvalue, alpha, s.delta)
        open_end = np.where(np.isnan(ends.low), np.nan, np.inf)
        if s.alternative == "greater":
            return Ends(bounds.low, open_end), error
        return Ends(-open_end, bounds.high), error

    def two_sided_ends(self, pvalue: FloatArray, alpha: float) -> tuple[Ends, FloatArray]:
        """Return intervals at 1 - alpha, each by the method of its pair, and standard errors."""
        s = self._engine.settings
        shape = self._engine.difference.shape
        low, high = np.full(shape, np.nan), np.full(shape, np.nan)
        error = (
            np.full(shape, np.nan)
            if self._engine.moments is None
            else self._engine.moments.standard_error
        )
        if s.aggregation in CORRELATIONS and "jackknife" in self._engine.choice.tests:
            error = self._engine.correlations(alpha).standard_error
        kind_code = self.kind_code
        for place, kind in enumerate(self.kinds):
            here = kind_code == place
            if kind == "percentile":
                ends, of_replicates = self._engine.percentiles(alpha)
                if self._engine.moments is None and s.aggregation not in CORRELATIONS:
                    error = of_replicates
            else:
                ends = self._ends_of(kind, here, alpha)
            low[here], high[here] = ends.low[here], ends.high[here]
        if self._engine.guarding is not None and s.interval == "auto":
            low, high = self._engine.guarding.ends(low, high, 1 - alpha)
        untested = self._engine.choice.refusal > 0
        low[untested] = high[untested] = np.nan
        np.fill_diagonal(low, np.nan)
        np.fill_diagonal(high, np.nan)
        inverted = self.inverts()
        if not inverted.any():
            return Ends(low, high), error
        bounds = agreeing(Ends(low, high), self._engine.difference, pvalue, alpha, s.delta)
        return Ends(
            np.where(inverted, bounds.low, low), np.where(inverted, bounds.high, high)
        ), error

    def _ends_of(self, kind: str, here: BoolArray, alpha: float) -> Ends:
        """Return intervals of mean differences, at least of the pairs that are wanted."""
        s = self._engine.settings
        if kind in ("tango", "newcombe"):
            return share_intervals(kind, self._engine.scores, self._engine.all_wins(), 1 - alpha)
        if kind == "jackknife":
            found = self._engine.correlations(alpha)
            return Ends(found.low, found.high)
        if kind == "none" or self._engine.moments is None:
            none = np.full(here.shape, np.nan)
            return Ends(none, none)
        plain = t_intervals(self._engine.scores, self._engine.moments, 1 - alpha)
        if kind == "t":
            return plain
        upper = triangle(len(s.values))
        # Where nothing varies all halves agree, which would read as certainty.
        wanted = np.flatnonzero(here[upper] & (self._engine.moments.standard_error[upper] > 0))
        self._engine.drawn = self._engine.drawn or bool(wanted.size)
        halves = inverted_intervals(
            self._engine.tested(),
            wanted,
            codes=s.codes,
            alpha=alpha,
            n_resamples=s.n_resamples,
            seed=s.seed,
            n_threads=s.n_threads,
            progress=self._engine.next_part(),
        )
        low, high = plain.low.copy(), plain.high.copy()
        at = (upper[0][wanted], upper[1][wanted])
        low[at], high[at] = halves.low + s.delta, halves.high + s.delta
        low[at[::-1]], high[at[::-1]] = 0.0 - high[at], 0.0 - low[at]
        return Ends(low, high)

    def is_of(self, kind: str) -> BoolArray:
        """Return which pairs have an interval of that kind."""
        kinds = self.kinds
        if kind not in kinds:
            return np.zeros(self._engine.difference.shape, np.bool_)
        return np.asarray(self.kind_code == kinds.index(kind))

    @property
    def kinds(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(self._interval_names().values()))

    @property
    def kind_code(self) -> ByteArray:
        names, kinds = self._interval_names(), self.kinds
        if len(kinds) == 1:
            return np.zeros(self._engine.difference.shape, np.uint8)
        source = self._interval_source()
        codes = np.array([kinds.index(names[test]) for test in source.tests], np.uint8)
        return np.asarray(codes[source.code])

    def _interval_source(self) -> Choice:
        """Return the choice of tests whose intervals are shown."""
        s = self._engine.settings
        if s.test != "auto" and s.interval == "auto" and not TESTS[s.test].interval:
            return self._engine.by_scores
        return self._engine.choice

    def _interval_names(self) -> dict[str, str]:
        s = self._engine.settings
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

    def inverts(self) -> BoolArray:
        """Return the pairs whose interval is that of their own test."""
        kinds = self.kinds
        kind_code = self.kind_code
        found = np.zeros(self._engine.difference.shape, dtype=np.bool_)
        for test in self._engine.choice.tests:
            own = TESTS[test].interval
            if own == "inverted" and self._engine.settings.aggregation != "mean":
                continue
            if own in kinds:
                found |= self._engine.choice.uses(test) & (kind_code == kinds.index(own))
        return found
