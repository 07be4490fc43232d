import numpy as np
import pytest

from analysis.statistics.item_groups import as_group_codes, keep_groups


def test_codes_follow_first_appearance():
    codes = as_group_codes(["doc 2", "doc 1", None, "doc 2", float("nan"), None], 6)
    np.testing.assert_array_equal(codes, [0, 1, 2, 0, 3, 4])
    np.testing.assert_array_equal(as_group_codes(np.array([7, 7, 3]), 3), [0, 0, 1])
    np.testing.assert_array_equal(as_group_codes([("a", 1), ("a", 2), ("a", 1)], 3), [0, 1, 0])
    assert as_group_codes([], 0).size == 0


def test_codes_are_numbered_again_without_missing_items():
    codes = as_group_codes(list("abcab"), 5)
    np.testing.assert_array_equal(
        keep_groups(codes, np.array([False, True, True, True, True])), [0, 1, 2, 0]
    )
    assert keep_groups(codes, np.zeros(5, dtype=bool)).size == 0


def test_groups_must_fit():
    with pytest.raises(ValueError, match="`groups` must have a label for each of 3 items, got 2"):
        as_group_codes(["x", "y"], 3)
    with pytest.raises(TypeError, match=r"`groups` must be a sequence .* got str"):
        as_group_codes("xyz", 3)
    with pytest.raises(TypeError, match=r"`groups` must be a sequence .* got int"):
        as_group_codes(3, 3)
    with pytest.raises(TypeError, match="labels that can be hashed, got list at index 1"):
        as_group_codes(["x", ["y"]], 2)
