"""The audit of a test set's whole history: 1,000 dated runs, each a look at it.

Allowed are 10 seconds. What is held against them is processor time, which other work on the
machine does not change: of the audit that finds the records and writes the ledger, of the same
audit again, which has nothing to write, and of the study that a page shows. With few records the
study has half of it.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from analysis.studies.claims.audit import AuditStudy, audit_claims
from analysis.studies.claims.study import study_claims
from store.engine import Store, open_store
from store.importers.bundle import (
    BundleDataset,
    BundleItem,
    BundleMetric,
    BundleRun,
    BundleScores,
    ImportBundle,
    Provenance,
    SourceFile,
)
from store.ingest import ingest

FloatArray = npt.NDArray[np.float64]
LOOKS = 1_000
ITEMS = (500, 2_000)
_ALLOWED = 10.0
_FIRST_DAY = datetime(2020, 1, 1, tzinfo=UTC)
_DATASET = "questions"
_ACTOR = "bench"
_T = TypeVar("_T")


def run() -> list[tuple[str, float, float]]:
    """Return (name, share of what is allowed, largest share)."""
    rows = []
    for n_items in ITEMS:
        for what, scores, of_study in (
            ("few records", slow_progress(LOOKS, n_items), 0.5),
            ("each a record", all_records(LOOKS, n_items), 1.0),
        ):
            rows += _audited(f"claims, {LOOKS:,} runs n{n_items}, {what}", scores, of_study)
    return rows


def slow_progress(n_looks: int, n_items: int) -> FloatArray:
    """Return 0/1 scores of systems that know the same items and get a little better with time."""
    rng = np.random.default_rng(0)
    hardness = rng.normal(size=n_items)
    skill = np.linspace(0.3, 0.6, n_looks)[:, np.newaxis]
    noise = rng.normal(size=(n_looks, n_items))
    return np.asarray(hardness + 0.7 * noise < skill, dtype=np.float64)


def all_records(n_looks: int, n_items: int) -> FloatArray:
    """Return graded scores of which each mean is above all before."""
    rng = np.random.default_rng(0)
    hardness = rng.random(n_items)
    skill = np.linspace(0.2, 0.8, n_looks)[:, np.newaxis]
    scores = (1 - hardness) * skill + 0.1 * rng.random((n_looks, n_items))
    return np.asarray(scores[np.argsort(scores.mean(axis=1))])


def build_history(path: Path, scores: FloatArray) -> None:
    """Write a store with one dated run for each row."""
    store = open_store(path, create=True)
    items = [BundleItem(f"question {i}") for i in range(scores.shape[1])]
    bundle = ImportBundle(
        format="benchmark",
        files=[SourceFile("scores.csv", "0" * 64)],
        datasets=[BundleDataset(_DATASET, items=items)],
        metrics=[BundleMetric("score", higher_is_better=True)],
        runs=[
            BundleRun(
                f"system {k:04d}",
                0,
                scores=[BundleScores(0, row[:, np.newaxis])],
                provenance=Provenance(evaluated_on=_FIRST_DAY + timedelta(days=k)),
            )
            for k, row in enumerate(scores)
        ],
    )
    ingest(store, bundle, actor=_ACTOR)
    store.close()


def _audited(what: str, scores: FloatArray, of_study: float) -> list[tuple[str, float, float]]:
    n_records = len(np.unique(np.maximum.accumulate(scores.mean(axis=1))))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "runs.db"
        build_history(path, scores)
        store = open_store(path)
        first, found = _timed(lambda: _audit(store))
        again, same = _timed(lambda: _audit(store))
        page, study = _timed(lambda: study_claims(store, _DATASET))
        store.close()
    assert study.n_records == n_records
    assert found.n_found == found.n_claims == n_records - 1  # the first has nothing to pass
    assert same.n_evidence_added == 0
    told = f"{what} ({n_records:,}), of {_ALLOWED:.0f} s: "
    return [
        (told + "audit", first / _ALLOWED, 1.0),
        (told + "again", again / _ALLOWED, 1.0),
        (told + "study", page / _ALLOWED, of_study),
    ]


def _audit(store: Store) -> AuditStudy:
    return audit_claims(store, dataset=_DATASET, actor=_ACTOR)


def _timed(work: Callable[[], _T]) -> tuple[float, _T]:
    start = time.process_time()
    found = work()
    return time.process_time() - start, found
