"""The guide to judgments tells the truth: its examples, its YAML and its options are read."""

import json
import re
from pathlib import Path

import pytest

from store.errors import ImportFormatError
from store.importers.judgments.options import OPTIONS
from store.importers.mapping import load_mapping

GUIDE = (Path(__file__).resolve().parents[2] / "docs" / "importing_judgments.md").read_text(
    encoding="utf-8"
)
BLOCKS = re.findall(r"```(\w*)\n(.*?)```", GUIDE, re.DOTALL)
EXAMPLES = {text.split("\n")[0][:40]: text for language, text in BLOCKS if not language}


@pytest.mark.parametrize(
    ("header", "name", "format", "choices", "n_criteria", "n_ratings", "n_preferences"),
    [
        ("annotator,item,system,criterion,rating", "x.csv", None, {}, 1, 3, 0),
        ("worker_id,item,system,fluency,adequacy", "x.csv", None, {}, 2, 4, 0),
        ('{"item": "q1", "system": "A", "ratings":', "x.jsonl", None, {}, 2, 15, 0),
        ("item,ann,bob,cid", "x.csv", "judgments", {}, 1, 5, 0),
        ("annotator,item,system_a,system_b,choice", "x.csv", None, {}, 1, 0, 3),
        ("blue,blue,red", "x.csv", "judgments", {"red": "B", "blue": "A"}, 1, 0, 8),
    ],
)
def test_examples_are_read_as_the_guide_says(
    read, header, name, format, choices, n_criteria, n_ratings, n_preferences
) -> None:
    bundle = read(EXAMPLES[header], name, format=format, dataset="d", choices=choices)
    found = (len(bundle.criteria), len(bundle.ratings), len(bundle.preferences))
    assert bundle.format == "judgments"
    assert found == (n_criteria, n_ratings, n_preferences)


def test_every_table_of_the_guide_is_tried() -> None:
    assert len([text for text in EXAMPLES.values() if not text.startswith("tiebreak")]) == 6


def test_word_that_is_a_systems_name_is_read_as_the_guide_says(read) -> None:
    text = "annotator,item,system_a,system_b,choice\nann,q2,B,A,A\n"
    with pytest.raises(ImportFormatError, match="may also mean the first one"):
        read(text, dataset="d")
    for word, choice in (("A", "second"), ("first", "first")):
        assert f"`--option A={word}`" in GUIDE
        [found] = read(text, dataset="d", choices={"A": word}).preferences
        assert found.choice == choice


def test_python_of_the_guide_makes_a_table_of_nested_metrics(
    read, write, tmp_path, monkeypatch
) -> None:
    for name, metrics in (
        ("rouge", {"rouge-1": {"f1": 0.5, "recall": 0.25}}),
        ("meteor", {"METEOR": 0.125}),
    ):
        records = [
            {"instance_id": item, "summarizer_id": system, "metrics": metrics}
            for item in ("a", "b")
            for system in ("M0", "M1")
        ]
        write("\n".join(map(json.dumps, records)), f"metrics/{name}.jsonl")
    monkeypatch.chdir(tmp_path)
    (code,) = (text for language, text in BLOCKS if language == "python")
    exec(code, {})  # of our own guide
    text = (tmp_path / "metrics.csv").read_text(encoding="utf-8")
    bundle = read(text, "metrics.csv", dataset="SummEval", higher_is_better=True)
    assert [one.name for one in bundle.metrics] == ["METEOR", "rouge-1.f1", "rouge-1.recall"]
    assert [run.system for run in bundle.runs] == ["M0", "M1"]
    assert [one.values[:, 0].tolist() for one in bundle.runs[1].scores] == [
        *([0.125, 0.125], [0.5, 0.5], [0.25, 0.25]),
    ]


def test_yaml_of_the_guide_is_valid(write) -> None:
    text, *beside = (text for language, text in BLOCKS if language == "yaml")
    mapping = load_mapping(write("x", yaml=text), "scores.csv")
    assert mapping.format == "judgments"
    assert mapping.columns == {"annotator": "who", "item": "seg"}
    formats = [load_mapping(write("x", yaml=one), "scores.csv").format for one in beside]
    assert formats == ["judgments", "conllu"]


def test_options_of_the_guide_are_all_there_are() -> None:
    table = GUIDE[GUIDE.index("## Options") : GUIDE.index("## Well-known data")]
    cells = [line.split("|")[1] for line in table.split("\n") if line.startswith("| `")]
    named = [name for cell in cells for name in re.findall(r"`(\w+)`", cell)]
    assert sorted(named) == sorted({*OPTIONS})


def test_commands_of_the_guide_name_known_options() -> None:
    words = {"red", "blue", "same"}  # of cells, in the examples of choices
    named = set(re.findall(r"--option \"?(\w+)=", GUIDE))
    assert named - words <= {*OPTIONS, "A"}
