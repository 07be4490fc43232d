"""Annotations of AlpacaEval."""

import json

import pytest

from store.errors import ImportFormatError


def record(instruction="Say hi.", preference=1.0, **other):
    return {
        "instruction": instruction,
        "output_1": "Hello!",
        "generator_1": "base",
        "output_2": "Hi",
        "generator_2": "new",
        "annotator": "judge",
        "dataset": "koala",
        "preference": preference,
    } | other


def annotations(*records):
    return json.dumps(list(records))


def test_preferences_ties_and_failures(read) -> None:
    values = (1.0, 2.0, 1.5, 0.0, None, 2)
    text = annotations(*(record(f"Task {i}", value) for i, value in enumerate(values)))
    bundle = read(text, "annotations.json")
    assert bundle.format == "alpaca_eval"
    assert [one.choice for one in bundle.preferences] == ["first", "second", "tie", "tie", "second"]
    assert {one.strength for one in bundle.preferences} == {None}
    assert {(one.first, one.second, one.annotator) for one in bundle.preferences} == {
        ("base", "new", "judge")
    }
    assert {(one.first_length, one.second_length) for one in bundle.preferences} == {(6, 2)}
    assert not any(one.order_known for one in bundle.preferences)
    (dataset,) = bundle.datasets
    assert (dataset.name, len(dataset.items)) == ("AlpacaEval", 6)
    assert dataset.items[0].metadata == {"subset": "koala"}
    assert dataset.items[0].content_hash.startswith(dataset.items[0].key)
    assert bundle.annotators == {"judge": "model"}
    assert bundle.runs == []
    told = " ".join(bundle.understood)
    assert "2 ties" in told
    assert "1 without a preference" in told


def test_two_baselines_of_one_system_are_apart(read) -> None:
    text = annotations(record(), record(generator_1="other"))
    bundle = read(text, "annotations.json")
    assert [one.name for one in bundle.criteria] == [
        "preference against base",
        "preference against other",
    ]
    drawn = annotations(record(), record(generator_1="new", generator_2="base"))
    assert [one.name for one in read(drawn, "annotations.json").criteria] == ["preference"]


def test_probabilities(read) -> None:
    text = annotations(record("a", 1.25), record("b", 2.0), record("c", 1.0, annotator="sure"))
    bundle = read(text, "annotations.json")
    assert [(one.choice, one.strength) for one in bundle.preferences] == [
        ("first", 0.25),
        ("second", 1.0),
        ("first", None),
    ]


def test_order_that_was_shown(read) -> None:
    text = annotations(
        record("a", 1.25, is_switch_output_1_output_2=True),
        record("b", 1.25, is_switch_output_1_output_2=False),
    )
    first, second = read(text, "annotations.json").preferences
    assert (first.first, first.second, first.choice, first.strength) == (
        "new",
        "base",
        "second",
        0.75,
    )
    assert (first.first_length, first.second_length) == (2, 6)
    assert (second.first, second.choice, second.strength) == ("base", "first", 0.25)
    assert first.order_known
    assert second.order_known


def test_instructions_that_come_again(read) -> None:
    again = read(annotations(record(), record(preference=2)), "annotations.json")
    keys = [item.key for item in again.datasets[0].items]
    assert keys[1] == f"{keys[0]}#2"
    assert [one.item for one in again.preferences] == [0, 1]
    other = read(annotations(record(), record(generator_2="other")), "annotations.json")
    assert len(other.datasets[0].items) == 1
    assert [one.second for one in other.preferences] == ["new", "other"]


def test_texts(read) -> None:
    bundle = read(annotations(record(), record("b", None)), "annotations.json", with_text=True)
    assert [item.input_text for item in bundle.datasets[0].items] == ["Say hi.", "b"]
    assert {run.system: run.outputs[0] for run in bundle.runs} == {
        "base": ["Hello!", "Hello!"],
        "new": ["Hi", "Hi"],
    }
    assert all(run.scores == () for run in bundle.runs)


def test_what_a_person_may_say(read) -> None:
    bundle = read(
        annotations(record()),
        "annotations.json",
        dataset="mine",
        choices={"kind": "human", "criterion": "helpfulness"},
    )
    assert bundle.datasets[0].name == "mine"
    assert bundle.criteria[0].name == "helpfulness"
    assert bundle.annotators == {"judge": "human"}
    with pytest.raises(ImportFormatError, match="no option 'mode'"):
        read(annotations(record()), "annotations.json", choices={"mode": "x"})
    with pytest.raises(ImportFormatError, match="'bot' is no value of this option"):
        read(annotations(record()), "annotations.json", choices={"kind": "bot"})


def test_a_system_with_itself_is_left_out(read) -> None:
    bundle = read(annotations(record(), record("b", generator_1="new")), "annotations.json")
    assert len(bundle.preferences) == 1
    assert any("1 compares a system with itself" in told for told in bundle.understood)


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        (record("b", 3), "Record 2: 3 is none of 1..2, 0 and null"),
        (record("b", "1"), "Record 2: '1' is none of 1..2"),
        (record("b", True), "Record 2: True is none of 1..2"),
        (record(5), "Record 2: instruction and both generators must be texts"),
        ({"instruction": "b"}, "Record 2: not an annotation"),
    ],
)
def test_faults_name_the_record(read, bad, message) -> None:
    with pytest.raises(ImportFormatError, match=message):
        read(annotations(record(), bad), "annotations.json")
    lenient = read(annotations(record(), bad), "annotations.json", lenient=True)
    assert (len(lenient.preferences), len(lenient.skipped)) == (1, 1)


def test_nothing_but_failures(read) -> None:
    with pytest.raises(ImportFormatError, match="holds no preference: every one is null"):
        read(annotations(record(preference=None)), "annotations.json")
