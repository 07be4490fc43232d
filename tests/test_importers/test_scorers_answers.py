"""Answers as JSON with SQuAD's gold, in files of our own making."""

import json

import pytest

from store import vectors
from store.errors import AlignmentError, ImportFormatError, UnknownFormatError
from store.importers.bundle import ReadOptions
from store.importers.detect import read_paths


def passage(*questions):
    return {
        "context": "…",
        "qas": [
            {"id": key, "question": f"{key}?", "answers": [{"text": text} for text in answers]}
            for key, answers in questions
        ],
    }


SQUAD = {
    "version": "v2.0",
    "data": [
        {"title": "Rome", "paragraphs": [passage(("q1", ["the Tiber", "Tiber"]), ("q2", []))]},
        {"title": "Oslo", "paragraphs": [passage(("q3", ["in 1048"]))]},
    ],
}
GIVEN = {"q1": "tiber!", "q2": "", "q3": "1048"}


@pytest.fixture
def folder(write, tmp_path):
    """Return a function that writes JSON files and reads the folder."""

    def make(files, at="p", **options):
        for name, content in files.items():
            write(json.dumps(content), f"p/{name}")
        return read_paths(
            [tmp_path / at], options=ReadOptions(**options), root=tmp_path, whole=True
        ).bundles

    return make


def figures(bundle):
    return {
        (run.system, bundle.metrics[one.metric].name): vectors.aggregate(one.values, "mean")
        for run in bundle.runs
        for one in run.scores
    }


def test_squad_and_its_metrics(folder):
    (bundle,) = folder({"dev-v2.0.json": SQUAD, "out/bert_predictions.json": GIVEN})
    assert figures(bundle) == {
        ("bert", "normalised_match"): pytest.approx(2 / 3),
        ("bert", "token_f1"): pytest.approx((1 + 1 + 2 / 3) / 3),
    }
    assert bundle.runs[0].provenance.packages is None  # no library took part
    (dataset,) = bundle.datasets
    assert (dataset.name, [item.key for item in dataset.items]) == ("dev-v2.0", ["q1", "q2", "q3"])
    assert [item.group for item in dataset.items] == ["Rome, passage 1"] * 2 + ["Oslo, passage 1"]


def test_other_gold_and_missing_answers(folder):
    files = {
        "gold.json": {"q1": ["a", "b"], "q2": ["c"], "q3": ["d"]},
        "m.json": {"q1": "b", "q2": "x"},
    }
    (bundle,) = folder(files, score=["exact_match"])
    values = bundle.runs[0].scores[0].values[:, 0]
    assert values[:2].tolist() == [1, 0]
    assert values[2] != values[2]
    assert "1 questions of the gold have no answer" in bundle.warnings[0]


def test_gold_of_other_questions(folder):
    with pytest.raises(AlignmentError, match=r"2 of 2 questions are not in .*gold\.json, as 'x1'"):
        folder({"gold.json": {"q1": ["a"], "q2": ["c"]}, "m.json": {"x1": "b", "x2": "x"}})


def test_without_gold_the_answers_go_in_and_what_is_missing_is_said(folder):
    (bundle,) = folder({"SQuAD 2.0/output/predictions_.json": GIVEN}, with_text=True)
    (run,) = bundle.runs
    assert (run.system, bundle.datasets[0].name, list(run.scores)) == ("p", "SQuAD 2.0", [])
    assert list(run.outputs[0]) == ["tiber!", "", "1048"]
    assert "3 answers are not scored" in bundle.warnings[0]
    assert "--gold FILE" in bundle.warnings[0]
    with pytest.raises(ImportFormatError, match="--gold FILE"):
        folder({"SQuAD 2.0/output/predictions_.json": GIVEN}, score=["em"])


def test_gold_that_is_named(folder, write):
    gold = write(json.dumps(SQUAD), "elsewhere.json")
    (bundle,) = folder({"bert.json": GIVEN}, gold=gold)
    assert ("bert", "token_f1") in figures(bundle)


def test_an_object_of_labels_is_no_answers(folder):
    with pytest.raises(UnknownFormatError):
        folder({"id2label.json": {"0": "O", "1": "B-PER"}}, at="p/id2label.json")


@pytest.mark.parametrize("content", [{"data": [{"paragraphs": [{"qas": [{"question": "x"}]}]}]}])
def test_a_damaged_gold(folder, content):
    with pytest.raises(ImportFormatError, match=r"dev\.json.*'id' is missing"):
        folder({"dev.json": content, "predictions.json": GIVEN})


def test_records_of_squad_are_the_gold(write, tmp_path):
    rows = [("q1", ["the Tiber", "Tiber"], [4, 8]), ("q2", [], []), ("q3", ["in 1048"], [0])]
    lines = [
        {"id": key, "title": "T", "question": "?", "answers": {"text": right, "answer_start": at}}
        for key, right, at in rows
    ]
    write("\n".join(map(json.dumps, lines)), "p/references.jsonl")
    write(json.dumps(GIVEN), "p/net/predict_predictions.json")
    (bundle,) = read_paths(tmp_path / "p").bundles
    (run,) = bundle.runs
    assert run.system == "net"
    assert not bundle.ratings
    scores = {bundle.metrics[one.metric].name: one.values[:, 0].tolist() for one in run.scores}
    assert scores["normalised_match"] == [1, 1, 0]
