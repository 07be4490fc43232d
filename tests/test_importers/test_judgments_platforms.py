"""Judgments as platforms of annotation export them: Label Studio, Mechanical Turk, battles."""

import json

import pytest

from store.importers.detect import read_paths


@pytest.fixture
def read(tmp_path):
    """Return a function that writes one file of a folder and reads the folder."""

    def make(name, content):
        path = tmp_path / "lab" / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(content)
        (bundle,) = read_paths(tmp_path / "lab", root=tmp_path).bundles
        return bundle

    return make


def test_times_of_work_are_no_ratings_and_tasks_are_no_items(read):
    rows = [
        f"{10 * s + n},ann{a},{3.5 + n},mt-{s},source {n},output {s} {n},{1 + n % 5}"
        for n in range(5)
        for s in (1, 2)
        for a in (1, 2)
    ]
    head = "id,annotator,lead_time,system,source_text,translation,fluency"
    bundle = read("project.csv", "\n".join([head, *rows]) + "\n")
    assert [criterion.name for criterion in bundle.criteria] == ["fluency"]
    assert [item.key for item in bundle.datasets[0].items] == [f"source {n}" for n in range(5)]
    assert len(bundle.ratings) == 20


def test_labels_in_words_are_what_was_judged(read):
    words = ("Positive", "Negative", "Positive")
    records = [
        {"id": n, "text": f"text {n}", "mood": words[(n + a) % 3], "annotator": a, "lead_time": 3.2}
        for n in range(6)
        for a in (1, 2)
    ]
    bundle = read("project.json", json.dumps(records))
    assert [criterion.name for criterion in bundle.criteria] == ["mood"]
    assert sorted(bundle.criteria[0].labels) == ["Negative", "Positive"]


def test_a_batch_of_mechanical_turk(read):
    head = (
        "HITId,MaxAssignments,AssignmentId,WorkerId,WorkTimeInSeconds,"
        "Input.system,Input.item_id,Answer.fluency"
    )
    rows = [
        f"H{n}{s},3,A{n}{s}{w},W{w},{20 + n},{s},i{n},{1 + n}"
        for n in range(4)
        for s in ("gpt", "llama")
        for w in (1, 2)
    ]
    bundle = read("Batch_1_batch_results.csv", "\n".join([head, *rows]) + "\n")
    assert [criterion.name for criterion in bundle.criteria] == ["fluency"]
    assert {one.system for one in bundle.ratings} == {"gpt", "llama"}
    assert [item.key for item in bundle.datasets[0].items] == ["i0", "i1", "i2", "i3"]
    assert set(bundle.annotators) <= {"W1", "W2"}


def test_battles_that_name_their_workers(read):
    rows = "".join(f"{n},w{n % 2},a,b,model_a\n" for n in range(4))
    bundle = read("prefs.csv", f"id,worker_id,model_a,model_b,winner\n{rows}")
    assert {one.annotator for one in bundle.preferences} == {"w0", "w1"}
