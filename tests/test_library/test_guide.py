"""The code of the guide runs, from top to bottom, in an empty folder."""

from __future__ import annotations

import re
import runpy
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import tiebreak
from store.runs import list_runs

ROOT = Path(__file__).resolve().parents[2]
GUIDE = (ROOT / "docs" / "library.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def names(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Return what the guide defines, after running it; `results.db` lies in ``names["folder"]``."""
    folder = tmp_path_factory.mktemp("guide")
    found: dict[str, Any] = {"__name__": "guide", "folder": folder}
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        patch.setenv("GIT_CEILING_DIRECTORIES", str(folder))
        for start, code in blocks():
            exec(compile("\n" * start + code, "docs/library.md", "exec"), found)
    return found


def blocks() -> list[tuple[int, str]]:
    """Return the Python of the guide: the line before each block, and its code."""
    return [
        (GUIDE.count("\n", 0, found.start(1)), found.group(1))
        for found in re.finditer(r"```python\n(.*?)```", GUIDE, re.DOTALL)
    ]


def test_guide_runs_and_fills_a_store(names: dict[str, Any]) -> None:
    with tiebreak.open_store(names["folder"] / "results.db") as store:
        runs = {run.system: run for run in list_runs(store)}
    logged = {"mine", "always Lima", "yours", "logistic regression", "checkpoint-500"}
    assert set(runs) == logged | {"theirs"}
    assert names["done"].plan.is_whole
    values = {(run.system, v.metric): v.value for run in runs.values() for v in run.vectors}
    assert values["always Lima", "accuracy"] == pytest.approx(1 / 3)
    assert values["yours", "latency"] == pytest.approx(2.8 / 3)
    assert values["checkpoint-500", "exact_match"] == pytest.approx(2 / 3)
    assert values["logistic regression", "accuracy"] > 0.9
    assert runs["logistic regression"].config["C"] == 1.0
    assert runs["logistic regression"].packages["sklearn"]
    assert runs["mine"].git_commit is None  # the guide does not run in a repository


def test_guide_asks_of_a_store_and_of_plain_scores(names: dict[str, Any]) -> None:
    answer = names["answer"].study
    assert (answer.system_a, answer.system_b, answer.metric.name) == ("new", "old", "accuracy")
    assert answer.analysis.difference == pytest.approx(0.6)
    assert names["board"]["system"].iloc[0] == "A"


def test_callback_and_fixtures_of_the_guide_log(
    names: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(names["folder"])
    callback = names["LogEvaluations"](lambda model: {"peru": 1, "chad": 0})
    callback.on_evaluate(None, SimpleNamespace(global_step=500), None, model=None)
    fixture = names["evaluation"].__wrapped__()
    evaluation = next(fixture)
    score = names["score"].__wrapped__(evaluation, SimpleNamespace(node=SimpleNamespace(name="t1")))
    score(True)
    assert next(fixture, None) is None
    with tiebreak.open_store("results.db") as store:
        values = {(r.system, r.dataset): r.vectors[0].value for r in list_runs(store)}
    assert values["checkpoint-500", "capitals, dev"] == 0.5
    assert values["assistant", "smoke tests"] == 1.0


def test_script_of_somebody_runs_as_its_types_say(tmp_path: Path) -> None:
    ask = runpy.run_path(str(Path(__file__).with_name("typed_use.py")))["ask"]
    verdict, difference, board, picture = ask(tmp_path)
    assert (verdict, difference) == ("undecided", pytest.approx(1 / 3))
    assert board["system"].tolist() == ["new", "old"]
    assert picture.to_dict()["background"] == "white"
