"""What a person declares of two datasets: that they share items, or that they do not."""

from __future__ import annotations

import sqlalchemy as sa

from store.engine import Store
from store.errors import ConflictError
from store.importers.kinds import OverlapKind
from store.lookup import find_id
from store.models import Dataset, DatasetOverlap


def declare_overlap(
    store: Store, given: str, other: str, kind: OverlapKind, *, note: str = "", actor: str
) -> None:
    """Declare how the items of two datasets overlap; what was declared of them before is replaced.

    Raises
    ------
    NotFoundError
        One of them is not in the store.
    ConflictError
        They are one and the same.
    """
    with store.write(actor) as change:
        connection = change.session.connection()
        first, second = sorted(find_id(connection, "dataset", name) for name in (given, other))
        if first == second:
            raise ConflictError(f"'{given}' and '{other}' are the same dataset.")
        row = change.session.scalar(
            sa.select(DatasetOverlap).where(
                DatasetOverlap.dataset_a_id == first, DatasetOverlap.dataset_b_id == second
            )
        )
        if row is None:
            row = DatasetOverlap(dataset_a_id=first, dataset_b_id=second)
            change.session.add(row)
        before = row.kind
        row.kind, row.note = kind, note
        uids = [change.session.get_one(Dataset, each).uid for each in (first, second)]
        changed = {} if before is None else {"before": before}
        change.record("overlap", "dataset", uids[0], other=uids[1], kind=kind, **changed)
