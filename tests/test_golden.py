"""What goes in, and what is answered, is what was recorded: see `benchmarks.golden`."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from analysis.statistics.signature import METHOD_VERSION
from benchmarks import golden, golden_answers
from store.importers.bundle import (
    BundleDataset,
    BundleItem,
    BundleMetric,
    BundleRun,
    BundleScores,
    ImportBundle,
)
from store.importers.registry import IMPORTERS

SLOW = frozenset(
    (
        *("nlpstattest_samples", "sigmorphon2022_inflection", "wmt21_news_de-en"),
        *("wmt23-cs-uk-systems",),
    )
)
"""Folders that take more than five seconds; `make golden` looks at them too."""
UNTRIED = frozenset(("evalperf",))
"""Named formats without a file in the tests."""


@pytest.mark.shared
@pytest.mark.parametrize(
    "folder",
    [
        pytest.param(folder, marks=pytest.mark.full if folder.name in SLOW else [])
        for folder in golden.folders()
    ],
    ids=lambda folder: folder.name,
)
def test_folders_bring_what_was_recorded(folder) -> None:
    record = golden.read_golden(golden.FOLDERS)[folder.name]
    different = golden.differences(record, golden.of_folder(folder), golden.nameless)
    assert not different, "\n".join(different)


def test_each_named_format_is_recorded() -> None:
    record = json.loads(golden.FORMATS.read_text(encoding="utf-8"))
    named = {one.name for one in IMPORTERS} - golden.OWN_SHAPES
    recorded = {name for tests in record.values() for name in tests["format"]}
    assert named - recorded <= UNTRIED


ROOT = Path(__file__).resolve().parents[1]

# Whatever a question calls first, numba compiles or reads from disk.
QUESTIONS = """
import json, sys
from pathlib import Path
from numba.core.dispatcher import Dispatcher
from analysis.statistics.warm_up import calls
declared = {(id(loop), types) for loop, types in calls()}
compile, within, called, undeclared = Dispatcher.compile, [], 0, []
def compiled(loop, types):
    global called
    if not within:
        called += 1
        if (id(loop), types) not in declared:
            undeclared.append(f"{loop.py_func.__module__}.{loop.__name__} {types}")
    within.append(loop)
    try:
        return compile(loop, types)
    finally:
        within.pop()
Dispatcher.compile = compiled
from benchmarks import golden_answers
answers = golden_answers.answers(Path(sys.argv[1]))
print(json.dumps({"answers": answers, "called": called, "undeclared": undeclared}))
"""


@pytest.fixture(scope="module")
def answered(tmp_path_factory) -> dict[str, Any]:
    """Ask the questions where no loop is loaded yet; say what loops are called with, too."""
    folder = tmp_path_factory.mktemp("answers")
    asked = subprocess.run(
        [sys.executable, "-c", QUESTIONS, str(folder)], cwd=ROOT, capture_output=True, text=True
    )
    assert asked.returncode == 0, asked.stderr
    return json.loads(asked.stdout)


def test_warm_up_compiles_all_that_questions_call(answered) -> None:
    assert answered["called"] > 20
    assert answered["undeclared"] == [], "types for @called_with"


def test_answers_are_those_of_this_version_of_the_methods(answered) -> None:
    kept = json.loads(golden_answers.ANSWERS.read_text(encoding="utf-8"))
    now = answered["answers"]
    changed = [line for line in now if kept["answers"].get(line) != now[line]]
    advice = "raise METHOD_VERSION, then `make golden`; these answers differ:"
    assert not changed, "\n".join([advice, *changed])
    assert kept["method_version"] == METHOD_VERSION


def _bundle(order=(0, 1, 2), nudge=0.0) -> ImportBundle:
    scores = np.array([[0.25], [0.5], [np.nan]])
    scores[1] += nudge
    keys = ("x", "y", "z")
    dataset = BundleDataset("d", items=[BundleItem(keys[at]) for at in order])
    run = BundleRun("s", 0, scores=[BundleScores(0, scores[list(order)])])
    return ImportBundle("generic", datasets=[dataset], metrics=[BundleMetric("m")], runs=[run])


def test_digests_do_not_go_by_the_order_of_items() -> None:
    one = golden.counts_and_digests([_bundle()])
    assert one == golden.counts_and_digests([_bundle((2, 0, 1))])
    assert one["system"]["s"][0] == 2


@pytest.mark.parametrize(
    "other",
    [
        _bundle(nudge=1e-16),
        replace(_bundle(), metrics=[BundleMetric("m", higher_is_better=True)]),
        replace(_bundle(), runs=[replace(_bundle().runs[0], label="seed=2")]),
    ],
    ids=["the last digit", "a direction", "a label"],
)
def test_digests_change_with_all_that_goes_in(other) -> None:
    before = golden.counts_and_digests([_bundle()])
    assert golden.differences(before, golden.counts_and_digests([other]))
