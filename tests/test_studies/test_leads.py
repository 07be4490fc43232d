"""Who leads on each dataset, as the boards say it."""

from __future__ import annotations

import json
from collections.abc import Callable

import numpy as np
import pytest

from analysis.studies import leads
from analysis.studies.leaderboard import study_leaderboard
from analysis.studies.leads import find_leads
from store.engine import Store

AddRun = Callable[..., None]


@pytest.fixture
def boards(add_run: AddRun) -> None:
    """Store a board with a real lead, one with a tie, and one of a single system."""
    rng = np.random.default_rng(0)
    for name, share in (("good", 0.95), ("bad", 0.4)):
        add_run(name, "clear", list((rng.random(200) < share).astype(float)))
    for name in ("good", "bad", "other"):
        add_run(name, "close", list((rng.random(40) < 0.5).astype(float)))
    add_run("good", "alone", [1.0, 0.0])


@pytest.mark.usefixtures("boards")
def test_leads_are_those_of_the_boards(store: Store) -> None:
    found = find_leads(store)
    assert [(row.dataset, row.lead) for row in found.rows] == [
        ("close", "tie of 3"),
        ("clear", "real"),
    ]
    assert found.rows[1].leader == "good"
    for row in found.rows:
        assert row.lead == study_leaderboard(store, row.dataset_uid).lead
    assert found.n_left_out == 0
    json.dumps(found.to_dict(), allow_nan=False)


@pytest.mark.usefixtures("boards")
def test_boards_without_time_are_counted(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(leads, "MOST_WORK", 500)
    found = find_leads(store)
    assert [row.dataset for row in found.rows] == ["close"]
    assert found.n_left_out == 1
