"""Bootstrap and exchange tests of all pairs, against plain computations from the same plan."""

import itertools

import numpy as np
import pytest
from sacrebleu import significance
from sacrebleu.metrics import BLEU, CHRF

from analysis.statistics.aggregate import aggregate_items
from analysis.statistics.all_pairs import bootstrap as bootstrap_module
from analysis.statistics.all_pairs import corpus as corpus_module
from analysis.statistics.all_pairs import engine
from analysis.statistics.all_pairs.bootstrap import bootstrap_all_pairs
from analysis.statistics.all_pairs.complete_sets import complete_sets, count_sets, triangle
from analysis.statistics.all_pairs.corpus import exchange_all_pairs
from analysis.statistics.all_pairs.pairwise import pairwise
from analysis.statistics.all_pairs.result import PairMethod
from analysis.statistics.item_groups import as_group_codes, renumber
from analysis.statistics.paired.tests import paired_test
from analysis.statistics.resampling.plan import count_block
from analysis.statistics.results import DegenerateDataWarning
from tests.test_statistics.pairs import bootstrap

AGGREGATIONS = ("mean", "median", "ratio", "f1", "bleu", "chrf", "pearson", "spearman")
N, B = 30, 299
GROUPS = np.repeat(np.arange(11), 3)[:N]
GROUPS[-1] = 3


def components(aggregation, n_systems=3, n_items=N):
    rng = np.random.default_rng(7)
    shape = (n_systems, n_items)
    if aggregation in ("mean", "median"):
        return rng.integers(0, 11, (*shape, 1)) / 10
    if aggregation == "ratio":
        words = rng.integers(1, 9, shape)
        return np.stack([rng.binomial(words, 0.5), words], axis=2).astype(float)
    if aggregation == "f1":
        return rng.integers(0, 5, (*shape, 3)).astype(float)
    if aggregation in ("pearson", "spearman"):
        gold = rng.normal(size=n_items)
        noise = np.array([1.0, 1.2, 1.5])[:n_systems, None] * rng.normal(size=shape)
        return np.stack([gold + noise, np.broadcast_to(gold, shape)], axis=2)
    if aggregation == "bleu":
        length = rng.integers(5, 20, (*shape, 1))
        total = length - np.arange(4)
        matches = rng.binomial(total, [0.6, 0.4, 0.3, 0.2])
        return np.concatenate(
            [length, length + rng.integers(-1, 2, (*shape, 1)), matches, total], axis=2
        ).astype(float)
    system = rng.integers(20, 40, (*shape, 6))
    reference = system + rng.integers(-2, 3, (*shape, 6))
    matching = rng.binomial(np.minimum(system, reference), 0.5)
    return np.stack([system, reference, matching], axis=3).reshape(*shape, 18).astype(float)


def replicated(values, aggregation, groups, seed):
    """Return the differences of two systems, each replicate written out item by item."""
    values = values[:, ~np.isnan(values).any(axis=(0, 2))]
    units = np.arange(values.shape[1]) if groups is None else groups
    differences = []
    for block in range(-(-B // 256)):
        for counts in count_block(seed, block, int(units.max()) + 1, np.float64):
            drawn = np.repeat(np.arange(values.shape[1]), counts[units].astype(int))
            a, b = (aggregate_items(system[drawn], aggregation) for system in values)
            differences.append(a - b)
    a, b = (aggregate_items(system, aggregation) for system in values)
    return np.array(differences[:B]), a - b


@pytest.mark.parametrize(
    ("aggregation", "missing", "grouped"),
    # Every other cell: neighbours meet what this aggregation does not.
    [
        (aggregation, missing, missing == bool(place % 2))
        for place, aggregation in enumerate(AGGREGATIONS)
        for missing in (False, True)
    ],
)
def test_bootstrap_is_that_of_the_definition(aggregation, missing, grouped):
    values = components(aggregation)
    if missing:
        values[0, 3:6] = values[1, 20] = np.nan
    codes = GROUPS if grouped else None
    found = bootstrap_all_pairs(values, aggregation, codes=codes, n_resamples=B, seed=3)
    for i, j in itertools.combinations(range(3), 2):
        complete = ~np.isnan(values[[i, j]]).any(axis=(0, 2))
        groups = renumber(codes[complete]) if grouped else None
        drawn, observed = replicated(values[[i, j]], aggregation, groups, seed=3)
        count = np.count_nonzero(np.abs(drawn - observed) >= abs(observed) - 1e-12)
        assert found.pvalues.pvalue[i, j] == pytest.approx((count + 1) / (B + 1), abs=1e-12)
        # The replicates at which a test by percentiles is decided.
        rank = int(0.025 * (B + 1))
        low, high = np.sort(drawn)[[rank - 1, -rank]]
        assert found.low[i, j] == pytest.approx(low, abs=1e-10)
        assert found.high[i, j] == pytest.approx(high, abs=1e-10)
        assert found.low[j, i] == -found.high[i, j]
        assert found.standard_error[i, j] == pytest.approx(np.std(drawn, ddof=1), rel=1e-8)


@pytest.mark.parametrize("alternative", ["greater", "less"])
def test_one_sided_bootstrap_counts_one_side(alternative):
    values = components("mean")
    found = bootstrap_all_pairs(values, n_resamples=B, seed=1, alternative=alternative)
    for i, j in itertools.permutations(range(3), 2):
        drawn, observed = replicated(values[[i, j]], "mean", None, seed=1)
        sign = 1 if alternative == "greater" else -1
        count = np.count_nonzero(sign * (drawn - observed) >= sign * observed - 1e-12)
        assert found.pvalues.pvalue[i, j] == pytest.approx((count + 1) / (B + 1), abs=1e-12)


@pytest.mark.parametrize("codes", [None, np.arange(90) // 2])
def test_many_patterns_of_missing_items_share_one_plan(monkeypatch, codes):
    rng = np.random.default_rng(0)
    values = rng.integers(0, 6, (4, 90, 1)).astype(float)
    values[3] += 0.5
    for system in range(4):
        values[system, 5 * system : 5 * system + 3] = np.nan
    options = {"codes": codes, "n_resamples": 4_999, "seed": 2}
    apart = bootstrap_all_pairs(values, **options)
    monkeypatch.setattr(bootstrap_module, "MAX_SETS", 1)
    together = bootstrap_all_pairs(values, **options)
    off = ~np.eye(4, dtype=bool)
    # Monte Carlo errors of two plans: standard errors of at most 0.007 each.
    assert np.abs(together.pvalues.pvalue - apart.pvalues.pvalue)[off].max() < 0.04
    width = (apart.high - apart.low)[off]
    assert np.abs(together.low - apart.low)[off].max() < 0.08 * width.min()
    units = np.arange(90) if codes is None else codes
    counts = np.concatenate(
        [count_block(2, block, int(units.max()) + 1, np.float64) for block in range(20)]
    )
    weights = counts[:4_999][:, units]
    for i, j in itertools.combinations(range(4), 2):
        difference = values[i, :, 0] - values[j, :, 0]
        shared = ~np.isnan(difference)
        drawn = weights[:, shared] @ difference[shared] / weights[:, shared].sum(axis=1)
        observed = difference[shared].mean()
        count = np.count_nonzero(np.abs(drawn - observed) >= abs(observed) - 1e-12)
        assert together.pvalues.pvalue[i, j] == pytest.approx((count + 1) / 5_000, abs=1e-12)
        ends = np.sort(drawn)[[124, -125]]
        assert (together.low[i, j], together.high[i, j]) == pytest.approx(tuple(ends), abs=1e-10)


def test_two_systems_are_tested_as_if_missing_items_were_left_out():
    values = components("mean", n_systems=2)
    missing = values.copy()
    missing[0, :4] = missing[1, 10] = np.nan
    left_out = np.delete(values, [0, 1, 2, 3, 10], axis=1)
    first = bootstrap_all_pairs(missing, n_resamples=B, seed=5)
    second = bootstrap_all_pairs(left_out, n_resamples=B, seed=5)
    assert first.pvalues.pvalue[0, 1] == second.pvalues.pvalue[0, 1]
    assert first.low[0, 1] == second.low[0, 1]


def test_bootstrap_of_all_pairs_agrees_with_that_of_one_pair():
    values = components("ratio", n_items=200)
    result = pairwise(values, aggregation="ratio", test="bootstrap", n_resamples=9_999)
    for i, j in itertools.combinations(range(3), 2):
        pair = bootstrap(values[i], values[j], aggregation="ratio")
        assert result.pvalue[i, j] == pytest.approx(pair.pvalue, abs=0.02)


def test_no_spread_leaves_the_bootstrap_nothing_to_test():
    scores = [[1.0, 2, 4, 3], [2.0, 3, 5, 4], [1.0, 2, 4, 3]]
    with pytest.warns(DegenerateDataWarning, match="2 of 3 pairs the same difference"):
        result = pairwise(scores, test="bootstrap", n_resamples=99)
    assert np.isnan(result.pvalue[0, 1])
    assert result.pvalue[0, 2] == 1.0
    with pytest.warns(DegenerateDataWarning):
        ratio = pairwise(
            [[[1.0, 2.0]] * 4, [[1.0, 1.0]] * 4], aggregation="ratio", test="bootstrap"
        )
    assert np.isnan(ratio.pvalue[0, 1])
    # An interval of no width would read as certainty.
    assert np.isnan([ratio.ci_low[0, 1], ratio.ci_high[0, 1]]).all()


def test_undefined_replicates_count_as_extreme_and_are_left_out_of_the_interval():
    values = np.zeros((2, 4, 2))
    values[:, :2] = [[[1, 1], [0, 1]], [[1, 1], [1, 1]]]
    found = bootstrap_all_pairs(values, "ratio", n_resamples=B, seed=0)
    drawn, observed = replicated(values, "ratio", None, seed=0)
    undefined = np.isnan(drawn)
    assert undefined.any()
    with np.errstate(invalid="ignore"):
        extreme = undefined | (np.abs(drawn - observed) >= abs(observed) - 1e-12)
    assert found.pvalues.pvalue[0, 1] == (np.count_nonzero(extreme) + 1) / (B + 1)
    assert found.low[0, 1] == pytest.approx(np.quantile(drawn[~undefined], 0.025))


@pytest.mark.parametrize("alternative", ["two-sided", "greater"])
@pytest.mark.parametrize("aggregation", AGGREGATIONS[1:])
def test_exchange_of_all_pairs_agrees_with_that_of_one_pair(aggregation, alternative):
    values = components(aggregation)
    values[0, 3:6] = np.nan
    options = {"aggregation": aggregation, "test": "signflip", "alternative": alternative}
    drawn = pairwise(values, interval="none", n_resamples=4_999, **options)
    exact = pairwise(values, interval="none", n_resamples=99, groups=GROUPS, **options)
    for i, j in itertools.permutations(range(3), 2):
        pair = paired_test(values[i], values[j], **options)
        assert drawn.pvalue[i, j] == pytest.approx(pair.pvalue, abs=0.04)
        pair = paired_test(values[i], values[j], groups=GROUPS, n_resamples=99, **options)
        assert exact.pvalue[i, j] == pytest.approx(pair.pvalue, abs=1e-12)
        assert exact.method[i, j] == PairMethod.ENUMERATED
        assert exact.pvalue_floor[i, j] == pair.pvalue_floor


@pytest.mark.parametrize("metric_class", [BLEU, CHRF])
def test_exchange_gives_sacrebleus_pvalue_on_its_masks(monkeypatch, metric_class):
    rng = np.random.default_rng(0)
    words = [f"{a}{b}{c}" for a in "bdfg" for b in "aeio" for c in "lmnr"]
    references = [rng.choice(words, size=rng.integers(5, 12)) for _ in range(60)]
    hypotheses = [
        [np.where(rng.random(len(r)) < share, rng.choice(words, len(r)), r) for r in references]
        for share in (0.3, 0.4)
    ]
    texts = [[" ".join(line) for line in lines] for lines in [references, *hypotheses]]
    metric = metric_class(references=[texts[0]])
    extracted = [metric._extract_corpus_statistics(text, None) for text in texts[1:]]
    baseline = {"m": (extracted[0], metric._aggregate_and_compute(extracted[0]))}
    _, peer = significance._paired_ar_test(
        baseline, "system", texts[2], None, {"m": metric}, n_samples=256, seed=4
    )
    masks = np.random.default_rng(4).integers(2, size=(256, 60), dtype=bool)
    monkeypatch.setattr(
        corpus_module, "signed_sums", lambda columns, codes: (2.0 * masks - 1) @ columns
    )
    values = np.array(extracted, dtype=float)
    found = exchange_all_pairs(
        values,
        metric_class.__name__.lower(),
        np.ones((2, 2), dtype=bool),
        codes=None,
        alternative="two-sided",
        n_resamples=256,
        seed=0,
    )
    assert found.pvalue[0, 1] == peer["m"].p_value


def test_a_metric_that_is_not_defined_is_not_testable():
    values = components("ratio")
    values[1, :, 1] = 0.0
    for test in ("signflip", "bootstrap"):
        result = pairwise(values, aggregation="ratio", test=test, n_resamples=99)
        assert np.isnan(result.pvalue[1]).all()
        assert np.isnan(result.difference[0, 1])
        assert result.n_pairs == result.n_tests == 1


def test_pairs_are_divided_by_the_items_that_they_share():
    present = np.array([[1, 1, 1, 0], [1, 1, 1, 0], [0, 1, 1, 1], [0, 0, 0, 1]], dtype=bool)
    first, second = triangle(4)
    found = {}
    for part in complete_sets(present):
        for pair, i, j in zip(part.pairs, part.left, part.right, strict=True):
            assert part.systems[i] == first[pair]
            assert part.systems[j] == second[pair]
            found[int(first[pair]), int(second[pair])] = part.items.tolist()
    assert found == {(0, 1): [0, 1, 2], (0, 2): [1, 2], (1, 2): [1, 2], (2, 3): [3]}
    assert count_sets(present) == 6
    assert list(complete_sets(present[:1])) == []
    assert as_group_codes(["a", None, "a"], 3).tolist() == [0, 1, 0]


@pytest.mark.parametrize("alternative", ["two-sided", "greater"])
def test_percentiles_are_of_the_replicates_that_the_test_drew(monkeypatch, alternative):
    drawn, told = [], []

    def counted(*args, **options):
        drawn.append(options["confidence_level"])
        return bootstrap_all_pairs(*args, **options)

    monkeypatch.setattr(engine, "bootstrap_all_pairs", counted)
    scores = np.random.default_rng(4).normal(size=(4, 40))
    by_shift, by_percentiles = (
        pairwise(
            scores,
            test=test,
            interval="percentile",
            alternative=alternative,
            n_resamples=999,
            progress=lambda done, total: told.append(done / total),
        )
        for test in ("bootstrap", "bootstrap-percentile")
    )
    assert np.array_equal(by_shift.ci_low, by_percentiles.ci_low, equal_nan=True)
    assert np.array_equal(by_shift.standard_error, by_percentiles.standard_error)
    # One-sided the interval is that of another level.
    assert drawn == ([0.95] * 2 if alternative == "two-sided" else [0.95, 0.9] * 2)
    assert told.count(1.0) == 2
