"""Power of any paired test by drawing items anew from a pilot, for the difference it showed
or for a stated one.
"""

import math
import warnings
from collections.abc import Sequence
from typing import Literal, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt
from numpy.random import SeedSequence

from analysis.statistics._typing import Alternative, FloatArray, Groups, IntArray, Seed
from analysis.statistics.paired.result import (
    CompletePair,
    complete_components,
    median_difference,
    metric_difference,
)
from analysis.statistics.paired.tests import TESTS, paired_test
from analysis.statistics.planning.arguments import as_finite, as_sizes
from analysis.statistics.planning.power_result import PowerBySize, columns_of
from analysis.statistics.planning.power_tally import PowerTally, tally
from analysis.statistics.planning.row_tests import BATCHED, row_pvalues
from analysis.statistics.planning.sample_size_simulation import simulated_uniforms
from analysis.statistics.planning.tilting import tilted_weights
from analysis.statistics.random_streams import BLOCK_ROWS, Stream
from analysis.statistics.resampling.threads import on_one_thread
from analysis.statistics.results import DegenerateDataWarning, read_only
from analysis.statistics.standard_error import exact_std
from analysis.statistics.validation import ALTERNATIVES, as_choice, as_count, as_level, as_seed

EffectBy: TypeAlias = Literal["tilt", "shift"]
EFFECT_BY: tuple[EffectBy, ...] = ("tilt", "shift")
_RESAMPLING = ("signflip", "bootstrap")


class _Plan(NamedTuple):
    test: str
    aggregation: str
    alternative: Alternative
    n_iterations: int
    n_resamples: int
    seed: int

    @property
    def of_median(self) -> bool:
        return self.test.endswith("-median")

    def observed(self, pair: CompletePair) -> float:
        """Return what the test compares, on the pilot."""
        if self.of_median:
            return median_difference(pair)
        return metric_difference(pair, self.aggregation)


class _Pilot(NamedTuple):
    """What is drawn from: items, or whole groups of them."""

    pair: CompletePair
    members: list[npt.NDArray[np.intp]] | None
    """Items of each group; None where items are drawn."""
    cumulative: FloatArray | None
    """Cumulative chances of the units; None where all are equal."""

    @property
    def n_units(self) -> int:
        return self.pair.n_units

    def draw(self, plan: _Plan, size: int, iteration: int) -> IntArray:
        """Return the numbers of `size` units."""
        uniforms = simulated_uniforms(plan.seed, Stream.RESAMPLED_SCORES, size, iteration, size)
        if self.cumulative is None:
            return (uniforms * self.n_units).astype(np.int64)
        found = np.searchsorted(self.cumulative, uniforms, side="right")
        return np.asarray(np.minimum(found, self.n_units - 1), dtype=np.int64)


def pilot_power(
    a: npt.ArrayLike,
    b: npt.ArrayLike,
    *,
    sizes: Sequence[int],
    effect: float | None = None,
    effect_by: EffectBy = "tilt",
    test: str = "auto",
    aggregation: str = "mean",
    alternative: Alternative = "two-sided",
    alpha: float = 0.05,
    groups: Groups = None,
    n_iterations: int = 500,
    n_resamples: int = 499,
    rng: Seed = 0,
) -> PowerBySize:
    """Return the power of a test on new items like those of a pilot.

    Items are drawn with replacement and tested, so differences keep their distribution, ties and
    all. The pilot's own difference is uncertain: with `effect`, the power is for a stated one.

    Parameters
    ----------
    a, b : array_like, shape (n_items,) or (n_items, n_components)
        Scores, or what a corpus metric is computed from; items with a NaN are left out.
    sizes : sequence of int
        Numbers of items, each at least 2; numbers of groups where `groups` joins items.
    effect : float, optional
        True mean difference a - b that the power is for, for "mean"; by default the observed one.
    effect_by : {"tilt", "shift"}
        How the pilot is given that difference. "tilt": items with larger differences are drawn
        more (or less) often, which keeps scores what they are, right or wrong and tied.
        "shift": all of a's scores move by the same amount, which keeps the spread.
    test : str
        One of `TESTS`. "auto" chooses as `paired_test` does for the pilot.
    aggregation : str
        One of `AGGREGATIONS`.
    alternative : {"two-sided", "greater", "less"}
    alpha : float
    groups : sequence, shape (n_items,), optional
        A label per item; whole groups are drawn, and tested as groups.
    n_iterations : int
        Comparisons per size.
    n_resamples : int
        Of each test that resamples.
    rng : int, Generator or None
        Seed; 0 is a seed. A size draws the same items whichever others are asked for.

    Returns
    -------
    PowerBySize

    Raises
    ------
    TypeError, ValueError
        If scores or an argument are out of range; if there are fewer than two items or groups;
        if an `effect` is stated for another metric than the mean, or no item lies beyond it.

    Notes
    -----
    A pilot of n items cannot show what fewer than one item in n does; with some 50 items or
    fewer take the power as a rough guide. Without groups, all tests but "wilcoxon" of means and
    medians of differences take all draws at once: O(n_iterations · n_resamples · size) at the
    speed of a matrix product, less for medians.

    References
    ----------
    Zhu et al. (2020), NLPStatTest, 3.4 and figure 3; Card et al. (2020), figure 2; Efron (1981),
    Nonparametric standard errors and confidence intervals, for tilting.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> right, other = rng.random(300) < 0.8, rng.random(300) < 0.7
    >>> found = pilot_power(right, other, sizes=[100, 900], effect=0.05, n_iterations=200)
    >>> found.test, bool(found.power[0] < 0.3 < 0.5 < found.power[1])
    ('score', True)
    """
    as_choice(test, "test", TESTS)
    as_choice(alternative, "alternative", ALTERNATIVES)
    as_choice(effect_by, "effect_by", EFFECT_BY)
    level, numbers = as_level(alpha), as_sizes(sizes)
    pair = _complete(a, b, aggregation, groups)
    plan = _Plan(
        _chosen_test(pair, test, aggregation, alternative),
        aggregation,
        alternative,
        as_count(n_iterations, "n_iterations"),
        as_count(n_resamples, "n_resamples"),
        as_seed(rng),
    )
    pilot = _with_effect(pair, effect, effect_by, plan)
    truth = plan.observed(pair) if effect is None else float(effect)
    tallies = [_tally_size(pilot, plan, int(size), truth, level) for size in numbers]
    return PowerBySize(
        method="bootstrap",
        test=plan.test,
        alternative=alternative,
        alpha=level,
        sizes=read_only(numbers),
        **columns_of(tallies, plan.n_iterations)._asdict(),
        difference=truth,
        std=_std(pair),
        n_items=len(pair.a),
        n_missing=pair.n_missing,
        n_iterations=plan.n_iterations,
        seed=plan.seed,
        aggregation=aggregation,
        n_groups=None if pilot.members is None else pair.n_groups,
        n_resamples=plan.n_resamples if plan.test.startswith(_RESAMPLING) else 0,
        settings=() if effect is None else (("effect", f"{truth!r} by {effect_by}"),),
    )


def _complete(a: npt.ArrayLike, b: npt.ArrayLike, aggregation: str, groups: Groups) -> CompletePair:
    pair = complete_components(a, b, aggregation=aggregation, groups=groups)
    if pair.n_units < 2:
        raise ValueError(
            f"`a` and `b` must share at least 2 items, or groups of items, got {pair.n_units}."
        )
    return pair


def _chosen_test(pair: CompletePair, test: str, aggregation: str, alternative: Alternative) -> str:
    """Test the pilot once: that chooses the test, and refuses what cannot be tested."""
    once = paired_test(
        _column(pair.a),
        _column(pair.b),
        test=test,
        aggregation=aggregation,
        alternative=alternative,
        groups=pair.groups,
        n_resamples=1,
        rng=0,
    )
    return once.test


def _with_effect(pair: CompletePair, effect: float | None, effect_by: str, plan: _Plan) -> _Pilot:
    members = None
    if pair.groups is not None and pair.n_units < len(pair.a):
        order = np.argsort(pair.groups, kind="stable")
        members = np.split(order, np.cumsum(np.bincount(pair.groups))[:-1])
    elif pair.groups is not None:
        pair = pair._replace(groups=None)
    if effect is None:
        return _Pilot(pair, members, None)
    stated = as_finite(effect, "effect")
    if plan.aggregation != "mean" or plan.of_median:
        raise ValueError(
            f"`effect` can be stated for tests of the mean only, got '{plan.test}' of "
            f"'{plan.aggregation}'. Leave it out to plan for the difference that the pilot shows."
        )
    gap = pair.a[:, 0] - pair.b[:, 0]
    if effect_by == "shift":
        moved = pair.a + (stated - metric_difference(pair, "mean"))
        return _Pilot(pair._replace(a=moved), members, None)
    if members is None:
        excess = gap - stated
    else:
        excess = np.array([float(np.sum(gap[units] - stated)) for units in members])
    return _Pilot(pair, members, np.cumsum(tilted_weights(excess, stated)))


def _tally_size(pilot: _Pilot, plan: _Plan, size: int, truth: float, alpha: float) -> PowerTally:
    pvalue, effect = np.empty(plan.n_iterations), np.empty(plan.n_iterations)
    batched = plan.test in BATCHED and pilot.members is None and plan.aggregation == "mean"
    if not batched:
        with warnings.catch_warnings(), on_one_thread():
            # Counted as `n_untestable` instead of being said for each draw.
            warnings.simplefilter("ignore", DegenerateDataWarning)
            for i in range(plan.n_iterations):
                pvalue[i], effect[i] = _one(pilot, plan, size, i)
        return tally(pvalue, effect, truth, alpha)
    gap = pilot.pair.a[:, 0] - pilot.pair.b[:, 0]
    for start in range(0, plan.n_iterations, BLOCK_ROWS):
        stop = min(start + BLOCK_ROWS, plan.n_iterations)
        rows = np.stack([gap[pilot.draw(plan, size, i)] for i in range(start, stop)])
        effect[start:stop] = np.median(rows, axis=1) if plan.of_median else np.mean(rows, axis=1)
        pvalue[start:stop] = row_pvalues(
            rows,
            test=plan.test,
            alternative=plan.alternative,
            n_resamples=plan.n_resamples,
            seed=plan.seed,
            first_row=start,
        )
    return tally(pvalue, effect, truth, alpha)


def _one(pilot: _Pilot, plan: _Plan, size: int, iteration: int) -> tuple[float, float]:
    """Return p-value and effect of one draw, tested by itself."""
    units = pilot.draw(plan, size, iteration)
    codes = None
    if pilot.members is not None:
        chosen = [pilot.members[unit] for unit in units]
        codes = np.repeat(np.arange(size), [len(items) for items in chosen])
        units = np.concatenate(chosen)
    result = paired_test(
        _column(pilot.pair.a[units]),
        _column(pilot.pair.b[units]),
        test=plan.test,
        aggregation=plan.aggregation,
        alternative=plan.alternative,
        groups=codes,
        n_resamples=plan.n_resamples,
        rng=_own_seed(plan.seed, size, iteration),
    )
    return result.pvalue, result.statistic if plan.of_median else result.difference


def _own_seed(seed: int, size: int, iteration: int) -> int:
    """Return a seed for one test: with one plan for all, tests of medians would err together."""
    key = SeedSequence(seed, spawn_key=(int(Stream.POWER), size, iteration))
    return int(key.generate_state(1, np.uint64)[0])


def _std(pair: CompletePair) -> float:
    """Return the standard deviation of the differences; NaN of several components."""
    return exact_std(pair.a[:, 0] - pair.b[:, 0]) if pair.a.shape[1] == 1 else math.nan


def _column(values: FloatArray) -> FloatArray:
    return values[:, 0] if values.shape[1] == 1 else values
