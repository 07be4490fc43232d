"""Power, and the smallest differences found, against the algorithms of Card et al. (2020).

The peers are written anew after the published notebooks' description: test sets are drawn and
tested one by one. Processor time of one process, at one thread. Ours is held to the same question;
for accuracies the answer is exact, where the peer's has Monte Carlo error.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable

import numpy as np
import numpy.typing as npt
from statsmodels.stats.contingency_tables import mcnemar
from threadpoolctl import threadpool_limits

from analysis.statistics.planning.accuracy.detectable_gap import minimum_detectable_gap
from analysis.statistics.planning.accuracy.mcnemar_power import mcnemar_power
from analysis.statistics.planning.corpus.effects import CARD_EFFECTS
from analysis.statistics.planning.corpus.power import corpus_power

FloatArray = npt.NDArray[np.float64]
ALPHA = 0.05
N_ITEMS, BASELINE, GAP, AGREEMENT = 500, 0.8, 0.02, 0.975
TABLES = 5_000
EVALUATIONS = 20
COMPARISONS, EXCHANGES = 500, 1_000


def run() -> list[tuple[str, float, float]]:
    """Return (name, our time as a share of the peer's, largest share allowed)."""
    with threadpool_limits(1):
        return [_power(), _gap(), _bleu()]


def power_of_tables(gap: float, rng: np.random.Generator) -> float:
    """Return the share of drawn tables that statsmodels' exact test finds, with the right sign."""
    both = BASELINE - (1 - AGREEMENT - gap) / 2
    better, worse = (1 - AGREEMENT + gap) / 2, (1 - AGREEMENT - gap) / 2
    draws = rng.multinomial(N_ITEMS, [both, better, worse, AGREEMENT - both], size=TABLES)
    found = 0
    for right, gained, lost, wrong in draws:
        pvalue = mcnemar([[right, gained], [lost, wrong]]).pvalue
        found += bool(pvalue <= ALPHA and gained > lost)
    return found / TABLES


def gap_by_bisection(rng: np.random.Generator, target: float = 0.8) -> float:
    """Return the gap at which `power_of_tables` reaches the target, after 20 halvings."""
    low, high = 0.0, 1 - AGREEMENT
    for _ in range(EVALUATIONS):
        middle = (low + high) / 2
        low, high = (middle, high) if power_of_tables(middle, rng) < target else (low, middle)
    return (low + high) / 2


def power_of_exchanges(
    difference: float, n_items: int, p_zero: float, scale: float, rng: np.random.Generator
) -> float:
    """Return the share of drawn comparisons outside the percentiles of their own exchanges."""
    location = -2 * difference / (n_items * (1 - p_zero))
    found = 0
    for _ in range(COMPARISONS):
        effects = rng.laplace(location, scale / n_items, n_items)
        effects *= rng.random(n_items) >= p_zero
        observed = -effects.sum() / 2
        exchanged = rng.integers(0, 2, (EXCHANGES, n_items)) @ effects + observed
        low, high = np.percentile(exchanged, [100 * ALPHA / 2, 100 * (1 - ALPHA / 2)])
        found += bool(observed > high if difference > 0 else observed < low)
    return found / COMPARISONS


def _power() -> tuple[str, float, float]:
    ours, exact = _timed(lambda: mcnemar_power(N_ITEMS, GAP, agreement=AGREEMENT).power, 50)
    theirs, drawn = _timed(lambda: power_of_tables(GAP, np.random.default_rng(0)))
    assert abs(exact - drawn) < 5 * _error(exact, TABLES)
    name = f"power of McNemar's test, n{N_ITEMS}, against {TABLES:,} tables by statsmodels"
    return name, ours / theirs, 1 / 80


def _gap() -> tuple[str, float, float]:
    def find() -> float:
        return minimum_detectable_gap(N_ITEMS, BASELINE, agreement=AGREEMENT).gap

    ours, exact = _timed(find, 10)
    theirs, drawn = _timed(lambda: gap_by_bisection(np.random.default_rng(0)))
    assert abs(exact - drawn) < 0.1 * exact  # the peer's root wobbles with its draws
    name = f"smallest gap found, n{N_ITEMS}, against a root over it ({EVALUATIONS} evaluations)"
    return name, ours / theirs, 1 / 150


def _bleu() -> tuple[str, float, float]:
    published = CARD_EFFECTS["example"]
    n_items, difference = published.n_items, published.difference
    p_zero, scale = published.p_zero, published.scale

    def simulate() -> float:
        return corpus_power(
            difference,
            n_items,
            p_zero=p_zero,
            scale=scale,
            method="simulation",
            n_iterations=COMPARISONS,
            n_resamples=EXCHANGES - 1,
        ).power

    def draw() -> float:
        return power_of_exchanges(difference, n_items, p_zero, scale, np.random.default_rng(0))

    ours, found = _timed(simulate, 5)
    theirs, drawn = _timed(draw)
    assert abs(found - drawn) < 5 * math.sqrt(2) * _error(found, COMPARISONS)
    name = f"power of BLEU, n{n_items:,}, {COMPARISONS} × {EXCHANGES:,} exchanges, against a loop"
    return name, ours / theirs, 1 / 80


def _error(share: float, n: int) -> float:
    return math.sqrt(share * (1 - share) / n)


def _timed(work: Callable[[], float], times: int = 1) -> tuple[float, float]:
    """Return the processor seconds of a call, and what it found."""
    found = work() if times > 1 else math.nan  # the first call imports and fills caches
    start = time.process_time()
    for _ in range(times):
        found = work()
    return (time.process_time() - start) / times, found
