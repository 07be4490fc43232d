"""Every page on every kind of store, and with a bad URL."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from unittest.mock import Mock

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest
from typer.testing import CliRunner

from analysis import numbers
from analysis.report import Report
from analysis.studies.adhoc import AdhocStudy
from analysis.studies.leaderboard import Leaderboard
from analysis.studies.pairs import PairsStudy
from analysis.studies.study import Study
from dashboard import places
from dashboard.cli import app
from store.datasets import list_datasets
from store.engine import open_store
from store.importers.bundle import (
    BundleDataset,
    BundleItem,
    BundleMetric,
    BundleReportedScore,
    BundleRun,
    BundleScores,
    ImportBundle,
)
from store.ingest import ingest
from store.runs import list_runs
from store.systems import list_systems
from tests.test_dashboard.tables import data_of, links_of, tables_of
from tests.test_studies.judged import add_reported

OpenPage = Callable[..., AppTest]
TextOf = Callable[[AppTest], str]
NAMES = [tab.script for _, tab in places.tabs()]
WITHOUT_A_STORE = ("import_results", "adhoc", "words")
DETAILS = ["system", "dataset", "run", "import_object"]
OTHERS = ["admin", "trash", "tokens", "people", "overview", "settings", "help"]
"""With words of their own on an empty store."""
LISTS = [name for name in NAMES if name not in (*WITHOUT_A_STORE, *DETAILS, *OTHERS)]


@pytest.mark.usefixtures("charts_are_checked")
@pytest.mark.parametrize("name", NAMES)
def test_page_opens_on_the_example(
    name: str, open_page: OpenPage, text_of: TextOf, filled_path: Path
) -> None:
    app = open_page(name, filled_path)
    assert not app.exception
    assert app.title


@pytest.mark.parametrize("name", LISTS)
def test_list_page_invites_on_an_empty_store(
    name: str, open_page: OpenPage, text_of: TextOf, empty_path: Path
) -> None:
    app = open_page(name, empty_path)
    assert not app.exception
    assert "Nothing here yet." in text_of(app)
    assert "Load the example" in [button.label for button in app.button]
    assert "tiebreak " not in text_of(app)


def test_a_new_store_opens_on_three_steps(
    open_page: OpenPage, text_of: TextOf, empty_path: Path
) -> None:
    text = text_of(open_page("overview", empty_path))
    for step in ("1. Bring results", "2. Or try two systems", "3. Or see the example"):
        assert step in text


@pytest.mark.parametrize("name", [*LISTS, *DETAILS, *OTHERS])
def test_page_invites_without_a_store(
    name: str, open_page: OpenPage, text_of: TextOf, tmp_path: Path
) -> None:
    app = open_page(name, tmp_path / "nowhere.db")
    assert not app.exception
    assert "Load the example" in [button.label for button in app.button]
    assert not app.code
    assert not (tmp_path / "nowhere.db").exists()


@pytest.mark.parametrize("name", [*LISTS, *DETAILS, *OTHERS])
def test_page_explains_a_store_from_the_future(
    name: str, open_page: OpenPage, text_of: TextOf, future_path: Path
) -> None:
    app = open_page(name, future_path)
    assert not app.exception
    assert "9999" in text_of(app)
    assert "update Tiebreak" in text_of(app)


@pytest.mark.parametrize("name", DETAILS)
def test_detail_page_survives_an_unknown_uid(
    name: str, open_page: OpenPage, text_of: TextOf, filled_path: Path
) -> None:
    app = open_page(
        name, filled_path, **{"dataset" if name == "dataset" else "uid": "no-such-thing"}
    )
    assert not app.exception
    assert "no-such-thing" in text_of(app)


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("leaderboard", "dataset"),
        ("leaderboard", "metric"),
        ("across_datasets", "a"),
        ("across_datasets", "b"),
        ("datasets", "task"),
        ("datasets", "language"),
        ("runs", "dataset"),
        ("runs", "harness"),
        ("systems", "tag"),
    ],
)
def test_filter_drops_an_unknown_value_and_says_so(
    name: str, key: str, open_page: OpenPage, text_of: TextOf, filled_path: Path
) -> None:
    app = open_page(name, filled_path, **{key: "no such value"})
    assert not app.exception
    assert "no such value" in text_of(app)


def test_system_page_shows_runs_and_figures(
    open_page: OpenPage, text_of: TextOf, filled_path: Path
) -> None:
    store = open_store(filled_path)
    tested = next(s for s in list_systems(store) if s.n_runs)
    stated = next(s for s in list_systems(store) if s.name == "MIMICK")
    app = open_page("system", filled_path, uid=tested.uid)
    assert not app.exception
    assert f"{tested.n_runs} runs" in text_of(app)
    app = open_page("system", filled_path, uid=stated.uid)
    assert "23 reported figures" in text_of(app)
    assert "Char→Tag" in text_of(app) or links_of(app)


def test_dataset_page_shows_items_and_overlap(
    open_page: OpenPage, text_of: TextOf, filled_path: Path
) -> None:
    digits = next(d for d in list_datasets(open_store(filled_path)) if d.name == "digits")
    app = open_page("dataset", filled_path, dataset=digits.uid)
    assert not app.exception
    assert "Not independent of" in text_of(app)
    assert len(tables_of(app)) >= 2


def test_run_page_shows_provenance(open_page: OpenPage, text_of: TextOf, filled_path: Path) -> None:
    run = list_runs(open_store(filled_path))[0]
    app = open_page("run", filled_path, uid=run.uid)
    assert not app.exception
    assert "make_texts.py" in text_of(app)
    assert run.uid in text_of(app)


def test_leaderboard_says_when_coverage_is_unequal(
    open_page: OpenPage, text_of: TextOf, filled_path: Path
) -> None:
    app = open_page("leaderboard", filled_path, dataset="docstrings-library")
    assert not app.exception
    assert "Unequal coverage" in text_of(app)
    assert "by comparable scores" in text_of(app)
    assert "Scores are comparable ones" in text_of(app)


def test_across_page_tells_the_directions_apart(
    open_page: OpenPage, text_of: TextOf, filled_path: Path
) -> None:
    app = open_page("across_datasets", filled_path, a="MIMICK", b="Char→Tag")
    assert not app.exception
    text = text_of(app)
    assert "MIMICK is better than Char→Tag on at least 4 of 23 datasets" in text
    assert "UD Tamil" in text
    counts = tables_of(app)[0].set_index("estimator")
    assert counts.loc["Fisher (recommended)", "undirected"] == 16
    assert "only if they share no items" in counts.loc["Fisher (recommended)", "assumes"]
    assert counts.loc["Bonferroni", "undirected"] == 6


def test_across_page_says_what_cannot_be_had(
    open_page: OpenPage, text_of: TextOf, filled_path: Path
) -> None:
    app = open_page("across_datasets", filled_path, a="AE-SCL-SR", b="MSDA")
    text = text_of(app)
    assert "not independent" in text
    assert "prints a Fisher count of 10" in text


def test_across_page_tests_real_runs(
    open_page: OpenPage, text_of: TextOf, filled_path: Path
) -> None:
    app = open_page("across_datasets", filled_path, a="Logistic regression", b="Decision tree")
    assert not app.exception
    assert "Logistic regression is better than Decision tree on at least" in text_of(app)
    assert "digits-4x4 and digits hold the same items in another form" in text_of(app)


def test_filter_outside_of_a_row_also_says_what_it_drops(
    open_page: OpenPage, text_of: TextOf, filled_path: Path
) -> None:
    store = open_store(filled_path)
    run = list_runs(store)[0]
    store.close()
    app = open_page("run", filled_path, uid=run.uid, metric="no such metric")
    assert not app.exception
    assert "The link asks for 'no such metric' as Metric" in text_of(app)


@pytest.mark.parametrize("page", ["compare", "pairs"])
def test_a_store_of_figures_is_not_called_empty(
    open_page: OpenPage, text_of: TextOf, tmp_path: Path, page: str
) -> None:
    path = tmp_path / "figures.db"
    store = open_store(path, create=True)
    add_reported(store, {"BLEU": [1.0, 2, 3]}, [3.0, 2, 1])
    store.close()
    text = text_of(open_page(page, path))
    assert "There are no item scores for any dataset of this store" in text
    assert "Nothing here yet" not in text


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        (["A,d1,accuracy"], "Only A has item scores"),
        (["A,d1,accuracy", "B,d2,accuracy"], "B: accuracy on d2"),
        (["A,d1,accuracy", "B,d1,f1"], "B: f1 on d1"),
    ],
    ids=["one system", "other datasets", "other metrics"],
)
def test_compare_says_what_a_comparison_lacks(
    open_page: OpenPage, text_of: TextOf, tmp_path: Path, rows: list[str], said: str
) -> None:
    lines = [
        f"{system},{dataset},q{i},{metric},{i % 2}"
        for system, dataset, metric in (row.split(",") for row in rows)
        for i in range(4)
    ]
    (tmp_path / "s.csv").write_text("\n".join(["system,dataset,item,metric,score", *lines]))
    asked = ["--store", str(tmp_path / "s.db"), "ingest", str(tmp_path / "s.csv")]
    assert CliRunner().invoke(app, asked).exit_code == 0
    text = text_of(open_page("compare", tmp_path / "s.db"))
    assert said in text
    assert "A: accuracy on d1" in text
    assert "There are no item scores" not in text
    assert "Import the scores of another system on one of these datasets" in text


def test_home_prints_no_figure_with_all_its_digits(open_page: OpenPage, tmp_path: Path) -> None:
    path = tmp_path / "figures.csv"
    path.write_text("system,dataset,accuracy\nA,d,0.30000000000000004\nB,d,0.2\n")
    asked = ["--store", str(tmp_path / "s.db"), "ingest", str(path), "--yes"]
    assert CliRunner().invoke(app, asked).exit_code == 0
    (data,) = data_of(open_page("overview", tmp_path / "s.db"))
    (score,) = [column for column in data["columns"] if column["name"] == "score"]
    assert score["texts"] == ["0.3000"]


@pytest.mark.parametrize(
    ("printed", "value", "shown"),
    [
        ("0.30000000000000004", 0.3, "0.3000"),
        ("27.30", 27.3, "27.30"),
        ("85.714285714285 %", 0.857, "85.7143 %"),
        ("0.857142857 ± 0.0123456789", 0.857, "0.8571 ± 0.01235"),
        ("1.2345678e-05", 1.2e-5, "0.00001235"),
        ("0.0", 0.0, "0.0"),
        ("", 0.1 + 0.2, "0.3"),
    ],
)
def test_a_stated_figure_is_as_printed_unless_written_in_full(
    printed: str, value: float, shown: str
) -> None:
    assert numbers.stated(printed, value) == shown


def test_invitation_shows_no_password(monkeypatch: pytest.MonkeyPatch, text_of: TextOf) -> None:
    def invite() -> None:
        from dashboard.ui import states

        states.vanished_store()

    monkeypatch.setenv("TIEBREAK_STORE", "postgresql+psycopg://ada:secret@host/results")
    told = text_of(AppTest.from_function(invite).run())
    assert "ada:***@host/results" in told
    assert "secret" not in told


@pytest.mark.parametrize(
    ("page", "params", "study", "said"),
    [
        ("pairs", {"dataset": "digits"}, PairsStudy, "pairs of systems on digits"),
        ("leaderboard", {"dataset": "digits"}, Leaderboard, "Leaderboard of digits"),
        ("adhoc", {}, AdhocStudy, "A against B"),
    ],
)
def test_report_is_written_when_somebody_opens_it(
    page: str,
    params: dict[str, str],
    study: type[Study],
    said: str,
    open_page: OpenPage,
    filled_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    written: list[str] = []
    as_text = Report.as_text

    def count(report: Report) -> str:
        written.append(report.title)
        return as_text(report)

    monkeypatch.setattr(Report, "as_text", count)
    asked = Mock(side_effect=study.report, autospec=True)
    monkeypatch.setattr(study, "report", lambda self: asked(self))
    app = open_page(page, filled_path, **params)
    assert not app.exception
    assert not written
    assert not asked.called
    app.session_state["report_fold"] = True
    app.run()
    assert len(written) == asked.call_count == 1
    assert any(said in block.value for block in app.code)


def test_run_tells_a_stated_figure_that_its_items_do_not_give(
    open_page: OpenPage, text_of: TextOf, tmp_path: Path
) -> None:
    path = tmp_path / "s.db"
    store = open_store(path, create=True)
    scores = np.array([[1.0, 0.0]]).T
    ingest(
        store,
        ImportBundle(
            format="test",
            datasets=[BundleDataset("d", items=[BundleItem("q1"), BundleItem("q2")])],
            metrics=[BundleMetric("accuracy", higher_is_better=True)],
            runs=[BundleRun("A", 0, "", [BundleScores(0, scores)])],
            reported_scores=[BundleReportedScore("A", 0, 0, 0.93, printed="0.93", run=0)],
        ),
        actor="tests",
    )
    uid = list_runs(store)[0].uid
    store.close()
    assert "accuracy 0.93 for A, whose items give 0.5" in text_of(open_page("run", path, uid=uid))
    board = text_of(open_page("leaderboard", path, dataset="d"))
    assert "accuracy 0.93 for A, whose items give 0.5" in board
