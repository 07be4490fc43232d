"""Damaged tables of judgments are refused in words, wherever the fault lies; nothing else is."""

from __future__ import annotations

import copy
import json
from contextlib import suppress
from typing import Any

import pytest

from store.errors import ImportFormatError

LONG = {
    "annotator": "ann", "item": "q1", "system": "A", "criterion": "fluency", "rating": 3,
    "replicate": 0, "judged_at": "2020-01-01", "annotator_kind": "human", "group": "g",
    "input": "text", "dataset": "d", "scale_level": "interval", "output": "text",
}  # fmt: skip
PAIR = {
    "annotator": "ann", "item": "q1", "system_a": "A", "system_b": "B", "choice": "first",
    "strength": 0.2, "order_known": True, "first_length": 3, "second_length": 4,
    "criterion": "better",
}  # fmt: skip
MARKED = {
    "annotator": "ann", "item": "q1", "system": "A",
    "errors": [{"severity": "Major", "start": 1, "end": 2}],
}  # fmt: skip
WORKERS = {"item": "q1", "ann": 1, "bob": 2}
LISTED = {"item": "q1", "system": "A", "ratings": {"fluency": [1, 2]}}
ALPACA = {
    "instruction": "q1", "generator_1": "A", "generator_2": "B", "preference": 1,
    "annotator": "gpt", "dataset": "s", "output_1": "x", "output_2": "y",
}  # fmt: skip
NESTED: tuple[Any, ...] = ([], [1], [[2]], ["x"], {}, {"a": {"b": [1]}}, [{}], [None])
OTHER: tuple[Any, ...] = (True, False, None, 10**25, 10**400, "", "²", float("nan"), float("inf"))


def read_records(read, records: list[Any], name: str = "x.json", **more: Any) -> Any:
    if name.endswith("l"):
        return read("\n".join(map(json.dumps, records)), name, **more)
    return read(json.dumps(records), name, **more)


@pytest.mark.parametrize("name", ["x.json", "x.jsonl"])
@pytest.mark.parametrize(
    ("record", "choices"),
    [
        (LONG, {}), (LONG, {"level": "nominal"}), (PAIR, {}), (MARKED, {}), (LISTED, {}),
        (WORKERS, {"level": "nominal"}), (WORKERS, {"level": "interval"}),
        (WORKERS, {"rows": "annotators", "level": "nominal"}),
        ({"annotator": "ann", "q1": 1, "q2": 2}, {"level": "nominal"}),
        ({"item": "q1", "ann": "red", "bob": "blue"}, {"red": "B", "blue": "A"}),
    ],
)  # fmt: skip
def test_any_value_in_any_field_is_read_or_refused(read, record, choices, name) -> None:
    for field in record:
        for bad in (*NESTED, *OTHER):
            records = [copy.deepcopy(record), copy.deepcopy(record) | {"item": "q2"}]
            records[0][field] = bad
            more = {"format": "judgments", "dataset": "d", "choices": choices, "with_text": True}
            with suppress(ImportFormatError):
                read_records(read, records, name, **more)


def test_any_value_in_any_field_of_alpaca_eval_is_read_or_refused(read) -> None:
    for field in ALPACA:
        for bad in (*NESTED, *OTHER):
            records = [ALPACA | {field: bad}, ALPACA | {"instruction": "q2"}]
            with suppress(ImportFormatError):
                read_records(read, records, format="alpaca_eval", with_text=True)


@pytest.mark.parametrize(
    ("record", "field"),
    [
        *((LONG, name) for name in LONG if name not in ("input", "dataset", "group")),
        *((PAIR, name) for name in PAIR),
    ],
)
def test_list_in_a_cell_is_named_with_record_and_field(read, record, field) -> None:
    records = [record | {"item": "q0"}, record | {field: [1]}, record | {"item": "q2"}]
    dataset = None if "dataset" in record else "d"
    with pytest.raises(ImportFormatError, match="list or an object") as raised:
        read_records(read, records, format="judgments", dataset=dataset, with_text=True)
    assert (raised.value.line, raised.value.field) == (2, field)


def test_list_in_a_list_of_ratings_is_named(read) -> None:
    records = [
        {"item": "q1", "system": "A", "ratings": {"fluency": [1, True]}},
        {"item": "q1", "system": "B", "ratings": {"fluency": [3, [2]]}},
    ]
    for format in ("judgments", None):
        with pytest.raises(ImportFormatError, match="holds a list or an object") as raised:
            read_records(read, records, format=format, dataset="d")
        assert (raised.value.line, raised.value.field) == (2, "ratings.fluency")


def test_list_in_a_part_of_a_name_is_named(read) -> None:
    record = {"annotator": "ann", "doc": [1], "seg": 1, "system": "A", "rating": 3}
    with pytest.raises(ImportFormatError, match="a name is made of plain values") as raised:
        read_records(read, [record], dataset="d", columns={"item": "{doc}-{seg}"})
    assert (raised.value.line, raised.value.field) == (1, "doc")


def test_lists_with_a_wrong_value_are_still_judgments(read) -> None:
    records = [{"item": "q1", "system": s, "ratings": {"fluency": ["x", 2]}} for s in "AB"]
    with pytest.raises(ImportFormatError, match="'x' is not a number") as raised:
        read_records(read, records, dataset="d")
    assert (raised.value.line, raised.value.field) == (1, "ratings.fluency")


def test_one_object_instead_of_a_list_is_told(read) -> None:
    text = json.dumps(LISTED)
    with pytest.raises(ImportFormatError, match="A JSON file of judgments is a list"):
        read(text, "x.json", dataset="d")


def test_swapped_criterion_and_rating_are_refused(read) -> None:
    text = "annotator,item,system,criterion,rating\nann,q1,A,4,fluency\nbob,q1,A,5,fluency\n"
    with pytest.raises(ImportFormatError, match="the columns are swapped") as raised:
        read(text, dataset="d")
    assert raised.value.field == "criterion"
    assert "--column criterion=rating --column rating=criterion" in str(raised.value)
    turned = read(text, dataset="d", columns={"criterion": "rating", "rating": "criterion"})
    assert [one.name for one in turned.criteria] == ["fluency"]
    assert [one.value for one in turned.ratings] == [4, 5]
    meant = read(text, dataset="d", columns={"criterion": "criterion", "rating": "rating"})
    assert [one.name for one in meant.criteria] == ["4", "5"]


@pytest.mark.parametrize(
    "text",
    [
        "annotator,item,criterion,rating\nann,q1,part of speech,NOUN\n",
        "annotator,item,criterion,rating\nann,q1,1,4\n",
        "annotator,item,criterion,rating\nann,q1,1,NOUN\nann,q2,form,VERB\n",
        "annotator,item,criterion,rating\nann,q1,1,NOUN\nann,q2,1,VERB\nann,q3,1,3\n",
    ],
)
def test_criteria_that_are_not_swapped_are_read(read, text) -> None:
    choices = {"level": "nominal"}
    assert read(text, dataset="d", format="judgments", choices=choices).ratings


def test_severity_that_is_no_word_is_told_as_such(read) -> None:
    for severity, message in ((5, "severity of an error is no word"), (None, "has no severity")):
        record = MARKED | {"errors": [{"severity": severity}]}
        with pytest.raises(ImportFormatError, match=message):
            read_records(read, [record], dataset="d")


def test_metrics_are_told_as_the_store_calls_them(read) -> None:
    record = {
        "item": "q1", "system": "A", "annotator": "mean", "scores": {"naturalness": 1},
        "predict_scores": {"naturalness": 0.5, "coherence": 0.2},
    }  # fmt: skip
    choices = {"criteria": "scores", "metrics": "predict_scores"}
    bundle = read_records(
        read, [record], format="judgments", dataset="d", choices=choices, higher_is_better=True
    )
    names = [metric.name for metric in bundle.metrics]
    assert f"Scores of metrics: {', '.join(names)}." in bundle.understood
    assert "predict_scores naturalness" in names


def test_file_without_header_is_told_of_where_its_names_come_twice(read) -> None:
    with pytest.raises(ImportFormatError, match="holds judgments like the others, say --format"):
        read("blue,blue,red\nblue,rose,\n", dataset="d")
    labels = read("blue,blue,red\nblue,red,\n", dataset="d")
    assert (labels.format, len(labels.ratings)) == ("judgments", 5)
