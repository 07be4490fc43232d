import math
import warnings

import numpy as np
import pytest
import sacrebleu
from scipy import stats

from analysis.statistics.aggregate import AGGREGATIONS, aggregate_items
from analysis.statistics.intervals.bootstrap import BOOTSTRAP_INTERVALS, bootstrap_interval
from analysis.statistics.paired.tests import paired_test
from analysis.statistics.resampling.metrics import resampled_metric
from analysis.statistics.resampling.plan import count_block
from analysis.statistics.results import DegenerateDataWarning
from tests.test_statistics.pairs import bootstrap, signflip

ALTERNATIVES = ("two-sided", "greater", "less")
SMOOTH = tuple(name for name in AGGREGATIONS if name not in ("median", "spearman"))


def scores(aggregation, n, seed=0):
    """Return two systems whose second is a little worse on the same items."""
    rng = np.random.default_rng(seed)
    if aggregation in ("mean", "median"):
        base = rng.normal(size=n)
        return (base + rng.normal(0.2, 1, (2, n)) * [[1], [1.2]])[..., np.newaxis]
    if aggregation in ("pearson", "spearman"):
        gold = np.rint(3 * rng.normal(size=n))
        return np.stack([np.stack([gold + sd * rng.normal(size=n), gold], axis=1) for sd in (2, 3)])
    if aggregation == "ratio":
        total = rng.integers(1, 30, n)
        return np.stack(
            [np.stack([rng.binomial(total, p), total], axis=1) for p in (0.7, 0.65)]
        ).astype(float)
    if aggregation == "f1":
        return rng.poisson([[[5, 1, 2]], [[4, 1, 2]]], (2, n, 3)).astype(float)
    metric = sacrebleu.BLEU() if aggregation == "bleu" else sacrebleu.CHRF()
    words = [f"word{i}" for i in range(13)]
    references = [" ".join(rng.choice(words, rng.integers(5, 15))) for _ in range(n)]
    systems = []
    for share in (0.85, 0.8):
        outputs = [
            " ".join(w if rng.random() < share else str(rng.choice(words)) for w in text.split())
            for text in references
        ]
        systems.append(metric._extract_corpus_statistics(outputs, [references]))
    return np.array(systems, dtype=float)


def expand(values, counts):
    return np.repeat(values, counts.astype(int), axis=0)


@pytest.mark.parametrize("aggregation", AGGREGATIONS)
@pytest.mark.parametrize("grouped", [False, True])
def test_resampled_metrics_equal_metrics_of_the_items_drawn(aggregation, grouped):
    a, b = scores(aggregation, 30)
    codes = np.arange(30) // 4 if grouped else None
    metric = resampled_metric((a, b), aggregation, codes)
    counts = count_block(0, 0, metric.n_units, np.float64)[:20]
    values = metric.values(counts)
    for count, value in zip(counts, values, strict=True):
        of_items = count[codes] if grouped else count
        expected = aggregate_items(expand(a, of_items), aggregation)
        expected -= aggregate_items(expand(b, of_items), aggregation)
        assert value == pytest.approx(expected, rel=1e-9, abs=1e-12)
    ones = np.ones((1, metric.n_units))
    whole = aggregate_items(a, aggregation) - aggregate_items(b, aggregation)
    assert metric.values(ones)[0] == pytest.approx(whole, rel=1e-9)
    without_first = np.ones(metric.n_units)
    without_first[0] = 0
    kept = without_first[codes] if grouped else without_first
    left_out = aggregate_items(expand(a, kept), aggregation)
    left_out -= aggregate_items(expand(b, kept), aggregation)
    assert metric.leave_one_out()[0] == pytest.approx(left_out, rel=1e-9, abs=1e-12)
    assert metric.leave_one_out().shape == (metric.n_units,)


@pytest.mark.parametrize("alternative", ALTERNATIVES)
@pytest.mark.parametrize("aggregation", ["mean", "ratio", "median"])
def test_shift_method_by_hand(aggregation, alternative):
    a, b = scores(aggregation, 25, 1)
    counts = np.concatenate([count_block(5, block, 25, np.float64) for block in (0, 1)])[:400]
    # The order in which items are numbered is the test's own: any fixed order is as good, so only
    # the distribution can be compared.
    drawn = np.array(
        [
            aggregate_items(expand(a, c), aggregation) - aggregate_items(expand(b, c), aggregation)
            for c in counts
        ]
    )
    observed = aggregate_items(a, aggregation) - aggregate_items(b, aggregation)
    moved = drawn - observed
    extreme = {
        "two-sided": np.abs(moved) >= abs(observed) - 1e-12,
        "greater": moved >= observed - 1e-12,
        "less": moved <= observed + 1e-12,
    }[alternative]
    expected = (np.count_nonzero(extreme) + 1) / 401
    result = bootstrap(
        a, b, aggregation=aggregation, alternative=alternative, n_resamples=9_999, rng=5
    )
    error = math.sqrt(max(expected, 0.01) * (1 - min(expected, 0.99)) / 400)
    assert abs(result.pvalue - expected) < 5 * error
    assert result.pvalue * 10_000 == pytest.approx(round(result.pvalue * 10_000))


@pytest.mark.parametrize("aggregation", AGGREGATIONS)
def test_bootstrap_and_signflip_roughly_agree(aggregation):
    a, b = scores(aggregation, 200, 2)
    drawn = bootstrap(a, b, aggregation=aggregation, n_resamples=1_999)
    flipped = signflip(a, b, aggregation=aggregation, n_resamples=1_999)
    assert drawn.difference == flipped.difference
    low, high = sorted((drawn.pvalue, flipped.pvalue))
    assert high < 3 * low + 0.15


@pytest.mark.parametrize("aggregation", AGGREGATIONS)
@pytest.mark.parametrize("alternative", ALTERNATIVES)
def test_identical_systems_give_one(aggregation, alternative):
    a, _ = scores(aggregation, 20)
    result = bootstrap(a, a, aggregation=aggregation, alternative=alternative, n_resamples=99)
    assert (result.pvalue, result.difference, result.direction) == (1, 0, 0)


@pytest.mark.parametrize("aggregation", AGGREGATIONS)
def test_neither_order_nor_names_of_systems_matter(aggregation):
    a, b = scores(aggregation, 40)
    options = {"aggregation": aggregation, "n_resamples": 300}
    expected = bootstrap(a, b, **options)
    order = np.random.default_rng(0).permutation(40)
    # Draws belong to the place of an item: in another order, five standard errors of two p-values.
    p, moved = expected.pvalue, bootstrap(a[order], b[order], **options)
    assert abs(moved.pvalue - p) < 5 * math.sqrt(2 * p * (1 - p) / 300)
    assert moved.difference == pytest.approx(expected.difference, rel=1e-12)
    assert bootstrap(b, a, **options).pvalue == expected.pvalue
    for method in ("percentile", "basic", "bca"):
        interval = bootstrap_interval(a, b, method=method, **options)
        assert bootstrap_interval(a[order], b[order], method=method, **options) == interval
        swapped = bootstrap_interval(b, a, method=method, **options)
        assert (-swapped.high, -swapped.low) == pytest.approx(interval[:2], rel=1e-12)


def test_more_resamples_extend_the_same_sequence():
    a, b = scores("mean", 50)
    counts = [bootstrap(a, b, n_resamples=m).pvalue * (m + 1) - 1 for m in (256, 300, 512)]
    assert counts == sorted(counts)
    assert bootstrap(a, b, rng=1).pvalue != bootstrap(a, b, rng=0).pvalue
    result = bootstrap(a, b, n_resamples=300, rng=None)
    assert bootstrap(a, b, n_resamples=300, rng=result.seed).pvalue == result.pvalue
    assert f"m:300|seed:{result.seed}" in result.signature


def test_a_known_value_stays():
    # A change here means that stored results can no longer be repeated: raise METHOD_VERSION.
    a, b = np.random.RandomState(0).random_sample((2, 100))
    assert bootstrap(a, b + 0.05, n_resamples=999).pvalue == 0.015


def test_ties_with_the_observed_value_count():
    # Decimals whose sums differ in the last bit: the shifted mean is often the observed one.
    a = np.array([0.3, 0.8, 0.1, 0.6] * 5)
    b = np.array([0.2, 0.7, 0.2, 0.7] * 5)
    assert bootstrap(a, b).pvalue == 1
    whole = bootstrap(np.rint(10 * a) + 3, np.rint(10 * b), delta=3.5).pvalue
    assert bootstrap(a + 0.3, b, delta=0.35).pvalue == whole


@pytest.mark.parametrize("n", [1, 2, 30])
def test_a_constant_difference_has_no_spread(n):
    a = np.arange(n) / 7
    with pytest.warns(DegenerateDataWarning, match="Every resample gives 1 of 1 pairs the same"):
        result = bootstrap(a + 0.5, a)
    assert math.isnan(result.pvalue)
    assert result.pvalue_floor is None
    assert bootstrap(a + 0.5, a, delta=0.5).pvalue == 1
    with pytest.warns(DegenerateDataWarning, match="no spread to work with"):
        assert math.isnan(bootstrap(a, a, delta=0.5).pvalue)


@pytest.mark.parametrize("test", ["bootstrap", "bootstrap-percentile"])
def test_a_constant_metric_is_compared_with_delta(test):
    a, b = np.array([[[5.0, 1, 2]] * 20, [[4.0, 1, 2]] * 20])
    difference = aggregate_items(a, "f1") - aggregate_items(b, "f1")
    options = {"aggregation": "f1", "test": test, "delta": difference}
    assert paired_test(a, b, **options).pvalue == 1
    with pytest.warns(DegenerateDataWarning, match="no spread to work with"):
        assert math.isnan(paired_test(a, a, **options).pvalue)


def test_undefined_resamples_count_as_extreme():
    a = np.array([[1.0, 1.0], [1.0, 2.0], [0.0, 0.0]])
    b = np.array([[0.0, 1.0], [1.0, 2.0], [0.0, 0.0]])
    result = bootstrap(a, b, aggregation="ratio")
    # Extreme: without the first item, without the second, and 1 of 27 without either.
    assert result.pvalue == pytest.approx(15 / 27, abs=0.015)
    nothing = bootstrap(0 * a, b, aggregation="ratio")
    assert math.isnan(nothing.pvalue)
    interval = bootstrap_interval(a, b, aggregation="ratio", method="percentile")
    assert interval[:2] == (0, 1)


def test_the_median_of_differences():
    a, b = scores("mean", 61)
    result = paired_test(a, b, test="bootstrap-median")
    assert result.statistic == np.median(a - b)
    assert result.difference == pytest.approx(np.mean(a - b))
    assert result.statistic_name == "median difference"
    assert "median difference of items is zero" in result.tests_that
    one_system = bootstrap_interval(a - b, aggregation="median", method="percentile")
    assert bootstrap_interval(a, b, statistic="median", method="percentile")[:2] == pytest.approx(
        one_system[:2], rel=1e-9
    )


@pytest.mark.parametrize("method", ["percentile", "basic", "BCa"])
@pytest.mark.parametrize("statistic", ["mean", "median", "pearson", "spearman"])
def test_intervals_equal_scipy(method, statistic):
    a, b = scores(statistic, 60, 4)
    n_resamples = 999 if statistic in ("pearson", "spearman") else 9_999
    if statistic in ("mean", "median"):
        data = ((a - b)[:, 0],)
        ours = bootstrap_interval(
            a,
            b,
            statistic="median" if statistic == "median" else "metric",
            method=method.lower(),
        )
        function = np.mean if statistic == "mean" else np.median
    else:
        data = (a[:, 0], a[:, 1])
        ours = bootstrap_interval(a, aggregation=statistic, method=method.lower())
        correlate = stats.pearsonr if statistic == "pearson" else stats.spearmanr

        def function(x, y):
            return correlate(x, y).statistic

    theirs = stats.bootstrap(
        data,
        function,
        paired=True,
        vectorized=statistic in ("mean", "median"),
        method=method,
        n_resamples=n_resamples,
        rng=0,
    )
    tolerance = 0.12 * (theirs.confidence_interval.high - theirs.confidence_interval.low)
    assert ours[:2] == pytest.approx(tuple(theirs.confidence_interval), abs=tolerance)


def test_bca_reads_half_alpha_on_each_side():
    # NLPStatTest reads alpha: its 95 % interval is a 90 % one.
    x = np.random.default_rng(0).normal(size=400)
    bca = bootstrap_interval(x, method="bca")
    t = stats.ttest_1samp(x, 0).confidence_interval()
    assert bca[:2] == pytest.approx((t.low, t.high), abs=0.006)


def test_studentized_interval_of_a_skewed_mean():
    rng = np.random.default_rng(1)
    x = rng.exponential(size=30)
    low, high, method, level = bootstrap_interval(x, method="studentized")
    symmetric = stats.ttest_1samp(x, 0).confidence_interval()
    # Long tail to the right: the interval reaches further up than t, and less far down.
    assert low > symmetric.low
    assert high > symmetric.high
    assert (method, level) == ("studentized", 0.95)


@pytest.mark.parametrize("aggregation", SMOOTH)
def test_linearised_standard_errors(aggregation):
    a, b = scores(aggregation, 150, 5)
    for codes in (None, np.arange(150) // 3):
        metric = resampled_metric((a, b), aggregation, codes)
        error = metric.standard_errors(np.ones((1, metric.n_units)), 0, 0)[0]
        n = metric.n_units
        jackknife = math.sqrt((n - 1) ** 2 / n * np.var(metric.leave_one_out(), ddof=1))
        assert error == pytest.approx(jackknife, rel=0.05)
    if aggregation == "mean":
        plain = resampled_metric((a, b), aggregation).standard_errors(np.ones((1, 150)), 0, 0)[0]
        assert plain == pytest.approx(stats.sem((a - b)[:, 0]), rel=1e-8)


@pytest.mark.parametrize("aggregation", ["median", "spearman"])
def test_studentized_intervals_where_nothing_is_smooth(aggregation):
    a, b = scores(aggregation, 40, 6)
    options = {"aggregation": aggregation, "n_resamples": 400}
    first = bootstrap_interval(a, b, method="studentized", **options)
    assert bootstrap_interval(a, b, method="studentized", **options) == first
    percentile = bootstrap_interval(a, b, method="percentile", **options)
    assert first.low < percentile.high
    assert first.high > percentile.low
    assert 0.5 < (first.high - first.low) / (percentile.high - percentile.low) < 2


@pytest.mark.parametrize("method", BOOTSTRAP_INTERVALS)
def test_intervals_of_groups_are_wider(method):
    rng = np.random.default_rng(7)
    shared = np.repeat(rng.normal(size=40), 5)
    a = shared + 0.3 * rng.normal(size=200)
    groups = np.repeat(np.arange(40), 5)
    alone = bootstrap_interval(a, method=method, n_resamples=999)
    grouped = bootstrap_interval(a, groups=groups, method=method, n_resamples=999)
    assert (grouped.high - grouped.low) > 1.5 * (alone.high - alone.low)


@pytest.mark.parametrize("method", BOOTSTRAP_INTERVALS)
def test_intervals_without_answer_and_without_width(method):
    for a, b in (([], []), ([1.0], [0.5]), ([np.nan, 1, 2], [0, np.nan, np.nan])):
        interval = bootstrap_interval(a, b, method=method)
        assert math.isnan(interval.low)
        assert math.isnan(interval.high)
    one_group = bootstrap_interval([1, 2, 3], [0, 0, 1], groups=["x"] * 3, method=method)
    assert math.isnan(one_group.low)
    same = bootstrap_interval([1, 2, 3], [1, 2, 3], method=method)
    assert same[:2] == (0, 0)
    assert bootstrap_interval([2, 3, 4], [1, 2, 3], method=method)[:2] == pytest.approx((1, 1))


def test_wrong_arguments():
    with pytest.raises(ValueError, match="`method` must be one of 'percentile', 'basic', 'bca'"):
        bootstrap_interval([1, 2], method="t")
    with pytest.raises(ValueError, match="`confidence_level` must lie strictly between 0 and 1"):
        bootstrap_interval([1, 2], confidence_level=95)
    with pytest.raises(ValueError, match="`statistic` must be one of 'metric', 'median'"):
        bootstrap_interval([1, 2], statistic="mean")
    with pytest.raises(ValueError, match="`statistic` 'median' takes one score per item"):
        bootstrap_interval([[1, 2]], aggregation="ratio", statistic="median")
    with pytest.raises(ValueError, match="`a` must not be negative in component 0"):
        bootstrap([[-1] * 10], [[1] * 10], aggregation="bleu")
    with pytest.raises(ValueError, match=r"`a` must have shape \(n_items, 18\)"):
        bootstrap([[1] * 10], [[1] * 10], aggregation="chrf")


def test_no_warnings_from_arithmetic():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for aggregation in AGGREGATIONS:
            a, b = scores(aggregation, 12)
            for method in BOOTSTRAP_INTERVALS:
                bootstrap_interval(a, b, aggregation=aggregation, method=method, n_resamples=50)
            bootstrap(a, b, aggregation=aggregation, n_resamples=50)
            signflip(a, b, aggregation=aggregation, n_resamples=50)
