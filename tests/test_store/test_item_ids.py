"""Ids of items that a person calls the same: asked once, joined by the answer, told in the plan."""

import json
import unicodedata

import pytest
import yaml
from typer.testing import CliRunner

from dashboard.cli import app
from store.engine import open_store
from store.import_answers import remembered_answers
from store.ingest.files import ingest_files

SPELLINGS = {"A": "{}", "B": "{:03d}", "C": "{}.0"}
QUESTIONS = "tiebreak-questions.yaml"


def table(system, ids, dataset="quiz"):
    rows = [f"{system},{dataset},{key},{n % 2}" for n, key in enumerate(ids)]
    return "\n".join(["system,dataset,item,acc", *rows, ""])


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "f").mkdir()
    for system, form in SPELLINGS.items():
        ids = [form.format(n) for n in range(1, 21)]
        (tmp_path / "f" / f"{system}.csv").write_text(table(system, ids))
    return tmp_path


def run(*words, code=0):
    outcome = CliRunner().invoke(app, ["--store", "s.db", *map(str, words)])
    assert outcome.exit_code == code, outcome.output
    return outcome


def planned(*words, code=0):
    told = json.loads(run("ingest", *words, "--json", code=code).stdout)
    return told["result"]["plan"]["entries"]


def n_items():
    return json.loads(run("ls", "datasets", "--json").stdout)["result"]["rows"][0]["n_items"]


def asked(folder):
    return yaml.safe_load((folder / QUESTIONS).read_text())


def test_zeros_and_points_are_asked_once_over_three_imports(folder) -> None:
    run("ingest", "f/A.csv")
    run("ingest", "f/B.csv", code=2)
    (question,) = asked(folder)
    because = "0 of 20 items are known; 20 if zeros in front and .0 are ignored"
    assert question["because"].startswith(because)
    assert n_items() == 20
    assert "20 of 20 items known" in run("ingest", "f/B.csv", "--answers", QUESTIONS).stdout
    (entry,) = planned("f/C.csv")
    assert entry["state"] == "certain"
    assert entry["answered"] == {question["ask"]: "same"}
    assert entry["datasets"][0]["n_known"] == 20
    (entry,) = planned("f/A.csv")
    assert entry["datasets"][0]["n_known"] == 20
    assert not entry["answered"]
    assert n_items() == 20


def test_files_of_one_folder_are_compared_with_each_other(folder) -> None:
    entries = planned("f", code=3)
    assert [one["state"] for one in entries] == ["certain", "asks", "asks"]
    assert len(asked(folder)) == 1
    assert n_items() == 20
    planned("f", "--answers", QUESTIONS)
    assert n_items() == 20


def test_whoever_says_other_has_new_items_and_is_not_asked_again(folder) -> None:
    run("ingest", "f/A.csv")
    run("ingest", "f/B.csv", code=2)
    path = folder / QUESTIONS
    path.write_text(path.read_text().replace("answer: same", "answer: other"))
    run("ingest", "f/B.csv", "--answers", QUESTIONS)
    assert n_items() == 40
    (entry,) = planned("f/C.csv")
    assert entry["datasets"][0]["n_known"] == 0
    assert n_items() == 60


def test_what_a_guess_joins_is_told(folder) -> None:
    entries = planned("f", "--yes")
    assert [one["state"] for one in entries] == ["certain", "guessed", "guessed"]
    assert {one["guesses"][-1]["value"] for one in entries[1:]} == {"same"}
    assert n_items() == 20


@pytest.mark.parametrize(
    ("before", "after", "ignored"),
    [
        (["Café", "b"], [unicodedata.normalize("NFD", "Café"), "b"], "spellings of accents"),
        (["a  1", "b"], ["a 1", "b"], "blanks"),
        (["a", "b"], ["A", "b"], "capitals"),
        (["a 7", "2"], ["A  7", "02"], "blanks, capitals and zeros in front and .0"),
    ],
)
def test_a_question_says_what_would_be_ignored(folder, before, after, ignored) -> None:
    (folder / "a.csv").write_text(table("A", before))
    (folder / "b.csv").write_text(table("B", after))
    run("ingest", "a.csv")
    told = run("ingest", "b.csv", code=2).output
    assert f"2 if {ignored} are ignored" in " ".join(told.split())


def test_capitals_that_matter_are_not_asked_about(folder) -> None:
    (folder / "a.csv").write_text(table("A", ["a", "7"]))
    (folder / "b.csv").write_text(table("B", ["A", "8"]))
    run("ingest", "a.csv")
    run("ingest", "b.csv", "--case-matters")
    assert n_items() == 4


@pytest.mark.parametrize(
    ("before", "after", "where"),
    [(["7", "8"], ["7", "007"], "in the file"), (["7", "07"], ["7.0"], "before it")],
)
def test_two_ids_that_would_be_one_are_not_joined(folder, before, after, where) -> None:
    (folder / "a.csv").write_text(table("A", before))
    (folder / "b.csv").write_text(table("B", after))
    run("ingest", "a.csv")
    told = run("ingest", "b.csv").stdout
    assert f"{where} look like one id, so no ids were joined" in told
    assert n_items() == 3


def test_ids_that_are_known_or_new_ask_nothing(folder) -> None:
    (folder / "a.csv").write_text(table("A", ["q1", "Q1", "1"]))
    (folder / "b.csv").write_text(table("B", ["q1", "Q1", "1", "12"]))
    run("ingest", "a.csv")
    (entry,) = planned("b.csv")
    assert entry["state"] == "certain"
    assert entry["datasets"][0] | {"n_items": 4, "n_known": 3} == entry["datasets"][0]
    assert not entry["answered"]


def test_a_dataset_of_another_version_is_another(folder) -> None:
    run("ingest", "f/A.csv", "--dataset-version", "1")
    (entry,) = planned("f/B.csv", "--dataset-version", "2")
    assert entry["datasets"][0]["n_known"] is None


def test_the_library_waits_and_keeps_no_answer(folder) -> None:
    with open_store(folder / "s.db", create=True) as store:
        ingest_files(store, "f/A.csv", actor="a")
        done = ingest_files(store, "f/B.csv", actor="a")
        assert not done.reports
        assert [one.choices for _, one in done.plan.questions] == [("same", "other")]
        assert remembered_answers(store) == {}
