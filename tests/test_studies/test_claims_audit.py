"""Audits of claims: what they write into the ledger, and what settings they refuse."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

import numpy as np
import pytest
from scipy import stats

from analysis.studies.claims.audit import FOUND, audit_claims, study_changes
from analysis.studies.claims.settings import ClaimSettings
from analysis.studies.claims.study import study_claims
from store.claim_evidence import list_evidence, withdraw_claim
from store.claims import get_claim, list_claims
from store.engine import Store
from store.errors import StoreError
from store.lifecycle import delete
from tests.test_studies.claimed import AddDated, by_system, right


def test_gains_too_small_to_print_are_audited_once(store: Store, add_dated: AddDated) -> None:
    base = np.linspace(0.2, 0.8, 50)
    for k in range(4):
        add_dated(f"S{k}", k, list(base + 1e-8 * k))
    first = audit_claims(store, actor="tests")
    assert first.n_found == 3
    assert audit_claims(store, actor="tests").n_evidence_added == 0


def test_an_audit_of_nothing_new_tests_nothing_again(
    store: Store, add_dated: AddDated, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("analysis.studies.kept_answers.WORTH_KEEPING_S", 0.0)
    for day, n_right in enumerate((100, 160)):
        add_dated(f"S{day}", day, right(n_right))
    assert audit_claims(store, actor="tests").n_found == 1
    quiet = audit_claims(store, actor="tests")
    assert (quiet.n_claims, quiet.n_found, quiet.n_evidence_added) == (1, 0, 0)
    tested: list[str] = []

    def counted(store: Store, dataset: str, **settings: Any) -> Any:
        tested.append(dataset)
        return study_claims(store, dataset, **settings)

    monkeypatch.setattr("analysis.studies.claims.audit.study_claims", counted)
    assert audit_claims(store, actor="tests").to_dict() == quiet.to_dict()
    assert not tested
    audit_claims(store, actor="tests", settings=ClaimSettings(alpha=0.01))
    add_dated("S2", 2, right(190))
    assert audit_claims(store, actor="tests").n_found == 1
    assert len(tested) == 2


def test_a_withdrawn_record_is_not_found_again(store: Store, add_dated: AddDated) -> None:
    add_dated("A", 0, right(100))
    add_dated("B", 1, right(160))
    audit_claims(store, actor="tests")
    (found,) = list_claims(store)
    withdraw_claim(store, found.uid, "leaked test items", actor="tests")
    again = audit_claims(store, actor="tests")
    assert (again.n_found, again.n_evidence_added) == (0, 0)
    assert get_claim(store, found.uid).verdict == "contradicted"


def test_an_audit_writes_what_is_new_and_nothing_twice(store: Store, add_dated: AddDated) -> None:
    add_dated("A", 0, right(100))
    add_dated("B", 1, right(160))
    first = audit_claims(store, actor="tests")
    assert (first.n_found, first.n_evidence_added, len(first.changes)) == (1, 1, 1)
    assert {c.source for c in list_claims(store)} == {FOUND}
    revision = store.revision()
    again = audit_claims(store, actor="tests")
    assert (again.n_found, again.n_evidence_added, again.changes) == (0, 0, ())
    assert "nothing was written" in again.sentence
    assert store.revision() == revision
    kept = list_evidence(store, list_claims(store)[0].uid)[0].figures
    assert kept["pvalue"] == pytest.approx(stats.binomtest(0, 60).pvalue)
    assert kept["previous"] == "A"
    assert json.loads(json.dumps(first.to_dict()))["verdicts"]["supported"] == 1


def test_corrected_items_change_a_verdict_and_the_old_one_stays(
    store: Store, add_dated: AddDated
) -> None:
    add_dated("A", 0, right(100))
    add_dated("B", 1, right(130))
    audit_claims(store, actor="tests")
    before = datetime.now(UTC)
    add_dated("B", 1, right(104), replace=True)
    found = audit_claims(store, actor="tests")
    (change,) = [c for c in found.changes if c.system == "B"]
    assert (change.before, change.after) == ("supported", "contradicted")
    assert "Claimed 0.65; its items give 0.52" in change.why
    uid = change.claim_uid
    assert [e.verdict for e in list_evidence(store, uid)] == ["supported", "contradicted"]
    told = study_changes(store, before)
    assert "1 claim has another verdict" in told.sentence
    assert told.changes[0].before == "supported"
    assert len([c for c in list_claims(store) if c.system == "B"]) == 1


def test_a_run_that_arrives_late_with_an_earlier_day_is_told(
    store: Store, add_dated: AddDated
) -> None:
    add_dated("A", 0, right(100))
    add_dated("B", 5, right(160))
    audit_claims(store, actor="tests")
    add_dated("earlier", 3, right(170))
    found = audit_claims(store, actor="tests")
    (row,) = [row for row in study_claims(store, "qa").rows if row.system == "B"]
    assert (row.is_record, row.claims_best, row.verdict) == (False, False, "supported")
    assert "states a value" in row.why
    assert {c.system for c in found.changes} == {"earlier"}


def test_a_claim_outlives_its_deleted_run(store: Store, add_dated: AddDated) -> None:
    add_dated("A", 0, right(100))
    add_dated("B", 1, right(160))
    audit_claims(store, actor="tests")
    (run_uid,) = [c.run_uid for c in list_claims(store) if c.system == "B"]
    delete(store, "run", str(run_uid), actor="tests")
    row = by_system(study_claims(store, "qa").rows)["B"]
    assert (row.verdict, row.basis) == ("unverifiable", "none")
    assert "no item scores of B" in row.why


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        (ClaimSettings(alpha=0), "`alpha` must lie between 0 and 1"),
        (ClaimSettings(gain=-1), "`gain` must be a number above 0"),
        (ClaimSettings(power=0.01), "`power` must lie between `alpha`"),
        (ClaimSettings(rule="best"), "`rule` must be one of alpha-spending"),  # type: ignore[arg-type]
        (ClaimSettings(order="hours"), "`order` must be one of days, times"),  # type: ignore[arg-type]
        (ClaimSettings(counting="days"), "`counting` must be one of claims, looks"),  # type: ignore[arg-type]
    ],
)
def test_settings_out_of_range_are_refused(
    store: Store, add_dated: AddDated, settings: ClaimSettings, told: str
) -> None:
    add_dated("A", 0, right(100))
    with pytest.raises(StoreError, match=told):
        study_claims(store, "qa", settings=settings)


def test_the_report_and_the_json_say_the_same(store: Store, add_dated: AddDated) -> None:
    add_dated("A", 0, right(100))
    add_dated("B", 1, right(160))
    study = study_claims(store, "qa")
    plain = json.loads(json.dumps(study.to_dict()))
    assert plain["rows"][1]["verdict"] == "supported"
    assert plain["rows"][0]["gain"] is None
    assert {"date", "system", "score", "gain", "ci", "pvalue", "pvalue_sequential"} <= set(
        plain["rows"][1]
    )
    for style in ("as_text", "as_markdown", "as_latex"):
        written = getattr(study.report(), style)()
        assert "supported" in written
