"""Attempts that failed: counted on boards, said where they count as scores."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest

import tiebreak
from analysis.studies.across_datasets import AcrossDatasets
from analysis.studies.claims.audit import audit_claims
from analysis.studies.claims.settings import ClaimSettings
from analysis.studies.claims.study import Claims, study_claims
from analysis.studies.comparison import Compare, study_comparison
from analysis.studies.humans.correlate import Correlate
from analysis.studies.humans.correlations.settings import CorrelationSettings
from analysis.studies.humans.correlations.study import CorrelationsStudy
from analysis.studies.items import Items, study_items
from analysis.studies.leaderboard import Board, study_leaderboard
from analysis.studies.pairs import Pairs, study_pairs
from analysis.studies.power.metrics_apart import MetricsApart
from analysis.studies.power.test_sets import TestSetPower
from analysis.studies.ranking import Rank
from store.arrays import load_matrix, load_run_matrix, load_runs, load_seeds
from store.datasets import get_dataset
from store.engine import Store
from store.errors import StoreError
from store.importers.kinds import Status
from store.results_cache import data_fingerprint, system_fingerprints
from store.run_scores import load_run_scores
from store.runs import list_runs
from store.settings import change_setting, settings_of_dataset
from store.systems import get_system
from tests.test_studies.claimed import right

AddRun = Callable[..., None]

OK, CRASHED, LATE = Status.OK, Status.ERROR, Status.TIMED_OUT


@pytest.fixture
def failing(store: Store, add_run: AddRun) -> Store:
    """Return a store with failures that count (A), that do not (M), and nothing else (Z)."""
    add_run("A", "d", [0, 0, 0, 0, 1, 1, 1, 1], statuses=[CRASHED] * 3 + [LATE] + [OK] * 4)
    add_run("B", "d", [1, 0, 1, 0, 1, 1, 1, 1])
    add_run("M", "d", [math.nan, math.nan, *[1] * 6], statuses=[CRASHED] * 2 + [OK] * 6)
    add_run("Z", "d", [0] * 8, statuses=[Status.JUDGE_FAILED] * 8)
    return store


def test_failures_are_counted_and_those_that_count_as_scores_are_said(failing: Store) -> None:
    study = study_leaderboard(failing, "d")
    found = {
        row.system: (row.n_crashed, row.n_timed_out, row.n_judge_failed, row.n_unscored)
        for row in study.rows
    }
    none = (0, 0, 0, 0)
    assert found == {"A": (3, 1, 0, 0), "B": none, "M": (2, 0, 0, 0), "Z": (0, 0, 8, 0)}
    counted, zeros = (told for told in study.warnings if "ailed attempts" in told or "is 0" in told)
    assert "A (3 crashed, 1 timed out) and Z (8 judge failed). 12 scores" in counted
    assert "Every score of Z is 0" in zeros
    titles = {str(getattr(one, "title", one)) for one in study.report().tables[0].columns}
    assert {"crashed", "timed out", "judge failed"} <= titles
    assert "unscored" not in titles
    assert counted in study_pairs(failing, "d").warnings
    compared = study_comparison(failing, "A", "B", dataset="d").warnings
    assert any("A (3 crashed, 1 timed out). 4 scores" in told for told in compared)


def _set(store: Store, how: str | None, dataset: str = "d") -> None:
    change_setting(store, "failures", how, actor="tests", dataset=dataset)


@pytest.mark.parametrize(
    ("how", "a", "m", "z"),
    [(None, 0.5, 1, 0), ("missing", 1, 1, math.nan), ("wrong", 0.5, 0.75, 0)],
)
def test_a_setting_decides_what_failures_count_as(failing: Store, how, a, m, z) -> None:
    _set(failing, how)
    study = study_leaderboard(failing, "d")
    found = {row.system: row.score_own for row in study.rows}
    assert found == pytest.approx({"A": a, "B": 0.75, "M": m, "Z": z}, nan_ok=True)
    assert all(row.run_scores == (row.score_own,) or row.n_scored == 0 for row in study.rows)
    assert all(row.n_lost == 0 for row in study.rows)
    assert (f"|failures:{how}|" in study.signature) == (how is not None)
    assert (f"|failures:{how}|" in study_items(failing, "d").signature) == (how is not None)
    told = [one for one in study.warnings if "ailed attempts" in one]
    assert [("as the source" in one, "A (" in one, "M (" in one) for one in told] == [
        (how is None, True, how == "wrong")
    ]


def test_a_question_may_say_what_failures_count_as(failing: Store, add_run: AddRun) -> None:
    _set(failing, "missing")
    compared = Compare("A", "B", "d", failures="source").answer(failing)
    assert "|failures:source|" in compared.signature
    assert compared.analysis.n_items == 8
    as_set = Compare("A", "B", "d").answer(failing)
    assert "|failures:missing|" in as_set.signature
    assert as_set.analysis.n_items == 4
    add_run("A", "e", [1, 0, 1, 1])
    add_run("B", "e", [1, 1, 1, 0])
    for question in (
        Board("d", failures="wrong"),
        Pairs("d", failures="wrong"),
        TestSetPower("d", failures="wrong"),
        Items("d", failures="wrong"),
        Rank(systems=("A", "B"), failures="wrong"),
        AcrossDatasets("A", "B", failures="wrong"),
    ):
        assert "|failures:wrong|" in question.answer(failing).signature
    assert Board("d", failures="missing").answer(failing).rows[0].n_scored == 4
    of_library = tiebreak.leaderboard(failing, "d", failures="source").study
    assert {row.system: row.n_scored for row in of_library.rows}["A"] == 8


@pytest.mark.parametrize(
    ("how", "said"), [(None, "as the source scores them"), ("wrong", "count as wrong")]
)
def test_answers_over_datasets_name_whose_failures_count(
    store: Store, add_run: AddRun, how, said
) -> None:
    for name, n in (("d", 3), ("e", 2), ("f", 0)):
        scores = [0.0] * 4 + [1.0] * 8
        add_run("A", name, scores, statuses=[CRASHED] * n + [OK] * (12 - n))
        add_run("B", name, [0.0, 1.0] * 6)
    for question in (
        Rank(n_resamples=99, failures=how),
        AcrossDatasets(failures=how),
        AcrossDatasets("A", "B", failures=how),
    ):
        (told,) = (one for one in question.answer(store).warnings if "ailed attempts" in one)
        assert said in told
        assert "A (5 crashed)" in told
        assert "d and e" in told
        assert ("5 scores are of such attempts" in told) == (how is None)
    _set(store, "missing")
    both = [one for one in Rank(n_resamples=99).answer(store).warnings if "ailed attempts" in one]
    assert sorted(("missing here on d: A (3" in one, "on e" in one) for one in both) == [
        (False, True),
        (True, False),
    ]


def test_claims_count_failures_as_they_are_asked_to(store: Store, add_dated: AddRun) -> None:
    add_dated("A", 0, right(100))
    add_dated("B", 1, right(120), statuses=[OK] * 190 + [CRASHED] * 10)
    as_stored = study_claims(store, "qa")
    assert "failures:" not in as_stored.signature
    missing = ClaimSettings(failures="missing")
    for study in (
        Claims("qa", settings=missing).answer(store),
        tiebreak.claims(store, "qa", failures="missing").study,
    ):
        assert "|failures:missing|" in study.signature
        assert [look.n_items for look in study.looks] == [200, 190]
        assert study.looks[1].score == pytest.approx(120 / 190)
        assert study.rows[1].gain == pytest.approx(20 / 190)
    assert as_stored.looks[1].score == pytest.approx(0.6)
    assert audit_claims(store, actor="tests").n_evidence_added == 1
    audit = audit_claims(store, settings=missing, actor="tests")
    assert "|failures:missing|" in audit.signature
    assert audit.n_evidence_added == 1  # the scores are others
    _set(store, "missing", "qa")
    study = study_claims(store, "qa")
    assert study.looks[1].score == pytest.approx(120 / 190)
    assert audit_claims(store, actor="tests").n_evidence_added == 0


def test_metrics_are_held_against_people_without_failures_where_asked(
    store: Store, add_run: AddRun
) -> None:
    rng = np.random.default_rng(3)
    for k in range(6):
        truth = k / 6 + rng.normal(size=10)
        statuses = [CRASHED] * k + [OK] * (10 - k)
        for metric, noise in (("people", 0), ("near", 0.5), ("far", 2)):
            scores = truth + noise * rng.normal(size=10)
            add_run(f"S{k}", "d", scores.tolist(), metric=metric, statuses=statuses)
    settings = CorrelationSettings(level="global", n_resamples=199)
    for how, n in ((None, 60), ("missing", 45)):
        asked = Correlate("d", "people", ("near", "far"), settings=settings, failures=how)
        study = asked.answer(store)
        assert isinstance(study, CorrelationsStudy)
        assert [row.n for row in study.rows] == [n, n]
        assert ("|failures:missing|" in study.signature) == (how is not None)
    apart = MetricsApart(
        "d", "near", "far", "people", "global", draws=2, n_resamples=99, failures="missing"
    )
    assert "|failures:missing|" in apart.answer(store).signature


def test_every_reader_of_scores_follows_the_setting_and_the_stored_ones_stay(
    failing: Store,
) -> None:
    (run_uid,) = (run.uid for run in list_runs(failing) if run.system == "A")
    (kept,) = load_run_scores(failing, run_uid)
    before = [tell(failing, "d", "accuracy") for tell in (data_fingerprint, system_fingerprints)]
    _set(failing, "missing")
    after = [tell(failing, "d", "accuracy") for tell in (data_fingerprint, system_fingerprints)]
    assert before[0] != after[0]
    assert not set(before[1].values()) & set(after[1].values())
    expected = [math.nan] * 4 + [1.0] * 4
    for values in (
        load_matrix(failing, "d", "accuracy", systems=["A"]).scores[0],
        load_seeds(failing, "d", "accuracy", ["A"])[get_system(failing, "A").uid][0],
        load_run_matrix(failing, "d", "accuracy", "A").scores[0],
        load_runs(failing, "d", "accuracy")[run_uid][0],
    ):
        assert values[:, 0].tolist() == pytest.approx(expected, nan_ok=True)
    (still,) = load_run_scores(failing, run_uid)
    assert still.item_values.tolist() == kept.item_values.tolist()
    _set(failing, "source")
    assert settings_of_dataset(failing, get_dataset(failing, "d").uid) == {}
    assert data_fingerprint(failing, "d", "accuracy") == before[0]


def test_what_cannot_be_said_of_failures_is_refused(failing: Store, add_run: AddRun) -> None:
    with pytest.raises(StoreError, match="set them to missing"):
        _set(failing, "bounds")
    with pytest.raises(StoreError, match="source, missing, wrong, not 'zero'"):
        _set(failing, "zero")
    _set(failing, "wrong")
    add_run("A", "d", [5.0] * 8, metric="latency", higher_is_better=False,
            statuses=[CRASHED] * 3 + [LATE] + [OK] * 4)  # fmt: skip
    with pytest.raises(StoreError, match=r"highest value of 'latency'.*tiebreak set metric"):
        study_leaderboard(failing, "d", metric="latency")
