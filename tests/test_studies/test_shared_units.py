"""Units that are exchanged together: through shared items, through groups, through both."""

from __future__ import annotations

import numpy as np

from analysis.studies.shared_units import join_units


def partition(units: list[np.ndarray]) -> list[tuple[int, ...]]:
    """Number the units in order of first appearance."""
    seen: dict[int, int] = {}
    return [tuple(seen.setdefault(int(u), len(seen)) for u in part) for part in units]


def test_without_groups_shared_items_are_the_units() -> None:
    shared = [np.array([0, 1, 2]), np.array([2, 3])]
    assert partition(join_units(shared, [None, None])) == [(0, 1, 2), (2, 3)]


def test_groups_join_items_and_what_they_share_elsewhere() -> None:
    shared = [np.array([0, 1, 2]), np.array([2, 3, 4])]
    joined = join_units(shared, [["x", "x", "y"], ["p", "q", "p"]])
    # Item 2 is in group y of the first and in group p of the second, with item 4.
    assert partition(joined) == [(0, 0, 1), (1, 2, 1)]


def test_groups_of_the_same_name_in_two_datasets_are_not_the_same() -> None:
    shared = [np.array([0, 1]), np.array([2, 3])]
    assert partition(join_units(shared, [["x", "x"], ["x", "x"]])) == [(0, 0), (1, 1)]


def test_items_without_a_group_stay_alone() -> None:
    shared = [np.array([0, 1, 2, 3])]
    assert partition(join_units(shared, [["x", None, None, "x"]])) == [(0, 1, 2, 0)]


def test_nothing_gives_nothing() -> None:
    assert join_units([], []) == []
