import itertools

import numpy as np
import pytest
import sacrebleu
from scipy import stats

from analysis.statistics.paired import sign_flips
from analysis.statistics.paired.sign_flips import flip_test

METRICS = {
    "mean": lambda s: s[0],
    "ratio": lambda s: s[0] / s[1],
    "f1": lambda s: 2 * s[0] / (2 * s[0] + s[1] + s[2]),
    "bleu": lambda s: sacrebleu.BLEU()._compute_score_from_stats(list(s)).score,
    "chrf": lambda s: sacrebleu.CHRF()._compute_score_from_stats(list(s)).score,
}
WORDS = [f"word{i}" for i in range(13)]


def run(a, b, *, aggregation="mean", alternative="two-sided", **options):
    settings = {"n_resamples": 9_999, "seed": 0} | options
    return flip_test(a, b, aggregation=aggregation, alternative=alternative, **settings)


def by_brute_force(a, b, aggregation, alternative):
    """Swap the two systems' rows in every possible way."""
    metric = METRICS[aggregation]
    observed = metric(a.sum(0)) - metric(b.sum(0))
    extreme = []
    for swap in itertools.product([False, True], repeat=len(a)):
        mask = np.array(swap)[:, np.newaxis]
        first, second = np.where(mask, b, a), np.where(mask, a, b)
        drawn = metric(first.sum(0)) - metric(second.sum(0))
        sides = {"two-sided": abs(drawn) - abs(observed), "greater": drawn - observed}
        extreme.append(sides.get(alternative, observed - drawn) >= -1e-9)
    return float(np.mean(extreme))


def scores(aggregation, n, seed):
    rng = np.random.default_rng(seed)
    if aggregation == "mean":
        return rng.integers(0, 6, (2, n, 1)).astype(float)
    if aggregation == "ratio":
        total = rng.integers(1, 9, (1, n, 1))
        total = np.broadcast_to(total, (2, n, 1))
        return np.concatenate([rng.binomial(total, 0.6), total], axis=2).astype(float)
    if aggregation == "f1":
        return rng.integers(0, 4, (2, n, 3)).astype(float)
    metric = sacrebleu.BLEU() if aggregation == "bleu" else sacrebleu.CHRF()
    references = [" ".join(rng.choice(WORDS, 9)) for _ in range(n)]
    outputs = [
        [" ".join(w if rng.random() < 0.8 else "so" for w in text.split()) for text in references]
        for _ in "ab"
    ]
    return np.array(
        [metric._extract_corpus_statistics(texts, [references]) for texts in outputs], dtype=float
    )


@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
@pytest.mark.parametrize("aggregation", METRICS)
@pytest.mark.parametrize("seed", range(3))
def test_enumeration_equals_brute_force(aggregation, alternative, seed):
    a, b = scores(aggregation, 9, seed)
    outcome = run(a, b, aggregation=aggregation, alternative=alternative)
    assert outcome.exact
    assert outcome.n_resamples == 0
    assert outcome.pvalue == by_brute_force(a, b, aggregation, alternative)
    assert outcome.floor <= outcome.pvalue


@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
@pytest.mark.parametrize("seed", range(4))
def test_convolution_equals_enumeration(alternative, seed, monkeypatch):
    a, b = scores("mean", 14, seed)
    listed = run(a, b, alternative=alternative)
    monkeypatch.setattr(sign_flips, "MAX_ENUMERATED", 0)
    convolved = run(a, b, alternative=alternative)
    assert convolved.exact
    assert convolved.pvalue == pytest.approx(listed.pvalue, rel=1e-14)
    assert convolved.floor == listed.floor


@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
@pytest.mark.parametrize("aggregation", METRICS)
def test_monte_carlo_approaches_the_exact_value(aggregation, alternative, monkeypatch):
    a, b = scores(aggregation, 14, 3)
    exact = run(a, b, aggregation=aggregation, alternative=alternative).pvalue
    monkeypatch.setattr(sign_flips, "MAX_ENUMERATED", 0)
    monkeypatch.setattr(sign_flips, "MAX_CONVOLUTION", 0)
    drawn = run(a, b, aggregation=aggregation, alternative=alternative, n_resamples=49_999)
    assert (drawn.exact, drawn.n_resamples, drawn.floor) == (False, 49_999, 1 / 50_000)
    assert abs(drawn.pvalue - exact) < 5 * np.sqrt(exact * (1 - exact) / 50_000) + 1e-4


def test_monte_carlo_has_plus_one():
    a, b = np.arange(40.0)[:, np.newaxis] + np.pi, np.zeros((40, 1))
    outcome = run(a, b, n_resamples=99)
    assert outcome.pvalue == 1 / 100
    assert outcome.floor == 1 / 100


@pytest.mark.parametrize("aggregation", METRICS)
def test_neither_tiles_nor_order_nor_names_of_systems_matter(aggregation, monkeypatch):
    monkeypatch.setattr(sign_flips, "MAX_CONVOLUTION", 0)
    rng = np.random.default_rng(0)
    a, b = scores(aggregation, 60, 1) + (rng.random((2, 60, 1)) if aggregation == "mean" else 0)
    options = {"aggregation": aggregation, "n_resamples": 700}
    expected = run(a, b, **options)
    order = rng.permutation(60)
    assert run(a[order], b[order], **options) == expected
    assert run(b, a, **options) == expected
    assert run(a, b, alternative="greater", **options) == run(b, a, alternative="less", **options)
    monkeypatch.setattr(sign_flips, "_TILE", 7)
    assert run(a, b, **options) == expected


def test_more_resamples_extend_the_same_sequence(monkeypatch):
    rng = np.random.default_rng(2)
    a, b = rng.random((2, 50, 1))
    counts = [run(a, b, n_resamples=m).pvalue * (m + 1) - 1 for m in (256, 300, 512)]
    assert counts == sorted(counts)
    assert run(a, b, seed=1).pvalue != run(a, b, seed=0).pvalue


def test_ties_of_decimals_count_as_ties():
    # Every pattern with as many + as - has the observed sum; in floating point many miss it.
    a = np.array([[0.3], [0.8], [0.1], [0.6]] * 5)
    b = np.array([[0.2], [0.7], [0.2], [0.7]] * 5)
    outcome = run(a, b)
    assert outcome.exact
    assert outcome.pvalue == 1


def test_ties_of_ratios_count_as_ties(monkeypatch):
    a, b = scores("ratio", 15, 8)
    exact = run(a, b, aggregation="ratio").pvalue
    assert run(3 * a, 3 * b, aggregation="ratio").pvalue == exact
    assert run(a / 7, b / 7, aggregation="ratio").pvalue == exact


def test_far_tail_of_many_items_is_never_zero():
    ones, zeros = np.ones((5_000, 1)), np.zeros((5_000, 1))
    outcome = run(ones, zeros)
    assert outcome.exact
    assert outcome.pvalue == outcome.floor == np.finfo(float).tiny
    assert run(zeros, ones, alternative="greater").pvalue == 1


def test_convolution_of_many_items_equals_the_binomial():
    rng = np.random.default_rng(0)
    for n, share in ((30, 0.6), (600, 0.55), (3_000, 0.47)):
        a = (rng.random((n, 1)) < share).astype(float)
        outcome = run(a, 1 - a)
        expected = stats.binomtest(int(a.sum()), n).pvalue
        assert outcome.pvalue == pytest.approx(expected, rel=1e-10)


def test_an_exchange_that_leaves_no_denominator_counts_as_zero():
    a = np.array([[1.0, 1.0], [0.0, 0.0]])
    b = np.array([[0.0, 0.0], [1.0, 2.0]])
    outcome = run(a, b, aggregation="ratio")
    assert outcome.exact
    assert outcome.pvalue == 1


@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
@pytest.mark.parametrize("aggregation", METRICS)
def test_groups_are_exchanged_as_a_whole(aggregation, alternative):
    a, b = scores(aggregation, 20, 4)
    groups = np.array([0, 0, 1, 1, 1, 2, 3, 4, 4, 5, 5, 5, 5, 6, 6, 0, 2, 2, 3, 1])
    sums = [np.stack([side[groups == g].sum(axis=0) for g in range(7)]) for side in (a, b)]
    outcome = run(a, b, aggregation=aggregation, alternative=alternative, groups=groups)
    assert outcome.exact
    assert outcome.pvalue == by_brute_force(*sums, aggregation, alternative)


def test_groups_of_many_items_take_the_convolution():
    rng = np.random.default_rng(0)
    a, b = rng.integers(0, 6, (2, 300, 1)).astype(float)
    groups = np.arange(300) // 5
    outcome = run(a, b, groups=groups)
    sums = [np.stack([side[groups == g].sum(axis=0) for g in range(60)]) for side in (a, b)]
    assert outcome == run(*sums)
    assert outcome.exact
