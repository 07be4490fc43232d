"""Order, coverage and runs of a leaderboard."""

from __future__ import annotations

import json
import math
from collections.abc import Callable

import pytest

from analysis.studies.leaderboard import study_leaderboard
from analysis.studies.overview import study_overview
from store.engine import Store
from store.errors import NotFoundError

AddRun = Callable[..., None]
NAN = float("nan")


def test_rows_are_ranked_by_score_and_ties_share_a_rank(store: Store, add_run: AddRun) -> None:
    add_run("low", "d", [1, 0, 0, 0])
    add_run("tied 1", "d", [1, 1, 0, 0])
    add_run("tied 2", "d", [0, 0, 1, 1])
    add_run("high", "d", [1, 1, 1, 0])
    study = study_leaderboard(store, "d")
    assert [(row.rank, row.system) for row in study.rows] == [
        (1, "high"),
        (2, "tied 1"),
        (2, "tied 2"),
        (4, "low"),
    ]
    assert "Order is not evidence" in study.sentence
    assert study.warnings == ()


def test_lower_is_better_puts_the_lowest_first(store: Store, add_run: AddRun) -> None:
    add_run("slow", "d", [3.0, 5.0], metric="latency", higher_is_better=False)
    add_run("fast", "d", [1.0, 2.0], metric="latency", higher_is_better=False)
    study = study_leaderboard(store, "d")
    assert [row.system for row in study.rows] == ["fast", "slow"]
    assert "fast leads on d with latency 1.5 (lower is better)" in study.sentence


def test_unequal_coverage_is_said_and_shared_items_shown(store: Store, add_run: AddRun) -> None:
    # A scorer that fails on the hard items must not win by it.
    add_run("all", "d", [1, 1, 1, 0, 0, 0])
    add_run("easy only", "d", [1, 1, 0, NAN, NAN, NAN])
    study = study_leaderboard(store, "d")
    easy, everything = study.rows
    assert (easy.system, easy.n_scored, easy.n_missing) == ("easy only", 3, 3)
    assert easy.score > everything.score
    assert (easy.score_on_shared, everything.score_on_shared) == (pytest.approx(2 / 3), 1.0)
    assert study.n_shared == 3
    assert any("Unequal coverage: easy only" in warning for warning in study.warnings)


def test_no_shared_item_leaves_no_shared_score(store: Store, add_run: AddRun) -> None:
    add_run("first half", "d", [1, 1, NAN, NAN])
    add_run("second half", "d", [NAN, NAN, 1, 0])
    study = study_leaderboard(store, "d")
    assert study.n_shared == 0
    assert all(row.score_on_shared is None for row in study.rows)


def test_several_runs_are_averaged_item_by_item(store: Store, add_run: AddRun) -> None:
    add_run("A", "d", [1, 0, 1, 0], label="seed 1")
    add_run("A", "d", [1, 1, 1, 0], label="seed 2")
    (row,) = study_leaderboard(store, "d").rows
    assert (row.score, row.n_runs, row.run_scores) == (0.625, 2, (0.5, 0.75))
    assert row.run_std == pytest.approx(0.1767767)


def test_system_without_any_score_is_named(store: Store, add_run: AddRun) -> None:
    add_run("fine", "d", [1, 0])
    add_run("broken", "d", [NAN, NAN])
    study = study_leaderboard(store, "d")
    assert math.isnan(study.rows[-1].score)
    assert any("Not defined for broken" in warning for warning in study.warnings)


def test_reported_scores_are_shown_as_reported(example: Store) -> None:
    study = study_leaderboard(example, "UD Tamil")
    assert [(row.system, row.basis) for row in study.rows] == [
        ("Char→Tag", "reported"),
        ("MIMICK", "reported"),
    ]
    assert study.rows[0].score == 84.97
    assert "as reported" in study.sentence


def test_example_has_a_real_gap_in_coverage(example: Store) -> None:
    study = study_leaderboard(example, "docstrings-library", metric="accuracy")
    partial = [row for row in study.rows if row.n_missing]
    assert [row.system for row in partial] == ["Gaussian process"]
    assert partial[0].n_scored == 200
    assert any("Unequal coverage" in warning for warning in study.warnings)


def test_errors_name_what_there_is(example: Store, store: Store) -> None:
    with pytest.raises(NotFoundError, match="Did you mean 'digits'"):
        study_leaderboard(example, "digitz")
    with pytest.raises(NotFoundError, match="no scores on 'UD Tamil' for the metric 'accuracy'"):
        study_leaderboard(example, "UD Tamil", metric="accuracy")


def test_study_is_json(example: Store) -> None:
    json.dumps(study_leaderboard(example, "digits").to_dict(), allow_nan=False)


def test_overview_counts_what_is_there(example: Store) -> None:
    study = study_overview(example)
    assert study.n_runs == 448
    assert study.n_datasets == len({cell.dataset for cell in study.coverage})
    assert not study.is_empty
    assert "Only partly scored: Gaussian process on docstrings-library." in study.warnings
