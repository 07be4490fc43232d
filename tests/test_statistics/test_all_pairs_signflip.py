import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.statistics.all_pairs import (
    exact,
    missing,
    signflip,
)
from analysis.statistics.all_pairs.result import PairMethod
from analysis.statistics.all_pairs.signflip import signflip_all_pairs
from analysis.statistics.resampling.plan import sign_codes, signs_of

NAN = math.nan
ALTERNATIVES = ["two-sided", "greater", "less"]
HALF = [  # of a grid: any two values stand together
    ("two-sided", 0.0, False),
    ("two-sided", 0.15, True),
    ("greater", 0.0, True),
    ("greater", 0.15, False),
    ("less", 0.0, False),
    ("less", 0.15, True),
]


def graded(n_systems, n_items, seed=0, missing=0.0, shift=0.3):
    """Scores with no common step, some of them missing, the systems a little apart."""
    rng = np.random.default_rng(seed)
    scores = rng.normal(size=n_items) + rng.normal(size=(n_systems, n_items))
    scores += shift * np.linspace(0, 1, n_systems)[:, np.newaxis]
    scores[rng.random(scores.shape) < missing] = NAN
    return scores


def only_drawn(monkeypatch):
    monkeypatch.setattr(exact, "AFFORDABLE_SECONDS", 0.0)
    monkeypatch.setattr(signflip, "FEW_HITS", 0)
    monkeypatch.setattr(signflip, "_HOPELESS", 0.0)


KINDS = {
    "binary": lambda rng, n: rng.integers(0, 2, n) * 1.0,
    "ratings": lambda rng, n: rng.integers(1, 6, n) * 1.0,
    "percent": lambda rng, n: rng.integers(0, 101, n) * 1.0,
    "decimals": lambda rng, n: rng.random(n).round(4),
    "thirds": lambda rng, n: rng.integers(0, 10, n) / 3,
    "elevenths": lambda rng, n: rng.integers(0, 12, n) / 11,
    "anything": lambda rng, n: rng.normal(size=n),
    "further": lambda rng, n: rng.normal(size=n) + 0.7,
    "far": lambda rng, n: rng.normal(size=n) + 9.0,
    "nearly binary": lambda rng, n: (rng.random(n) < 0.6) + 1e-3 * rng.normal(size=n),
    "large": lambda rng, n: 1e9 * rng.normal(size=n),
    "huge": lambda rng, n: 1e200 * rng.normal(size=n),
    "tiny": lambda rng, n: 1e-300 * rng.normal(size=n),
    "offset": lambda rng, n: 1e12 + rng.normal(size=n),
    "large decimals": lambda rng, n: (1e6 * rng.random(n)).round(6),
    "constant": lambda rng, n: np.full(n, 0.3),
}


def any_scores(seed, kinds, n_items, absent=0.0):
    rng = np.random.default_rng(seed)
    scores = np.stack([KINDS[kind](rng, n_items) for kind in kinds])
    scores[rng.random(scores.shape) < absent] = NAN
    return scores


def by_hand(scores, alternative, n_resamples, seed, groups=None):
    """The test of every pair by itself, with the plan's signs."""
    n_systems, n_items = scores.shape
    groups = np.arange(n_items) if groups is None else groups
    blocks = range(-(-n_resamples // 256))
    signs = [signs_of(sign_codes(seed, block, int(groups.max()) + 1)) for block in blocks]
    signs = np.concatenate(signs)[:n_resamples, groups]
    pvalues = np.full((n_systems, n_systems), NAN)
    for i, j in itertools.permutations(range(n_systems), 2):
        d = np.nan_to_num(scores[i] - scores[j])
        drawn, observed = signs @ d, d.sum()
        sides = {
            "two-sided": np.abs(drawn) >= abs(observed) - 1e-9,
            "greater": drawn >= observed - 1e-9,
            "less": drawn <= observed + 1e-9,
        }
        pvalues[i, j] = (np.count_nonzero(sides[alternative]) + 1) / (n_resamples + 1)
    return pvalues


@pytest.mark.parametrize("alternative", ALTERNATIVES)
@pytest.mark.parametrize("absent", [0.0, 0.15])
@pytest.mark.parametrize("grouped", [False, True])
def test_drawn_pvalues_equal_every_pair_by_hand(alternative, absent, grouped, monkeypatch):
    only_drawn(monkeypatch)
    scores = graded(6, 90, missing=absent)
    scores[3] = scores[2]
    groups = np.arange(90) // 3 if grouped else None
    result = signflip_all_pairs(
        scores, groups=groups, alternative=alternative, n_resamples=700, seed=4
    )
    expected = by_hand(scores, alternative, 700, 4, groups)
    drawn = result.method == PairMethod.MONTE_CARLO
    assert drawn.sum() == 28
    np.testing.assert_array_equal(result.pvalue[drawn], expected[drawn])
    assert np.all(result.floor[drawn] == 1 / 701)
    assert result.method[2, 3] == PairMethod.ENUMERATED
    assert result.pvalue[2, 3] == result.floor[2, 3] == 1


@pytest.mark.parametrize("absent", [0.0, 0.1])
def test_neither_threads_nor_tiles_nor_other_systems_matter(absent, monkeypatch):
    scores = graded(9, 120, missing=absent)
    expected = signflip_all_pairs(scores, n_resamples=2_000, n_threads=1)
    threaded = signflip_all_pairs(scores, n_resamples=2_000, n_threads=3)
    for one, other in zip(expected, threaded, strict=True):
        np.testing.assert_array_equal(one, other)
    monkeypatch.setattr(missing, "TILE", 2)
    tiled = signflip_all_pairs(scores, n_resamples=2_000)
    np.testing.assert_array_equal(tiled.pvalue, expected.pvalue)
    some = signflip_all_pairs(scores[[7, 2, 5]], n_resamples=2_000)
    np.testing.assert_array_equal(some.method, expected.method[np.ix_([7, 2, 5], [7, 2, 5])])
    np.testing.assert_allclose(
        some.pvalue, expected.pvalue[np.ix_([7, 2, 5], [7, 2, 5])], rtol=1e-9
    )


def check_pairs_alone(scores, **options):
    found = signflip_all_pairs(scores, n_resamples=300, **options)
    for i, j in itertools.combinations(range(len(scores)), 2):
        alone = signflip_all_pairs(scores[[i, j]], n_resamples=300, **options)
        for one, other in zip(found, alone, strict=True):
            np.testing.assert_array_equal(one[[i, j], [j, i]], other[[0, 1], [1, 0]])
    return found


@pytest.mark.parametrize(
    ("alternative", "absent", "grouped"),
    [
        pytest.param(*cell, marks=() if cell in HALF else pytest.mark.full)
        for cell in itertools.product(ALTERNATIVES, (0.0, 0.15), (False, True))
    ],
)
def test_a_pair_has_one_answer_whoever_stands_beside_it(alternative, absent, grouped):
    scores = any_scores(7, [kind for kind in KINDS for _ in range(2)], 150, absent)
    groups = np.arange(150) // 3 if grouped else None
    found = check_pairs_alone(scores, groups=groups, alternative=alternative)
    assert len(np.unique(found.method)) >= (4 if grouped else 6)


@given(
    st.integers(0, 10**6),
    st.lists(st.sampled_from(sorted(KINDS)), min_size=3, max_size=5),
    st.integers(1, 130),
    st.sampled_from([0.0, 0.0, 0.2, 0.8]),
    st.sampled_from([None, 1, 2, 7]),
)
def test_one_answer_on_boards_of_all_kinds(seed, kinds, n_items, absent, group_size):
    scores = any_scores(seed, kinds, n_items, absent)
    groups = None if group_size is None else np.arange(n_items) // group_size
    check_pairs_alone(scores, groups=groups)


def test_scores_of_any_size_have_the_pvalue_of_their_shape():
    scores = graded(2, 300, shift=0.2)
    expected = signflip_all_pairs(scores)
    for exponent in (-1_000, -800, 300, 1_000):
        result = signflip_all_pairs(np.ldexp(scores, exponent))
        assert result.pvalue[0, 1] == pytest.approx(expected.pvalue[0, 1], rel=1e-9)
    # Differences of 1e-9 of the scores, in which the pair differs as before.
    result = signflip_all_pairs(2.0**30 + scores)
    assert result.pvalue[0, 1] == pytest.approx(expected.pvalue[0, 1], abs=2e-3)


def test_tiny_scores_that_differ_on_all_items():
    scores = 1e-300 * np.random.default_rng(0).random((2, 30))
    scores[0] += 1e-300
    result = signflip_all_pairs(scores)
    assert result.pvalue[0, 1] == pytest.approx(2.0**-29)  # 1.9e-9


def test_scores_equal_on_paper_are_equal():
    scores = np.tile([0.1 + 0.2, 1 / 3, 2**0.5], (2, 20))
    scores[1, ::3] = 0.3
    result = signflip_all_pairs(scores)
    assert result.pvalue[0, 1] == result.floor[0, 1] == 1


def test_ties_of_fractions_that_no_scale_makes_whole_count_as_ties(monkeypatch):
    rng = np.random.default_rng(3)
    whole = rng.integers(0, 12, (2, 80)) * 1.0
    only_drawn(monkeypatch)
    expected = signflip_all_pairs(whole, n_resamples=2_000).pvalue
    for scores in (whole / 11, whole / 13 + 100.0, np.sqrt(2) * whole):
        np.testing.assert_array_equal(
            signflip_all_pairs(scores, n_resamples=2_000).pvalue, expected
        )


@pytest.mark.parametrize("kind", ["graded", "ratings", "binary", "few"])
def test_sides_fit_together(kind):
    scores = graded(5, 12 if kind == "few" else 70, missing=0.05)
    scores = {"ratings": np.rint(2 * scores), "binary": np.sign(scores) + 0 * scores}.get(
        kind, scores
    )
    both, above, below = (
        signflip_all_pairs(scores, alternative=side, n_resamples=999) for side in ALTERNATIVES
    )
    np.testing.assert_array_equal(both.pvalue, both.pvalue.T)
    np.testing.assert_array_equal(below.pvalue, above.pvalue.T)
    np.testing.assert_array_equal(below.method, above.method.T)
    off = ~np.eye(5, dtype=bool)
    assert np.all(np.isnan(np.diag(both.pvalue)))
    assert np.all((above.pvalue + above.pvalue.T)[off] >= 1 - 1e-9)
    for result in (both, above, below):
        assert np.all((result.pvalue >= result.floor)[off])
        assert np.all(result.pvalue[off] <= 1)
    if kind != "graded":
        sides = np.minimum(1, 2 * np.minimum(above.pvalue, above.pvalue.T))
        np.testing.assert_allclose(both.pvalue[off], sides[off], rtol=1e-12)


@pytest.mark.parametrize(
    ("kind", "method"),
    [
        ("binary", PairMethod.CLOSED_FORM),
        ("few", PairMethod.ENUMERATED),
        ("ratings", PairMethod.EXACT),
        ("graded", PairMethod.MONTE_CARLO),
        ("apart", PairMethod.TAIL),
        ("far apart", PairMethod.BOUND),
    ],
)
def test_the_data_choose_the_method(kind, method):
    scores = {
        "binary": (graded(4, 60) > 0).astype(float),
        "few": graded(4, 20),
        "ratings": np.rint(graded(4, 60)),
        "graded": graded(4, 60, shift=0.0),
        "apart": graded(4, 100, shift=3.0),
        "far apart": graded(4, 400, shift=9.0),
    }[kind]
    result = signflip_all_pairs(scores, n_resamples=999)
    off = ~np.eye(4, dtype=bool)
    assert np.all(result.method[off] == method)
    assert np.all(np.diag(result.method) == PairMethod.NOT_TESTABLE)


def by_adding_up(differences, alternative):
    """The exact p-value: one signed difference after the other, equal sums together."""
    sums, chances = np.zeros(1), np.ones(1)
    for size in differences[differences != 0]:
        both = np.concatenate([sums + size, sums - size])
        sums, place = np.unique(both, return_inverse=True)
        chances = np.bincount(place, np.tile(chances, 2)) / 2
    observed = differences.sum()
    if alternative == "two-sided":
        extreme = np.abs(sums) >= abs(observed) - 1e-9
    else:
        sign = 1 if alternative == "greater" else -1
        extreme = sign * sums >= sign * observed - 1e-9
    return chances[extreme].sum()


@pytest.mark.parametrize("alternative", ALTERNATIVES)
@pytest.mark.parametrize("kind", ["few", "ratings"])
def test_exact_pvalues_equal_those_by_adding_up(kind, alternative):
    scores = graded(5, 14) if kind == "few" else np.rint(2 * graded(5, 200, shift=1.0))
    result = signflip_all_pairs(scores, alternative=alternative)
    for i, j in itertools.permutations(range(5), 2):
        differences = scores[i] - scores[j]
        expected = by_adding_up(differences, alternative)
        assert result.pvalue[i, j] == pytest.approx(expected, rel=1e-10)
        sides = 2 if alternative == "two-sided" else 1
        floor = sides * 0.5 ** np.count_nonzero(differences)
        assert result.floor[i, j] == pytest.approx(floor, rel=1e-12)


def test_drawn_and_approximated_pvalues_approach_the_exact_ones(monkeypatch):
    scores = np.rint(3 * graded(12, 150, shift=1.2))
    expected = signflip_all_pairs(scores).pvalue
    monkeypatch.setattr(exact, "AFFORDABLE_SECONDS", 0.0)
    result = signflip_all_pairs(scores, n_resamples=9_999)
    tail, drawn = (result.method == m for m in (PairMethod.TAIL, PairMethod.MONTE_CARLO))
    assert tail.sum() > 20
    assert drawn.sum() > 20
    np.testing.assert_allclose(result.pvalue[tail], expected[tail], rtol=0.02)
    error = np.sqrt(expected * (1 - expected) / 10_000)
    assert np.all((np.abs(result.pvalue - expected) < 5 * error + 2e-4)[drawn])
    # A floor of 1e-4 could not decide at Bonferroni's level for many pairs.
    assert np.all(result.floor[tail] < 1e-30)


def test_small_pvalues_hold_where_large_steps_stand_beside_tiny_ones():
    # Right answers with a tiny price per item: 20 of 24 large differences, 400 tiny ones.
    rng = np.random.default_rng(8)
    sizes = np.r_[np.full(24, 2_000), rng.integers(1, 9, 400)]
    signs = np.r_[np.repeat([1, -1], [21, 3]), rng.choice([-1, 1], 400)]
    chances = np.ones(1)
    for size in np.sort(sizes):
        longer = np.zeros(chances.size + size)
        longer[: chances.size] += chances / 2
        longer[size:] += chances / 2
        chances = longer
    t = int(np.sum(sizes * signs))
    expected = 2 * math.fsum(chances[(t + chances.size) // 2 :])
    assert 1e-4 < expected < 1e-3
    d = math.pi * sizes * signs
    for seed in range(3):
        result = signflip_all_pairs(np.stack([d, 0 * d]), seed=seed)
        assert result.method[0, 1] == PairMethod.TAIL
        assert result.pvalue[0, 1] == pytest.approx(expected, rel=0.02)


def test_one_sided_tail_leaves_the_other_side_drawn():
    result = signflip_all_pairs(graded(2, 400, shift=0.4), alternative="greater", n_resamples=999)
    assert result.method[1, 0] == PairMethod.TAIL
    assert result.method[0, 1] == PairMethod.MONTE_CARLO
    assert result.pvalue[1, 0] < 1e-6
    assert result.pvalue[0, 1] == 1


def test_more_patterns_extend_the_same_plan(monkeypatch):
    only_drawn(monkeypatch)
    scores = graded(4, 60)
    counts = []
    for m in (256, 300, 1_000):
        counts.append(signflip_all_pairs(scores, n_resamples=m).pvalue[0] * (m + 1) - 1)
    assert np.all(np.diff(np.rint(counts)[:, 1:], axis=0) >= 0)
    other = signflip_all_pairs(scores, n_resamples=256, seed=1).pvalue[0] * 257 - 1
    assert not np.array_equal(np.rint(other[1:]), np.rint(counts[0][1:]))


@given(
    st.integers(0, 10**6), st.integers(2, 5), st.integers(1, 30), st.sampled_from([0.0, 0.3, 0.9])
)
def test_missing_items_are_items_left_out(seed, n_systems, n_items, absent):
    scores = np.rint(2 * graded(n_systems, n_items, seed=seed, missing=absent))
    result = signflip_all_pairs(scores, n_resamples=99)
    for i, j in itertools.combinations(range(n_systems), 2):
        shared = ~np.isnan(scores[[i, j]]).any(axis=0)
        if not shared.any():
            assert math.isnan(result.pvalue[i, j])
            assert result.method[i, j] == PairMethod.NOT_TESTABLE
            continue
        alone = signflip_all_pairs(scores[np.ix_([i, j], shared)], n_resamples=99)
        assert result.pvalue[i, j] == pytest.approx(alone.pvalue[0, 1], rel=1e-9)


def test_groups_of_one_item_are_items():
    scores = graded(4, 50, missing=0.1)
    expected = signflip_all_pairs(scores, n_resamples=500)
    for groups in ([None] * 50, range(50), [f"g{i}" for i in range(50)]):
        result = signflip_all_pairs(scores, groups=groups, n_resamples=500)
        np.testing.assert_array_equal(result.pvalue, expected.pvalue)


def test_ties_of_decimals_count_as_ties(monkeypatch):
    only_drawn(monkeypatch)
    # Every pattern has the observed sum or one further out; in floating point many miss it.
    scores = np.array([[0.3, 0.8, 0.1, 0.6], [0.2, 0.7, 0.2, 0.7]]).repeat(10, axis=1)
    assert signflip_all_pairs(scores, n_resamples=500).pvalue[0, 1] == 1
    scores = np.concatenate([scores, scores[::-1] + 0.05])
    assert signflip_all_pairs(scores, n_resamples=500).pvalue[0, 1] == 1


@pytest.mark.parametrize(
    "scores",
    [
        np.zeros((0, 5)),
        np.zeros((1, 5)),
        np.zeros((3, 0)),
        np.full((3, 4), NAN),
        [[1.0, NAN], [NAN, 2.0]],
    ],
)
def test_nothing_to_test(scores):
    result = signflip_all_pairs(scores)
    assert result.pvalue.shape == (len(scores), len(scores))
    assert np.all(np.isnan(result.pvalue))
    assert not np.any(result.method)


def test_one_item_and_constant_scores():
    assert signflip_all_pairs([[0.3], [0.7], [0.3]]).pvalue[0].tolist()[1:] == [1, 1]
    result = signflip_all_pairs(np.full((3, 40), 0.123))
    assert np.all(result.pvalue[np.triu_indices(3, 1)] == 1)
    assert np.all(result.floor[np.triu_indices(3, 1)] == 1)
    shifted = signflip_all_pairs([[0.1] * 40, [0.2] * 40])
    assert shifted.pvalue[0, 1] == pytest.approx(2.0**-39)


def test_results_are_locked():
    result = signflip_all_pairs(graded(3, 30), n_resamples=9)
    for matrix in result:
        with pytest.raises(ValueError, match="read-only"):
            matrix[0, 1] = 0


@pytest.mark.parametrize(
    ("options", "error", "match"),
    [
        ({"scores": [1.0, 2.0]}, ValueError, "`scores` must be 2-D"),
        ({"scores": [["a", "b"]]}, TypeError, "`scores` must hold numbers"),
        ({"scores": [[1.0, math.inf], [0.0, 1.0]]}, ValueError, "inf for system 0, item 1"),
        ({"alternative": "larger"}, ValueError, "`alternative` must be one of"),
        ({"n_resamples": 0}, ValueError, "`n_resamples` must be at least 1"),
        ({"seed": -1}, ValueError, "must not be negative"),
        ({"groups": ["x"]}, ValueError, "`groups` must have a label for each of 2 items"),
    ],
)
def test_errors_name_the_argument(options, error, match):
    with pytest.raises(error, match=match):
        signflip_all_pairs(**{"scores": [[1.0, 2.0], [0.0, 1.0]], **options})


def test_progress_can_cancel():
    told = []

    def stop(done, total):
        told.append((done, total))
        if done >= 512:
            raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        signflip_all_pairs(graded(40, 1_000), n_resamples=256 * 1_000, progress=stop)
    assert told == [(256, 256_000), (512, 256_000)]
    told.clear()
    with pytest.raises(RuntimeError, match="enough"):
        signflip_all_pairs(graded(4, 60), n_resamples=256 * 1_000, progress=stop)
    assert told == [(256 * 16, 256_000)]
