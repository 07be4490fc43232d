"""The guide tells the truth: its examples are read as it says, its YAML is valid."""

import re
from pathlib import Path

import pytest

from store.importers.columns import ROLE_NAMES
from store.importers.mapping import KEYS, load_mapping

GUIDE = (Path(__file__).resolve().parents[2] / "docs" / "importing.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```(\w*)\n(.*?)```", GUIDE, re.DOTALL)
EXAMPLES = {text.split("\n")[0]: text for language, text in BLOCKS if not language}


@pytest.mark.parametrize(
    ("header", "options", "found"),
    [
        ("system,dataset,item,metric,score,trial", {}, ("generic", 1, 0, 0)),
        ("system,item,acc,latency", {"dataset": "d"}, ("generic", 2, 0, 0)),
        ("item,A,B", {"dataset": "d", "metric": "m"}, ("generic", 2, 0, 0)),
        (
            "item,A_exact,A_edit,B_exact,B_edit",
            {"dataset": "d", "layout": "{system}_{metric}"},
            ("generic", 2, 0, 0),
        ),
        ("system,dataset,metric,value,n_items", {}, ("reported", 0, 1, 0)),
        ("system_a,system_b,dataset,metric,pvalue", {}, ("reported", 0, 0, 1)),
        ("Language,A,B,p-value", {"metric": "m"}, ("reported", 0, 2, 1)),
        ("Model \\ Data,BC,BN", {"metric": "m"}, ("reported", 0, 4, 2)),
    ],
)
def test_examples_are_read_as_the_guide_says(read, header, options, found) -> None:
    bundle = read(EXAMPLES[header], **options)
    counted = (len(bundle.runs), len(bundle.reported_scores), len(bundle.reported_comparisons))
    assert (bundle.format, *counted) == found


def test_every_table_of_the_guide_is_tried() -> None:
    assert len([header for header in EXAMPLES if "," in header]) == 8


def test_yaml_of_the_guide_is_valid_and_whole(write) -> None:
    blocks = [text for language, text in BLOCKS if language == "yaml"]
    for each in blocks:
        load_mapping(write("x", yaml=each), "scores.csv")
    text = max(blocks, key=len)  # the guide shows the whole of it once
    mapping = load_mapping(write("x", yaml=text), "scores.csv")
    assert mapping.columns == {"item": "question_id", "score": "acc", "date": ""}
    assert mapping.overlaps[0].kind == "contains"
    assert all(re.search(rf"^{key}:", text, re.MULTILINE) for key in KEYS)


def test_roles_have_distinct_first_names() -> None:
    assert all(role == names[0] for role, names in ROLE_NAMES.items())
