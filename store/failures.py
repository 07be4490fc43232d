"""Attempts that failed, and what they count as wherever scores are read.

A dataset's setting `failures` decides: as the source does, as missing, or as the worst score there
is. What is stored stays.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable

import numpy as np
import numpy.typing as npt
import sqlalchemy as sa

from store import vectors
from store.engine import Store
from store.errors import StoreError
from store.importers.kinds import COMPONENTS, COUNTED, FAILED, ONE_SCORE
from store.kept_settings import AS_SOURCE
from store.lookup import find_id, find_metric_id
from store.models import AuditEvent, Dataset, Run, ScoreVector, StatusVector, System
from store.records import MetricRecord

BoolArray = npt.NDArray[np.bool_]
Counted = Callable[[int, int, bytes], bytes]
"""Id of a run, trial and the bytes of its vector -> those of the scores as they count."""

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
_SETTINGS = (
    sa.select(AuditEvent.detail)
    .join(Dataset, Dataset.uid == AuditEvent.target_uid)
    .where(AuditEvent.target_kind == "setting", Dataset.id == sa.bindparam("dataset_id"))
    .order_by(AuditEvent.id)
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


def counted_as(connection: sa.Connection, dataset_id: int) -> str:
    """Return what failures on a dataset count as: see `store.kept_settings.FAILURES`.

    As a question says (`store.engine.Store.counting`), else as the dataset's setting does.
    """
    asked = connection.get_execution_options().get("failures")
    if asked is not None:
        return str(asked)
    told = AS_SOURCE
    for detail in connection.scalars(_SETTINGS, {"dataset_id": dataset_id}):
        if detail["name"] == "failures":
            told = detail["value"] or AS_SOURCE
    return told


def as_counted(connection: sa.Connection, dataset_id: int, metric: MetricRecord) -> Counted:
    """Return what makes of a stored vector the scores as failures count.

    Raises
    ------
    StoreError
        Failures count as wrong, and nothing says which score of the metric is the worst.
    """
    how = counted_as(connection, dataset_id)
    failed = {} if how == AS_SOURCE else failed_attempts(connection, dataset_id)
    if not failed:
        return lambda run_id, trial, data: data
    value = _worst(metric) if how == "wrong" else math.nan
    n_components = len(COMPONENTS[metric.aggregation])

    def counted(run_id: int, trial: int, data: bytes) -> bytes:
        here = failed.get((run_id, trial))
        if here is None:
            return data
        values = vectors.decode(data, n_components)
        values = vectors.pad(values, max(len(values), len(here))).copy()
        values[: len(here)][here] = value
        return values.tobytes()

    return counted


def _worst(metric: MetricRecord) -> float:
    end, value = ("lowest", metric.lower) if metric.higher_is_better else ("highest", metric.upper)
    if metric.aggregation not in ONE_SCORE:
        raise StoreError(
            f"Failures count as wrong here, but '{metric.label}' is computed from parts of items, "
            "and nothing is wrong by itself. Set failures to missing."
        )
    if value is None:
        raise StoreError(
            f"Failures count as wrong here, but nothing states the {end} value of "
            f"'{metric.label}'. State it with `tiebreak set metric`, or set failures to missing."
        )
    return value


def told_of_failures(connection: sa.Connection, dataset_id: int) -> list[str]:
    """Return what changes with how failures count, and with which attempts failed."""
    how = counted_as(connection, dataset_id)
    if how == AS_SOURCE:
        return []
    failed = sorted(failed_attempts(connection, dataset_id).items())
    told = b"".join(f"{key} ".encode() + here.tobytes() for key, here in failed)
    return [how, hashlib.sha256(told).hexdigest()]


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
