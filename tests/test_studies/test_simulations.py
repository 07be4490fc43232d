"""The simulations of papers, as commands; the numbers are tested where they are computed."""

from __future__ import annotations

import json
from typing import Any

import pytest
from typer.testing import CliRunner

from dashboard.cli import app


def run(*words: str, code: int = 0) -> Any:
    found = CliRunner().invoke(app, ["simulate", *words])
    assert found.exit_code == code, found.output
    return json.loads(found.stdout) if "--json" in words else found.output


def test_the_histogram_stands_in_json_and_in_every_report() -> None:
    words = ("replicability", "independent", "--repetitions", "300")
    result = run(*words, "--json")["result"]
    assert sum(result["estimates"]["fisher"]) == 300
    assert result["probability"]["count"] == sum(result["estimates"]["count"][1:]) / 300
    most = max(k for k, n in enumerate(result["estimates"]["count"]) if n)
    row = f"| {most} | {result['estimates']['count'][most]} | 0 |"
    assert row in run(*words, "--format", "markdown")
    assert "Repetitions by estimate, of 300" in run(*words)


def test_pvalues_are_told_by_size() -> None:
    words = ("pvalues", "beta", "--same", "--sizes", "30,60", "--iterations", "4")
    result = run(*words, "--json")["result"]
    assert (result["sizes"], result["test"]) == ([30, 60], "wilcoxon")
    assert result["parameters_a"] == result["parameters_b"]
    low = min(result["pvalue"][0])
    assert f"{low:.3f}" in run(*words, "--format", "text")


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("replicability", "toy"), "toy"),
        (("replicability", "independent", "--alpha", "2"), "`alpha` must lie between 0 and 1"),
        (("pvalues", "normal", "--sizes", "a"), "`sizes` must be whole numbers"),
        (("pvalues", "normal", "--sizes", "1"), "`sizes`"),
        (("pvalues", "normal", "--iterations", "0"), "`iterations` must"),
    ],
)
def test_what_cannot_be_simulated_is_refused(words: tuple[str, ...], told: str) -> None:
    assert told in run(*words, code=2)
