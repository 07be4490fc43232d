"""Two systems share a letter if and only if they do not differ."""

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.statistics.boards import groups as module
from analysis.statistics.boards.groups import group_letters, group_name


@st.composite
def boards(draw, most=12):
    n_systems = draw(st.integers(0, most))
    values = draw(st.lists(st.integers(0, 5), min_size=n_systems, max_size=n_systems))
    share = draw(st.floats(0, 1))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    different = np.triu(rng.random((n_systems, n_systems)) < share, 1)
    return np.array(values, dtype=float), different | different.T


def shared(letters):
    sets = [set(re.findall(r"[a-z]\d*", word)) for word in letters]
    return np.array([[bool(a & b) for b in sets] for a in sets]).reshape(len(sets), len(sets))


def check(found, different):
    off = ~np.eye(len(different), dtype=bool)
    np.testing.assert_array_equal(shared(found.letters)[off], ~different[off])
    assert all(found.letters)
    for number, group in enumerate(found.groups):
        assert all(
            group_name(number) in letters for letters in map(found.letters.__getitem__, group)
        )
        others = set(range(len(different))) - set(group)
        assert not any(not different[list(group), other].any() for other in others)


@given(boards())
def test_letters_say_which_pairs_differ(board):
    values, different = board
    check(group_letters(values, different), different)


@given(boards())
def test_letters_say_it_also_when_effort_is_bounded(board):
    values, different = board
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_MOST_STEPS", 0)
        check(group_letters(values, different), different)


@given(boards())
def test_no_group_is_superfluous(board):
    values, different = board
    groups = group_letters(values, different).groups
    for left_out in range(len(groups)):
        kept = groups[:left_out] + groups[left_out + 1 :]
        pairs = {(i, j) for group in kept for i in group for j in group}
        assert not all((i, j) in pairs for i in groups[left_out] for j in groups[left_out])


@given(boards())
def test_the_best_system_has_the_first_letter_and_order_does_not_matter(board):
    values, different = board
    if not len(values):
        return
    values = values + np.arange(len(values)) / 100  # no ties
    found = group_letters(values, different)
    assert found.letters[int(np.argmax(values))].startswith("a")
    turn = np.arange(len(values))[::-1]
    turned = group_letters(values[turn], different[np.ix_(turn, turn)])
    assert turned.letters == found.letters[::-1]


def test_known_display():
    # Five systems in a row, each told apart from those two or more places away.
    places = np.arange(5)
    different = np.abs(places[:, None] - places[None, :]) > 1
    found = group_letters(-places, different)
    assert found.letters == ("a", "ab", "bc", "cd", "d")
    assert found.groups == ((0, 1), (1, 2), (2, 3), (3, 4))


def test_none_and_all_differ():
    assert group_letters([3, 2, 1], np.zeros((3, 3))).letters == ("a", "a", "a")
    assert group_letters([1, 2, 3], ~np.eye(3, dtype=bool)).letters == ("c", "b", "a")
    assert group_letters([], np.zeros((0, 0))) == ((), ())
    assert group_letters([0.5], [[False]]) == (("a",), ((0,),))


def test_systems_without_a_score_come_last():
    found = group_letters([np.nan, 1.0], [[0, 1], [1, 0]])
    assert found.letters == ("b", "a")


def test_letters_after_z():
    n_systems = 60
    found = group_letters(-np.arange(n_systems), ~np.eye(n_systems, dtype=bool))
    assert (found.letters[25], found.letters[26], found.letters[53]) == ("z", "a2", "b3")


@pytest.mark.parametrize("noise", [0.0, 0.2, 1.0])
def test_a_thousand_systems(noise):
    rng = np.random.default_rng(0)
    values = np.sort(rng.normal(size=1_000))[::-1]
    limit = 0.5 + noise * rng.uniform(-1, 1, (1_000, 1_000))
    different = np.triu(np.abs(values[:, None] - values[None, :]) > limit, 1)
    different |= different.T
    found = group_letters(values, different)
    together = np.zeros((1_000, 1_000), dtype=bool)
    for group in found.groups:
        together[np.ix_(group, group)] = True
    np.testing.assert_array_equal(together, ~different)


def test_it_says_what_is_wrong():
    with pytest.raises(ValueError, match=r"`different` must have shape \(2, 2\)"):
        group_letters([1, 2], [[False]])
    with pytest.raises(ValueError, match="`different` must be symmetric"):
        group_letters([1, 2], [[False, True], [False, False]])
