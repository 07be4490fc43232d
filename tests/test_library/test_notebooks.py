"""The notebooks run from top to bottom, in an empty folder, and show something."""

from __future__ import annotations

import ast
import json
from pathlib import Path
from typing import Any

import pytest

import tiebreak

NOTEBOOKS = Path(__file__).resolve().parents[2] / "docs" / "notebooks"


def run(name: str) -> tuple[dict[str, Any], list[str]]:
    """Return the variables of a notebook after its last cell, and what its cells show."""
    book = json.loads((NOTEBOOKS / name).read_text(encoding="utf-8"))
    found: dict[str, Any] = {"__name__": "notebook"}
    shown = []
    for number, cell in enumerate(book["cells"]):
        if cell["cell_type"] != "code":
            continue
        assert not cell["outputs"], "a notebook is kept without what it shows"
        body = ast.parse("".join(cell["source"]), f"{name}, cell {number}").body
        last = body.pop() if isinstance(body[-1], ast.Expr) else None
        place = f"{name}, cell {number}"
        exec(compile(ast.Module(body, []), place, "exec"), found)
        if last is not None:
            shown.append(as_shown(eval(compile(ast.Expression(last.value), place, "eval"), found)))
    return found, shown


def as_shown(value: Any) -> str:
    """Return a value as a notebook has it: HTML, the specification of a picture, or text."""
    if hasattr(value, "_repr_html_"):
        return str(value._repr_html_())
    return json.dumps(value.to_dict()) if hasattr(value, "mark") or "layer" in dir(value) else ""


def test_notebook_on_arrays_and_tables(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    found, shown = run("is_my_model_better.ipynb")
    assert (found["answer"].study.verdict, found["small"].study.verdict) == ("better", "undecided")
    assert found["same"].study.verdict == "equivalent"
    assert len(found["pairs"].to_frame()) == 6
    assert found["answer"].sentence.split(";")[0] in shown[0]
    assert "tabular" in capsys.readouterr().out
    assert not list(tmp_path.iterdir()), "nothing is stored"


def test_notebook_of_a_team(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    found, _ = run("a_team_keeps_its_results.ipynb")
    assert found["board"].to_frame()["system"].iloc[0] == "assistant 4"
    verdicts = {row.system: row.verdict for row in found["history"].study.rows}
    assert verdicts["assistant 2"] == "supported"
    assert verdicts["assistant 3"] == "within-noise"
    with tiebreak.open_store("team.db") as store:
        assert tiebreak.leaderboard(store).study.dataset.name == "support questions"
