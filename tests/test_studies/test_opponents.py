"""Shares of comparisons won: against one baseline, all against all, or against whom it happened."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pytest

from analysis.studies.comparison import study_comparison
from analysis.studies.leaderboard import study_leaderboard
from analysis.studies.pairs import study_pairs
from store.engine import Store
from store.importers.bundle import (
    BundleCriterion,
    BundleDataset,
    BundleItem,
    BundlePreference,
    ImportBundle,
)
from store.ingest import ingest


def compare(store: Store, chances: Mapping[str, float]) -> None:
    """Store 60 comparisons of each pair; its first system wins with that chance."""
    rng = np.random.default_rng(0)
    ingest(
        store,
        ImportBundle(
            format="test",
            datasets=[BundleDataset("arena", items=[BundleItem(f"i{i}") for i in range(60)])],
            criteria=[BundleCriterion("better", 0, kind="preference")],
            preferences=[
                BundlePreference(0, "ann", i, a, b, "first" if rng.random() < chance else "second")
                for i in range(60)
                for (a, b), chance in chances.items()
            ],
        ),
        actor="tests",
    )


def test_a_baseline_is_compared_by_its_own_comparisons(store: Store) -> None:
    """It beats the weak ones, and loses to the strong one all the same."""
    compare(store, {"ZA": 0.95, "ZB": 0.95, "ZC": 0.95, "SZ": 0.8})
    study = study_comparison(store, "S", "Z", dataset="arena")
    assert study.sentence.startswith("S is better than Z")
    board = study_leaderboard(store, "arena")
    assert [row.system for row in board.rows][:2] == ["S", "Z"]
    assert board.rows[1].score == 0.5
    for warnings in (study.warnings, board.warnings, study_pairs(store, "arena").warnings):
        assert any("Every comparison was with Z, which counts as one half" in w for w in warnings)


@pytest.mark.parametrize(
    ("pairs", "said"),
    [
        (["AB", "CD", "BC"], "A, B, C and D did not meet all others"),
        (["AB", "AC", "BC"], None),
        (["AB"], None),
    ],
)
def test_different_opponents_are_told(store: Store, pairs: list[str], said: str | None) -> None:
    compare(store, dict.fromkeys(pairs, 0.6))
    told = [text for text in study_leaderboard(store, "arena").warnings if "opponents" in text]
    assert bool(told) == bool(said)
    if said:
        assert said in told[0]
        assert "Bradley and Terry" in told[0]
