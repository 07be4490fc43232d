"""Claims over time: what is a record, what is it tested with, by which rule, and which hold."""

from __future__ import annotations

import math

import pytest
from scipy import stats

from analysis.statistics.planning.accuracy.mcnemar_power import mcnemar_power
from analysis.studies.claims.settings import RULES, ClaimSettings
from analysis.studies.claims.study import study_claims
from analysis.studies.comparison import study_comparison
from store.engine import Store
from tests.test_studies.claimed import AddDated, by_system, right


def test_records_are_tested_against_the_best_before(store: Store, add_dated: AddDated) -> None:
    add_dated("A", 0, right(100))
    add_dated("B", 1, right(160))
    add_dated("worse", 2, right(90))
    add_dated("C", 3, right(163, shift=2))
    study = study_claims(store, "qa")
    assert [(look.number, look.system, look.is_record) for look in study.looks] == [
        (1, "A", True),
        (2, "B", True),
        (3, "worse", False),
        (4, "C", True),
    ]
    rows = by_system(study.rows)
    assert set(rows) == {"A", "B", "C"}  # a look that is no record claims nothing
    assert (rows["A"].verdict, rows["A"].previous) == ("unverifiable", None)
    assert "first score" in rows["A"].why
    assert (rows["B"].verdict, rows["B"].previous, rows["B"].look) == ("supported", "A", 2)
    assert (rows["C"].verdict, rows["C"].previous) == ("within-noise", "B")
    assert rows["B"].gain == pytest.approx(0.3)
    assert rows["B"].pvalue == pytest.approx(stats.chi2.sf(60, 1), rel=1e-9)
    assert rows["B"].test == "score"
    assert rows["B"].agreement == pytest.approx(0.7)
    assert (study.n_looks, study.n_records, study.n_tested, study.n_held) == (4, 3, 2, 1)
    assert study.usual_gain == pytest.approx((0.3 + 0.015) / 2)
    assert "1 of 2 claims to be the best on qa holds" in study.sentence
    assert "Best score: C with 0.815; the best that is shown to be one is B with 0.8" in (
        study.sentence
    )
    assert [(step.system, step.look) for step in study.raw] == [("A", 1), ("B", 2), ("C", 4)]
    assert [(step.system, step.look) for step in study.frontier] == [("A", 1), ("B", 2)]


def test_a_claim_has_the_figures_of_the_comparison_it_opens(
    store: Store, add_dated: AddDated
) -> None:
    add_dated("A", 0, right(100))
    add_dated("B", 1, right(120, shift=5))
    row = study_claims(store, "qa").rows[1]
    pair = study_comparison(store, "B", "A", dataset="qa").analysis
    assert row.gain == pytest.approx(pair.difference)
    assert row.ci == pytest.approx(pair.ci)
    assert row.pvalue == pytest.approx(pair.test.pvalue)
    assert row.mde == pytest.approx(pair.mde)


def test_a_first_score_is_not_shown_to_be_the_best(store: Store, add_dated: AddDated) -> None:
    add_dated("A", 0, right(160))
    add_dated("B", 1, right(163, shift=2))
    study = study_claims(store, "qa")
    assert [step.system for step in study.frontier] == ["A"]
    assert "Best score: B with 0.815; not shown to be better than the first one, A with 0.8" in (
        study.sentence
    )
    for text in (study.sentence, study.report().as_text()):
        assert "that is shown to be one" not in text
        assert "shown to be better than all before" not in text


def test_small_true_gains_add_up_on_the_honest_frontier(store: Store, add_dated: AddDated) -> None:
    for k in range(12):
        add_dated(f"S{k:02d}", k, right(100 + 4 * k))
    study = study_claims(store, "qa")
    assert study.n_held == 0
    assert {row.verdict for row in study.rows[1:]} == {"underpowered"}
    systems = [step.system for step in study.frontier]
    assert systems[0] == "S00"
    assert 1 < len(systems) < 5
    for step in study.frontier[1:]:
        assert step.pvalue <= step.level < 0.05


def test_the_gain_that_matters_decides_between_noise_and_too_small_a_test_set(
    store: Store, add_dated: AddDated
) -> None:
    add_dated("A", 0, right(100, 400))
    add_dated("B", 1, right(104, 400, shift=1))
    alone = study_claims(store, "qa").rows[1]
    assert alone.verdict == "underpowered"  # no other gain is known: the test set finds larger ones
    assert math.isnan(alone.power_gain)
    assert alone.gain < alone.mde_at_level
    usual = study_claims(store, "qa", settings=ClaimSettings(gain=0.01)).rows[1]
    assert usual.verdict == "underpowered"
    assert usual.power < 0.8
    assert "the smallest found with 80%" in usual.why
    large = study_claims(store, "qa", settings=ClaimSettings(gain=0.1)).rows[1]
    assert large.verdict == "within-noise"
    assert large.power > 0.99
    assert large.type_m == pytest.approx(1, abs=0.01)
    assert large.pvalue == usual.pvalue


def test_a_claim_is_judged_by_the_gains_of_the_others(store: Store, add_dated: AddDated) -> None:
    for k, n_right in enumerate((100, 104, 110, 150)):
        add_dated(f"S{k}", k, right(n_right))
    study = study_claims(store, "qa")
    assert study.usual_gain == pytest.approx(0.03)
    assert [row.power_gain for row in study.rows[1:]] == pytest.approx([0.115, 0.11, 0.025])


def test_power_is_for_the_level_that_was_asked_for(store: Store, add_dated: AddDated) -> None:
    for k in range(6):
        add_dated(f"S{k}", k, right(100 + 6 * k, shift=k))
    for row in study_claims(store, "qa", settings=ClaimSettings(gain=0.05)).rows[1:]:
        agreement = min(row.agreement, 0.95)
        found = mcnemar_power(200, 0.05, agreement=agreement, variant="score")
        assert row.power == pytest.approx(found.power, rel=1e-9)
        assert row.type_m == pytest.approx(found.type_m, rel=1e-9)
        asked = mcnemar_power(200, 0.05, agreement=agreement, variant="score", alpha=row.level)
        assert row.power_at_level == pytest.approx(asked.power, rel=1e-9)


def test_a_trial_run_of_a_few_items_is_no_record(store: Store, add_dated: AddDated) -> None:
    add_dated("A", 0, right(100))
    add_dated("smoke", 1, [1.0] * 10 + [math.nan] * 190)
    add_dated("B", 2, right(160))
    study = study_claims(store, "qa")
    assert [row.system for row in study.rows] == ["A", "B"]
    assert study.rows[1].previous == "A"
    assert [look.number for look in study.looks] == [1, 0, 2]
    assert any(told.endswith("can be no record: smoke.") for told in study.warnings)
    assert [step.system for step in study.frontier] == ["A", "B"]
    assert study.ladder


def test_more_claims_ask_for_more(store: Store, add_dated: AddDated) -> None:
    for k in range(6):
        add_dated(f"S{k}", k, right(100 + 4 * k))
    study = study_claims(store, "qa")
    assert all(row.holds_alone for row in study.rows[1:])  # 4 to 0: p = .046 each
    assert [row.level for row in study.rows[1:]] == pytest.approx(
        [0.05 * 6 / math.pi**2 / k**2 for k in range(1, 6)]
    )
    assert {row.verdict for row in study.rows[1:]} == {"underpowered"}
    assert "would do alone, but as claim 5 it takes 0.0012" in study.rows[5].why
    strict = study_claims(store, "qa", settings=ClaimSettings(counting="looks"))
    assert strict.rows[1].level == pytest.approx(2 * 0.05 * 6 / math.pi**2 / 4)
    assert "but as look 2 it takes" in strict.rows[1].why


def test_a_claim_that_holds_hands_its_level_on(store: Store, add_dated: AddDated) -> None:
    for k in range(6):
        add_dated(f"S{k}", k, right(100 + 7 * k))
    study = study_claims(store, "qa")
    assert study.n_held == 5  # p = 2^-6 each: the first holds at .0304
    for row in study.rows[1:]:
        assert row.level >= study.rows[1].level
        assert row.pvalue <= row.level
        assert row.pvalue_sequential <= 0.05


def test_nothing_later_changes_what_is_asked_of_a_claim(store: Store, add_dated: AddDated) -> None:
    add_dated("A", 0, right(100))
    add_dated("B", 1, right(110))
    add_dated("C", 2, right(118))
    before = study_claims(store, "qa").rows
    add_dated("D", 3, right(190))
    after = study_claims(store, "qa").rows
    for old, new in zip(before, after[:3], strict=True):
        assert (old.system, old.pvalue, old.level) == pytest.approx(
            (new.system, new.pvalue, new.level), nan_ok=True
        )


@pytest.mark.parametrize("rule", RULES)
def test_every_rule_is_shown_beside_the_chosen_one(
    store: Store, add_dated: AddDated, rule: str
) -> None:
    for k in range(5):
        add_dated(f"S{k}", k, right(100 + 9 * k))
    study = study_claims(store, "qa", settings=ClaimSettings(rule=rule))  # type: ignore[arg-type]
    assert [outcome.rule for outcome in study.rules] == list(RULES)
    chosen = next(outcome for outcome in study.rules if outcome.rule == rule)
    assert chosen.n_held == study.n_held
    assert chosen.holds[0] is None  # the first score
    assert [bool(held) for held in chosen.holds] == [
        row.verdict == "supported" for row in study.rows
    ]
    assert f"rule:{rule}" in study.signature


def test_only_the_best_of_a_day_is_a_record(store: Store, add_dated: AddDated) -> None:
    add_dated("A", 0, right(100))
    add_dated("B", 1, right(120))
    add_dated("C", 1, right(150))
    study = study_claims(store, "qa")
    assert [row.system for row in study.rows] == ["A", "C"]
    assert study.rows[1].previous == "A"


def test_times_of_day_count_where_they_are_asked_for(store: Store, add_dated: AddDated) -> None:
    add_dated("A", 0, right(100))
    add_dated("B", 1 + 1 / 24, right(120))
    add_dated("C", 1 + 2 / 24, right(150))
    study = study_claims(store, "qa", settings=ClaimSettings(order="times"))
    assert [row.system for row in study.rows] == ["A", "B", "C"]
    assert study.rows[2].previous == "B"
    assert "order:times" in study.signature


def test_the_frontier_takes_one_step_a_day(store: Store, add_dated: AddDated) -> None:
    add_dated("A", 0, right(90))
    add_dated("A2", 0, right(100))
    add_dated("B", 1, right(150))
    add_dated("C", 1, right(170))
    study = study_claims(store, "qa")
    assert [step.system for step in study.frontier] == ["A2", "C"]


def test_a_frontier_says_which_steps_stand_by_themselves(store: Store, add_dated: AddDated) -> None:
    add_dated("A", 0, right(100))
    add_dated("B", 1, right(104))
    add_dated("C", 2, right(109))
    add_dated("D", 3, right(112))
    add_dated("E", 4, right(180))
    study = study_claims(store, "qa")
    told = {step.system: step.by_itself for step in study.frontier}
    assert told == {"A": True, "C": False, "E": True}
    assert {row.system for row in study.rows if row.verdict == "supported"} == {"E"}
