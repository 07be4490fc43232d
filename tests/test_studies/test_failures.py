"""Attempts that failed: counted on boards, said where they count as scores."""

from __future__ import annotations

import math
from collections.abc import Callable

import pytest

from analysis.studies.comparison import study_comparison
from analysis.studies.leaderboard import study_leaderboard
from analysis.studies.pairs import study_pairs
from store.engine import Store
from store.importers.kinds import Status

AddRun = Callable[..., None]

OK, CRASHED, LATE = Status.OK, Status.ERROR, Status.TIMED_OUT


@pytest.fixture
def failing(store: Store, add_run: AddRun) -> Store:
    """Return a store with failures that count (A), that do not (M), and nothing else (Z)."""
    add_run("A", "d", [0, 0, 0, 0, 1, 1, 1, 1], statuses=[CRASHED] * 3 + [LATE] + [OK] * 4)
    add_run("B", "d", [1, 0, 1, 0, 1, 1, 1, 1])
    add_run("M", "d", [math.nan, math.nan, *[1] * 6], statuses=[CRASHED] * 2 + [OK] * 6)
    add_run("Z", "d", [0] * 8, statuses=[Status.JUDGE_FAILED] * 8)
    return store


def test_failures_are_counted_and_those_that_count_as_scores_are_said(failing: Store) -> None:
    study = study_leaderboard(failing, "d")
    found = {
        row.system: (row.n_crashed, row.n_timed_out, row.n_judge_failed, row.n_unscored)
        for row in study.rows
    }
    none = (0, 0, 0, 0)
    assert found == {"A": (3, 1, 0, 0), "B": none, "M": (2, 0, 0, 0), "Z": (0, 0, 8, 0)}
    counted, zeros = (told for told in study.warnings if "ailed attempts" in told or "is 0" in told)
    assert "A (3 crashed, 1 timed out) and Z (8 judge failed). 12 scores" in counted
    assert "Every score of Z is 0" in zeros
    titles = {str(getattr(one, "title", one)) for one in study.report().tables[0].columns}
    assert {"crashed", "timed out", "judge failed"} <= titles
    assert "unscored" not in titles
    assert counted in study_pairs(failing, "d").warnings
    compared = study_comparison(failing, "A", "B", dataset="d").warnings
    assert any("A (3 crashed, 1 timed out). 4 scores" in told for told in compared)
