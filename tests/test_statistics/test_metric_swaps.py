"""Exchanges of two metrics against plain loops over cells and pairs."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from analysis.statistics.meta_evaluation import metric_pairs
from analysis.statistics.meta_evaluation.cells import LEVELS
from analysis.statistics.meta_evaluation.coefficients import KINDS
from analysis.statistics.meta_evaluation.comparison import compare_metrics
from analysis.statistics.meta_evaluation.exchange import exchanges_of
from analysis.statistics.meta_evaluation.levels import correlation
from analysis.statistics.meta_evaluation.metric_pairs import Request, compare_pairs
from analysis.statistics.meta_evaluation.scaling import (
    scale_of_means,
    standardised,
    standardised_for_ranks,
)
from analysis.statistics.meta_evaluation.swaps import SWAPS, cell_codes, plan_swaps
from analysis.statistics.resampling.plan import signs_of

TIE = 1e-9


def coefficient(kind, x, gold, halo):
    """Return a coefficient; `halo` is half the tie threshold of each entry."""
    n = len(x)
    if kind in ("pearson", "spearman"):
        if n < 2 or np.ptp(x) <= TIE or np.ptp(gold) <= TIE:
            return math.nan
        if kind == "spearman":
            x, gold = (
                np.array(
                    [sum(b < a - TIE for b in side) - sum(b > a + TIE for b in side) for a in side]
                )
                for side in (x, gold)
            )
        return float(np.corrcoef(x, gold)[0, 1])
    found = {(a, b): 0 for a in (-1, 0, 1) for b in (-1, 0, 1)}
    for s, t in itertools.combinations(range(n), 2):
        pair = []
        for d, room in ((x[s] - x[t], halo[s] + halo[t] + TIE), (gold[s] - gold[t], TIE)):
            pair.append(0 if abs(d) <= room else int(np.sign(d)))
        found[tuple(pair)] += 1
    right = found[1, 1] + found[-1, -1]
    net = right - found[1, -1] - found[-1, 1]
    total = n * (n - 1) / 2
    untied_x = total - found[0, 0] - found[0, 1] - found[0, -1]
    untied_gold = total - found[0, 0] - found[1, 0] - found[-1, 0]
    if kind == "pairwise-accuracy":
        return (right + found[0, 0]) / total if total else math.nan
    if not untied_x or not untied_gold:
        return math.nan
    if kind == "kendall-a":
        return net / total
    if kind == "kendall-b":
        return net / math.sqrt(untied_x * untied_gold)
    levels = min(len(np.unique(np.round(side, 8))) for side in (x, gold))
    return 2 * levels * net / (n * n * (levels - 1))


def at_level(level, kind, values, gold, halos):
    """Return the coefficient of a level; cells are where gold is."""
    present = ~np.isnan(gold)
    if level == "system":
        sides = [
            np.array([row[here].mean() for row, here in zip(side, present, strict=True)])
            for side in (values, gold, halos)
        ]
        return coefficient(kind, *sides)
    if level == "global":
        return coefficient(kind, values[present], gold[present], halos[present])
    sides = (values, gold, halos, present)
    if level == "item":
        sides = tuple(side.T for side in sides)
    found = [
        coefficient(kind, x[here], g[here], h[here]) for x, g, h, here in zip(*sides, strict=True)
    ]
    found = [value for value in found if not math.isnan(value)]
    return float(np.mean(found)) if found else math.nan


def difference(level, kind, x, y, gold, epsilons, kept, scale):
    """Return the difference of two coefficients after an exchange where `kept` is False."""
    present, scaled, halos = ~np.isnan(gold), [], []
    for side, epsilon in zip((x, y), epsilons, strict=True):
        middle, spread = (side[present].mean(), side[present].std())
        if scale == "system means":
            means = [row[here].mean() for row, here in zip(side, present, strict=True)]
            middle = np.mean(means)
            spread = np.median([abs(a - b) for a, b in itertools.combinations(means, 2)])
            spread = spread if spread > 1e-12 else np.std(means)
        if scale == "as given":
            middle, spread = 0.0, 1.0
        spread = spread or 1.0
        scaled.append((side - middle) / spread)
        halos.append(np.full(side.shape, (0.0 if math.isnan(epsilon) else epsilon) / spread / 2))
    first, second = (
        at_level(
            level,
            kind,
            np.where(mask, scaled[0], scaled[1]),
            gold,
            np.where(mask, halos[0], halos[1]),
        )
        for mask in (kept, ~kept)
    )
    return first - second


def every_exchange(test, shape):
    """Yield a mask of kept cells for every exchange there is."""
    n_systems, n_items = shape
    units = {
        "perm-systems": [(n_systems, 1)],
        "perm-inputs": [(1, n_items)],
        "perm-both": [(n_systems, 1), (1, n_items)],
        "cell-swap": [shape],
    }[test]
    lists = [itertools.product((False, True), repeat=math.prod(unit)) for unit in units]
    for drawn in itertools.product(*lists):
        kept = np.ones(shape, dtype=bool)
        for bits, unit in zip(drawn, units, strict=True):
            kept = kept ^ np.array(bits).reshape(unit)
        yield kept


def samples(shape, *, ties, missing=0.0, seed=0, n_metrics=2):
    rng = np.random.default_rng(seed)
    gold = rng.normal(size=shape)
    metrics = gold + np.array([0.6, 1.2, 2.0])[:n_metrics, None, None] * rng.normal(
        size=(n_metrics, *shape)
    )
    if ties:
        gold, metrics[0] = np.rint(gold), np.rint(metrics[0])
    if ties == "all":
        metrics = np.rint(metrics)
    gold[rng.random(shape) < missing] = np.nan
    return metrics, gold


def request_for(metrics, gold, level, kind, test, *, scale="standardised", epsilon=None, n=64):
    epsilons = metric_pairs.epsilons_of(metrics, gold, level, kind, epsilon)
    return Request(level, kind, test, n, 0, epsilons, scale, 0.95, False, 1, None)


def worst_error(metrics, gold, request, *, n_checked):
    """Return the largest distance of a replicated difference from the reference's."""
    parts = []

    def keep(part, asked):
        parts.append(part)
        n = part.left.size
        nothing = np.full(n, np.nan)
        return metric_pairs.Tested(nothing, nothing, nothing, nothing, 0.0, 0, False)

    original, metric_pairs._test = metric_pairs._test, keep
    try:
        compare_pairs(metrics, gold, request)
    finally:
        metric_pairs._test = original
    worst, seen = 0.0, 0
    for part in parts:
        shape = part.gold.shape
        plan = plan_swaps(request.test, *shape, n_resamples=256, seed=1, listing=False)
        block = plan.block(0)
        kept = signs_of(cell_codes(block, *shape)).reshape(256, *shape) > 0
        for pairs, exchange in exchanges_of(part, request):
            found = exchange.differences(block)
            for place, pair in enumerate(pairs):
                i, j = part.left[pair], part.right[pair]
                sides = np.nan_to_num(part.values[[i, j]])
                for mask, value in (
                    (np.ones(shape, dtype=bool), exchange.observed[place]),
                    *zip(kept[:n_checked], found[place], strict=False),
                ):
                    expected = difference(
                        request.level,
                        request.coefficient,
                        *sides,
                        part.gold,
                        part.epsilons[[i, j]],
                        mask,
                        request.scale,
                    )
                    assert math.isnan(expected) == math.isnan(value)
                    worst = max(worst, 0.0 if math.isnan(value) else abs(expected - value))
                    seen += 1
    assert seen
    return worst


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("level", LEVELS)
def test_differences_after_exchanges_are_those_of_plain_loops(level, kind):
    for ties, missing, scale in (
        ("", 0.0, "standardised"),
        ("some", 0.2, "standardised"),
        ("all", 0.1, "as given"),
        ("some", 0.1, "system means"),
    ):
        if scale == "system means" and level != "system":
            continue
        metrics, gold = samples((5, 6), ties=ties, missing=missing, seed=3)
        for test in SWAPS:
            request = request_for(metrics, gold, level, kind, test, scale=scale)
            assert worst_error(metrics, gold, request, n_checked=6) < 1e-9, (test, ties, scale)


LONG = [
    (test, kind, n_items)
    for kind, n_items in [*((kind, 70) for kind in KINDS), ("pearson", 140), ("kendall-b", 140)]
    for test in SWAPS
]


@pytest.mark.parametrize(
    ("test", "kind", "n_items"),
    # Every other cell, so that each test meets each kind or its neighbour.
    [
        pytest.param(*cell, marks=pytest.mark.full if (place + place // 4) % 2 else ())
        for place, cell in enumerate(LONG)
    ],
)
def test_long_rows_too(n_items, kind, test):
    for level, ties in (("per-system", ""), ("per-system", "some"), ("global", "all")):
        metrics, gold = samples((2, n_items), ties=ties, missing=0.05, seed=4)
        request = request_for(metrics, gold, level, kind, test)
        assert worst_error(metrics, gold, request, n_checked=2) < 1e-9


@given(st.integers(0, 2**32 - 1), st.sampled_from(LEVELS), st.sampled_from(sorted(KINDS)))
def test_batched_differences_are_those_of_the_correlations(seed, level, kind):
    rng = np.random.default_rng(seed)
    shape = (int(rng.integers(4, 9)), int(rng.integers(3, 9)))
    gold = np.rint(2 * rng.normal(size=shape))
    metrics = gold + rng.normal(size=(2, *shape))
    gold[rng.random(shape) < 0.1] = np.nan
    present = ~np.isnan(gold)
    metrics[:, ~present] = np.nan
    test = SWAPS[int(rng.integers(4))]
    epsilon = 0.0 if kind == "pairwise-accuracy" else None
    request = request_for(metrics, gold, level, kind, test, epsilon=epsilon)
    part = metric_pairs.Part(
        metrics, gold, np.zeros(2), request.epsilons, np.array([0]), np.array([1])
    )
    block = plan_swaps(test, *shape, n_resamples=256, seed=seed, listing=False).block(0)
    kept = signs_of(cell_codes(block, *shape)).reshape(256, *shape) > 0
    z = standardised(metrics, "standardised")
    ((_, exchange),) = exchanges_of(part, request)
    found = exchange.differences(block)[0]
    for row in range(0, 256, 32):
        first, second = (
            correlation(values, gold, level=level, coefficient=kind, epsilon=epsilon).value
            for values in (np.where(kept[row], *z), np.where(kept[row], *z[::-1]))
        )
        np.testing.assert_allclose(found[row], first - second, rtol=0, atol=1e-12)


@pytest.mark.parametrize("level", LEVELS)
def test_given_thresholds_move_with_their_values(level):
    metrics, gold = samples((5, 6), ties="", seed=5)
    gold = np.rint(gold)
    for test in SWAPS:
        request = request_for(metrics, gold, level, "pairwise-accuracy", test, epsilon=[0.2, 0.7])
        assert worst_error(metrics, gold, request, n_checked=6) < 1e-9


@pytest.mark.parametrize("test", SWAPS)
@pytest.mark.parametrize(
    ("level", "kind"),
    [
        ("system", "pearson"),
        ("item", "kendall-b"),
        ("global", "pearson"),
        ("item", "pairwise-accuracy"),
        ("per-system", "spearman"),
    ],
)
def test_pvalues_count_every_exchange(level, kind, test):
    (x, y), gold = samples((3, 4), ties="some", seed=6)
    if test == "cell-swap":
        x, y, gold = x[:, :3], y[:, :3], gold[:, :3]
    found = compare_metrics(x, y, gold, level=level, coefficient=kind, test=test, epsilon=None)
    assert found.exact
    assert found.seed is None
    one_sided = {
        side: compare_metrics(
            x, y, gold, level=level, coefficient=kind, test=test, alternative=side
        ).pvalue
        for side in ("greater", "less")
    }
    every = np.array(
        [
            difference(level, kind, x, y, gold, found.epsilons, kept, found.scale)
            for kept in every_exchange(test, gold.shape)
        ]
    )
    observed = found.difference
    assert found.pvalue == pytest.approx(np.mean(~(np.abs(every) < abs(observed) - 1e-9)))
    assert one_sided["greater"] == pytest.approx(np.mean(~(every < observed - 1e-9)))
    assert one_sided["less"] == pytest.approx(np.mean(~(every > observed + 1e-9)))


def shuffled(values, rng):
    return rng.permutation(values.reshape(-1)).reshape(values.shape)


@pytest.mark.parametrize("test", SWAPS)
@pytest.mark.parametrize(
    ("level", "kind"),
    [
        ("item", "kendall-b"),
        ("item", "pairwise-accuracy"),
        ("per-system", "kendall-c"),
        ("global", "spearman"),
        ("global", "kendall-a"),
        ("global", "kendall-b"),
    ],
)
def test_equal_values_of_two_metrics_stay_equal_once_standardised(level, kind, test):
    # Two metrics with the same values in other places, or shifted and stretched: standardising is
    # one map for both, or undoes the change, so that it must not matter.
    rng = np.random.default_rng(2)
    settings = {"level": level, "coefficient": kind, "test": test, "n_resamples": 255}
    if kind == "pairwise-accuracy":
        settings["epsilon"] = 0.0
    for size in (2, 5):
        for factor, shift in ((1, 0), (1 / 7, 0.3), (100, -7.1), (0.1, 1000.1)):
            x = rng.integers(0, size, (5, 8)) + 0.3
            y, gold = shuffled(x, rng), rng.integers(1, 6, x.shape)
            expected = compare_metrics(x, y, gold, scale="as given", **settings)
            found = compare_metrics(x, factor * y + shift, gold, scale="standardised", **settings)
            assert found.pvalue == expected.pvalue


def test_only_rounding_is_taken_for_equality():
    # Values of one metric that lie closer than rounding of the other stay apart.
    x = np.array([[0.0, 1e-14, 2e-14, 1.0]])
    y = np.array([[0.0, 1.0, 1.0, 1e-14]])
    scaled = standardised_for_ranks(np.stack([x, y]), "standardised")
    assert len(np.unique(scaled[0])) == 4
    assert len(np.unique(scaled[1])) == 3
    rng = np.random.default_rng(0)
    values = rng.normal(size=(3, 4, 50))
    values[:, 1, 7] = np.nan
    np.testing.assert_array_equal(
        standardised_for_ranks(values, "standardised"), standardised(values, "standardised")
    )


def test_system_means_are_on_one_scale_where_systems_are_exchanged():
    rng = np.random.default_rng(3)
    truth = rng.normal(size=(7, 1))
    inner = rng.normal(size=(3, 7, 20))
    inner -= inner.mean(axis=2, keepdims=True)
    means = truth + np.array([0.2, 0.8])[:, None, None] * rng.normal(size=(2, 7, 1))
    settings = {"level": "system", "coefficient": "pearson", "test": "perm-systems"}
    gold = truth + inner[2]
    pvalues = [
        compare_metrics(means[0] + a * inner[0], means[1] + b * inner[1], gold, **settings)
        for a, b in ((0, 0), (0.1, 5), (5, 0.1), (3, 3))
    ]
    # The exchange moves means alone: what lies within systems has no say.
    assert np.ptp([found.pvalue for found in pvalues]) == 0
    assert {found.scale for found in pvalues} == {"system means"}
    assert "scale:system means" in pvalues[0].signature
    cells = compare_metrics(
        means[0] + 5 * inner[0], means[1] + 0.1 * inner[1], gold, scale="standardised", **settings
    )
    assert cells.pvalue > 2 * pvalues[0].pvalue
    for level, test in (("system", "perm-inputs"), ("system", "perm-both"), ("item", "perm-both")):
        found = compare_metrics(
            means[0] + inner[0], means[1] + inner[1], gold, level=level, coefficient="pearson",
            test=test, n_resamples=9,
        )  # fmt: skip
        assert found.scale == "standardised"


def test_where_most_systems_tie_the_deviation_is_the_scale():
    means = np.array([1.0, 1, 1, 1, 3])
    assert scale_of_means(means) == pytest.approx((1.4, 0.8))
    assert scale_of_means(means + np.arange(5) / 8) == pytest.approx((1.65, 0.3125))
    assert scale_of_means(np.full(4, 0.1))[1] < 1e-15
    gold = np.arange(6.0)[:, np.newaxis] + np.zeros(4)
    x, y = np.zeros((2, 6, 4))
    x[5], y[4] = 2.0, 5.0
    found = compare_metrics(x, y, gold, level="system", coefficient="pearson", test="perm-systems")
    same = compare_metrics(
        x, y, gold, level="system", coefficient="pearson", test="perm-systems",
        scale="standardised",
    )  # fmt: skip
    assert found.pvalue == same.pvalue


def test_equal_means_are_on_no_scale():
    rng = np.random.default_rng(4)
    x, gold = rng.normal(size=(2, 5, 6))
    same_means = np.stack([rng.permutation(6) for _ in range(5)]) / 7
    assert not standardised(same_means[np.newaxis], "system means").any()
    for kind in ("pearson", "kendall-b", "pairwise-accuracy"):
        found = compare_metrics(
            x, same_means, gold, level="system", coefficient=kind, test="perm-systems"
        )
        assert math.isnan(found.pvalue) == (kind != "pairwise-accuracy")


@pytest.mark.parametrize("test", SWAPS)
def test_drawn_exchanges_give_the_same_pvalue_but_for_chance(test):
    (x, y), gold = samples((4, 3), ties="", seed=7)
    settings = {"level": "item", "coefficient": "pearson", "test": test}
    exact = compare_metrics(x, y, gold, **settings)
    assert exact.exact
    both = np.stack([x, y])
    request = request_for(both, gold, "item", "pearson", test, n=9_999)
    drawn = compare_pairs(both, gold, request._replace(keep_null=True))
    hits = round(drawn.pvalue("two-sided")[0] * 10_000) - 1
    low, high = stats.binom.ppf([1e-6, 1 - 1e-6], 9_999, exact.pvalue)
    assert low <= hits <= high


@pytest.mark.parametrize("kind", SWAPS)
def test_listing_has_every_exchange_or_its_opposite_once(kind):
    shape = (3, 2)
    plan = plan_swaps(kind, *shape, n_resamples=99, seed=0)
    assert plan.exact
    signs = signs_of(cell_codes(plan.block(0), *shape))[: plan.n_replicates]
    listed = {tuple(row) for row in signs.astype(int)}
    opposite = {tuple(-np.array(row)) for row in listed}
    assert len(listed) == plan.n_replicates
    assert not listed & opposite
    every = {tuple((2 * kept.reshape(-1) - 1).tolist()) for kept in every_exchange(kind, shape)}
    assert listed | opposite == every


def test_listing_goes_on_over_blocks():
    plan = plan_swaps("perm-systems", 11, 5, n_resamples=99, seed=0)
    assert plan.n_replicates == 1024
    rows = np.concatenate([signs_of(plan.block(block).rows) for block in range(4)])
    assert len(np.unique(rows, axis=0)) == 1024
    assert np.all(rows[:, -1] == 1)
    assert not plan_swaps("perm-systems", 17, 5, n_resamples=99, seed=0).exact


@pytest.mark.parametrize("kind", SWAPS)
def test_drawn_signs_are_fair_and_of_the_right_shape(kind):
    shape = (20, 30)
    plan = plan_swaps(kind, *shape, n_resamples=9_999, seed=3)
    assert not plan.exact
    signs = np.concatenate(
        [signs_of(cell_codes(plan.block(b), *shape)).reshape(256, *shape) for b in range(8)]
    )
    assert np.abs(signs.mean(axis=0)).max() < 6 / math.sqrt(len(signs))
    rows, columns = signs[:, :, 0], signs[:, 0, :]
    product = rows[:, :, None] * columns[:, None, :] * signs[:, :1, :1]
    assert np.array_equal(product, signs) == (kind != "cell-swap")
    assert np.all(rows == rows[:, :1]) == (kind == "perm-inputs")
    assert np.all(columns == columns[:, :1]) == (kind == "perm-systems")


@pytest.mark.parametrize("kind", SWAPS)
def test_groups_of_items_are_exchanged_together(kind):
    codes = np.array([0, 1, 1, 0, 2])
    plan = plan_swaps(kind, 9, 5, n_resamples=99, seed=0, listing=False, codes=codes)
    signs = signs_of(cell_codes(plan.block(0), 9, 5)).reshape(256, 9, 5)
    assert np.array_equal(signs[:, :, 1], signs[:, :, 2])
    assert np.array_equal(signs[:, :, 0], signs[:, :, 3])
    assert np.array_equal(signs[:, :, 0], signs[:, :, 1]) == (kind == "perm-systems")
    assert plan.n_groups == 3
