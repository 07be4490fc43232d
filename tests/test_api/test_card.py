"""A comparison as a card and a badge: the numbers of the page, from an address and a command."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Callable
from pathlib import Path

import pytest
import requests
from typer.testing import CliRunner

from dashboard.cli import app

PAIR = {"a": "Extra trees 100", "b": "Naive Bayes", "dataset": "digits", "metric": "accuracy"}


def words(svg: str) -> str:
    root = ET.fromstring(svg)
    return root.get("aria-label") or ""


def test_a_card_has_the_numbers_of_the_answer(
    get: Callable[..., requests.Response], filled_path: Path
) -> None:
    found = get("compare", **PAIR).json()["result"]
    answer = get("compare/card.svg", **PAIR)
    assert answer.headers["content-type"] == "image/svg+xml"
    told = words(answer.text)
    assert told.startswith("Extra trees 100 is better than Naive Bayes: ")
    figures, verdicts = told.split(": ", 1)[1].split("; ")
    assert verdicts == "alone: better · among the 105 pairs of this board: better"
    gap, rest = figures.split(" (", 1)
    ends, items = rest.split("), ")
    low, high = ends.split(" to ")
    numbers = [float(text.replace("−", "-")) for text in (gap, low, high)]
    assert numbers == pytest.approx([found["difference"], *found["ci"]], abs=0.0006)
    assert items == f"{found['n_items']:,} items"
    sentence = found["sentence"]
    assert f"a difference of {gap} (95 % interval {ends})" in sentence
    badge = get("compare/badge.svg", **PAIR).text
    assert words(badge) == told
    assert "better than Naive Bayes" in badge
    typed = ["--store", str(filled_path), "compare", PAIR["a"], PAIR["b"], "--dataset", "digits"]
    printed = CliRunner().invoke(app, [*typed, "--metric", "accuracy", "--format", "card"])
    assert printed.stdout == answer.text


def test_only_two_systems_have_a_card(get: Callable[..., requests.Response]) -> None:
    refused = get("pairs/card.svg", dataset="wine")
    assert refused.status_code == 400
    assert "compare A B" in refused.text
    assert get("compare/poster.svg", **PAIR).status_code == 404
