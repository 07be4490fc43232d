"""What the store's test sets can find: one of them, and all of them."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats
from typer.testing import CliRunner

from analysis.statistics.planning.accuracy.agreement import CARD_2020_GLUE
from analysis.statistics.planning.accuracy.detectable_gap import minimum_detectable_gap
from analysis.statistics.planning.accuracy.mcnemar_power import mcnemar_power
from analysis.studies.leaderboard import study_leaderboard
from analysis.studies.power import dataset_curves
from analysis.studies.power.dataset import study_dataset_power
from analysis.studies.power.dataset_curves import item_counts
from analysis.studies.power.resolution import study_resolution
from dashboard.cli import app
from store.engine import Store, open_store
from store.errors import NotFoundError, StoreError
from store.importers.bundle import (
    Aggregation,
    BundleDataset,
    BundleItem,
    BundleMetric,
    BundleReportedScore,
    BundleRun,
    BundleScores,
    ImportBundle,
    Unit,
)
from store.ingest import ingest

AddRun = Callable[..., None]


def pair_of(n: int, win: int, loss: int, both: int) -> tuple[list[float], list[float]]:
    """Return right and wrong items: A alone right on `win`, B on `loss`, both on `both`."""
    rest = n - win - loss - both
    a = [1.0] * win + [0.0] * loss + [1.0] * both + [0.0] * rest
    b = [0.0] * win + [1.0] * loss + [1.0] * both + [0.0] * rest
    return a, b


def fill(
    store: Store,
    scores: dict[str, np.ndarray],
    *,
    name: str = "set",
    aggregation: Aggregation = "mean",
    groups: list[str] | None = None,
    higher_is_better: bool = True,
    unit: Unit = "",
) -> None:
    """Store item scores, one run per system."""
    n = len(next(iter(scores.values())))
    keys = [f"{name}-{k}" for k in range(n)]
    items = [BundleItem(key, group=g) for key, g in zip(keys, groups or [None] * n, strict=True)]
    ingest(
        store,
        ImportBundle(
            format="test",
            datasets=[BundleDataset(name, items=items)],
            metrics=[
                BundleMetric(
                    f"metric by {aggregation} {unit}".strip(),
                    higher_is_better=higher_is_better,
                    aggregation=aggregation,
                    unit=unit,
                )
            ],
            runs=[
                BundleRun(system, 0, "", [BundleScores(0, values.reshape(n, -1).astype(float))])
                for system, values in scores.items()
            ],
        ),
        actor="tests",
    )


def report(
    store: Store,
    name: str,
    figures: dict[str, float],
    *,
    n_items: int | None = None,
    unit: Unit = "percent",
) -> None:
    """Store figures alone."""
    ingest(
        store,
        ImportBundle(
            format="test",
            datasets=[BundleDataset(name)],
            metrics=[BundleMetric(f"share in {unit}", higher_is_better=True, unit=unit)],
            reported_scores=[
                BundleReportedScore(system, 0, 0, value, n_items=n_items)
                for system, value in figures.items()
            ],
        ),
        actor="tests",
    )


def test_right_or_wrong_items_go_by_their_own_agreement(store: Store, add_run: AddRun) -> None:
    a, b = pair_of(500, 40, 25, 300)
    add_run("A", "quiz", a)
    add_run("B", "quiz", b)
    study = study_dataset_power(store, "quiz", effect=0.05)
    assert (study.system_a, study.system_b, study.n_items) == ("A", "B", 500)
    expected = minimum_detectable_gap(500, 0.65, agreement=0.87, variant="score")
    assert study.mde == expected.gap
    at_effect = mcnemar_power(500, 0.05, agreement=0.87, variant="score")
    assert (study.power, study.type_m, study.type_s) == (
        at_effect.power,
        at_effect.type_m,
        at_effect.type_s,
    )
    assert study.test == "score test of paired shares"
    assert study.agreement is not None
    assert (study.agreement.own, study.agreement.source) == (0.87, CARD_2020_GLUE.source)
    assert "A true difference of +0.050 would be found" in study.sentence
    own = next(row for row in study.by_size if row.n_items == 500)
    assert (own.mde, own.power) == (study.mde, study.power)
    found = [row.mde for row in study.by_size]
    assert found == sorted(found, reverse=True)


def test_the_power_is_that_of_the_products_own_test(store: Store, add_run: AddRun) -> None:
    """Draw test sets like the stored one and count how often the test of `compare` finds it."""
    a, b = pair_of(300, 30, 24, 180)
    add_run("A", "quiz", a)
    add_run("B", "quiz", b)
    study = study_dataset_power(store, "quiz", effect=0.06)
    rng = np.random.default_rng(3)
    apart = (30 + 24) / 300
    wins, losses, _ = rng.multinomial(
        300, [(apart + 0.06) / 2, (apart - 0.06) / 2, 1 - apart], size=4_000
    ).T
    found = 2 * stats.norm.sf((wins - losses) / np.sqrt(wins + losses)) <= 0.05
    assert study.power == pytest.approx(np.mean(found), abs=0.025)


def test_observed_power_is_refused_with_the_interval(store: Store, add_run: AddRun) -> None:
    a, b = pair_of(500, 40, 25, 300)
    add_run("A", "quiz", a)
    add_run("B", "quiz", b)
    for effect in ("observed", 0.03):
        with pytest.raises(StoreError, match=r"Hoenig.*A less B: \+0\.030, 95 % interval"):
            study_dataset_power(store, "quiz", effect=effect)  # type: ignore[arg-type]
    assert "Hoenig" in study_dataset_power(store, "quiz").refused
    assert study_dataset_power(store, "quiz", effect=-0.03).power > 0


def test_a_pair_that_agrees_too_much_goes_by_the_line_of_the_systems(
    store: Store, add_run: AddRun
) -> None:
    a, b = pair_of(200, 1, 0, 120)
    add_run("A", "quiz", a)
    add_run("B", "quiz", b)
    rng = np.random.default_rng(0)
    for k in range(5):
        flipped = np.where(rng.random(200) < 0.1 + 0.05 * k, 1 - np.array(b), b)
        add_run(f"other {k}", "quiz", (flipped * (rng.random(200) < 0.9)).tolist())
    study = study_dataset_power(store, "quiz", a="A", b="B")
    assert study.mde > 0.01
    assert study.agreement is not None
    assert study.agreement.n_pairs == 21
    assert study.agreement.source == "7 systems on quiz"
    assert "agree on too many items" in study.source
    assert study.mde == study.agreement.mde_expected
    large = study_dataset_power(store, "quiz", a="A", b="B", effect=0.15)
    assert large.power > 0.5


def test_where_no_gap_is_found_the_reason_is_told(store: Store, add_run: AddRun) -> None:
    a, b = pair_of(40, 1, 0, 39)
    add_run("A", "easy", a)
    add_run("B", "easy", b)
    study = study_dataset_power(store, "easy")
    assert np.isnan(study.mde)
    assert "finds no difference: even the largest gap possible, 0.025," in study.sentence
    (row,) = study_resolution(store).rows
    assert row.resolves is False
    assert "largest gap possible" in row.why
    with pytest.raises(StoreError, match="`effect`"):
        study_dataset_power(store, "easy", effect=0.2)


def test_graded_scores_follow_student(store: Store) -> None:
    rng = np.random.default_rng(1)
    base = rng.normal(0, 1, 120)
    fill(store, {"A": base + rng.normal(0.2, 0.5, 120), "B": base})
    study = study_dataset_power(store, "set", effect=0.1)
    difference = study.n_items**0.5 * 0.1
    gaps = _gaps(store)
    lam = difference / gaps.std(ddof=1)
    critical = stats.t.isf(0.025, 119)
    assert study.power == pytest.approx(stats.nct.sf(critical, 119, lam), abs=1e-8)
    assert study.test == "paired t test"
    assert stats.nct.sf(critical, 119, study.mde * 120**0.5 / gaps.std(ddof=1)) == pytest.approx(
        0.8, abs=1e-6
    )


def _gaps(store: Store) -> np.ndarray:
    from store.arrays import load_matrix
    from store.datasets import list_datasets
    from store.metrics import list_metrics

    matrix = load_matrix(store, list_datasets(store)[0].uid, list_metrics(store)[0].uid)
    return np.asarray(matrix.scores[0, :, 0] - matrix.scores[1, :, 0])


def test_lower_is_better_turns_the_differences(store: Store) -> None:
    rng = np.random.default_rng(1)
    base = rng.normal(5, 1, 120)
    fill(store, {"A": base - rng.normal(0.2, 0.5, 120), "B": base}, higher_is_better=False)
    study = study_dataset_power(store, "set")
    assert study.system_a == "A"
    assert study.difference > 0
    assert study.score_a < study.score_b
    turned = study_dataset_power(store, "set", a="B", b="A")
    assert turned.difference == -study.difference
    assert turned.mde == pytest.approx(study.mde)


@pytest.fixture
def few_draws(monkeypatch: pytest.MonkeyPatch) -> None:
    """Draw groups as often as a test needs, not as a person does."""
    monkeypatch.setattr(dataset_curves, "GROUP_ITERATIONS", 40)


def test_groups_are_units_and_what_they_cost_is_told(store: Store, few_draws: None) -> None:
    rng = np.random.default_rng(2)
    shared = np.repeat(rng.normal(0, 1, 30), 5)
    base = rng.normal(0, 1, 150)
    groups = [f"g{k}" for k in np.repeat(np.arange(30), 5)]
    fill(store, {"A": base + shared + rng.normal(0, 0.3, 150), "B": base}, groups=groups)
    study = study_dataset_power(store, "set")
    assert (study.n_items, study.n_units) == (150, 30)
    assert study.design is not None
    assert study.design.icc > 0.7
    assert study.design.effective_items < 45
    alone = study_dataset_power(store, "set", clusters=False)
    assert alone.n_units == 150
    assert study.mde > 1.5 * alone.mde
    drawn = study_dataset_power(store, "set", effect=0.6, by="bootstrap")
    assert drawn.curve.n_iterations > 0
    assert 150 in drawn.curve.x.tolist()


def test_corpus_metrics_are_planned_for_the_test_that_is_reported(store: Store) -> None:
    rng = np.random.default_rng(4)
    total = rng.integers(5, 30, 300)
    a, b = (np.stack([rng.binomial(total, p), total], axis=1) for p in (0.62, 0.6))
    fill(store, {"A": a, "B": b}, aggregation="ratio")
    study = study_dataset_power(store, "set", effect=0.02)
    assert study.kind == "corpus"
    assert 0 < study.p_zero < 0.3
    assert study.scale > 0
    assert 0 < study.mde < 0.1
    assert study.design is None
    assert "bootstrap test" in study.test
    # Student's t of what the items add, nearly.
    assert study.mde == pytest.approx(2.8 * (study.ci[1] - study.ci[0]) / 2 / 1.96, rel=0.15)
    with pytest.raises(StoreError, match=r"`by` 'bootstrap' .* 'ratio'"):
        study_dataset_power(store, "set", effect=0.02, by="bootstrap")


def test_items_that_all_gain_alike_cannot_be_weighed_and_that_is_said(store: Store) -> None:
    base = np.linspace(0.2, 0.6, 30)
    fill(store, {"A": base + np.linspace(0.04, 0.06, 30), "B": base})
    with pytest.raises(StoreError, match=r"all between 0\.04 and 0\.06\. Leave `by` out"):
        study_dataset_power(store, "set", effect=0.02, by="bootstrap")


def test_medians_go_by_their_interval(store: Store) -> None:
    rng = np.random.default_rng(5)
    base = rng.normal(0, 1, 100)
    fill(store, {"A": base + rng.normal(0, 1, 100), "B": base}, aggregation="median")
    assert study_dataset_power(store, "set").mde > 0


def test_curves_by_items_agree_within_their_band(store: Store, add_run: AddRun) -> None:
    a, b = pair_of(400, 60, 20, 220)
    add_run("A", "quiz", a)
    add_run("B", "quiz", b)
    by_model, drawn = (
        study_dataset_power(store, "quiz", effect=0.099, by=by, seed=1).curve
        for by in ("model", "bootstrap")
    )
    model = dict(zip(by_model.x.tolist(), by_model.power.tolist(), strict=True))
    compared = [
        (low - 0.02 <= model[x] <= high + 0.02)
        for x, low, high in zip(drawn.x.tolist(), drawn.low, drawn.high, strict=True)
    ]
    assert len(compared) >= 3
    assert all(compared)
    again = study_dataset_power(store, "quiz", effect=0.099, by="bootstrap", seed=1).curve
    assert again.power.tolist() == drawn.power.tolist()
    normal = study_dataset_power(store, "quiz", effect=0.099, by="normal").curve
    assert normal.power.tolist() == sorted(normal.power.tolist())


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"alpha": 0.6}, "`alpha` must be below 0.5"),
        ({"power": 0.04}, "`power` must lie above `alpha`"),
        ({"effect": 0.0}, "`effect` must be a difference other than 0"),
        ({"effect": float("nan")}, "`effect` must be"),
        ({"effect": -0.1, "alternative": "greater"}, "does not look"),
        ({"a": "A", "b": "A"}, "are both 'A'"),
        ({"seed": -1}, "`seed`"),
        ({"metric": "all"}, "name one metric"),
    ],
)
def test_nonsense_is_refused_in_words(
    store: Store, add_run: AddRun, settings: dict[str, Any], words: str
) -> None:
    a, b = pair_of(100, 10, 5, 60)
    add_run("A", "quiz", a)
    add_run("B", "quiz", b)
    with pytest.raises(StoreError, match=words):
        study_dataset_power(store, "quiz", **settings)


def test_one_sided_tests_find_smaller_differences(store: Store, add_run: AddRun) -> None:
    a, b = pair_of(300, 30, 20, 180)
    add_run("A", "quiz", a)
    add_run("B", "quiz", b)
    both, above, below = (
        study_dataset_power(store, "quiz", alternative=way).mde
        for way in ("two-sided", "greater", "less")
    )
    assert above == below < both


def test_systems_without_scores_are_named(store: Store, add_run: AddRun) -> None:
    add_run("A", "quiz", [1, 0, 1])
    with pytest.raises(NotFoundError, match="no item scores of two systems"):
        study_dataset_power(store, "quiz")
    add_run("B", "quiz", [1, 1, 1])
    add_run("C", "other", [1, 1, 1])
    with pytest.raises(NotFoundError, match="`b`: 'C' has no item scores on 'quiz'"):
        study_dataset_power(store, "quiz", b="C")


def test_item_counts_are_round_and_hold_the_present_one() -> None:
    assert 899 in item_counts(899)
    assert item_counts(1_000) == sorted(set(item_counts(1_000)))
    assert min(item_counts(12)) == 10


def test_resolution_orders_by_what_is_resolved(store: Store, add_run: AddRun) -> None:
    for name, (win, loss) in {"fine": (60, 5), "coarse": (12, 9)}.items():
        a, b = pair_of(300, win, loss, 180)
        add_run("A", name, a)
        add_run("B", name, b)
    report(store, "stated", {"A": 90.0, "B": 60.0}, n_items=1_000)
    report(store, "close", {"A": 80.1, "B": 80.0}, n_items=1_000)
    report(store, "sized", {"A": 90.0, "B": 60.0})
    report(store, "points", {"A": 30.0, "B": 28.0}, unit="points", n_items=500)
    study = study_resolution(store)
    rows = {row.dataset: row for row in study.rows}
    assert [row.dataset for row in study.rows[:4]] == ["fine", "coarse", "stated", "close"]
    assert [rows[name].resolves for name in ("fine", "coarse", "stated", "close")] == [
        True,
        False,
        True,
        False,
    ]
    assert rows["sized"].resolves is rows["points"].resolves is None
    assert "number of items" in rows["sized"].why
    assert (study.n_said, study.n_resolved) == (4, 2)
    assert study.sentence.startswith("Of 4 test sets 2 resolve the gap between their first two")
    assert rows["fine"].mde == study_dataset_power(store, "fine").mde
    named = study_dataset_power(store, "fine", effect=0.01)
    assert rows["fine"].items_needed == named.items_needed
    # Items are said for a difference that somebody names, never for the observed one.
    plain = study_dataset_power(store, "coarse")
    assert "would be needed" not in plain.sentence
    assert "items_for_observed" not in plain.to_dict()
    assert rows["points"].items_needed is None
    stated = rows["stated"]
    assert stated.mde == pytest.approx(
        100 * minimum_detectable_gap(1_000, 0.6, agreement=CARD_2020_GLUE, variant="score").gap
    )
    assert stated.mde_low < stated.mde < stated.mde_high
    assert any("further test set" in text for text in study.warnings)


def test_resolution_asks_for_a_metric_and_for_scores(store: Store, add_run: AddRun) -> None:
    with pytest.raises(NotFoundError, match="No dataset has scores of two systems"):
        study_resolution(store)
    a, b = pair_of(100, 20, 2, 60)
    add_run("A", "quiz", a)
    add_run("B", "quiz", b)
    assert study_resolution(store, metric="accuracy").rows[0].dataset == "quiz"
    assert "quiz resolves the gap" in study_resolution(store).sentence
    with pytest.raises(NotFoundError):
        study_resolution(store, metric="no such metric")


@pytest.fixture
def quiz(tmp_path: Path) -> Path:
    """Return a store with one test set of right and wrong items."""
    path = tmp_path / "quiz.db"
    opened = open_store(path, create=True)
    a, b = pair_of(500, 40, 25, 300)
    fill(opened, {"A": np.array(a), "B": np.array(b)}, name="quiz", unit="proportion")
    opened.close()
    return path


def call(store: Path, *words: str) -> Any:
    """Run `tiebreak power dataset`."""
    return CliRunner().invoke(app, ["--store", str(store), "power", "dataset", *words])


def test_command_answers_in_json(quiz: Path) -> None:
    outcome = call(quiz, "quiz", "--effect", "0.05", "--json")
    assert outcome.exit_code == 0, outcome.output
    result = json.loads(outcome.stdout)["result"]
    expected = mcnemar_power(500, 0.05, agreement=0.87, variant="score")
    assert result["power"] == pytest.approx(expected.power)
    assert result["type_m"] == pytest.approx(expected.type_m)
    assert set(result["curve"]) >= {"x", "power", "low", "high", "label"}
    assert len(result["curve"]["x"]) == len(result["curve"]["power"])
    assert result["mde"] > 0
    every = json.loads(call(quiz, "--json").stdout)["result"]
    assert every["rows"][0]["dataset"] == "quiz"


def test_command_refuses_observed_power(quiz: Path) -> None:
    outcome = call(quiz, "quiz", "--effect", "observed")
    assert outcome.exit_code == 2
    assert "function of its p-value" in outcome.output
    assert call(quiz, "quiz", "--effect", "much").exit_code == 2
    assert call(quiz, "--effect", "0.1").exit_code == 2


def test_command_prints_sizes_and_reports(quiz: Path) -> None:
    outcome = call(quiz, "quiz", "--effect", "0.05", "--by", "bootstrap")
    assert outcome.exit_code == 0, outcome.output
    assert any(line.split()[0] == "500" for line in outcome.stdout.splitlines() if line.split())
    assert "| items |" in call(quiz, "quiz", "--format", "markdown").stdout
    assert "quiz" in call(quiz).stdout
    assert "gap ÷ found" in call(quiz, "--format", "markdown").stdout


def test_two_names_of_one_system_are_no_pair(store: Store, add_run: Callable[..., None]) -> None:
    for name, n_right in (("one", 80), ("same", 80), ("other", 70)):
        add_run(name, "qa", [float(k < n_right) for k in range(100)])
    study = study_dataset_power(store, "qa")
    assert {study.system_a, study.system_b} == {"one", "other"}
    (row,) = study_resolution(store).rows
    assert (row.first, row.second) == ("one", "other")


def test_two_that_never_fail_on_the_same_item_keep_no_test_set_from_its_answer(
    store: Store, add_run: AddRun
) -> None:
    a, b = pair_of(10, 2, 2, 6)  # .8 and .8: together they cannot agree on fewer items
    add_run("A", "apart", a)
    add_run("B", "apart", b)
    wide = pair_of(400, 120, 30, 200)
    add_run("A", "wide", wide[0])
    add_run("B", "wide", wide[1])
    rows = {row.dataset: row for row in study_resolution(store).rows}
    assert rows["wide"].resolves is True
    assert rows["apart"].gap == 0
    assert rows["apart"].resolves is False
    assert math.isnan(study_dataset_power(store, "apart").mde)


def test_the_first_two_are_those_of_the_leaderboard(store: Store, add_run: AddRun) -> None:
    rng = np.random.default_rng(12)
    hard = np.arange(200) % 4 == 0
    best, second = ((rng.random(200) < np.where(hard, 0.1, p)).astype(float) for p in (0.95, 0.9))
    skips = np.where(hard, np.nan, (rng.random(200) < 0.8).astype(float))
    for name, scores in (("best", best), ("second", second), ("skips", skips)):
        add_run(name, "quiz", list(scores))
    board = study_leaderboard(store, "quiz")
    assert max(board.rows, key=lambda row: row.score_own).system == "skips"
    study = study_dataset_power(store, "quiz")
    assert (study.system_a, study.system_b) == ("best", "second")
    assert [row.system for row in board.rows] == list(study.systems)
    assert study.score_a == board.rows[0].score


def test_drawing_anew_has_one_answer_in_headline_and_table(store: Store) -> None:
    both = np.full(75, 1.0)
    a, b = both.copy(), both.copy()
    b[:3] = 2 / 3  # the means of three runs: three items differ, and Student's t makes much of it
    fill(store, {"A": a, "B": b})
    by_model = study_dataset_power(store, "set")
    drawn = study_dataset_power(store, "set", by="bootstrap")
    rows = {row.n_items: row for row in drawn.by_size}
    assert drawn.mde > 1.5 * by_model.mde
    assert drawn.mde == drawn.for_effect == rows[75].mde
    assert 0.8 <= rows[75].power < 0.86
    assert rows[75].power == drawn.curve.power[drawn.curve.x.tolist().index(75)]
    assert [row.power for row in drawn.by_size] == drawn.curve.power.tolist()
    assert "sign-flip permutation test" in drawn.sentence
    at = drawn.by_difference.x.tolist().index(drawn.mde)
    assert drawn.by_difference.power[at] == rows[75].power
    just_below = study_dataset_power(store, "set", by="bootstrap", effect=0.95 * drawn.mde)
    assert just_below.power < 0.8


def test_stated_difference_has_the_power_of_the_table_where_items_are_drawn(
    store: Store, add_run: AddRun
) -> None:
    a, b = pair_of(300, 40, 20, 200)
    add_run("A", "quiz", a)
    add_run("B", "quiz", b)
    for effect in (0.1, -0.1):
        study = study_dataset_power(store, "quiz", a="A", b="B", effect=effect, by="bootstrap")
        power = dict(zip(study.curve.x.tolist(), study.curve.power.tolist(), strict=True))
        assert study.power == power[300]
        assert study.items_needed is not None
        for n_items, found in power.items():
            assert (found >= 0.8) == (n_items >= study.items_needed)


def test_groups_are_drawn_whole_up_to_the_largest_difference_of_one(
    store: Store, few_draws: None
) -> None:
    rng = np.random.default_rng(2)
    base = np.repeat(rng.normal(0, 1, 12), 5)
    gains = np.repeat(rng.normal(0.1, 0.3, 12), 5) + rng.normal(0, 2, 60)
    groups = [f"g{k}" for k in np.repeat(np.arange(12), 5)]
    fill(store, {"A": base + gains, "B": base}, groups=groups)
    study = study_dataset_power(store, "set", a="A", b="B", by="bootstrap")
    assert study.n_units == 12
    largest = gains.reshape(12, 5).mean(axis=1).max()
    assert math.isnan(study.mde) or 0 < study.mde < largest
    assert math.isnan(study.mde) == bool(study.ceiling)


@pytest.mark.parametrize(("n_differing", "is_told"), [(3, True), (40, False)])
def test_few_differing_items_are_told_where_students_t_speaks(
    store: Store, n_differing: int, is_told: bool
) -> None:
    a = np.full(75, 1.0)
    b = np.where(np.arange(75) < n_differing, 2 / 3, 1.0)
    b[0] = 1 / 3
    fill(store, {"A": a, "B": b})
    told = f"the two differ on {n_differing} of 75 items only"
    assert any(told in text for text in study_dataset_power(store, "set").warnings) == is_told
    (row,) = study_resolution(store).rows
    assert (told in row.why) == is_told
    drawn = study_dataset_power(store, "set", by="bootstrap")
    assert not any(told in text for text in drawn.warnings)
