"""Loops are compiled in parts, by processes that write no common files."""

from itertools import chain

from analysis.statistics.warm_up import _reached_from, apart, calls


def test_parts_compile_no_loop_of_each_other():
    parts = apart(calls())
    assert sorted(map(str, chain(*parts))) == sorted(map(str, calls()))
    reached = [set().union(*(_reached_from(loop) for loop, _ in part)) for part in parts]
    assert sum(map(len, reached)) == len(set().union(*reached))
