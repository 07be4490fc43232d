"""How much one look at a test set is better than another, and how sure that is."""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
import scipy

from analysis.statistics._typing import FloatArray
from analysis.statistics.paired.inference import PairInference, infer_pair
from analysis.statistics.planning.power import minimum_detectable_difference
from analysis.statistics.planning.type_errors import TypeErrors, type_errors
from analysis.statistics.precision import without_rounding
from analysis.statistics.results import DegenerateDataWarning
from analysis.statistics.validity_bounds import RunSpread
from analysis.studies.claims.figures import (
    Bounds,
    Figure,
    bounds_of_figures,
    counts_right_answers,
    share_scale,
)
from analysis.studies.claims.history import Entry, TimeLine
from analysis.studies.claims.settings import Basis, ClaimSettings
from analysis.studies.pair_analysis import (
    independent_units,
)
from analysis.studies.power.pair_models import (
    AccuracyModel,
    Target,
    shares_model,
    smallest_gap,
)
from analysis.studies.run_spread import side_by_side
from analysis.studies.study import count, listed
from store import vectors
from store.records import MetricRecord
from store.reported import rounding

_FEWEST_ITEMS: Final = 2
_MANY: Final = 10**6
"""Degrees of freedom of a normal distribution."""
_UNKNOWN: Final = (math.nan, math.nan)
_NEAR_FLOOR: Final = 20
_MORE_RESAMPLES: Final = 199_999


@dataclass(frozen=True, slots=True, eq=False)
class Gain:
    """One look against another; differences are positive where the later one is better."""

    gain: float
    """On the items that both have, where there are item scores; else of the figures."""
    basis: Basis
    ci: tuple[float, float]
    pvalue: float
    """Two-sided; of figures alone the largest that their agreement allows."""
    standard_error: float
    """NaN where nothing is known; of figures at the agreement expected of such systems."""
    df: int
    n_items: int
    n_missing: int
    test: str
    """By its name in the statistics; empty without a p-value."""
    floor: float
    """Smallest p-value that the test can give; 0 where it has none."""
    agreement: float
    """Share of items both get right or both wrong; NaN for graded scores and without items."""
    accuracies: tuple[float, float]
    """Means of the two on these items; NaN without items."""
    bounds: Bounds | None
    """What the figures alone leave possible; ``None`` where there are item scores."""
    pvalue_low: float
    """The smallest possible p-value; `pvalue` itself where that is known."""
    untested: str
    """Why there is no p-value; empty where there is one."""
    told: str = ""
    """How a p-value is reported; empty for one that was computed."""

    def smallest_found(self, level: float, power: float) -> float:
        """Return the smallest true gain that such a comparison finds at a level."""
        shares = self._shares(level, power)
        if shares is not None:
            return smallest_gap(shares, self.n_items)
        if not self.standard_error > 0 or self.df < 1 or not 0 < level < power:
            return math.nan
        return minimum_detectable_difference(self.standard_error, self.df, alpha=level, power=power)

    def power_for(self, true_gain: float, level: float) -> TypeErrors | None:
        """Return power, Type M and Type S at a level if that were the true gain."""
        shares = self._shares(level, 1.0) if 0 < true_gain <= 1 else None
        if shares is not None:
            # So large a gain leaves less to agree on.
            agreement = min(self.agreement, 1 - true_gain)
            found = replace(shares, agreement=agreement).find(true_gain, self.n_items)
            rate = found.power / (1 - found.type_s) if found.type_s < 1 else found.power
            return TypeErrors(found.power, rate, found.type_m, found.type_s)
        if not self.standard_error > 0 or self.df < 1 or not true_gain > 0 or not level > 0:
            return None
        return type_errors(true_gain / self.standard_error, self.df, alpha=level)

    @property
    def is_of_shares(self) -> bool:
        """Whether right and wrong items were compared by a test of shares."""
        return self._shares(0.05, 1.0) is not None

    def _shares(self, level: float, power: float) -> AccuracyModel | None:
        """Return what is planned by the test of shares that was taken; None for other tests."""
        if self.basis != "items" or math.isnan(self.agreement) or not level > 0:
            return None
        return shares_model(self.test, self.accuracies, self.agreement, Target(level, power))


def compare_looks(
    line: TimeLine,
    later: Entry,
    earlier: Entry,
    settings: ClaimSettings,
    *,
    interval: str = "auto",
) -> Gain:
    """Compare two looks: on the items they share, else by what their figures leave possible.

    With `interval` "none" a gain on items has no interval, and takes half the time.
    """
    if later.scores is not None and earlier.scores is not None:
        runs = side_by_side(*(later.spread, earlier.spread)[:: line.metric.sign])
        return _on_items(line, later.scores, earlier.scores, runs, settings, interval)
    return _on_figures(line, later, earlier, settings)


def _on_items(
    line: TimeLine,
    later: FloatArray,
    earlier: FloatArray,
    runs: RunSpread | None,
    settings: ClaimSettings,
    interval: str,
) -> Gain:
    aggregation = line.metric.aggregation
    shared = vectors.scored(later) & vectors.scored(earlier)
    n_items = int(shared.sum())
    first, second = (later, earlier) if line.metric.sign > 0 else (earlier, later)
    first, second = first[shared], second[shared]
    groups = None
    if line.groups is not None:
        groups = [group for group, yes in zip(line.groups, shared, strict=True) if yes]
    n_missing = len(shared) - n_items
    if n_items < _FEWEST_ITEMS:
        return _nothing(n_items, n_missing, f"{count(n_items, 'item')} with a score from both.")
    inferred = _infer(first, second, line.metric, groups, runs, settings, interval)
    test = inferred.test
    both = vectors.aggregate(first, aggregation), vectors.aggregate(second, aggregation)
    untested = ""
    if math.isnan(test.pvalue):
        untested = "All items differ by the same amount, or the metric is not defined on them."
        if inferred.refusal:
            n_groups = independent_units(first, second, groups)
            untested = f"No valid test for {count(n_groups, 'group')} of items."
    return Gain(
        gain=float(without_rounding(*both)),
        basis="items",
        ci=(inferred.interval.low, inferred.interval.high),
        pvalue=test.pvalue,
        standard_error=inferred.standard_error,
        df=independent_units(first, second, groups) - 1,
        n_items=n_items,
        n_missing=n_missing,
        test="" if untested else test.test,
        floor=0.0 if test.exact else (test.pvalue_floor or 0.0),
        agreement=_agreement(first, second) if aggregation == "mean" else math.nan,
        accuracies=(float(both[0]), float(both[1])),
        bounds=None,
        pvalue_low=test.pvalue,
        untested=untested,
    )


def _infer(
    first: FloatArray,
    second: FloatArray,
    metric: MetricRecord,
    groups: list[str | None] | None,
    runs: RunSpread | None,
    settings: ClaimSettings,
    interval: str,
) -> PairInference:
    """Compare two systems as a comparison of them by themselves does.

    A late claim is tested at a small level: where resampling nears its floor, it is done again
    with more; the later answer counts, so that no p-value is the better of two.
    """

    def by(n_resamples: int) -> PairInference:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DegenerateDataWarning)  # the verdict says it
            return infer_pair(
                first,
                second,
                aggregation=metric.aggregation,
                groups=groups,
                runs=runs,
                bounds=metric.bounds,
                interval=interval,
                alpha=settings.alpha,
                n_resamples=n_resamples,
                rng=settings.seed,
            )

    found = by(settings.n_resamples)
    floor = found.test.pvalue_floor or 0.0
    near_floor = not found.test.exact and found.test.pvalue <= _NEAR_FLOOR * floor
    drawn = found.test.n_resamples > 0
    if drawn and near_floor and settings.n_resamples < _MORE_RESAMPLES:
        return by(_MORE_RESAMPLES)
    return found


def _is_binary(first: FloatArray, second: FloatArray) -> bool:
    return bool(np.isin(first, (0.0, 1.0)).all() and np.isin(second, (0.0, 1.0)).all())


def _agreement(first: FloatArray, second: FloatArray) -> float:
    return float(np.mean(first == second)) if _is_binary(first, second) else math.nan


def _on_figures(line: TimeLine, later: Entry, earlier: Entry, settings: ClaimSettings) -> Gain:
    gain = line.gain(later.score, earlier.score)
    stated = line.reported_pvalue(later, earlier)
    bounds = _bounds(line, later, earlier)
    error, scale = math.nan, share_scale(line.metric) or 1.0
    n_items = 0
    if bounds is not None:
        error, n_items = bounds.standard_error * scale, bounds.n_items
    if stated is not None:
        return Gain(
            gain=gain,
            basis="reported",
            ci=(math.nan, math.nan),
            pvalue=stated.pvalue,
            standard_error=error,
            df=n_items - 1,
            n_items=n_items,
            n_missing=0,
            test=stated.test,
            floor=0.0,
            agreement=math.nan,
            accuracies=_UNKNOWN,
            bounds=bounds,
            pvalue_low=stated.pvalue,
            untested="",
            told=stated.told,
        )
    if bounds is not None:
        return Gain(
            gain=gain,
            basis="bounds",
            ci=(math.nan, math.nan),
            pvalue=bounds.pvalue_high,
            standard_error=error,
            df=n_items - 1,
            n_items=n_items,
            n_missing=0,
            test="mcnemar",
            floor=0.0,
            agreement=math.nan,
            accuracies=_UNKNOWN,
            bounds=bounds,
            pvalue_low=bounds.pvalue_low,
            untested="",
        )
    if later.stderr and earlier.stderr:
        return _on_errors(gain, later.stderr, earlier.stderr, settings)
    return replace(_nothing(0, 0, _why_nothing(line, later, earlier)), gain=gain)


def _bounds(line: TimeLine, later: Entry, earlier: Entry) -> Bounds | None:
    scale = share_scale(line.metric)
    n_items = line.dataset.n_items_stated or line.dataset.n_items
    if scale is None:
        return None
    return bounds_of_figures(
        _figure(line, later, scale),
        _figure(line, earlier, scale),
        n_items=n_items,
        graded=not counts_right_answers(line.metric),
        expected=line.agreement,
    )


def _figure(line: TimeLine, entry: Entry, scale: float) -> Figure:
    """Return a score as a share of right answers: of errors, what is left of them."""
    share = entry.score / scale
    slack = rounding(entry.printed.strip().rstrip("% "), entry.score) / scale
    return Figure(
        share=share if line.metric.sign > 0 else 1 - share,
        slack=slack if entry.printed else 0.0,
        n_items=entry.n_items,
    )


def _on_errors(gain: float, later: float, earlier: float, settings: ClaimSettings) -> Gain:
    """Test stated standard errors as if the systems erred in opposite ways: the worst case."""
    error = later + earlier
    reach = float(scipy.special.ndtri(1 - settings.alpha / 2)) * error
    together = abs(later - earlier)  # as if they erred in the same way
    low = 0.0 if together == 0 else float(2 * scipy.special.ndtr(-abs(gain) / together))
    return Gain(
        gain=gain,
        basis="bounds",
        ci=(gain - reach, gain + reach),
        pvalue=float(2 * scipy.special.ndtr(-abs(gain) / error)),
        standard_error=math.hypot(later, earlier),
        df=_MANY,
        n_items=0,
        n_missing=0,
        test="z",
        floor=0.0,
        agreement=math.nan,
        accuracies=_UNKNOWN,
        bounds=None,
        pvalue_low=low,
        untested="",
    )


def _why_nothing(line: TimeLine, later: Entry, earlier: Entry) -> str:
    bare = [e.system for e in (later, earlier) if e.scores is None]
    told = f"The store has no item scores of {listed(list(dict.fromkeys(bare)))}"
    if share_scale(line.metric) is None:
        return told + f", and figures of {line.metric.label} alone cannot be tested."
    return told + ", and their figures do not say that they are on the same items."


def _nothing(n_items: int, n_missing: int, why: str) -> Gain:
    return Gain(
        gain=math.nan,
        basis="none",
        ci=(math.nan, math.nan),
        pvalue=math.nan,
        standard_error=math.nan,
        df=0,
        n_items=n_items,
        n_missing=n_missing,
        test="",
        floor=0.0,
        agreement=math.nan,
        accuracies=_UNKNOWN,
        bounds=None,
        pvalue_low=math.nan,
        untested=why,
    )
