"""Power by simulation, two proportions and expected gains, as commands."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, get_args

import pytest
from typer.testing import CliRunner

from analysis.statistics.planning.distribution_power import SHAPES
from analysis.studies.power.by_size import Shape
from dashboard.cli import app


@pytest.fixture
def run(tmp_path: Path) -> Callable[..., Any]:
    def call(*words: str, code: int = 0) -> Any:
        found = CliRunner().invoke(app, ["--store", str(tmp_path / "s.db"), *words])
        assert found.exit_code == code, found.output
        return json.loads(found.stdout) if "--json" in words else found.output

    return call


def test_simulated_power_comes_near_the_exact_one_without_a_store(run: Callable[..., Any]) -> None:
    asked = ("--difference", "0.3", "--sd", "1", "--sizes", "60,80,100,120", "--draws", "400")
    found = run("power", "distribution", *asked, "--json")
    assert found["result"]["needed"]["low"] < 90 < found["result"]["needed"]["high"]  # exactly 90
    assert found["store_revision"] == 0
    assert "type M" in run("power", "distribution", *asked, "--format", "markdown")
    assert set(get_args(Shape)) == set(SHAPES)


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--difference", "1", "--sd", "0"), "`sd` must be above 0"),
        (("--difference", "1", "--sd", "1", "--sizes", "a"), "`sizes` must be whole numbers"),
        (("--difference", "1", "--sd", "1", "--ties", "2"), "`ties` must lie between 0 and 1"),
    ],
)
def test_a_distribution_that_cannot_be_is_refused(
    run: Callable[..., Any], words: tuple[str, ...], told: str
) -> None:
    assert told in run("power", "distribution", *words, code=2)


def test_two_proportions_are_those_of_the_paper(run: Callable[..., Any]) -> None:
    # Card et al. 2020, table 9, "binomial": SST-2's 1,725 items at 92 %.
    found = run("power", "proportions", "--n", "1725", "--accuracy", "0.92", "--json")["result"]
    assert found["gap"] == pytest.approx(0.0240, abs=5e-5)
    back = ("--n", "1725", "--accuracy", "0.92", "--gap", str(found["gap"]), "--json")
    assert run("power", "proportions", *back)["result"]["power"] == pytest.approx(0.8, abs=1e-6)
    assert "`accuracy`" in run("power", "proportions", "--n", "9", "--accuracy", "92", code=2)


def test_the_power_of_a_file_grows_with_its_items(run: Callable[..., Any], tmp_path: Path) -> None:
    path = tmp_path / "two.txt"
    path.write_text(
        "\n".join(f"{0.1 * (k % 7) + 0.1 * (k % 2)} {0.1 * (k % 7)}" for k in range(40))
    )
    found = run("power", "file", str(path), "--json")["result"]["curve"]
    assert found["sizes"][-1] == 40
    assert found["power"][-1] >= found["power"][0]
    assert found["method"] == "bootstrap"


def test_the_next_gain_follows_from_the_records(run: Callable[..., Any], tmp_path: Path) -> None:
    lines = ["system,dataset,metric,score,date"]
    lines += [
        f"s{k},qa,accuracy,{score},2026-01-{k + 1:02}"
        for k, score in enumerate((0.5, 0.7, 0.65, 0.8, 0.85))
    ]
    path = tmp_path / "board.csv"
    path.write_text("\n".join(lines))
    run("ingest", str(path))
    found = run("power", "expected-gain", "qa", "--json")["result"]
    assert [gain["gap"] for gain in found["gains"]] == pytest.approx([0.2, 0.1, 0.05])
    assert found["baseline"] == 0.85
    # A line through (.5, .2), (.7, .1), (.8, .05): half of what is left below .9.
    assert found["expected"] == pytest.approx(0.025)
    assert "nothing" in run("power", "expected-gain", "nothing", code=2)


@pytest.mark.parametrize(
    ("metric", "scores", "left"),
    [
        ("accuracy", (0.6, 0.7, 0.8, 0.9, 0.99), 0.01),
        ("f1", (60, 70, 80, 90, 99), 0.01),
        ("accuracy", (0.6, 0.8, 1.0), 0),
        ("error_rate", (0.4, 0.3, 0.2, 0.1, 0.01), 0.01),
    ],
)
def test_no_gain_is_expected_beyond_the_scale(
    run: Callable[..., Any],
    tmp_path: Path,
    metric: str,
    scores: tuple[float, ...],
    left: float,
) -> None:
    lines = [f"s{k},qa,{metric},{score},2026-01-{k + 1:02}" for k, score in enumerate(scores)]
    path = tmp_path / "board.csv"
    path.write_text("\n".join(["system,dataset,metric,score,date", *lines]))
    run("ingest", str(path))
    found = run("power", "expected-gain", "qa", "--json")
    assert found["result"]["expected"] == pytest.approx(left, abs=1e-9)
    assert any("more than the scale leaves" in told for told in found["warnings"])
