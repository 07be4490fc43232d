"""BLEU, chrF and medians out of score vectors."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as nps
from sacrebleu.metrics import BLEU, CHRF

from analysis.statistics import aggregate
from store import vectors
from store.importers.bundle import COMPONENTS

NAN = math.nan
METRICS = {"bleu": BLEU(), "chrf": CHRF()}

words = st.sampled_from(["the", "a", "cat", "sat", "on", "mat", ".", ",", "grün", "läuft", "12"])
sentences = st.lists(words, max_size=9).map(" ".join)
references = st.lists(words, min_size=1, max_size=9).map(" ".join)
corpora = st.lists(st.tuples(sentences, references), min_size=1, max_size=6)


def counts_of(aggregation, corpus):
    """Return sacrebleu's own counts of each sentence, shape (n_sentences, n_components)."""
    texts, wanted = zip(*corpus, strict=True)
    metric = METRICS[aggregation]
    return np.array(metric._extract_corpus_statistics(list(texts), [list(wanted)]), float)


@pytest.mark.parametrize("aggregation", METRICS)
@settings(max_examples=150, deadline=None)
@given(corpus=corpora)
def test_aggregate_is_the_corpus_score_of_sacrebleu(aggregation, corpus):
    texts, wanted = zip(*corpus, strict=True)
    expected = METRICS[aggregation].corpus_score(list(texts), [list(wanted)]).score
    counts = counts_of(aggregation, corpus)
    assert counts.shape[1] == len(COMPONENTS[aggregation])
    assert vectors.aggregate(counts, aggregation) == pytest.approx(expected, rel=1e-12, abs=1e-12)


@pytest.mark.parametrize("aggregation", METRICS)
@settings(max_examples=50, deadline=None)
@given(corpus=corpora)
def test_item_values_are_those_of_a_corpus_of_one_sentence(aggregation, corpus):
    expected = [METRICS[aggregation].corpus_score([t], [[r]]).score for t, r in corpus]
    found = vectors.item_values(counts_of(aggregation, corpus), aggregation)
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("aggregation", METRICS)
@settings(max_examples=100, deadline=None)
@given(corpus=corpora)
def test_statistics_and_store_have_one_formula(aggregation, corpus):
    """Neither layer may import the other, so both have it."""
    counts = counts_of(aggregation, corpus)
    of_sums = aggregate.aggregate_sums(counts.sum(axis=0), aggregation, len(counts))
    assert float(of_sums) == pytest.approx(
        vectors.aggregate(counts, aggregation), rel=1e-12, abs=1e-12
    )


def test_bleu_of_a_known_example():
    # Papineni et al. 2002, example 2: "the the the the the the the": 2 of 7 unigrams count.
    counts = np.array([[7.0, 6, 2, 0, 0, 0, 7, 6, 5, 4]])
    smoothed = [2 / 7, 1 / 2 / 6, 1 / 4 / 5, 1 / 8 / 4]
    expected = 100 * math.prod(smoothed) ** 0.25
    assert vectors.aggregate(counts, "bleu") == pytest.approx(expected, rel=1e-14)


@pytest.mark.parametrize("aggregation", METRICS)
def test_aggregate_leaves_an_item_out_when_a_count_is_missing(aggregation):
    counts = counts_of(aggregation, [("the cat sat on a mat", "the cat sat on the mat")] * 2)
    whole = vectors.aggregate(counts[:1], aggregation)
    counts[1, 3] = NAN
    assert vectors.aggregate(counts, aggregation) == whole
    values = vectors.item_values(counts, aggregation)
    assert values[0] == whole
    assert math.isnan(values[1])


@pytest.mark.parametrize("aggregation", METRICS)
def test_aggregate_without_any_text_is_0_as_in_sacrebleu(aggregation):
    assert vectors.aggregate(counts_of(aggregation, [("", "")]), aggregation) == 0
    nothing = np.empty((0, len(COMPONENTS[aggregation])))
    assert math.isnan(vectors.aggregate(nothing, aggregation))


@pytest.mark.parametrize("aggregation", METRICS)
@given(data=st.data())
def test_summarise_survives_counts_that_are_none(aggregation, data):
    shape = (3, len(COMPONENTS[aggregation]))
    values = data.draw(nps.arrays(np.float64, shape, elements=st.floats(allow_infinity=False)))
    summary = vectors.summarise(values, aggregation)
    assert summary.value is None or math.isfinite(summary.value)


@given(nps.arrays(np.float64, st.integers(1, 20), elements=st.floats(-1e6, 1e6)))
def test_aggregate_median_agrees_with_numpy(scores):
    with_hole = np.append(scores, NAN)[:, np.newaxis]
    assert vectors.aggregate(with_hole, "median") == np.median(scores)
    np.testing.assert_array_equal(vectors.item_values(with_hole, "median")[:-1], scores)


def test_summarise_of_a_median_has_the_spread_of_the_items():
    summary = vectors.summarise(np.array([[1.0], [2.0], [9.0], [NAN]]), "median")
    assert summary == vectors.Summary(3, 2.0, pytest.approx(np.std([1, 2, 9], ddof=1)), 1.0, 9.0)
