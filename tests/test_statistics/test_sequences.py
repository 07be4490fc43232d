"""Error control over a sequence of claims: alpha spending and online FDR."""

import json
import math
from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom, norm

from analysis.statistics.sequences.alpha_spending import (
    SPENDING,
    alpha_spending,
    spending_weights,
)
from analysis.statistics.sequences.online_fdr import ONLINE_RULES, online_fdr
from analysis.statistics.sequences.records import find_records
from analysis.statistics.signature import METHOD_VERSION

PVALUES = [0.4, 0.0002, 0.03, 0.9, 0.00001, 0.25, 0.6, 0.0004]
PVALUES += [0.0001, 0.45, 0.3, 0.99, 0.00005, 0.002, 0.7, 0.0003]

# Levels that the Python package online-fdr 1.0.0 gives for PVALUES at alpha = 0.05, with the
# initial wealth, and the thresholds, that are the defaults here.
# fmt: off
ONLINE_FDR_PACKAGE = {
    "lord-dependent": [
        0.0023239354, 0.0011619677, 0.001809924301, 0.0006755984774, 0.0003454000028,
        0.0003977235285, 0.0002661370077, 0.0001908277479, 0.0001437824253, 0.0001682303011,
        0.0001354153724, 0.0001115423544, 9.362062834e-05, 0.0001065762795, 9.206057288e-05,
        8.041901051e-05,
    ],
    "lord++": [
        0.0002675838546, 5.819102891e-05, 4.956249397e-05, 4.121803029e-05, 3.494434855e-05,
        0.002438484193, 0.0005503164813, 0.0004697885729, 0.003068205561, 0.003591739231,
        0.001367488709, 0.001163705915, 0.0009905131376, 0.003534556007, 0.004014881079,
        0.001754415104,
    ],
    "saffron": [
        0.005468627073, 0.005468627073, 0.01093725415, 0.01093725415, 0.003607948342,
        0.01454520249, 0.01454520249, 0.00549382939, 0.01643108354, 0.02736833768, 0.02736833768,
        0.02736833768, 0.01029195683, 0.02122921097, 0.03216646512, 0.01301066775,
    ],
    "addis": [
        0.002734313536, 0.0009019870854, 0.003636300622, 0.003636300622, 0.003636300622,
        0.009104927694, 0.009104927694, 0.009104927694, 0.01457355477, 0.02004218184,
        0.00678537986, 0.003597836608, 0.003597836608, 0.009066463681, 0.01453509075,
        0.01453509075,
    ],
}
DEPENDENT_HALF_WEALTH = [
    0.0209154186, 0.0104577093, 0.001304632687, 0.000486986034, 0.0002489718126, 0.0003357087413,
    0.0002246397647, 0.0001610730531, 0.0001213632425, 0.0001500405574, 0.0001207737122,
    9.948194189e-05, 8.349798562e-05, 9.776122793e-05, 8.444613281e-05, 7.376745798e-05,
]
# fmt: on
HELD = {
    "lord-dependent": [1, 4, 8, 12],
    "lord++": [4, 7, 8, 12, 13, 15],
    "saffron": [1, 4, 7, 8, 12, 13, 15],
    "addis": [1, 4, 7, 8, 12, 13, 15],
}

probabilities = st.one_of(st.floats(0, 1), st.sampled_from([0.0, 1.0, 1e-5, 0.001, 0.5]))
pvalue_lists = st.lists(probabilities, max_size=25)


def recycled(pvalues, **settings):
    return alpha_spending(pvalues, recycle=True, **settings)


def planned(pvalues, **settings):
    return alpha_spending(pvalues, spending="obrien-fleming", n_planned=40, **settings)


RULES = {
    "spending": alpha_spending,
    "recycled": recycled,
    "planned": planned,
    **{rule: lambda pvalues, rule=rule, **settings: online_fdr(pvalues, rule, **settings)
       for rule in ONLINE_RULES},
}  # fmt: skip
every_rule = pytest.mark.parametrize("rule", RULES)


@pytest.mark.parametrize("rule", ONLINE_RULES)
def test_levels_equal_the_online_fdr_package(rule):
    found = online_fdr(PVALUES, rule)
    np.testing.assert_allclose(found.levels, ONLINE_FDR_PACKAGE[rule], rtol=1e-9)
    assert np.flatnonzero(found.rejected).tolist() == HELD[rule]


def test_levels_of_lord_dependent_with_half_the_wealth():
    found = online_fdr(PVALUES, initial_wealth=0.025)
    np.testing.assert_allclose(found.levels, DEPENDENT_HALF_WEALTH, rtol=1e-9)


def saffron_by_definition(pvalues, alpha, candidate, discard):
    """Return ADDIS' levels from its definition; with `discard` 1 they are SAFFRON's."""
    levels, held = [], []
    for now in range(len(pvalues)):

        def clock(start, now=now):
            kept = [p for p in pvalues[start:now] if candidate < p <= discard]
            return 0.4374901658 * (len(kept) + 1) ** -1.6

        total = alpha / 2 * clock(0)
        total += sum((alpha if k else alpha / 2) * clock(t + 1) for k, t in enumerate(held))
        levels.append(min(candidate, (discard - candidate) * total))
        if pvalues[now] <= levels[-1]:
            held.append(now)
    return levels


@given(pvalue_lists, st.sampled_from([0.01, 0.05, 0.2]))
def test_saffron_and_addis_by_definition(pvalues, alpha):
    for rule, candidate, discard in (("saffron", 0.5, 1.0), ("addis", 0.25, 0.5)):
        expected = saffron_by_definition(pvalues, alpha, candidate, discard)
        found = online_fdr(pvalues, rule, alpha=alpha)
        np.testing.assert_allclose(found.levels, expected, rtol=1e-12)


def test_shares_of_every_rule_add_up_to_one_at_most():
    order = np.arange(1.0, 2_000_001)
    log = np.log(np.maximum(order, 2))
    # Rest of the sums beyond the last term, by integrals.
    end = math.log(2_000_000.5)
    dependent = 0.139307 * (
        np.sum((1 + np.log(order)) / (order * log**3)) + 1 / end + 1 / (2 * end**2)
    )
    assert dependent == pytest.approx(1, abs=5e-6)
    root = math.sqrt(end)
    rest = 2 * math.exp(-root) * (root**3 + 3 * root**2 + 6 * root + 6)
    lord = 0.07720838 * (np.sum(log / (order * np.exp(np.sqrt(np.log(order))))) + rest)
    assert 0.97 < lord < 1
    steep = np.sum(0.4374901658 * order**-1.6) + 0.4374901658 / 0.6 * 2_000_000.5**-0.6
    assert steep == pytest.approx(1, abs=1e-8)


def test_zeta_weights_by_hand():
    expected = 6 / math.pi**2 / np.arange(1, 6) ** 2
    np.testing.assert_allclose(spending_weights(5), expected, rtol=1e-14)
    np.testing.assert_allclose(alpha_spending([1] * 5).levels, 0.05 * expected, rtol=1e-14)


def test_planned_weights_by_hand():
    np.testing.assert_allclose(spending_weights(3, "equal", n_planned=2), [0.5, 0.5, 0])
    np.testing.assert_allclose(
        spending_weights(3, "harmonic", n_planned=3), [6 / 11, 3 / 11, 2 / 11]
    )
    # Lan and DeMets (1983): 2 - 2 Phi(z / sqrt(t)) has spent 0.00557 of 0.05 half way.
    half = spending_weights(2, "obrien-fleming", alpha=0.05, n_planned=2)
    np.testing.assert_allclose(0.05 * half, [0.0055746, 0.0444254], atol=1e-7)


@pytest.mark.parametrize("spending", SPENDING)
def test_weights_spend_all_and_no_more(spending):
    settings = {} if spending == "zeta" else {"n_planned": 500}
    weights = spending_weights(500, spending, **settings)
    assert np.all(weights >= 0)
    assert weights.sum() <= 1 + 1e-12
    assert weights.sum() == pytest.approx(1, abs=0.002)
    assert spending_weights(0, spending, **settings).size == 0


def test_recycling_hands_on_the_level_of_claims_that_hold():
    found = recycled([0.001, 0.03, 0.9, 0.0])
    budgets = alpha_spending([1] * 4).levels
    expected = [budgets[0], budgets[:2].sum(), budgets[:3].sum(), budgets[3]]
    np.testing.assert_allclose(found.levels, expected)
    assert found.rejected.tolist() == [True, True, False, True]


@given(pvalue_lists)
def test_recycling_keeps_every_claim(pvalues):
    plain, handed_on = alpha_spending(pvalues), recycled(pvalues)
    assert np.all(handed_on.levels >= plain.levels)
    assert np.all(handed_on.rejected >= plain.rejected)


@every_rule
@given(pvalue_lists, pvalue_lists)
def test_later_claims_change_nothing(rule, pvalues, later):
    first = RULES[rule](pvalues)
    both = RULES[rule](pvalues + later)
    np.testing.assert_array_equal(both.levels[: len(pvalues)], first.levels)
    np.testing.assert_array_equal(both.wealth[: len(pvalues)], first.wealth)


@pytest.mark.parametrize("rule", [rule for rule in RULES if rule != "addis"])
@given(pvalue_lists, st.data())
def test_smaller_pvalues_keep_every_claim(rule, pvalues, data):
    # Not so in ADDIS, where a p-value costs once it is below the discarding threshold.
    shrunk = [p * data.draw(st.floats(0, 1)) for p in pvalues]
    before, after = RULES[rule](pvalues), RULES[rule](shrunk)
    assert np.all(after.rejected >= before.rejected)


@every_rule
@given(pvalue_lists, st.sampled_from([0.01, 0.05, 0.5]))
def test_result_is_consistent(rule, pvalues, alpha):
    found = RULES[rule](pvalues, alpha=alpha)
    assert np.all((found.levels >= 0) & (found.levels < 1))
    np.testing.assert_array_equal(found.rejected, found.pvalues_sequential <= alpha)
    np.testing.assert_array_equal(
        found.rejected, (found.pvalues <= found.levels) & (found.levels > 0)
    )
    assert np.all(found.wealth >= -1e-15)
    assert not found.levels.flags.writeable
    json.dumps(found.to_dict(), allow_nan=False)


@every_rule
@given(st.lists(st.one_of(probabilities, st.just(math.nan)), max_size=15))
def test_nan_counts_like_a_pvalue_of_one(rule, pvalues):
    values = np.array(pvalues, dtype=float)
    found = RULES[rule](values)
    ones = RULES[rule](np.where(np.isnan(values), 1.0, values))
    np.testing.assert_array_equal(found.levels, ones.levels)
    np.testing.assert_array_equal(found.rejected, ones.rejected)
    np.testing.assert_array_equal(np.isnan(found.pvalues_sequential), np.isnan(values))
    assert found.n_untestable == np.isnan(values).sum()


@every_rule
@given(st.lists(probabilities, min_size=1, max_size=12), st.data())
def test_looks_without_a_claim_count_like_pvalues_of_one(rule, pvalues, data):
    gaps = data.draw(st.lists(st.integers(1, 4), min_size=len(pvalues), max_size=len(pvalues)))
    looks = np.cumsum(gaps)
    spread = np.ones(looks[-1])
    spread[looks - 1] = pvalues
    found = RULES[rule](pvalues, looks=looks)
    np.testing.assert_array_equal(found.levels, RULES[rule](spread).levels[looks - 1])
    assert found.n_looks == looks[-1]


@pytest.mark.parametrize("rule", ["spending", "recycled", "planned", "saffron", "lord++"])
def test_systems_below_the_best_need_no_test(rule):
    pvalues = np.random.default_rng(5).random(60) ** 4
    claims = np.flatnonzero(pvalues < 0.5)
    everything = RULES[rule](pvalues)
    only = RULES[rule](pvalues[claims], looks=claims + 1)
    np.testing.assert_array_equal(only.rejected, everything.rejected[claims])


def test_nothing_holds_after_the_planned_looks():
    found = alpha_spending([0.0, 0.0, 0.0], spending="equal", n_planned=2)
    assert found.rejected.tolist() == [True, True, False]
    assert found.pvalues_sequential[2] > 0.05
    assert found.wealth.tolist() == [0.025, 0, 0]


@every_rule
def test_empty_sequence(rule):
    found = RULES[rule]([])
    assert (found.levels.size, found.n_looks, found.n_untestable) == (0, 0, 0)
    assert "v:" in str(found)


def test_result_states_what_it_controls():
    spent = alpha_spending([0.001, math.nan], looks=[1, 7])
    assert spent.signature == (
        "alpha-spending|m:2|looks:7|untestable:1|weights:zeta|exponent:2.0|alpha:0.05|v:"
        + METHOD_VERSION
    )
    assert spent.controls == "family-wise error"
    assert "any way" in spent.assumes
    assert "not testable" in str(spent)
    earned = online_fdr([0.2], "addis")
    assert earned.signature == (
        "addis|m:1|looks:1|untestable:0|w0:0.025|candidate:0.25|discard:0.5|alpha:0.05|v:"
        + METHOD_VERSION
    )
    assert "share a test set" in earned.assumes
    assert "any way" in online_fdr([0.2]).assumes


@cache
def drawn(draw, n_sequences):
    return [draw(np.random.default_rng([11, sequence])) for sequence in range(n_sequences)]


def false_claims(draw, rule, n_sequences):
    """Return how many sequences have a false claim that holds, and the mean false share."""
    any_false, shares = 0, 0.0
    for pvalues, without_effect, looks in drawn(draw, n_sequences):
        held = RULES[rule](pvalues, looks=looks).rejected
        n_false = int((held & without_effect).sum())
        any_false += n_false > 0
        shares += n_false / max(int(held.sum()), 1)
    return any_false, shares / n_sequences


def independent(rng):
    return rng.random(30), np.ones(30, dtype=bool), None


def one_baseline(rng):
    """Return p-values of 30 systems as good as one baseline, on the same items."""
    z = (rng.standard_normal(30) + rng.standard_normal()) / math.sqrt(2)
    return norm.sf(z), np.ones(30, dtype=bool), None


def half_real(rng):
    without_effect = rng.random(30) < 0.5
    z = (rng.standard_normal(30) + rng.standard_normal()) / math.sqrt(2)
    return norm.sf(z + np.where(without_effect, 0, 4)), without_effect, None


def leaderboard(rng):
    """Return the records among 30 equal systems on 200 shared items, by exact McNemar."""
    solved = rng.standard_normal(200) + rng.standard_normal((30, 200)) > 0
    found = find_records(solved.mean(axis=1))
    places = np.flatnonzero(found.is_record)[1:]
    change = solved[places].astype(int) - solved[found.previous[places]]
    pvalues = binom.sf((change > 0).sum(axis=1) - 1, (change != 0).sum(axis=1), 0.5)
    return pvalues, np.ones(places.size, dtype=bool), found.looks[places]


def by_claim(solved):
    """Return the records among equal systems, numbered by claim, with two-sided p-values."""
    found = find_records(solved.mean(axis=1))
    places = np.flatnonzero(found.is_record)[1:]
    change = solved[places].astype(int) - solved[found.previous[places]]
    tails = binom.sf((change > 0).sum(axis=1) - 1, (change != 0).sum(axis=1), 0.5)
    return np.minimum(2 * tails, 1.0), np.ones(places.size, dtype=bool), None


def records_of_equals(rng):
    return by_claim(rng.standard_normal(200) + rng.standard_normal((30, 200)) > 0)


def children_of_the_best(rng):
    """Return records where each system keeps 90 % of the answers of the best one before it."""
    solved = rng.random((30, 200)) < 0.7
    for place in range(1, len(solved)):
        best = solved[np.argmax(solved[:place].sum(axis=1))]
        solved[place] = np.where(rng.random(200) < 0.9, best, solved[place])
    return by_claim(solved)


@every_rule
@pytest.mark.parametrize(
    "draw", [independent, one_baseline, leaderboard, records_of_equals, children_of_the_best]
)
def test_a_false_claim_hardly_ever_holds(draw, rule, calibrate_repetitions):
    any_false, _ = false_claims(draw, rule, calibrate_repetitions)
    # With nothing true, the false discovery rate is the chance of any false claim.
    assert any_false <= binom.ppf(0.9999, calibrate_repetitions, 0.05)


@every_rule
def test_false_share_among_real_gains(rule, calibrate_repetitions):
    any_false, share = false_claims(half_real, rule, calibrate_repetitions)
    # The claims depend on each other through the baseline, for which SAFFRON is not made.
    assert share <= (0.05 if rule != "saffron" else 0.07)
    if rule in ("spending", "recycled", "planned"):
        assert any_false <= binom.ppf(0.9999, calibrate_repetitions, 0.05)


def test_numbering_records_instead_of_looks_needs_two_sided_pvalues():
    # Only gains are claimed: without effect, one-sided p-values of claims are below 1/2.
    pvalues = np.random.default_rng(0).random((3_000, 20)) / 2
    one_sided = np.mean([alpha_spending(row).rejected.any() for row in pvalues])
    two_sided = np.mean([alpha_spending(2 * row).rejected.any() for row in pvalues])
    assert 0.08 < one_sided < 0.1
    assert two_sided <= 0.05 + 3 * math.sqrt(0.05 * 0.95 / 3_000)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"pvalues": [2.0]}, "`pvalues` must lie between 0 and 1"),
        ({"pvalues": [[0.1]]}, "`pvalues` must be 1-D"),
        ({"alpha": 1}, "`alpha` must lie strictly between 0 and 1"),
        ({"looks": [1, 2]}, r"`looks` must hold one number per p-value, shape \(1,\), got \(2,\)"),
        ({"looks": [0]}, "`looks` must be whole numbers from 1 that grow"),
        ({"looks": [1.5]}, "`looks` must be whole numbers"),
        ({"looks": [math.nan]}, "`looks` must be whole numbers"),
        ({"looks": [10**9]}, "`looks` must not be above 1000000"),
        ({"pvalues": [0.1, 0.2], "looks": [3, 3]}, "that grow from claim to claim"),
    ],
)
def test_wrong_sequences_are_refused(arguments, message):
    for rule in RULES.values():
        with pytest.raises(ValueError, match=message):
            rule(**{"pvalues": [0.1], **arguments})


def test_wrong_spending_is_refused():
    with pytest.raises(ValueError, match="`spending` must be one of 'zeta'"):
        alpha_spending([0.1], spending="pocock")
    with pytest.raises(ValueError, match="`n_planned` is needed with spending='equal'"):
        alpha_spending([0.1], spending="equal")
    with pytest.raises(ValueError, match="`n_planned` is of no use with spending='zeta'"):
        alpha_spending([0.1], n_planned=3)
    with pytest.raises(ValueError, match="`n_planned` must be at least 1, got 0"):
        alpha_spending([0.1], spending="equal", n_planned=0)
    with pytest.raises(ValueError, match="`n_planned` must not be above"):
        spending_weights(3, "harmonic", n_planned=10**8)
    with pytest.raises(ValueError, match=r"`exponent` must be finite and above 1 .* got 1\.0"):
        alpha_spending([0.1], exponent=1)
    with pytest.raises(TypeError, match="`exponent` must be a number"):
        alpha_spending([0.1], exponent="two")
    with pytest.raises(ValueError, match="`n_looks` must not be negative"):
        spending_weights(-1)


def test_wrong_online_constants_are_refused():
    with pytest.raises(ValueError, match="`rule` must be one of 'lord-dependent'"):
        online_fdr([0.1], "lond")
    with pytest.raises(ValueError, match="`initial_wealth` must lie strictly between"):
        online_fdr([0.1], initial_wealth=0)
    with pytest.raises(ValueError, match=r"`initial_wealth` must not be above 0\.025 with lord-d"):
        online_fdr([0.1], initial_wealth=0.03)
    with pytest.raises(ValueError, match=r"`initial_wealth` must not be above 0\.05 with saffron"):
        online_fdr([0.1], "saffron", initial_wealth=0.06)
    with pytest.raises(ValueError, match=r"`candidate_below` is not a constant of lord\+\+"):
        online_fdr([0.1], "lord++", candidate_below=0.5)
    with pytest.raises(ValueError, match="`discard_above` is not a constant of saffron"):
        online_fdr([0.1], "saffron", discard_above=0.5)
    with pytest.raises(ValueError, match="`candidate_below` must be below `discard_above`"):
        online_fdr([0.1], "addis", candidate_below=0.6)
