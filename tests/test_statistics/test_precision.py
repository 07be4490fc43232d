"""What is equal on paper is equal, and nothing else is."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from analysis.statistics.all_pairs.pairwise import pairwise
from analysis.statistics.precision import comparable

RNG = np.random.default_rng(35)
N = 60
ANY = RNG.random(N)
GRADES = RNG.integers(0, 4, N)
LOGS = -RNG.gamma(2.0, 20.0, N)


def in_single(values: np.ndarray) -> np.ndarray:
    return values.astype(np.float32).astype(np.float64)


@pytest.mark.parametrize(
    ("a", "b"),
    [
        (np.full(6, 0.30000000000000004), np.full(6, 0.3)),
        (in_single(ANY), ANY),
        (in_single(ANY.round(2)), ANY.round(2)),
        (in_single(100 * ANY.round(3)), 100 * ANY.round(3)),
        (GRADES * (1 / 3), GRADES / 3),
        (1 - (1 - ANY.round(1)), ANY.round(1)),
        (ANY + 4 * np.spacing(ANY), ANY),
        (LOGS + RNG.integers(-4, 5, N) * np.spacing(LOGS), LOGS),
        (in_single(LOGS), LOGS),
        (1e12 + 1e-4 * RNG.standard_normal(N), np.full(N, 1e12)),
    ],
)
def test_differences_of_writing_are_none(a: np.ndarray, b: np.ndarray) -> None:
    both = np.stack([a, b])
    if len(a) == N:
        both[0, 3] = np.nan
    left, right = comparable(both)
    np.testing.assert_array_equal(left[~np.isnan(left)], right[~np.isnan(left)])
    np.testing.assert_array_equal(np.isnan(left), np.isnan(both[0]))
    np.testing.assert_allclose(left, both[0], rtol=1e-7, atol=1e-15)


@pytest.mark.parametrize(
    ("a", "b"),
    [
        (np.full(N, 0.5), ANY),
        (ANY, ANY[::-1]),
        (ANY.round(7) + 1e-7, ANY.round(7)),
        (1e15 + GRADES, np.full(N, 1e15)),
        (in_single(ANY), ANY + 1e-6),
    ],
)
def test_other_differences_stay(a: np.ndarray, b: np.ndarray) -> None:
    both = np.stack([a, b])
    np.testing.assert_allclose(comparable(both), both, rtol=1e-14)
    assert np.array_equal(comparable(both)[0] == comparable(both)[1], a == b)


def test_components_are_each_seen_by_themselves_and_what_is_clean_is_not_copied() -> None:
    counts = np.stack([GRADES, GRADES[::-1]]).astype(np.float64)
    clean = np.stack([counts, counts / 4], axis=2)
    assert comparable(clean) is clean
    dirty = np.stack([counts, counts * (1 / 3)], axis=2)
    found = comparable(dirty)
    np.testing.assert_array_equal(found[:, :, 0], counts)
    np.testing.assert_array_equal(found[:, :, 1], counts / 3)


def test_simple_numbers_do_not_depend_on_who_stands_beside() -> None:
    rows = np.stack([ANY.round(2) + 1e-16, in_single(ANY.round(2)), ANY, in_single(ANY)])
    alone = [comparable(rows[[k, k + 1]])[0] for k in (0, 1)]
    np.testing.assert_array_equal(comparable(rows)[:2], alone)


SHARES = RNG.random((4, 60))
DOUBTFUL = -RNG.gamma(2, 20, 60) - (RNG.random((4, 60)) < 0.3) * RNG.random((4, 60))
ODD_STORES = {
    "thirds": np.rint(SHARES * 3) / 3,
    "sevenths": np.rint(SHARES * 7) / 7,
    "percent": np.rint(SHARES * 1000) / 10,
    "log-probabilities": DOUBTFUL,
    "hundredths of float32": (np.rint(SHARES * 100) / 100).astype(np.float32).astype(np.float64),
    "float32 beside float64": np.stack([SHARES[0], np.float32(SHARES[0]), *SHARES[2:]]),
    "shares of counts": np.rint(SHARES * 20) / np.rint(40 - SHARES * 3),
}


@pytest.mark.parametrize("test", ["signflip", "wilcoxon", "t"])
@pytest.mark.parametrize("name", ODD_STORES)
def test_noise_of_four_units_in_the_last_place_changes_no_answer(name: str, test: str) -> None:
    scores = ODD_STORES[name]
    noisy = scores + RNG.integers(-4, 5, scores.shape) * np.spacing(np.abs(scores))
    one, other = (
        pairwise(comparable(each[:, :, np.newaxis]), test=test, n_resamples=999)
        for each in (scores, noisy)
    )
    np.testing.assert_allclose(one.pvalue, other.pvalue, rtol=0, atol=1e-9)
    clean, written = comparable(scores), comparable(noisy)
    for i, j in combinations(range(len(scores)), 2):
        signs = np.sign(clean[i] - clean[j]), np.sign(written[i] - written[j])
        assert np.array_equal(*signs)
