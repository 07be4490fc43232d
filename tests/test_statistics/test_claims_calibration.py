"""Does a history hold a false claim at most as often as promised? And the published counts.

Every bound is a binomial quantile: a rule that keeps its promise fails one in a million times, and
the seeds are fixed. `--full` repeats each history more often.
"""

import sys
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))  # the benchmarks are no part of the installed product

from analysis.statistics.paired.tests import paired_test  # noqa: E402
from analysis.statistics.sequences.alpha_spending import alpha_spending  # noqa: E402
from analysis.statistics.sequences.online_fdr import online_fdr  # noqa: E402
from analysis.studies.claims.settings import ClaimSettings  # noqa: E402
from analysis.studies.claims.study import study_claims  # noqa: E402
from benchmarks.calibration.claims.levels import RULES, holds  # noqa: E402
from benchmarks.calibration.claims.procedures import (  # noqa: E402
    ALONE,
    BY_CLAIM,
    BY_LOOK,
    FRONTIER,
    PROCEDURES,
    covered,
    outcomes,
    play,
)
from benchmarks.calibration.claims.report import REPORT  # noqa: E402
from benchmarks.calibration.claims.run import (  # noqa: E402
    REPETITIONS,
    promised,
    repetitions_of,
    run,
)
from benchmarks.calibration.claims.scenarios import (  # noqa: E402
    BLOCK,
    DEPENDENCES,
    PATTERNS,
    START,
    Scenario,
    all_scenarios,
    build_world,
    pvalue_table,
    true_accuracies,
)
from benchmarks.claims import build_history  # noqa: E402
from store.engine import open_store  # noqa: E402

ALPHA = 0.05
RULES_OF_CLAIMS = tuple(name for name in PROCEDURES if name not in (ALONE, FRONTIER))


def at_most(figure):
    if figure.squares is not None:
        share, n = figure.errors[0] / figure.repetitions, figure.repetitions
        spread = np.sqrt(max(figure.squares[0] / n - share**2, ALPHA * (1 - ALPHA) / 4) / n)
        return share <= ALPHA + 4.75 * spread
    return figure.errors[0] <= stats.binom.ppf(1 - 1e-6, figure.repetitions, ALPHA)


def simulate(label, repetitions):
    """Return what was counted in one scenario."""
    scenario = Scenario.from_label(label)
    share = repetitions / REPETITIONS[scenario.n_looks]
    return run([scenario], share=share, log=False)[scenario]


@pytest.mark.parametrize("pattern", ["none", "5 points"])
@pytest.mark.parametrize(
    "dependence", ["own", "shared-70", "shared-mixed", "lineage-80", "lineage-95"]
)
def test_rules_keep_their_promise(dependence, pattern, calibrate_repetitions):
    found = simulate(f"{dependence} | n=500 | 17 looks | {pattern}", calibrate_repetitions).found
    for name in RULES_OF_CLAIMS:
        assert at_most(promised(name, found[name])), name
    if not dependence.startswith("lineage"):
        assert at_most(promised(FRONTIER, found[FRONTIER]))
    if dependence == "own":
        assert not at_most(promised(ALONE, found[ALONE]))


def test_frontier_drifts_in_a_lineage_and_claims_do_not():
    found = simulate("lineage-95 | n=500 | 100 looks | none", 300).found
    assert found[FRONTIER].family_wise.rate() > 0.15
    for name in RULES_OF_CLAIMS:
        assert at_most(promised(name, found[name])), name


def test_counting_claims_finds_more_than_counting_looks():
    found = simulate("shared-90 | n=500 | 100 looks | weaker", 200).found
    by_claim, by_look = (found[f"alpha-spending {how}"].mean_true for how in (BY_CLAIM, BY_LOOK))
    assert by_claim > 4 * by_look


def product(rule, pvalues, looks=None):
    if rule == "alpha-spending":
        return alpha_spending(pvalues, recycle=True, looks=looks)
    return online_fdr(pvalues, rule, looks=looks)


@pytest.mark.parametrize("rule", RULES)
def test_levels_are_those_of_the_product(rule):
    rng = np.random.default_rng(1)
    pvalues = rng.random((60, 80)) ** rng.choice([1, 3, 12], (60, 80))
    counted = rng.random((60, 80)) < 0.7
    n_held = 0
    for everywhere in (True, False):
        mask = np.ones_like(counted) if everywhere else counted
        found = holds(rule, pvalues, mask)
        for one, its, held in zip(pvalues, mask, found, strict=True):
            assert not held[~its].any()
            np.testing.assert_array_equal(held[its], product(rule, one[its]).rejected)
        n_held += found.sum()
    assert n_held > 100


@pytest.mark.parametrize("rule", RULES)
def test_outcomes_are_those_of_the_rules_one_history_at_a_time(rule):
    tests = play(Scenario("lineage-95", 500, 17, "5 points"), 0, 60, 3)
    found = outcomes(tests)
    for k in range(60):
        claims, true = tests.claims[k], tests.true_gain[k] > 1e-9
        by_claim = product(rule, tests.pvalues[k][claims]).rejected
        looks = np.flatnonzero(claims) + 2
        by_look = product(rule, tests.pvalues[k][claims] / 2, looks).rejected
        for name, held in ((BY_CLAIM, by_claim), (BY_LOOK, by_look)):
            counts = found[f"{rule} {name}"]
            assert counts.true[k] == np.sum(held & true[claims])
            assert counts.false[k] == np.sum(held & ~true[claims])


def test_pvalues_are_those_of_the_product():
    table = pvalue_table(500)
    for wins, losses in ((0, 0), (1, 0), (7, 1), (30, 12), (12, 30), (250, 250), (500, 0)):
        a = np.repeat([1.0, 0.0, 1.0], [wins, losses, 500 - wins - losses])
        b = np.repeat([0.0, 1.0, 1.0], [wins, losses, 500 - wins - losses])
        expected = paired_test(a, b, test="score").pvalue
        if wins + losses:
            assert table[wins + losses, wins] == pytest.approx(expected, rel=1e-10)
        else:
            assert table[0, 0] == 1


def answers_of(world, n_items):
    return np.unpackbits(world.answers.view(np.uint8), axis=1)[:, :n_items].astype(np.float64)


@pytest.mark.parametrize("name", [name for name in DEPENDENCES if name != "own"])
def test_systems_are_as_accurate_and_alike_as_stated(name):
    dependence, n = DEPENDENCES[name], 2_000
    scenario = Scenario(name, n, 17, "none")
    world = build_world(scenario, 0, 100, 0)
    first = world.first(START)
    before = answers_of(world, n)
    assert before.mean() == pytest.approx(START, abs=0.006)
    if len(dependence.agreement) == 1:
        world.draw(START, first)
        after = answers_of(world, n)
        assert after.mean() == pytest.approx(START, abs=0.006)
        assert np.mean(before == after) == pytest.approx(dependence.agreement[0], abs=0.006)
        wins, losses = world.against(first)
        np.testing.assert_array_equal(wins, ((after == 1) & (before == 0)).sum(axis=1))
        np.testing.assert_array_equal(losses, ((after == 0) & (before == 1)).sum(axis=1))
    for accuracy in (START + 0.05, START - 0.03):
        world.draw(accuracy, first)
        assert answers_of(world, n).mean() == pytest.approx(accuracy, abs=0.006)


def test_lineage_can_reach_the_highest_accuracies():
    scenario = Scenario("lineage-70", 2_000, 17, "5 points")
    world = build_world(scenario, 0, 100, 0)
    holder = world.first(START)
    everywhere = np.ones(100, dtype=bool)
    for accuracy in true_accuracies(scenario)[1:]:
        world.draw(accuracy, holder)
        assert answers_of(world, 2_000).mean() == pytest.approx(accuracy, abs=0.01)
        world.adopt(holder, everywhere)


def test_true_accuracies_rise_six_times():
    for pattern in PATTERNS.values():
        for n_looks in (17, 100):
            truth = true_accuracies(Scenario("own", 500, n_looks, pattern.name))
            best = np.maximum.accumulate(truth)
            assert truth[0] == START
            assert np.sum(np.diff(best) > 1e-9) == (6 if pattern.gain else 0)
            assert best[-1] == pytest.approx(START + 6 * pattern.gain)
            lower = truth[1:][np.diff(best) < 1e-9]
            np.testing.assert_allclose(best[1:][np.diff(best) < 1e-9] - lower, pattern.below)


def test_an_audit_of_such_a_history_decides_the_same(tmp_path):
    scenario = Scenario("lineage-95", 500, 17, "5 points")
    world, truth = build_world(scenario, 0, 1, 5), true_accuracies(scenario)
    best = world.first(truth[0])
    scores = [answers_of(world, 500)[0]]
    for accuracy in truth[1:]:
        world.draw(accuracy, best)
        scores.append(answers_of(world, 500)[0])
        wins, losses = world.against(best)
        world.adopt(best, wins > losses)
    build_history(tmp_path / "runs.db", np.stack(scores))
    store = open_store(tmp_path / "runs.db")
    tests = play(scenario, 0, 1, 5)
    found = outcomes(tests)
    for counting, name in (("claims", BY_CLAIM), ("looks", BY_LOOK)):
        study = study_claims(store, "questions", settings=ClaimSettings(counting=counting))
        rows = [row for row in study.rows if row.previous is not None]
        assert [row.look - 2 for row in rows] == np.flatnonzero(tests.claims[0]).tolist()
        np.testing.assert_allclose(
            [row.pvalue for row in rows], tests.pvalues[0][tests.claims[0]], rtol=1e-10
        )
        assert study.n_held > 2
        assert {rule.rule for rule in study.rules} == set(RULES)
        for rule in study.rules:
            counts = found[f"{rule.rule} {name}"]
            assert rule.n_held == counts.true[0] + counts.false[0]
    moved = [step.look - 2 for step in study.frontier[1:]]
    assert moved == np.flatnonzero(tests.frontier_held[0]).tolist()
    assert len(moved) > 1
    store.close()


def test_a_scenario_does_not_depend_on_its_parts_or_on_others():
    scenarios = [Scenario("shared-90", 500, 17, p) for p in ("none", "weaker")]
    share = (BLOCK + 20) / REPETITIONS[17]
    together = run(scenarios, share=share, log=False)
    alone = run(scenarios[1:], share=share, log=False)
    assert together[scenarios[1]] == alone[scenarios[1]]
    fewer = run(scenarios[1:], share=BLOCK / REPETITIONS[17], log=False)[scenarios[1]]
    assert fewer.records < alone[scenarios[1]].records
    assert fewer.intervals == alone[scenarios[1]].intervals


def test_intervals_of_records_miss_what_they_say():
    tests = play(Scenario("own", 2_000, 17, "5 points"), 0, 300, 0)
    found = covered(tests, 2_000)
    assert np.all(found.missed <= found.records)
    assert found.missed.sum() <= stats.binom.ppf(1 - 1e-6, found.records.sum(), ALPHA)
    assert found.exaggerated.sum() <= stats.binom.ppf(1 - 1e-6, found.records.sum(), ALPHA / 2)
    assert np.all(found.exaggerated <= found.missed)


@pytest.fixture(scope="module")
def published():
    return REPORT.read(ROOT / "docs")


def test_published_counts_are_complete(published):
    results, about = published
    assert list(results) == all_scenarios()
    for scenario, result in results.items():
        assert tuple(result.found) == PROCEDURES
        assert about.repetitions[str(scenario.n_looks)] == repetitions_of(scenario)
        for found in result.found.values():
            assert found.repetitions == repetitions_of(scenario)


def test_published_counts_say_what_the_product_says_of_its_rules(published):
    for scenario, result in published[0].items():
        for name in RULES_OF_CLAIMS:
            assert at_most(promised(name, result.found[name])), (scenario.label, name)
        if not scenario.dependence.startswith("lineage"):
            assert at_most(promised(FRONTIER, result.found[FRONTIER])), scenario.label
        found = result.intervals
        assert found.exaggerated <= stats.binom.ppf(1 - 1e-6, found.records, 0.03), scenario.label
    drifted = published[0][Scenario("lineage-95", 500, 100, "none")].found[FRONTIER]
    assert drifted.family_wise.too_many


def test_a_published_scenario_can_be_computed_again(published):
    scenario = Scenario("lineage-90", 500, 17, "weaker")
    again = run([scenario], log=False)
    assert REPORT.to_json(again, published[1]) == REPORT.to_json(
        {scenario: published[0][scenario]}, published[1]
    )
