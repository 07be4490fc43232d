"""Runs that scripts log: in at once, or item by item so that a crash loses nothing."""

from __future__ import annotations

import json
import math
import os
import signal
import subprocess
import sys
import textwrap
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from typer.testing import CliRunner

import tiebreak
from dashboard.cli import app
from store.datasets import get_dataset, list_items
from store.journal import folder_of, push, read_journal
from store.metrics import list_metrics
from store.runs import list_runs

ROOT = Path(__file__).resolve().parents[2]
SCORES = {"q1": 1, "q2": False, "q3": 0.5}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Return where a store may be made."""
    return tmp_path / "s.db"


def only_run(path: Path):
    """Return the one run of a store."""
    with tiebreak.open_store(path) as store:
        (run,) = list_runs(store)
    return run


def test_scores_come_in_with_texts_and_where_they_come_from(path: Path) -> None:
    report = tiebreak.log_run(
        system="mine",
        dataset="news",
        metric="accuracy",
        scores=SCORES,
        texts={"q1": "Who?"},
        outputs=["me", None, "you"],
        groups={"q1": "d1", "q2": "d1", "q3": "d2"},
        config={"temperature": 0},
        seed=7,
        store=path,
    )
    assert (report.n("run", "added"), report.n("item", "added")) == (1, 3)
    run = only_run(path)
    assert (run.system, run.dataset, run.seed, run.complete) == ("mine", "news", 7, True)
    assert run.vectors[0].value == 0.5
    assert run.config["temperature"] == 0
    assert run.config["host"]
    assert run.packages["numpy"] == np.__version__
    assert run.evaluated_on is not None
    assert "python" in run.command
    with tiebreak.open_store(path) as store:
        items = list_items(store, get_dataset(store, "news").uid)
    assert [item.group for item in items] == ["d1", "d1", "d2"]


@pytest.mark.parametrize(
    "scores",
    [
        {"0": 1, "1": 0},
        [1, 0],
        np.array([True, False]),
        pd.Series([1.0, 0.0]),
        pd.DataFrame({"item": ["0", "1"], "accuracy": [1, 0]}),
        pd.DataFrame({"accuracy": [1, 0]}),
        pd.DataFrame({"right": [1, 0]}),
        pa.table({"id": ["0", "1"], "accuracy": [1.0, 0.0]}),
        {"0": {"accuracy": 1}, "1": {"accuracy": 0}},
    ],
)
def test_one_set_of_scores_in_any_form(path: Path, scores: object) -> None:
    tiebreak.log_run(system="m", dataset="d", metric="accuracy", scores=scores, store=path)
    run = only_run(path)
    assert [(v.metric, v.value, v.n_scored) for v in run.vectors] == [("accuracy", 0.5, 2)]
    with tiebreak.open_store(path) as store:
        assert [i.key for i in list_items(store, get_dataset(store, "d").uid)] == ["0", "1"]


def test_table_brings_its_metrics_and_its_index(path: Path) -> None:
    table = pd.DataFrame(
        {"f1": [0.5, 1.0], "loss": [2.0, 1.0], "note": ["x", "y"]}, index=["a", "b"]
    )
    tiebreak.log_run(system="m", dataset="d", scores=table, store=path)
    assert {v.metric: v.value for v in only_run(path).vectors} == {"f1": 0.75, "loss": 1.5}


def test_stated_direction_holds_for_one_metric_and_for_unknown_ones_of_several(path: Path) -> None:
    words = {"system": "m", "dataset": "d", "higher_is_better": False, "store": path}
    tiebreak.log_run(metric="score", scores={"q1": 1}, **words)
    tiebreak.log_run(scores={"q1": {"accuracy": 1, "zeal": 1}}, run="2", **words)
    with tiebreak.open_store(path) as store:
        found = {metric.name: metric.higher_is_better for metric in list_metrics(store)}
    assert found == {"score": False, "accuracy": True, "zeal": False}


def test_none_is_a_failure_and_nan_an_answer_without_a_score(path: Path) -> None:
    scores = {"q1": 1, "q2": None, "q3": math.nan}
    tiebreak.log_run(system="m", dataset="d", metric="accuracy", scores=scores, store=path)
    (counts,) = only_run(path).statuses
    assert (counts.n_items, counts.n_error) == (3, 1)


def test_second_trial_joins_its_run(path: Path) -> None:
    for trial in range(2):
        tiebreak.log_run(
            system="m", dataset="d", metric="accuracy", scores=SCORES, trial=trial, store=path
        )
    assert [vector.trial for vector in only_run(path).vectors] == [0, 1]


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"scores": {"q1": "good"}}, "'q1'"),
        ({"scores": {"q1": math.inf}}, "'q1'"),
        ({"scores": {"q1": 10**400}}, "'q1'"),
        ({"scores": {0, 1}}, "not {0, 1}"),
        ({"scores": {"q1": 1}, "outputs": {"q1": "a\ud800"}}, "'q1'.*half a character"),
        ({"scores": {"\ud800": 1}}, "'scores'.*half a character"),
        ({"scores": {"q1": 1}, "dataset": "d\ud800"}, "'dataset'.*half a character"),
        ({"scores": {}}, "no score"),
        ({"scores": 3}, "not 3"),
        ({"scores": [[1, 2]]}, "shape"),
        ({"scores": {"q1": 1}, "metric": None}, "metric="),
        ({"scores": {"q1": 1}, "metric": "zeal"}, "higher_is_better"),
        ({"scores": {"q1": 1}, "outputs": ["a", "b"]}, "2 outputs for 1"),
        ({"scores": {"q1": 1}, "system": " "}, "system"),
        ({"scores": pd.Series([1, 0], index=["a", "a"])}, "'a'"),
        ({"scores": pd.DataFrame({"x": [1], "y": [1]}), "metric": "z"}, "'z'"),
    ],
)
def test_what_cannot_be_used_is_named(path: Path, given: dict, said: str) -> None:
    words = {"system": "m", "dataset": "d", "metric": "accuracy", "store": path} | given
    with pytest.raises(tiebreak.ImportFormatError, match=said):
        tiebreak.log_run(**words)


def test_settings_that_json_has_no_form_for_are_kept_as_text(path: Path) -> None:
    config = {"out": Path("runs"), 3: np.int64(4), "deep": {"set": {1}, "lost": math.nan}}
    tiebreak.log_run(
        system="m", dataset="d", metric="accuracy", scores=SCORES, config=config, store=path
    )
    kept = only_run(path).config
    assert kept.items() >= {"out": "runs", "3": 4, "deep": {"set": [1], "lost": "nan"}}.items()


def test_array_is_refused_where_items_have_names(path: Path) -> None:
    words = {"dataset": "d", "metric": "accuracy", "store": path}
    tiebreak.log_run(system="a", scores=SCORES, **words)
    with pytest.raises(tiebreak.ImportFormatError, match="'q1'"):
        tiebreak.log_run(system="b", scores=[1, 0, 1], **words)


def test_other_scores_need_replace(path: Path) -> None:
    words = {"system": "m", "dataset": "d", "metric": "accuracy", "store": path}
    tiebreak.log_run(scores={"q1": 1}, **words)
    with pytest.raises(tiebreak.StoreError, match="replace"):
        tiebreak.log_run(scores={"q1": 0}, **words)
    tiebreak.log_run(scores={"q1": 0}, replace=True, **words)
    assert only_run(path).vectors[0].value == 0


def test_run_in_progress_goes_in_at_its_end(path: Path) -> None:
    with tiebreak.start_run(system="m", dataset="d", metric="accuracy", store=path) as run:
        run.log("q1", 1, text="Who?", output="me")
        run.log("q2", {"accuracy": 0, "f1": 0.5})
        with pytest.raises(tiebreak.ImportFormatError, match="two scores"):
            run.log("q1", 0)
        with pytest.raises(tiebreak.ImportFormatError, match="'q3'"):
            run.log("q3", "good")
        with pytest.raises(tiebreak.ImportFormatError, match="higher_is_better"):
            run.log("q3", {"zeal": 1})
    assert run.report.n("run", "added") == 1
    found = only_run(path)
    assert found.complete
    assert {v.metric: (v.value, v.n_scored) for v in found.vectors} == {
        "accuracy": (0.5, 2),
        "f1": (0.5, 1),
    }
    assert not list(path.parent.glob("*.journals/*"))


def test_error_in_the_script_keeps_what_was_logged_as_incomplete(path: Path) -> None:
    words = {"system": "m", "dataset": "d", "metric": "accuracy", "store": path}

    def script() -> None:
        with tiebreak.start_run(**words) as run:
            run.log("q1", 1)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        script()
    assert not only_run(path).complete
    with tiebreak.start_run(**words) as run:  # once more, with another answer: it takes its place
        run.log("q1", 0)
        run.log("q2", 1)
    found = only_run(path)
    assert (found.complete, found.vectors[0].value) == (True, 0.5)


KILLED = """
import os, signal, tiebreak
with tiebreak.start_run(system="m", dataset="d", metric="accuracy", store="s.db") as run:
    run.log("q1", 1, output="é")
    run.log("q2", 0)
    os.kill(os.getpid(), signal.SIGKILL)
"""


def test_killed_script_loses_nothing(path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", KILLED], cwd=path.parent, env=os.environ | {"PYTHONPATH": str(ROOT)}
    )
    assert done.returncode == -signal.SIGKILL
    (journal,) = path.parent.glob("s.db.journals/*")
    with journal.open("a", encoding="utf-8") as file:
        file.write('{"item": "q3", "sco')  # what it was writing
    outcome = CliRunner().invoke(app, ["--store", str(path), "push", "--json"])
    assert outcome.exit_code == 0, outcome.output
    (report,) = json.loads(outcome.stdout)["result"]["runs"]
    assert report["items_added"] == 2
    assert not only_run(path).complete
    assert not journal.exists()


def test_run_in_progress_is_left_alone_and_a_journal_that_does_not_fit_stays(path: Path) -> None:
    words = {"system": "m", "dataset": "d", "metric": "accuracy", "store": path}
    with tiebreak.start_run(**words) as run, tiebreak.open_store(path) as store:
        run.log("q1", 1)
        assert push(store, actor="test") == []
    bad = folder_of(store) / "bad.jsonl"
    bad.write_text('{"format": "else"}\n{}\n', encoding="utf-8")
    with (
        tiebreak.open_store(path) as store,
        pytest.raises(tiebreak.StoreError, match=r"bad\.jsonl"),
    ):
        push(store, actor="test")
    assert bad.exists()
    with pytest.warns(UserWarning, match=r"bad\.jsonl"), tiebreak.start_run(**words) as run:
        run.log("q2", 1)


def test_lines_of_another_program_are_not_read(tmp_path: Path) -> None:
    path = tmp_path / "samples.jsonl"
    path.write_text('{"format": "else"}\nno JSON\n', encoding="utf-8")
    with pytest.raises(tiebreak.StoreError, match=r"line 1: .*journal") as refused:
        read_journal(path)
    assert "no JSON" not in str(refused.value)


def test_where_files_cannot_be_locked_a_fresh_journal_is_left_alone(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("store.journal.fcntl", None)
    words = {"system": "m", "dataset": "d", "metric": "accuracy", "store": path}
    with tiebreak.start_run(**words) as run, tiebreak.open_store(path) as store:
        run.log("q1", 1)
        assert push(store, actor="test") == []
        (journal,) = folder_of(store).iterdir()
        os.utime(journal, (1e9, 1e9))
        assert len(push(store, actor="test")) == 1
    assert not only_run(path).complete


def test_importing_the_library_loads_nothing_else() -> None:
    code = textwrap.dedent("""
        import sys; before = set(sys.modules); import tiebreak
        assert "log_run" in dir(tiebreak) and not hasattr(tiebreak, "nothing_like_it")
        print(*(name for name in set(sys.modules) - before if "." not in name))
    """)
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert set(done.stdout.split()) <= {
        "tiebreak",
        "store",
        "__future__",
        "importlib",
        "typing",
    } | (sys.stdlib_module_names)
    for name in tiebreak.__all__:
        assert getattr(tiebreak, name) is not None


def test_a_run_refuses_half_a_character_and_keeps_what_it_has(tmp_path) -> None:
    path = tmp_path / "s.db"
    with tiebreak.start_run(system="m", dataset="d", metric="accuracy", store=path) as run:
        run.log("q1", 1.0)
        with pytest.raises(tiebreak.ImportFormatError, match="half a character"):
            run.log("q\ud800", 1.0)
        run.log("q2", 0.0)
    assert only_run(path).vectors[0].n_scored == 2
