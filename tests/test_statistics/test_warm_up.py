"""Loops are compiled in parts, by processes that write no common files."""

import multiprocessing
from itertools import chain

from analysis.statistics import warm_up
from analysis.statistics.warm_up import _reached_from, apart, calls, compile_loops


def test_parts_compile_no_loop_of_each_other():
    parts = apart(calls())
    assert sorted(map(str, chain(*parts))) == sorted(map(str, calls()))
    reached = [set().union(*(_reached_from(loop) for loop, _ in part)) for part in parts]
    assert sum(map(len, reached)) == len(set().union(*reached))


def test_one_process_compiles_all_where_none_can_be_forked(monkeypatch):
    compiled = []

    class Loop:
        stats = type("Stats", (), {"cache_misses": {"int64": 1}})

        def py_func(self): ...

        def compile(self, types):
            compiled.append(types)

    monkeypatch.setattr(warm_up, "calls", lambda: [(Loop(), "a"), (Loop(), "b")])
    monkeypatch.setattr(multiprocessing, "get_all_start_methods", lambda: ["spawn"])
    assert compile_loops(n_processes=2) == 2
    assert sorted(compiled) == ["a", "b"]
