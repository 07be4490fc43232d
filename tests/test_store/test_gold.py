"""What judgments amount to for each system and item."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from store import vectors
from store.arrays import load_matrix
from store.backup import check
from store.errors import ConflictError, NotFoundError, StoreError
from store.gold import baseline_of, mean_of_annotators, put_gold, share_won
from store.history import list_events
from store.importers.bundle import BundleErrorSpan, BundleMetric, BundlePreference, BundleRating
from store.ingest import ingest
from store.judgments import change_weights, load_preferences, load_ratings
from store.lifecycle import delete, restore
from store.metrics import get_metric, list_metrics
from store.run_scores import load_run_scores
from store.runs import list_runs

NAN = float("nan")
MEAN, SHARE = "fluency [human: mean of annotators]", "better [human: share of comparisons won]"


def scores(store, metric, dataset="qa"):
    """Return system -> scores of the items."""
    found = load_matrix(store, dataset, metric)
    return {name: row[:, 0].tolist() for name, row in zip(found.systems, found.scores, strict=True)}


def same(found, expected):
    assert found.keys() == expected.keys()
    for name, row in expected.items():
        np.testing.assert_array_equal(found[name], row)


def test_ratings_become_the_mean_of_annotators_of_their_mean_over_replicates(store, rated):
    ann = [BundleRating(0, "ann", 0, "A", value, k) for k, value in enumerate([1.0, 2.0, 3.0])]
    ingest(store, rated(*ann, ("bob", 0, "A", 5.0), ("bob", 2, "B", 1.0)), actor="t")
    same(scores(store, MEAN), {"A": [3.5, NAN, NAN, NAN], "B": [NAN, NAN, 1, NAN]})
    metric = get_metric(store, "fluency")
    assert metric.label == MEAN
    assert (metric.source, metric.lower, metric.upper, metric.higher_is_better) == (
        *("human", 1, 5, True),
    )
    assert metric.to_dict()["source"] == "human"


def test_scores_stand_in_a_run_of_judgments_with_statuses(store, rated):
    ingest(store, rated(("ann", 0, "A", 1.0), ("ann", 3, "B", 2.0)), actor="t")
    runs = list_runs(store)
    assert {(run.system, run.label, run.harness) for run in runs} == {
        ("A", "judgments", "judgments"),
        ("B", "judgments", "judgments"),
    }
    [of_b] = [run for run in runs if run.system == "B"]
    [found] = load_run_scores(store, of_b.uid)
    assert found.status.tolist() == [1, 1, 1, 0]
    assert of_b.vectors[0].n_scored == 1
    assert check(store) == []


def test_people_and_models_are_held_apart(store, rated):
    sent = rated(
        ("ann", 0, "A", 1.0), ("judge", 0, "A", 5.0), ("judge", 0, "B", 4.0),
        annotators={"judge": "model"},
    )  # fmt: skip
    ingest(store, sent, actor="t")
    model = "fluency [model: mean of annotators]"
    same(scores(store, MEAN), {"A": [1, NAN, NAN, NAN]})
    same(scores(store, model), {"A": [5, NAN, NAN, NAN], "B": [4, NAN, NAN, NAN]})
    assert {metric.label: metric.source for metric in list_metrics(store)} == {
        MEAN: "human",
        model: "model",
    }


def test_gold_follows_judgments_that_come_later(store, rated):
    ingest(store, rated(("ann", 0, "A", 1.0)), actor="t")
    [run] = list_runs(store)
    report = ingest(store, rated(("bob", 0, "A", 2.0), n_items=6), actor="t")
    assert report.understood == [f"Metric '{MEAN}': 1 system, 1 item."]
    same(scores(store, MEAN), {"A": [1.5, *[NAN] * 5]})
    assert [found.uid for found in list_runs(store)] == [run.uid]  # replaced in place
    uid = get_metric(store, "fluency").uid
    events = [event for event in list_events(store, target_uid=uid) if event.action == "gold"]
    assert [event.detail["n_systems"] for event in events] == [1, 1]
    assert check(store) == []


def test_gold_that_stays_is_not_written_again(store, rated):
    ingest(store, rated(("ann", 0, "A", 3.0)), actor="t")
    uid = get_metric(store, "fluency").uid
    before = len(list_events(store, target_uid=uid))
    report = ingest(store, rated(("bob", 0, "A", 3.0)), actor="t")
    assert (report.n("judgment", "added"), report.understood) == (1, [])
    assert len(list_events(store, target_uid=uid)) == before


def test_annotator_who_turns_out_to_be_a_model_takes_all_of_its_judgments_along(
    store, rated, compared
):
    ingest(store, rated(("ann", 0, "A", 1.0), ("bob", 0, "A", 3.0)), actor="t")
    ingest(store, compared(("bob", 0, "A", "B", "first")), actor="t")
    sent = rated(("bob", 0, "A", 3.0), annotators={"bob": "model"})
    assert ingest(store, sent, actor="t", replace=True).changed
    same(scores(store, MEAN), {"A": [1, NAN, NAN, NAN]})
    same(scores(store, "fluency [model: mean of annotators]"), {"A": [3, NAN, NAN, NAN]})
    same(scores(store, SHARE), {})
    model = scores(store, "better [model: share of comparisons won]")
    same(model, {"A": [1, NAN, NAN, NAN], "B": [0, NAN, NAN, NAN]})


def test_labels_have_no_mean_and_items_are_no_systems(store, rated):
    said = {"level": "nominal", "labels": ["a", "b"], "lower": None, "upper": None}
    ingest(store, rated(("ann", 0, "A", 1.0), name="kind", **said), actor="t")
    ingest(store, rated(("ann", 0, None, 3.0)), actor="t")
    assert list_metrics(store) == []
    assert list_runs(store) == []


def test_preferences_become_the_share_of_comparisons_won(store, compared):
    sent = compared(
        ("ann", 0, "A", "B", "first"), ("bob", 0, "B", "A", "tie"), ("ann", 0, "C", "A", "first"),
        # Twice the same comparison is one voice.
        BundlePreference(0, "ann", 1, "A", "B", "first"),
        BundlePreference(0, "ann", 1, "B", "A", "tie", replicate=1),
        ("bob", 1, "A", "B", "second"), ("bob", 2, "B", "C", "first"),
    )  # fmt: skip
    ingest(store, sent, actor="t")
    same(
        scores(store, SHARE),
        {
            "A": [(1 + 0.5 + 0) / 3, (0.75 + 0) / 2, NAN, NAN],
            "B": [(0 + 0.5) / 2, (0.25 + 1) / 2, 1, NAN],
            "C": [1, NAN, 0, NAN],
        },
    )
    metric = get_metric(store, "better")
    assert (metric.unit, metric.lower, metric.upper) == ("proportion", 0, 1)


def test_a_baseline_counts_as_one_half(store, compared):
    """So that its difference to a system is that of their own comparisons."""
    sent = compared(
        ("ann", 0, "base", "B", "first"), ("ann", 0, "base", "C", "first"),
        ("ann", 1, "D", "base", "first"), ("ann", 1, "base", "C", "second"),
    )  # fmt: skip
    ingest(store, sent, actor="t")
    same(
        scores(store, SHARE),
        {
            "base": [0.5, 0.5, NAN, NAN],
            "B": [0, NAN, NAN, NAN],
            "C": [0, 1, NAN, NAN],
            "D": [NAN, 1, NAN, NAN],
        },
    )
    found = load_preferences(store, "qa", "better")
    assert found.systems[baseline_of(found)] == "base"


def test_strengths_do_not_enter_the_share(store, compared):
    sent = compared(
        BundlePreference(0, "ann", 0, "A", "B", "second", 0.51),
        BundlePreference(0, "ann", 1, "A", "B", "second", 0.99),
    )
    ingest(store, sent, actor="t")
    same(scores(store, SHARE), {"A": [0, 0, NAN, NAN], "B": [1, 1, NAN, NAN]})


def test_shares_follow_when_a_system_hides_and_comes_back(store, compared):
    sent = compared(("ann", 0, "A", "B", "first"), ("ann", 0, "A", "C", "second"))
    ingest(store, sent, actor="t")
    before = scores(store, SHARE)
    uid = delete(store, "system", "C", actor="t")
    same(scores(store, SHARE), {"A": [1, NAN, NAN, NAN], "B": [0, NAN, NAN, NAN]})
    restore(store, "system", uid, actor="t")
    same(scores(store, SHARE), before)
    delete(store, "dataset", "qa", actor="t")
    delete(store, "system", "B", actor="t")  # while the dataset is hidden, too
    [gone] = [e.target_uid for e in list_events(store) if e.target_kind == "dataset"][:1]
    restore(store, "dataset", gone, actor="t")
    same(scores(store, SHARE), {"A": [0, NAN, NAN, NAN], "C": [1, NAN, NAN, NAN]})
    assert check(store) == []


def test_marked_errors_become_a_penalty(store, rated):
    rows = [
        BundleRating(0, "ann", 0, "A", NAN, spans=[BundleErrorSpan("Major")] * 2),
        BundleRating(0, "bob", 0, "A", NAN, spans=[BundleErrorSpan("Minor")]),
        BundleRating(0, "ann", 0, "B", NAN),
    ]
    weights = {"Major": 5.0, "Minor": 1.0}
    sent = rated(*rows, name="mqm", kind="error-spans", weights=weights, lower=None, upper=None)
    ingest(store, sent, actor="t")
    same(scores(store, "mqm"), {"A": [5.5, NAN, NAN, NAN], "B": [0, NAN, NAN, NAN]})
    assert not get_metric(store, "mqm").higher_is_better
    change_weights(store, "qa", "mqm", {"Major": 1, "Minor": 0}, actor="t")
    same(scores(store, "mqm"), {"A": [1, NAN, NAN, NAN], "B": [0, NAN, NAN, NAN]})


def test_automatic_metric_of_the_same_name_does_not_clash(store, rated, bundle):
    metric = BundleMetric("fluency", higher_is_better=False)
    automatic = bundle({"A": [9.0]}, keys=["i0"], metric=metric)
    ingest(store, automatic, actor="t")
    ingest(store, rated(("ann", 0, "A", 1.0)), actor="t")
    assert {metric.label: metric.source for metric in list_metrics(store)} == {
        "fluency": "automatic",
        MEAN: "human",
    }
    same(scores(store, "fluency"), {"A": [9, NAN, NAN, NAN]})
    same(scores(store, MEAN), {"A": [1, NAN, NAN, NAN]})


def test_scores_that_came_as_a_table_get_their_source_from_the_judgments(store, rated, bundle):
    metric = BundleMetric("fluency", "human: mean of annotators", higher_is_better=True)
    ingest(store, bundle({"A": [2.0]}, keys=["i0"], metric=metric), actor="t")
    ingest(store, rated(("ann", 0, "B", 1.0)), actor="t")
    [found] = list_metrics(store)
    assert found.source == "human"


def test_one_name_on_two_scales_is_two_metrics(store, rated):
    ingest(store, rated(("ann", 0, "A", 3.0)), actor="t")
    other = rated(("ann", 0, "A", 70.0), dataset_name="other", lower=0.0, upper=100.0)
    ingest(store, other, actor="t")
    signed = "fluency [human: mean of annotators; scale 0 to 100, higher is better]"
    assert [metric.label for metric in list_metrics(store)] == [MEAN, signed]
    same(scores(store, signed, "other"), {"A": [70, NAN, NAN, NAN]})
    again = rated(("bob", 0, "A", 80.0), dataset_name="other", lower=0.0, upper=100.0)
    ingest(store, again, actor="t")
    same(scores(store, signed, "other"), {"A": [75, NAN, NAN, NAN]})


def test_scores_move_when_the_scale_is_told_later(store, rated):
    ingest(store, rated(("ann", 0, "A", 3.0), dataset_name="first"), actor="t")
    ingest(store, rated(("ann", 0, "A", 4.0), lower=None, upper=None), actor="t")
    signed = "fluency [human: mean of annotators; scale open to open, higher is better]"
    same(scores(store, signed), {"A": [4, NAN, NAN, NAN]})
    ingest(store, rated(), actor="t")
    same(scores(store, MEAN), {"A": [4, NAN, NAN, NAN]})
    same(scores(store, signed), {})


def put(store, values, systems=("A", "B"), **more):
    said = {"rule": "median of annotators", "source": "human", "actor": "t"} | more
    return put_gold(store, "qa", "fluency", systems=systems, values=np.array(values), **said)


@pytest.fixture
def filled(store, rated):
    ingest(store, rated(("ann", 0, "A", 3.0), ("ann", 0, "B", 1.0)), actor="t")
    return store


def test_gold_by_another_rule_stands_beside_and_is_replaced(filled):
    first = put(filled, [[1.0, 2, NAN, NAN], [3, 4, NAN, NAN]], lower=1, upper=5)
    assert first.label == "fluency [human: median of annotators]"
    assert (first.source, first.lower, first.upper) == ("human", 1, 5)
    same(scores(filled, first.uid), {"A": [1, 2, NAN, NAN], "B": [3, 4, NAN, NAN]})
    second = put(filled, [[4.0, 4, 4, NAN]], ["A"], lower=1, upper=5)
    assert second.uid == first.uid
    same(scores(filled, first.uid), {"A": [4, 4, 4, NAN]})
    same(scores(filled, MEAN), {"A": [3, NAN, NAN, NAN], "B": [1, NAN, NAN, NAN]})
    assert len(list_runs(filled)) == 2
    assert check(filled) == []


def test_gold_by_another_rule_can_have_its_own_direction(filled):
    turned = put(filled, [[1.0] * 4, [2.0] * 4], rule="rank", higher_is_better=False)
    assert not turned.higher_is_better
    model = put(filled, [[1.0] * 4, [2.0] * 4], rule="rank", source="model")
    assert (model.label, model.source) == ("fluency [model: rank]", "model")
    back = put(filled, [[3.0] * 4, [4.0] * 4], rule="rank", higher_is_better=True)
    assert back.label == "fluency [human: rank; scale open to open, higher is better]"
    same(scores(filled, turned.uid), {})  # one rule, one gold


def test_judgments_that_come_later_are_told_of_golds_that_do_not_follow(filled, rated):
    put(filled, [[1.0] * 4, [2.0] * 4])
    report = ingest(filled, rated(("bob", 0, "A", 1.0)), actor="t")
    assert report.warnings == [
        "'fluency [human: median of annotators]' was computed before these judgments came in: "
        "compute it again with `tiebreak gold qa fluency --rule median`."
    ]


@pytest.mark.parametrize(
    ("source", "rule", "words"),
    [
        ("human", "mean of z-scores per annotator", "--rule z-score"),
        ("model", "median of annotators", "--rule median --annotators model"),
        ("model", "mean of annotators; people and models", "--rule mean --annotators all"),
        (
            *("human", "mean of annotators; weights Major=2, Minor Fluency=0.5"),
            "--rule mean --weights 'Major=2,Minor Fluency=0.5'",
        ),
        (
            *("human", "likeliest label by MACE (EM); the most certain 0.9; 3 control items"),
            "--rule mace-em --threshold 0.9 --controls FILE",
        ),
    ],
)
def test_gold_that_does_not_follow_is_told_with_its_command(filled, rated, source, rule, words):
    put(filled, [[1.0] * 4, [2.0] * 4], rule=rule, source=source)
    [told] = ingest(filled, rated(("bob", 0, "A", 1.0)), actor="t").warnings
    assert told == (
        f"'fluency [{source}: {rule}]' was computed before these judgments came in: compute it "
        f"again with `tiebreak gold qa fluency {words}`."
    )


def test_gold_by_a_rule_of_somebody_else_is_told_without_a_command(filled, rated):
    put(filled, [[1.0] * 4, [2.0] * 4], rule="rank")
    [told] = ingest(filled, rated(("bob", 0, "A", 1.0)), actor="t").warnings
    assert told.endswith("compute it again as it was made.")


def test_weights_name_the_golds_that_do_not_follow(store, rated):
    marked = {"name": "mqm", "kind": "error-spans", "lower": None, "upper": None}
    row = BundleRating(0, "ann", 0, "A", NAN, spans=[BundleErrorSpan("Major")])
    ingest(store, rated(row, weights={"Major": 5.0, "Minor": 1.0}, **marked), actor="t")
    said = {"source": "human", "systems": ["A"], "values": np.array([[5.0, NAN, NAN, NAN]])}
    median = put_gold(store, "qa", "mqm", rule="median of annotators", actor="t", **said)
    own = "mean of annotators; weights Major=2, Minor=1"
    put_gold(store, "qa", "mqm", rule=own, actor="t", **said)
    changed = change_weights(store, "qa", "mqm", {"Major": 10, "Minor": 1}, actor="t")
    assert [gold.to_dict() for gold in changed.stale] == [
        {
            "metric": median.label,
            "uid": median.uid,
            "command": "tiebreak gold qa mqm --rule median",
        }
    ]
    # No error is minor: nothing weighs otherwise.
    changed = change_weights(store, "qa", "mqm", {"Major": 10, "Minor": 2}, actor="t")
    assert (changed.n_changed, changed.stale) == (0, [])


@pytest.mark.parametrize(
    ("said", "error", "message"),
    [
        ({"values": [[1.0] * 3] * 2}, StoreError, r"2 systems .* 4 items, got shape \(2, 3\)"),
        ({"values": [1.0, 2.0]}, StoreError, r"got shape \(2,\)"),
        ({"values": [[np.inf] * 4] * 2}, StoreError, "must be finite"),
        ({"values": [[0.0] * 4] * 2, "lower": 1}, StoreError, "between 1 and inf"),
        ({"systems": ["A", "A"]}, StoreError, "names a system twice"),
        ({"systems": ["A", "Z"]}, NotFoundError, "no system 'Z'"),
        ({"rule": "mean of annotators"}, StoreError, "follows the judgments at every import"),
        ({"rule": " "}, StoreError, "must say how"),
        ({"rule": "x" * 400}, StoreError, "too long: 400"),
    ],
)
def test_wrong_golds_are_refused(filled, said, error, message):
    with pytest.raises(error, match=message):
        put(filled, **({"values": [[1.0] * 4] * 2} | said))


def test_gold_needs_judgments(store, rated, bundle):
    ingest(store, rated(), actor="t")
    ingest(store, bundle({"A": [1.0]}), actor="t")
    with pytest.raises(StoreError, match="no judgments on 'fluency' yet"):
        put_gold(
            store, "qa", "fluency", rule="r", source="human", systems=["A"], actor="t",
            values=np.full((1, 5), 1.0),
        )  # fmt: skip


def test_scale_of_another_kind_is_named(filled, bundle):
    for signature in ("human: r", "human: r; scale open to open, higher is better"):
        wrong = BundleMetric("fluency", signature, higher_is_better=True, aggregation="median")
        ingest(filled, bundle({"C": [1.0]}, keys=["i0"], metric=wrong), actor="t")
    with pytest.raises(StoreError, match="of another kind"):
        put(filled, [[1.0] * 4, [2.0] * 4], rule="r")


def test_conflict_leaves_the_gold_as_it_was(filled, rated):
    before = scores(filled, MEAN)
    with pytest.raises(ConflictError):
        ingest(filled, rated(("bob", 0, "A", 5.0), ("ann", 0, "B", 2.0)), actor="t")
    same(scores(filled, MEAN), before)


# --- against loops -------------------------------------------------------------------------------

CELLS = st.tuples(
    st.sampled_from("abc"), st.integers(0, 2), st.sampled_from("AB"), st.integers(0, 2)
)
HEALTH = {"deadline": None, "suppress_health_check": [HealthCheck.function_scoped_fixture]}


@given(cells=st.dictionaries(CELLS, st.floats(1, 5) | st.just(NAN), min_size=1, max_size=30))
@settings(**HEALTH)
def test_mean_of_annotators_is_that_of_a_loop(new_store, rated, cells):
    store = new_store()
    rows = [BundleRating(0, by, i, of, v, k) for (by, i, of, k), v in cells.items()]
    ingest(store, rated(*rows), actor="t")
    ratings = load_ratings(store, "qa", "fluency")
    found = mean_of_annotators(ratings)
    for s, system in enumerate(ratings.systems):
        for item in range(4):
            voices = []
            for annotator in "abc":
                own = [v for (by, i, of, _), v in cells.items()
                       if (by, i, of) == (annotator, item, system) and v == v]  # fmt: skip
                voices += [np.mean(own)] if own else []
            expected = np.mean(voices) if voices else NAN
            np.testing.assert_allclose(found[s, item], expected, rtol=1e-12)
    store.close()


@given(
    cells=st.dictionaries(
        st.tuples(
            st.sampled_from("ab"), st.integers(0, 1), st.sampled_from(["AB", "BC", "CA"]),
            st.integers(0, 1),
        ),
        st.tuples(st.sampled_from(["first", "second", "tie"]), st.booleans()),
        min_size=1,
        max_size=20,
    )
)  # fmt: skip
@settings(**HEALTH)
def test_share_won_is_that_of_a_loop(new_store, compared, cells):
    store = new_store()
    turned = {"first": "second", "second": "first", "tie": "tie"}
    rows = [
        BundlePreference(0, by, i, b, a, turned[choice], replicate=k)
        if turn
        else BundlePreference(0, by, i, a, b, choice, replicate=k)
        for (by, i, (a, b), k), (choice, turn) in cells.items()
    ]
    ingest(store, compared(*rows), actor="t")
    found = load_preferences(store, "qa", "better")
    shares = share_won(found)
    points = {"first": 1.0, "second": 0.0, "tie": 0.5}
    for s, system in enumerate(found.systems):
        for item in range(4):
            voices: dict[tuple[str, str], list[float]] = {}
            for (by, i, (a, b), _), (choice, _) in cells.items():
                if i == item and system in (a, b):
                    won = points[choice] if system == a else 1 - points[choice]
                    voices.setdefault((by, b if system == a else a), []).append(won)
            expected = np.mean([np.mean(v) for v in voices.values()]) if voices else NAN
            if voices and baseline_of(found) == s:
                expected = 0.5
            np.testing.assert_allclose(shares[s, item], expected, rtol=1e-12)
    stored = load_matrix(store, "qa", "better")
    assert vectors.encode(stored.scores[:, :, 0]) == vectors.encode(shares)
    store.close()


def test_turned_preferences_give_the_same_shares(store, new_store, compared):
    one = compared(("ann", 0, "A", "B", "first"), ("bob", 0, "A", "B", "tie"))
    other = compared(("ann", 0, "B", "A", "second"), ("bob", 0, "B", "A", "tie"))
    ingest(store, one, actor="t")
    second = new_store()
    ingest(second, replace(other), actor="t")
    same(scores(store, SHARE), scores(second, SHARE))
    second.close()
