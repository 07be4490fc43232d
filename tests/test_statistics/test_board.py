"""How finely a board tells systems apart."""

import math

import numpy as np
import pytest
from statsmodels.stats.power import TTestPower

from analysis.statistics.boards.resolution import board_resolution

NAN = math.nan


def gaps(values):
    values = np.asarray(values, dtype=float)
    return values[:, None] - values[None, :]


def pairs(n_systems, *different):
    matrix = np.zeros((n_systems, n_systems), dtype=bool)
    for i, j in different:
        matrix[i, j] = matrix[j, i] = True
    return matrix


def resolution(values, different, **options):
    n = len(values)
    given = {"standard_error": np.full((n, n), 0.5), "n_items": np.full((n, n), 100)}
    return board_resolution(values, different, gaps(values), **given | options)


def test_neighbours_go_by_score_not_by_place_in_the_list():
    found = resolution([1.0, 4.0, 2.0], pairs(3, (0, 1), (1, 2)))
    assert (found.adjacent_separable, found.n_adjacent) == (0.5, 2)  # 4|2 differ, 2|1 do not
    assert found.smallest_separable_gap == 2.0


def test_nothing_to_tell_apart():
    alone = resolution([1.0], pairs(1))
    assert math.isnan(alone.adjacent_separable)
    assert math.isnan(alone.smallest_separable_gap)
    assert alone.items_to_separate_top_two is None
    assert resolution([], pairs(0)).n_adjacent == 0
    assert resolution([NAN, 1.0], pairs(2)).n_adjacent == 0
    assert resolution([1.0, 1.0], pairs(2)).items_to_separate_top_two is None
    assert resolution([1.0, 1.0 - 1e-12], pairs(2)).items_to_separate_top_two is None
    unknown = resolution([2.0, 1.0], pairs(2), standard_error=np.full((2, 2), NAN))
    assert unknown.items_to_separate_top_two is None
    assert unknown.to_dict()["smallest_separable_gap"] is None


def test_items_needed_are_those_of_a_t_test():
    found = resolution([1.5, 1.0, 0.0], pairs(3))
    exact = TTestPower().solve_power(effect_size=0.5 / 5, alpha=0.05, power=0.8)
    assert found.items_to_separate_top_two == math.ceil(exact)
    assert found.level == 0.05


@pytest.mark.parametrize(
    ("correction", "level"),
    [
        ("none", 0.05),
        ("bonferroni", 0.05 / 6),
        ("holm", 0.05 / 4),
        ("max-t", 0.05 / 4),
        ("bh", 0.05 * 3 / 6),
        ("by", 0.05 * 3 / 6 / 2.45),
    ],
)
def test_the_first_two_have_to_meet_the_level_of_the_board(correction, level):
    found = resolution([3, 2.5, 1, 0], pairs(4, (0, 3), (1, 3)), correction=correction)
    assert found.level == pytest.approx(level)
    exact = TTestPower().solve_power(effect_size=0.5 / 5, alpha=level, power=0.8)
    assert found.items_to_separate_top_two == math.ceil(exact)


def test_undecided_first_two_need_more_items_than_there_are():
    # A pair just short of its level is told apart again with half a chance only.
    found = resolution([1.0, 0.05], pairs(2), standard_error=np.full((2, 2), 0.48))
    assert found.items_to_separate_top_two > 100


def test_it_can_be_repeated():
    found = resolution([2.0, 1.0], pairs(2))
    assert found.signature.startswith("board|alpha:0.05|level:0.05|power:0.8|v:")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"alpha": 1.0}, "`alpha` must lie strictly between 0 and 1"),
        ({"power": 0}, "`power` must lie strictly between 0 and 1"),
        ({"correction": "tukey"}, "`correction` must be one of 'none'"),
        ({"standard_error": [[1.0]]}, r"`standard_error` must have shape \(2, 2\)"),
    ],
)
def test_it_says_what_is_wrong(options, message):
    with pytest.raises(ValueError, match=message):
        resolution([2.0, 1.0], pairs(2), **options)
