"""Systems, metrics and overlaps: found under their names, or made."""

from __future__ import annotations

import pytest

from store.datasets import list_overlaps
from store.errors import ConflictError, ImportFormatError
from store.history import list_events
from store.importers.bundle import BundleDataset, BundleItem, BundleMetric, BundleOverlap
from store.ingest import ingest
from store.lifecycle import delete, restore
from store.metrics import get_metric, list_metrics
from store.systems import get_system, list_systems


def test_ingest_names_all_metrics_whose_direction_is_unknown(store, bundle, run):
    metrics = [BundleMetric(name) for name in ("zork", "acc", "zonk")]
    sent = bundle([run("A", {(0, 0): [1.0], (1, 0): [1.0], (2, 0): [1.0]})], metric=metrics)
    with pytest.raises(ImportFormatError, match=r"the metrics 'zork' and 'zonk'\. Add --direction"):
        ingest(store, sent, actor="t")
    ingest(store, sent, actor="t", higher_is_better=True)


def test_ingest_asks_for_the_direction_of_an_unknown_metric(store, bundle, contents):
    before = contents(store)
    with pytest.raises(ImportFormatError) as raised:
        ingest(store, bundle({"A": [1.0]}, metric=BundleMetric("frobnication")), actor="t")
    assert str(raised.value) == (
        "scores.csv: nobody says whether higher is better for the metric 'frobnication'. Add "
        "--higher-is-better or --lower-is-better, or state it in the YAML file."
    )
    assert contents(store) == before


@pytest.mark.parametrize(("name", "expected"), [("accuracy", True), ("wer", False)])
def test_ingest_knows_the_direction_of_usual_metrics(store, bundle, name, expected):
    ingest(store, bundle({"A": [1.0]}, metric=BundleMetric(name)), actor="t")
    assert get_metric(store, name).higher_is_better is expected


def test_ingest_takes_the_direction_that_the_person_states(store, bundle):
    sent = bundle({"A": [1.0]}, metric=BundleMetric("frobnication"))
    ingest(store, sent, actor="t", higher_is_better=False)
    assert get_metric(store, "frobnication").higher_is_better is False
    assert not ingest(store, sent, actor="t").changed  # from now on the store knows


def test_ingest_lets_the_person_speak_only_for_metrics_without_a_direction(store, bundle, run):
    metrics = [BundleMetric("loss-like", higher_is_better=False), BundleMetric("frobnication")]
    sent = bundle([run("A", {(0, 0): [1.0], (1, 0): [1.0]})], metric=metrics)
    ingest(store, sent, actor="t", higher_is_better=True)
    assert get_metric(store, "loss-like").higher_is_better is False
    assert get_metric(store, "frobnication").higher_is_better is True


def test_ingest_flag_does_not_turn_a_usual_direction_round_and_says_so(store, bundle):
    sent = bundle({"A": [1.0]}, metric=BundleMetric("perplexity"))
    report = ingest(store, sent, actor="t", higher_is_better=True)
    assert get_metric(store, "perplexity").higher_is_better is False
    assert any("'perplexity': lower is better, as usual" in text for text in report.warnings)


@pytest.mark.parametrize("by_flag", [True, False])
def test_ingest_refuses_a_metric_that_turns_round(store, bundle, by_flag):
    ingest(store, bundle({"A": [1.0]}, metric="loss"), actor="t")
    metric = BundleMetric("loss", higher_is_better=None if by_flag else False)
    with pytest.raises(ConflictError) as raised:
        ingest(store, bundle({"B": [1.0]}, metric=metric), actor="t",
               higher_is_better=False if by_flag else None)  # fmt: skip
    assert str(raised.value) == (
        "The store holds the metric 'loss' with higher is better; this import says the opposite. "
        "Correct the flag or the YAML file, or give the metric another name."
    )


def test_ingest_refuses_another_aggregation_under_the_same_name(store, bundle):
    ingest(store, bundle({"A": [1.0]}, metric="las"), actor="t")
    metric = BundleMetric("las", higher_is_better=True, aggregation="ratio")
    with pytest.raises(ConflictError) as raised:
        ingest(store, bundle({"B": [[1.0, 2.0]]}, metric=metric), actor="t")
    assert str(raised.value) == (
        "The store holds the metric 'las' with aggregation 'mean', this import has 'ratio'. Give "
        "one of them another name or signature."
    )


def test_ingest_refuses_another_unit_under_the_same_name(store, bundle):
    ingest(
        store,
        bundle({"A": [1.0]}, metric=BundleMetric("acc", "", True, unit="proportion")),
        actor="t",
    )
    metric = BundleMetric("acc", "", True, unit="percent")
    with pytest.raises(ConflictError) as raised:
        ingest(store, bundle({"B": [81.0]}, metric=metric), actor="t")
    assert str(raised.value) == (
        "The store holds the metric 'acc' in unit 'proportion', this import has 'percent'. "
        "Convert the scores, or give the metric another name or signature."
    )


def test_ingest_keeps_metrics_of_two_signatures_apart(store, bundle, run):
    metrics = [BundleMetric("bleu", s, True) for s in ("tok:13a", "tok:intl")]
    ingest(store, bundle([run("A", {(0, 0): [1.0], (1, 0): [2.0]})], metric=metrics), actor="t")
    assert [m.label for m in list_metrics(store)] == ["bleu [tok:13a]", "bleu [tok:intl]"]


@pytest.mark.parametrize(
    ("unit", "bounds"), [("proportion", (0, 1)), ("percent", (0, 100)), ("points", (None, None))]
)
def test_ingest_draws_bounds_from_the_unit(store, bundle, unit, bounds):
    metric = BundleMetric("acc", higher_is_better=True, unit=unit)
    ingest(store, bundle({"A": [0.5]}, metric=metric), actor="t")
    record = get_metric(store, "acc")
    assert (record.lower, record.upper) == bounds


def test_ingest_recognises_a_system_by_its_alias(store, bundle):
    ingest(store, bundle({"GPT": [1.0]}, aliases={"GPT": ["gpt-x", "openai/gpt-x"]}), actor="t")
    report = ingest(store, bundle({"gpt-x": [1.0]}), actor="t")
    assert report.systems_added == []
    assert report.n("run", "unchanged") == 1
    assert get_system(store, "openai/gpt-x").aliases == ("gpt-x", "openai/gpt-x")


def test_ingest_records_an_alias_once(store, bundle):
    sent = bundle({"A": [1.0]}, aliases={"A": ["a", "A"]})
    ingest(store, sent, actor="t")
    ingest(store, sent, actor="t")
    assert [e.detail for e in list_events(store) if e.action == "alias"] == [
        {"alias": "a", "name": "A"}
    ]


def test_ingest_refuses_an_alias_that_is_another_system(store, bundle):
    ingest(store, bundle({"A": [1.0], "B": [1.0]}), actor="t")
    with pytest.raises(ConflictError) as raised:
        ingest(store, bundle({"A": [1.0]}, aliases={"A": ["B"]}), actor="t")
    assert str(raised.value) == ("'B' cannot be an alias of 'A': another system has that name.")


def test_ingest_can_use_the_alias_of_a_deleted_system(store, bundle):
    ingest(store, bundle({"old": [1.0]}, aliases={"old": ["short"]}), actor="t")
    gone = delete(store, "system", "old", actor="t")
    ingest(store, bundle({"new": [1.0]}, aliases={"new": ["short"]}), actor="t")
    assert get_system(store, "short").name == "new"
    restore(store, "system", gone, actor="t")
    assert get_system(store, "short").name == "new"
    assert [s.name for s in list_systems(store)] == ["new", "old"]


def _two_datasets(bundle, **more):
    item = [BundleItem("a", content_hash="1" * 64)]
    datasets = [BundleDataset("x", items=item), BundleDataset("y", items=item)]
    return bundle([], datasets=datasets, **more)


def test_ingest_declares_an_overlap_once_whichever_way_round(store, bundle):
    one = _two_datasets(bundle, overlaps=[BundleOverlap("x", "y", "transform", "back-translated")])
    other = _two_datasets(bundle, overlaps=[BundleOverlap("y", "x", "transform")])
    ingest(store, one, actor="t")
    revision = store.revision()
    ingest(store, other, actor="t")
    assert store.revision() == revision
    [overlap] = list_overlaps(store)
    assert (overlap.dataset_a, overlap.dataset_b) == ("x", "y")
    assert (overlap.kind, overlap.note) == ("transform", "back-translated")


def test_ingest_leaves_an_overlap_with_an_unknown_dataset_for_later(store, bundle):
    ingest(store, _two_datasets(bundle, overlaps=[BundleOverlap("x", "elsewhere")]), actor="t")
    assert [o.n_shared for o in list_overlaps(store)] == [1]  # found, not declared
