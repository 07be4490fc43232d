"""Datasets and items of a bundle, aligned with those in the store.

Items are append-only. Each item's chain hash covers its key and the chain hash before it, so that
one look-up proves that two sequences of items are the same.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from itertools import pairwise, repeat
from typing import Any, Final, NamedTuple, cast

import numpy as np
import numpy.typing as npt
import sqlalchemy as sa

from store.engine import Change, insert_columns
from store.errors import AlignmentError, ConflictError, ImportFormatError
from store.importers.bundle import BundleDataset, BundleItem, ImportBundle
from store.importers.named_items import NamedItems, keys_of, told_of
from store.ingest.known import known_datasets
from store.ingest.reconcile import Policy, reconcile
from store.ingest.report import IngestReport
from store.lookup import merged_dataset
from store.models import Dataset, Item, ItemText
from store.natural_order import natural_key
from store.spelling import composed, require_keys, require_one_spelling

_SPELLED_OTHERWISE = "datasets of an older store, by their composed names"

MOST_DATASETS: Final = 5_000
"""Of one import: more are made by a column that names no dataset, one by one for minutes."""


class AlignedDataset(NamedTuple):
    """A dataset of the bundle and where its items stand in the store."""

    row: Dataset
    positions: npt.NDArray[np.int64]
    """Shape (n_bundle_items,): position in the store of each item of the bundle."""
    n_covered: int
    """Length of a vector that reaches the last of the bundle's items."""
    chain_hash: str
    """Chain hash of that item; empty when the bundle has no items."""


def chain_hashes(keys: Iterable[str], after: str = "") -> Iterator[str]:
    """Yield the chain hash of each key in order, going on from the hash `after`."""
    link = bytes.fromhex(after)
    for key in keys:
        link = hashlib.sha256(link + key.encode()).digest()
        yield link.hex()


def last_link(items: Sequence[BundleItem]) -> str:
    """Return the chain hash of the last of the items of a dataset."""
    if isinstance(items, NamedItems) and items.last_link:
        return items.last_link
    *_, last = chain_hashes(keys_of(items))
    if isinstance(items, NamedItems):
        items.last_link = last
    return last


def align_datasets(
    change: Change, bundle: ImportBundle, report: IngestReport
) -> list[AlignedDataset]:
    """Return each dataset of the bundle with the positions of its items; append new items.

    Raises
    ------
    AlignmentError
        An item stands in the store with another text or in another group.
    ConflictError
        New items for a sealed dataset.
    ImportFormatError
        An item stands in the bundle twice.
    """
    path = bundle.files[0].path if bundle.files else ""
    if len(bundle.datasets) > MOST_DATASETS:
        raise ImportFormatError(
            f"names {len(bundle.datasets):,} datasets, more than {MOST_DATASETS:,} in one import. "
            "Which column names the dataset? Give --column dataset=NAME, or import it in parts.",
            path=path,
        )
    aligned = [_align_dataset(change, wanted, path, report) for wanted in bundle.datasets]
    found = zip((d.name for d in bundle.datasets), (one.row.id for one in aligned), strict=True)
    require_one_spelling("dataset", found, path)
    return aligned


def _align_dataset(
    change: Change, wanted: BundleDataset, path: str, report: IngestReport
) -> AlignedDataset:
    dataset = _find_or_make(change, wanted, report)
    items = wanted.items
    if not items:
        return AlignedDataset(dataset, np.empty(0, np.int64), 0, "")
    _require_different_keys(wanted, path)
    positions = _known_positions(change, dataset, items, path, report)
    absent = np.flatnonzero(positions < 0)
    if len(absent):
        new = items if len(absent) == len(items) else [items[i] for i in absent.tolist()]
        order = _natural_order(keys_of(new))
        if order is not None:
            absent, new = absent[order], [new[i] for i in order]
        if dataset.sealed:
            raise ConflictError(
                f"{path}: the dataset '{dataset.name}' is sealed with {dataset.n_items:,} items; "
                f"the file has {len(new):,} more, the first is '{new[0].key}'."
            )
        positions[absent] = append_items(change, dataset, new)
        report.add("item", "added", len(new))
    _add_texts(change, dataset, items, known_before=len(items) - len(absent), report=report)
    last = int(positions.max())
    return AlignedDataset(dataset, positions, last + 1, _chain_hash(change, dataset, last + 1))


def _chain_hash(change: Change, dataset: Dataset, n_items: int) -> str:
    """Return the chain hash of the last of the first items of a dataset."""
    if n_items == dataset.n_items:
        return dataset.chain_hash
    of_last = (Item.dataset_id == dataset.id, Item.position == n_items - 1)
    return change.session.scalars(sa.select(Item.chain_hash).where(*of_last)).one()


def _find_or_make(change: Change, wanted: BundleDataset, report: IngestReport) -> Dataset:
    """Return the living dataset of that name and version; fill in what it does not say yet."""
    known, key = known_datasets(change), (wanted.name, wanted.version)
    dataset = known.get(key) or _living(change, *key) or _merged(change, wanted)
    stated = {
        name: value
        for name in ("task", "language", "domain", "n_items_stated")
        if (value := getattr(wanted, name)) is not None
    }
    if dataset is None:
        name, version = composed(wanted.name), composed(wanted.version)
        dataset = Dataset(name=name, version=version, **stated)
        change.session.add(dataset)
        change.session.flush()
        change.record("create", "dataset", dataset.uid, name=dataset.name, version=dataset.version)
        report.datasets_added.append(name)
        known[key] = dataset
        return dataset
    known[key] = dataset
    new = reconcile({name: getattr(dataset, name) for name in stated}, stated).missing
    if new:
        for name, value in new.items():
            setattr(dataset, name, value)
        change.record("describe", "dataset", dataset.uid, **new)
        report.add("detail", "filled in", len(new))
    return dataset


def _living(change: Change, name: str, version: str) -> Dataset | None:
    """Return the living dataset of a name; letter for letter, else with its accents composed."""
    session = change.session
    living = sa.select(Dataset).where(Dataset.deleted_at.is_(None)).order_by(Dataset.id)
    plain = composed(name), composed(version)
    for one in dict.fromkeys([(name, version), plain]):
        found = session.scalars(living.where(Dataset.name == one[0], Dataset.version == one[1]))
        if dataset := found.first():
            return dataset
    if _SPELLED_OTHERWISE not in session.info:
        # Once a transaction: whatever it adds is spelled with composed accents.
        columns = sa.select(Dataset.name, Dataset.version, Dataset.id)
        stored = session.execute(columns.where(Dataset.deleted_at.is_(None)).order_by(Dataset.id))
        session.info[_SPELLED_OTHERWISE] = {
            (composed(row.name), composed(row.version)): row.id
            for row in reversed(stored.all())
            if (composed(row.name), composed(row.version)) != (row.name, row.version)
        }
    known = session.info[_SPELLED_OTHERWISE].get(plain)
    return None if known is None else session.get(Dataset, known)


def _merged(change: Change, wanted: BundleDataset) -> Dataset | None:
    """Return what a dataset of that name and version was merged into, while it is."""
    name, version = composed(wanted.name), composed(wanted.version)
    found = merged_dataset(change.session.connection(), name, version)
    return None if found is None else change.session.get(Dataset, found)


def _require_different_keys(wanted: BundleDataset, path: str) -> None:
    keys = keys_of(wanted.items)
    if len(set(keys)) < len(keys):
        twice = next(key for key, count in Counter(keys).items() if count > 1)
        raise ImportFormatError(
            f"item '{twice}' stands twice in the dataset '{wanted.name}'.", path=path, field="item"
        )


def _known_positions(
    change: Change, dataset: Dataset, items: Sequence[BundleItem], path: str, report: IngestReport
) -> npt.NDArray[np.int64]:
    """Return the position of each item, -1 of those that the store lacks; check text and group."""
    positions = np.full(len(items), -1)
    if dataset.n_items == 0:
        return positions
    has_detail = any(item.content_hash or item.group for item in told_of(items))
    if len(items) <= dataset.n_items and not has_detail:
        keys, known = keys_of(items), _chain_hash(change, dataset, len(items))
        if known == last_link(items):
            return np.arange(len(items))
        order = _natural_order(keys)
        if order is not None:
            *_, last = chain_hashes([keys[i] for i in order])
            if known == last:
                positions[order] = np.arange(len(items))
                return positions
    columns = sa.select(Item.key, Item.position, Item.content_hash, Item.group_key, Item.id)
    stored_items = {
        row.key: row for row in change.session.execute(columns.where(Item.dataset_id == dataset.id))
    }
    filled = []
    for place, item in enumerate(items):
        row = stored_items.get(item.key)
        if row is None:
            continue
        positions[place] = row.position
        before = {"content_hash": row.content_hash, "group_key": row.group_key}
        stated = {"content_hash": item.content_hash, "group_key": item.group or None}
        policy = Policy(partial(_other_item, item.key, dataset.name, path))
        missing = reconcile(before, stated, ("content_hash", "group_key"), policy).missing
        if missing:
            filled.append({"id": row.id, **before, **missing})
    if filled:
        change.session.execute(sa.update(Item), filled)
        change.record("describe items", "dataset", dataset.uid, n_items=len(filled))
        report.add("detail", "filled in", len(filled))
    return positions


def _natural_order(keys: Sequence[str]) -> list[int] | None:
    """Return the places of keys in their natural order, ``q9`` before ``q10``; None: they are.

    Random draws belong to positions, so scores answer alike in whatever order a file has them.
    """
    named = [natural_key(key) for key in keys]
    if all(a < b for a, b in pairwise(named)):
        return None
    return sorted(range(len(keys)), key=named.__getitem__)


def _other_item(
    key: str, dataset: str, path: str, name: str, known: str, stated: str
) -> AlignmentError:
    """Return the error for an item that the store holds with another text or in another group."""
    if name == "content_hash":
        reason = (
            f"the text of item '{key}' differs from the one in the store for dataset '{dataset}'. "
            "Scores on changed items cannot be compared: import it as another version of the "
            "dataset (--dataset-version)."
        )
        return AlignmentError(reason, path=path, field="item")
    reason = (
        f"item '{key}' of dataset '{dataset}' is in group '{stated}' here and in group '{known}' "
        "in the store."
    )
    return AlignmentError(reason, path=path, field="group")


def append_items(change: Change, dataset: Dataset, items: Sequence[BundleItem]) -> range:
    """Add items at the end of a dataset; return the position of each."""
    positions = range(dataset.n_items, dataset.n_items + len(items))
    keys, told = keys_of(items), told_of(items)
    require_keys(keys, "item")
    require_keys([item.group for item in told if item.group], "group")
    last = dataset.chain_hash

    def chain() -> Iterator[str]:
        nonlocal last
        for link in chain_hashes(keys, after=last):
            last = link
            yield link

    columns: dict[str, Iterable[Any]] = {
        "dataset_id": repeat(dataset.id),
        "position": positions,
        "key": keys,
        "chain_hash": chain(),
    }
    optional: dict[str, list[Any]] = {
        "group_key": [item.group for item in told],
        "content_hash": [item.content_hash for item in told],
        "metadata": [dict(item.metadata) if item.metadata else None for item in told],
    }
    for name, values in optional.items():  # a column that no item fills costs nothing
        if any(value is not None for value in values):
            columns[name] = values
    insert_columns(change.session.connection(), cast(sa.Table, Item.__table__), columns)
    change.record("add items", "dataset", dataset.uid, n_items=len(items), since=dataset.n_items)
    dataset.n_items += len(items)
    dataset.chain_hash = last
    return positions


def _add_texts(
    change: Change,
    dataset: Dataset,
    items: Sequence[BundleItem],
    *,
    known_before: int,
    report: IngestReport,
) -> None:
    """Add the texts that the store does not have; a text that came first stays."""
    texts = {
        item.key: item
        for item in told_of(items)
        if item.input_text is not None or item.reference_text
    }
    if not texts:
        return
    session = change.session
    ids = session.execute(
        sa.select(Item.key, Item.id)
        .outerjoin(ItemText, ItemText.item_id == Item.id)
        .where(Item.dataset_id == dataset.id, ItemText.item_id.is_(None))
    )
    rows = [
        {
            "item_id": item_id,
            "input_text": texts[key].input_text,
            "reference_text": texts[key].reference_text,
        }
        for key, item_id in ids
        if key in texts
    ]
    if rows:
        session.execute(sa.insert(ItemText), rows)
    if rows and known_before:  # else they came with their items
        change.record("add texts", "dataset", dataset.uid, n_items=len(rows))
        report.add("detail", "filled in", len(rows))
