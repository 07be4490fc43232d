import json
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import special, stats
from statsmodels.stats.contingency_tables import mcnemar as of_statsmodels

from analysis.statistics.paired.mcnemar import VARIANTS, mcnemar

R_NAMES = {
    "exact": "mcnemar_exact",
    "midp": "mcnemar_midp",
    "chi2": "mcnemar_chi2",
    "chi2-cc": "mcnemar_chi2_cc",
}


def scores(only_a, only_b, both=3):
    a = np.repeat([1.0, 0.0, 1.0], [only_a, only_b, both])
    return a, np.repeat([0.0, 1.0, 1.0], [only_a, only_b, both])


@pytest.mark.shared
@pytest.mark.parametrize("sample", ["binary", "binary_small"])
@pytest.mark.parametrize("variant", VARIANTS)
def test_variants_equal_r(variant, sample, r_inputs, r_reference):
    expected = r_reference["paired"][sample][R_NAMES[variant]]
    result = mcnemar(**r_inputs["paired"][sample], variant=variant)
    assert result.pvalue == pytest.approx(expected, rel=1e-10)


@pytest.mark.shared
@pytest.mark.parametrize("threshold", [45, 50, 55])
def test_variants_on_the_scores_of_dror_2018(threshold, shared_folder):
    values = json.loads(
        (shared_folder / "reference/seed_systems/testSignificanceNLP.json").read_text()
    )[f"mcnemar_thr{threshold}"]
    a, b = (
        (np.loadtxt(shared_folder / "data/dror2018" / name) >= threshold).astype(float)
        for name in ("resA.txt", "resB.txt")
    )
    names = ("p_exact", "p_midp", "p_original_chi2_nocc", "p_chi2_cc")
    for variant, name in zip(VARIANTS, names, strict=True):
        assert mcnemar(a, b, variant=variant).pvalue == pytest.approx(values[name], rel=1e-10)


@pytest.mark.parametrize(("only_a", "only_b"), [(3, 9), (40, 61), (0, 5), (7, 6)])
def test_chi_squared_equals_statsmodels(only_a, only_b):
    for variant, correction in (("chi2", False), ("chi2-cc", True)):
        table = [[0, only_a], [only_b, 0]]
        expected = of_statsmodels(table, exact=False, correction=correction)
        result = mcnemar(*scores(only_a, only_b), variant=variant)
        assert result.statistic == pytest.approx(expected.statistic)
        assert result.pvalue == pytest.approx(expected.pvalue, rel=1e-10)
        assert result.statistic_name == "chi2"


@given(st.integers(0, 30), st.integers(0, 30))
def test_mid_p_weighs_the_observed_count_half(only_a, only_b):
    n = only_a + only_b
    chances = stats.binom.pmf(np.arange(n + 1), n, 0.5)
    above = chances[only_a + 1 :].sum() + chances[only_a] / 2
    below = chances[:only_a].sum() + chances[only_a] / 2
    a, b = scores(only_a, only_b)
    result = {
        side: mcnemar(a, b, variant="midp", alternative=side).pvalue
        for side in ("two-sided", "greater", "less")
    }
    if n == 0:
        assert set(result.values()) == {1.0}
        return
    assert result["greater"] == pytest.approx(above, rel=1e-9)
    assert result["less"] == pytest.approx(below, rel=1e-9)
    assert result["two-sided"] == pytest.approx(min(1, 2 * min(above, below)), rel=1e-9)
    assert result["two-sided"] <= mcnemar(a, b).pvalue


@pytest.mark.parametrize("variant", VARIANTS)
def test_one_sided_pvalues_halve_the_two_sided(variant):
    a, b = scores(25, 11)
    both = mcnemar(a, b, variant=variant).pvalue
    assert mcnemar(a, b, variant=variant, alternative="greater").pvalue == pytest.approx(both / 2)
    assert mcnemar(a, b, variant=variant, alternative="less").pvalue > 0.9
    assert mcnemar(b, a, variant=variant, alternative="less").pvalue == pytest.approx(both / 2)


def test_continuity_correction_stops_at_equality():
    assert mcnemar(*scores(4, 4), variant="chi2-cc").pvalue == 1
    assert mcnemar(*scores(4, 3), variant="chi2-cc").pvalue == 1
    one_sided = mcnemar(*scores(9, 4), variant="chi2-cc", alternative="greater")
    assert one_sided.pvalue == pytest.approx(special.ndtr(-4 / math.sqrt(13)))


@pytest.mark.parametrize("variant", VARIANTS)
def test_many_wins_never_give_zero(variant):
    result = mcnemar(*scores(5_000, 0), variant=variant)
    assert 0 < result.pvalue < 1e-300
    assert result.exact is (variant == "exact")


def test_variant_must_be_known():
    with pytest.raises(ValueError, match="`variant` must be one of 'exact', 'midp', 'chi2'"):
        mcnemar([1], [0], variant="yates")
