"""What the repeats on a dataset are: samples of one system, or seeds, each a training of its own.

Trials of a run are samples and further runs are seeds, as files have them. A person who knows that
the trials are trainings says so here.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import get_args

import sqlalchemy as sa

from store.datasets import get_dataset
from store.engine import Store
from store.errors import StoreError
from store.importers.kinds import RepeatKind
from store.lookup import find_id
from store.models import Run, ScoreVector, System
from store.records import Record

_N_TRIALS = (
    sa.select(ScoreVector.run_id, sa.func.count(ScoreVector.trial.distinct()).label("n"))
    .group_by(ScoreVector.run_id)
    .subquery()
)


@dataclass(frozen=True, slots=True)
class Repeats(Record):
    """How often a system was tried on a dataset."""

    system: str
    n_runs: int
    n_trials: int
    """Of the run with the most."""
    trials_are: RepeatKind


def repeats_on(store: Store, dataset_uid: str) -> list[Repeats]:
    """Return the systems with repeats on a dataset, by name."""
    with store.read() as connection:
        rows = connection.execute(
            sa.select(
                *(System.name, sa.func.count(), sa.func.max(_N_TRIALS.c.n)),
                sa.func.max(Run.repeats),
            )
            .join(Run, Run.system_id == System.id)
            .join(_N_TRIALS, _N_TRIALS.c.run_id == Run.id)
            .where(
                Run.dataset_id == find_id(connection, "dataset", dataset_uid),
                Run.deleted_at.is_(None),
                System.deleted_at.is_(None),
            )
            .group_by(System.id, System.name)
            .order_by(System.name)
        ).all()
    return [Repeats(*row) for row in rows if row[1] > 1 or row[2] > 1]


def seeds_within(store: Store, dataset_uid: str) -> set[str]:
    """Return the uids of the runs on a dataset whose trials are trainings."""
    with store.read() as connection:
        return set(
            connection.scalars(
                sa.select(Run.uid).where(
                    Run.dataset_id == find_id(connection, "dataset", dataset_uid),
                    Run.repeats == "seeds",
                )
            )
        )


def set_repeats(
    store: Store, dataset: str, kind: str, *, actor: str, system: str | None = None
) -> list[Repeats]:
    """Say what the trials of the runs on a dataset are, of all systems or of one.

    Raises
    ------
    StoreError
        There is no such kind, or no run has several trials there.
    NotFoundError
        There is no such dataset or system.
    """
    if kind not in get_args(RepeatKind):
        raise StoreError(f"Trials are {' or '.join(get_args(RepeatKind))}, not '{kind}'.")
    chosen = get_dataset(store, dataset)
    with store.write(actor) as change:
        connection = change.session.connection()
        here = [
            Run.dataset_id == find_id(connection, "dataset", chosen.uid),
            Run.deleted_at.is_(None),
            Run.id.in_(sa.select(_N_TRIALS.c.run_id).where(_N_TRIALS.c.n > 1)),
        ]
        if system is not None:
            here.append(Run.system_id == find_id(connection, "system", system))
        uids = list(connection.scalars(sa.select(Run.uid).where(*here)))
        if not uids:
            of = "" if system is None else f" of '{system}'"
            raise StoreError(f"No run{of} on '{chosen.label}' has several trials.")
        change.session.execute(sa.update(Run).where(*here).values(repeats=kind))
        change.record("describe", "dataset", chosen.uid, trials=kind, runs=uids)
    return repeats_on(store, chosen.uid)
