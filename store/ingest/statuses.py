"""What happened to the items of a run: known, stated, joined, written."""

from __future__ import annotations

import numpy as np
import sqlalchemy as sa
from sqlalchemy.orm import undefer

from store import vectors
from store.engine import Change
from store.importers.bundle import Status, StatusArray
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
        row.n_items = len(status)
        row.n_error = int((status == Status.ERROR).sum())
        row.n_not_attempted = int((status == Status.NOT_ATTEMPTED).sum())
        row.n_by_rule = int((status == Status.SCORED_BY_RULE).sum())
        row.data = status.tobytes()


def stored_statuses(change: Change, run: Run) -> dict[int, StatusArray]:
    """Return what the store knows of a run's items, by trial."""
    query = sa.select(StatusVector.trial, StatusVector.data).where(StatusVector.run_id == run.id)
    return {trial: vectors.decode_status(data) for trial, data in change.session.execute(query)}


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
