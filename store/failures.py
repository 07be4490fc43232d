"""Attempts that failed: crashed, timed out, not judged or not scored."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import sqlalchemy as sa

from store import vectors
from store.engine import Store
from store.importers.kinds import COUNTED, FAILED
from store.lookup import find_id, find_metric_id
from store.models import Run, ScoreVector, StatusVector, System

BoolArray = npt.NDArray[np.bool_]

# Built once: to put a query together takes longer than to run it.
_STATUSES = (
    sa.select(StatusVector.run_id, StatusVector.trial, StatusVector.data)
    .join(Run, Run.id == StatusVector.run_id)
    .where(
        Run.dataset_id == sa.bindparam("dataset_id"),
        Run.deleted_at.is_(None),
        sa.or_(*(getattr(StatusVector, COUNTED[one]) > 0 for one in FAILED)),
    )
)
_SCORES = (
    sa.select(
        *(System.uid, ScoreVector.run_id, ScoreVector.trial),
        *(ScoreVector.data, ScoreVector.n_components),
    )
    .join(Run, Run.id == ScoreVector.run_id)
    .join(System, System.id == Run.system_id)
    .where(
        ScoreVector.metric_id == sa.bindparam("metric_id"),
        ScoreVector.run_id.in_(sa.bindparam("run_ids", expanding=True)),
        System.deleted_at.is_(None),
    )
)


def failed_attempts(connection: sa.Connection, dataset_id: int) -> dict[tuple[int, int], BoolArray]:
    """Return run id and trial -> which items failed, shape (n_items,); only where any did."""
    rows = connection.execute(_STATUSES, {"dataset_id": dataset_id})
    return {
        (row.run_id, row.trial): np.isin(vectors.decode_status(row.data), FAILED) for row in rows
    }


def scored_failures(store: Store, dataset: str, metric: str) -> dict[str, int]:
    """Return uid of a system -> attempts that failed and have a score; only where any have.

    Parameters
    ----------
    store, dataset, metric
        As for `store.arrays.load_matrix`.
    """
    found: dict[str, int] = {}
    with store.read() as connection:
        failed = failed_attempts(connection, find_id(connection, "dataset", dataset))
        if not failed:
            return {}
        which = {
            "metric_id": find_metric_id(connection, metric),
            "run_ids": sorted({run_id for run_id, _ in failed}),
        }
        for uid, run_id, trial, data, n_components in connection.execute(_SCORES, which):
            here = failed.get((run_id, trial), np.empty(0, np.bool_))
            scored = vectors.scored(vectors.decode(data, n_components))
            n_items = min(len(here), len(scored))
            n = int((here[:n_items] & scored[:n_items]).sum())
            if n:
                found[uid] = found.get(uid, 0) + n
    return found
