"""The guide to the files of WMT tells the truth: its examples are read as it says."""

import re
from pathlib import Path

import pytest

from store.importers.registry import importer_named
from store.importers.wmt.directions import ERROR_METRICS
from store.importers.wmt.options import MQM_WEIGHTS, parse_weights

GUIDE = Path(__file__).resolve().parents[2] / "docs" / "importing_wmt.md"
TEXT = GUIDE.read_text(encoding="utf-8")
BLOCKS = re.findall(r"```\n(.*?)```", TEXT, re.DOTALL)
FORMATS = ("mqm", "wmt_da", "wmt_metrics", "mt_metrics_eval", "wmt_news", "wmt_scores")


def example(start):
    """Return the only example that begins so."""
    (found,) = (block for block in BLOCKS if block.startswith(start))
    return found


@pytest.mark.parametrize("name", FORMATS)
def test_formats_exist_and_have_a_chapter(name):
    assert importer_named(name) is not None
    assert f"| `{name}` |" in TEXT
    assert f"(`{name}`)" in TEXT


def test_the_sheet(read):
    bundle = read(example("system\tdoc"), "sheet.tsv")
    assert bundle.format == "mqm"
    assert [(one.annotator, one.value) for one in bundle.ratings] == [("rater1", 5), ("rater2", 0)]


def test_the_scores_of_segments(read):
    bundle = read(example("SYS SID"), "newstest2021-toen/ad-seg-scores-de-en.csv")
    assert bundle.format == "wmt_da"
    assert bundle.datasets[0].name == "newstest2021 de-en, DA segments"
    assert bundle.datasets[0].items[0].key == "SID 17"
    assert bundle.runs[0].system == "Online-X"


def test_the_scores_of_systems(read):
    bundle = read(example("TER"), "TER.sys.score")
    assert (bundle.format, bundle.datasets[0].name) == ("wmt_metrics", "newstest2019 cs-de")
    human = read(example("LP HUMAN"), "DA-syslevel.csv", choices={"testset": "newstest2019"})
    assert (human.metrics[0].name, human.metrics[0].source) == ("DA z", "human")
    assert human.datasets[0].name == "newstest2019 en-cs"


def test_weights_are_those_of_the_code():
    (said,) = re.findall(r"\*\*Weights\*\*: (.*?), as in", TEXT, re.DOTALL)
    said = " ".join(said.split())
    for entry, weight in MQM_WEIGHTS.items():
        severity, _, category = entry.partition(" ")
        told = f"{category} {weight:g} ({severity})" if category else f"{severity} {weight:g}"
        assert told in said
    (option,) = re.findall(r"--option 'weights=(.*?)'", TEXT)
    assert parse_weights(option, "x") == {**MQM_WEIGHTS, "Major": 10, "Minor Style": 0.5}


def test_error_metrics_are_those_of_the_code():
    (said,) = re.findall(r"\*\*Directions\.\*\* (.*?) count errors", TEXT, re.DOTALL)
    assert re.findall(r"\w+", said.replace(" and ", " ")) == list(ERROR_METRICS)
