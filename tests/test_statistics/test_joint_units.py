import numpy as np
import pytest

from analysis.statistics.across.joint.units import joint_units


def test_same_number_is_same_unit_in_all_cells():
    first, second = joint_units([np.array([5, 9, 7]), np.array([7, 5, 1])])
    assert first.tolist() == [0, 1, 2]
    assert second.tolist() == [2, 0, 3]


def test_groups_join_within_a_cell_only():
    first, second = joint_units(
        [np.array([1, 2, 3]), np.array([4, 5, 6])], [np.array([0, 0, 1]), np.array([0, 1, 1])]
    )
    assert first.tolist() == [0, 0, 1]
    assert second.tolist() == [2, 3, 3]


def test_chains_of_items_and_groups_are_one_unit():
    # 1 and 2 are one group in the first cell, 2 and 3 in the second, 3 and 4 in the third.
    units = joint_units(
        [np.array([1, 2]), np.array([2, 3]), np.array([3, 4, 9])],
        [np.array([0, 0]), np.array([7, 7]), np.array([1, 1, 2])],
    )
    assert [numbers.tolist() for numbers in units] == [[0, 0], [0, 0], [0, 0, 1]]


def test_cells_without_groups_or_items():
    units = joint_units([np.array([3, 4]), np.empty(0, np.int64)], [None, None])
    assert [numbers.tolist() for numbers in units] == [[0, 1], []]
    assert joint_units([]) == []
    assert joint_units([np.empty(0, np.int64)])[0].size == 0


def test_refuses_groups_that_do_not_fit():
    with pytest.raises(ValueError, match=r"`groups` must be of 1 cells, got 2"):
        joint_units([np.array([1])], [None, None])
    with pytest.raises(ValueError, match=r"`groups` of cell 0 must have 1 numbers, got 2"):
        joint_units([np.array([1])], [np.array([0, 1])])
