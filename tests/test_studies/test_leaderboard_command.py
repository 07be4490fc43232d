"""`tiebreak leaderboard` and its export, in every format."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from dashboard.cli import app

Run = Callable[..., Any]


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """Return a function that runs a command on a store with three systems."""

    def call(*words: str | Path, code: int = 0) -> Any:
        outcome = CliRunner().invoke(app, ["--store", str(tmp_path / "s.db"), *map(str, words)])
        assert outcome.exit_code == code, outcome.output
        return outcome

    rows = ["system,dataset,item,metric,score"]
    for item in range(60):
        for system, share in (("good_1", 50), ("good 2", 49), ("bad", 10)):
            rows.append(f"{system},news,q{item},accuracy,{int(item < share)}")
    path = tmp_path / "results.csv"
    path.write_text("\n".join(rows) + "\n", encoding="utf-8")
    call("ingest", path)
    return call


def test_table_has_interval_ranks_and_group(run: Run) -> None:
    lines = run("leaderboard", "news").stdout.splitlines()
    assert "cannot be separated" in lines[0]
    head = next(line for line in lines if "rank" in line and "system" in line)
    assert [name in head for name in ("interval", "possible ranks", "group")] == [True] * 3
    assert any("good_1" in line and " 1–2 " in line and " a " in line for line in lines)
    assert any("bad" in line and " b " in line for line in lines)


def test_json_has_the_contract(run: Run) -> None:
    found = json.loads(run("leaderboard", "news", "--json", "--correction", "max-t").stdout)
    result = found["result"]
    assert result["correction"] == "max-t"
    assert [row["group"] for row in result["rows"]] == ["a", "a", "b"]
    low, high = result["rows"][0]["ci"]
    assert low < result["rows"][0]["score"] < high
    assert result["resolution"]["adjacent_separable"] == 0.5
    assert result["resolution"]["items_to_separate_top_two"] is None
    assert any("power items --gap" in warning for warning in found["warnings"])
    assert result["lead"] == "tie of 2"
    again = json.loads(run("leaderboard", "news", "--json", "--correction", "max-t").stdout)
    assert again == found


def test_export_as_a_table_to_print(run: Run, tmp_path: Path) -> None:
    latex = run("export", "leaderboard", "news", "--format", "latex").stdout
    assert latex.startswith("% \\usepackage{booktabs}\n")
    assert "\\textbf{good\\_1}" in latex
    assert "\\textbf{good 2}" in latex
    assert "\\textbf{bad}" not in latex
    out = tmp_path / "board.md"
    run("export", "leaderboard", "news", "--format", "markdown", "--out", out)
    assert "| 1 | **good\\_1** |" in out.read_text(encoding="utf-8")
    failed = run("export", "leaderboard", "news", "--format", "markdown", "--out", out, code=2)
    assert "exists already" in failed.stderr
    missing = tmp_path / "no" / "board.tex"
    failed = run("export", "leaderboard", "news", "--format", "latex", "--out", missing, code=2)
    assert "does not exist. Make it first." in failed.stderr


def test_export_as_values(run: Run) -> None:
    rows = list(csv.DictReader(io.StringIO(run("export", "leaderboard", "news").stdout)))
    assert (rows[0]["rank low"], rows[0]["rank high"], rows[0]["group"]) == ("1", "2", "a")
    lines = run("export", "leaderboard", "news", "--format", "jsonl").stdout.splitlines()
    assert json.loads(lines[2])["may be best"] is False


def test_report_instead_of_a_table(run: Run) -> None:
    text = run("leaderboard", "news", "--format", "text").stdout
    assert "Leaderboard of news\n===" in text
    assert "good_1 *" in text
    failed = run("leaderboard", "news", "--format", "text", "--json", code=2)
    assert "exclude each other" in failed.stderr


def test_wrong_level_is_said_in_words(run: Run) -> None:
    assert "`alpha`" in run("leaderboard", "news", "--alpha", "1.5", code=2).stderr
