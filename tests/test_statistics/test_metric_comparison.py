"""Is one metric better than another? Known answers, symmetries, missing cells, arguments."""

import math
import threading

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import special, stats

from analysis.statistics.correlation_differences import correlation_differences
from analysis.statistics.meta_evaluation import metric_pairs
from analysis.statistics.meta_evaluation.cells import LEVELS
from analysis.statistics.meta_evaluation.coefficients import COEFFICIENTS
from analysis.statistics.meta_evaluation.comparison import (
    TESTS,
    compare_all_metrics,
    compare_metrics,
)
from analysis.statistics.meta_evaluation.intervals import resampled_correlations
from analysis.statistics.meta_evaluation.levels import correlation
from analysis.statistics.meta_evaluation.soft_accuracy import doubts
from analysis.statistics.meta_evaluation.soft_swaps import SoftSwaps
from analysis.statistics.meta_evaluation.swaps import cell_codes, plan_swaps
from analysis.statistics.multiplicity import adjust
from analysis.statistics.paired.correlation_tests import steiger, williams
from analysis.statistics.resampling.plan import signs_of

CLOSED = ("fisher-z", "williams", "steiger")
SWAPS = ("perm-inputs", "perm-systems", "perm-both", "cell-swap")
BOOTSTRAPS = ("boot-inputs", "boot-systems", "boot-both")


def samples(shape=(6, 20), noise=(0.5, 1.0, 3.0), seed=0, missing=0.0):
    rng = np.random.default_rng(seed)
    gold = rng.normal(size=shape)
    metrics = gold + np.array(noise)[:, None, None] * rng.normal(size=(len(noise), *shape))
    metrics[rng.random(metrics.shape) < missing] = np.nan
    return metrics, gold


def measures():
    for level in LEVELS:
        for coefficient in COEFFICIENTS:
            if coefficient != "soft-pairwise-accuracy" or level == "system":
                yield level, coefficient


def suits(test, coefficient):
    return test not in CLOSED or "accuracy" not in coefficient


@pytest.mark.parametrize("test", TESTS)
def test_difference_is_that_of_the_correlations(test):
    (x, y, _), gold = samples()
    for level, coefficient in measures():
        asked = {"level": level, "coefficient": coefficient}
        if not suits(test, coefficient):
            with pytest.raises(ValueError, match="perm-both"):
                compare_metrics(x, y, gold, test=test, **asked)
            continue
        found = compare_metrics(x, y, gold, test=test, n_resamples=99, **asked)
        values = [correlation(side, gold, **asked).value for side in (x, y)]
        assert (found.x_value, found.y_value) == pytest.approx(values, abs=1e-12), asked
        assert found.difference == pytest.approx(values[0] - values[1], abs=1e-12), asked
        assert 0 < found.pvalue <= 1, asked
    assert found.pvalue >= found.pvalue_floor
    assert math.isnan(found.ci_low) == (test not in BOOTSTRAPS)
    assert found.exact == (found.seed is None and found.n_resamples > 0)


@pytest.mark.shared
def test_closed_forms_are_those_of_psych(r_inputs, r_reference):
    given_, expected = r_inputs["correlation"], r_reference["correlation"]
    sides = [np.array(given_[name])[np.newaxis] for name in ("metric1", "metric2", "human")]
    asked = {"level": "global", "coefficient": "pearson"}
    found = compare_metrics(*sides, test="williams", **asked)
    assert found.statistic == pytest.approx(expected["williams"]["t"], rel=1e-10)
    assert found.pvalue == pytest.approx(expected["williams"]["p"], rel=1e-10)
    found = compare_metrics(*sides, test="fisher-z", **asked)
    assert found.statistic == pytest.approx(expected["fisher_z_independent"]["z"], rel=1e-10)
    assert found.pvalue == pytest.approx(expected["fisher_z_independent"]["p"], rel=1e-10)


@pytest.mark.parametrize("coefficient", ["pearson", "spearman"])
@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
def test_dependent_correlations_are_those_of_the_paired_tests(coefficient, alternative):
    (x, y, _), gold = samples((1, 40))
    sides = [np.column_stack([side[0], gold[0]]) for side in (x, y)]
    for name, oracle in (("steiger", steiger), ("williams", williams)):
        expected = oracle(*sides, aggregation=coefficient, alternative=alternative)
        found = compare_metrics(
            x, y, gold, level="global", coefficient=coefficient, test=name, alternative=alternative
        )
        assert found.statistic == pytest.approx(expected.statistic, rel=1e-9)
        assert found.pvalue == pytest.approx(expected.pvalue, rel=1e-9)


def test_closed_forms_take_the_sizes_that_nlpstats_takes():
    (x, y, _), gold = samples((7, 20))
    gold[0, 0] = np.nan
    for level, n in (("system", 7), ("item", 7), ("per-system", 20), ("global", 139)):
        rs = [
            correlation(a, b, level=level, coefficient="kendall-b").value
            for a, b in ((x, gold), (y, gold))
        ]
        found = compare_metrics(x, y, gold, level=level, coefficient="kendall-b", test="fisher-z")
        z = (math.atanh(rs[0]) - math.atanh(rs[1])) / math.sqrt(2 * 0.437 / (n - 4))
        assert found.statistic == pytest.approx(z, rel=1e-9)
        assert found.pvalue == pytest.approx(2 * special.ndtr(-abs(z)), rel=1e-9)


def test_formulas_say_nothing_of_perfect_ranks():
    gold = np.arange(12.0).reshape(6, 2)
    y = gold + np.random.default_rng(0).normal(size=gold.shape)
    for test in CLOSED:
        found = compare_metrics(gold, y, gold, level="system", coefficient="kendall-b", test=test)
        assert math.isnan(found.pvalue)
        assert not math.isnan(found.difference)


@pytest.mark.parametrize("test", BOOTSTRAPS)
@pytest.mark.parametrize("level", LEVELS)
def test_bootstrap_moves_the_replicates_to_zero(level, test):
    (x, y, _), gold = samples(missing=0.1)
    found = compare_metrics(
        x, y, gold, level=level, coefficient="pearson", test=test, n_resamples=400, rng=3
    )
    shared = ~np.isnan(x + y)
    human = np.where(shared, gold, np.nan)
    drawn = resampled_correlations(
        [x, y], human, level=level, coefficient="pearson", method=test, n_resamples=400, rng=3
    )
    gain = drawn[0] - drawn[1]
    hits = np.sum(~(np.abs(gain - found.difference) < abs(found.difference)))
    assert found.pvalue == pytest.approx((hits + 1) / 401)
    assert found.ci == pytest.approx(np.nanquantile(gain, [0.025, 0.975]))


@pytest.mark.parametrize("test", TESTS)
def test_turning_the_metrics_round_turns_the_answer_round(test):
    (x, y, _), gold = samples(seed=2)
    settings = {"level": "item", "coefficient": "pearson", "test": test, "n_resamples": 199}
    found, turned = (compare_metrics(*pair, gold, **settings) for pair in ((x, y), (y, x)))
    assert found.difference == -turned.difference
    assert found.pvalue == pytest.approx(turned.pvalue, rel=1e-12)
    if test in BOOTSTRAPS:
        assert found.ci == pytest.approx((-turned.ci_high, -turned.ci_low))
    greater, less = (
        compare_metrics(*pair, gold, alternative=side, **settings).pvalue
        for pair, side in (((x, y), "greater"), ((y, x), "less"))
    )
    assert greater == pytest.approx(less, rel=1e-12)
    assert greater <= found.pvalue


@pytest.mark.parametrize("test", SWAPS)
def test_scales_do_not_matter_once_standardised(test):
    (x, y, _), gold = samples((5, 8), seed=4)
    x, y = np.rint(4 * x) / 4, np.rint(4 * y) / 4
    for level, coefficient in measures():
        asked = {"level": level, "coefficient": coefficient, "test": test, "n_resamples": 99}
        found = compare_metrics(x, y, gold, **asked)
        for changed in (
            compare_metrics(8 * x - 3, y / 64, gold, **asked),
            compare_metrics(x, y, 5 * gold + 2, **asked),
        ):
            assert changed.pvalue == found.pvalue, asked
            assert changed.difference == pytest.approx(found.difference, abs=1e-12), asked


def test_as_given_keeps_the_scales():
    rng = np.random.default_rng(1)
    gold = rng.choice([-1.0, 0.0, 1.0], size=(1, 60))
    x, y = (np.where(rng.random((1, 60)) < share, gold, -1.0) for share in (0.7, 0.6))
    settings = {"level": "global", "coefficient": "kendall-b", "test": "perm-inputs"}
    found = compare_metrics(x, y, gold, scale="as given", **settings)
    assert found.scale == "as given"
    assert "scale:as given" in found.signature
    assert found.pvalue != compare_metrics(x, y, gold, **settings).pvalue


@pytest.mark.parametrize("test", TESTS)
def test_identical_metrics_do_not_differ(test):
    (x, _, _), gold = samples()
    for level, coefficient in (
        ("system", "pearson"),
        ("item", "kendall-b"),
        ("global", "spearman"),
    ):
        found = compare_metrics(
            x, x.copy(), gold, level=level, coefficient=coefficient, test=test, n_resamples=99
        )
        assert found.difference == 0
        assert found.pvalue == 1


@pytest.mark.parametrize("test", TESTS)
def test_constant_metrics_cannot_be_tested(test):
    (x, _, _), gold = samples()
    for level, coefficient in (
        ("system", "pearson"),
        ("item", "kendall-b"),
        ("global", "pearson"),
        ("system", "soft-pairwise-accuracy"),
    ):
        if not suits(test, coefficient):
            continue
        found = compare_metrics(
            x, np.full(x.shape, 0.1), gold, level=level, coefficient=coefficient, test=test,
            n_resamples=99,
        )  # fmt: skip
        assert math.isnan(found.difference)
        assert math.isnan(found.pvalue)
        assert math.isnan(found.ci_low)


@pytest.mark.parametrize("test", SWAPS)
def test_exchanges_that_leave_a_soft_accuracy_undefined_count_as_extreme(test):
    rng = np.random.default_rng(1)
    gold, x = rng.normal(size=(2, 3, 4))
    y = np.where([[True], [False], [False]], x, 0.7)
    x, y = np.where([[False], [True], [False]], y, x), np.where([[False], [False], [True]], y, 0.7)
    # After an exchange of the first system, x is constant.
    x[1:], y[0] = 0.7, 0.7
    y[2] = rng.normal(size=4)
    asked = {"level": "system", "coefficient": "soft-pairwise-accuracy", "scale": "as given"}
    request = metric_pairs.Request(
        "system", "soft-pairwise-accuracy", test, 99, 0, np.full(2, np.nan), "as given",
        0.95, False, 1, None,
    )  # fmt: skip
    part = metric_pairs.Part(
        np.stack([x, y]), gold, np.zeros(2), np.full(2, np.nan), np.array([0]), np.array([1])
    )
    plan = plan_swaps(test, 3, 4, n_resamples=99, seed=0, listing=False)
    kept = signs_of(cell_codes(plan.block(0), 3, 4)).reshape(256, 3, 4) > 0
    found = SoftSwaps(part, request).differences(plan.block(0))[0]
    for row in range(256):
        sides = np.where(kept[row], x, y), np.where(kept[row], y, x)
        is_constant = any(np.all(side == side[0]) for side in sides)
        assert math.isnan(found[row]) == is_constant
    if test == "perm-systems":
        assert np.isnan(found).any()
    assert 0 < compare_metrics(x, y, gold, test=test, n_resamples=99, **asked).pvalue <= 1


@pytest.mark.parametrize("test", BOOTSTRAPS)
def test_a_difference_without_spread_has_no_interval(test):
    gold = np.arange(5.0)[:, np.newaxis] + np.zeros(6)
    found = compare_metrics(
        gold**2, gold**3, gold, level="system", coefficient="kendall-b", test=test, n_resamples=99
    )
    assert (found.difference, found.pvalue) == (0, 1)
    assert np.isnan(found.ci).all()


@pytest.mark.parametrize("test", TESTS)
def test_missing_cells_are_as_good_as_left_out(test):
    (x, y, _), gold = samples((6, 15))
    settings = {"level": "item", "coefficient": "pearson", "test": test, "n_resamples": 99}
    whole = compare_metrics(x[:, :10], y[:, :10], gold[:, :10], **settings)
    x[:, 10:12], y[:, 12:14], gold[:, 14] = np.nan, np.nan, np.nan
    found = compare_metrics(x, y, gold, **settings)
    assert found.to_dict() == whole.to_dict()
    assert (found.n_systems, found.n_items, found.n_cells) == (6, 10, 60)


@pytest.mark.parametrize("test", TESTS)
def test_all_pairs_are_the_pairs(test):
    metrics, gold = samples((6, 12), noise=(0.5, 0.7, 1.0, 2.0), seed=5, missing=0.0)
    metrics[1, 2, 3] = metrics[3, :, 0] = gold[4, 4] = np.nan
    settings = {"level": "item", "coefficient": "kendall-b", "test": test, "n_resamples": 99}
    every = compare_all_metrics(metrics, gold, **settings)
    for i in range(4):
        value = correlation(metrics[i], gold, level="item", coefficient="kendall-b").value
        assert every.values[i] == value
        for j in range(4):
            if i == j:
                continue
            one = compare_metrics(metrics[i], metrics[j], gold, **settings)
            assert every.difference[i, j] == one.difference
            assert every.pvalue[i, j] == pytest.approx(one.pvalue, rel=1e-12)
            assert every.pvalue_floor[i, j] == one.pvalue_floor
            assert every.n_cells[i, j] == one.n_cells
            found = np.array([every.ci_low[i, j], every.ci_high[i, j]])
            np.testing.assert_allclose(found, one.ci, rtol=1e-12)
    upper = np.triu_indices(4, 1)
    expected = adjust(every.pvalue[upper], "holm")
    np.testing.assert_array_equal(every.pvalue_adjusted[upper], expected.pvalues_adjusted)
    assert every.n_tests == 6


def test_letters_join_what_cannot_be_told_apart():
    metrics, gold = samples((8, 60), noise=(0.5, 0.5, 3.0, 3.0), seed=1)
    found = compare_all_metrics(
        metrics, gold, level="global", coefficient="pearson", test="cell-swap", n_resamples=999
    )
    assert found.letters == ("a", "a", "b", "b")
    assert [set(group) for group in found.groups] == [{0, 1}, {2, 3}]
    assert found.different[0, 2]
    assert not found.different[0, 1]
    assert found.to_dict()["letters"] == ["a", "a", "b", "b"]
    assert "null" not in found.to_dict()


def test_few_metrics_are_no_error():
    metrics, gold = samples()
    for n in (0, 1):
        found = compare_all_metrics(
            metrics[:n], gold, level="item", coefficient="pearson", test="perm-both"
        )
        assert found.n_metrics == n
        assert found.n_tests == 0
        assert found.letters == ("a",) * n


@pytest.mark.parametrize("test", [*SWAPS, *BOOTSTRAPS])
def test_threads_and_chunks_change_nothing(test):
    metrics, gold = samples((12, 30), noise=(0.5, 0.7, 1.0, 2.0))
    for level, coefficient in (("system", "pearson"), ("item", "pearson"), ("item", "kendall-b")):
        found = [
            compare_all_metrics(
                metrics, gold, level=level, coefficient=coefficient, test=test, n_resamples=700,
                n_threads=threads,
            ).pvalue
            for threads in (1, 2)
        ]  # fmt: skip
        np.testing.assert_array_equal(*found)


def test_progress_reaches_the_end_and_can_cancel():
    metrics, gold = samples((12, 30))
    metrics[0, 0, 0] = np.nan
    told, main = [], threading.get_ident()

    def report(done, total):
        assert threading.get_ident() == main
        told.append(done / total)

    settings = {"level": "item", "coefficient": "kendall-b", "test": "cell-swap"}
    compare_all_metrics(metrics, gold, n_resamples=600, progress=report, **settings)
    assert told == sorted(told)
    assert told[-1] == 1

    def stop(done, total):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        compare_all_metrics(metrics, gold, progress=stop, **settings)


@given(st.integers(0, 10_000))
def test_rank_tests_ignore_order_preserving_changes_of_gold(seed):
    rng = np.random.default_rng(seed)
    shape = (int(rng.integers(3, 6)), int(rng.integers(1, 6)))
    gold = rng.integers(0, 4, size=shape).astype(float)
    x, y = rng.integers(0, 5, size=(2, *shape)).astype(float)
    test = SWAPS[int(rng.integers(4))]
    for coefficient in ("spearman", "kendall-b", "pairwise-accuracy"):
        settings = {"level": "item", "coefficient": coefficient, "test": test, "n_resamples": 49}
        pvalues = [
            compare_metrics(x, y, human, **settings).pvalue for human in (gold, np.exp(gold))
        ]
        assert pvalues[0] == pvalues[1] or np.isnan(pvalues).all()


def test_a_seed_is_repeatable_and_another_one_differs():
    (x, y, _), gold = samples((20, 30), noise=(1.0, 1.05, 1.0))
    settings = {"level": "global", "coefficient": "pearson", "test": "cell-swap"}
    first, again, other = (
        compare_metrics(x, y, gold, rng=rng, n_resamples=999, **settings).pvalue
        for rng in (1, 1, 2)
    )
    assert first == again != other
    assert abs(first - other) < 0.1


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"test": "perm"}, "`test` must be one of"),
        ({"level": "segment"}, "`level` must be one of"),
        ({"coefficient": "kendall"}, "`coefficient` must be one of"),
        ({"scale": "z"}, "`scale` must be one of"),
        ({"scale": "system means"}, "is for `level` 'system', got 'item'"),
        ({"alternative": "more"}, "`alternative` must be one of"),
        ({"n_resamples": 0}, "`n_resamples` must be at least 1"),
        ({"rng": -1}, "`rng` must not be negative"),
        ({"confidence_level": 1.0}, "`confidence_level` must lie"),
        ({"epsilon": 0.1}, "`epsilon` belongs to 'pairwise-accuracy'"),
        ({"groups": ["a"] * 3}, "`groups` must have a label for each of 20"),
        ({"n_threads": 0}, "`n_threads` must be at least 1"),
        ({"coefficient": "soft-pairwise-accuracy"}, "must be 'system'"),
        (
            {"test": "steiger", "groups": ["a", "b"] * 10},
            "takes items as independent",
        ),
    ],
)
def test_arguments_are_checked(change, message):
    (x, y, _), gold = samples()
    settings = {"level": "item", "coefficient": "pearson", "test": "perm-both"} | change
    with pytest.raises(ValueError, match=message):
        compare_metrics(x, y, gold, **settings)


def test_shapes_and_values_are_checked():
    metrics, gold = samples()
    settings = {"level": "item", "coefficient": "pearson", "test": "perm-both"}
    with pytest.raises(ValueError, match="`y` and `gold` must have the same systems"):
        compare_metrics(metrics[0], metrics[1, :, :3], gold, **settings)
    with pytest.raises(ValueError, match="`x` must be finite"):
        compare_metrics(metrics[0] + np.inf, metrics[1], gold, **settings)
    with pytest.raises(TypeError, match="`gold` must hold numbers"):
        compare_metrics(metrics[0], metrics[1], [["a"]], **settings)
    with pytest.raises(ValueError, match="`keep_null` is for tests by exchange"):
        compare_all_metrics(metrics, gold, keep_null=True, **(settings | {"test": "boot-both"}))
    with pytest.raises(ValueError, match=r"one per metric \(3\)"):
        compare_all_metrics(
            metrics, gold, epsilon=[0.1, 0.2], **(settings | {"coefficient": "pairwise-accuracy"})
        )


def test_a_single_item_exchanges_systems_whatever_the_name():
    (x, y, _), gold = samples((7, 1))
    found = [
        compare_metrics(
            x, y, gold, level=level, coefficient="pearson", test=test, scale="standardised"
        )
        for level in ("system", "item", "global")
        for test in ("perm-systems", "perm-both", "cell-swap")
    ]
    assert all(result.exact for result in found)
    assert {result.n_resamples for result in found} == {64}
    assert np.ptp([result.pvalue for result in found]) == 0
    alone = compare_metrics(x, y, gold, level="system", coefficient="pearson", test="perm-inputs")
    assert alone.pvalue == alone.pvalue_floor == 1


@pytest.mark.parametrize("test", SWAPS)
def test_soft_accuracy_is_recomputed_in_normal_approximation(test):
    (x, y, _), gold = samples((4, 7), seed=3)
    gold[1, 2] = np.nan
    settings = {"level": "system", "coefficient": "soft-pairwise-accuracy", "test": test}
    request = metric_pairs.Request(
        "system", "soft-pairwise-accuracy", test, 99, 0, np.full(2, np.nan), "standardised",
        0.95, False, 1, None,
    )  # fmt: skip
    both = np.where(np.isnan(gold), np.nan, np.stack([x, y]))
    part = metric_pairs.Part(
        both, gold, np.zeros(2), np.full(2, np.nan), np.array([0]), np.array([1])
    )
    exchange = SoftSwaps(part, request)
    plan = plan_swaps(test, 4, 7, n_resamples=99, seed=0, listing=False)
    kept = signs_of(cell_codes(plan.block(0), 4, 7)).reshape(256, 4, 7) > 0
    found = exchange.differences(plan.block(0))[0]
    scaled = [(side - np.nanmean(side)) / np.nanstd(side) for side in both]
    doubt = doubts(gold)

    def accuracy(values):
        apart = []
        for i in range(4):
            for j in range(i):
                d = values[i] - values[j]
                d = d[~np.isnan(d)]
                apart.append(abs(special.ndtr(-d.sum() / math.sqrt(d @ d)) - doubt[i, j]))
        return 1 - np.mean(apart)

    for row in range(20):
        first, second = np.where(kept[row], *scaled), np.where(~kept[row], *scaled)
        assert found[row] == pytest.approx(accuracy(first) - accuracy(second), abs=1e-12)
    assert exchange.observed[0] == pytest.approx(accuracy(scaled[0]) - accuracy(scaled[1]))
    result = compare_metrics(x, y, gold, n_resamples=99, **settings)
    assert 0 < result.pvalue <= 1


def test_an_exact_binomial_is_the_answer_where_each_unit_wins_or_loses():
    # One item per unit, two systems each: exchanging an item turns its sign, a fair coin.
    gold = np.tile([[0.0], [1.0]], 12)
    x = np.tile([[0.0], [1.0]], 12)
    y = x.copy()
    y[:, :9] = 1 - y[:, :9]
    found = compare_metrics(
        x, y, gold, level="item", coefficient="kendall-b", test="perm-inputs", scale="as given"
    )
    assert found.exact
    assert found.pvalue == pytest.approx(2 * stats.binom.pmf(9, 9, 0.5))


def test_the_larger_p_of_exchange_and_jackknife_counts():
    rng = np.random.default_rng(3)
    gold = rng.normal(size=(1, 40))
    errors = [rng.exponential(size=40) - 1, rng.normal(size=40), 0.8 * rng.normal(size=40)]
    metrics = gold + np.array(errors)[:, np.newaxis]
    how = {"level": "global", "coefficient": "pearson", "test": "perm-inputs", "n_resamples": 499}
    plain = compare_all_metrics(metrics, gold, **how)
    guarded = compare_all_metrics(metrics, gold, jackknife=True, **how)
    own = correlation_differences(metrics[:, 0], gold[0]).pvalue
    upper = np.triu_indices(3, 1)
    assert guarded.pvalue[upper] == pytest.approx(np.fmax(plain.pvalue, own)[upper])
    assert np.array_equal(guarded.raised[upper], (own > plain.pvalue)[upper])
    assert guarded.raised[upper].any()
    assert not plain.raised.any()
    groups = np.repeat(np.arange(8), 5)
    by_group = compare_all_metrics(metrics, gold, jackknife=True, groups=groups, **how)
    own = correlation_differences(metrics[:, 0], gold[0], codes=groups).pvalue
    assert np.all(by_group.pvalue[upper] >= own[upper])
    with pytest.raises(ValueError, match="`jackknife` is for"):
        compare_all_metrics(metrics, gold, jackknife=True, **how | {"coefficient": "spearman"})
