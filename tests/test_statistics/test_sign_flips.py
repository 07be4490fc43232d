import itertools

import numpy as np
import pytest
import sacrebleu

from analysis.statistics.resampling.listed_flips import list_flips

METRICS = {
    "ratio": lambda s: s[0] / s[1],
    "f1": lambda s: 2 * s[0] / (2 * s[0] + s[1] + s[2]),
    "bleu": lambda s: sacrebleu.BLEU()._compute_score_from_stats(list(s)).score,
    "chrf": lambda s: sacrebleu.CHRF()._compute_score_from_stats(list(s)).score,
}
WORDS = [f"word{i}" for i in range(13)]


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
    outcome = list_flips(a, b, aggregation=aggregation, alternative=alternative)
    assert outcome.exact
    assert outcome.n_resamples == 0
    assert outcome.pvalue == by_brute_force(a, b, aggregation, alternative)
    assert outcome.floor <= outcome.pvalue


@pytest.mark.parametrize("aggregation", METRICS)
def test_neither_order_nor_names_of_systems_matter(aggregation):
    a, b = scores(aggregation, 12, 1)
    options = {"aggregation": aggregation}
    expected = list_flips(a, b, alternative="two-sided", **options)
    order = np.random.default_rng(0).permutation(12)
    assert list_flips(a[order], b[order], alternative="two-sided", **options) == expected
    assert list_flips(b, a, alternative="two-sided", **options) == expected
    above = list_flips(a, b, alternative="greater", **options)
    assert above == list_flips(b, a, alternative="less", **options)


def test_ties_of_ratios_count_as_ties():
    a, b = scores("ratio", 15, 8)
    exact, *scaled = (
        list_flips(by * a, by * b, aggregation="ratio", alternative="two-sided").pvalue
        for by in (1, 3, 1 / 7)
    )
    assert scaled == [exact, exact]


def test_an_exchange_that_leaves_no_denominator_counts_as_zero():
    a = np.array([[1.0, 1.0], [0.0, 0.0]])
    b = np.array([[0.0, 0.0], [1.0, 2.0]])
    outcome = list_flips(a, b, aggregation="ratio", alternative="two-sided")
    assert outcome.exact
    assert outcome.pvalue == 1


@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
@pytest.mark.parametrize("aggregation", METRICS)
def test_groups_are_exchanged_as_a_whole(aggregation, alternative):
    a, b = scores(aggregation, 20, 4)
    groups = np.array([0, 0, 1, 1, 1, 2, 3, 4, 4, 5, 5, 5, 5, 6, 6, 0, 2, 2, 3, 1])
    sums = [np.stack([side[groups == g].sum(axis=0) for g in range(7)]) for side in (a, b)]
    outcome = list_flips(a, b, aggregation=aggregation, alternative=alternative, groups=groups)
    assert outcome.exact
    assert outcome.pvalue == by_brute_force(*sums, aggregation, alternative)
