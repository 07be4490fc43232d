"""Two datasets that are one and the same test set: made one, and taken apart again.

All that is about the first goes to the second: runs, figures, claims, judgments, tags and notes.
Its items are found in the second by their keys, and its scores are put into that one's order. It is
hidden; its name and uid lead to the second.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt
import sqlalchemy as sa
from sqlalchemy.orm import Session

from store import vectors
from store.engine import Change, Store
from store.errors import ConflictError, NotFoundError, StoreError
from store.importers.bundle import BundleItem
from store.importers.kinds import Status
from store.ingest.items import append_items
from store.lookup import find_id
from store.model_base import Base
from store.models import (
    AnalysisResult,
    Criterion,
    Dataset,
    DatasetOverlap,
    Item,
    ItemText,
    Note,
    Run,
    ScoreVector,
    StatusVector,
    Tag,
    utc_now,
)
from store.naming import find_merge
from store.records import dataset_label

IntArray = npt.NDArray[np.int64]
_STAYS: Final = ("item", "dataset_overlap")
"""Tables that name a dataset and are no part of what is moved."""
_ON_ITEMS: Final = ("output", "rating", "preference")
_PART: Final = 500


class _Side(NamedTuple):
    row: Dataset
    ids: list[int]
    """Of the items, in order."""
    keys: list[str]
    hashes: list[str | None]
    groups: list[str | None]


def merge_datasets(store: Store, given: str, into: str, *, actor: str) -> str:
    """Make two datasets one: all that is about the first goes to the second; return its uid.

    `separate_datasets` takes this back.

    Raises
    ------
    ConflictError
        They have other items or texts, the same run or figure, or judgments on the same criterion;
        or the second is sealed and lacks items.
    """
    with store.write(actor) as change:
        session = change.session
        source, target = (find_id(session.connection(), "dataset", name) for name in (given, into))
        if source == target:
            raise StoreError(f"'{given}' and '{into}' are one dataset already.")
        first, second = _side(session, source), _side(session, target)
        _require_same_items(first, second)
        _require_other_judgments(session, first.row, second.row)
        second = _complete(change, first, second)
        places = {key: position for position, key in enumerate(second.keys)}
        positions = np.array([places[key] for key in first.keys], np.int64)
        moved = _move(session, first, second, positions)
        first.row.deleted_at = utc_now()
        change.record(
            *("merge", "dataset", second.row.uid),
            merged=first.row.uid,
            name=first.row.name,
            version=first.row.version,
            moved=moved,
        )
        _finish(change)
        return second.row.uid


def separate_datasets(store: Store, given: str, merged: str, *, actor: str) -> str:
    """Take a merge of two datasets back; return the uid of the one that is visible again.

    Items that the merge added to the second stay there.

    Parameters
    ----------
    given
        The dataset that others were merged into.
    merged
        Uid of the one that went into it.

    Raises
    ------
    NotFoundError
        They were not merged.
    ConflictError
        Something else is called so now, or what was moved has changed since.
    """
    with store.write(actor) as change:
        session = change.session
        target = find_id(session.connection(), "dataset", given)
        back = find_id(session.connection(), "dataset", merged, deleted=True)
        kept, gone = session.get_one(Dataset, target), session.get_one(Dataset, back)
        event = find_merge(session, kept.uid, gone.uid)
        if event is None or gone.deleted_at is None:
            raise NotFoundError(f"'{merged}' is not merged into '{_label(kept)}'.")
        gone.deleted_at = None
        _flush(session, f"Another dataset is called '{_label(gone)}' now. Rename that one first.")
        first, second = _side(session, back), _side(session, target)
        _move_back(session, first, second, event.detail["moved"])
        change.record(*("separate", "dataset", kept.uid), merged=gone.uid, name=_label(gone))
        _finish(change)
        return gone.uid


def _side(session: Session, dataset_id: int) -> _Side:
    columns = (Item.id, Item.key, Item.content_hash, Item.group_key)
    query = sa.select(*columns).where(Item.dataset_id == dataset_id).order_by(Item.position)
    rows = session.execute(query).all()
    parts = [list(part) for part in zip(*rows, strict=True)] or [[], [], [], []]
    return _Side(session.get_one(Dataset, dataset_id), *parts)


def _label(row: Dataset) -> str:
    return dataset_label(row.name, row.version)


def _require_same_items(first: _Side, second: _Side) -> None:
    """Raise `ConflictError` unless one has all items of the other, with the same texts."""
    names = f"'{_label(first.row)}' and '{_label(second.row)}'"
    known = dict(zip(second.keys, zip(second.hashes, second.groups, strict=True), strict=True))
    shared = known.keys() & set(first.keys)
    if len(shared) < min(len(first.keys), len(second.keys)):
        raise ConflictError(
            f"{names} are two datasets: {len(first.keys) - len(shared):,} items stand only in the "
            f"first, {len(second.keys) - len(shared):,} only in the second."
        )
    for key, *own in zip(first.keys, first.hashes, first.groups, strict=True):
        for what, mine, other in zip(("text", "group"), own, known.get(key, own), strict=True):
            if mine is not None and other is not None and mine != other:
                raise ConflictError(f"{names} are two datasets: item '{key}' has another {what}.")


def _require_other_judgments(session: Session, first: Dataset, second: Dataset) -> None:
    names = sa.select(Criterion.name)
    own, others = (
        set(session.scalars(names.where(Criterion.dataset_id == one.id))) for one in (first, second)
    )
    if own and others:
        raise ConflictError(
            f"People or models judged both '{_label(first)}' and '{_label(second)}': who is who "
            "among them is not known. Such datasets stay two."
        )


def _complete(change: Change, first: _Side, second: _Side) -> _Side:
    """Append the items that only the first has."""
    known = set(second.keys)
    new = [
        BundleItem(key, group or "", hash_)
        for key, hash_, group in zip(first.keys, first.hashes, first.groups, strict=True)
        if key not in known
    ]
    if not new:
        return second
    if second.row.sealed:
        raise ConflictError(
            f"'{_label(second.row)}' is sealed and lacks {len(new):,} items of "
            f"'{_label(first.row)}'. Merge it into that one instead."
        )
    append_items(change, second.row, new)
    change.session.flush()
    return _side(change.session, second.row.id)


def _move(session: Session, first: _Side, second: _Side, positions: IntArray) -> dict[str, Any]:
    """Have all that is about the first be about the second; return what went, to take it back."""
    moved: dict[str, Any] = {}
    moved["vectors"] = _reorder(session, first, second, positions)
    for table, column in _references():
        here = table.c[column] == first.row.id
        ids = list(session.scalars(sa.select(table.c.id).where(here)))
        if ids:
            moved[f"{table.name}.{column}"] = ids
            noun = table.name.replace("_", " ")
            _flush(
                session,
                f"'{_label(first.row)}' and '{_label(second.row)}' have the same {noun} (system "
                "and label, or metric, source and day). Delete or rename one of the two first.",
                sa.update(table).where(here).values({column: second.row.id}),
            )
    to = dict(zip(first.ids, (second.ids[one] for one in positions), strict=True))
    for name in _ON_ITEMS:
        _relabel(session, Base.metadata.tables[name], "item_id", to)
    for kind in (Tag, Note):
        moved[f"{kind.__tablename__}.target_id"] = _move_attached(session, kind, to)
    _fill_in(session, first, second, to)
    moved["dataset_overlap.added"] = _carry_overlaps(session, first.row.id, second.row.id)
    return moved


def _move_back(session: Session, first: _Side, second: _Side, moved: Mapping[str, Any]) -> None:
    for table, column in _references():
        ids = moved.get(f"{table.name}.{column}", [])
        for part in _parts(ids):
            here = table.c.id.in_(part) & (table.c[column] == second.row.id)
            noun = table.name.replace("_", " ")
            _flush(
                session,
                f"'{_label(first.row)}' has the same {noun} now. Delete that one first.",
                sa.update(table).where(here).values({column: first.row.id}),
            )
    places = {key: position for position, key in enumerate(second.keys)}
    positions = np.array([places[key] for key in first.keys], np.int64)
    _reorder_back(session, first, positions, moved["vectors"], moved.get("run.dataset_id", []))
    back = {second.ids[at]: own for at, own in zip(positions, first.ids, strict=True)}
    for name in _ON_ITEMS:
        table = Base.metadata.tables[name]
        owner = "run" if name == "output" else "criterion"
        owners = moved.get(f"{owner}.dataset_id", [])
        for part in _parts(owners):
            _relabel(session, table, "item_id", back, table.c[f"{owner}_id"].in_(part))
    for kind in (Tag, Note):
        for part in _parts(moved.get(f"{kind.__tablename__}.target_id", [])):
            table = Base.metadata.tables[kind.__tablename__]
            _relabel(session, table, "target_id", back, table.c.id.in_(part))
    for part in _parts(moved.get("dataset_overlap.added", [])):
        session.execute(sa.delete(DatasetOverlap).where(DatasetOverlap.id.in_(part)))


def _reorder(session: Session, first: _Side, second: _Side, positions: IntArray) -> list[list[Any]]:
    """Put scores and statuses into the order of the second; return (table, id, items, digest)."""
    chains = _chains(session, second.row.id)
    runs = sa.select(Run.id).where(Run.dataset_id == first.row.id)
    told: list[list[Any]] = []
    scores = sa.select(
        ScoreVector.id, ScoreVector.data, ScoreVector.n_items, ScoreVector.n_components
    )
    for row in session.execute(scores.where(ScoreVector.run_id.in_(runs))).all():
        n_covered, chosen = _covered(positions, row.n_items)
        values = vectors.decode(row.data, row.n_components)
        placed = np.full((n_covered, row.n_components), np.nan)
        placed[chosen] = values
        data = vectors.encode(placed)
        new = {
            "data": data,
            "digest": vectors.digest(data),
            "n_items": n_covered,
            "chain_hash": chains[n_covered - 1] if n_covered else "",
        }
        session.execute(sa.update(ScoreVector).where(ScoreVector.id == row.id).values(new))
        told.append(["score_vector", row.id, row.n_items, new["digest"]])
    statuses = sa.select(StatusVector.id, StatusVector.data, StatusVector.n_items)
    for row_id, data, n_items in session.execute(
        statuses.where(StatusVector.run_id.in_(runs))
    ).all():
        n_covered, chosen = _covered(positions, n_items)
        status = np.full(n_covered, Status.NOT_ATTEMPTED, np.uint8)
        status[chosen] = vectors.decode_status(data)
        _write_status(session, row_id, status)
        told.append(["status_vector", row_id, n_items, vectors.digest(status.tobytes())])
    return told


def _chains(session: Session, dataset_id: int) -> list[str]:
    query = sa.select(Item.chain_hash).where(Item.dataset_id == dataset_id)
    return list(session.scalars(query.order_by(Item.position)))


def _covered(positions: IntArray, n_items: int) -> tuple[int, IntArray]:
    chosen = positions[:n_items]
    return (int(chosen.max()) + 1 if len(chosen) else 0), chosen


def _reorder_back(
    session: Session,
    first: _Side,
    positions: IntArray,
    told: Sequence[Sequence[Any]],
    runs: Sequence[int],
) -> None:
    chains = _chains(session, first.row.id)
    known = {(name, row_id): (n_items, digest) for name, row_id, n_items, digest in told}
    changed = ConflictError(
        f"Runs of '{_label(first.row)}' were changed since it was merged: undo those imports first."
    )
    for part in _parts(runs):
        scores = sa.select(ScoreVector.id, ScoreVector.data, ScoreVector.n_components)
        for row in session.execute(scores.where(ScoreVector.run_id.in_(part))).all():
            n_items, digest = known.get(("score_vector", row.id), (0, ""))
            if vectors.digest(row.data) != digest:
                raise changed
            values = vectors.decode(row.data, row.n_components)[positions[:n_items]]
            data = vectors.encode(values)
            new = {
                "data": data,
                "digest": vectors.digest(data),
                "n_items": n_items,
                "chain_hash": chains[n_items - 1] if n_items else "",
            }
            session.execute(sa.update(ScoreVector).where(ScoreVector.id == row.id).values(new))
        statuses = sa.select(StatusVector.id, StatusVector.data)
        for row_id, old in session.execute(statuses.where(StatusVector.run_id.in_(part))).all():
            n_items, digest = known.get(("status_vector", row_id), (0, ""))
            if vectors.digest(old) != digest:
                raise changed
            _write_status(session, row_id, vectors.decode_status(old)[positions[:n_items]])


def _write_status(session: Session, row_id: int, status: npt.NDArray[np.uint8]) -> None:
    session.execute(
        sa.update(StatusVector)
        .where(StatusVector.id == row_id)
        .values(**vectors.status_columns(status))
    )


def _relabel(
    session: Session,
    table: sa.Table,
    column: str,
    to: Mapping[int, int],
    *where: sa.ColumnElement[bool],
) -> None:
    """Have rows that name items name others."""
    key = table.c[column]
    if table.name in ("tag", "note"):
        where = (*where, table.c.target_kind == "item")
    rows = session.execute(sa.select(table.c.id, key).where(*where)).all()
    changes = [{"row": row_id, "now": to[old]} for row_id, old in rows if old in to]
    if changes:
        moving = sa.update(table).where(table.c.id == sa.bindparam("row"))
        session.connection().execute(moving.values({column: sa.bindparam("now")}), changes)


def _move_attached(session: Session, kind: type[Tag | Note], to: Mapping[int, int]) -> list[int]:
    """Move tags and notes of items; a tag that the other item has stays where it is."""
    table = Base.metadata.tables[kind.__tablename__]
    what = table.c.name if kind is Tag else table.c.id
    on_items = sa.select(table.c.id, table.c.target_id, what.label("what"))
    rows = session.execute(on_items.where(table.c.target_kind == "item")).all()
    taken = {(row.target_id, row.what) for row in rows}
    moved = [
        row.id for row in rows if row.target_id in to and (to[row.target_id], row.what) not in taken
    ]
    for part in _parts(moved):
        _relabel(session, table, "target_id", to, table.c.id.in_(part))
    return moved


def _fill_in(session: Session, first: _Side, second: _Side, to: Mapping[int, int]) -> None:
    """Give items what only the first one's say of them: text, its hash, group."""
    known = {
        id_: (hash_, group)
        for id_, hash_, group in zip(second.ids, second.hashes, second.groups, strict=True)
    }
    new = [
        {
            "id": to[own],
            "content_hash": known[to[own]][0] or hash_,
            "group_key": known[to[own]][1] or group,
        }
        for own, hash_, group in zip(first.ids, first.hashes, first.groups, strict=True)
        if (hash_ and not known[to[own]][0]) or (group and not known[to[own]][1])
    ]
    if new:
        session.execute(sa.update(Item), new)
    texts = (
        sa.select(*ItemText.__table__.columns)
        .join(Item, Item.id == ItemText.item_id)
        .where(Item.dataset_id == sa.bindparam("dataset"))
    )
    there = {row.item_id for row in session.execute(texts, {"dataset": second.row.id})}
    rows = [
        {
            "item_id": to[row.item_id],
            "input_text": row.input_text,
            "reference_text": row.reference_text,
            "checksum": row.checksum,  # as it is: damage stays known
        }
        for row in session.execute(texts, {"dataset": first.row.id})
        if to[row.item_id] not in there
    ]
    if rows:
        session.execute(sa.insert(ItemText), rows)


def _carry_overlaps(session: Session, source: int, target: int) -> list[int]:
    """Have what was declared of the first hold of the second; return the new rows."""
    rows = session.scalars(sa.select(DatasetOverlap)).all()
    known = {(row.dataset_a_id, row.dataset_b_id) for row in rows}
    added = []
    for row in rows:
        if source not in (row.dataset_a_id, row.dataset_b_id):
            continue
        other = row.dataset_b_id if row.dataset_a_id == source else row.dataset_a_id
        pair = min(other, target), max(other, target)
        if other == target or pair in known:
            continue
        new = DatasetOverlap(
            dataset_a_id=pair[0], dataset_b_id=pair[1], kind=row.kind, note=row.note
        )
        session.add(new)
        session.flush()
        added.append(new.id)
    return added


def _references() -> list[tuple[sa.Table, str]]:
    """Return every column that names a dataset and is moved."""
    return [
        (table, key.parent.name)
        for table in Base.metadata.sorted_tables
        for key in sorted(table.foreign_keys, key=lambda key: key.parent.name)
        if key.column.table.name == "dataset" and table.name not in _STAYS
    ]


def _flush(session: Session, said: str, statement: sa.Update | None = None) -> None:
    try:
        session.flush()
        if statement is not None:
            session.execute(statement)
    except sa.exc.IntegrityError as error:
        raise ConflictError(said) from error


def _finish(change: Change) -> None:
    change.session.flush()
    change.session.execute(sa.delete(AnalysisResult))
    change.session.expire_all()


def _parts(ids: Sequence[int]) -> list[Sequence[int]]:
    return [ids[at : at + _PART] for at in range(0, len(ids), _PART)]
