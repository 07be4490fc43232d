"""Claims over time: what is a record, what was it tested with, and which of them hold."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from scipy import stats

from analysis.statistics.planning.accuracy.agreement import CARD_2020_GLUE, agreement_range
from analysis.statistics.planning.accuracy.mcnemar_power import mcnemar_power
from analysis.statistics.validity_bounds import Reason
from analysis.studies.claims.audit import FOUND, audit_claims, study_changes
from analysis.studies.claims.figures import (
    Figure,
    bounds_of_figures,
    mcnemar_of_figures,
)
from analysis.studies.claims.gains import Gain, compare_looks
from analysis.studies.claims.records import ClaimRow
from analysis.studies.claims.settings import RULES, ClaimSettings
from analysis.studies.claims.study import study_claims, study_histories
from analysis.studies.comparison import study_comparison
from analysis.studies.run_spread import ONE_RUN
from store.claim_evidence import list_evidence, withdraw_claim
from store.claim_records import NewClaim
from store.claims import add_claim, get_claim, list_claims
from store.engine import Store
from store.errors import NotFoundError, StoreError
from store.importers.bundle import (
    BundleDataset,
    BundleItem,
    BundleMetric,
    BundleReportedComparison,
    BundleReportedScore,
    BundleRun,
    BundleScores,
    ImportBundle,
    Provenance,
)
from store.ingest import ingest
from store.lifecycle import delete

START = datetime(2020, 1, 1, tzinfo=UTC)
AddDated = Callable[..., None]


def right(n_right: int, n_items: int = 200, *, shift: int = 0) -> list[float]:
    """Return scores of a system that is right on `n_right` neighbouring items."""
    return [float((k - shift) % n_items < n_right) for k in range(n_items)]


@pytest.fixture
def add_dated(store: Store) -> AddDated:
    """Return a function that stores a run with its day and scores."""

    def add(
        system: str,
        day: float | None,
        scores: list[float] | list[list[float]],
        *,
        label: str = "",
        metric: str = "accuracy",
        higher_is_better: bool = True,
        groups: list[str] | None = None,
        replace: bool = False,
    ) -> None:
        trials = scores if isinstance(scores[0], list) else [scores]
        items = [
            BundleItem(f"i{k}", group=groups[k] if groups else None) for k in range(len(trials[0]))
        ]
        when = None if day is None else START + timedelta(days=day)
        vectors = [
            BundleScores(0, np.array(values, dtype=float).reshape(-1, 1), trial=trial)
            for trial, values in enumerate(trials)
        ]
        bundle = ImportBundle(
            format="test",
            datasets=[BundleDataset("qa", items=items)],
            metrics=[BundleMetric(metric, higher_is_better=higher_is_better)],
            runs=[BundleRun(system, 0, label, vectors, provenance=Provenance(evaluated_on=when))],
        )
        ingest(store, bundle, actor="tests", replace=replace)

    return add


def report(
    store: Store,
    figures: list[tuple[str, float, int]],
    *,
    metric: str = "accuracy",
    n_items: int | None = None,
) -> None:
    """Store figures: system, accuracy, day."""
    ingest(
        store,
        ImportBundle(
            format="test",
            datasets=[BundleDataset("qa", n_items_stated=n_items)],
            metrics=[
                BundleMetric(metric, higher_is_better="error" not in metric, unit="proportion")
            ],
            reported_scores=[
                BundleReportedScore(
                    name,
                    0,
                    0,
                    value,
                    reported_on=START + timedelta(days=day),
                    source=f"board of day {day}",
                )
                for name, value, day in figures
            ],
        ),
        actor="tests",
    )


def claim(store: Store, system: str, value: float, day: int, **more: str) -> str:
    made = NewClaim(
        system=system,
        dataset="qa",
        metric="accuracy",
        value=value,
        claimed_on=START + timedelta(days=day),
        source=more.pop("source", "a paper"),
        **more,  # type: ignore[arg-type]
    )
    return add_claim(store, made, actor="tests").uid


def by_system(rows: tuple[ClaimRow, ...]) -> dict[str, ClaimRow]:
    return {row.system: row for row in rows}


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


def test_trials_are_one_look(store: Store, add_dated: AddDated) -> None:
    add_dated("A", 0, right(100))
    add_dated("B", 1, [right(120), right(130)])
    study = study_claims(store, "qa")
    assert study.n_looks == 2
    assert study.rows[1].score == pytest.approx(0.625)
    assert study.rows[1].test == "permutation"  # means of two trials are not right or wrong
    assert math.isnan(study.rows[1].agreement)


def test_a_look_of_several_trials_counts_what_another_would_change(
    store: Store, add_dated: AddDated
) -> None:
    rng = np.random.default_rng(4)
    hard = rng.normal(0, 1, 80)
    for day, (name, shift) in enumerate((("a", 0.0), ("b", 0.25))):
        seeds = [shift + effect for effect in (-0.2, 0.0, 0.2)]
        trials = [(hard + rng.normal(seed, 0.3, 80)).tolist() for seed in seeds]
        add_dated(name, day, trials)
    later = study_claims(store, "qa").rows[-1]
    alone = study_comparison(store, "b", "a").analysis
    assert alone.guard == Reason.RUNS
    assert later.pvalue == alone.test.pvalue


def test_groups_are_the_units(store: Store, add_dated: AddDated) -> None:
    groups = [f"g{k // 10}" for k in range(200)]
    add_dated("A", 0, right(100), groups=groups)
    add_dated("B", 1, right(160), groups=groups)
    study = study_claims(store, "qa")
    assert "20 groups" in study.warnings[0]
    assert study.rows[1].test == "permutation"
    pair = study_comparison(store, "B", "A", dataset="qa").analysis
    assert study.rows[1].pvalue == pytest.approx(pair.test.pvalue, rel=0.3)
    assert study.rows[1].pvalue == pytest.approx(2**-5, rel=0.2)  # six groups differ, all one way


@pytest.mark.parametrize("aggregation", ["pearson", "spearman"])
def test_groups_are_the_units_of_correlations(aggregation: str) -> None:
    rng = np.random.default_rng(1)
    gold = rng.normal(size=30)
    looks = [np.stack([gold + noise * rng.normal(size=30), gold], axis=1) for noise in (1.0, 2.0)]

    def compared(copies: int, groups: list[str] | None) -> Gain:
        metric = SimpleNamespace(aggregation=aggregation, sign=1, bounds=None)
        line = SimpleNamespace(metric=metric, groups=groups)
        later, earlier = (
            SimpleNamespace(scores=np.repeat(x, copies, axis=0), spread=ONE_RUN) for x in looks
        )
        return compare_looks(line, later, earlier, ClaimSettings())  # type: ignore[arg-type]

    once = compared(1, None)
    copied = compared(5, [f"g{k // 5}" for k in range(150)])
    assert once.test == copied.test == "jackknife"
    assert copied.pvalue == pytest.approx(once.pvalue, rel=1e-9)
    assert copied.ci == pytest.approx(once.ci, rel=1e-6)
    assert compared(5, None).pvalue < once.pvalue


def test_few_uneven_groups_do_not_make_claims_sure(store: Store, add_dated: AddDated) -> None:
    sizes = [90, 30, 20, 10, 10, 10, 8, 8, 6, 4, 2, 2]
    groups = [f"g{k}" for k, size in enumerate(sizes) for _ in range(size)]
    rng = np.random.default_rng(1)
    add_dated("A", 0, list((rng.random(200) < 0.5).astype(float)), groups=groups)
    add_dated("B", 1, list((rng.random(200) < 0.62).astype(float)), groups=groups)
    row = study_claims(store, "qa").rows[1]
    assert row.pvalue >= 2 / 2**12
    assert row.pvalue == pytest.approx(
        study_comparison(store, "B", "A", dataset="qa").analysis.test.pvalue
    )


def test_lower_is_better(store: Store, add_dated: AddDated) -> None:
    rng = np.random.default_rng(0)
    base = rng.normal(30, 5, 200)
    add_dated("A", 0, list(base), metric="ter", higher_is_better=False)
    add_dated("B", 1, list(base - 2 + rng.normal(0, 1, 200)), metric="ter", higher_is_better=False)
    add_dated("C", 2, list(base + 9), metric="ter", higher_is_better=False)
    study = study_claims(store, "qa")
    (_, row) = study.rows
    assert row.verdict == "supported"
    assert row.gain == pytest.approx(2, abs=0.3)
    assert row.score < row.previous_score
    assert row.ci[0] < 2 < row.ci[1]
    assert study.ladder[-1].system == "B"
    assert study.ladder[-1].score == pytest.approx(row.score, abs=0.01)


def test_an_undated_score_has_no_place_until_a_claim_dates_it(
    store: Store, add_dated: AddDated
) -> None:
    add_dated("A", 0, right(100))
    add_dated("B", None, right(160))
    study = study_claims(store, "qa")
    assert (study.n_undated, study.n_looks) == (1, 1)
    assert any("1 score has no date" in told for told in study.warnings)
    claim(store, "B", 0.8, 30, printed="0.80")
    dated = study_claims(store, "qa")
    row = by_system(dated.rows)["B"]
    assert (dated.n_undated, row.verdict, row.tier) == (0, "supported", "reproduced")
    assert f"{row.date:%Y-%m-%d}" == "2020-01-31"


def test_a_dataset_without_dates_has_no_history(store: Store, add_dated: AddDated) -> None:
    add_dated("A", None, right(100))
    with pytest.raises(NotFoundError, match=r"Nothing on 'qa' has a date.*--date"):
        study_claims(store, "qa")
    assert study_histories(store) == ()
    with pytest.raises(NotFoundError, match="There is no history of claims"):
        audit_claims(store, actor="tests")


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
    ingest(
        store,
        ImportBundle(
            format="test",
            datasets=[BundleDataset("qa")],
            metrics=[BundleMetric("accuracy", higher_is_better=True, unit="proportion")],
            reported_comparisons=[
                BundleReportedComparison(
                    "A", "B", 0, 0, 0.01, "t", sidedness="greater", source="paper"
                )
            ],
        ),
        actor="tests",
    )
    row = study_claims(store, "qa").rows[1]
    assert row.pvalue == 1
    assert row.verdict != "supported"


def test_reported_pvalues_are_about_the_figures_they_were_computed_for(store: Store) -> None:
    report(store, [("A", 0.70, 0), ("B", 0.75, 1)])
    claim(store, "B", 0.9, 2, printed="0.90", source="elsewhere")
    compared = BundleReportedComparison("A", "B", 0, 0, 0.001, "t", "two-sided", source="paper")
    again = BundleReportedComparison("A", "B", 0, 0, 0.02, "t", "two-sided", source="another")
    ingest(
        store,
        ImportBundle(
            format="test",
            datasets=[BundleDataset("qa")],
            metrics=[BundleMetric("accuracy", higher_is_better=True, unit="proportion")],
            reported_comparisons=[compared, again],
        ),
        actor="tests",
    )
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
    ingest(
        store,
        ImportBundle(
            format="test",
            datasets=[BundleDataset("qa")],
            metrics=[BundleMetric("accuracy", higher_is_better=True, unit="proportion")],
            reported_comparisons=[
                BundleReportedComparison(
                    "B", "A", 0, 0, 0.001, "McNemar", sidedness=sidedness, source="paper"
                )  # type: ignore[arg-type]
            ],
        ),
        actor="tests",
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
