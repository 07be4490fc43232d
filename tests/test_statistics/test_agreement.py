"""Possible, expected and observed agreement against enumeration, statsmodels and SQuAD 2.0."""

import csv
import json
import math

import numpy as np
import pytest
import statsmodels.api as sm
from hypothesis import given
from hypothesis import strategies as st

from analysis.statistics.planning.accuracy.agreement import (
    CARD_2020_GLUE,
    agreement_for,
    agreement_range,
    fit_agreement,
    observed_agreement,
)
from analysis.statistics.planning.accuracy.expected_gap import fit_expected_gap
from analysis.statistics.signature import METHOD_VERSION


def test_range_of_the_notebook():
    possible = agreement_range(0.7, 0.02)
    assert (possible.least, possible.most) == pytest.approx((0.42, 0.98))
    assert possible.middle == pytest.approx(0.7)
    assert possible.signature == "agreement-range|baseline:0.7|gap:0.02|v:" + METHOD_VERSION


@given(n=st.integers(1, 12), data=st.data())
def test_range_is_what_tables_can_show(n, data):
    right, right_too = data.draw(st.integers(0, n)), data.draw(st.integers(0, n))
    # Both right on k items: every table with these margins.
    possible = range(max(0, right + right_too - n), min(right, right_too) + 1)
    agreements = [(n - right - right_too + 2 * k) / n for k in possible]
    found = agreement_range(right / n, (right_too - right) / n)
    assert found.least == pytest.approx(min(agreements), abs=1e-12)
    assert found.most == pytest.approx(max(agreements), abs=1e-12)


def test_expected_agreement_of_the_paper():
    line = 0.41422307 + 0.58187475 * 0.92 - 0.46624237 * 0.016
    assert CARD_2020_GLUE.expected(0.92, 0.016) == pytest.approx(line, abs=1e-15)
    # At 100 % accuracy the agreement is the accuracy of the other; the line gives less.
    assert CARD_2020_GLUE.expected(0.945, 0.055) == pytest.approx(0.945)
    assert CARD_2020_GLUE.expected(0.945, 0.055, clip=False) == pytest.approx(0.938451, abs=1e-6)
    assert "Card et al. 2020, GLUE" in CARD_2020_GLUE.signature
    assert CARD_2020_GLUE.to_dict()["standard_errors"] == [None, None, None]


def test_observed_agreement_of_pairs():
    rng = np.random.default_rng(3)
    scores = (rng.random((5, 40)) < 0.7).astype(float)
    scores[rng.random(scores.shape) < 0.1] = np.nan
    scores[4] = np.nan
    found = observed_agreement(scores)
    for k, (i, j) in enumerate(zip(found.first, found.second, strict=True)):
        both = ~np.isnan(scores[i]) & ~np.isnan(scores[j])
        a, b = scores[i, both], scores[j, both]
        assert found.n_items[k] == both.sum()
        if not both.any():
            assert math.isnan(found.baseline[k])
            assert math.isnan(found.agreement[k])
            continue
        assert found.baseline[k] == pytest.approx(min(a.mean(), b.mean()))
        assert found.gap[k] == pytest.approx(abs(a.mean() - b.mean()))
        assert found.agreement[k] == pytest.approx(np.mean(a == b))
    assert found.gap.size == 10
    shuffled = observed_agreement(scores[:, rng.permutation(40)])
    np.testing.assert_allclose(shuffled.agreement, found.agreement)


def test_fit_agrees_with_statsmodels():
    rng = np.random.default_rng(5)
    baseline, gap = rng.uniform(0.5, 0.95, 60), rng.uniform(0, 0.05, 60)
    agreement = 0.4 + 0.6 * baseline - 0.5 * gap + rng.normal(0, 0.01, 60)
    agreement[7] = np.nan
    model = fit_agreement(baseline, gap, agreement, source="test")
    keep = ~np.isnan(agreement)
    design = sm.add_constant(np.stack([baseline[keep], gap[keep]], axis=1))
    expected = sm.OLS(agreement[keep], design).fit()
    ours = [model.intercept, model.baseline_slope, model.gap_slope]
    np.testing.assert_allclose(ours, expected.params, rtol=1e-9)
    np.testing.assert_allclose(model.standard_errors, expected.bse, rtol=1e-9)
    assert model.r_squared == pytest.approx(expected.rsquared, rel=1e-9)
    assert model.residual_std == pytest.approx(math.sqrt(expected.mse_resid), rel=1e-9)
    assert model.n_pairs == 59
    assert not model.standard_errors.flags.writeable


def squad_pairs(shared_folder):
    """Return baseline, gap and agreement of 10,296 pairs on the development set."""
    folder = shared_folder / "data/card2020/SQuAD2"
    chain = json.loads(
        (shared_folder / "reference/seed_systems/squad2_sota_chain.json").read_text()
    )
    n = chain["n_dev"]
    with (folder / "models.tsv").open() as file:
        em = [float(row["dev_em"]) / 100 for row in csv.DictReader(file, delimiter="\t")]
    with (folder / "pairs_dev.tsv").open() as file:
        rows = [
            [int(value) for value in row.values()] for row in csv.DictReader(file, delimiter="\t")
        ]
    table = np.array(rows)
    accuracy = np.array(em)[table[:, :2]]
    return n, accuracy, table[:, 2] / n, 1 - table[:, 3] / n


@pytest.mark.shared
def test_real_pairs_lie_in_the_range_and_on_a_line(shared_folder):
    n, accuracy, delta, agreement = squad_pairs(shared_folder)
    # The official accuracies are up to 3 of 11,873 items off what the pairs say.
    np.testing.assert_allclose(accuracy[:, 1] - accuracy[:, 0], delta, atol=3.1 / n)
    baseline, gap = accuracy.min(axis=1), np.abs(delta)
    for k in range(0, agreement.size, 500):
        possible = agreement_range(baseline[k], gap[k])
        assert possible.least - 7 / n <= agreement[k] <= possible.most + 1e-9
    model = fit_agreement(baseline, gap, agreement, source="SQuAD 2.0 dev")
    near = gap < 0.03
    close = fit_agreement(baseline[near], gap[near], agreement[near], source="SQuAD 2.0 dev, close")
    assert model.r_squared > 0.5
    assert close.baseline_slope > 0
    assert n == 11_873


def test_agreement_is_resolved_or_refused():
    assert agreement_for("middle", 0.7, 0.02) == pytest.approx(0.7)
    assert agreement_for(0.9, None, 0.1) == 0.9  # 1 - 0.9 is below 0.1 in binary
    with pytest.raises(ValueError, match=r"`agreement` of 0.99 cannot be: systems with a gap"):
        agreement_for(0.99, None, 0.02)
    with pytest.raises(ValueError, match=r"systems at 0.9 and 0.95 .* agree on 0.85 to 0.95"):
        agreement_for(0.5, 0.9, 0.05)
    with pytest.raises(ValueError, match="`baseline` must be given"):
        agreement_for(CARD_2020_GLUE, None, 0.02)
    with pytest.raises(ValueError, match="`agreement` must be one of 'least', 'middle', 'most'"):
        agreement_for("mean", 0.7, 0.02)


@pytest.mark.shared
def test_expected_gap_of_the_claims_on_glue(shared_folder):
    path = shared_folder / "data/card2020/GLUE/Glue-Paper-Annotations.csv"
    with path.open() as file:
        rows = [row for row in list(csv.reader(file))[1:] if row[4] == row[5] == "Y"]
    before = np.array([float(row[2]) for row in rows]) / 100
    after = np.array([float(row[3]) for row in rows]) / 100
    model = fit_expected_gap(before, after - before, [row[0] for row in rows])
    assert model.n_claims == 61
    assert model.r_squared == pytest.approx(0.6898, abs=5e-5)  # the paper: .69
    assert model.baseline_slope == pytest.approx(-0.26448, abs=5e-6)
    assert model.levels["MNLI-m"] == pytest.approx(0.2434198, abs=5e-8)
    tasks = sorted(model.levels)
    columns = [[float(row[0] == task) for task in tasks] for row in rows]
    fit = sm.OLS(after - before, np.column_stack([before, columns])).fit()
    levels = [model.levels[task] for task in tasks]
    np.testing.assert_allclose([model.baseline_slope, *levels], fit.params, rtol=1e-8)
    assert model.residual_std == pytest.approx(math.sqrt(fit.mse_resid), rel=1e-9)
    expected = model.levels["SST-2"] + model.baseline_slope * 0.972
    assert model.expected(0.972, "SST-2") == pytest.approx(expected)


def test_expected_gap_leaves_out_what_is_missing():
    model = fit_expected_gap(
        [0.8, 0.9, 0.5, np.nan], [0.03, 0.01, np.nan, 0.2], ["a", "a", "b", "a"]
    )
    assert model.n_claims == 2
    assert list(model.levels) == ["a"]
    assert math.isnan(model.residual_std)
    with pytest.raises(ValueError, match="`dataset` must be one that has claims: 'a'; got 'b'"):
        model.expected(0.5, "b")
    with pytest.raises(ValueError, match="`baseline` must vary within a dataset"):
        fit_expected_gap([0.8, 0.9], [0.03, 0.01], ["a", "b"])
    with pytest.raises(ValueError, match="must be equally long"):
        fit_expected_gap([0.8, 0.9], [0.03, 0.01], ["a"])
    with pytest.raises(ValueError, match=r"`baseline` must hold shares \(0.9, not 90\)"):
        fit_expected_gap([80, 90], [0.03, 0.01], ["a", "a"])


def test_wrong_arguments():
    with pytest.raises(ValueError, match=r"`gap` of 2 .* Give shares"):
        agreement_range(0.9, 2)
    with pytest.raises(ValueError, match="`baseline` must be a share between 0 and 1, got 90"):
        agreement_range(90, 0.02)
    with pytest.raises(TypeError, match="`gap` must be a number"):
        agreement_range(0.9, "wide")
    with pytest.raises(ValueError, match="`scores` must be 2-D"):
        observed_agreement([1, 0])
    with pytest.raises(ValueError, match="`scores` must hold only 0, 1 and NaN"):
        observed_agreement([[1, 0.5], [1, 0]])
    with pytest.raises(ValueError, match="must be equally long, got 2, 1, 1"):
        fit_agreement([0.5, 0.6], [0.1], [0.7])
    with pytest.raises(ValueError, match="cannot tell the slopes apart"):
        fit_agreement([0.5] * 5, [0.1, 0.2, 0.3, 0.4, 0.5], [0.7] * 5)
    with pytest.raises(ValueError, match="`agreement` must hold shares"):
        fit_agreement([0.5] * 4, [0.1] * 4, [70, 71, 72, 73])
    with pytest.raises(ValueError, match="`gap` must be 1-D"):
        fit_agreement([0.5] * 4, [[0.1] * 4], [0.7] * 4)
