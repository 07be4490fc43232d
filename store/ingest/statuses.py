"""What happened to the items of a run: known, stated, joined, written."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import cast

import numpy as np
import sqlalchemy as sa
from sqlalchemy.orm import undefer

from store import vectors
from store.engine import Change, insert_rows
from store.importers.kinds import Status, StatusArray
from store.models import Run, StatusVector


def write_statuses(change: Change, run: Run, statuses: dict[int, StatusArray]) -> None:
    """Write what happened to the items of a run, joined with what is known of it."""
    known = {
        row.trial: row
        for row in change.session.scalars(
            sa.select(StatusVector)
            .options(undefer(StatusVector.data))
            .where(StatusVector.run_id == run.id)
        )
    }
    for trial, incoming in statuses.items():
        status = incoming
        row = known.get(trial)
        if row is not None:  # an extended run: an item that either file attempted was attempted
            status = join_statuses(vectors.decode_status(row.data), incoming)
        else:
            row = StatusVector(run_id=run.id, trial=trial)
            change.session.add(row)
        for name, value in vectors.status_columns(status).items():
            setattr(row, name, value)


def add_statuses(change: Change, new: Sequence[tuple[int, Mapping[int, StatusArray]]]) -> None:
    """Write what happened to the items of runs (id, trial -> status) of which nothing is known."""
    rows = [
        {"run_id": run_id, "trial": trial, **vectors.status_columns(status)}
        for run_id, statuses in new
        for trial, status in statuses.items()
    ]
    insert_rows(change.session.connection(), cast(sa.Table, StatusVector.__table__), rows)


def stored_statuses(change: Change, ids: Sequence[int]) -> dict[int, dict[int, StatusArray]]:
    """Return what the store knows of the items of runs, by run and trial."""
    columns = StatusVector.run_id, StatusVector.trial, StatusVector.data
    found: dict[int, dict[int, StatusArray]] = {run_id: {} for run_id in ids}
    for run_id, trial, data in change.session.execute(
        sa.select(*columns).where(StatusVector.run_id.in_(ids))
    ):
        found[run_id][trial] = vectors.decode_status(data)
    return found


def contradict(known: dict[int, StatusArray], stated: dict[int, StatusArray]) -> int | None:
    """Return the position of the first item of which both state something, and not the same.

    An item that one of them did not attempt may have been scored by the other on another metric.
    """
    for trial, status in stated.items():
        before = known.get(trial, status[:0])
        n_items = min(len(before), len(status))
        before, status = before[:n_items], status[:n_items]
        silent = (before == Status.NOT_ATTEMPTED) | (status == Status.NOT_ATTEMPTED)
        differs = np.flatnonzero((before != status) & ~silent)
        if len(differs):
            return int(differs[0])
    return None


def says_more(known: dict[int, StatusArray], stated: dict[int, StatusArray]) -> bool:
    """Whether statuses are stated of items that what is known does not speak of."""
    for trial, status in stated.items():
        before = known.get(trial, np.empty(0, np.uint8))
        spoken = np.full(max(len(before), len(status)), Status.NOT_ATTEMPTED, np.uint8)
        spoken[: len(before)] = before
        if (
            (status != Status.NOT_ATTEMPTED) & (spoken[: len(status)] == Status.NOT_ATTEMPTED)
        ).any():
            return True
    return False


def join_statuses(old: StatusArray, new: StatusArray) -> StatusArray:
    """Return what is known of items, and of those that it does not speak of what is new."""
    joined = np.full(max(len(old), len(new)), Status.NOT_ATTEMPTED, np.uint8)
    joined[: len(old)] = old
    unknown = (joined[: len(new)] == Status.NOT_ATTEMPTED) | (new == Status.SCORED_BY_RULE)
    joined[: len(new)][unknown] = new[unknown]
    return joined
