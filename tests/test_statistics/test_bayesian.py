import doctest
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.statistics.across import bayesian
from analysis.statistics.across.bayesian import bayesian_signed_rank

TWELVE = [1.131, 0.207, 3.523, 0.311, 0.739, 2.503, -0.491, -0.117, 0.833, -0.219, -0.827, 0.353]
SEVEN = [0.813, 1.921, -0.237, 2.409, 0.151, 1.203, 0.907]

# baycomp 1.0.3, SignedRankTest.probs(zeros, differences, rope, prior=..., nsamples=200_000).
BAYCOMP_SIGNED_RANK = [
    (TWELVE, 0.0, 0.5, (0.03628, 0, 0.96372)),
    (TWELVE, 0.0, 2.0, (0.04231, 0, 0.95769)),
    (TWELVE, 0.3, 0.5, (0.01052, 0.13961, 0.84988)),
    (TWELVE, 0.3, 2.0, (0.00634, 0.24102, 0.75264)),
    (TWELVE, 1.0, 0.5, (0, 0.90199, 0.09801)),
    (SEVEN, 0.0, 0.5, (0.00358, 0, 0.99643)),
    (SEVEN, 0.3, 0.5, (0, 0.02766, 0.97234)),
    (SEVEN, 0.3, 2.0, (0, 0.06799, 0.93201)),
    (SEVEN, 1.0, 0.5, (0, 0.526, 0.474)),
]

difference_lists = st.lists(
    st.one_of(st.floats(-3, 3), st.integers(-30, 30).map(lambda tenths: tenths / 10)),
    min_size=1,
    max_size=12,
)
ropes = st.sampled_from([0.0, 0.1, 0.5, 2.0])


def probabilities(result):
    return (result.probability_left, result.probability_rope, result.probability_right)


@pytest.mark.parametrize(("differences", "rope", "strength", "expected"), BAYCOMP_SIGNED_RANK)
def test_signed_rank_equals_baycomp(differences, rope, strength, expected):
    result = bayesian_signed_rank(differences, rope=rope, prior_strength=strength)
    # Five standard errors of both simulations together.
    for ours, theirs in zip(probabilities(result), expected, strict=True):
        share = min(max(theirs, 1e-4), 1 - 1e-4)
        error = math.sqrt(share * (1 - share) * (1 / 50_000 + 1 / 200_000))
        assert ours == pytest.approx(theirs, abs=5 * error)


def test_signed_rank_of_one_dataset_by_hand():
    # Of the pairs, those with the dataset are right, the prior with itself halves: the right
    # always has more.
    assert probabilities(bayesian_signed_rank([0.4], n_samples=512)) == (0, 0, 1)
    # Beyond the rope only the dataset with itself, and right is likelier if w > 1 / sqrt(2).
    result = bayesian_signed_rank([1.0], rope=0.6, prior_strength=1.0)
    assert result.probability_right == pytest.approx(1 - math.sqrt(0.5), abs=0.01)
    assert result.probability_left == 0


def test_equal_systems_are_half_and_half_without_a_rope_and_equal_with_one():
    assert probabilities(bayesian_signed_rank(np.zeros(6))) == pytest.approx((0.5, 0, 0.5))
    assert probabilities(bayesian_signed_rank(np.zeros(6), rope=0.1)) == (0, 1, 0)


@given(difference_lists, ropes, st.sampled_from([0.0, 0.2]))
def test_changing_all_signs_swaps_left_and_right(differences, rope, place):
    values = np.array(differences)
    result = bayesian_signed_rank(values, rope=rope, n_samples=1_024, prior_place=place)
    mirror = bayesian_signed_rank(-values, rope=rope, n_samples=1_024, prior_place=-place)
    assert probabilities(mirror) == probabilities(result)[::-1]
    assert sum(probabilities(result)) == pytest.approx(1)


@given(difference_lists, ropes, st.randoms(use_true_random=False))
def test_order_and_missing_datasets_do_not_matter(differences, rope, random):
    shuffled = [*differences, math.nan]
    random.shuffle(shuffled)
    result = bayesian_signed_rank(differences, rope=rope, n_samples=512)
    other = bayesian_signed_rank(shuffled, rope=rope, n_samples=512)
    assert probabilities(other) == probabilities(result)
    assert (result.n_missing, other.n_missing) == (0, 1)


def test_a_wider_rope_holds_more_and_the_unit_does_not_matter():
    ropes_probabilities = [
        bayesian_signed_rank(TWELVE, rope=rope, n_samples=4_096).probability_rope
        for rope in (0, 0.2, 0.5, 1, 3)
    ]
    assert ropes_probabilities == sorted(ropes_probabilities)
    percent = bayesian_signed_rank(100 * np.array(TWELVE), rope=30, n_samples=4_096)
    assert probabilities(percent) == probabilities(
        bayesian_signed_rank(TWELVE, rope=0.3, n_samples=4_096)
    )


def test_differences_that_equal_the_rope_on_paper_are_inside():
    # 0.3 - 0.2 in binary is not 0.1.
    inside = bayesian_signed_rank([0.3 - 0.2, 0.7 - 0.6, 0.1], rope=0.1, n_samples=512)
    assert inside.probability_rope == 1


def test_the_first_draws_do_not_depend_on_how_many_follow():
    few = bayesian_signed_rank(SEVEN, rope=1.0, n_samples=1_001, rng=3)
    assert few.n_samples == 1_002
    again = bayesian_signed_rank(SEVEN, rope=1.0, n_samples=1_002, rng=3)
    assert probabilities(few) == probabilities(again)
    assert few.signature == again.signature
    assert probabilities(bayesian_signed_rank(SEVEN, rope=1.0, n_samples=1_002, rng=4)) != (
        probabilities(few)
    )


def test_no_dataset_says_nothing():
    result = bayesian_signed_rank([math.nan])
    assert np.isnan(probabilities(result)).all()
    assert result.n_missing == 1


@pytest.mark.parametrize(
    ("settings", "error", "message"),
    [
        ({"rope": -0.1}, ValueError, "`rope` must be 0 or more"),
        ({"rope": "wide"}, TypeError, "`rope` must be a number"),
        ({"rope": math.nan}, ValueError, "`rope` must be finite"),
        ({"prior_strength": 0}, ValueError, "`prior_strength` must be above 0"),
        ({"differences": [[1.0]]}, ValueError, "`differences` must be 1-D"),
        ({"differences": [math.inf]}, ValueError, "`differences` must be finite"),
    ],
)
def test_wrong_input_is_named(settings, error, message):
    with pytest.raises(error, match=message):
        bayesian_signed_rank(**({"differences": [1.0, 2.0]} | settings))


def test_docstring_examples_hold():
    assert doctest.testmod(bayesian).failed == 0
