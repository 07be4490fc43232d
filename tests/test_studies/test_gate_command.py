"""`tiebreak gate`: exit code 1 exactly where it should fail, and never a pass from nothing."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from scipy.stats import chi2
from typer.testing import CliRunner

from dashboard.cli import app

Run = Callable[..., Any]
SHARES = {"base": range(100), "good": range(160), "bad": range(40), "similar": range(2, 104)}
"""Which of 200 items each system gets right."""


def call(folder: Path, *words: str | Path, code: int = 0) -> Any:
    """Run a command on the store in a folder."""
    outcome = CliRunner().invoke(app, ["--store", str(folder / "s.db"), *map(str, words)])
    assert outcome.exit_code == code, outcome.output
    return outcome


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with a store, to be copied."""
    folder = tmp_path_factory.mktemp("gate")
    rows = [
        f"{system},news,q{item},accuracy,{int(item in right)}"
        for system, right in SHARES.items()
        for item in range(200)
    ]
    rows += [f"{system},few,q{i},accuracy,{int(system == 'base')}" for system in ("base", "bad")
             for i in range(5)]  # fmt: skip
    rows += [
        f"{system},half,q{i},accuracy,{int(i < 60)}"
        for system in ("base", "bad")
        for i in range(100 if system == "base" else 40)
    ]
    rows += ["base,many,q0,accuracy,1", "bad,many,q0,accuracy,0"]
    path = folder / "results.csv"
    path.write_text("\n".join(["system,dataset,item,metric,score", *rows]), encoding="utf-8")
    call(folder, "ingest", path)
    return folder


@pytest.fixture
def run(filled: Path, tmp_path: Path) -> Run:
    """Return a function that runs a command on a store of its own."""
    shutil.copytree(filled, tmp_path, dirs_exist_ok=True)
    return partial(call, tmp_path)


def gate(run: Run, system: str, fail_if: str, *more: str, code: int, dataset: str = "news") -> Any:
    """Run the gate of a system against the baseline."""
    names = ("--dataset", dataset, "--system", system, "--baseline", "base")
    return run("gate", *names, "--fail-if", fail_if, *more, code=code)


@pytest.mark.parametrize(
    ("system", "fail_if", "code"),
    [
        *(("good", rule, 0) for rule in ("worse", "undecided", "not-better")),
        *(("bad", rule, 1) for rule in ("worse", "undecided", "not-better")),
        *(("similar", "worse", 0), ("similar", "undecided", 1), ("similar", "not-better", 1)),
    ],
)
def test_gate_fails_by_its_rule(run: Run, system: str, fail_if: str, code: int) -> None:
    outcome = gate(run, system, fail_if, code=code)
    head, sentence, *facts = outcome.stdout.splitlines()
    assert head.startswith("Gate failed: " if code else "Gate passed: ")
    assert sentence.startswith(f"{'Cannot tell ' * (system == 'similar')}{system} ")
    assert any(line.split()[:1] == ["p"] for line in facts)


def test_gate_answers_with_the_comparison_and_its_outcome(run: Run) -> None:
    found = json.loads(gate(run, "bad", "worse", "--json", code=1).stdout)
    result = found["result"]
    assert found["command"] == "gate"
    assert (result["verdict"], result["system_a"], result["system_b"]) == ("worse", "bad", "base")
    assert result["difference"] == pytest.approx(-0.3)
    assert result["pvalue"] == pytest.approx(chi2.sf(60, 1), rel=1e-9)
    assert result["gate"] == {
        "fail_if": "worse",
        "failed": True,
        "why": "'bad' is worse than 'base'",
        "failures": "source",
        "audit_head": result["gate"]["audit_head"],
    }
    assert len(result["gate"]["audit_head"]) == 64
    names = ("compare", "bad", "base", "--dataset", "news", "--family", "none", "--json")
    compared = json.loads(run(*names).stdout)
    assert {key: result[key] for key in compared["result"]} == compared["result"]
    assert found["signature"] == compared["signature"]


def test_margin_forgives_a_loss_that_is_shown_to_be_less(run: Run) -> None:
    passed = gate(run, "bad", "worse", "--margin", "0.5", code=0).stdout
    assert passed.startswith("Gate passed: 'bad' is worse than 'base', but by less than the margin")
    gate(run, "bad", "undecided", "--margin", "0.5", code=0)
    gate(run, "bad", "not-better", "--margin", "0.5", code=1)
    gate(run, "bad", "worse", "--margin", "0.3", code=1)  # the loss itself: not shown to be less


def test_margin_makes_a_tie_equivalent(run: Run) -> None:
    why = "equivalent within ±0.1"
    assert why in gate(run, "similar", "undecided", "--margin", "0.1", code=0).stdout
    assert why in gate(run, "similar", "not-better", "--margin", "0.1", code=1).stdout
    gate(run, "similar", "undecided", "--margin", "0.01", code=1)


def test_alpha_and_test_are_those_of_compare(run: Run) -> None:
    p = json.loads(gate(run, "similar", "worse", "--json", code=0).stdout)["result"]["pvalue"]
    assert p == pytest.approx(chi2.sf((4 - 2) ** 2 / 6, 1))
    gate(run, "similar", "not-better", "--alpha", "0.7", code=0)
    t = json.loads(gate(run, "bad", "worse", "--test", "t", "--json", code=1).stdout)["result"]
    assert t["test"] == "t"


def test_gate_refuses_to_pass_where_most_items_failed(run: Run) -> None:
    told = gate(run, "bad", "worse", code=2, dataset="half").stderr
    assert "only 40 of 100 items have a score from both" in told


def test_gate_refuses_to_pass_from_nothing(run: Run) -> None:
    failed = gate(run, "bad", "worse", code=2, dataset="few")
    assert "The gate cannot fail: between 'bad' and 'base' on 'few' there are 5" in failed.stderr
    assert "from fewer than 6 no difference can be shown at `--alpha` 0.05" in failed.stderr
    assert "there is 1 independent unit" in gate(run, "bad", "worse", code=2, dataset="many").stderr
    untested = gate(run, "bad", "undecided", "--test", "t", code=2, dataset="many").stderr
    assert "The gate cannot be decided: nothing can be tested" in untested
    gate(run, "bad", "undecided", code=1, dataset="few")
    gate(run, "bad", "worse", "--alpha", "0.0625", code=1, dataset="few")  # 2 ** -4


def test_gate_counts_failures_as_it_is_asked_to(run: Run, tmp_path: Path) -> None:
    rows = [f"base,tasks,q{i},accuracy,1,ok" for i in range(30)]
    rows += [f"bad,tasks,q{i},accuracy,{int(i < 20)},{'ok' if i < 20 else 'error'}"
             for i in range(30)]  # fmt: skip
    table = tmp_path / "failing.csv"
    header = "system,dataset,item,metric,score,status"
    table.write_text("\n".join([header, *rows]), encoding="utf-8")
    run("ingest", table)
    for asked, code, said in (((), 1, "source"), (("--failures", "missing"), 0, "missing")):
        found = json.loads(
            gate(run, "bad", "worse", *asked, "--json", code=code, dataset="tasks").stdout
        )
        assert found["result"]["gate"]["failures"] == said
        assert (f"|failures:{said}|" in found["signature"]) == bool(asked)


@pytest.mark.parametrize("dataset", ["half", "few", "many"])
def test_gate_that_refuses_answers_in_json_too(run: Run, dataset: str) -> None:
    outcome = gate(run, "bad", "worse", "--json", code=2, dataset=dataset)
    result = json.loads(outcome.stdout)["result"]
    assert (result["verdict"], result["why"]) == ("undecided", "no-valid-test")
    assert result["gate"]["failed"] is None
    assert result["gate"]["why"].startswith("The gate cannot ")
    assert "The gate cannot " in outcome.stderr
    assert "from fewer than" not in gate(run, "bad", "undecided", code=1, dataset="few").stderr


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        (("--dataset", "newz"), "Did you mean 'news'"),
        (("--system", "badd"), "Did you mean 'bad'"),
        (("--baseline", "bad"), "the same system"),
        (("--margin", "-1"), "`margin` must be above 0"),
    ],
)
def test_wrong_use_is_exit_code_2(run: Run, changed: tuple[str, str], words: str) -> None:
    assert words in gate(run, "bad", "worse", *changed, code=2).stderr


def test_gate_names_what_it_fails_on(run: Run) -> None:
    run("gate", "--dataset", "news", "--system", "bad", "--baseline", "base", code=2)
