"""Power of evaluations by raters: the paper's own figures, drawn ratings, exact special cases."""

import csv
import json
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from analysis.statistics.planning.power import rejection_rate_of_t
from analysis.statistics.planning.ratings.design import (
    HIGH_VARIANCE,
    LOW_VARIANCE,
    RATING_TESTS,
    MeanSquares,
    RatingSpread,
    calibrated_critical_value,
    calibrated_pvalue,
    degrees_of_freedom,
    satterthwaite_df,
    variance_parts,
)
from analysis.statistics.planning.ratings.plan import plan_ratings
from analysis.statistics.planning.ratings.power import (
    minimum_detectable_rating_difference,
    power_of_ratings,
)
from analysis.statistics.signature import METHOD_VERSION

SETTINGS = {"Low": LOW_VARIANCE, "High": HIGH_VARIANCE}

spreads = st.builds(
    RatingSpread,
    worker_slope=st.floats(0, 0.5),
    item_slope=st.floats(0, 0.5),
    residual=st.floats(0.05, 0.5),
)
designs = st.tuples(st.integers(2, 12), st.integers(2, 200))


@pytest.fixture(scope="module")
def card(shared_folder):
    path = shared_folder / "reference/seed_systems/card_human_eval.json"
    return json.loads(path.read_text())


def test_published_power_agrees_with_the_shipped_table(shared_folder):
    path = shared_folder / "data/card2020/human_eval/highvar_lowmer_lmer.csv"
    distances = []
    with path.open() as file:
        for row in csv.DictReader(file):
            found = power_of_ratings(
                2 * float(row["diff"]),
                SETTINGS[row["settings"].split()[0]],
                int(row["num.workers"]),
                int(row["Number of Items"]),
                test="published",
                n_iterations=4096,
            )
            error = math.sqrt(found.power * (1 - found.power) / 200 + found.standard_error**2)
            distances.append((float(row["power"]) - found.power) / max(error, 0.002))
    assert len(distances) == 48
    assert max(np.abs(distances)) < 3
    # Half of the cells are at 1 and contribute little.
    assert np.mean(np.square(distances)) < 1.3


def test_published_power_agrees_with_lmer_run_again(card):
    for row in card["rows"]:
        found = power_of_ratings(
            row["model_mean_difference"],
            SETTINGS[row["setting"]],
            row["workers"],
            row["items"],
            test="published",
            n_iterations=4096,
        )
        error = math.sqrt(found.power * (1 - found.power) / 200 + found.standard_error**2)
        assert abs(row["power_lmer_rerun200"] - found.power) < 3 * max(error, 0.002)
        # The paper's coefficient is half the difference, and so is its standard error.
        assert found.error_of_difference / 2 == pytest.approx(row["se_beta"], rel=1e-12)


@pytest.mark.parametrize("workers", [3, 10])
@pytest.mark.parametrize("setting", ["low", "high"])
def test_published_test_finds_differences_where_there_are_none(card, workers, setting):
    spread = SETTINGS[setting.title()]
    theirs = card["type1_upper_at_beta0_items100_400sims"][f"{workers} workers {setting}"]
    ours = power_of_ratings(0, spread, workers, 100, test="published").false_alarms / 2
    assert theirs == pytest.approx(ours, abs=3 * math.sqrt(ours * (1 - ours) / 400))
    calibrated = power_of_ratings(0, spread, workers, 100)
    assert calibrated.rejection_rate == calibrated.false_alarms <= 0.05 < 2 * ours


def test_settings_of_the_paper(card):
    for name, spread in SETTINGS.items():
        theirs = card["params"][name]
        assert spread.worker_slope == 2 * theirs["worker_model"]
        assert spread.item_slope == 2 * theirs["item_model"]
        assert spread.residual == theirs["sigma"]
        assert spread.worker_intercept == theirs["worker_int"]
        assert spread.item_intercept == theirs["item_int"]


@pytest.mark.parametrize("n_workers", [2, 3, 5, 20])
@pytest.mark.parametrize("alpha", [0.2, 0.05, 0.01])
def test_calibrated_test_keeps_its_level(n_workers, alpha):
    for n_items in (2, 20, 500):
        for workers in (0, 0.1, 0.3, 1, 10):
            for items in (0, 0.3, 1, 10):
                spread = RatingSpread(
                    worker_slope=math.sqrt(workers / n_items),
                    item_slope=math.sqrt(items / n_workers),
                    residual=1.0,
                )
                found = power_of_ratings(
                    0, spread, n_workers, n_items, alpha=alpha, n_iterations=1024
                )
                assert found.false_alarms <= alpha + 4 * found.standard_error + 2e-4


def test_satterthwaite_does_not_keep_it_with_few_workers():
    found = power_of_ratings(0, HIGH_VARIANCE, 2, 50, test="satterthwaite")
    assert 0.09 < found.false_alarms < 0.13
    assert power_of_ratings(0, HIGH_VARIANCE, 2, 50).false_alarms <= 0.05


@pytest.mark.parametrize("test", ["calibrated", "satterthwaite"])
@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
def test_workers_alone_are_a_t_test(test, alternative):
    spread = RatingSpread(worker_slope=1.0, item_slope=0.0, residual=1e-6)
    found = power_of_ratings(0.7, spread, 8, 50, test=test, alternative=alternative)
    expected = rejection_rate_of_t(0.7, 1.0, 8, alternative=alternative)
    assert found.rejection_rate == pytest.approx(expected, abs=4 * found.standard_error + 1e-4)
    assert found.false_alarms == pytest.approx(0.05, abs=0.004)


def drawn_differences(rng, spread, n_workers, n_items, n_ratings, difference):
    noise = rng.normal(0, spread.residual, (2, n_workers, n_items, n_ratings)).mean(axis=-1)
    workers = rng.normal(0, spread.worker_slope, (n_workers, 1))
    return difference + workers + rng.normal(0, spread.item_slope, n_items) + noise[0] - noise[1]


@pytest.mark.parametrize("test", ["calibrated", "satterthwaite"])
@pytest.mark.parametrize(("n_workers", "n_items", "n_ratings"), [(3, 20, 1), (6, 4, 2)])
def test_power_agrees_with_drawn_ratings(test, n_workers, n_items, n_ratings):
    rng = np.random.default_rng(n_workers)
    spread = RatingSpread(worker_slope=0.15, item_slope=0.3, residual=0.3)
    difference, df = 0.35, degrees_of_freedom(n_workers, n_items)
    significant, sizes, wrong = 0, [], 0
    for _ in range(1500):
        cells = drawn_differences(rng, spread, n_workers, n_items, n_ratings, difference)
        of_workers, of_items, mean = cells.mean(axis=1), cells.mean(axis=0), cells.mean()
        rest = cells - of_workers[:, np.newaxis] - of_items + mean
        squares = MeanSquares(
            n_items * np.var(of_workers, ddof=1),
            n_workers * np.var(of_items, ddof=1),
            np.sum(rest**2) / df[2],
        )
        parts = variance_parts(squares, n_workers, n_items)
        if test == "calibrated":
            critical = calibrated_critical_value(parts, df, 0.025)
        else:
            critical = stats.t.isf(0.025, satterthwaite_df(parts, df))
        if abs(mean) > critical * math.sqrt(sum(parts)):
            significant += mean > 0
            wrong += mean < 0
            sizes.append(abs(mean))
    found = power_of_ratings(difference, spread, n_workers, n_items, n_ratings=n_ratings, test=test)
    share = significant / 1500
    assert found.power == pytest.approx(share, abs=4 * math.sqrt(share * (1 - share) / 1500))
    error = np.std(sizes) / math.sqrt(len(sizes)) / difference
    assert found.type_m == pytest.approx(np.mean(sizes) / difference, abs=4 * error)
    assert found.type_s == pytest.approx(wrong / len(sizes), abs=0.01)


@given(spread=spreads, design=designs, difference=st.floats(0.01, 1))
def test_what_must_hold_of_any_power(spread, design, difference):
    def power(effect, scale=1.0, **options):
        scaled = RatingSpread(
            scale * spread.worker_slope, scale * spread.item_slope, scale * spread.residual
        )
        return power_of_ratings(scale * effect, scaled, *design, n_iterations=256, **options)

    found = power(difference)
    assert power(-difference).power == pytest.approx(found.power, abs=1e-12)
    assert power(difference, 8.0).power == pytest.approx(found.power, abs=1e-9)
    assert power(1.1 * difference).power >= found.power
    assert power(difference, n_ratings=2).power >= found.power - 0.05
    assert found.power <= found.rejection_rate
    if found.rejection_rate > 1e-6:
        assert found.type_m >= 1 - 1e-9
        assert found.power == pytest.approx(found.rejection_rate * (1 - found.type_s))
    wrong_way = power(difference, alternative="less")
    assert wrong_way.power == 0
    assert math.isnan(wrong_way.type_s) or wrong_way.type_s == 1


def test_more_workers_help_where_more_items_do_not():
    few, many = (power_of_ratings(0.2, HIGH_VARIANCE, 3, n).power for n in (100, 100_000))
    assert many - few < 0.02
    assert power_of_ratings(0.2, HIGH_VARIANCE, 10, 100).power > 4 * many


@pytest.mark.parametrize("test", RATING_TESTS)
def test_detectable_difference_has_the_power(test):
    least = minimum_detectable_rating_difference(HIGH_VARIANCE, 4, 60, power=0.9, test=test)
    found = power_of_ratings(least, HIGH_VARIANCE, 4, 60, test=test)
    assert found.power == pytest.approx(0.9, abs=1e-9)


def test_plans():
    plan = plan_ratings(0.2, HIGH_VARIANCE, n_items=100)
    assert plan.needed == 14
    assert plan.sentence == "14 workers are enough with 100 items: the power is 81%."
    assert plan.power == power_of_ratings(0.2, HIGH_VARIANCE, 14, 100).power >= 0.8
    assert power_of_ratings(0.2, HIGH_VARIANCE, 13, 100).power < 0.8
    items = plan_ratings(-0.3, LOW_VARIANCE, n_workers=3)
    assert power_of_ratings(0.3, LOW_VARIANCE, 3, items.needed).power >= 0.8
    assert power_of_ratings(0.3, LOW_VARIANCE, 3, items.needed - 1).power < 0.8
    none = plan_ratings(0.2, HIGH_VARIANCE, n_workers=3)
    assert none.needed is None
    assert none.power < 0.8
    assert none.to_dict()["needed"] is None
    assert none.sentence.startswith("No number of items is enough with 3 workers")
    few = plan_ratings(0.05, LOW_VARIANCE, n_items=5)
    assert few.sentence.endswith("Have more items rated.")
    assert few.signature.startswith("rating-plan|of:workers|items:5|power:0.8|by:diff 0.05 cal")


@pytest.mark.parametrize("t", [0.0, 0.3, 2.0, 9.0, 40.0])
def test_pvalue_is_where_the_critical_value_is_t(t):
    squares = MeanSquares(np.asarray(3.0), np.asarray(0.8), np.asarray(1.0))
    parts, df = variance_parts(squares, 4, 30), degrees_of_freedom(4, 30)
    tail = calibrated_pvalue(t, parts, df)
    assert 0 < tail <= 0.5
    assert float(calibrated_critical_value(parts, df, tail)) == pytest.approx(t, abs=1e-8)


def test_signature_and_seed():
    found = power_of_ratings(0.2, LOW_VARIANCE, 3, 50, n_iterations=300, rng=0)
    assert found.n_iterations == 512
    assert found.signature == (
        "rating-power|test:calibrated|alt:two-sided|alpha:0.05|diff:0.2|"
        "sd:0.08 0.26 0.16 0.01 0.01|workers:3|items:50|ratings:1|m:512|seed:0|v:" + METHOD_VERSION
    )
    other = power_of_ratings(0.2, LOW_VARIANCE, 3, 50, n_iterations=512, rng=1)
    assert other.power != found.power
    none = power_of_ratings(0, LOW_VARIANCE, 3, 50, n_iterations=256)
    assert math.isnan(none.power)
    assert none.to_dict()["type_m"] is None


def test_wrong_arguments():
    with pytest.raises(ValueError, match="`n_workers` must be at least 2, got 1: one says nothing"):
        power_of_ratings(0.1, LOW_VARIANCE, 1, 50)
    with pytest.raises(TypeError, match="`spread` must be a RatingSpread, got dict"):
        power_of_ratings(0.1, {}, 3, 50)
    with pytest.raises(ValueError, match="`test` must be one of 'calibrated', 'satterthwaite'"):
        power_of_ratings(0.1, LOW_VARIANCE, 3, 50, test="wald")
    with pytest.raises(ValueError, match="`test` 'published' rejects beyond"):
        power_of_ratings(0.1, LOW_VARIANCE, 3, 50, test="published", alpha=0.01)
    with pytest.raises(ValueError, match=r"`alpha` must be below 0\.5"):
        power_of_ratings(0.1, LOW_VARIANCE, 3, 50, alpha=0.6)
    with pytest.raises(ValueError, match="`difference` must be finite"):
        power_of_ratings(math.nan, LOW_VARIANCE, 3, 50)
    with pytest.raises(ValueError, match="`power` must be above `alpha`"):
        minimum_detectable_rating_difference(LOW_VARIANCE, 3, 50, power=0.04)
    with pytest.raises(ValueError, match="`difference` must not be 0"):
        plan_ratings(0, LOW_VARIANCE, n_workers=3)
    with pytest.raises(ValueError, match="Give one of `n_workers` and `n_items`"):
        plan_ratings(0.1, LOW_VARIANCE)
    with pytest.raises(ValueError, match="`residual` must be above 0"):
        RatingSpread(0.1, 0.1, 0)
    with pytest.raises(ValueError, match="`item_slope` must be finite and not negative"):
        RatingSpread(0.1, -0.1, 1)
    with pytest.raises(TypeError, match="`worker_slope` must be a number"):
        RatingSpread("much", 0.1, 1)
