"""Backups, checks and key figures of a store."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import sqlalchemy as sa

from store import schema, vectors
from store.engine import Store, make_engines, resolve_location, sqlite_path
from store.errors import NotFoundError, StoreError
from store.ingest.items import chain_hashes
from store.models import Base, Dataset, Item, ScoreVector
from store.records import Record


@dataclass(frozen=True, slots=True)
class StoreInfo(Record):
    """Key figures of a store."""

    location: str
    schema_revision: str
    store_revision: int
    size_bytes: int | None
    rows: dict[str, int]
    """Number of rows by table."""


@dataclass(frozen=True, slots=True)
class Upgrade(Record):
    """What an upgrade did."""

    before: str | None
    after: str
    backup: str | None


def write_backup(store: Store, target: str | Path) -> Path:
    """Write a compact copy of the store, while others may read and write.

    Raises
    ------
    StoreError
        The target exists, or the store lives on a database server (use its own backup).
    """
    if store.path is None:
        raise StoreError("This store lives on a database server: use the server's own backup.")
    with store.read() as connection:
        return _vacuum_into(connection, Path(target))


def upgrade_store(location: str | None = None) -> Upgrade:
    """Migrate a store to the newest revision; a backup is written beside the file first."""
    given = resolve_location(location)
    path = sqlite_path(given)
    if path is not None and not path.exists():
        raise NotFoundError(f"There is no store at {given}.")
    writer, _ = make_engines(given)

    def back_up(revision: str) -> Path:
        if path is None:
            raise StoreError("Back the server's database up first, then set TIEBREAK_NO_BACKUP.")
        with writer.connect() as connection:
            raw = connection.execution_options(isolation_level="AUTOCOMMIT")
            return _vacuum_into(raw, _free_name(path, revision))

    before, after, backup = schema.upgrade(writer, before=back_up if path is not None else None)
    return Upgrade(before, after, None if backup is None else str(backup))


def check(store: Store) -> list[str]:
    """Return everything that is wrong with the store, one sentence each; empty when it is sound.

    Looks at the file's structure, at references, at the digest of every score vector, and at the
    hash chain of every dataset.
    """
    problems: list[str] = []
    with store.read() as connection:
        if store.path is not None:
            for (said,) in connection.exec_driver_sql("PRAGMA integrity_check").tuples():
                if said != "ok":
                    problems.append(f"File structure: {said}.")
            dangling = connection.exec_driver_sql("PRAGMA foreign_key_check").fetchall()
            if dangling:
                problems.append(f"{len(dangling)} rows refer to something that is not there.")
        problems += _wrong_vectors(connection)
        problems += _wrong_chains(connection)
    return problems


def info(store: Store) -> StoreInfo:
    """Return size, revisions and counts."""
    with store.read() as connection:
        rows = {
            name: connection.scalar(sa.select(sa.func.count()).select_from(table)) or 0
            for name, table in Base.metadata.tables.items()
        }
    return StoreInfo(
        location=store.location,
        schema_revision=schema.head_revision(),
        store_revision=store.revision(),
        size_bytes=store.path.stat().st_size if store.path is not None else None,
        rows=rows,
    )


def _wrong_vectors(connection: sa.Connection) -> list[str]:
    query = sa.select(
        ScoreVector.id,
        ScoreVector.data,
        ScoreVector.digest,
        ScoreVector.n_items,
        ScoreVector.n_components,
    )
    wrong = []
    for row in connection.execute(query.execution_options(yield_per=100)):
        if len(row.data) != 8 * row.n_items * row.n_components:
            wrong.append(f"Score vector {row.id} has the wrong length.")
        elif vectors.digest(row.data) != row.digest:
            wrong.append(f"Score vector {row.id} is not what was written.")
    return wrong


def _wrong_chains(connection: sa.Connection) -> list[str]:
    wrong = []
    for dataset in connection.execute(
        sa.select(Dataset.id, Dataset.name, Dataset.n_items, Dataset.chain_hash)
    ):
        items = connection.execute(
            sa.select(Item.key, Item.chain_hash)
            .where(Item.dataset_id == dataset.id)
            .order_by(Item.position)
        ).all()
        chain = chain_hashes(item.key for item in items)
        if len(items) != dataset.n_items or chain != [item.chain_hash for item in items]:
            wrong.append(f"The items of dataset '{dataset.name}' are not those that were written.")
        elif chain and chain[-1] != dataset.chain_hash:
            wrong.append(f"Dataset '{dataset.name}' does not end with its own last item.")
    return wrong


def _vacuum_into(connection: sa.Connection, target: Path) -> Path:
    if target.exists():
        raise StoreError(f"{target} exists already: name another file.")
    if not target.absolute().parent.is_dir():
        raise StoreError(f"The folder {target.parent} does not exist. Make it first.")
    # VACUUM cannot run inside a transaction: talk to the driver's connection itself.
    driver = connection.connection.driver_connection
    if driver is None:
        raise StoreError("The connection to the store was lost.")
    driver.execute("VACUUM INTO ?", (str(target),))
    return target


def _free_name(path: Path, revision: str) -> Path:
    """Return ``<store>.<revision>.bak``, numbered when there is one already."""
    target = path.with_name(f"{path.name}.{revision}.bak")
    number = 2
    while target.exists():
        target = path.with_name(f"{path.name}.{revision}.{number}.bak")
        number += 1
    return target
