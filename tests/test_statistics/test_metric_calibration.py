"""Do tests of equally good metrics alarm as often as stated? And the published counts.

Every bound is a binomial quantile: a test that keeps its level fails one in a million times, and
the seeds are fixed. `--full` repeats each scenario more often.
"""

import sys
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))  # the benchmarks are no part of the installed product

from analysis.statistics.meta_evaluation.comparison import compare_metrics  # noqa: E402
from analysis.statistics.meta_evaluation.levels import correlation  # noqa: E402
from benchmarks.calibration.metrics.report import REPORT  # noqa: E402
from benchmarks.calibration.metrics.run import (  # noqa: E402
    REPETITIONS,
    Row,
    rows_of,
    run,
)
from benchmarks.calibration.metrics.scenarios import (  # noqa: E402
    BLOCK,
    ERRORS,
    MEASURES,
    N_SYSTEMS,
    Measure,
    Scenario,
    all_scenarios,
    draw,
)

SWAPS = ("perm-inputs", "perm-systems", "perm-both", "cell-swap")
OVER_SYSTEMS = Measure("system", "pearson")
POOLED = Measure("global", "pearson")


def at_most(figure):
    """Return whether a figure does not exceed its level at both levels, but for chance."""
    return all(
        hits <= stats.binom.ppf(1 - 1e-6, figure.repetitions, level)
        for hits, level in zip(figure.errors, (0.05, 0.01), strict=True)
    )


def rate(errors, n_systems, measure, test, repetitions, n_resamples=199):
    """Return how often p is at most .05, and at most .01, in the first repetitions."""
    hits, done = np.zeros(2), 0
    for block in range(-(-repetitions // BLOCK)):
        draws = draw(Scenario(errors, n_systems), block, 0)
        for sides in zip(*draws, strict=True):
            p = compare_metrics(
                *sides, level=measure.level, coefficient=measure.coefficient, test=test,
                n_resamples=n_resamples, rng=done, n_threads=1,
            ).pvalue  # fmt: skip
            hits += [p <= 0.05, p <= 0.01]
            done += 1
            if done == repetitions:
                return hits, done
    raise AssertionError


ITEMWISE = (Measure("item", "kendall-b"), Measure("item", "pairwise-accuracy"))


@pytest.mark.parametrize(
    ("errors", "n_systems", "measures"),
    [
        ("cells", 8, (OVER_SYSTEMS, ITEMWISE[1])),
        ("ties", 4, ITEMWISE[:1]),
        pytest.param("cells", 8, ITEMWISE[:1], marks=pytest.mark.full),
        pytest.param("ties", 4, (OVER_SYSTEMS, ITEMWISE[1]), marks=pytest.mark.full),
        pytest.param("cells", 4, (OVER_SYSTEMS, *ITEMWISE), marks=pytest.mark.full),
        pytest.param("ties", 8, (OVER_SYSTEMS, *ITEMWISE), marks=pytest.mark.full),
    ],
)
@pytest.mark.parametrize("test", SWAPS)
def test_exchanges_keep_their_level_where_outputs_have_errors_of_their_own(
    test, measures, n_systems, errors, calibrate_repetitions
):
    for measure in measures:
        hits, done = rate(errors, n_systems, measure, test, calibrate_repetitions)
        for count, level in zip(hits, (0.05, 0.01), strict=True):
            assert count <= stats.binom.ppf(1 - 1e-6, done, level), measure


def test_luck_with_systems_is_a_difference_unless_systems_are_exchanged():
    lucky = {test: rate("systems", 8, OVER_SYSTEMS, test, 100)[0][0] for test in SWAPS}
    limit = stats.binom.ppf(1 - 1e-6, 100, 0.05)
    assert lucky["perm-systems"] <= limit
    for test in ("perm-inputs", "perm-both", "cell-swap"):
        assert lucky[test] > limit, test


def test_luck_with_items_is_a_difference_unless_items_are_exchanged():
    lucky = {test: rate("items", 16, POOLED, test, 80)[0][0] for test in SWAPS}
    limit = stats.binom.ppf(1 - 1e-6, 80, 0.05)
    assert lucky["perm-inputs"] <= limit
    for test in ("perm-systems", "perm-both", "cell-swap"):
        assert lucky[test] > limit, test


@pytest.mark.parametrize("name", ERRORS)
def test_metrics_are_as_good_as_stated(name):
    errors = ERRORS[name]
    draws = draw(Scenario(name, 16), 0, 0)
    found = np.array(
        [
            [
                correlation(side, gold, level="global", coefficient="pearson").value
                for side in (x, y)
            ]
            for x, y, gold in zip(*draws, strict=True)
        ]
    )
    gap = found[:, 0] - found[:, 1]
    error = gap.std(ddof=1) / np.sqrt(len(gap))
    if errors.is_null:
        assert abs(gap.mean()) < 4.5 * error
        assert draws.x.std() == pytest.approx(draws.y.std(), rel=0.05)
    else:
        assert gap.mean() > 8 * error
    distinct = len(np.unique(draws.x[0]))
    assert (distinct < 30) == errors.ties


def test_systems_share_the_errors_that_they_are_said_to_share():
    draws = draw(Scenario("systems", 16), 0, 0)
    errors = draws.x - draws.gold
    of_systems = errors.mean(axis=2).var(axis=1, ddof=1).mean()
    # Their own share, and what is left of 50 errors averaged.
    assert of_systems == pytest.approx(2.25 * (0.04 + 0.96 / 50), rel=0.15)
    draws = draw(Scenario("items", 16), 0, 0)
    errors = draws.x - draws.gold
    of_items = errors.mean(axis=1).var(axis=1, ddof=1).mean()
    assert of_items == pytest.approx(2.25 * (0.5 + 0.5 / 16), rel=0.15)


def test_a_scenario_does_not_depend_on_its_parts_or_on_others(monkeypatch):
    for module in ("run", "scenarios"):
        monkeypatch.setattr(f"benchmarks.calibration.metrics.{module}.BLOCK", 5)
    scenarios = [Scenario("skewed", n) for n in (4, 8)]
    together = run(scenarios, repetitions=7, log=False)
    alone = run(scenarios[1:], repetitions=7, log=False)
    assert together[scenarios[1]] == alone[scenarios[1]]


@pytest.fixture(scope="module")
def published():
    return REPORT.read(ROOT / "docs")


def test_published_counts_are_complete(published):
    results, about = published
    assert list(results) == all_scenarios()
    for scenario, figures in results.items():
        assert tuple(figures) == rows_of(scenario.errors)
        assert {figure.repetitions for figure in figures.values()} == {about.repetitions}
    assert about.repetitions == REPETITIONS
    assert REPORT.texts(results, about) == {
        name: (ROOT / "docs" / name).read_text(encoding="utf-8")
        for name in REPORT.texts(results, about)
    }


def figures_of(results, errors, measures, tests):
    return {
        (measure.title, test, n): results[Scenario(errors, n)][row]
        for measure in measures
        for test in tests
        for n in N_SYSTEMS
        if (row := Row(measure, test)) in results[Scenario(errors, n)]
    }


def test_published_counts_say_what_the_page_says(published):
    results, _ = published
    for errors in ("cells", "ties"):
        for place, figure in figures_of(results, errors, MEASURES, SWAPS).items():
            assert at_most(figure), (errors, place)
    for place, figure in figures_of(
        results, "systems", [OVER_SYSTEMS], ("perm-systems", "boot-both", "boot-systems")
    ).items():
        assert at_most(figure), place
    for place, figure in figures_of(
        results, "items", [POOLED], ("perm-inputs", "boot-inputs")
    ).items():
        assert at_most(figure), place
    for measure, errors, tests in (
        (OVER_SYSTEMS, "systems", ("perm-inputs", "cell-swap", "perm-both")),
        (POOLED, "items", ("perm-systems", "cell-swap", "perm-both", "steiger", "williams")),
    ):
        for test in tests:
            found = figures_of(results, errors, [measure], [test])
            assert any(figure.too_many for figure in found.values()), (errors, test)
    for errors in (name for name, kind in ERRORS.items() if kind.is_null):
        for place, figure in figures_of(results, errors, MEASURES, ["boot-both"]).items():
            assert at_most(figure), (errors, place)
        pooled = figures_of(results, errors, [POOLED], ["boot-systems"])
        assert any(figure.too_many for figure in pooled.values()), errors
    for errors in ERRORS:
        of_four = results[Scenario(errors, 4)]
        assert all(
            figure.errors == (0, 0) for row, figure in of_four.items() if row.test == "perm-systems"
        )


@pytest.mark.full
def test_a_published_scenario_can_be_computed_again(published):
    results, about = published
    scenario = Scenario("skewed", 4)
    again = run([scenario], repetitions=about.repetitions, log=False)
    assert again[scenario] == results[scenario]
