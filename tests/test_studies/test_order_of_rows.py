"""The same scores in another order of rows and systems give the same digits."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

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
JUDGES = {"rater 10": "human", "rater 9": "human", "Ada": "human", "model": "model"}
JUDGMENTS = ("--format", "judgments")
OF_JUDGMENTS = (
    ("agreement", "d", "--annotators", "all"),
    ("correlate", "d", "--gold", "quality"),
    ("judges", "d"),
)


class _Table(NamedTuple):
    name: str
    head: str
    rows: Sequence[str]
    options: tuple[str, ...] = ()


def _comparable(told: Any) -> Any:
    if isinstance(told, dict):
        kept = {name: one for name, one in told.items() if not _OF_ONE_STORE.search(name)}
        return {name: _comparable(one) for name, one in kept.items()}
    return [_comparable(one) for one in told] if isinstance(told, list) else told


def _answer(store: Path, arguments: Sequence[str]) -> Any:
    done = CliRunner().invoke(app, ["--store", str(store), *arguments])
    assert done.exit_code == 0, done.output
    return done.stdout


def _stores(folder: Path, tables: Sequence[_Table]) -> list[Path]:
    """Return a store of all tables as they are, and one with the rows of each in another order."""
    rng = np.random.default_rng(12)
    made = [folder / "sorted.db", folder / "mixed.db"]
    for store in made:
        for table in tables:
            order = rng.permutation(len(table.rows)) if store == made[1] else range(len(table.rows))
            file = folder / f"{table.name}.csv"
            file.write_text("\n".join([table.head, *(table.rows[i] for i in order)]))
            how = ["--dataset", "d", "--higher-is-better", "--yes", *table.options]
            _answer(store, ["ingest", str(file), *how])
    return made


@pytest.fixture(scope="module")
def stores(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    rng = np.random.default_rng(11)
    hard = rng.normal(size=N_ITEMS)
    rows = [
        f"{system},q{item + 1},{hard[item] + lead + rng.normal():.3f}"
        for system, lead in LEADS.items()
        for item in range(N_ITEMS)
    ]
    return _stores(tmp_path_factory.mktemp("scores"), [_Table("d", "system,item,score", rows)])


@pytest.fixture(scope="module", params=["ratings", "preferences"])
def judged(tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> list[Path]:
    rng = np.random.default_rng(13)
    quality = rng.normal(size=(len(LEADS), N_ITEMS)) + np.array(list(LEADS.values()))[:, None]
    metrics, ratings, preferences = [], [], []
    for (s, system), item in product(enumerate(LEADS), range(N_ITEMS)):
        noise = rng.normal(size=2)
        shown = ",".join(f"{quality[s, item] + one:.3f}" for one in (noise[0], 2 * noise[1]))
        metrics.append(f"{system},q{item + 1},{shown}")
        for annotator, kind in JUDGES.items():
            said = round(3 + quality[s, item] + rng.normal())
            ratings.append(f"{annotator},{kind},{system},q{item + 1},quality,{said}")
            for t, other in enumerate(LEADS):
                if s < t:
                    lead = quality[s, item] - quality[t, item] + rng.normal()
                    choice = "first" if lead > 0 else "second"
                    preferences.append(
                        f"{annotator},{kind},{system},{other},q{item + 1},quality,{choice}"
                    )
    judgments = {
        "ratings": _Table(
            "j", "annotator,annotator_kind,system,item,criterion,rating", ratings, JUDGMENTS
        ),
        "preferences": _Table(
            "j",
            "annotator,annotator_kind,first,second,item,criterion,choice",
            preferences,
            JUDGMENTS,
        ),
    }[request.param]
    scores = _Table("m", "system,item,one,two", metrics)
    return _stores(tmp_path_factory.mktemp(request.param), [scores, judgments])


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
        texts.append(target.read_text())
    assert texts[0] == texts[1]


@pytest.mark.parametrize("question", OF_JUDGMENTS, ids=" ".join)
def test_answers_on_judgments_are_the_same_in_any_order_of_rows(
    judged: list[Path], question: tuple[str, ...]
) -> None:
    one, other = (json.loads(_answer(store, [*question, "--json"])) for store in judged)
    assert _comparable(one) == _comparable(other)


def test_exported_judgments_are_the_same_in_any_order_of_rows(judged: list[Path]) -> None:
    one, other = (_answer(store, ["export", "judgments", "d"]) for store in judged)
    assert len(one.splitlines()) > len(JUDGES) * len(LEADS) * N_ITEMS
    assert one == other
