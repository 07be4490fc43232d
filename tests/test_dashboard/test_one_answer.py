"""One pair has one answer: alone, in its cell of all pairs, and as one of a board."""

from __future__ import annotations

import itertools
import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest
from typer.testing import CliRunner

import tiebreak
from analysis import numbers
from analysis.card import badge, card, markdown
from analysis.studies.cells import scored_cells
from analysis.studies.comparison import Comparison, study_comparison
from analysis.studies.packing import pack, unpack
from analysis.studies.pair_analysis import PairSettings
from analysis.studies.pairs import PairsStudy, study_pairs
from analysis.studies.pairs_words import VERDICTS_IN_WORDS, PairsSettings
from dashboard.cli import app
from store.engine import Store, open_store
from tests.test_dashboard.tables import data_of


def same(one: float, other: float) -> bool:
    """Return whether two numbers agree to the last digit; NaN agrees with NaN."""
    return one == other or (math.isnan(one) and math.isnan(other))


@pytest.fixture(scope="module")
def filled(filled_path: Path) -> Store:
    """Return the example store."""
    return open_store(filled_path, read_only=True)


@pytest.fixture(params=["wine", "iris"])
def board(request: pytest.FixtureRequest, filled: Store) -> PairsStudy:
    """Return all pairs of a board of the example, without correction."""
    settings = PairsSettings(correction="none")
    return study_pairs(filled, str(request.param), settings=settings)


def test_every_cell_is_the_comparison_that_it_opens(board: PairsStudy, filled: Store) -> None:
    check(board, filled, step=3)


@pytest.mark.parametrize("groups", [0, 5, 12])
def test_where_lower_is_better_and_items_are_missing_too(tmp_path: Path, groups: int) -> None:
    rng = np.random.default_rng(groups)
    lines = ["system,dataset,item,metric,score,group"]
    for k, system in enumerate("abcd"):
        for i, score in enumerate(rng.exponential(1 + 0.2 * k, size=36)):
            if rng.random() < 0.9:
                label = f"g{i % groups}" if groups else ""
                lines.append(f"{system},d,q{i},seconds,{score:.17g},{label}")
    path = tmp_path / "scores.csv"
    path.write_text("\n".join(lines))
    asked = ["--store", str(tmp_path / "s.db"), "ingest", str(path), "--lower-is-better"]
    assert CliRunner().invoke(app, asked).exit_code == 0
    store = open_store(tmp_path / "s.db", read_only=True)
    check(study_pairs(store, "d", settings=PairsSettings(correction="none")), store, step=1)


def check(board: PairsStudy, store: Store, *, step: int) -> None:
    listed = list(itertools.combinations(range(len(board.systems)), 2))
    for i, j in listed[::step]:
        a, b = (board.system_uids[k] for k in (i, j))
        study = study_comparison(store, a, b, dataset=board.dataset.uid, metric=board.metric.uid)
        alone = study.analysis
        check_surfaces(study)
        of_items = alone.effect_sizes  # corpus metrics have none
        assert same(of_items.cohens_dz if of_items else math.nan, board.cohens_dz[i, j])
        assert same(of_items.hedges_g if of_items else math.nan, board.hedges_g[i, j])
        assert same(alone.difference, board.difference[i, j])
        assert same(alone.test.pvalue, board.pvalue[i, j])
        assert same(alone.ci[0], board.ci_low[i, j])
        assert same(alone.ci[1], board.ci_high[i, j])
        assert alone.verdict == VERDICTS_IN_WORDS[int(board.verdicts[i, j])]
        excluded = alone.ci[0] > 0 or alone.ci[1] < 0
        assert excluded == (alone.test.pvalue <= 0.05)


def check_surfaces(study: Comparison) -> None:
    """Check that page, command and report have the figures and the words of a comparison."""
    command = study.to_dict()
    page = unpack(pack(study))
    assert isinstance(page, Comparison)
    assert page.to_dict() == command
    report, found = study.report(), study.analysis
    assert report.sentences[0] == page.sentence == command["sentence"]
    cells = [cell for table in report.tables for row in table.rows for cell in row]
    assert numbers.pvalue(found.test.pvalue) in cells
    low, high = found.ci[:2]
    assert numbers.interval(low, high, signed=True) in cells
    assert numbers.difference(found.difference, low=low, high=high) in cells


@pytest.mark.full
@pytest.mark.timeout(1_800)
def test_every_pair_of_the_example_has_one_answer(filled: Store) -> None:
    n_pairs, settings = 0, PairsSettings(correction="none")
    for dataset, metric in scored_cells(filled):
        board = study_pairs(filled, dataset, metric=metric, settings=settings)
        check(board, filled, step=1)
        n_pairs += board.n_pairs
    print(f"{n_pairs:,} pairs")
    assert n_pairs > 500


def test_a_pair_of_the_board_keeps_the_verdict_of_the_board(filled: Store) -> None:
    board = study_pairs(filled, "wine")
    upper = np.triu_indices(len(board.systems), 1)
    tight = board.pvalue[upper] <= 0.05
    turned = np.flatnonzero(tight & (board.pvalue_adjusted[upper] > 0.05))
    i, j = (int(side[turned[0]]) for side in upper)
    where: dict[str, Any] = {"dataset": "wine", "metric": board.metric.uid}
    seen = study_comparison(filled, *(board.systems[k] for k in (i, j)), **where, correction="holm")
    assert seen.verdict in ("better", "worse")
    assert seen.family is not None
    assert (seen.family.verdict, seen.family.size) == ("undecided", board.n_pairs)
    assert seen.family.pvalue_adjusted == board.pvalue_adjusted[i, j]
    on_board = f"among the {board.n_pairs} pairs of this board: cannot tell"
    assert seen.verdicts == f"alone: {seen.verdict} · {on_board}"
    assert on_board in seen.sentence.lower()
    back = study_comparison(filled, *(board.systems[k] for k in (j, i)), **where, correction="holm")
    assert back.family is not None
    assert back.family.pvalue_adjusted == seen.family.pvalue_adjusted


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        (PairSettings(test="permutation-median"), "permutation-median"),
        (PairSettings(delta=0.1), "difference from 0"),
        (PairSettings(alternative="greater"), "difference from 0"),
    ],
    ids=["test", "delta", "side"],
)
def test_what_all_pairs_cannot_be_put_to_is_of_the_pair_alone(
    filled: Store, settings: PairSettings, said: str
) -> None:
    study = study_comparison(
        filled, "LDA", "k-NN 5", dataset="iris", settings=settings, correction="holm"
    )
    assert study.family is None
    assert any(said in note for note in study.warnings)


def test_the_command_tells_the_family(filled_path: Path) -> None:
    def ask(*arguments: str) -> dict[str, Any]:
        found = CliRunner().invoke(app, ["--store", str(filled_path), *arguments, "--json"])
        assert found.exit_code == 0, found.output
        result: dict[str, Any] = json.loads(found.stdout)["result"]
        return result

    pairs = ask("pairs", "iris")
    a, b = pairs["systems"][:2]
    seen = ask("compare", a, b, "--dataset", "iris")
    assert seen["family"]["of"] == "board"
    assert seen["family"]["pvalue_adjusted"] == pairs["pvalue_adjusted"][0][1]
    assert seen["pvalue"] == pairs["pvalue"][0][1]
    alone = ask("compare", a, b, "--dataset", "iris", "--family", "none")
    assert alone["family"] is None
    assert alone["sentence"] in seen["sentence"]


@pytest.fixture(scope="module")
def tied(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a store where A is better than each of three alone, and not among the six pairs."""
    wrong = {"A": range(0), "B": range(6), "C": range(6, 12), "D": range(12, 18)}
    folder = tmp_path_factory.mktemp("tied")
    rows = [f"{s},d,q{i},accuracy,{int(i not in wrong[s])}" for s in wrong for i in range(20)]
    (folder / "scores.csv").write_text("\n".join(["system,dataset,item,metric,score", *rows]))
    path = folder / "s.db"
    asked = ["--store", str(path), "ingest", str(folder / "scores.csv")]
    assert CliRunner().invoke(app, asked).exit_code == 0
    return path


ALONE, ON_BOARD = "alone: better", "among the 6 pairs of this board: cannot tell"


def test_every_text_about_a_pair_of_a_board_has_both_verdicts(tied: Path) -> None:
    study = tiebreak.compare("A", "B", str(tied))
    assert study.study.verdicts == f"{ALONE} · {ON_BOARD}"
    assert (study.study.verdict, study.study.verdict_shown) == ("better", "undecided")
    (row,) = study.to_frame().to_dict("records")
    assert (row["verdict"], row["verdict_on_board"]) == ("better", "undecided")
    for text in (card(study.study), badge(study.study), markdown(study.study, "x", "y")):
        assert ALONE in text
        assert ON_BOARD in text
    asked = ["--store", str(tied), "compare", "A", "B"]
    for kind in ("text", "markdown", "latex"):
        told = CliRunner().invoke(app, [*asked, "--format", kind]).stdout
        assert "Among the 6 pairs of this board: cannot tell" in told
        assert "Alone: A is better than B" in told
    found = json.loads(CliRunner().invoke(app, [*asked, "--json"]).stdout)["result"]
    assert (found["verdict"], found["family"]["verdict"]) == ("better", "undecided")
    assert found["family"]["pvalue_adjusted"] == pytest.approx(6 * found["pvalue"])
    gate = ["gate", "--dataset", "d", "--system", "A", "--baseline", "B", "--fail-if", "not-better"]
    assert CliRunner().invoke(app, [*asked[:2], *gate]).exit_code == 0  # a pair chosen before


def test_every_page_about_a_pair_of_a_board_has_both_verdicts(
    tied: Path, open_page: Callable[..., AppTest], text_of: Callable[[AppTest], str]
) -> None:
    home = open_page("overview", tied)
    (data,) = data_of(home)
    (lead,) = [column for column in data["columns"] if column["name"] == "lead"]
    assert lead["texts"] == ["tie of 4 among 6 pairs · alone: better"]
    path, _, query = lead["href"][0].partition("?")
    assert path == "compare"
    for address in (dict(parse_qsl(query)), {}):  # of Home, and of the sidebar
        page = text_of(open_page("compare", tied, **address)).replace("\\", "")
        assert "Among the 6 pairs of this board: cannot tell" in page
        assert "Alone: A is better than B" in page
        assert "alone :blue-badge[▲ better] · among the 6 pairs of this board" in page
    lesson = text_of(open_page("help", tied)).replace("\\", "")
    assert "Among the 6 pairs of this board: cannot tell" in lesson
    assert "Alone: A is better than B" in lesson


def test_a_board_of_two_and_one_without_correction_have_no_family(
    tied: Path,
) -> None:
    assert study_comparison(open_store(tied, read_only=True), "A", "B").family is None
    scores = {"one": [1, 0, 1, 1, 1], "two": [0, 0, 1, 0, 1]}
    assert tiebreak.compare("one", "two", scores).study.family is None
