"""The card of a metric: what nobody states is generally known, what a person states holds."""

import json

import numpy as np
import pytest
from typer.testing import CliRunner

from dashboard.cli import app
from store.backup import check
from store.datasets import get_dataset
from store.errors import ConflictError, NotFoundError, StoreError
from store.history import list_events
from store.importers.bundle import (
    BundleDataset,
    BundleItem,
    BundleMetric,
    BundleRun,
    BundleScores,
    ImportBundle,
)
from store.importers.known_facts import known_facts
from store.ingest import ingest
from store.metric_cards import cards_on, metric_card, set_metric


def bundle(scores, *, system="A", dataset="qa", **metric):
    values = np.asarray(scores, dtype=np.float64)
    items = [BundleItem(f"q{i}") for i in range(len(values))]
    return ImportBundle(
        format="a format",
        files=(),
        datasets=(BundleDataset(dataset, items=items),),
        metrics=(BundleMetric(**{"name": "accuracy", **metric}),),
        runs=(BundleRun(system, 0, scores=(BundleScores(0, values[:, None]),)),),
    )


def facts(store, metric="accuracy"):
    return {fact.name: (fact.value, fact.by) for fact in metric_card(store, metric).facts}


@pytest.mark.parametrize(
    ("name", "seen", "ends"),
    [
        ("accuracy", (0.0, 1.0), (0.0, 1.0)),
        ("accuracy", (0.2, 74.4), (0.0, 100.0)),
        ("accuracy", (0.2, 1.5), (0.0, None)),  # an estimate of a share, or little in percent
        ("accuracy", (-1.0, 1.0), (None, 1.0)),
        ("accuracy", None, (0.0, None)),
        ("wer", (0.0, 0.4), (0.0, None)),  # more words may be wrong than there are
        ("pearson", (-0.2, 0.4), (-1.0, 1.0)),
        ("latency", (0.1, 9.0), (0.0, None)),
        ("quux", (0.0, 1.0), (None, None)),
    ],
)
def test_ranges_are_known_as_far_as_scores_agree(name, seen, ends):
    assert known_facts(name, "mean", seen)[:2] == ends


@pytest.mark.parametrize(
    ("name", "seen", "kind"),
    [
        ("accuracy", (0.0, 1.0), "bounded"),
        ("accuracy", (0.0, 117.0), ""),  # counts, perhaps
        ("pearson", (-0.2, 4.0), ""),
        ("wer", (0.0, 0.4), ""),
        ("fluency", (1.0, 5.0), ""),  # nobody said where the ratings end
        ("rmse", (1.0, 5.0), "unbounded"),
        ("loss", (1.0, 5.0), "unbounded"),
        ("latency", (1.0, 5.0), "time"),
    ],
)
def test_a_kind_is_told_only_where_it_is_certain(name, seen, kind):
    assert known_facts(name, "mean", seen).kind == kind


def test_what_a_person_says_of_the_kind_stands(store):
    ingest(store, bundle([0.0, 1.0]), actor="ann")
    set_metric(store, "accuracy", {"kind": "unbounded"}, actor="ben")
    assert facts(store)["kind"] == ("unbounded", "ben")


def test_what_a_format_states_comes_before_what_is_known(store):
    ingest(store, bundle([0.0, 1.0]), actor="ann")
    assert facts(store)["highest"] == ("1", "table of known metrics")
    assert facts(store)["direction"] == ("higher is better", "table of known metrics")
    ingest(
        store, bundle([1, 5], name="grade", lower=1, upper=5, higher_is_better=True), actor="ann"
    )
    assert facts(store, "grade")["highest"] == ("5", "a format")
    assert facts(store, "grade")["direction"] == ("higher is better", "a format")
    assert facts(store, "grade")["kind"][0] == "bounded"
    assert [card.metric.name for card in cards_on(store, get_dataset(store, "qa").uid)] == [
        "accuracy",
        "grade",
    ]


def test_what_a_person_states_holds_and_is_recorded(store):
    ingest(store, bundle([0.0, 1.0]), actor="ann")
    before = store.revision()
    card = set_metric(store, "accuracy", {"highest": "none", "kind": "right-wrong"}, actor="ben")
    assert (card.metric.upper, card.metric.kind) == (None, "right-wrong")
    assert facts(store)["highest"] == ("none", "ben")
    assert facts(store)["lowest"] == ("0", "table of known metrics")
    assert store.revision() > before
    [event] = list_events(store, target_uid=card.metric.uid, limit=1)
    assert (event.action, event.actor) == ("describe", "ben")
    assert event.detail == {"upper": None, "kind": "right-wrong"}
    assert check(store) == []


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"highest": "0.5"}, "'A' has 1 on 'qa', above 0.5"),
        ({"lowest": "0.1"}, "'A' has 0 on 'qa', below 0.1"),
        ({"lowest": "2", "highest": "1"}, "lowest, 2, is not below the highest, 1"),
        ({"highest": "much"}, "highest is a number or 'none', not 'much'"),
        ({"highest": "nan"}, "highest is a number"),
        ({"kind": "odd"}, "kind is right-wrong, rating"),
        ({"direction": "up"}, "direction is higher, lower, not 'up'"),
        ({"aggregation": "bleu"}, "not what 'bleu' does"),
        ({"unit": "x" * 21}, "at most 20 characters"),
        ({"hihgest": "1"}, "Did you mean 'highest'"),
        ({}, "Say what to change"),
    ],
)
def test_what_cannot_be_is_refused_and_nothing_changes(store, changes, words):
    ingest(store, bundle([0.0, 1.0]), actor="ann")
    before = facts(store), store.last_change()
    with pytest.raises(StoreError, match=words):
        set_metric(store, "accuracy", changes, actor="ben")
    assert (facts(store), store.last_change()) == before


def test_a_format_that_contradicts_the_card_is_refused(store):
    ingest(store, bundle([10.0, 60.0], name="grade", higher_is_better=True), actor="ann")
    set_metric(store, "grade", {"highest": "100"}, actor="ben")
    with pytest.raises(ConflictError, match=r"says highest 100 \(ben\); this import states 80"):
        ingest(store, bundle([5.0, 7.0], dataset="two", name="grade", upper=80), actor="ann")


def test_commands_show_and_set_it(store):
    ingest(store, bundle([0.0, 1.0]), actor="ann")

    def told(*words):
        return CliRunner().invoke(app, ["--store", store.address, *words, "--json"])

    result = json.loads(told("set", "metric", "accuracy", "--unit", "proportion").stdout)["result"]
    assert result["unit"] == "proportion"
    shown = json.loads(told("show", "metric", "accuracy").stdout)["result"]
    assert [fact for fact in shown["facts"] if fact["name"] == "unit"] == [
        fact for fact in result["facts"] if fact["name"] == "unit"
    ]
    assert {fact["name"] for fact in shown["facts"]} == {
        *("unit", "lowest", "highest", "kind", "direction", "aggregation")
    }
    unknown = told("set", "metric", "acuracy", "--unit", "%")
    assert (unknown.exit_code, "acuracy" in unknown.stderr) == (2, True)
    with pytest.raises(NotFoundError):
        metric_card(store, "acuracy")


def test_missing_items_are_bounded_by_what_is_known(store):
    scores = [1.0] * 10 + [np.nan] * 10
    ingest(store, bundle(scores), actor="ann")
    ingest(store, bundle([0.0, 1.0] * 10, system="B"), actor="ann")
    said = CliRunner().invoke(app, ["--store", store.address, "leaderboard", "qa", "--json"])
    [row] = [one for one in json.loads(said.stdout)["result"]["rows"] if one["system"] == "A"]
    assert row["bounds"] == [0.5, 1.0]
