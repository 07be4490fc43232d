"""Power from a table per class, against the exact test and exchanges of single items."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from analysis.statistics.planning.accuracy.mcnemar_power import mcnemar_power
from analysis.statistics.planning.class_power import class_power
from dashboard.cli import app

HEAD = "class,share,both_right,only_new,only_baseline,both_wrong\n"
TABLE = HEAD + "pos,0.3,0.5,0.25,0.05,0.2\nneg,0.7,0.8,0.05,0.05,0.1\n"


def run(tmp_path: Path, text: str, *words: str, code: int = 0) -> Any:
    path = tmp_path / "classes.csv"
    path.write_text(text)
    found = CliRunner().invoke(app, ["power", "classes", str(path), *words])
    assert found.exit_code == code, found.output
    return json.loads(found.stdout)["result"] if "--json" in words else found.output


def test_accuracy_has_the_power_of_the_exact_sign_test() -> None:
    found = class_power([1.0], [[0.6, 0.25, 0.1, 0.05]], sizes=[80], n_iterations=800)
    exact = mcnemar_power(80, 0.15, agreement=0.65, variant="exact")
    assert abs(found.power[0, 0] - exact.power) < 4 * found.standard_error[0, 0]


def f1(truth: Any, predicted: Any) -> Any:
    hits = np.sum(truth & predicted, axis=-1)
    return 2 * hits / (truth.sum(axis=-1) + predicted.sum(axis=-1))


def balanced(truth: Any, predicted: Any) -> Any:
    right = truth == predicted
    return (right[..., truth].mean(axis=-1) + right[..., ~truth].mean(axis=-1)) / 2


def test_f1_and_balanced_accuracy_as_by_exchanging_single_items() -> None:
    shares, cells = np.array([0.3, 0.7]), np.array([[0.5, 0.25, 0.05, 0.2], [0.8, 0.05, 0.05, 0.1]])
    n, drawn = 60, 250
    rng = np.random.default_rng(3)
    significant = np.zeros(2)
    for _ in range(drawn):
        truth = rng.random(n) < shares[0]
        outcome = np.array([rng.choice(4, p=cells[0 if of else 1]) for of in truth])
        new = truth == (outcome <= 1)
        old = truth == ((outcome == 0) | (outcome == 2))
        swap = rng.random((199, n)) < 0.5
        one, two = np.where(swap, old, new), np.where(swap, new, old)
        for k, metric in enumerate((balanced, f1)):
            seen = metric(truth, new) - metric(truth, old)
            exchanged = metric(truth, one) - metric(truth, two)
            p = (1 + np.sum(np.abs(exchanged) >= abs(seen) - 1e-12)) / 200
            significant[k] += p <= 0.05 and seen > 0
    found = class_power(shares, cells, sizes=[n], n_iterations=500, n_resamples=199)
    for ours, theirs in zip(found.power[1:, 0], significant / drawn, strict=True):
        assert abs(ours - theirs) < 4 * math.sqrt(0.25 / drawn + 0.25 / 500)
    hits, alarms = 0.3 * np.array([0.75, 0.55]), 0.7 * np.array([0.15, 0.15])
    expected = 2 * hits / (0.3 + hits + alarms)
    assert found.difference[2] == pytest.approx(expected[0] - expected[1])


def test_counts_and_probabilities_say_the_same(tmp_path: Path) -> None:
    words = ("--sizes", "60", "--draws", "50", "--json")
    found = run(tmp_path, TABLE, *words)
    counts = TABLE.replace("share,", "").replace("0.3,0.5,0.25,0.05,0.2", "150,75,15,60")
    same = run(tmp_path, counts.replace("0.7,0.8,0.05,0.05,0.1", "560,35,35,70"), *words)
    assert same["difference"] == pytest.approx(found["difference"])
    assert (same["power"], same["classes"]) == (found["power"], ["pos", "neg"])
    assert "F1 of pos" in run(tmp_path, TABLE, "--sizes", "60", "--draws", "20")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (TABLE.replace("0.05,0.2\n", "0.05,0.1\n"), "line 2, field 'both_right'"),
        (TABLE.replace("0.8,", "x,"), "line 3, field 'both_right'"),
        (TABLE.replace("0.8,", ","), "line 3, field 'both_right'"),
        (TABLE.replace("0.8,", "-0.8,"), "line 3, field 'both_right'"),
        (TABLE.replace("0.7,", "0.6,"), "field 'share'"),
        (TABLE.replace("only_new", "new"), "has no column 'only_new'"),
        (HEAD, "no class"),
    ],
)
def test_a_table_that_cannot_be_is_refused_by_line(tmp_path: Path, text: str, told: str) -> None:
    assert told in " ".join(run(tmp_path, text, code=2).split())
