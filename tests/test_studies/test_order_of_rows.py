"""The same scores in another order of rows and systems give the same digits."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from dashboard.cli import app

_OF_ONE_STORE = re.compile("uid|created_at")
N_ITEMS = 60
LEADS = {"alpha": 0.0, "Beta": 0.12, "gamma": 0.2}
QUESTIONS = (
    ("compare", "alpha", "Beta", "--test", "bootstrap"),
    ("compare", "alpha", "gamma"),
    ("compare", "alpha", "Beta", "--unit-size", "5"),
    ("pairs", "d", "--test", "bootstrap"),
    ("leaderboard", "d"),
)


def _comparable(told: Any) -> Any:
    if isinstance(told, dict):
        kept = {name: one for name, one in told.items() if not _OF_ONE_STORE.search(name)}
        return {name: _comparable(one) for name, one in kept.items()}
    return [_comparable(one) for one in told] if isinstance(told, list) else told


def _answer(store: Path, arguments: Sequence[str]) -> Any:
    done = CliRunner().invoke(app, ["--store", str(store), *arguments])
    assert done.exit_code == 0, done.output
    return done.stdout


@pytest.fixture(scope="module")
def stores(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    folder = tmp_path_factory.mktemp("orders")
    rng = np.random.default_rng(11)
    hard = rng.normal(size=N_ITEMS)
    rows = [
        f"{system},q{item + 1},{hard[item] + lead + rng.normal():.3f}"
        for system, lead in LEADS.items()
        for item in range(N_ITEMS)
    ]
    made = []
    for name, order in (("sorted", np.arange(len(rows))), ("mixed", rng.permutation(len(rows)))):
        (folder / "d.csv").write_text("\n".join(["system,item,score", *(rows[i] for i in order)]))
        made.append(folder / f"{name}.db")
        how = ["--dataset", "d", "--higher-is-better"]
        _answer(made[-1], ["ingest", str(folder / "d.csv"), *how])
    return made


@pytest.mark.parametrize("question", QUESTIONS, ids=" ".join)
def test_answers_are_the_same_in_any_order_of_rows(
    stores: list[Path], question: tuple[str, ...]
) -> None:
    one, other = (json.loads(_answer(store, [*question, "--json"])) for store in stores)
    assert _comparable(one) == _comparable(other)


def test_exports_are_the_same_in_any_order_of_rows(stores: list[Path], tmp_path: Path) -> None:
    texts = []
    for store in stores:
        target = tmp_path / f"{store.stem}.csv"
        _answer(store, ["export", "scores", "--out", str(target)])
        texts.append(sorted(target.read_text().splitlines()))
    assert texts[0] == texts[1]
