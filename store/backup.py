"""Backups, checks and key figures of a store."""

from __future__ import annotations

import os
import re
import sqlite3
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

import sqlalchemy as sa
from sqlalchemy.orm import aliased

from store import audit_chain, schema, seals, text_checks, vectors
from store.copying import copy_store
from store.engine import Store, make_engines, plain_errors
from store.errors import NotFoundError, StorageError, StoreError, clipped
from store.ingest.items import chain_hashes
from store.location import resolve_location, sqlite_path, without_password
from store.models import (
    AnalysisResult,
    Annotator,
    Base,
    Criterion,
    Dataset,
    Item,
    Preference,
    Rating,
    Run,
    ScoreVector,
    StatusVector,
    utc_now,
)
from store.people import require_role
from store.records import Record

PARTIAL: Final = ".partial"
"""End of the name of a copy that is being written, or never was finished."""
_UNREADABLE: Final = (ValueError, TypeError, AttributeError, sqlite3.DatabaseError, StorageError)
"""What comes of rows that are damaged, beside what SQLAlchemy says."""


@dataclass(frozen=True, slots=True)
class StoreInfo(Record):
    """Key figures of a store."""

    location: str
    schema_revision: str
    store_revision: int
    size_bytes: int | None
    kept_results: int
    """Computed results that are kept to be shown again at once."""
    kept_results_bytes: int
    rows: dict[str, int]
    """Number of rows by table."""


@dataclass(frozen=True, slots=True)
class Upgrade(Record):
    """What an upgrade did."""

    before: str
    after: str
    backup: str | None
    kept: Mapping[str, int]
    """Method version -> how many answers of it the store keeps; ``""``: none was recorded."""
    n_with_trials: int
    """Runs with several trials, which count as samples until somebody says otherwise."""

    @property
    def told(self) -> str:
        """What was done, and which answers may be other ones now, in words."""
        if self.before == self.after:
            return f"Already at revision {self.after}."
        done = f"Upgraded from {self.before} to {self.after}. Backup: {self.backup or 'none'}."
        if self.n_with_trials:
            done += (
                f" {self.n_with_trials:,} runs have several trials, which count as samples; "
                "`tiebreak set repeats DATASET seeds` says otherwise."
            )
        if not self.kept:
            return f"{done} No earlier answer is kept."
        counts = [f"{n:,} of {version or 'an unknown one'}" for version, n in self.kept.items()]
        return (
            f"{done} Answers are kept by method version: {', '.join(counts)}. Those of another "
            "version than signatures have today are computed anew, and may differ."
        )


def write_backup(store: Store, target: str | Path) -> Path:
    """Write a compact copy of the store, while others may read and write.

    Raises
    ------
    StoreError
        The target exists.

    Notes
    -----
    The backup of a store on PostgreSQL is an SQLite file too: it can be opened as it is.
    """
    path = Path(target)
    if store.path is not None:
        with store.read() as connection:
            return vacuum_into(connection, path)
    with _whole_or_not_at_all(path) as partial:
        copy_store(store, str(partial))
    return path


def write_dated_backup(store: Store, folder: Path, keep: int) -> tuple[Path, list[Path]]:
    """Write a backup called after the store and the time, and keep only the newest ones.

    Parameters
    ----------
    store
        What is copied.
    folder
        Where to; it is made.
    keep
        How many dated backups of this store stay there, the new one counted; at least 1.

    Returns
    -------
    tuple
        The backup, and those that were removed. Nothing is removed before the new one is whole.
    """
    stem = store.path.stem if store.path is not None else sa.make_url(store.location).database or ""
    folder.mkdir(parents=True, exist_ok=True)
    stamp = utc_now().strftime("%Y%m%dT%H%M%S%fZ")
    written = write_backup(store, folder / f"{stem}.{stamp}.bak.db")
    dated = re.compile(re.escape(stem) + r"\.\d{8}T\d{12}Z\.bak\.db")
    known = sorted(one for one in folder.iterdir() if dated.fullmatch(one.name))
    others = [one for one in known if one != written]  # a clock that went back removes no new one
    too_many = others[: max(0, len(others) + 1 - keep)]
    for old in too_many:
        old.unlink()
    return written, too_many


@dataclass(frozen=True, slots=True)
class KeptBackup(Record):
    """A backup beside the store."""

    name: str
    size_bytes: int
    written_at: datetime


def folder_of_backups(store: Store) -> Path | None:
    """Return where a server puts backups: beside the store's file; None on a database server."""
    return None if store.path is None else store.path.absolute().parent / "backups"


def list_backups(store: Store) -> list[KeptBackup]:
    """Return the backups in that folder, and those beside the store, the newest first."""
    folder = folder_of_backups(store)
    if folder is None or store.path is None:
        return []
    here = store.path.absolute()
    found = [*here.parent.glob(f"{_escaped(here.name)}.*.bak")]
    found += folder.glob(f"{_escaped(here.stem)}.*.bak.db") if folder.is_dir() else []
    told = [(one, one.stat()) for one in found if one.is_file()]
    records = [
        KeptBackup(
            one.relative_to(here.parent).as_posix(),
            status.st_size,
            datetime.fromtimestamp(status.st_mtime, UTC),
        )
        for one, status in told
    ]
    return sorted(records, key=lambda one: one.written_at, reverse=True)


def keep_backup(store: Store, *, actor: str, keep: int = 14) -> Path:
    """Write a dated backup into the folder beside the store, recorded; the newest ones stay.

    Raises
    ------
    ForbiddenError
        Whoever is at work is no admin.
    StoreError
        The store is on a database server, or the folder cannot be written to.
    """
    require_role("admin", "Making a backup")
    folder = folder_of_backups(store)
    if folder is None:
        raise StoreError("This store is on a database server: let that back it up.")
    with store.write(actor) as change:
        try:
            written, removed = write_dated_backup(store, folder, keep)
        except OSError as error:
            raise StoreError(f"No backup can be written into {folder}: {error}.") from error
        change.record("backup", "store", path=written.name, n_removed=len(removed))
    return written


def head_of_backup(path: Path) -> str:
    """Return the hash of a backup's audit log; nothing is written beside the file."""
    with closing(sqlite3.connect(f"{path.absolute().as_uri()}?immutable=1", uri=True)) as file:
        found = file.execute("SELECT chain_hash FROM audit_event ORDER BY id DESC LIMIT 1")
        return str((found.fetchone() or ("",))[0])


def _escaped(name: str) -> str:
    return re.sub(r"([*?[])", r"[\1]", name)


def upgrade_store(location: str | None = None) -> Upgrade:
    """Migrate a store to the newest revision; a backup is written beside the file first."""
    given = resolve_location(location)
    path = sqlite_path(given)
    if path is not None and not path.exists():
        raise NotFoundError(f"There is no store at {given}.")
    writer, reader = make_engines(given)

    def back_up(revision: str) -> Path | None:
        if path is None:
            return None  # a database server has its own backup
        with reader.connect() as connection:
            return vacuum_into(connection, free_name(path, revision))

    try:
        shown = without_password(given)
        with plain_errors(shown):
            before, after, backup = schema.upgrade(writer, reader, shown, before=back_up)
            if before != after:
                with writer.begin() as connection:
                    seals.renew(connection, set(seals.tables()))
            with reader.connect() as connection:
                kept = _kept_by_method(connection)
                n_with_trials = connection.scalar(_N_WITH_TRIALS) or 0
    finally:
        reader.dispose()
        writer.dispose()
    return Upgrade(before, after, None if backup is None else str(backup), kept, n_with_trials)


_N_WITH_TRIALS: Final = sa.select(
    sa.func.count(ScoreVector.run_id.distinct()),
).where(ScoreVector.trial > 0)


def _kept_by_method(connection: sa.Connection) -> dict[str, int]:
    told = connection.scalars(sa.select(AnalysisResult.arguments).order_by(AnalysisResult.id))
    return dict(Counter(str(one.get("method_version", "")) for one in told))


def check(store: Store) -> list[str]:
    """Return everything that is wrong with the store, one sentence each; empty when it is sound.

    Looks at the file's structure, at references, at the digests of all score vectors, tables and
    texts, at the items of vectors, at the hash chains of every dataset and of the audit log, at
    whether judgments are of the dataset that they are about, and at the digests of kept results.
    Where the structure is damaged it looks no further: what can be read then proves nothing.
    """
    with store.read() as connection:
        problems: list[str] = []
        if store.path is not None:
            problems = _wrong_structure(connection)
            if problems:
                return problems
            dangling = connection.exec_driver_sql("PRAGMA foreign_key_check").fetchall()
            if dangling:
                problems.append(f"{len(dangling)} rows refer to something that is not there.")
        for part in _PARTS:
            try:
                problems += part(connection)
            except (*_UNREADABLE, sa.exc.DatabaseError) as error:
                what = part.__name__.removeprefix("_wrong_")
                told = str(getattr(error, "orig", error)).split("\n", 1)[0]
                problems.append(f"The {what} cannot be read ({clipped(told, 200)}).")
    return problems


def info(store: Store) -> StoreInfo:
    """Return size, revisions and counts."""
    with store.read() as connection:
        rows = {
            name: connection.scalar(sa.select(sa.func.count()).select_from(table)) or 0
            for name, table in Base.metadata.tables.items()
        }
        kept_bytes = connection.scalar(sa.select(sa.func.sum(AnalysisResult.size))) or 0
    return StoreInfo(
        location=store.location,
        schema_revision=schema.head_revision(),
        store_revision=store.revision(),
        size_bytes=store.path.stat().st_size if store.path is not None else None,
        kept_results=rows[AnalysisResult.__tablename__],
        kept_results_bytes=kept_bytes,
        rows=rows,
    )


def _wrong_structure(connection: sa.Connection) -> list[str]:
    try:
        said = connection.exec_driver_sql("PRAGMA integrity_check").scalars().all()
    except sa.exc.DatabaseError as error:  # too damaged even to look
        said = [str(error.orig)]
    # A finding may span several lines, headed by the database it is about.
    lines = [line for found in said for line in found.splitlines() if line != "ok"]
    return [f"File structure: {line}." for line in lines if not line.startswith("***")]


def _wrong_vectors(connection: sa.Connection) -> list[str]:
    last_item = sa.and_(Item.dataset_id == Run.dataset_id, Item.position == ScoreVector.n_items - 1)
    query = (
        sa.select(
            ScoreVector.id,
            ScoreVector.data,
            ScoreVector.digest,
            ScoreVector.n_items,
            ScoreVector.n_components,
            ScoreVector.chain_hash,
            Item.chain_hash.label("item_chain_hash"),
        )
        .join(Run, Run.id == ScoreVector.run_id)
        .outerjoin(Item, last_item)
    )
    wrong = []
    for row in connection.execute(query.execution_options(yield_per=100)):
        if len(row.data) != 8 * row.n_items * row.n_components:
            wrong.append(f"Score vector {row.id} has the wrong length.")
        elif vectors.digest(row.data) != row.digest:
            wrong.append(f"Score vector {row.id} is not what was written.")
        elif row.n_items and row.chain_hash != row.item_chain_hash:
            wrong.append(f"Score vector {row.id} belongs to other items.")
    return wrong


def _wrong_statuses(connection: sa.Connection) -> list[str]:
    length = sa.func.length(StatusVector.data)
    query = sa.select(StatusVector.id).where(length != StatusVector.n_items)
    return [f"Status vector {id_} has the wrong length." for id_ in connection.scalars(query)]


def _wrong_chains(connection: sa.Connection) -> list[str]:
    wrong = []
    for dataset in connection.execute(
        sa.select(Dataset.id, Dataset.name, Dataset.n_items, Dataset.chain_hash)
    ):
        items = connection.execute(
            sa.select(Item.position, Item.key, Item.chain_hash)
            .where(Item.dataset_id == dataset.id)
            .order_by(Item.position)
        ).all()
        chain = list(chain_hashes(item.key for item in items))
        places = [(item.position, item.chain_hash) for item in items]
        if len(items) != dataset.n_items or places != list(enumerate(chain)):
            wrong.append(f"The items of dataset '{dataset.name}' are not those that were written.")
        elif chain and chain[-1] != dataset.chain_hash:
            wrong.append(f"Dataset '{dataset.name}' does not end with its own last item.")
    return wrong


def _wrong_judgments(connection: sa.Connection) -> list[str]:
    wrong = []
    for table, what in ((Rating, "ratings"), (Preference, "preferences")):
        strangers = (
            sa.select(sa.func.count())
            .select_from(table)
            .join(Criterion, Criterion.id == table.criterion_id)
            .join(Annotator, Annotator.id == table.annotator_id)
            .join(Item, Item.id == table.item_id)
            .where(
                sa.or_(
                    Annotator.dataset_id != Criterion.dataset_id,
                    Item.dataset_id != Criterion.dataset_id,
                )
            )
        )
        n_wrong = connection.scalar(strangers)
        if n_wrong:
            wrong.append(f"{n_wrong:,} {what} are of an item or annotator of another dataset.")
    judged = ("criterion_id", "annotator_id", "item_id", "replicate")
    one, other = aliased(Preference), aliased(Preference)
    turned = [getattr(one, name) == getattr(other, name) for name in judged]
    twice = sa.select(sa.func.count()).where(
        *turned, one.first_id == other.second_id, one.second_id == other.first_id, one.id < other.id
    )
    n_twice = connection.scalar(twice)
    if n_twice:
        wrong.append(f"{n_twice:,} comparisons are there in both orders, as one judgment.")
    return wrong


def _wrong_results(connection: sa.Connection) -> list[str]:
    query = sa.select(AnalysisResult.id, AnalysisResult.digest, AnalysisResult.payload)
    return [
        f"Kept result {row.id} is not what was written; it is computed again when asked for."
        for row in connection.execute(query.execution_options(yield_per=10))
        if vectors.digest(row.payload) != row.digest
    ]


def _wrong_tables(connection: sa.Connection) -> list[str]:
    return [f"The rows of '{name}' are not what was written." for name in seals.wrong(connection)]


def _wrong_texts(connection: sa.Connection) -> list[str]:
    return text_checks.wrong(connection)


def _wrong_log(connection: sa.Connection) -> list[str]:
    return audit_chain.wrong(connection)


_PARTS = (
    _wrong_log,
    _wrong_tables,
    _wrong_texts,
    _wrong_vectors,
    _wrong_statuses,
    _wrong_chains,
    _wrong_judgments,
    _wrong_results,
)


def vacuum_into(connection: sa.Connection, target: Path) -> Path:
    """Write a compact copy of a store; it gets its name only when it is whole."""
    # VACUUM cannot run inside a transaction: talk to the driver's connection itself.
    driver = connection.connection.driver_connection
    if driver is None:
        raise StoreError("The connection to the store was lost.")
    with _whole_or_not_at_all(target) as partial:
        driver.execute("VACUUM INTO ?", (str(partial),))
    return target


@contextmanager
def _whole_or_not_at_all(target: Path) -> Iterator[Path]:
    """Yield where to write a new file; it gets its name, and is on the disk, in the end."""
    if target.exists():
        raise StoreError(f"{target} exists already: name another file.")
    if not target.absolute().parent.is_dir():
        raise StoreError(f"The folder {target.parent} does not exist. Make it first.")
    partial = target.with_name(f"{target.name}{PARTIAL}")
    partial.unlink(missing_ok=True)  # of a backup that was killed
    try:
        yield partial
        with partial.open("rb") as copy:
            os.fsync(copy.fileno())
        os.replace(partial, target)
    except BaseException:
        partial.unlink(missing_ok=True)  # half a copy is none
        raise


def free_name(path: Path, word: str) -> Path:
    """Return ``<store>.<word>.bak``, numbered when there is one already."""
    target = path.with_name(f"{path.name}.{word}.bak")
    number = 2
    while target.exists():
        target = path.with_name(f"{path.name}.{word}.{number}.bak")
        number += 1
    return target
