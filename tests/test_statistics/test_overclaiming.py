import numpy as np
import pytest
from scipy import stats

from analysis.statistics.across.overclaiming import (
    ESTIMATORS,
    SCENARIOS,
    _draw_pvalues,
    _estimates,
    simulate_overclaiming,
)
from analysis.statistics.signature import METHOD_VERSION


def plausible(share, expected, repetitions):
    """Tell whether a share over repetitions fits a probability (two-sided 1e-6 bounds)."""
    low, high = stats.binom.ppf([1e-6, 1 - 1e-6], repetitions, expected)
    return low <= share * repetitions <= high


def test_independent_datasets_agree_with_theory(calibrate_repetitions):
    repetitions = 50 * calibrate_repetitions
    result = simulate_overclaiming("independent", n_repetitions=repetitions)
    for estimator in ESTIMATORS:
        expected = result.theory[estimator]
        assert plausible(result.probability[estimator], expected, repetitions), estimator


def test_theory_is_that_of_section_3_2():
    theory = simulate_overclaiming("independent", n_repetitions=1).theory
    assert theory["count"] == pytest.approx(0.99408, abs=1e-5)
    assert theory["bonferroni"] == pytest.approx(0.04878, abs=1e-5)
    assert theory["fisher"] == 0.05


@pytest.mark.parametrize(
    ("sided", "count", "bonferroni", "fisher"),
    [("one-sided", 0.96088, 0.04301, 0.23265), ("two-sided", 0.97967, 0.0452, 0.15795)],
)
def test_dependent_datasets_agree_with_a_long_independent_simulation(
    sided, count, bonferroni, fisher, calibrate_repetitions
):
    repetitions = 50 * calibrate_repetitions
    result = simulate_overclaiming("dependent", n_repetitions=repetitions, sided=sided)
    reference = {"count": count, "bonferroni": bonferroni, "fisher": fisher}
    for estimator, expected in reference.items():
        # The reference itself is a simulation of 100,000 repetitions.
        error = np.sqrt(expected * (1 - expected) * (1 / repetitions + 1e-5))
        assert abs(result.probability[estimator] - expected) < 5 * error, estimator


def test_dependence_hurts_fisher_and_stouffer_but_not_bonferroni():
    result = simulate_overclaiming("dependent", n_repetitions=20_000)
    assert result.probability["bonferroni"] < 0.05
    assert result.probability["fisher"] > 0.2
    assert result.probability["stouffer"] > 0.2
    assert not result.theory


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_first_repetitions_do_not_depend_on_how_many_follow(scenario):
    few, more = (
        simulate_overclaiming(scenario, n_datasets=10, n_repetitions=m) for m in (256, 300)
    )
    rest = _draw_pvalues(scenario, "one-sided", 10, 0, 1)[:44]
    for name in ESTIMATORS:
        extra = np.bincount(_estimates(rest, name, 0.05), minlength=11)
        assert (more.estimates[name] == few.estimates[name] + extra).all()


def test_the_histogram_counts_what_each_estimator_says_by_its_definition():
    n, repetitions, alpha = 6, 60, 0.3
    found = simulate_overclaiming("dependent", n_datasets=n, n_repetitions=repetitions, alpha=alpha)
    by_hand = {name: np.zeros(n + 1, int) for name in ESTIMATORS}
    for row in _draw_pvalues("dependent", "one-sided", n, 0, 0)[:repetitions]:
        tails = [sorted(row)[u:] for u in range(n)]
        combined = {
            "bonferroni": [len(tail) * tail[0] for tail in tails],
            "simes": [min(len(t) * p / (j + 1) for j, p in enumerate(t)) for t in tails],
            "fisher": [stats.combine_pvalues(tail, "fisher").pvalue for tail in tails],
            "stouffer": [stats.combine_pvalues(tail, "stouffer").pvalue for tail in tails],
        }
        by_hand["count"][sum(p <= alpha for p in row)] += 1
        for name, curve in combined.items():
            k = next((u for u, p in enumerate(curve) if p > alpha), n)
            by_hand[name][k] += 1
    for name, counts in by_hand.items():
        assert found.estimates[name].tolist() == counts.tolist(), name
        assert found.probability[name] == counts[1:].sum() / repetitions


def test_groups_of_the_dependent_scenario():
    blocks = [_draw_pvalues("dependent", "one-sided", 100, 5, block) for block in range(60)]
    z = stats.norm.isf(np.concatenate(blocks))
    correlations = np.corrcoef(z.T)
    groups = {0.0: slice(0, 34), 0.5: slice(34, 67), 0.2: slice(67, 100)}
    for expected, columns in groups.items():
        block = correlations[columns, columns]
        off_diagonal = block[~np.eye(len(block), dtype=bool)]
        assert off_diagonal.mean() == pytest.approx(expected, abs=0.01)
    assert correlations[groups[0.5], groups[0.2]].mean() == pytest.approx(0, abs=0.01)
    assert stats.kstest(stats.norm.cdf(z[:, 50]), "uniform").pvalue > 1e-4


def test_same_seed_same_result_and_standard_errors():
    first, second = (
        simulate_overclaiming("dependent", n_datasets=7, n_repetitions=500, rng=4) for _ in "ab"
    )
    assert dict(first.probability) == dict(second.probability)
    assert first.signature == (
        "overclaiming|scenario:dependent|sided:one-sided|n:7|m:500|alpha:0.05|seed:4|v:"
        + METHOD_VERSION
    )
    p = first.probability["count"]
    assert first.standard_error["count"] == pytest.approx(np.sqrt(p * (1 - p) / 500))
    assert "bonferroni" in str(first)


def test_one_dataset_is_enough():
    result = simulate_overclaiming("dependent", n_datasets=1, n_repetitions=300)
    assert set(result.probability.values()) == {result.probability["count"]}


def test_errors():
    with pytest.raises(ValueError, match="`scenario` must be one of 'independent', 'dependent'"):
        simulate_overclaiming("toy")
    with pytest.raises(ValueError, match="`sided` must be one of 'one-sided', 'two-sided'"):
        simulate_overclaiming("dependent", sided="left")
    with pytest.raises(ValueError, match="`n_datasets` must be at least 1, got 0"):
        simulate_overclaiming("dependent", n_datasets=0)
    with pytest.raises(TypeError, match="`n_repetitions` must be a whole number, got float"):
        simulate_overclaiming("dependent", n_repetitions=1e3)
