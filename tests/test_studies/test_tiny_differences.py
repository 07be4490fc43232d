"""Differences far below the scores are shown as what they are, and rounding is no difference."""

from __future__ import annotations

from collections.abc import Callable
from math import fsum

import numpy as np
import pytest

from analysis import numbers
from analysis.statistics.precision import without_rounding
from analysis.statistics.validity_bounds import Reason
from analysis.studies.adhoc import study_adhoc
from analysis.studies.claims.study import study_claims
from analysis.studies.comparison import study_comparison
from analysis.studies.items import study_items
from analysis.studies.leaderboard import study_leaderboard
from analysis.studies.pairs import study_pairs
from analysis.studies.ranking import study_ranking
from analysis.studies.replicability import study_replicability
from store.engine import Store
from tests.test_studies.claimed import AddDated

AddRun = Callable[..., None]
STEP = 2.0**-36  # 1.5e-11
HARD = [(i % 8) / 8 for i in range(40)]
STEPS = [(5 * i) % 13 for i in range(40)]


def test_a_difference_of_1e_11_of_the_score_is_told(store: Store, add_run: AddRun) -> None:
    add_run("A", "d", [0.5 + step * STEP for step in STEPS])
    add_run("B", "d", [0.5] * 40)
    exact = fsum(step * STEP for step in STEPS) / 40
    study = study_comparison(store, "A", "B")
    assert study.verdict == "better"
    assert study.analysis.difference == exact
    assert study.analysis.ci[0] > 0
    assert "e−11" in study.sentence
    assert "0.0000000" not in study.sentence.partition("a difference of")[2]
    (row,) = study_replicability(store, "A", "B").to_dict()["datasets"]
    assert row["difference"] == pytest.approx(exact, rel=1e-3)


def test_a_difference_of_1e_11_is_no_rounding_where_scores_range_widely(
    store: Store, add_run: AddRun
) -> None:
    """What no item shows could outweigh it: the verdict is careful, the difference remains."""
    add_run("A", "d", [x + step * STEP for x, step in zip(HARD, STEPS, strict=True)])
    add_run("B", "d", HARD)
    exact = fsum(step * STEP for step in STEPS) / 40
    study = study_comparison(store, "A", "B")
    assert study.analysis.difference == exact
    assert study.analysis.guard == Reason.UNSEEN
    assert study.analysis.ci[0] < 0 < study.analysis.ci[1]
    (row,) = study_replicability(store, "A", "B").to_dict()["datasets"]
    assert row["difference"] == pytest.approx(exact, rel=1e-3)


def test_scores_that_are_equal_on_paper_do_not_differ(store: Store, add_run: AddRun) -> None:
    add_run("A", "d", [0.7, 0.0, 0.3, 0.3, 0.1, 0.2])
    add_run("B", "d", [0.6, 0.1, 0.1, 0.5, 0.2, 0.1])
    assert study_comparison(store, "A", "B").analysis.difference == 0.0
    assert without_rounding(0.1 + 0.2, 0.3) == 0.0
    assert without_rounding(0.3, 0.3 - 1e-14) == pytest.approx(1e-14, rel=0.01)


@pytest.mark.parametrize(
    ("low", "high", "printed"),
    [
        (-1.25e-13, 4e-13, "−1.2e−13 to +4e−13"),
        (0.0, 4e-13, "0.00000000 to +4e−13"),
        (-0.001, 0.5, "0.00 to +0.50"),
        (-1.25e99, 9.87654e98, "−1.25e+99 to +9.877e+98"),
    ],
)
def test_no_end_of_a_narrow_interval_is_printed_as_zero(low, high, printed) -> None:
    assert numbers.interval(low, high, signed=True) == printed


@pytest.mark.parametrize("n", [6, 40])
def test_a_tie_but_for_writing_is_a_tie_everywhere(
    store: Store, add_run: AddRun, add_dated: AddDated, n: int
) -> None:
    for dataset in ("d", "e", "f"):
        add_run("A", dataset, [0.1 + 0.2] * n)
        add_run("B", dataset, [0.3] * n)
    assert study_comparison(store, "A", "B", dataset="d").analysis.test.pvalue == 1
    board = study_leaderboard(store, "d")
    assert {row.rank for row in board.rows} == {1}
    pairs = study_pairs(store, "d")
    assert (pairs.pvalue[0, 1], pairs.difference[0, 1]) == (1, 0)
    assert study_items(store, "d").n_useless == n
    assert set(study_ranking(store).mean_ranks) == {1.5}
    columns = np.full(n, 0.1 + 0.2), np.full(n, 0.3)
    assert study_adhoc(*columns).analysis.test.pvalue == 1


def test_the_board_of_a_pair_has_the_same_ties(store: Store, add_run: AddRun) -> None:
    """The board of a pair is kept for all answers, whichever is asked first."""
    for name, score in {"A": 0.1 + 0.2, "B": 0.3, "C": 0.3 - 2**-54}.items():
        add_run(name, "d", [score] * 40)
    family = study_comparison(store, "A", "C", correction="holm").family
    assert family is not None
    assert (family.verdict, family.pvalue_adjusted) == ("undecided", 1)
    assert {row.rank for row in study_leaderboard(store, "d").rows} == {1}


@pytest.mark.parametrize("kind", [np.float64, np.float32])
def test_a_copy_in_another_type_is_no_record(
    store: Store, add_run: AddRun, add_dated: AddDated, kind: type
) -> None:
    scores = 1 - np.random.default_rng(3).random(30)
    copy = scores.astype(kind).astype(float) + (1e-16 if kind is np.float64 else 0)
    assert copy.mean() != scores.mean()
    better, worse = sorted((copy.tolist(), scores.tolist()), key=np.mean, reverse=True)
    add_dated("old", 0, worse)
    add_dated("new", 9, better)
    add_run("old", "d", worse)
    add_run("new", "d", better)
    assert study_claims(store, "qa").n_records == 1
    assert study_comparison(store, "new", "old", dataset="d").analysis.test.pvalue == 1
    board = study_leaderboard(store, "d")
    assert [row.rank for row in board.rows] == [1, 1]
    assert study_pairs(store, "d").pvalue[0, 1] == 1
