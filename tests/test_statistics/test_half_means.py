"""Tests of the order statistics of half means against putting all of them in order."""

import numpy as np
import pytest

from analysis.statistics.all_pairs.inversion_kernels import half_means
from analysis.statistics.all_pairs.pair_kernels import marked

N_UNITS, N_REPLICATES = 40, 2_000
DIFFERENCES = {
    "normal": lambda rng: rng.normal(size=N_UNITS),
    "one of them huge": lambda rng: np.append(rng.normal(size=N_UNITS - 1), 1e6),
    "mostly equal": lambda rng: rng.choice([0.0, 0.0, 0.0, 1.0], N_UNITS),
    "all equal": lambda rng: np.full(N_UNITS, 0.25),
    "heavy tails": lambda rng: rng.standard_cauchy(N_UNITS) ** 3,
}


@pytest.mark.parametrize("factor", [0.5, 1.0, 3.0])
@pytest.mark.parametrize("rank", [1, 63, 64, 100, 900])
@pytest.mark.parametrize("kind", DIFFERENCES)
def test_ends_are_those_of_all_half_means_in_order(kind, rank, factor):
    # The factor spoils the guess of where to look, as data that are not normal do.
    rng = np.random.default_rng(3)
    differences = DIFFERENCES[kind](rng)
    signs = rng.choice([-1.0, 1.0], size=(N_REPLICATES, N_UNITS))
    signs[:2] = [[1.0], [-1.0]]
    scores = np.stack([differences, np.zeros(N_UNITS)])
    sums, balance, totals = scores @ signs.T, signs.sum(axis=1), scores.sum(axis=1)
    low, high = np.empty(1), np.empty(1)
    spread = np.array([factor * np.sqrt(np.sum((differences - differences.mean()) ** 2))])
    pair = np.array([0]), np.array([1])
    half_means(sums, totals, balance, N_UNITS, *pair, spread, rank, 1.96, low, high)
    minus, plus = N_UNITS - balance, N_UNITS + balance
    room = 1e-11 * abs(totals[0])
    halves = []
    with np.errstate(divide="ignore", invalid="ignore"):
        for value, size in ((totals[0] - sums[0], minus), (totals[0] + sums[0], plus)):
            halves.append(np.where(abs(value) <= room, 0.0, value) / size)
    means = np.concatenate(halves)[np.concatenate([minus, plus]) > 0]
    # The two patterns without units on one side are as extreme as any, in both directions.
    mean = totals[0] / N_UNITS
    below = np.sort(np.append(means[means < mean], [-np.inf] * 2))
    above = np.sort(np.append(means[means > mean], [np.inf] * 2))[::-1]
    assert low[0] == (below[rank - 1] if below.size >= rank else mean)
    assert high[0] == (above[rank - 1] if above.size >= rank else mean)


@pytest.mark.parametrize("share", [0.0, 0.02, 0.5, 1.0])
def test_marked_bytes_are_found_in_their_order(share):
    marks = (np.random.default_rng(5).random(4_096) < share).astype(np.uint8)
    found = np.empty(marks.size, np.int64)
    assert np.array_equal(found[: marked(marks, found)], np.flatnonzero(marks))
