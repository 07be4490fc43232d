"""How finely a board tells systems apart."""

import math

import numpy as np
import pytest

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
    return board_resolution(values, different, gaps(values), **options)


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
    assert resolution([2.0, 1.0], pairs(2)).to_dict()["smallest_separable_gap"] is None


def test_it_can_be_repeated():
    found = resolution([2.0, 1.0], pairs(2))
    assert found.signature.startswith("board|alpha:0.05|v:")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"alpha": 1.0}, "`alpha` must lie strictly between 0 and 1"),
    ],
)
def test_it_says_what_is_wrong(options, message):
    with pytest.raises(ValueError, match=message):
        resolution([2.0, 1.0], pairs(2), **options)
