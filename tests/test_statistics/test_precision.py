"""What is equal on paper is equal, and nothing else is."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from analysis.statistics.all_pairs.pairwise import pairwise
from analysis.statistics.paired.inference import infer_pair
from analysis.statistics.precision import comparable, joined_differences

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
ELEVENTHS = np.rint(SHARES * 11) / 11
FIRST = np.arange(60) == 0
ODD_STORES = {
    "thirds": np.rint(SHARES * 3) / 3,
    "sevenths": np.rint(SHARES * 7) / 7,
    "elevenths": ELEVENTHS,
    "elevenths of float32": in_single(ELEVENTHS),
    "one of 1e9": np.where(FIRST & (np.arange(4)[:, None] == 0), 1e9, ELEVENTHS),
    "all of one item 1e9": np.where(FIRST, 1e9, ELEVENTHS),
    "tenths near 1e12": 1e12 + np.rint(SHARES * 10) / 10,
    "percent": np.rint(SHARES * 1000) / 10,
    "log-probabilities": DOUBTFUL,
    "logarithms of shares": np.log((1 + np.rint(SHARES * 5)) / 7),
    "multiples of log 1/2": np.log(0.5) * np.rint(SHARES * 4),
    "a constant apart": ELEVENTHS[:1] + np.log(np.arange(1, 5))[:, None],
    "hundredths of float32": in_single(np.rint(SHARES * 100) / 100),
    "float32 beside float64": np.stack([SHARES[0], np.float32(SHARES[0]), *SHARES[2:]]),
    "mixed": np.stack([ELEVENTHS[0], in_single(ELEVENTHS[1]), SHARES[2].round(2), DOUBTFUL[3]]),
    "shares of counts": np.rint(SHARES * 20) / np.rint(40 - SHARES * 3),
    "some missing": np.where(SHARES[::-1] < 0.1, np.nan, ELEVENTHS),
}


def with_noise(scores: np.ndarray) -> np.ndarray:
    return scores + RNG.integers(-4, 5, scores.shape) * np.spacing(np.abs(scores))


@pytest.mark.filterwarnings("ignore::analysis.statistics.results.DegenerateDataWarning")
@pytest.mark.parametrize("test", ["auto", "signflip", "wilcoxon", "sign", "t", "bootstrap"])
@pytest.mark.parametrize("name", ODD_STORES)
def test_noise_of_four_units_in_the_last_place_changes_no_answer(name: str, test: str) -> None:
    scores = ODD_STORES[name]
    noisy = with_noise(scores)
    for n_items in (12, 60):
        one, other = (
            pairwise(comparable(each[:, :n_items, np.newaxis]), test=test, n_resamples=999)
            for each in (scores, noisy)
        )
        np.testing.assert_allclose(one.pvalue, other.pvalue, rtol=0, atol=1e-9)
        np.testing.assert_array_equal(one.guard, other.guard)
    clean, written = comparable(scores), comparable(noisy)
    for i, j in combinations(range(len(scores)), 2):
        signs = np.sign(clean[i] - clean[j]), np.sign(written[i] - written[j])
        np.testing.assert_array_equal(*signs)


@pytest.mark.filterwarnings("ignore::analysis.statistics.results.DegenerateDataWarning")
@pytest.mark.parametrize("test", ["bootstrap-median", "wilcoxon", "bootstrap-percentile"])
@pytest.mark.parametrize("name", ODD_STORES)
def test_noise_changes_no_answer_about_a_pair(name: str, test: str) -> None:
    scores = ODD_STORES[name][:2]
    one, other = (
        infer_pair(*comparable(each), test=test, n_resamples=499).test.pvalue
        for each in (scores, with_noise(scores))
    )
    assert one == pytest.approx(other, abs=1e-9, nan_ok=True)


@pytest.mark.parametrize("offset", [0.0, 5.0, 1e6])
def test_ranks_of_elevenths_are_those_of_their_whole_numbers(offset: float) -> None:
    counts = np.rint(SHARES[:2] * 11)
    whole, parts = (pairwise(each, test="wilcoxon") for each in (counts, offset + counts / 11))
    assert parts.pvalue[0, 1] == whole.pvalue[0, 1]


def test_every_order_of_noise_makes_the_same_ties() -> None:
    sizes = np.repeat([1 / 11, 2 / 11, 3 / 11], 20)
    joined, near = joined_differences(with_noise(5 + sizes), np.full(60, 5.0))
    assert np.unique(joined).size == 3
    assert near == pytest.approx(5 * 2.0**-40, rel=0.1)
