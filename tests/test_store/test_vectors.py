"""Score vectors: bytes, summaries, values."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as nps
from scipy import stats

from store import vectors

finite = st.floats(-1e6, 1e6, allow_subnormal=False)
NAN = math.nan


@given(nps.arrays(np.uint64, nps.array_shapes(min_dims=2, max_dims=2, min_side=1, max_side=12)))
def test_decode_returns_the_very_bits_that_were_encoded(bits):
    values = bits.view(np.float64)  # every pattern of bits: NaN payloads, -0.0, denormals
    data = vectors.encode(values)
    again = vectors.decode(data, values.shape[1])
    assert again.shape == values.shape
    assert again.tobytes() == values.tobytes()


def test_encode_is_little_endian_row_by_row():
    values = np.asfortranarray([[1.0, 2.0], [3.0, 4.0]]).astype(">f8")
    assert vectors.encode(values) == np.array([1.0, 2.0, 3.0, 4.0], "<f8").tobytes()


def test_decode_hands_out_read_only_arrays():
    decoded = vectors.decode(vectors.encode(np.ones((2, 1))), 1)
    with pytest.raises(ValueError, match="read-only"):
        decoded[0] = 2.0
    with pytest.raises(ValueError, match="read-only"):
        vectors.decode_status(b"\0\1")[0] = 2


def test_digest_is_the_sha256_of_the_bytes():
    # Known answer: SHA-256 of the empty string (FIPS 180-4 example value).
    assert vectors.digest(b"").startswith("e3b0c44298fc1c149afbf4c8996fb924")


def test_scored_needs_every_component():
    values = np.array([[1.0, 2.0], [NAN, 2.0], [1.0, NAN], [NAN, NAN], [0.0, 0.0]])
    assert vectors.scored(values).tolist() == [True, False, False, False, True]


@given(nps.arrays(np.float64, st.integers(1, 30), elements=finite))
def test_aggregate_mean_agrees_with_numpy(scores):
    assert vectors.aggregate(scores[:, None], "mean") == scores.mean()


def test_aggregate_mean_leaves_missing_items_out():
    assert vectors.aggregate(np.array([[1.0], [NAN], [0.0], [0.5]]), "mean") == 0.5


def test_aggregate_ratio_sums_before_it_divides():
    # 3 of 4 words and 1 of 1 word: 4/5, not the mean of 0.75 and 1.
    assert vectors.aggregate(np.array([[3.0, 4.0], [1.0, 1.0]]), "ratio") == 0.8


def test_aggregate_f1_is_computed_on_the_summed_counts():
    # tp 3, fp 1, fn 2: precision 3/4, recall 3/5, F1 = 2·3 / (2·3 + 1 + 2) = 2/3.
    assert vectors.aggregate(np.array([[1.0, 1.0, 0.0], [2.0, 0.0, 2.0]]), "f1") == pytest.approx(
        2 / 3, rel=1e-15
    )


def test_aggregate_leaves_an_item_out_when_one_component_is_missing():
    values = np.array([[3.0, 4.0], [1.0, NAN], [NAN, 9.0]])
    assert vectors.aggregate(values, "ratio") == 0.75


paired = st.integers(3, 25).flatmap(
    lambda n: nps.arrays(np.float64, (n, 2), elements=st.integers(-6, 6).map(float))
)


@settings(deadline=None)  # the first call of scipy takes its time
@given(paired)
def test_aggregate_pearson_agrees_with_scipy(values):
    assume(len(set(values[:, 0])) > 1 and len(set(values[:, 1])) > 1)
    expected = stats.pearsonr(values[:, 0], values[:, 1]).statistic
    assert vectors.aggregate(values, "pearson") == pytest.approx(expected, abs=1e-12)


@settings(deadline=None)  # the first call of scipy takes its time
@given(paired)
def test_aggregate_spearman_agrees_with_scipy_under_ties(values):
    assume(len(set(values[:, 0])) > 1 and len(set(values[:, 1])) > 1)
    expected = stats.spearmanr(values[:, 0], values[:, 1]).statistic
    assert vectors.aggregate(values, "spearman") == pytest.approx(expected, abs=1e-12)


@given(paired, st.integers(0, 24))
def test_aggregate_treats_a_missing_pair_as_if_the_item_were_not_there(values, place):
    hole = np.insert(values, place % len(values), [NAN, 1.0], axis=0)
    for aggregation in ("pearson", "spearman"):
        assert vectors.aggregate(hole, aggregation) == pytest.approx(
            vectors.aggregate(values, aggregation), nan_ok=True
        )


@pytest.mark.parametrize(
    ("aggregation", "values"),
    [
        ("mean", [[NAN], [NAN]]),
        ("mean", np.empty((0, 1))),
        ("ratio", [[0.0, 0.0], [0.0, 0.0]]),
        ("f1", [[0.0, 0.0, 0.0]]),
        ("pearson", [[1.0, 2.0], [1.0, 3.0]]),  # one side constant
        ("spearman", [[1.0, 2.0]]),
    ],
)
def test_aggregate_is_nan_where_the_metric_is_undefined(aggregation, values):
    array = np.asarray(values)
    assert math.isnan(vectors.aggregate(array, aggregation))
    assert vectors.summarise(array, aggregation).value is None


def test_item_values_gives_each_item_its_own_ratio_and_f1():
    ratio = vectors.item_values(np.array([[3.0, 4.0], [0.0, 0.0], [NAN, 1.0]]), "ratio")
    np.testing.assert_array_equal(ratio, [0.75, NAN, NAN])
    f1 = vectors.item_values(np.array([[1.0, 1.0, 0.0], [0.0, 0.0, 0.0]]), "f1")
    np.testing.assert_array_equal(f1, [2 / 3, NAN])


@pytest.mark.parametrize("aggregation", ["pearson", "spearman"])
def test_item_values_of_a_correlation_do_not_exist(aggregation):
    assert np.isnan(vectors.item_values(np.ones((3, 2)), aggregation)).all()


def test_summarise_describes_the_scored_items():
    values = np.array([[0.25], [NAN], [0.75], [0.5]])
    assert vectors.summarise(values, "mean") == vectors.Summary(
        n_scored=3, value=0.5, std=0.25, min=0.25, max=0.75
    )


def test_summarise_of_one_item_has_no_spread():
    assert vectors.summarise(np.array([[0.25]]), "mean").std is None


def test_summarise_of_a_correlation_has_a_value_but_no_item_spread():
    summary = vectors.summarise(np.array([[1.0, 2.0], [2.0, 4.0], [3.0, 6.0]]), "pearson")
    assert summary == vectors.Summary(3, pytest.approx(1.0), None, None, None)


def test_pad_lengthens_with_missing_items_and_keeps_the_rest():
    padded = vectors.pad(np.array([[-0.0, 1.0]]), 3)
    assert padded.shape == (3, 2)
    assert padded[:1].tobytes() == np.array([[-0.0, 1.0]]).tobytes()
    assert np.isnan(padded[1:]).all()


def test_pad_leaves_a_full_vector_alone():
    values = np.ones((2, 1))
    assert vectors.pad(values, 2) is values
