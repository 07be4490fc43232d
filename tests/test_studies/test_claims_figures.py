"""Claims of which only figures are known: bounds, sizes, and p-values that somebody reports."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from analysis.statistics.planning.accuracy.agreement import CARD_2020_GLUE, agreement_range
from analysis.studies.claims.audit import audit_claims
from analysis.studies.claims.figures import (
    Figure,
    bounds_of_figures,
    mcnemar_of_figures,
)
from analysis.studies.claims.settings import ClaimSettings
from analysis.studies.claims.study import study_claims
from store.claim_evidence import list_evidence, withdraw_claim
from store.claims import get_claim
from store.engine import Store
from store.errors import StoreError
from store.importers.bundle import (
    BundleDataset,
    BundleMetric,
    BundleReportedComparison,
    ImportBundle,
)
from store.ingest import ingest
from tests.test_studies.claimed import AddDated, by_system, claim, report, right


def state_pvalues(store: Store, *stated: BundleReportedComparison) -> None:
    """Put reported p-values about "qa" into a store."""
    ingest(
        store,
        ImportBundle(
            format="test",
            datasets=[BundleDataset("qa")],
            metrics=[BundleMetric("accuracy", higher_is_better=True, unit="proportion")],
            reported_comparisons=stated,
        ),
        actor="tests",
    )


def test_power_at_the_claimed_gain_needs_a_claim_from_elsewhere(
    store: Store, add_dated: AddDated
) -> None:
    add_dated("A", 0, right(100))
    add_dated("B", 1, right(108, shift=3))
    claim(store, "B", 0.54, 1)
    claim(store, "B", 0.6, 1, source="the paper's own run")
    rows = {row.source: row for row in study_claims(store, "qa").rows}
    assert math.isnan(rows["a paper"].power_claimed)  # the observed gain: only the p-value again
    told = rows["the paper's own run"]
    assert told.claimed_gain == pytest.approx(0.1)
    assert 0.5 < told.power_claimed <= 1


def test_figures_alone_give_bounds(store: Store) -> None:
    report(store, [("A", 0.70, 0), ("B", 0.74, 1), ("C", 0.99, 2)], n_items=500)
    rows = by_system(study_claims(store, "qa").rows)
    assert (rows["B"].basis, rows["B"].verdict) == ("bounds", "unverifiable")
    low, high = rows["B"].pvalue_bounds or (1, 0)
    assert low == pytest.approx(stats.binomtest(20, 20).pvalue)
    assert high == pytest.approx(stats.binomtest(150, 280).pvalue)
    assert rows["B"].pvalue == high
    assert "holds if the two systems agree on at least" in rows["B"].why
    assert (rows["C"].verdict, rows["C"].pvalue < rows["C"].level) == ("supported", True)
    assert "however little the two agree" in rows["C"].why


def test_a_gain_that_no_agreement_makes_significant_is_within_noise_or_underpowered(
    store: Store,
) -> None:
    report(store, [("A", 0.70, 0), ("B", 0.704, 1)], n_items=500)
    row = study_claims(store, "qa", settings=ClaimSettings(gain=0.01)).rows[1]
    assert row.verdict == "underpowered"
    assert "however much the two agree" in row.why


def test_figures_without_a_number_of_items_are_unverifiable(store: Store) -> None:
    report(store, [("A", 0.70, 0), ("B", 0.9, 1)])
    row = study_claims(store, "qa").rows[1]
    assert (row.basis, row.verdict) == ("none", "unverifiable")
    assert "do not say that they are on the same items" in row.why
    assert row.gain == pytest.approx(0.2)


def test_rounding_and_sizes_limit_what_figures_show(store: Store) -> None:
    exact, rounded = (Figure(0.57, 0.0, None), Figure(0.56, 0.0, None)), 0.005
    assert bounds_of_figures(*exact, n_items=100_000, graded=False, expected=CARD_2020_GLUE)
    wide = bounds_of_figures(
        *(replace(figure, slack=rounded) for figure in exact),
        n_items=100_000,
        graded=False,
        expected=CARD_2020_GLUE,
    )
    assert wide is not None
    assert wide.pvalue_high == 1  # both may be .565
    assert wide.pvalue_low < 1e-100
    sizes = Figure(0.9, 0.0, 50), Figure(0.6, 0.0, 5_000)
    assert bounds_of_figures(*sizes, n_items=0, graded=False, expected=CARD_2020_GLUE) is None


def test_graded_items_can_be_significant_with_any_gain(store: Store) -> None:
    report(store, [("A", 0.70, 0), ("B", 0.704, 1)], metric="f1", n_items=500)
    row = study_claims(store, "qa").rows[1]
    assert row.verdict == "unverifiable"
    assert "Item scores would tell" in row.why


def test_a_pvalue_for_the_other_direction_is_no_support(store: Store) -> None:
    report(store, [("A", 0.60, 0), ("B", 0.65, 1)])
    state_pvalues(
        store,
        BundleReportedComparison("A", "B", 0, 0, 0.01, "t", sidedness="greater", source="paper"),
    )
    row = study_claims(store, "qa").rows[1]
    assert row.pvalue == 1
    assert row.verdict != "supported"


def test_reported_pvalues_are_about_the_figures_they_were_computed_for(store: Store) -> None:
    report(store, [("A", 0.70, 0), ("B", 0.75, 1)])
    claim(store, "B", 0.9, 2, printed="0.90", source="elsewhere")
    compared = BundleReportedComparison("A", "B", 0, 0, 0.001, "t", "two-sided", source="paper")
    again = BundleReportedComparison("A", "B", 0, 0, 0.02, "t", "two-sided", source="another")
    state_pvalues(store, compared, again)
    rows = [row for row in study_claims(store, "qa").rows if row.system == "B"]
    reported, elsewhere = rows
    assert (reported.basis, reported.pvalue, reported.verdict) == ("reported", 0.02, "supported")
    assert (elsewhere.score, elsewhere.basis, elsewhere.verdict) == (0.9, "none", "unverifiable")


def test_a_few_graded_items_are_tested_by_their_signs(store: Store, add_dated: AddDated) -> None:
    add_dated("A", 0, [0.1, 0.2])
    add_dated("B", 1, [0.9, 1.0])
    row = study_claims(store, "qa").rows[1]
    assert row.pvalue == pytest.approx(0.5)
    assert row.verdict != "supported"


def test_a_constant_gain_is_a_gain(store: Store, add_dated: AddDated) -> None:
    base = list(np.linspace(0, 0.5, 100))
    add_dated("A", 0, base)
    add_dated("B", 1, [score + 0.25 for score in base])
    row = study_claims(store, "qa").rows[1]
    assert row.verdict == "supported"
    assert row.pvalue < 1e-4


def test_a_claim_of_less_than_the_items_give_is_borne_out(
    store: Store, add_dated: AddDated
) -> None:
    add_dated("A", 0, right(150))
    claim(store, "A", 0.5, 0, printed="0.50")
    first, row = study_claims(store, "qa").rows
    assert (first.verdict, first.claim_uid) == ("unverifiable", None)
    assert (row.verdict, row.tier, row.claims_best) == ("supported", "reproduced", False)
    assert "more than was claimed" in row.why


def test_a_withdrawn_claim_counts_for_nothing(store: Store) -> None:
    report(store, [("A", 0.50, 0), ("B", 0.60, 3)], n_items=1000)
    typo = claim(store, "A", 0.95, 1, printed="0.95")
    assert by_system(study_claims(store, "qa").rows).keys() == {"A"}  # nothing passes a typo
    withdraw_claim(store, typo, "75, not 95", actor="tests")
    study = study_claims(store, "qa")
    assert [row.system for row in study.rows] == ["A", "B"]
    kept = get_claim(store, typo)
    assert (kept.withdrawn, kept.verdict, kept.tier) == (True, "contradicted", "contradicted")
    assert list_evidence(store, typo)[-1].figures == {"why": "75, not 95"}
    assert audit_claims(store, actor="tests").n_claims == 1
    with pytest.raises(StoreError, match="was withdrawn before"):
        withdraw_claim(store, typo, "again", actor="tests")
    with pytest.raises(StoreError, match="`reason` must say why"):
        withdraw_claim(store, typo, " ", actor="tests")


def test_error_rates_agree_as_the_accuracies_do(store: Store) -> None:
    report(store, [("A", 0.10, 0), ("B", 0.08, 1)], metric="error rate", n_items=1000)
    row = study_claims(store, "qa", settings=ClaimSettings(gain=0.02)).rows[1]
    assert row.gain == pytest.approx(0.02)
    usual = CARD_2020_GLUE.expected(0.9, 0.02)
    assert row.verdict == "unverifiable"
    assert f"about {usual:.1%} usual" in row.why


@pytest.mark.parametrize(
    ("sidedness", "expected"), [("two-sided", 0.001), ("greater", 0.002), ("unstated", 0.001)]
)
def test_a_reported_pvalue_is_evidence(store: Store, sidedness: str, expected: float) -> None:
    report(store, [("A", 0.70, 0), ("B", 0.9, 1)])
    state_pvalues(
        store,
        BundleReportedComparison(
            "B", "A", 0, 0, 0.001, "McNemar", sidedness=sidedness, source="paper"
        ),
    )
    row = study_claims(store, "qa").rows[1]
    assert (row.basis, row.test, row.verdict) == ("reported", "McNemar", "supported")
    assert row.pvalue == pytest.approx(expected)


@pytest.mark.parametrize("agreement", [0.45, 0.7, 0.9])
def test_bounds_are_mcnemars_test_at_whole_counts(agreement: float) -> None:
    n, gain = 1000, 0.05
    apart = round((1 - agreement) * n)
    losses = (apart - round(gain * n)) // 2
    apart = 2 * losses + round(gain * n)
    assert mcnemar_of_figures(n, gain, 1 - apart / n) == pytest.approx(
        stats.binomtest(losses, apart).pvalue, rel=1e-9
    )


def test_bounds_contain_every_possible_table() -> None:
    bounds = bounds_of_figures(
        Figure(0.66, 0.0, 50),
        Figure(0.5, 0.0, 50),
        n_items=50,
        graded=False,
        expected=CARD_2020_GLUE,
    )
    assert bounds is not None
    possible = agreement_range(0.5, 0.16)
    for losses in range(40):
        apart = 2 * losses + 8
        if possible.least - 1e-9 <= 1 - apart / 50 <= possible.most + 1e-9:
            p = stats.binomtest(losses, apart).pvalue
            assert bounds.pvalue_low - 1e-12 <= p <= bounds.pvalue_high + 1e-12
    level = (bounds.pvalue_low + bounds.pvalue_high) / 2
    at = bounds.agreement_for(level)
    assert mcnemar_of_figures(50, 0.16, at) == pytest.approx(level, rel=1e-6)
