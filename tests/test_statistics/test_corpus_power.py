"""Power of comparisons by BLEU against the paper's notebook, brute force and real translations."""

import json
import math

import numpy as np
import pytest
import sacrebleu
from hypothesis import given
from hypothesis import strategies as st
from scipy import optimize, stats

from analysis.statistics.aggregate import aggregate_items
from analysis.statistics.planning.corpus import power as corpus_power_module
from analysis.statistics.planning.corpus import simulation as corpus_simulation
from analysis.statistics.planning.corpus.effects import CARD_EFFECTS, exchange_effects
from analysis.statistics.planning.corpus.power import (
    corpus_detectable_difference,
    corpus_items_needed,
    corpus_power,
)
from analysis.statistics.planning.corpus.simulation import Draws, draw_effects, judge_draws
from analysis.statistics.random_streams import Stream, random_uniforms
from analysis.statistics.resampling.plan import sign_codes, signs_of
from analysis.statistics.resampling.threads import run_blocks
from analysis.statistics.results import DegenerateDataWarning
from analysis.statistics.signature import METHOD_VERSION
from tests.test_statistics.pairs import signflip

CARD = {"p_zero": 0.13, "scale": 25.8}
SIDES = ["two-sided", "greater", "less"]

shares = st.floats(0, 0.9)
scales = st.floats(0.1, 100)


@pytest.fixture(scope="module")
def card(shared_folder):
    path = shared_folder / "reference/seed_systems/card_power.json"
    return json.loads(path.read_text())["bleu"]


def of_case(case):
    """Return arguments of `corpus_power` from a label such as "P0=0.13,N=2000,dB=1.0,b0=25.8"."""
    given = dict(part.split("=") for part in case.split(","))
    keywords = {"p_zero": float(given["P0"]), "scale": float(given["b0"])}
    return float(given["dB"]), int(given["N"]), keywords


def test_closed_form_agrees_with_the_reference(card):
    assert len(card) == 6
    for case, theirs in card.items():
        difference, n, keywords = of_case(case)
        ours = corpus_power(difference, n, **keywords)
        assert ours.power == pytest.approx(theirs["analytic_power_upper"], abs=1e-8)
        assert ours.std == pytest.approx(theirs["sd_obs"], rel=1e-12)
        assert ours.null_std == pytest.approx(theirs["sd_null"], rel=1e-12)


def test_simulation_agrees_with_what_the_notebook_prints(card):
    compared = 0
    for case, theirs in card.items():
        printed = [
            float(line.split("= ")[1])
            for line in theirs["notebook_seed2786345_500x1000"].splitlines()
        ]
        if not printed:
            continue
        difference, n, keywords = of_case(case)
        ours = corpus_power(difference, n, method="simulation", **keywords)
        mean, power, type_m, type_s = printed
        # Theirs are 500 comparisons.
        error = math.hypot(ours.standard_error, math.sqrt(power * (1 - power) / 500))
        assert abs(ours.power - power) <= 4 * error
        assert abs(ours.mean_difference - mean) <= 4 * ours.std * math.sqrt(1 / 500 + 1 / 1000)
        assert ours.type_m == pytest.approx(type_m, rel=0.1)
        assert ours.type_s == pytest.approx(type_s, abs=0.02)
        compared += 1
    assert compared == 4


def notebook(effects, difference, n_resamples, rng):
    """Judge comparisons as the notebook does: percentiles of random exchanges."""
    observed = -np.sum(effects, axis=1) / 2
    significant = np.zeros(len(effects), bool)
    for i, row in enumerate(effects):
        drawn = observed[i] + (rng.random((n_resamples, row.size)) > 0.5) @ row
        low, high = np.percentile(drawn, [2.5, 97.5])
        significant[i] = observed[i] >= high or observed[i] <= low
    right = significant & (np.sign(observed) == np.sign(difference))
    return np.mean(right), np.mean(np.abs(observed[significant])) / abs(difference)


def test_comparisons_are_judged_as_in_the_notebook():
    rng = np.random.default_rng(5)
    n, difference, n_resamples = 200, 2.7, 2_000
    mu, b = -2 * difference / (n * 0.87), 25.8 / n
    effects = rng.laplace(mu, b, (150, n)) * (rng.random((150, n)) >= 0.13)
    power, type_m = notebook(effects, difference, n_resamples, rng)
    halves = -effects.T / 2
    signed = np.concatenate([signs_of(sign_codes(0, block, n)) for block in range(8)]) @ halves
    draws = Draws(np.zeros((2_001, 150)), np.vstack([halves.sum(axis=0), signed[:2_000]]))
    found = judge_draws(draws, 0.0, 1.0, alpha=0.05, alternative="two-sided")
    # Only comparisons at the very edge may be judged otherwise by other exchanges.
    assert abs(found.above - power) <= 4 / 150
    assert found.size / difference == pytest.approx(type_m, rel=0.03)


@pytest.mark.parametrize(("n_items", "n_iterations", "n_resamples"), [(7, 3, 5), (2_100, 260, 300)])
def test_draws_are_items_times_signs(n_items, n_iterations, n_resamples):
    draws = draw_effects(n_items, 0.2, n_iterations=n_iterations, n_resamples=n_resamples, seed=3)
    j = n_iterations - 1
    tiles = range(-(-n_items // 1_024))
    block = j // 256
    uniforms = np.concatenate(
        [random_uniforms(3, Stream.POWER, (block << 32) + t, 1_024)[j % 256] for t in tiles]
    )[:n_items]
    matters = uniforms >= 0.2
    variates = np.where(matters, stats.laplace.ppf((uniforms - 0.2) / 0.8), 0.0)
    blocks = range(-(-n_resamples // 256))
    signs = np.concatenate([signs_of(sign_codes(3, block, n_items)) for block in blocks])[
        :n_resamples
    ]
    signs = np.vstack([np.ones(n_items), signs])
    np.testing.assert_array_equal(draws.moved[:, j], signs @ matters.astype(float))
    np.testing.assert_allclose(draws.wide[:, j], signs @ variates, atol=1e-9)


def test_draws_belong_to_items_and_comparisons(monkeypatch):
    few = draw_effects(50, 0.1, n_iterations=20, n_resamples=30, seed=1)
    many = draw_effects(50, 0.1, n_iterations=600, n_resamples=400, seed=1)
    np.testing.assert_array_equal(few.wide, many.wide[:31, :20])
    monkeypatch.setattr(
        corpus_simulation, "run_blocks", lambda work, n: run_blocks(work, n, n_threads=1)
    )
    alone = draw_effects(50, 0.1, n_iterations=600, n_resamples=400, seed=1)
    np.testing.assert_array_equal(alone.wide, many.wide)
    np.testing.assert_array_equal(alone.moved, many.moved)


def test_power_is_that_of_the_public_test():
    rng = np.random.default_rng(2)
    n, difference = 60, 5.0
    shift, spread = difference / (n * 0.87), 25.8 / (2 * n)
    hits = 0
    for seed in range(300):
        each = (shift + spread * rng.laplace(size=n)) * (rng.random(n) >= 0.13)
        found = signflip(each, np.zeros(n), n_resamples=199, rng=seed)
        hits += found.pvalue <= 0.05 and found.difference > 0
    ours = corpus_power(difference, n, method="simulation", n_iterations=4_000, **CARD)
    error = math.sqrt(ours.power * (1 - ours.power) / 300)
    assert abs(hits / 300 - ours.power) <= 4 * error


@pytest.mark.parametrize("alternative", SIDES)
@pytest.mark.parametrize("difference", [0.6, -1.0])
def test_simulation_agrees_with_the_closed_form(difference, alternative):
    drawn = corpus_power(
        difference, 2_000, method="simulation", alternative=alternative, n_iterations=2_000, **CARD
    )
    closed = corpus_power(difference, 2_000, alternative=alternative, **CARD)
    spread = 4.5 * math.sqrt(closed.rejection_rate * (1 - closed.rejection_rate) / 2_000)
    assert abs(drawn.power - closed.power) <= spread + 1e-3
    assert abs(drawn.rejection_rate - closed.rejection_rate) <= spread + 1e-3
    if closed.power > 0.1:
        assert drawn.type_m == pytest.approx(closed.type_m, rel=0.07)


def test_closed_form_agrees_with_integration():
    found = corpus_power(0.3, 2_000, **CARD)
    normal = stats.norm(0.3, found.std)
    critical = stats.norm.ppf(0.975) * found.null_std
    right, wrong = normal.sf(critical), normal.cdf(-critical)
    size = normal.expect(abs, lb=critical) + normal.expect(abs, ub=-critical)
    assert found.power == pytest.approx(right)
    assert found.rejection_rate == pytest.approx(right + wrong)
    assert found.type_s == pytest.approx(wrong / (right + wrong))
    assert found.type_m == pytest.approx(size / (right + wrong) / 0.3)


@pytest.mark.parametrize("alternative", SIDES)
@pytest.mark.parametrize("n_items", [40, 1_500])
def test_the_level_is_kept(alternative, n_items):
    found = corpus_power(
        0.0, n_items, method="simulation", alternative=alternative, n_iterations=3_000, **CARD
    )
    low, high = stats.binom.ppf([1e-5, 1 - 1e-5], 3_000, 0.05) / 3_000
    assert low <= found.rejection_rate <= high
    assert math.isnan(found.power)
    assert math.isnan(found.type_m)
    assert math.isnan(found.type_s)
    assert corpus_power(0.0, n_items, **CARD).rejection_rate == pytest.approx(0.05)


@given(p_zero=shares, scale=scales, n=st.integers(10, 10**6), effect=st.floats(0.01, 5))
def test_power_depends_neither_on_units_nor_on_names(p_zero, scale, n, effect):
    difference = effect * scale / math.sqrt(n)
    found = corpus_power(difference, n, p_zero=p_zero, scale=scale)
    other = corpus_power(-3 * difference, n, p_zero=p_zero, scale=3 * scale)
    for name in ("power", "rejection_rate", "type_m", "type_s"):
        assert getattr(other, name) == pytest.approx(getattr(found, name), rel=1e-9, abs=1e-15)
    assert 0 <= found.power <= found.rejection_rate <= 1
    assert found.type_s <= 0.5
    above = corpus_power(difference, n, p_zero=p_zero, scale=scale, alternative="greater")
    below = corpus_power(-difference, n, p_zero=p_zero, scale=scale, alternative="less")
    assert above.power == below.power >= found.power
    more = corpus_power(difference, 2 * n, p_zero=p_zero, scale=scale)
    assert more.power >= found.power


@given(
    p_zero=shares,
    scale=scales,
    n=st.integers(30, 10**6),
    power=st.floats(0.2, 0.95),
    alternative=st.sampled_from(SIDES),
)
def test_detectable_difference_has_the_power_asked_for(p_zero, scale, n, power, alternative):
    keywords = {"p_zero": p_zero, "scale": scale, "alternative": alternative}
    if n * (1 - p_zero) < 40:
        return
    found = corpus_detectable_difference(n, power=power, **keywords)
    assert (found.difference < 0) == (alternative == "less")
    assert found.power == pytest.approx(power, abs=1e-9)
    again = corpus_power(found.difference, n, **keywords)
    assert again.to_dict() == found.to_dict()


@given(p_zero=shares, scale=scales, effect=st.floats(0.001, 1), alternative=st.sampled_from(SIDES))
def test_items_needed_are_the_fewest(p_zero, scale, effect, alternative):
    keywords = {"p_zero": p_zero, "scale": scale, "alternative": alternative}
    found = corpus_items_needed(effect * scale, **keywords)
    assert found.power >= 0.8
    fewer = found.n_items - 1
    assert fewer < 2 or corpus_power(found.difference, fewer, **keywords).power < 0.8


@pytest.mark.parametrize("name", CARD_EFFECTS)
def test_published_comparisons(name):
    known = CARD_EFFECTS[name]
    keywords = {"p_zero": known.p_zero, "scale": known.scale}

    def missing(difference):
        n, share = known.n_items, 1 - known.p_zero
        square = share * ((2 * difference / n / share) ** 2 + 2 * (known.scale / n) ** 2)
        std = math.sqrt(n * (square - (2 * difference / n) ** 2)) / 2
        return stats.norm.sf((1.959964 * math.sqrt(n * square) / 2 - difference) / std) - 0.8

    found = corpus_detectable_difference(known.n_items, **keywords)
    assert found.difference == pytest.approx(optimize.brentq(missing, 0.1, 5), rel=1e-6)
    if name != "example":
        assert corpus_power(known.difference, known.n_items, **keywords).power > 0.9999


def test_the_fit_of_figure_15_is_slightly_narrow():
    # The notebook of figure 15 prints the spread of 10,000 exchanges of this pair.
    known = CARD_EFFECTS["TF19 against TF18, WMT19"]
    model = corpus_power(
        known.difference, known.n_items, p_zero=known.p_zero, scale=known.scale
    ).null_std
    assert model / 0.36630696760404613 == pytest.approx(0.97, abs=0.005)


def test_simulated_answers_are_near_those_of_the_closed_form():
    slightly = {"method": "simulation", "n_iterations": 1_500, **CARD}
    drawn = corpus_detectable_difference(2_000, **slightly)
    closed = corpus_detectable_difference(2_000, **CARD)
    assert drawn.difference == pytest.approx(closed.difference, rel=0.05)
    assert drawn.power >= 0.8
    assert corpus_power(drawn.difference * 0.999, 2_000, **slightly).power < 0.8
    needed = corpus_items_needed(2.0, **slightly)
    assert needed.n_items == pytest.approx(corpus_items_needed(2.0, **CARD).n_items, rel=0.1)
    assert needed.power >= 0.8
    assert "|n:" in needed.signature
    assert needed.signature.endswith("|m:1500|b:999|seed:0|v:" + METHOD_VERSION)


def test_few_items_cannot_show_anything():
    assert corpus_power(50.0, 4, **CARD).power == 0
    assert corpus_power(50.0, 4, method="simulation", **CARD).power == 0
    assert corpus_items_needed(10_000.0, **CARD).n_items >= 6
    with pytest.warns(DegenerateDataWarning, match="No difference has a power of 0.8"):
        found = corpus_detectable_difference(20, p_zero=0.85, scale=10)
    assert math.isnan(found.difference)
    assert math.isnan(found.power)
    assert found.to_dict()["difference"] is None


def test_extremes_overflow_nowhere():
    tiny, huge = 1e-100, 1e100
    assert corpus_power(huge, 50, p_zero=0.0, scale=tiny).power == 1
    assert corpus_power(tiny, 10**15, p_zero=0.5, scale=huge).power == pytest.approx(0.025)
    found = corpus_detectable_difference(100, p_zero=0.1, scale=huge)
    assert found.power == pytest.approx(0.8)
    assert corpus_items_needed(huge, p_zero=0.1, scale=tiny).n_items > 5


def test_wrong_arguments(monkeypatch):
    with pytest.raises(ValueError, match="`p_zero` must be at least 0 and below 1, got 1"):
        corpus_power(1.0, 100, p_zero=1.0, scale=3)
    with pytest.raises(ValueError, match="`scale` must be above 0"):
        corpus_power(1.0, 100, p_zero=0.1, scale=0)
    with pytest.raises(TypeError, match="`difference` must be a number"):
        corpus_power("large", 100, **CARD)
    with pytest.raises(ValueError, match="`difference` must be finite"):
        corpus_power(math.inf, 100, **CARD)
    with pytest.raises(ValueError, match="`n_items` must be at least 2"):
        corpus_power(1.0, 1, **CARD)
    with pytest.raises(ValueError, match="`method` must be one of 't', 'normal', 'simulation'"):
        corpus_power(1.0, 100, method="exact", **CARD)
    with pytest.raises(ValueError, match=r"`alpha` must be below 0\.5"):
        corpus_power(1.0, 100, alpha=0.6, **CARD)
    with pytest.raises(ValueError, match="`n_resamples` must be at least 99 for p-values"):
        corpus_power(1.0, 100, method="simulation", alpha=0.01, n_resamples=98, **CARD)
    with pytest.raises(ValueError, match="`n_iterations` times `n_resamples` must be at most"):
        corpus_power(1.0, 100, method="simulation", n_iterations=10**6, **CARD)
    with pytest.raises(ValueError, match="`power` must be above `alpha`"):
        corpus_detectable_difference(100, power=0.01, **CARD)
    with pytest.raises(ValueError, match="`difference` must not be 0"):
        corpus_items_needed(0.0, **CARD)
    with pytest.raises(ValueError, match=r"needs more than 1e\+15 items. Ask for a larger"):
        corpus_items_needed(1e-7, **CARD)
    with pytest.raises(ValueError, match="`n_items` must be at most 2,000,000 in a simulation"):
        corpus_power(1.0, 10**9, method="simulation", **CARD)
    monkeypatch.setattr(corpus_power_module, "MOST_SIMULATED", 100)
    with pytest.raises(ValueError, match="Use `method` 'normal'"):
        corpus_items_needed(1.0, method="simulation", **CARD)


def translations(n, seed):
    """Return components of BLEU of two made-up systems, shape (n, 10) each."""
    rng = np.random.default_rng(seed)
    words = ["a", "of", "the", "and", "to", "in", "is", "on", "by", "it", "was", "as", "at"]
    references = [" ".join(rng.choice(words, 12)) for _ in range(n)]
    outputs = [
        [" ".join(w if rng.random() < share else "so" for w in text.split()) for text in references]
        for share in (0.85, 0.8)
    ]
    outputs[1][:5] = outputs[0][:5]
    metric = sacrebleu.BLEU()
    return [
        np.array(metric._extract_corpus_statistics(texts, [references]), float) for texts in outputs
    ]


def one_by_one(a, b, aggregation, codes):
    """Return what exchanging each group does, by computing both metrics again."""
    before = aggregate_items(a, aggregation) - aggregate_items(b, aggregation)
    effects = []
    for code in range(codes.max() + 1):
        here = (codes == code)[:, np.newaxis]
        first, second = np.where(here, b, a), np.where(here, a, b)
        after = aggregate_items(first, aggregation) - aggregate_items(second, aggregation)
        effects.append(after - before)
    return np.array(effects)


@pytest.mark.parametrize("grouped", [False, True])
def test_effects_of_bleu_equal_brute_force(grouped):
    a, b = translations(40, 0)
    codes = np.arange(40) // 3 if grouped else np.arange(40)
    found = exchange_effects(a, b, groups=codes if grouped else None)
    np.testing.assert_allclose(found.effects, one_by_one(a, b, "bleu", codes), atol=1e-10)
    assert np.all(found.effects[: 1 if grouped else 5] == 0)
    assert found.difference == aggregate_items(a, "bleu") - aggregate_items(b, "bleu")
    assert found.n_groups == (14 if grouped else None)
    other = exchange_effects(b, a, groups=codes if grouped else None)
    np.testing.assert_allclose(other.effects, -found.effects, atol=1e-12)


@pytest.mark.parametrize(("aggregation", "width"), [("mean", 1), ("ratio", 2), ("f1", 3)])
def test_effects_of_other_metrics_equal_brute_force(aggregation, width):
    rng = np.random.default_rng(1)
    a, b = rng.integers(1, 9, (2, 25, width)).astype(float)
    found = exchange_effects(a, b, aggregation=aggregation)
    expected = one_by_one(a, b, aggregation, np.arange(25))
    np.testing.assert_allclose(found.effects, expected, atol=1e-12)
    assert found.p_zero == np.mean(np.abs(expected) < 1e-12)


def test_effects_of_correlations_are_those_of_the_exchange_test():
    rng = np.random.default_rng(4)
    gold = rng.normal(size=30)
    a, b = (np.stack([gold + rng.normal(size=30), gold], axis=1) for _ in "ab")
    b[0, 0] = np.nan
    found = exchange_effects(a, b, aggregation="pearson")
    assert found.n_missing == 1
    assert found.effects.size == found.n_items == 29
    assert found.additivity == pytest.approx(1, abs=0.3)
    with pytest.raises(ValueError, match="must have the same gold"):
        exchange_effects(a, b + np.array([0.0, 1.0]), aggregation="pearson")


def test_fits_against_scipy_and_the_exchange_distribution():
    a, b = translations(300, 3)
    likely = exchange_effects(a, b, fit="likelihood")
    nonzero = likely.effects[likely.effects != 0]
    location, scale = stats.laplace.fit(nonzero)
    assert likely.location == pytest.approx(location)
    assert likely.scale == pytest.approx(scale * 300)
    assert likely.p_zero == pytest.approx(1 - nonzero.size / 300)
    moments = exchange_effects(a, b)
    assert moments.fitted_null_std == pytest.approx(moments.null_std)
    # The model's exchange distribution is as wide as that of the pair.
    model = corpus_power(moments.difference, 300, p_zero=moments.p_zero, scale=moments.scale)
    assert model.null_std == pytest.approx(moments.null_std, rel=0.01)
    assert (
        moments.signature
        == "exchange-effects|agg:bleu|n:300|missing:0|fit:moments|v:" + METHOD_VERSION
    )


def test_fit_recovers_the_model():
    rng = np.random.default_rng(0)
    n, known = 100_000, CARD_EFFECTS["example"]
    each = rng.laplace(-2 * known.difference / (n * 0.87), known.scale / n, n)
    each[rng.random(n) < known.p_zero] = 0
    for fit in ("moments", "likelihood"):
        # As the mean of differences per item; exchanging one takes it away twice.
        found = exchange_effects(-each * n / 2, np.zeros(n), aggregation="mean", fit=fit)
        assert found.p_zero == pytest.approx(0.13, abs=0.005)
        assert found.scale == pytest.approx(25.8, rel=0.02)
        assert found.additivity == pytest.approx(1)


def test_real_translations(shared_folder):
    texts = {
        name: (shared_folder / f"data/compare_mt_ted_slk_eng/ted.{name}.detok.eng")
        .read_text()
        .split("\n")[:2445]
        for name in ("ref", "sys1", "sys2")
    }
    metric = sacrebleu.BLEU()
    neural, phrases = (
        np.array(metric._extract_corpus_statistics(texts[name], [texts["ref"]]), float)
        for name in ("sys2", "sys1")
    )
    found = exchange_effects(neural, phrases)
    assert found.difference == pytest.approx(1.34063263, abs=1e-8)
    assert found.p_zero == pytest.approx(156 / 2445)
    assert found.additivity == pytest.approx(1, abs=0.01)
    likely = exchange_effects(neural, phrases, fit="likelihood")
    # Effects have heavier tails than Laplace's: the paper's fit is too narrow. Exchanging at random
    # (4,000 times) has a spread of 0.2868.
    assert found.fitted_null_std == pytest.approx(0.2868, rel=0.04)
    assert likely.fitted_null_std == pytest.approx(0.92 * 0.2868, rel=0.01)
    model = corpus_power(found.difference, 2_445, p_zero=found.p_zero, scale=found.scale)
    assert model.power > 0.98


def test_effects_refuse_what_they_cannot_do():
    with pytest.raises(ValueError, match="`aggregation` must not be 'median'"):
        exchange_effects([1, 2], [0, 3], aggregation="median")
    with pytest.raises(ValueError, match="`fit` must be one of 'moments', 'likelihood'"):
        exchange_effects([1, 2], [0, 3], aggregation="mean", fit="best")
    with pytest.raises(ValueError, match="got 0 complete items"):
        exchange_effects([np.nan, 1], [0, np.nan], aggregation="mean")
    with pytest.raises(ValueError, match="must share items on which both metrics are defined"):
        exchange_effects([[1, 0]], [[1, 2]], aggregation="ratio")
    same = exchange_effects([1, 2, 4], [1, 2, 4], aggregation="mean")
    assert same.p_zero == 1
    assert math.isnan(same.scale)
    assert math.isnan(same.additivity)
    assert same.null_std == same.fitted_null_std == 0
    # 0.1 + 0.2 - 0.3 is not 0 in binary.
    halves = exchange_effects(
        [0.1, 0.2, 0.5], [0.3, 0.0, 0.1], aggregation="mean", groups=[1, 1, 2]
    )
    assert halves.effects[0] == 0
