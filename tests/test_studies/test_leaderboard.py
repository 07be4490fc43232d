"""Order, coverage, runs of a leaderboard, and which of its systems can be told apart."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from analysis.markup import latex
from analysis.studies.comparison import study_comparison
from analysis.studies.leaderboard import study_leaderboard
from analysis.studies.overview import study_overview
from analysis.studies.pairs import study_pairs
from analysis.studies.pairs_words import BETTER, WORSE, PairsSettings
from dashboard.cli import app
from store.engine import Store, open_store
from store.errors import NotFoundError, StoreError
from store.importers.bundle import (
    BundleDataset,
    BundleItem,
    BundleMetric,
    BundleReportedScore,
    BundleRun,
    BundleScores,
    ImportBundle,
)
from store.ingest import ingest
from store.runs import list_runs

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
    assert study.sentence == (
        "high leads on d with accuracy 0.75 (tie of 4); with 4 items tied 1, tied 2 and low cannot "
        "be separated from it."
    )
    assert study.lead == "tie of 4"
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
    everything, easy = study.rows
    assert (easy.system, easy.n_scored, easy.n_missing) == ("easy only", 3, 3)
    assert easy.score_own > everything.score_own
    assert (easy.score_on_shared, everything.score_on_shared) == (pytest.approx(2 / 3), 1.0)
    assert (everything.score, easy.score) == (1.0, pytest.approx(2 / 3))
    assert everything.score_own == 0.5
    assert easy.bounds == pytest.approx((2 / 6, 5 / 6))
    assert everything.bounds is None
    assert (study.compared_by, study.lead) == ("shared items", "tie of 2")
    assert study.n_shared == 3
    assert any("Unequal coverage: easy only" in warning for warning in study.warnings)


def test_what_is_missing_in_single_trials_and_what_a_rule_gave_is_said(
    store: Store, add_run: AddRun
) -> None:
    add_run("A", "d", [1, 0, NAN, NAN], label="1", missing_as_zero=True)
    add_run("A", "d", [1, 1, 1, 0], label="2")
    add_run("B", "d", [1, NAN, NAN, 0], label="1")
    add_run("B", "d", [1, NAN, 0, 0], label="2")
    add_run("C", "d", [1, 0, 1, 0])
    study = study_leaderboard(store, "d")
    found = {row.system: (row.n_missing, row.n_lost, row.n_by_rule) for row in study.rows}
    assert found == {"A": (0, 0, 2), "B": (1, 1, 0), "C": (0, 0, 0)}
    by_rule, lost = (told for told in study.warnings if "A (2)" in told or "B (1)" in told)
    assert by_rule.startswith("Scored by rule")
    assert lost.startswith("Missing in single runs or trials: B (1).")
    assert by_rule in study_comparison(store, "A", "C", dataset="d").warnings
    assert by_rule in study_pairs(store, "d").warnings


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
    assert "0 of 2 scored: broken." in study.warnings


def test_reported_scores_are_shown_as_reported(example: Store) -> None:
    study = study_leaderboard(example, "UD Tamil")
    assert [(row.system, row.basis) for row in study.rows] == [
        ("Char→Tag", "reported"),
        ("MIMICK", "reported"),
    ]
    assert study.rows[0].score == 84.97
    assert "as reported" in study.sentence


@pytest.fixture
def graded(add_run: AddRun) -> None:
    """Store three systems: two that lie close together, and one far behind."""
    rng = np.random.default_rng(0)
    hard, noise = rng.normal(size=200), rng.normal(0, 0.3, 200)
    noise -= noise.mean()
    for name, gain, sign in (("A", 1.0, 1), ("B", 0.98, -1), ("C", 0.0, 1)):
        add_run(name, "d", list(hard + gain + sign * noise + gain * hard / 9), metric="points")


@pytest.mark.usefixtures("graded")
def test_ranks_groups_and_who_may_be_best(store: Store) -> None:
    study = study_leaderboard(store, "d")
    assert [(r.system, r.rank_interval, r.group, r.may_be_best) for r in study.rows] == [
        ("A", (1, 2), "a", True),
        ("B", (1, 2), "a", True),
        ("C", (3, 3), "b", False),
    ]
    assert study.may_be_best == ["A", "B"]
    assert study.sentence.startswith("A leads on d with points ")
    assert study.sentence.endswith(
        " (tie of 2); with 200 items B cannot be separated from it. 1 system cannot be best."
    )
    assert sum(row.p_best or 0 for row in study.rows) == pytest.approx(1)
    assert study.rows[2].p_best == 0
    assert all(row.ci is not None and row.ci[0] < row.score < row.ci[1] for row in study.rows)
    assert study.resolution.adjacent_separable == 0.5


@pytest.mark.usefixtures("graded")
def test_pairs_are_those_of_the_pairs_study(store: Store) -> None:
    board, pairs = study_leaderboard(store, "d"), study_pairs(store, "d")
    assert tuple(row.system for row in board.rows) == pairs.systems
    told_apart = np.isin(pairs.verdicts, (BETTER, WORSE))
    for i, first in enumerate(board.rows):
        for j, second in enumerate(board.rows):
            assert (not set(first.group) & set(second.group)) == told_apart[i, j]


@pytest.mark.usefixtures("graded")
def test_a_clear_winner_is_called_one(store: Store, add_run: AddRun) -> None:
    rng = np.random.default_rng(1)
    add_run("winner", "d", list(rng.normal(5, 1, 200)), metric="points")
    study = study_leaderboard(store, "d")
    assert study.sentence.endswith("over 200 items; it is better than every other system.")
    assert study.rows[0].rank_interval == (1, 1)
    assert study.lead == "real"
    assert "(real) over 200 items" in study.sentence


def test_lower_is_better_turns_ranks_and_first_places(store: Store, add_run: AddRun) -> None:
    rng = np.random.default_rng(2)
    for name, level in (("slow", 5.0), ("fast", 1.0)):
        seconds = list(level + rng.random(50))
        add_run(name, "d", seconds, metric="latency", higher_is_better=False)
    first, second = study_leaderboard(store, "d").rows
    assert (first.system, first.rank_interval, first.p_best) == ("fast", (1, 1), 1.0)
    assert (second.system, second.rank_interval, second.may_be_best) == ("slow", (2, 2), False)


def test_higher_score_on_other_items_does_not_win(store: Store, add_run: AddRun) -> None:
    rng = np.random.default_rng(3)
    hard = np.r_[rng.normal(1, 0.1, 100), rng.normal(-3, 0.1, 100)]
    add_run("all", "d", list(hard + 0.5 + rng.normal(0, 0.05, 200)), metric="points")
    add_run("easy", "d", [*(hard[:100] + rng.normal(0, 0.05, 100)), *[NAN] * 100], metric="points")
    study = study_leaderboard(store, "d")
    everything, easy = study.rows
    assert (easy.system, easy.rank_interval, easy.may_be_best) == ("easy", (2, 2), False)
    assert everything.rank_interval == (1, 1)
    assert easy.score_own > everything.score_own
    # Better on what both have; but half of the items could still turn it.
    assert study.lead == "cannot tell"
    assert study.sentence.startswith("Cannot tell which system leads on d with points")
    assert "easy was not scored on" in study.sentence
    assert "First on shared items is all" in study.sentence


def test_who_skips_the_hard_items_does_not_lead(store: Store, add_run: AddRun) -> None:
    hard = np.r_[np.zeros(75), np.ones(125)].astype(bool)
    skips = np.where(~hard, NAN, 1.0)
    skips[hard] = ([1.0] * 4 + [0.0]) * 25  # 0.80 of the 125 easy ones
    whole = np.where(hard, 1.0, 0.0)
    whole[np.flatnonzero(hard)[4:79:5]] = 0.0  # 0.88 of the same
    whole[:20] = 1.0
    add_run("skips", "d", list(skips))
    add_run("whole", "d", list(whole))
    add_run("weak", "d", list(whole * (np.arange(200) % 2)))
    study = study_leaderboard(store, "d")
    rows = {row.system: row for row in study.rows}
    assert study.rows[0].system == "whole"
    assert (rows["skips"].score_own, rows["whole"].score_own) == (0.8, 0.65)
    assert rows["whole"].score_on_shared == pytest.approx(0.88)
    assert rows["whole"].score == rows["whole"].score_comparable == pytest.approx(0.88)
    assert rows["skips"].score == pytest.approx(0.8)
    assert rows["skips"].bounds == (0.5, 0.875)
    assert not study.sentence.startswith("skips leads")
    assert study.lead != "real"
    plain = json.loads(json.dumps(study.to_dict(), allow_nan=False))
    assert {"score", "score_own", "score_comparable", "bounds"} <= set(plain["rows"][0])
    report = study.report().as_text()
    assert "own items" in report
    assert "bounds" in report


def test_few_missing_items_leave_a_clear_lead_real(store: Store, add_run: AddRun) -> None:
    rng = np.random.default_rng(8)
    good, bad = (rng.random(300) < 0.9).astype(float), (rng.random(300) < 0.5).astype(float)
    good[:3] = NAN
    add_run("good", "d", list(good))
    add_run("bad", "d", list(bad))
    study = study_leaderboard(store, "d")
    assert study.lead == "real"
    assert "good leads on d" in study.sentence
    assert "on shared items" in study.sentence
    assert study.rows[0].ci is not None
    assert study.rows[0].ci[0] < study.rows[0].score < study.rows[0].ci[1]


def test_few_shared_items_are_made_comparable_by_item_effects(
    store: Store, add_run: AddRun
) -> None:
    rng = np.random.default_rng(9)
    ease = rng.random(240)
    for k, name in enumerate(("best", "good", "fair", "weak")):
        scores = np.clip(ease + 0.4 - 0.1 * k, 0, 2)
        scores[np.arange(240) % 4 == k] = NAN
        if name == "weak":
            scores[ease < 0.8] = NAN  # its own mean is the highest
        add_run(name, "d", list(scores), metric="points")
    study = study_leaderboard(store, "d")
    assert study.compared_by == "item effects"
    assert [row.system for row in study.rows] == ["best", "good", "fair", "weak"]
    assert max(study.rows, key=lambda row: row.score_own).system == "weak"
    gaps = -np.diff([row.score for row in study.rows])
    assert gaps == pytest.approx([0.1] * 3, abs=0.01)
    assert all(row.bounds[0] < row.score < row.bounds[1] for row in study.rows)
    assert any("the bounds of what missing items could bring" in w for w in study.warnings)
    assert study.lead == "cannot tell"
    assert "First by comparable scores is best" in study.sentence


def test_what_all_miss_changes_nothing(store: Store, add_run: AddRun) -> None:
    add_run("A", "d", [1, 1, 0, NAN])
    add_run("B", "d", [1, 0, 0, NAN])
    study = study_leaderboard(store, "d")
    assert study.compared_by == "own"
    assert all(row.score == row.score_own and row.bounds is None for row in study.rows)


def test_systems_that_share_no_item_are_not_told_apart(store: Store, add_run: AddRun) -> None:
    add_run("one", "d", [5.0, 5.1, 5.2, 5.1, NAN, NAN, NAN, NAN], metric="points")
    add_run("two", "d", [NAN, NAN, NAN, NAN, 1.0, 1.1, 1.2, 1.1], metric="points")
    study = study_leaderboard(store, "d")
    assert [(r.rank_interval, r.group, r.p_best) for r in study.rows] == [((1, 2), "a", None)] * 2
    assert any("1 pair of systems shares no item" in warning for warning in study.warnings)
    assert study.to_dict()["resolution"]["items_to_separate_top_two"] is None


def test_one_system_has_a_rank_and_nothing_to_be_compared_with(
    store: Store, add_run: AddRun
) -> None:
    add_run("A", "d", [1, 0, 1, 0])
    study = study_leaderboard(store, "d")
    (row,) = study.rows
    assert (row.rank_interval, row.group, row.p_best) == ((1, 1), "a", 1.0)
    assert study.sentence == "A leads on d with accuracy 0.5 over 4 items."
    assert study.resolution.to_dict()["adjacent_separable"] is None


def test_identical_systems_lead_together(store: Store, add_run: AddRun) -> None:
    for name in ("A", "B"):
        add_run(name, "d", [1, 1, 0, 1])
    add_run("C", "d", [0, 0, 0, 1])
    study = study_leaderboard(store, "d")
    assert study.sentence == (
        "A and B lead on d with accuracy 0.75 (tie of 3); with 4 items C cannot be separated from "
        "them."
    )
    assert study.rows[0].p_best == study.rows[1].p_best
    assert study.resolution.items_to_separate_top_two is None


def test_settings_reach_the_pairs_and_the_intervals(store: Store, add_run: AddRun) -> None:
    rng = np.random.default_rng(4)
    base = rng.normal(size=60)
    for k in range(5):
        add_run(f"s{k}", "d", list(base + 0.15 * k + rng.normal(0, 0.5, 60)), metric="points")
    strict = study_leaderboard(store, "d", settings=PairsSettings(alpha=0.001))
    loose = study_leaderboard(store, "d", settings=PairsSettings(correction="none", alpha=0.1))
    width = {
        study: row.ci[1] - row.ci[0]
        for study, row in ((strict, strict.rows[0]), (loose, loose.rows[0]))
    }
    assert width[strict] > 1.5 * width[loose]
    assert sum(r.rank_interval[1] - r.rank_interval[0] for r in strict.rows) > sum(
        r.rank_interval[1] - r.rank_interval[0] for r in loose.rows
    )
    assert any("do not hold for all systems at once" in warning for warning in loose.warnings)
    assert (loose.correction, loose.alpha) == ("none", 0.1)
    with pytest.raises(StoreError, match="`alpha`"):
        study_leaderboard(store, "d", settings=PairsSettings(alpha=2))


def test_rank_intervals_leave_reported_systems_room(example: Store) -> None:
    for dataset in ("digits", "UD Tamil"):
        study = study_leaderboard(example, dataset)
        reported = [row for row in study.rows if row.basis == "reported"]
        assert all(
            (row.ci, row.rank_interval, row.group, row.p_best, row.may_be_best) == (None,) * 5
            for row in reported
        )
    assert study.resolution.to_dict()["adjacent_separable"] is None
    assert study.sentence.endswith("Order is not evidence: reported scores cannot be tested.")


def test_groups_of_items_are_units(example: Store) -> None:
    study = study_leaderboard(example, "docstrings-library", metric="accuracy")
    assert "groups:507" in study.signature
    assert any("whole groups are the units" in warning for warning in study.warnings)


def test_report_has_all_that_may_be_best_in_bold(example: Store) -> None:
    study = study_leaderboard(example, "digits")
    written = study.report().as_latex()
    assert [name in written for name in (r"\toprule", r"\bottomrule")] == [True, True]
    for row in study.rows:
        assert (rf"\textbf{{{latex(row.label)}}}" in written) == row.may_be_best
    table = json.loads(study.report().as_json())["tables"][0]
    assert table["columns"][:5] == ["rank", "system", "accuracy", "95 % interval", "possible ranks"]


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
    plain = json.loads(json.dumps(study_leaderboard(example, "digits").to_dict(), allow_nan=False))
    expected = {"system", "score", "ci", "n_items", "n_missing", "rank", "rank_interval", "group"}
    assert expected <= set(plain["rows"][0])
    assert {"adjacent_separable", "smallest_separable_gap", "items_to_separate_top_two"} <= set(
        plain["resolution"]
    )
    assert (plain["alpha"], plain["correction"]) == (0.05, "holm")


def test_overview_counts_what_is_there(example: Store) -> None:
    study = study_overview(example)
    assert study.n_runs == 432
    assert study.n_datasets == len({cell.dataset for cell in study.coverage})
    assert not study.is_empty
    assert "Only partly scored: Gaussian process on docstrings-library." in study.warnings


def test_stated_figures_that_the_items_do_not_give_are_told(tmp_path: Path) -> None:
    path = tmp_path / "s.db"
    store = open_store(path, create=True)
    right = np.array([[1.0] * 9 + [0.0] * 11]).T

    def figure(system: str, value: float, printed: str, run: int | None) -> BundleReportedScore:
        return BundleReportedScore(
            system, 0, 0, value, printed=printed, source="results.json", run=run
        )

    ingest(
        store,
        ImportBundle(
            format="test",
            datasets=[BundleDataset("d", items=[BundleItem(f"q{k}") for k in range(20)])],
            metrics=[BundleMetric("accuracy", higher_is_better=True)],
            runs=[
                BundleRun("A", 0, "", [BundleScores(0, right)]),
                BundleRun("B", 0, "", [BundleScores(0, right[::-1])]),
                BundleRun("C", 0, "", [BundleScores(0, right)]),
            ],
            reported_scores=[
                figure("A", 0.93, "0.93", 0),
                figure("B", 0.4500001, "0.45", 1),  # as rounded
                figure("C", 0.47, "0.47", None),  # of the system, by a paper
            ],
        ),
        actor="tests",
    )
    told = [text for text in study_leaderboard(store, "d").warnings if "items give" in text]
    run_of_a, run_of_b = (
        next(run.uid for run in list_runs(store) if run.system == system) for system in "AB"
    )
    store.close()
    assert ["0.93 for A" in text and "give 0.45" in text for text in told] == [True, False]
    assert "0.47 for C" in told[1]

    def warned(*words: str) -> list[str]:
        outcome = CliRunner().invoke(app, ["--store", str(path), *words, "--json"])
        assert outcome.exit_code == 0, outcome.output
        return [text for text in json.loads(outcome.stdout)["warnings"] if "items give" in text]

    assert warned("leaderboard", "d") == told
    assert len(warned("show", "run", run_of_a)) == 1
    assert warned("show", "run", run_of_b) == []


@pytest.mark.parametrize("dataset", ["iris", "wine"])
def test_interval_of_an_accuracy_over_runs_stays_below_one(example: Store, dataset: str) -> None:
    study = study_leaderboard(example, dataset)
    assert study.metric.bounds == (0, 1)
    intervals = {row.system: row.ci for row in study.rows if row.ci is not None}
    assert len(intervals) > 10
    for row in study.rows:
        if row.ci is not None:
            assert 0 <= row.ci[0] < row.ci[1] <= 1
            assert row.ci[0] <= row.score <= row.ci[1]


def test_the_interval_of_a_score_can_be_chosen(store: Store, add_run: AddRun) -> None:
    add_run("a", "d", [1.0] * 18 + [0.0] * 2)
    add_run("b", "d", [1.0] * 12 + [0.0] * 8)
    wilson = study_leaderboard(store, "d").rows[0].ci
    exact = study_leaderboard(store, "d", interval="clopper-pearson").rows[0].ci
    assert wilson is not None
    assert exact == pytest.approx((0.683, 0.9877), abs=5e-5)  # R: binom.test(18, 20)
    assert exact[0] < wilson[0]


def test_an_interval_for_shares_refuses_graded_scores(store: Store, add_run: AddRun) -> None:
    add_run("a", "d", [3.0, 4.5, 2.0], metric="quality")
    with pytest.raises(StoreError, match="`interval` 'clopper-pearson' needs scores of 0 and 1"):
        study_leaderboard(store, "d", interval="clopper-pearson")
