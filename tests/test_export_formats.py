"""An export is what its file is called; a name that promises something else is refused in words."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pyarrow import parquet
from typer.testing import CliRunner

from dashboard.cli import app

SCORES = "system,dataset,item,metric,score\n" + "".join(
    f"{system},news,q{k},accuracy,{int(k % modulus == 0)}\n"
    for system, modulus in (("A", 2), ("B", 3), ("C", 5))
    for k in range(12)
)
RATINGS = "annotator,item,system,rating\nann,q1,A,4\nbob,q1,A,5\nann,q1,B,2\nbob,q1,B,1\n"
TABLES = {
    "scores": ["scores"],
    "runs": ["runs"],
    "pairs": ["pairs", "news"],
    "leaderboard": ["leaderboard", "news"],
    "claims": ["claims"],
}
PRINTED = ("leaderboard", "claims")


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a store with three runs, a claim and ratings."""
    folder = tmp_path_factory.mktemp("exports")
    results, ratings = folder / "results.csv", folder / "ratings.csv"
    results.write_text(SCORES, encoding="utf-8")
    ratings.write_text(RATINGS, encoding="utf-8")
    claim = "--system A --dataset news --metric accuracy --value 0.5 --date 2020-01-01 --source x"
    for words in (
        ["ingest", str(results)],
        ["claims", "add", *claim.split()],
        ["ingest", str(ratings), "--dataset", "talks", "--option", "criterion=fluency"],
    ):
        outcome = CliRunner().invoke(app, ["--store", str(folder / "s.db"), *words])
        assert outcome.exit_code == 0, outcome.output
    return folder / "s.db"


@pytest.fixture
def run(kept: Path) -> Callable[..., Any]:
    """Return a function that runs a command on that store."""

    def call(*words: str | Path, code: int = 0) -> Any:
        outcome = CliRunner().invoke(app, ["--store", str(kept), *map(str, words)])
        assert outcome.exit_code == code, outcome.output
        return outcome

    return call


def first_row(path: Path) -> dict[str, Any]:
    """Return the first row of a file, read as what it is called."""
    if path.suffix == ".csv":
        return next(csv.DictReader(path.open(encoding="utf-8")))
    if path.suffix == ".parquet":
        return dict(parquet.read_table(path).to_pylist()[0])
    return dict(json.loads(path.read_text(encoding="utf-8").splitlines()[0]))


@pytest.mark.parametrize("what", TABLES)
@pytest.mark.parametrize("ending", ["csv", "jsonl", "ndjson", "parquet"])
def test_values_are_written_as_the_file_is_called(run, tmp_path, what, ending) -> None:
    out = tmp_path / f"table.{ending}"
    run("export", *TABLES[what], "--out", out)
    assert first_row(out)


@pytest.mark.parametrize("what", PRINTED)
def test_a_table_to_print_is_written_as_the_file_is_called(run, tmp_path, what) -> None:
    run("export", *TABLES[what], "--out", tmp_path / "table.tex")
    assert "\\begin{" in (tmp_path / "table.tex").read_text(encoding="utf-8")
    run("export", *TABLES[what], "--out", tmp_path / "table.md")
    assert (tmp_path / "table.md").read_text(encoding="utf-8").count("|") > 8


def test_a_name_without_an_ending_says_nothing(run, tmp_path) -> None:
    run("export", "pairs", "news", "--out", tmp_path / "table")
    assert next(csv.DictReader((tmp_path / "table").open(encoding="utf-8")))["a"]
    run("export", "pairs", "news", "--format", "jsonl", "--out", tmp_path / "lines.txt")
    assert first_row(tmp_path / "lines.txt")["b"]


@pytest.mark.parametrize("what", TABLES)
def test_name_and_format_that_contradict_each_other(run, tmp_path, what) -> None:
    out = tmp_path / "table.jsonl"
    said = run("export", *TABLES[what], "--format", "csv", "--out", out, code=2).stderr
    assert "is called like jsonl, but --format says csv. Leave --format out" in said
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("what", "ending", "instead"),
    [
        ("pairs", "tex", ".csv, .jsonl or .parquet"),
        ("scores", "md", ".csv, .jsonl or .parquet"),
        ("pairs", "tsv", ".csv, .jsonl or .parquet"),
        ("leaderboard", "html", ".csv, .jsonl, .parquet, .tex or .md"),
        ("claims", "xlsx", ".csv, .jsonl, .parquet, .tex or .md"),
    ],
)
def test_ending_of_what_is_not_written(run, tmp_path, what, ending, instead) -> None:
    out = tmp_path / f"table.{ending}"
    said = run("export", *TABLES[what], "--out", out, code=2).stderr
    assert f"no file '.{ending}' is written here. Call it {instead}." in said
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("name", ["gold.jsonl", "gold.parquet", "taken.csv", "no/gold.csv"])
def test_gold_that_cannot_be_written_out_is_not_made(run, tmp_path, name) -> None:
    (tmp_path / "taken.csv").touch()
    before = json.loads(run("ls", "metrics", "--json").stdout)
    said = run("gold", "talks", "--rule", "mean", "--out", tmp_path / name, code=2).stderr
    assert "Call it .csv." in said or "exists" in said or "does not exist" in said
    assert json.loads(run("ls", "metrics", "--json").stdout) == before
