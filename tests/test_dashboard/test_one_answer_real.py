"""One pair of a real board has one answer: cell, command, command about the board, report, page."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest
from typer.testing import CliRunner

from analysis.studies.comparison import study_comparison
from analysis.studies.pairs import study_pairs
from analysis.studies.pairs_words import PairsSettings
from benchmarks.answers.cells import cell_of
from dashboard.cli import app
from store.engine import open_store
from tests.test_dashboard.test_one_answer import check

pytestmark = pytest.mark.shared

INGESTS = (
    ("swebench_bash_only/derived/per_instance_bash_only.csv", "--dataset=bash-only"),
    (
        "terminal_bench/derived/trials.csv",
        "--dataset=terminal",
        "--metric=resolved",
        "--column=trial=run",
        "--column=run=",
    ),
    ("ud_parsing/te_mtg",),
    (
        "summeval_metrics_human/derived/summary_level.csv",
        "--dataset=summeval",
        "--higher-is-better",
    ),
    *(
        (
            f"sigmorphon2022_inflection/derived/{language}_small.csv",
            "--layout={system}_{metric}",
            "--column=dataset=@file",
            "--column=group=lemma",
        )
        for language in ("ket", "slp")
    ),
)
BOARDS = (
    ("bash-only", "resolved"),
    ("terminal", "resolved"),
    ("te_mtg", "LAS"),
    ("summeval", "rouge-1.f1"),
    ("ket_small", "exact"),
    ("slp_small", "edit"),
)
PAGES = {("terminal", "resolved"), ("ket_small", "exact")}
"""Items are missing in the first one; items of the second come in groups."""


@pytest.fixture(scope="module")
def path(shared_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a store with the boards."""
    place = tmp_path_factory.mktemp("boards") / "s.db"
    for file, *options in INGESTS:
        asked = ["--store", str(place), "ingest", str(shared_folder / "data" / file), *options]
        assert CliRunner().invoke(app, [*asked, "--yes"]).exit_code in (0, 3)
    return place


def ask(path: Path, *words: str) -> dict[str, Any]:
    """Return what a command answers with `--json`."""
    found = CliRunner().invoke(app, ["--store", str(path), *words, "--json"])
    assert found.exit_code == 0, found.output
    result: dict[str, Any] = json.loads(found.stdout)["result"]
    return result


@pytest.mark.parametrize(
    "board", [*BOARDS[:-1], pytest.param(BOARDS[-1], marks=pytest.mark.full)], ids=" ".join
)
def test_a_pair_has_one_answer_everywhere(
    path: Path, board: tuple[str, str], open_page: Callable[..., AppTest], text_of: Any
) -> None:
    dataset, metric = board
    where = ("--dataset", dataset, "--metric", metric)
    alone = ask(path, "pairs", dataset, "--metric", metric, "--correction", "none")
    family = ask(path, "pairs", dataset, "--metric", metric)
    systems = alone["systems"]
    store = open_store(path, read_only=True)
    for a, b in {(systems[0], systems[1]), (systems[0], systems[-1])}:
        cell, of_board = cell_of(alone, a, b), cell_of(family, a, b)
        assert cell is not None
        assert of_board is not None
        one = ask(path, "compare", a, b, *where, "--family", "none")
        assert {name: one[name] for name in cell if not name.startswith("ci")} | {
            "ci_low": one["ci"][0],
            "ci_high": one["ci"][1],
        } == cell
        low, high = one["ci"]
        assert (low > 0 or high < 0) == (one["pvalue"] <= 0.05) == (one["verdict"] != "undecided")
        opened = ask(path, "compare", a, b, *where)
        assert [opened[name] for name in ("pvalue", "ci", "verdict")] == [
            one[name] for name in ("pvalue", "ci", "verdict")
        ]
        i, j = (family["systems"].index(name) for name in (a, b))
        if len(systems) == 2:  # one pair is no family
            assert opened["family"] is None
            assert of_board["verdict"] == one["verdict"]
        else:
            assert opened["family"]["pvalue_adjusted"] == family["pvalue_adjusted"][i][j]
            assert opened["family"]["verdict"] == of_board["verdict"]
            assert opened["family"]["size"] == len(systems) * (len(systems) - 1) // 2
        study = study_comparison(store, a, b, dataset=dataset, metric=one["metric"]["uid"])
        assert (study.analysis.test.pvalue, list(study.analysis.ci)) == (one["pvalue"], one["ci"])
        assert study.sentence == one["sentence"]
        assert one["sentence"] in study.report().sentences
    if board in PAGES:
        address = {"a": a, "b": b, "dataset": dataset, "metric": metric}
        told = text_of(open_page("compare", path, **address))
        assert opened["sentence"] in told


@pytest.mark.full
@pytest.mark.parametrize("board", BOARDS, ids=" ".join)
def test_every_pair_of_a_board_has_one_answer(path: Path, board: tuple[str, str]) -> None:
    dataset, metric = board
    store = open_store(path, read_only=True)
    pairs = study_pairs(store, dataset, metric=metric, settings=PairsSettings(correction="none"))
    check(pairs, store, step=1)
