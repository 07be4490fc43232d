import math

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scipy import stats

from analysis.statistics.across.replicability import (
    COMBINATIONS,
    analyse_replicability,
    direct_pvalues,
    partial_conjunction,
)
from analysis.statistics.multiplicity import adjust
from analysis.statistics.signature import METHOD_VERSION

# At .05 these sizes make m * p <= alpha and p <= alpha / m disagree in floating point.
TRAPS = (11, 22, 44, 75, 88, 150)

alphas = st.sampled_from([0.05, 0.01, 0.1, 0.001])
thresholds = st.builds(
    lambda m, alpha, steps: float(alpha / m * (1 + steps * 2**-52)),
    st.integers(1, 160),
    alphas,
    st.integers(-2, 2),
)
probabilities = st.one_of(st.floats(0, 1), thresholds, st.sampled_from([0.0, 1.0]))
pvalue_lists = st.lists(st.one_of(probabilities, st.just(math.nan)), max_size=40)
methods = st.sampled_from(sorted(COMBINATIONS))


def by_definition(pvalues, method):
    """Combine the N - u + 1 largest p-values for each u, one by one."""
    ascending = np.sort(pvalues)
    n = len(ascending)
    if method == "bonferroni":
        return [min(1, (n - u) * ascending[u]) for u in range(n)]
    if method == "simes":
        return [min((n - u) * p / (j + 1) for j, p in enumerate(ascending[u:])) for u in range(n)]
    return [stats.combine_pvalues(ascending[u:], method=method).pvalue for u in range(n)]


@pytest.mark.parametrize("method", COMBINATIONS)
@pytest.mark.parametrize("size", [1, 2, 5, 30])
def test_partial_conjunction_by_definition(method, size):
    pvalues = np.random.default_rng(size).random(size) ** 2
    np.testing.assert_allclose(
        partial_conjunction(pvalues, method), by_definition(pvalues, method), rtol=1e-11
    )


# R's metap moves a p-value of 1 to just below it; here it makes Stouffer's result 1.
R_CURVES = [
    (method, sample)
    for method in COMBINATIONS
    for sample in ("uniform10", "mixed12", "ties8", "mixed25")
    if (method, sample) != ("stouffer", "ties8")
]


@pytest.mark.shared
@pytest.mark.parametrize(("method", "sample"), R_CURVES)
def test_partial_conjunction_equals_r(method, sample, r_inputs, r_reference):
    curve = partial_conjunction(r_inputs["pvalues"][sample], method)
    expected = r_reference["pvalues"][sample][f"pc_{method}"]
    np.testing.assert_allclose(curve, expected, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("method", COMBINATIONS)
def test_rows_are_analysed_one_by_one(method):
    rows = np.random.default_rng(0).random((3, 4, 7))
    curves = partial_conjunction(rows, method, monotone=True)
    for place in np.ndindex(3, 4):
        single = partial_conjunction(rows[place], method, monotone=True)
        np.testing.assert_allclose(curves[place], single, rtol=1e-14)


@pytest.mark.parametrize("method", COMBINATIONS)
def test_the_last_entry_is_the_largest_pvalue_itself(method):
    pvalues = np.random.default_rng(1).random(50)
    assert partial_conjunction(pvalues, method)[-1] == pvalues.max()
    assert partial_conjunction([0.05], method).tolist() == [0.05]


@pytest.mark.parametrize(
    ("method", "pvalues", "expected"),
    [
        ("fisher", [0, 0.5], [0, 0.5]),
        ("fisher", [0, 1], [0, 1]),
        ("fisher", [1, 1], [1, 1]),
        ("fisher", [0, 0], [0, 0]),
        ("stouffer", [0, 0.5], [0, 0.5]),
        ("stouffer", [0, 1], [1, 1]),
        ("stouffer", [0.001, 1], [1, 1]),
        ("stouffer", [0, 0, 1], [1, 1, 1]),
        ("simes", [0, 1], [0, 1]),
        ("bonferroni", [0, 0.4, 0.6], [0, 0.8, 0.6]),
        ("bonferroni", [0.9, 0.9], [1, 0.9]),
    ],
)
def test_zero_and_one_are_handled_exactly(method, pvalues, expected):
    assert partial_conjunction(pvalues, method).tolist() == expected


def test_fisher_far_out_does_not_vanish():
    assert partial_conjunction([1e-11, 1e-11], "fisher")[0] == pytest.approx(
        stats.chi2.sf(-4 * math.log(1e-11), 4), rel=1e-12
    )
    assert partial_conjunction([1e-100, 1e-100], "fisher")[0] > 0


@given(pvalue_lists, methods)
def test_curves_are_probabilities_and_monotone(pvalues, method):
    curve = partial_conjunction(pvalues, method, monotone=True)
    assert curve.size == np.count_nonzero(~np.isnan(pvalues))
    assert np.all((curve >= 0) & (curve <= 1))
    assert np.all(np.diff(curve) >= 0)


@given(st.lists(probabilities, min_size=1, max_size=20), methods, st.data())
def test_a_smaller_pvalue_never_weakens_the_evidence(pvalues, method, data):
    place = data.draw(st.integers(0, len(pvalues) - 1))
    smaller = list(pvalues)
    smaller[place] *= data.draw(st.floats(0, 1))
    before = partial_conjunction(pvalues, method, monotone=True)
    after = partial_conjunction(smaller, method, monotone=True)
    assert np.all(after <= before * (1 + 1e-9))


@given(pvalue_lists, alphas)
def test_k_bonferroni_is_the_number_that_holm_rejects(pvalues, alpha):
    result = analyse_replicability(pvalues, alpha=alpha)
    holm = adjust(pvalues, "holm", alpha=alpha)
    assert result.k_bonferroni == result.identified["holm"].sum() == holm.rejected.sum()
    identified = result.pvalues[result.identified["holm"]]
    assert (
        sorted(identified) == sorted(result.pvalues[~np.isnan(result.pvalues)])[: len(identified)]
    )


@pytest.mark.parametrize("m", TRAPS)
@given(where=st.integers(0, 200), ulps=st.integers(-2, 2))
@example(where=0, ulps=0)
def test_k_bonferroni_equals_holm_where_p_is_alpha_over_m(m, where, ulps):
    pvalues = np.full(m, 0.9)
    p = 0.05 / m
    for _ in range(abs(ulps)):
        p = np.nextafter(p, np.sign(ulps))
    pvalues[where % m] = p
    result = analyse_replicability(pvalues)
    assert result.k_bonferroni == result.identified["holm"].sum()
    assert result.identified["holm"].sum() == result.identified["bonferroni"].sum()


def test_the_traps_are_traps():
    assert all(m * (0.05 / m) > 0.05 for m in TRAPS)


@pytest.mark.parametrize("m", TRAPS)
def test_a_staircase_of_thresholds_keeps_both_counts_equal(m):
    pvalues = 0.05 / np.arange(m, 0, -1)
    result = analyse_replicability(pvalues)
    assert result.k_bonferroni == result.identified["holm"].sum()


@given(pvalue_lists, st.randoms(use_true_random=False))
def test_order_of_datasets_does_not_matter(pvalues, random):
    order = list(range(len(pvalues)))
    random.shuffle(order)
    result = analyse_replicability(pvalues)
    shuffled = analyse_replicability([pvalues[i] for i in order])
    for method in COMBINATIONS:
        np.testing.assert_array_equal(
            result.partial_conjunction[method], shuffled.partial_conjunction[method]
        )
    for method, identified in result.identified.items():
        np.testing.assert_array_equal(shuffled.identified[method], identified[order])


@given(pvalue_lists)
def test_nan_equals_leaving_the_dataset_out(pvalues):
    values = np.array(pvalues, dtype=float)
    testable = ~np.isnan(values)
    result, alone = analyse_replicability(values), analyse_replicability(values[testable])
    assert result.n_datasets == alone.n_datasets == testable.sum()
    assert result.n_untestable == (~testable).sum()
    for name in ("count", *COMBINATIONS):
        assert getattr(result, f"k_{name}") == getattr(alone, f"k_{name}")
    for method, identified in result.identified.items():
        assert not identified[~testable].any()
        np.testing.assert_array_equal(identified[testable], alone.identified[method])
        assert np.all(np.isnan(result.pvalues_adjusted[method][~testable]))


@given(pvalue_lists)
def test_bonferroni_never_exceeds_simes_or_the_count(pvalues):
    result = analyse_replicability(pvalues)
    assert result.k_bonferroni <= min(result.k_simes, result.k_count)


@pytest.mark.parametrize("pvalues", [[], [np.nan, np.nan]])
def test_nothing_testable_gives_zeros(pvalues):
    result = analyse_replicability(pvalues)
    assert result.n_datasets == 0
    assert result.n_untestable == len(pvalues)
    counts = (result.k_count, result.k_bonferroni, result.k_fisher, result.k_simes)
    assert (*counts, result.k_stouffer) == (0, 0, 0, 0, 0)
    assert all(curve.size == 0 for curve in result.partial_conjunction.values())
    assert all(identified.size == len(pvalues) for identified in result.identified.values())


def test_signature_and_assumptions():
    result = analyse_replicability([0.01, np.nan], alpha=0.1)
    assert (
        result.signature
        == "replicability|n:1|untestable:1 not counted|alpha:0.1|v:" + METHOD_VERSION
    )
    assert "whatever the dependence" in result.assumes["bonferroni"]
    assert "independent" in result.assumes["fisher"]


def test_errors():
    with pytest.raises(ValueError, match="`method` must be one of 'bonferroni', 'fisher', 'simes'"):
        partial_conjunction([0.1], "tippett")
    with pytest.raises(ValueError, match=r"got 1\.5 at index \(1, 0\)"):
        partial_conjunction([[0.1], [1.5]], "fisher")
    with pytest.raises(ValueError, match="`pvalues` must not hold NaN when it has several rows"):
        partial_conjunction([[0.1], [np.nan]], "fisher")
    with pytest.raises(ValueError, match="along an axis, got a scalar"):
        partial_conjunction(0.1, "fisher")
    with pytest.raises(ValueError, match=r"`pvalues` must be 1-D .* got shape \(1, 1\)"):
        analyse_replicability([[0.1]])


@pytest.mark.parametrize(
    ("p", "sidedness", "difference", "a_over_b", "b_over_a"),
    [
        (0.02, "two-sided", 1.0, 0.01, 0.99),
        (0.02, "two-sided", -1.0, 0.99, 0.01),
        (0.02, "unstated", -1.0, 0.99, 0.01),
        (0.02, "greater", -1.0, 0.02, 0.98),
        (0.02, "less", -1.0, 1.0, 0.02),
        (0.02, "less", 1.0, 0.98, 0.02),
        (1.0, "two-sided", 0.0, 0.5, 0.5),
        (0.3, "two-sided", 0.0, math.nan, math.nan),
        (0.3, "two-sided", math.nan, math.nan, math.nan),
        (1.0, "two-sided", math.nan, math.nan, math.nan),
        (0.3, "greater", math.nan, 0.3, 1.0),
        (0.3, "less", 0.0, 1.0, 0.3),
        (1.0, "greater", -0.1, 1.0, 1.0),
        (0.3, "greater", 0.1, 0.3, 1.0),
        (math.nan, "two-sided", 1.0, math.nan, math.nan),
        (math.nan, "greater", 1.0, math.nan, math.nan),
        (0.0, "two-sided", 1.0, 0.0, 1.0),
    ],
)
def test_direct_pvalues_cases(p, sidedness, difference, a_over_b, b_over_a):
    result = direct_pvalues([p], sidedness, [difference])
    np.testing.assert_array_equal(result.a_over_b, [a_over_b])
    np.testing.assert_array_equal(result.b_over_a, [b_over_a])


def test_direct_pvalues_takes_one_sidedness_per_dataset():
    result = direct_pvalues([0.1, 0.1, 0.1], ["two-sided", "greater", "less"], [2, 2, 2])
    np.testing.assert_allclose(result.a_over_b, [0.05, 0.1, 0.9])
    empty = direct_pvalues([], "two-sided", [])
    assert empty.a_over_b.size == empty.b_over_a.size == 0


@given(
    st.lists(
        st.tuples(
            st.floats(0, 1),
            st.sampled_from([-1.0, 0.0, 2.0, math.nan]),
            st.sampled_from(["two-sided", "unstated", "greater", "less"]),
        ),
        max_size=12,
    )
)
def test_exchanging_the_systems_exchanges_the_directions(datasets):
    mirrored = {"greater": "less", "less": "greater"}
    pvalues = [p for p, _, _ in datasets]
    forward = direct_pvalues(pvalues, [s for _, _, s in datasets], [d for _, d, _ in datasets])
    backward = direct_pvalues(
        pvalues, [mirrored.get(s, s) for _, _, s in datasets], [-d for _, d, _ in datasets]
    )
    np.testing.assert_array_equal(forward.a_over_b, backward.b_over_a)
    np.testing.assert_array_equal(forward.b_over_a, backward.a_over_b)


def test_direct_pvalues_errors():
    with pytest.raises(ValueError, match=r"`difference` must have one value per p-value \(2\)"):
        direct_pvalues([0.1, 0.2], "two-sided", [1.0])
    with pytest.raises(ValueError, match=r"`sidedness` must have one value .* got shape \(1,\)"):
        direct_pvalues([0.1, 0.2], ["greater"], [1.0, 2.0])
    with pytest.raises(ValueError, match="`sidedness` must be one of 'two-sided', 'unstated'"):
        direct_pvalues([0.1], "left", [1.0])
