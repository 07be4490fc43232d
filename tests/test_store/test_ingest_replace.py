"""Replacing a run: the old one stays, out of sight."""

from __future__ import annotations

import math

import numpy as np
import pytest

from store.arrays import load_matrix
from store.errors import ConflictError
from store.history import list_events
from store.importers.bundle import BundleMetric, Status
from store.ingest import ingest
from store.lifecycle import delete, restore
from store.run_scores import load_run_scores
from store.runs import list_runs

METRICS = [BundleMetric(name, higher_is_better=True) for name in ("acc", "f")]


@pytest.fixture
def replaced(store, bundle, run):
    """Return a store in which a run with two metrics got new scores on one of them."""
    both = run("A", {(0, 0): [1.0, 0.0], (1, 0): [0.5, 0.25]})
    ingest(store, bundle([both], metric=METRICS), actor="t")
    report = ingest(
        store, bundle([run("A", [1.0, 1.0])], metric=METRICS), actor="eve", replace=True
    )
    assert (report.n("run", "replaced"), report.n("run", "added")) == (1, 0)
    return store


def test_replace_shows_the_new_scores_only(replaced):
    [new] = list_runs(replaced)
    assert load_matrix(replaced, "qa", "acc").scores[0, :, 0].tolist() == [1.0, 1.0]
    assert load_matrix(replaced, "qa", "acc").n_vectors == (1,)
    assert [old.uid != new.uid for old in list_runs(replaced, deleted=True)] == [True]


def test_replace_carries_the_other_metrics_over(replaced):
    assert load_matrix(replaced, "qa", "f").scores[0, :, 0].tolist() == [0.5, 0.25]
    assert [v.metric for v in list_runs(replaced)[0].vectors] == ["acc", "f"]


def test_replace_stays_in_the_audit_trail(replaced):
    [old] = list_runs(replaced, deleted=True)
    [new] = list_runs(replaced)
    event = list_events(replaced, target_uid=old.uid)[0]
    assert (event.action, event.actor, event.detail) == ("replace", "eve", {"by": new.uid})


def test_replace_can_be_taken_back(replaced):
    [old] = list_runs(replaced, deleted=True)
    [new] = list_runs(replaced)
    with pytest.raises(ConflictError) as raised:
        restore(replaced, "run", old.uid, actor="t")
    assert str(raised.value) == (
        f"The run '{old.uid}' cannot come back: another run has its name now. "
        "Delete that one first."
    )
    delete(replaced, "run", new.uid, actor="t")
    restore(replaced, "run", old.uid, actor="t")
    assert [r.uid for r in list_runs(replaced)] == [old.uid]
    assert load_matrix(replaced, "qa", "acc").scores[0, :, 0].tolist() == [1.0, 0.0]


def test_replace_with_the_same_scores_replaces_nothing(replaced, bundle, run):
    report = ingest(
        replaced, bundle([run("A", [1.0, 1.0])], metric=METRICS), actor="t", replace=True
    )
    assert not report.changed


def test_replace_keeps_the_statuses_of_trials_it_carries_over(store, bundle, run):
    stated = {1: np.array([Status.ERROR, Status.OK], np.uint8)}
    both = run("A", {(0, 0): [1.0, 0.0], (1, 1): [math.nan, 0.25]}, statuses=stated)
    ingest(store, bundle([both], metric=METRICS), actor="t")
    ingest(store, bundle([run("A", [1.0, 1.0])], metric=METRICS), actor="t", replace=True)
    loaded = {v.trial: v for v in load_run_scores(store, list_runs(store)[0].uid)}
    assert loaded[1].status.tolist() == [Status.ERROR, Status.OK]


def test_replace_counts_an_item_as_attempted_when_a_metric_it_carries_over_scored_it(
    store, bundle, run
):
    both = run("A", {(0, 0): [1.0, 0.0], (1, 0): [math.nan, 0.25]})
    ingest(store, bundle([both], metric=METRICS), actor="t")
    ingest(store, bundle([run("A", [0.0, math.nan])], metric=METRICS), actor="t", replace=True)
    assert list_runs(store)[0].statuses[0].n_not_attempted == 0
