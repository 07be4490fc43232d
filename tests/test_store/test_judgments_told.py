"""What judgments on the command line must not pass over: what is missing, too large, or a typo."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from dashboard.cli import app


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return a function that writes files into an empty folder and runs a command there."""
    monkeypatch.chdir(tmp_path)

    def call(*words: str, code: int = 0, **files: str) -> str:
        for name, text in files.items():
            Path(name.replace("_", ".")).write_text(text)
        outcome = CliRunner().invoke(app, ["--store", "s.db", *words], env={"COLUMNS": "2000"})
        assert outcome.exit_code == code, outcome.output
        return outcome.output

    return call


HEAD = "annotator,item,system,rating\n"
ERRORS = (
    'annotator,item,system,errors\nann,q1,A,"[{""severity"": ""Major""}]"\n'
    'ann,q1,B,"[{""severity"": ""Minor"", ""category"": ""Style""}]"\n'
)


@pytest.mark.parametrize("word", ["N/A", "none", "-", "NaN", "null", ""])
def test_ratings_that_read_as_missing_are_told(run, word) -> None:
    text = f"{HEAD}ann,q1,A,4\nbob,q1,A,{word}\nbob,q2,A,{word}\n"
    told = run("ingest", "t.csv", "--dataset", "d", t_csv=text)
    said = f"'{word}'" if word else "nothing"
    assert f"2 lines hold no rating (but {said}): nothing was judged there." in told
    assert "Judged nothing, and not kept: bob." in told
    assert "1 item was judged by nobody, and kept as items: q2." in told


def test_a_whole_table_is_not_told_of(run) -> None:
    told = run("ingest", "t.csv", "--dataset", "d", t_csv=f"{HEAD}ann,q1,A,4\n")
    assert "no rating" not in told
    assert "nobody" not in told


def test_cells_of_a_wide_table_are_counted(run) -> None:
    text = "worker,item,system,fluency,adequacy\nw,q1,A,4,\nw,q2,A,-,3\n"
    told = run("ingest", "t.csv", "--dataset", "d", t_csv=text)
    assert "2 cells hold no rating (but '-', nothing)" in told
    assert "nobody" not in told


@pytest.mark.parametrize("value", ["1e308", "-1.7e308", "1e101", "inf", "1e999", "9" * 120])
def test_ratings_and_scores_have_a_size(run, value) -> None:
    text = f"{HEAD}ann,q1,A,4\nbob,q1,A,{value}\n"
    told = run("ingest", "t.csv", "--dataset", "d", code=2, t_csv=text)
    assert "t.csv, line 3, field 'rating'" in told
    assert ("'inf' is infinite" if value == "inf" else "too large") in told
    rows = {"annotator": "ann", "item": "q1", "system": "A", "rating": 4}
    if value in ("1e308", "1e101"):
        rows["rating"] = float(value)
        told = run("ingest", "t.jsonl", "--dataset", "d", code=2, t_jsonl=json.dumps(rows) + "\n")
        assert "t.jsonl, line 1, field 'rating'" in told
        assert "too large" in told
    text = f"system,item,metric,score\nA,q1,acc,1\nA,q2,acc,{value}\n"
    told = run("ingest", "s.csv", "--dataset", "d", code=2, s_csv=text)
    assert "s.csv, line 3, field 'score'" in told
    assert ("'inf' is infinite" if value == "inf" else "at most 1e+100") in told


def test_the_bound_itself_is_taken(run) -> None:
    run("ingest", "t.csv", "--dataset", "d", t_csv=f"{HEAD}ann,q1,A,1e100\nbob,q1,A,-1e100\n")


@pytest.mark.parametrize("ending", ["csv", "jsonl", "ndjson", "parquet"])
def test_exports_are_written_as_they_are_called(run, ending) -> None:
    run("ingest", "t.csv", "--dataset", "d", t_csv=f"{HEAD}ann,q1,A,4\nbob,q1,A,5\n")
    run("export", "judgments", "d", "--out", f"y.{ending}")
    assert "2 judgments unchanged" in run("ingest", f"y.{ending}")


def test_an_export_called_otherwise_is_refused(run) -> None:
    run("ingest", "t.csv", "--dataset", "d", t_csv=f"{HEAD}ann,q1,A,4\n")
    told = run("export", "judgments", "d", "--format", "csv", "--out", "y.jsonl", code=2)
    assert "is called like jsonl, but --format says csv" in told
    assert "no file '.tsv' is written" in run("export", "scores", "--out", "y.tsv", code=2)
    assert not Path("y.jsonl").exists()
    assert not Path("y.tsv").exists()


def test_weights_of_no_error_are_refused(run) -> None:
    run("ingest", "t.csv", "--dataset", "d", "--option", "weights=Critical:9", t_csv=ERRORS)
    told = run("weights", "d", "errors", "Majr=3", code=2)
    assert "No error that was marked has the severity of 'Majr'" in told
    assert "Severities that were marked: Major, Minor." in told
    assert "Critical 9" in told
    run("weights", "d", "errors", "Critical=8", "major=7", "Minor Style=0.5")
    told = run("gold", "d", "errors", "--rule", "mean", "--weights", "Majr=3", code=2)
    assert "'Majr'" in told


def test_gold_keeps_the_weights_that_are_not_named(run) -> None:
    run("ingest", "t.csv", "--dataset", "d", t_csv=ERRORS)
    words = ("gold", "d", "errors", "--rule", "mean", "--weights", "Major=10", "--json")
    found = json.loads(run(*words))["result"]
    assert dict(zip(found["systems"], found["means"], strict=True)) == {"A": 10, "B": 1}


def test_an_option_given_twice_is_refused(run) -> None:
    words = ("--option", "scale=0..10", "--option", "scale=1..5")
    told = run("ingest", "t.csv", "--dataset", "d", *words, code=2, t_csv=f"{HEAD}a,1,A,4\n")
    assert "--option scale is given twice" in told


PAIRS = "annotator,item,first,second,choice,strength\n"


@pytest.mark.parametrize("row", ["ann,q1,A,B,first,0.9", "ann,q1,A,B,B,0.2"])
def test_a_choice_against_its_strength_is_refused(run, row) -> None:
    text = f"{PAIRS}ann,q0,A,B,first,0.2\nann,q2,A,B,second,0.5\n{row}\n"
    told = run("ingest", "t.csv", "--dataset", "d", code=2, t_csv=text)
    assert "line 4" in told
    assert "is chosen, but the strength" in told


def test_an_error_that_ends_before_it_begins_is_refused(run) -> None:
    text = HEAD.replace("rating", "errors")
    text += 'ann,q1,A,"[{""severity"": ""Major"", ""start"": 5, ""end"": 2}]"\n'
    told = run("ingest", "t.csv", "--dataset", "d", code=2, t_csv=text)
    assert "line 2" in told
    assert "begins at 5 and ends before, at 2" in told


def test_a_table_of_comparisons_with_itself(run) -> None:
    told = run("ingest", "t.csv", "--dataset", "d", code=2, t_csv=f"{PAIRS}ann,q1,A,A,first,\n")
    assert "every line compares a system with itself" in told


def test_lists_at_the_top_are_recognised(run) -> None:
    text = '{"item": "q1", "system": "A", "ratings": [1, 2, 3]}\n'
    assert "3 judgments added" in run("ingest", "t.jsonl", "--dataset", "d", t_jsonl=text)


TREE = "1\tHi\thi\tINTJ\t_\t_\t0\troot\t_\t_\n\n"


def test_a_folder_of_trees_and_choices(run) -> None:
    Path("en").mkdir()
    for name in ("gold", "p1", "p2"):
        Path("en", f"{name}.conllu").write_text(TREE + TREE)
    Path("en", "annotated.csv").write_text("red,blue\nblue,red\n")
    told = run("ingest", "en", "--option", "punctuation=drop", code=3)
    assert "Left out: en/annotated.csv" in told
    assert "2 runs added" in told
    Path("en", "annotated.tiebreak.yaml").write_text(
        "format: judgments\ndataset: en\noptions: {red: p1, blue: p2}\n"
    )
    Path("en", "tiebreak.yaml").write_text(
        "format: conllu\ndataset: en\noptions: {punctuation: drop}\n"
    )
    assert "4 judgments added" in run("ingest", "en")


def test_what_the_store_refuses_names_file_and_line(run) -> None:
    marked = ERRORS.replace("Minor", "Fatal")
    said = run("ingest", "t.csv", "--dataset", "d", code=2, t_csv=marked)
    assert "t.csv, line 3, field 'errors': the rating of 'B' by 'ann' on item 'q1'" in said
    run("ingest", "t.csv", "--dataset", "d", "--option", "scale=1..5", t_csv=f"{HEAD}a,q1,A,4\n")
    said = run("ingest", "t.csv", "--dataset", "d", code=2, t_csv=f"{HEAD}a,q2,A,2\na,q1,B,40\n")
    assert "t.csv, line 3, field 'rating': the rating of 'B' by 'a' on item 'q1' is 40" in said
    said = run("ingest", "t.csv", "--dataset", "d", code=2, t_csv=f"{HEAD}a,q2,A,2\na,q1,A,1\n")
    assert "t.csv, line 3: The store holds the rating of 'A' by 'a'" in said
    other = ("ingest", "t.csv", "--dataset", "d", "--option", "scale=0..5")
    said = run(*other, code=2, t_csv=f"{HEAD}a,q1,A,4\n")
    assert "t.csv: The store holds the criterion 'rating' on 'd' with another lower bound" in said


def test_preference_that_the_store_has_otherwise_names_file_and_line(run) -> None:
    head = "annotator,item,system_a,system_b,choice\n"
    run("ingest", "t.csv", "--dataset", "d", t_csv=f"{head}a,q1,A,B,first\n")
    text = f"{head}a,q2,A,B,first\na,q1,A,B,second\n"
    said = run("ingest", "t.csv", "--dataset", "d", code=2, t_csv=text)
    assert "t.csv, line 3: The store holds" in said
