"""Metrics on slices of the items: what is settled on all items holds on each slice."""

from __future__ import annotations

import numpy as np
import pytest

from analysis.statistics.meta_evaluation.levels import correlation
from analysis.studies.humans.correlations.settings import CorrelationSettings, choose
from analysis.studies.humans.correlations.slices import slice_correlations
from analysis.studies.humans.evidence import load_evidence
from store.engine import Store
from tests.test_studies.judged import add_rated


def test_ties_are_those_of_all_items(store: Store) -> None:
    rng = np.random.default_rng(4)
    gold = np.rint(1.2 * rng.normal(size=(5, 60)))
    scores = gold + np.array([0.8, 30.0])[:, None, None] * rng.normal(size=(2, 5, 60))
    groups = [f"document {i // 6}" for i in range(60)]
    add_rated(store, scores, gold[np.newaxis], metrics=["good", "noise"], groups=groups)
    evidence = load_evidence(store, "talks", "quality")
    asked = {"level": "item", "coefficient": "pairwise-accuracy"}
    chosen = choose(evidence, CorrelationSettings(**asked))  # type: ignore[arg-type]
    rows, told = slice_correlations(store, evidence, evidence.scores, chosen, "group")
    assert len(rows) == 10
    assert not told
    by_name = {row.slice: row for row in rows}
    free = []
    for k, metric in enumerate(evidence.scores):
        whole = correlation(metric, evidence.gold, **asked)
        assert whole.calibrated
        for d in range(10):
            part = slice(6 * d, 6 * d + 6)
            expected = correlation(
                metric[:, part], evidence.gold[:, part], epsilon=whole.epsilon, **asked
            ).value
            assert by_name[f"document {d}"].values[k] == pytest.approx(expected, abs=1e-12)
            alone = correlation(metric[:, part], evidence.gold[:, part], **asked).value
            free.append(alone - expected)
    # What each slice would calibrate for itself is never lower, and often higher.
    assert min(free) >= 0
    assert max(free) > 0.02


def test_other_coefficients_have_no_ties_to_settle(store: Store) -> None:
    rng = np.random.default_rng(5)
    gold = rng.normal(size=(4, 12))
    scores = gold + rng.normal(size=(1, 4, 12))
    groups = [f"document {i // 6}" for i in range(12)]
    add_rated(store, scores, gold[np.newaxis], metrics=["good"], groups=groups)
    evidence = load_evidence(store, "talks", "quality")
    chosen = choose(evidence, CorrelationSettings(level="global"))
    rows, _ = slice_correlations(store, evidence, evidence.scores, chosen, "group")
    expected = np.corrcoef(evidence.scores[0][:, :6].ravel(), evidence.gold[:, :6].ravel())[0, 1]
    assert rows[0].values[0] == pytest.approx(expected, abs=1e-12)
