"""Is k̂ above the true number of datasets at most as often as promised? And what is published.

Every bound is a binomial quantile: an estimator that keeps its promise fails one in a million
times, and the seeds are fixed. `--full` repeats each analysis more often.
"""

import sys
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))  # the benchmarks are no part of the installed product

from analysis.statistics.across.counts import COUNT_ESTIMATORS, count_all_pairs  # noqa: E402
from analysis.statistics.across.joint.cells import JointCell  # noqa: E402
from analysis.statistics.across.joint.counts import joint_counts  # noqa: E402
from analysis.statistics.across.joint.replicability import joint_replicability  # noqa: E402
from analysis.statistics.across.overclaiming import simulate_overclaiming  # noqa: E402
from analysis.statistics.all_pairs.difference_facts import difference_facts  # noqa: E402
from analysis.statistics.paired.tests import paired_test  # noqa: E402
from analysis.statistics.validity import guard_counts  # noqa: E402
from benchmarks.calibration.replicability.estimators import (  # noqa: E402
    ESTIMATORS,
    count_datasets,
)
from benchmarks.calibration.replicability.report import REPORT  # noqa: E402
from benchmarks.calibration.replicability.run import JOINT_REPETITIONS, run, worst  # noqa: E402
from benchmarks.calibration.replicability.scenarios import (  # noqa: E402
    BLOCK,
    DEPENDENCES,
    KINDS,
    PATTERNS,
    Scenario,
    all_scenarios,
    draw,
    pvalues_of,
    scores_of,
    sides_of,
)

ALPHA = 0.05
INDEPENDENT = "independent"
ANY_DEPENDENCE = ("bonferroni", "simes")


def at_most(figure):
    return figure.errors[0] <= stats.binom.ppf(1 - 1e-6, figure.repetitions, ALPHA)


def at_least(figure):
    return figure.errors[0] >= stats.binom.ppf(1e-6, figure.repetitions, ALPHA)


def simulate(label, repetitions, joint=0):
    """Return the estimates of one scenario, with so many repetitions of the joint one."""
    scenario = Scenario.from_label(label)
    share = joint / JOINT_REPETITIONS[scenario.n_datasets]
    found = run([scenario], repetitions=repetitions, joint_share=share, log=False)
    return found[scenario]


@pytest.mark.parametrize("pattern", ["none", "one strong", "half strong", "half moderate"])
@pytest.mark.parametrize("kind", ["t-50", "mcnemar-20"])
@pytest.mark.parametrize("dependence", [INDEPENDENT, "paper", "shared-100", "opposed-metrics"])
def test_estimators_keep_their_promise(dependence, kind, pattern, calibrate_repetitions):
    found = simulate(f"{dependence} | {kind} | N=10 | {pattern}", 4 * calibrate_repetitions)
    for side, estimates in found.items():
        for name, estimate in estimates.items():
            if name in ANY_DEPENDENCE or (dependence == INDEPENDENT and name != "count"):
                assert at_most(estimate.figure), (side, name)
            if (
                dependence == INDEPENDENT
                and kind == "t-50"
                and pattern.endswith(("none", "strong"))
            ):
                # Certain effects leave the combination of the others, which has level alpha.
                assert at_least(estimate.figure), (side, name)


@pytest.mark.parametrize("n_items", [10, 20, 50])
@pytest.mark.parametrize("test", ["sign", "mcnemar"])
@pytest.mark.parametrize("n_effects", [0, 1, 10])
def test_discrete_pvalues_of_small_test_sets_keep_it_too(
    test, n_items, n_effects, calibrate_repetitions
):
    # Straight from the binomial distribution, beside the items of the scenarios.
    rng = np.random.default_rng(n_items)
    shape = (4 * calibrate_repetitions, 20)
    tried = np.full(shape, n_items) if test == "sign" else rng.binomial(n_items, 0.3, shape)
    wins = rng.binomial(tried, 0.5)
    wins[:, :n_effects] = tried[:, :n_effects]
    pvalues = np.where(wins == 0, 1.0, stats.binom.sf(wins - 1, tried, 0.5))
    for name, k in count_datasets(pvalues).items():
        if name != "count":
            over = np.count_nonzero(k[:, 0] > n_effects)
            assert over <= stats.binom.ppf(1 - 1e-6, len(k), ALPHA), name


@pytest.mark.parametrize(
    ("dependence", "kind"),
    [
        ("shared-50", "t-50"),
        ("two-metrics", "mcnemar-20"),
        ("copies", "t-50"),
        pytest.param("shared-50", "mcnemar-20", marks=pytest.mark.full),
        pytest.param("two-metrics", "t-50", marks=pytest.mark.full),
        pytest.param("copies", "mcnemar-20", marks=pytest.mark.full),
    ],
)
def test_joint_estimate_keeps_it_where_items_are_shared(dependence, kind):
    patterns = ["none"] if dependence == "copies" else ["none", "half strong"]
    for pattern in patterns:
        found = simulate(f"{dependence} | {kind} | N=10 | {pattern}", 120, joint=120)
        for estimates in found.values():
            assert at_most(estimates["joint"].figure)


def test_fisher_does_not_hold_where_items_are_shared_and_joint_does():
    found = simulate("shared-100 | t-50 | N=10 | none", 300, joint=300)["one-sided"]
    assert found["fisher"].figure.rate() > 0.12
    assert at_most(found["joint"].figure)
    assert at_least(found["joint"].figure)  # and uses up its level, as Bonferroni's does not


def test_dependent_groups_are_those_of_the_paper(calibrate_repetitions):
    repetitions = 8 * calibrate_repetitions
    for sided in ("one-sided", "two-sided"):
        ours = simulate("paper | t-50 | N=60 | none", repetitions)[sided]
        theirs = simulate_overclaiming(
            "dependent", n_datasets=60, n_repetitions=repetitions, sided=sided
        )
        for name, probability in theirs.probability.items():
            spread = np.sqrt(2 * max(probability, 0.01) / repetitions)
            assert ours[name].figure.rate() == pytest.approx(probability, abs=5 * spread)


@pytest.mark.parametrize("name", KINDS)
def test_pvalues_are_those_of_the_product(name):
    kind = KINDS[name]
    drawn = draw(Scenario("shared-50", name, 10, "half moderate"), 0, 1).differences[:4]
    for side, alternative in (("one-sided", "greater"), ("two-sided", "two-sided")):
        if kind.test in ("stated", "skewed"):
            continue
        expected = [
            [
                paired_test(a, b, test=kind.test, alternative=alternative).pvalue
                for a, b in zip(*scores_of(kind, one), strict=True)
            ]
            for one in drawn
        ]
        np.testing.assert_allclose(pvalues_of(kind, drawn, side), expected, rtol=1e-10)


@pytest.mark.parametrize(("side", "alternative"), [("one-sided", "greater"), ("two-sided",) * 2])
def test_skewed_pvalues_are_those_that_are_counted(side, alternative):
    kind = KINDS["skewed-30"]
    drawn = draw(Scenario("shared-50", "skewed-30", 10, "half moderate"), 0, 1).differences[0]
    a, b = scores_of(kind, drawn)
    for first, second, found in zip(a, b, pvalues_of(kind, drawn, side), strict=True):
        facts = difference_facts(np.stack([first, second]), np.array([0]), np.array([1]))
        facts = facts._replace(largest=np.array([np.nan]), error=np.array([np.nan]))
        plain = paired_test(first, second, test="t", alternative=alternative).pvalue
        expected = guard_counts(facts, [plain], alternative=alternative).pvalue[0]
        assert found == pytest.approx(expected, rel=1e-9)


def test_skewed_differences_have_no_mean_and_lean_down():
    drawn = draw(Scenario(INDEPENDENT, "skewed-30", 60, "none"), 0, 0).differences
    a, b = scores_of(KINDS["skewed-30"], drawn)
    assert (a - b).mean() == pytest.approx(0, abs=5 / np.sqrt(drawn.size))
    assert stats.skew((a - b).ravel()) == pytest.approx(-2, abs=0.1)


def test_stated_pvalues_are_halved_on_the_side_that_scored_higher():
    drawn = draw(Scenario(INDEPENDENT, "stated-20", 10, "none"), 0, 0).differences
    both = pvalues_of(KINDS["mcnemar-20"], drawn, "two-sided")
    wins, losses = (scores.sum(axis=2) for scores in scores_of(KINDS["mcnemar-20"], drawn))
    turned = pvalues_of(KINDS["stated-20"], drawn, "one-sided")
    np.testing.assert_array_equal(turned[wins > losses], both[wins > losses] / 2)
    np.testing.assert_array_equal(turned[wins < losses], 1 - both[wins < losses] / 2)
    assert np.all(turned[wins == losses] == 0.5)


@pytest.mark.parametrize("name", DEPENDENCES)
def test_shared_items_are_the_same_units_and_correlate(name):
    drawn = draw(Scenario(name, "t-50", 10, "none"), 0, 0)
    loadings = DEPENDENCES[name].loadings(10)
    for i, j in ((0, 1), (0, 2), (4, 5), (8, 9)):
        same = drawn.units[i] == drawn.units[j]
        assert not np.intersect1d(drawn.units[i][~same], drawn.units[j][~same]).size
        for shared in (True, False):
            first, second = (drawn.differences[:, d, same == shared].reshape(-1) for d in (i, j))
            if first.size:
                expected = loadings[i] * loadings[j] if shared else 0.0
                found = np.corrcoef(first, second)[0, 1]
                assert found == pytest.approx(expected, abs=5 / np.sqrt(first.size))
    groups = DEPENDENCES[name].groups(10)
    assert len(groups) == len(loadings) == 10


def test_estimates_are_those_of_the_matrix_of_all_pairs():
    pvalues = np.random.default_rng(0).random((7, 12)) ** 2
    counts = count_datasets(pvalues)
    assert tuple(counts) == COUNT_ESTIMATORS == ESTIMATORS[:-1]
    for row, one in enumerate(pvalues):
        matrices = np.stack([np.array([[np.nan, p], [1 - p, np.nan]]) for p in one])
        for level, alpha in enumerate((0.05, 0.01)):
            expected = count_all_pairs(matrices, alpha=alpha).k
            for name, k in counts.items():
                assert k[row, level] == expected[name][0, 1]


def test_joint_counts_are_those_of_joint_replicability():
    drawn = draw(Scenario("shared-50", "t-50", 10, "half moderate"), 0, 0)
    kind = KINDS["t-50"]
    for one in drawn.differences[:10]:
        a, b = scores_of(kind, one)
        cells = [
            JointCell(np.stack([x, y])[:, :, np.newaxis], "mean", units)
            for x, y, units in zip(a, b, drawn.units, strict=True)
        ]
        pair = joint_replicability(cells, n_resamples=199)
        k = joint_counts(cells, n_resamples=199, n_threads=1).k
        assert (k[0, 1], k[1, 0]) == (pair.a_over_b.k, pair.b_over_a.k)


def test_truth_is_the_number_of_datasets_with_a_shift():
    for pattern in PATTERNS.values():
        scenario = Scenario(INDEPENDENT, "sign-10", 10, pattern.name)
        without = draw(scenario._replace(pattern="none"), 0, 0).differences
        shift = (draw(scenario, 0, 0).differences - without).mean(axis=(0, 2))
        assert np.count_nonzero(shift > 1e-9) == pattern.n_effects(10)
    assert sides_of(Scenario(INDEPENDENT, "t-50", 10, "half opposed")) == ("one-sided",)


def test_a_scenario_does_not_depend_on_its_parts_or_on_others():
    scenarios = [Scenario("paper", "sign-10", 10, p) for p in ("none", "half strong")]
    together = run(scenarios, repetitions=BLOCK + 20, joint_share=0, log=False)
    alone = run(scenarios[1:], repetitions=BLOCK + 20, joint_share=0, log=False)
    assert together[scenarios[1]] == alone[scenarios[1]]
    fewer = run(scenarios[1:], repetitions=BLOCK, joint_share=0, log=False)[scenarios[1]]
    assert fewer["one-sided"]["count"].total <= alone[scenarios[1]]["one-sided"]["count"].total


@pytest.fixture(scope="module")
def published():
    return REPORT.read(ROOT / "docs")


def test_published_counts_are_complete(published):
    results, about = published
    assert list(results) == all_scenarios()
    for scenario, sides in results.items():
        assert tuple(sides) == sides_of(scenario)
        for side, estimates in sides.items():
            expected = set(COUNT_ESTIMATORS)
            if KINDS[scenario.kind].test != "stated" and (
                side == "one-sided" or scenario.n_datasets == 10
            ):
                expected.add("joint")
            assert set(estimates) == expected, scenario.label
            for name, estimate in estimates.items():
                n_joint = about.joint[str(scenario.n_datasets)]
                n = n_joint if name == "joint" else about.repetitions
                assert estimate.figure.repetitions == n


def test_published_counts_say_what_the_product_says_of_its_estimators(published):
    for scenario, sides in published[0].items():
        for estimates in sides.values():
            for name, estimate in estimates.items():
                holds = name in (*ANY_DEPENDENCE, "joint") or scenario.dependence == INDEPENDENT
                if name != "count" and holds:
                    assert at_most(estimate.figure), (scenario.label, name)
    for dependence in ("paper", "shared-10", "shared-50", "shared-100", "two-metrics", "copies"):
        for name in ("fisher", "stouffer"):
            figure = worst(published[0], "one-sided", dependence, "t-50", 60, "0", name)
            assert not at_most(figure), (dependence, name)


def test_a_published_scenario_can_be_computed_again(published):
    results, about = published
    label = "shared-10 | sign-10 | N=10 | one strong"
    again = simulate(label, about.repetitions)
    for side, estimates in again.items():
        for name, estimate in estimates.items():
            assert estimate == results[Scenario.from_label(label)][side][name]
