"""Claims that somebody states: values, late ones, repeated ones, and what they take from others."""

from __future__ import annotations

import pytest

from analysis.studies.claims.audit import audit_claims
from analysis.studies.claims.settings import ClaimSettings
from analysis.studies.claims.study import study_claims
from store.engine import Store
from tests.test_studies.claimed import AddDated, by_system, claim, right


def test_a_claimed_value_that_the_items_do_not_bear_out_is_contradicted(
    store: Store, add_dated: AddDated
) -> None:
    add_dated("A", 0, right(100))
    add_dated("B", 1, right(40))
    claim(store, "B", 0.7, 1, printed="70.0")
    study = study_claims(store, "qa")
    row = by_system(study.rows)["B"]
    assert (row.verdict, row.tier) == ("contradicted", "contradicted")
    assert "Claimed 0.7 (printed 70.0); its items give 0.2" in row.why
    assert row.claims_best
    assert not row.is_record
    assert [step.system for step in study.raw] == ["A", "B"]  # what a board shows
    assert [step.system for step in study.frontier] == ["A"]


def test_a_value_may_be_rounded_and_off_by_an_item(store: Store, add_dated: AddDated) -> None:
    add_dated("A", 0, right(101))
    same = claim(store, "A", 0.505, 0, printed="50.5")
    rounded = claim(store, "A", 0.51, 0, printed="0.51", source="rounded")
    near = claim(store, "A", 0.53, 0, printed="0.530", source="another run")
    rows = {row.claim_uid: row for row in study_claims(store, "qa").rows}
    assert {rows[uid].tier for uid in (same, rounded, near)} == {"reproduced"}
    assert rows[same].why == rows[rounded].why
    assert "its items give 0.505" in rows[near].why


def test_a_claim_that_is_not_the_best_is_no_test(store: Store, add_dated: AddDated) -> None:
    add_dated("A", 0, right(150))
    add_dated("B", 1, right(100))
    claim(store, "B", 0.5, 1)
    study = study_claims(store, "qa")
    row = by_system(study.rows)["B"]
    assert (row.verdict, row.claims_best, study.n_tested) == ("supported", False, 0)
    assert "states a value, not to be the best" in row.why


def test_a_later_claim_changes_nothing_that_was_asked_before(
    store: Store, add_dated: AddDated
) -> None:
    add_dated("A", 0, right(100))
    add_dated("weak", 1, right(90))
    add_dated("B", 2, right(110))
    add_dated("C", 3, right(118))
    before = {row.system: (row.level, row.verdict) for row in study_claims(store, "qa").rows}
    claim(store, "weak", 0.95, 9, printed="0.95")
    after = study_claims(store, "qa")
    found = [row for row in after.rows if row.claim_uid is None]
    assert [row.system for row in found] == list(before)
    for row in found:
        level, verdict = before[row.system]
        assert row.level == pytest.approx(level, nan_ok=True)
        assert row.verdict == verdict
    late = next(row for row in after.rows if row.claim_uid)
    assert (late.verdict, late.previous, late.look) == ("contradicted", "C", 2)
    assert after.n_tested == 3


def test_a_printed_tie_claims_nothing(store: Store, add_dated: AddDated) -> None:
    add_dated("A", 0, right(133))
    add_dated("B", 1, right(133, shift=3))
    claim(store, "B", 0.67, 1, printed="0.67")  # .665, rounded
    study = study_claims(store, "qa")
    assert study.n_tested == 0
    assert by_system(study.rows)["B"].claims_best is False


def test_a_claim_about_a_record_does_not_hide_it(store: Store, add_dated: AddDated) -> None:
    add_dated("A", 0, right(100))
    add_dated("B", 10, right(160))
    add_dated("C", 20, right(190))
    assert "2 of 2 claims" in study_claims(store, "qa").sentence
    claim(store, "B", 0.8, 30)
    assert "2 of 2 claims" in study_claims(store, "qa").sentence
    claim(store, "B", 0.99, 10, source="overclaim")
    study = study_claims(store, "qa")
    assert "2 of 2 claims" in study.sentence
    assert [row.verdict for row in study.rows if row.source == "overclaim"] == ["contradicted"]
    found = audit_claims(store, actor="tests")
    assert found.n_found == 2


def test_late_claims_and_looks_of_one_day_keep_their_order(
    store: Store, add_dated: AddDated
) -> None:
    add_dated("A", 0, right(20))
    add_dated("B", 1, right(60))
    add_dated("C", 5, right(120))
    claim(store, "A", 0.94, 5, printed="0.94")
    for counting in ("claims", "looks"):
        settings = ClaimSettings(counting=counting)  # type: ignore[arg-type]
        study = study_claims(store, "qa", settings=settings)
        assert study.n_tested == 3


def test_a_later_run_of_a_system_takes_no_claim_from_the_earlier(
    store: Store, add_dated: AddDated
) -> None:
    add_dated("A", 0, right(160))
    add_dated("B", 10, right(100))
    claim(store, "B", 0.9, 30, printed="0.90")
    before = study_claims(store, "qa").rows
    add_dated("B", 39, right(184), label="again")
    after = {row.claim_uid: row for row in study_claims(store, "qa").rows}
    (claimed,) = (row for row in before if row.claim_uid)
    assert after[claimed.claim_uid].verdict == claimed.verdict == "contradicted"


def test_a_test_set_that_grows_keeps_its_history(store: Store, add_dated: AddDated) -> None:
    add_dated("A", 0, right(50, 100))
    add_dated("B", 1, right(80, 100))
    add_dated("C", 2, right(100, 120))
    study = study_claims(store, "qa")
    assert [row.system for row in study.rows] == ["A", "B", "C"]
    assert study.rows[1].verdict == "supported"


def test_an_overclaim_does_not_taint_the_other_claims(store: Store, add_dated: AddDated) -> None:
    add_dated("A", 0, right(150))
    add_dated("B", 1, right(100))
    claim(store, "B", 0.95, 1, source="overclaim")
    claim(store, "B", 0.5, 1, source="honest")
    study = study_claims(store, "qa")
    rows = {row.source: row for row in study.rows if row.source}
    assert rows["overclaim"].verdict == "contradicted"
    assert (rows["honest"].verdict, rows["honest"].claims_best) == ("supported", False)
    assert "0 of 1 claim to be the best on qa holds" in study.sentence
    assert [step.score for step in study.raw] == [0.75, 0.95]


def test_claims_that_repeat_a_record_are_one_test(store: Store, add_dated: AddDated) -> None:
    add_dated("A", 0, right(100))
    add_dated("B", 1, right(160))
    for day in (1, 5, 9):
        claim(store, "B", 0.8, day, source=f"talk of day {day}")
    study = study_claims(store, "qa")
    assert [row.verdict for row in study.rows] == ["unverifiable", *["supported"] * 3]
    assert (study.n_tested, study.n_held) == (1, 1)
    assert "1 of 1 claim to be the best" in study.sentence
    strict = study_claims(store, "qa", settings=ClaimSettings(counting="looks"))
    assert strict.n_held == 1
