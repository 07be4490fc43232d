import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from analysis.statistics.across.critical_difference import bars
from analysis.statistics.across.nemenyi import nemenyi

verdicts = st.integers(0, 7).flatmap(
    lambda n: arrays.arrays(np.bool_, (n, n), elements=st.booleans())
)


def by_brute_force(order, different):
    n = len(order)
    apart = different | different.T
    whole = [
        (i, j)
        for i in range(n)
        for j in range(i + 1, n)
        if not any(apart[order[p], order[q]] for p in range(i, j + 1) for q in range(p + 1, j + 1))
    ]
    return tuple(
        (i, j)
        for i, j in whole
        if not any((a <= i and j <= b) and (a, b) != (i, j) for a, b in whole)
    )


@given(different=verdicts, data=st.data())
def test_bars_are_the_longest_runs_without_a_told_pair(different, data):
    order = data.draw(st.permutations(range(len(different))))
    assert bars(order, different) == by_brute_force(order, different)


def test_all_alike_is_one_bar_and_all_apart_is_none():
    assert bars([2, 0, 1], np.zeros((3, 3), dtype=bool)) == ((0, 2),)
    assert bars([2, 0, 1], ~np.eye(3, dtype=bool)) == ()
    assert bars([0], [[False]]) == ()
    assert bars([], np.empty((0, 0), dtype=bool)) == ()


def test_a_pair_told_apart_within_a_run_divides_it():
    # First and last are alike, but the two between them were told apart.
    different = np.zeros((4, 4), dtype=bool)
    different[1, 2] = True
    assert bars([0, 1, 2, 3], different) == ((0, 1), (2, 3))
    assert bars([1, 0, 3, 2], different) == ((0, 2), (1, 3))


def test_bars_of_a_critical_difference_join_all_within_reach():
    scores = np.random.default_rng(4).random((8, 9)) + np.linspace(0, 0.8, 8)[:, np.newaxis]
    result = nemenyi(scores)
    order = np.argsort(result.mean_ranks, kind="stable")
    ranks = result.mean_ranks[order]
    found = bars(order, result.different)
    assert found
    for i in range(8):
        for j in range(i + 1, 8):
            joined = any(first <= i and j <= last for first, last in found)
            assert joined == (ranks[j] - ranks[i] < result.critical_difference)


@pytest.mark.parametrize(
    ("order", "different", "error", "message"),
    [
        ([0, 1], np.zeros((2, 2)), TypeError, "`different` must hold booleans, got float64"),
        ([0, 1], np.zeros((2, 3), dtype=bool), ValueError, "must be square"),
        ([0, 0], np.zeros((2, 2), dtype=bool), ValueError, "each of the 2 systems"),
        ([0], np.zeros((2, 2), dtype=bool), ValueError, "`order` must hold"),
    ],
)
def test_arguments_are_checked(order, different, error, message):
    with pytest.raises(error, match=message):
        bars(order, different)
