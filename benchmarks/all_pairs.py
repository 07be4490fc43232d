"""The sign-flip test of all pairs against a shared float32 product and against scipy, pair by pair.

Processor time of one process at one thread, the least of several runs, 9,999 patterns, on scores
that all systems share the difficulty of, the best and the worst .3, 1, 2 and 4 item standard
deviations apart. Ours is the whole call: scores onto grids, patterns, and the tails of all pairs at
the floor, which neither peer has. The product does the same work at every spread.
"""

from __future__ import annotations

import itertools
import math
import multiprocessing
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from scipy import stats

from analysis.statistics.all_pairs.max_t import max_t_all_pairs
from analysis.statistics.all_pairs.result import PairMethod
from analysis.statistics.all_pairs.signflip import signflip_all_pairs
from analysis.statistics.resampling.threads import blas_on_one_thread

B = 9_999
MMLU = (100, 14_042)
SHAPES = {
    # Shape; times we must be faster than the product (exact p-values than it), its quickest form,
    # and scipy.
    "S16 n133": ((16, 133), 1.5, 2, 1.2, 1_000),
    "S130 n500": ((130, 500), 8, 6, 2, 30_000),
    "S300 n2000": ((300, 2_000), 6, 4, 1.75, None),
    "S100 n14042": (MMLU, 6, 6, 2, None),
}
SPREADS = (1.0, 2.0, 4.0)
"""Standard deviations from the worst system to the best, where they really differ."""
APART = {"S16 n133": 1, "S130 n500": 5, "S300 n2000": 5, "S100 n14042": 5}
"""Times we must be faster than the product there; 16 systems take a few milliseconds."""
LARGEST = (1_000, 10_000)
_ALLOWED = 10.0
_SHORT = 0.5


def run() -> list[tuple[str, float, float]]:
    """Return (name, our time as a share of the peer's, largest share allowed)."""
    rows = []
    with blas_on_one_thread():
        for name, (shape, product, exact, contiguous, loop) in SHAPES.items():
            scores = graded(*shape)
            ours = _least(lambda: _ours(scores))  # noqa: B023
            ours_rated = _least(lambda: _ours(ratings(scores)))  # noqa: B023
            repeats = 3 if scores.size < 10**5 else 1
            peer = _least(lambda: shared_product(scores), repeats)  # noqa: B023
            rows.append((f"sign-flip {name} against a shared product", ours / peer, 1 / product))
            rows.append((f"exact, ratings {name} against it", ours_rated / peer, 1 / exact))
            for spread in SPREADS:
                apart = graded(*shape, spread)
                ours_apart = _least(lambda: _ours(apart))  # noqa: B023
                told = f"sign-flip {name} against it, systems {spread:g} SD apart"
                rows.append((told, ours_apart / peer, 1 / APART[name]))
            peer = _least(lambda: contiguous_product(scores), repeats)  # noqa: B023
            rows.append((f"sign-flip {name} against rows of it", ours / peer, 1 / contiguous))
            if loop:
                peer = scipy_loop(scores)
                rows.append((f"sign-flip {name} against a scipy loop", ours / peer, 1 / loop))
            if name == "S130 n500":
                step_down = _least(lambda: max_t_all_pairs(scores, n_resamples=B, n_threads=1))  # noqa: B023
                rows.append((f"max-T {name} against the tests themselves", step_down / ours, 4))
        for spread in (0.3, *SPREADS):
            scores = graded(*LARGEST, spread)
            told = f"sign-flip S1000 n10000, {spread:g} SD apart, of {_ALLOWED:.0f} s"
            rows.append((told, _least(lambda: _ours(scores), 1) / _ALLOWED, 1.0))  # noqa: B023
    return rows


def growth() -> list[tuple[str, float]]:
    """Return (what, exponent of processor time in it) of random patterns, over a factor of 8."""
    rows = []
    with blas_on_one_thread():
        for what, cases in {
            "systems (50 to 400, n = 500)": [(50, 500, B), (400, 500, B)],
            "items (2,000 to 16,000, S = 60)": [(60, 2_000, B), (60, 16_000, B)],
            "patterns (9,999 to 79,999, S = 100, n = 500)": [(100, 500, B), (100, 500, 8 * B)],
        }.items():
            seconds = []
            for n_systems, n_items, n_resamples in cases:
                scores = graded(n_systems, n_items)
                seconds.append(_least(lambda: _ours(scores, n_resamples)))  # noqa: B023
            rows.append((what, math.log(seconds[1] / seconds[0]) / math.log(8)))
    return rows


def peak_memory() -> dict[str, float]:
    """Return MiB that S100 n14042 adds to a process that has run a small comparison before."""
    context = multiprocessing.get_context("spawn")
    with context.Pool(1, maxtasksperchild=1) as pool:
        return {
            work.__name__.strip("_"): pool.apply(_added_memory, (work,))
            for work in (_ours, shared_product)
        }


def graded(n_systems: int, n_items: int, spread: float = 0.3) -> np.ndarray:
    """Return scores without a common step; half the variance is the items' own."""
    rng = np.random.default_rng(0)
    noise = rng.normal(size=n_items) + rng.normal(size=(n_systems, n_items))
    return noise + np.linspace(0, spread, n_systems)[:, np.newaxis]


def ratings(scores: np.ndarray) -> np.ndarray:
    """Return the scores as ratings from 1 to 5."""
    return np.clip(np.rint(3 + scores), 1, 5)


def _ours(scores: np.ndarray, n_resamples: int = B) -> np.ndarray:
    result = signflip_all_pairs(scores, n_resamples=n_resamples, n_threads=1)
    assert not np.any(result.method[~np.eye(len(scores), dtype=bool)] == PairMethod.NOT_TESTABLE)
    return result.pvalue


def shared_product(scores: np.ndarray) -> np.ndarray:
    """Test all pairs by one float32 product with random signs, as mt-metrics-eval does for PCE.

    Written anew after its description; replicates run down the columns, as there, and one side is
    counted.
    """
    single = scores.astype(np.float32)
    signs = _random_signs(single.shape[1])
    sums, observed = signs @ single.T, single.sum(axis=1)
    pvalues = np.full((len(single), len(single)), np.nan)
    for i, j in itertools.combinations(range(len(single)), 2):
        reached = sums[:, i] - sums[:, j] >= observed[i] - observed[j]
        pvalues[i, j] = np.sum(reached) / B
    return pvalues


def contiguous_product(scores: np.ndarray) -> np.ndarray:
    """Do the same with one row per system: the quickest form of it in plain numpy."""
    single = scores.astype(np.float32)
    signs = _random_signs(single.shape[1])
    sums, observed = single @ signs.T, single.sum(axis=1)
    pvalues = np.full((len(single), len(single)), np.nan)
    for i, j in itertools.combinations(range(len(single)), 2):
        reached = sums[i] - sums[j] >= observed[i] - observed[j]
        pvalues[i, j] = np.count_nonzero(reached) / B
    return pvalues


def _random_signs(n_items: int) -> np.ndarray:
    signs = np.random.default_rng(0).random((B, n_items), dtype=np.float32)
    np.rint(signs, out=signs)
    signs *= 2
    signs -= 1
    return signs


def scipy_loop(scores: np.ndarray, n_timed: int = 2) -> float:
    """Estimate the time of `scipy.stats.permutation_test` for all pairs from a few of them."""

    def mean_difference(a: np.ndarray, b: np.ndarray, axis: int) -> np.ndarray:
        return np.mean(a, axis=axis) - np.mean(b, axis=axis)

    start = time.process_time()
    for k in range(n_timed):
        stats.permutation_test(
            (scores[k], scores[k + 1]),
            mean_difference,
            permutation_type="samples",
            vectorized=True,
            n_resamples=B,
            batch=256,
            rng=0,
        )
    per_pair = (time.process_time() - start) / n_timed
    return per_pair * len(scores) * (len(scores) - 1) / 2


def _least(work: Callable[[], object], repeats: int = 4) -> float:
    """Return the least of several times: of more where each is short, for these scatter most."""
    times: list[float] = []
    while len(times) < repeats or sum(times) < _SHORT:
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
    return min(times)


def _added_memory(work: Callable[[np.ndarray], object]) -> float:
    work(graded(4, 50))
    scores = graded(*MMLU)
    before = highest_memory()
    work(scores)
    return highest_memory() - before


def highest_memory() -> float:
    """Return the high-water mark of this process in MiB; NaN where the system does not tell."""
    status = Path("/proc/self/status")
    if not status.exists():
        return math.nan
    marks = [line for line in status.read_text().splitlines() if line.startswith("VmHWM")]
    return int(marks[0].split()[1]) / 1024
