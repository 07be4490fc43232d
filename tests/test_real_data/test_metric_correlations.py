"""Real human scores: correlations against scipy's, unit by unit, and against printed ones.

The files lie beside the checkout and are never copied; without them these tests are skipped.
"""

from __future__ import annotations

import csv
import json
import math
import warnings
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from analysis.statistics._typing import FloatArray
from analysis.statistics.meta_evaluation.levels import correlation

pytestmark = pytest.mark.shared

ORACLES = {
    "pearson": lambda x, y: stats.pearsonr(x, y)[0],
    "spearman": lambda x, y: stats.spearmanr(x, y)[0],
    "kendall-b": lambda x, y: stats.kendalltau(x, y)[0],
}
# reproduce/README.md of github.com/maszhongming/UniEval (Zhong et al. 2022): turn level, all
# responses pooled; Pearson, Spearman, Kendall.
UNIEVAL_TOPICAL_CHAT = {
    "naturalness": (0.443666, 0.513986, 0.373973),
    "coherence": (0.595143, 0.612942, 0.465915),
    "engagingness": (0.55651, 0.604739, 0.455941),
    "groundedness": (0.536209, 0.574954, 0.451533),
    "understandability": (0.380038, 0.467807, 0.360741),
    "overall": (0.632796, 0.662583, 0.487272),
}


def by_scipy(metric: FloatArray, gold: FloatArray, level: str, name: str) -> float:
    """Return the correlation of complete scores as nlpstats defines it."""
    sides = {
        "system": ([metric.mean(axis=1)], [gold.mean(axis=1)]),
        "item": (metric.T, gold.T),
        "per-system": (metric, gold),
        "global": ([metric.reshape(-1)], [gold.reshape(-1)]),
    }[level]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        values = [float(ORACLES[name](x, y)) for x, y in zip(*sides, strict=True)]
    defined = [value for value in values if not math.isnan(value)]
    return float(np.mean(defined)) if defined else math.nan


@pytest.fixture(scope="module")
def summeval(shared_folder: Path) -> dict[str, FloatArray]:
    """Return a (16 systems, 100 documents) matrix per column of scores."""
    path = shared_folder / "data/summeval_metrics_human/derived/summary_level.csv"
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    system = "system" if "system" in rows[0] else "summarizer_id"
    systems, items = ({row[key] for row in rows} for key in (system, "instance_id"))
    rows.sort(key=lambda row: (row[system], row["instance_id"]))
    shape = (len(systems), len(items))
    names = [name for name in rows[0] if name not in (system, "instance_id", "summarizer_type")]
    return {name: np.array([float(row[name]) for row in rows]).reshape(shape) for name in names}


@pytest.mark.parametrize("level", ["system", "item", "per-system", "global"])
@pytest.mark.parametrize("name", ORACLES)
def test_summeval(level: str, name: str, summeval: dict[str, FloatArray]) -> None:
    golds = [key for key in summeval if key.startswith("human.expert")]
    metrics = [key for key in summeval if not key.startswith("human.")]
    assert len(golds) == 4
    assert len(metrics) > 10
    for gold in golds:
        found = [
            correlation(summeval[key], summeval[gold], level=level, coefficient=name).value
            for key in metrics
        ]
        expected = [by_scipy(summeval[key], summeval[gold], level, name) for key in metrics]
        assert found == pytest.approx(expected, abs=1e-10, nan_ok=True)


@pytest.mark.parametrize("aspect", UNIEVAL_TOPICAL_CHAT)
def test_topical_chat_as_printed(aspect: str, shared_folder: Path) -> None:
    path = shared_folder / "data/topical_chat_human_metric/topical_chat_result.json"
    records = json.loads(path.read_text(encoding="utf-8"))
    systems = sorted({record["system_id"] for record in records})
    dialogues = [(record["source"], record["context"]) for record in records]
    items = sorted(set(dialogues))
    gold, metric = np.full((2, len(systems), len(items)), np.nan)
    for record in records:
        place = (
            systems.index(record["system_id"]),
            items.index((record["source"], record["context"])),
        )
        gold[place], metric[place] = record["scores"][aspect], record["predict_scores"][aspect]
    assert not np.isnan(gold).any()
    for name, printed in zip(ORACLES, UNIEVAL_TOPICAL_CHAT[aspect], strict=True):
        found = correlation(metric, gold, level="global", coefficient=name)
        assert round(found.value, 6) == printed
        for level in ("system", "item", "per-system"):
            found = correlation(metric, gold, level=level, coefficient=name)
            expected = by_scipy(metric, gold, level, name)
            assert found.value == pytest.approx(expected, abs=1e-10)


def test_wmt19_systems(shared_folder: Path) -> None:
    path = shared_folder / "data/wmt19_metrics_system_level/derived/system_level.csv"
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    pairs = sorted({row["language_pair"] for row in rows})
    assert len(pairs) == 18
    compared = 0
    for pair in pairs:
        of_pair = [row for row in rows if row["language_pair"] == pair]
        gold = np.array([float(row["human_DA_z"]) for row in of_pair])
        for metric in list(rows[0])[3:]:
            scores = np.array([float(row[metric] or "nan") for row in of_pair])
            known = ~np.isnan(scores)
            if np.count_nonzero(known) < 3:
                continue
            compared += 1
            for name, one in ORACLES.items():
                found = correlation(
                    scores[:, np.newaxis], gold[:, np.newaxis], level="system", coefficient=name
                )
                expected = one(scores[known], gold[known])
                assert found.value == pytest.approx(expected, abs=1e-10)
                assert found.n_systems == np.count_nonzero(known)
    assert compared > 300
