"""Answers over HTTP on a damaged store say what is damaged, with a status that fits."""

from __future__ import annotations

import os
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
import requests

from store import damage
from store.engine import open_store
from store.importers.bundle import (
    BundleDataset,
    BundleItem,
    BundleMetric,
    BundleRun,
    BundleScores,
    ImportBundle,
    SourceFile,
)
from store.ingest import ingest

Get = Callable[..., requests.Response]


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Return a store of two systems, closed; the server shows it."""
    path = tmp_path / "s.db"
    runs = [
        BundleRun(name, 0, scores=[BundleScores(0, np.array([[0.5], [1.0], [at]]))])
        for at, name in enumerate("AB")
    ]
    items = [BundleItem(f"q{at}") for at in range(3)]
    bundle = ImportBundle(
        "t", [SourceFile("s.csv", "0" * 64)], [BundleDataset("qa", items=items)],
        [BundleMetric("score", higher_is_better=True)], runs,
    )  # fmt: skip
    with open_store(path, create=True) as store:
        ingest(store, bundle, actor="t")
    shutil.copy(path, tmp_path / "good.db")
    monkeypatch.setenv("TIEBREAK_STORE", str(path))
    damage.forget()
    yield path
    damage.forget()


@pytest.fixture
def ask(server: str, path: Path) -> Get:
    """Return a function that gets a place of the API."""
    return lambda place, **params: requests.get(f"{server}/api/v1/{place}", params, timeout=60)


def change(path: Path, statement: str) -> None:
    """Change a store behind its back."""
    with sqlite3.connect(path) as connection:
        connection.execute("PRAGMA ignore_check_constraints = 1")
        connection.execute(statement)
    connection.close()


def test_an_answer_names_it_until_it_is_repaired(ask: Get, path: Path) -> None:
    change(path, "UPDATE metric SET higher_is_better = 0")
    told = ask("leaderboard", dataset="qa").json()["warnings"]
    assert sum("'metric' is not what was written" in one for one in told) == 1
    os.replace(path.with_name("good.db"), path)
    assert "not what was written" not in ask("leaderboard", dataset="qa").text


def test_a_refusal_names_it_too(ask: Get, path: Path) -> None:
    change(path, "UPDATE dataset SET name = 'qb'")
    found = ask("leaderboard", dataset="qa")
    assert found.status_code == 404
    assert "'dataset' is not what was written" in found.json()["damaged"][0]


@pytest.mark.parametrize(
    "spoil",
    [
        "UPDATE audit_event SET at = 'x'",
        "UPDATE audit_event SET detail = '{'",
        "half",
        "empty",
        "text",
    ],
)
def test_what_cannot_be_read_is_no_fault_of_ours(ask: Get, path: Path, spoil: str) -> None:
    if spoil == "half":
        os.truncate(path, path.stat().st_size // 2)
    elif spoil == "empty":
        os.truncate(path, 0)
    elif spoil == "text":
        path.write_text("no store\n" * 2_000)
    else:
        change(path, spoil)
    place = "audit" if "audit" in spoil else "leaderboard"
    found = ask(place, **({"dataset": "qa"} if place == "leaderboard" else {}))
    assert found.status_code == 503, found.text
    assert any(
        word in found.json()["detail"]
        for word in ("is damaged", "not what was written", "no Tiebreak store", "file is empty")
    )
