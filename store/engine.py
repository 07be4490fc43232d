"""Opening a store. Everything that is special to SQLite or PostgreSQL lives in this module.

Writers and readers use two engines. Writers begin with ``BEGIN IMMEDIATE``: a deferred begin loses
the race between reading and writing ("database is locked", whatever the timeout). Readers open the
file read-only; in write-ahead mode neither side ever waits for the other. On PostgreSQL a lock that
all writers take, and ``REPEATABLE READ`` for readers, give the same.
"""

from __future__ import annotations

import sqlite3
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote

import sqlalchemy as sa
from sqlalchemy.orm import Session

from store import schema
from store.errors import NotFoundError, ReadOnlyError, SchemaVersionError, StoreError
from store.location import is_remote, resolve_location, sqlite_path, without_password
from store.models import AuditEvent
from store.people import current_person, named_person, require_action, require_role
from store.reasons import reason
from store.whereabouts import can_write_beside

WRITER_WAITS_MS = 30_000
"""How long a writer waits for another one before it gives up."""

CACHE_WAITS_MS = 100
"""How long whoever keeps a computed result waits: a page must not hang on what is not needed."""


@dataclass(frozen=True, slots=True)
class Change:
    """One write transaction. Whoever changes something records it here, in the same transaction."""

    session: Session
    actor: str
    via: str
    """Through what: ``page``, ``command``, ``library``, ``token UID``."""
    events: list[AuditEvent] = field(default_factory=list)
    """Written all at once, at the end of the transaction."""

    def record(self, action: str, target_kind: str, target_uid: str = "", **detail: Any) -> None:
        """Add an audit event; `detail` must be JSON-safe.

        Raises
        ------
        ForbiddenError
            Whoever is at work may not do that. Nothing of the transaction is written.
        """
        require_action(action)
        self.events.append(
            AuditEvent(
                actor=self.actor,
                via=self.via,
                action=action,
                target_kind=target_kind,
                target_uid=target_uid,
                detail=detail | reason(),
            )
        )


CHANGES_NO_RESULT: Final = (
    *("note", "tag", "untag", "answer", "forget"),
    *("add token", "revoke token", "save view", "forget view"),
)
"""Recorded actions after which every answer is the same."""


@dataclass(frozen=True, slots=True)
class Store:
    """An open store: pass it to the functions of this package."""

    location: str
    """The path or URL as it was given, without a password."""
    path: Path | None
    """The SQLite file; ``None`` on a database server."""
    read_only: bool
    keeps_results: bool
    """Whether computed results may be kept: they change nothing that is shown."""
    _writer: sa.Engine
    _reader: sa.Engine

    @contextmanager
    def read(self) -> Iterator[sa.Connection]:
        """Yield a connection that sees one unchanging state of the store."""
        with plain_errors(self.location), self._reader.connect() as connection:
            yield connection

    @contextmanager
    def write(self, actor: str, *, dry_run: bool = False) -> Iterator[Change]:
        """Yield the one transaction in which everything is written, or nothing.

        `dry_run` does all the work and rolls it back. Where a server says who is at work, that
        person is the actor.

        Raises
        ------
        ForbiddenError
            Whoever is at work may not change anything.
        ReadOnlyError
            The store was opened read-only.
        """
        if self.read_only:
            raise ReadOnlyError(f"{self.location} is open read-only: nothing can be changed here.")
        require_role("contributor", "Changing the store")
        named, via = named_person(), current_person().via
        with plain_errors(self.location), Session(self._writer) as session:
            session.begin()
            change = Change(session, named.name if named else actor, via)
            yield change
            session.add_all(change.events)
            session.flush()
            if dry_run:
                session.rollback()
            else:
                session.commit()

    @contextmanager
    def write_cache(self) -> Iterator[sa.Connection]:
        """Yield a transaction for what can be computed again at any time, and so is not recorded.

        It waits hardly at all for other writers.

        Raises
        ------
        StoreError
            The store cannot be written to at this moment.
        """
        if not self.keeps_results:
            raise ReadOnlyError(f"{self.location} is open read-only: nothing can be kept here.")
        try:
            with plain_errors(self.location), self._writer.connect() as connection:
                connection.execution_options(waits_ms=CACHE_WAITS_MS)
                with connection.begin():
                    yield connection
        except (sa.exc.SQLAlchemyError, sqlite3.Error) as error:
            raise StoreError(f"{self.location}: nothing can be kept here now: {error}") from error

    def revision(self) -> int:
        """Return the number of the last change of results; 0 in a new store.

        It belongs in the key of every answer that is kept. Notes, tags and remembered answers
        change no result: see `last_change`.
        """
        latest = (
            sa.select(AuditEvent.id)
            .where(AuditEvent.action.not_in(CHANGES_NO_RESULT))
            .order_by(AuditEvent.id.desc())
            .limit(1)
        )
        with self.read() as connection:
            return connection.scalar(latest) or 0

    def last_change(self) -> int:
        """Return the number of the last recorded change of any kind; 0 in a new store.

        It belongs in the key of lists that show notes and tags.
        """
        with self.read() as connection:
            return connection.scalar(sa.select(sa.func.max(AuditEvent.id))) or 0

    def __enter__(self) -> Store:
        """Return the store; it is closed at the end of the `with`."""
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Release all connections."""
        self._reader.dispose()
        self._writer.dispose()  # last: the one that can fold the write-ahead log into the file


def open_store(
    location: str | Path | None = None,
    *,
    create: bool = False,
    read_only: bool = False,
    keeps_results: bool | None = None,
) -> Store:
    """Open the store at a path or database URL.

    Parameters
    ----------
    location
        SQLite file or SQLAlchemy URL; see `resolve_location` for the default.
    create
        Make a new, empty store when there is none.
    read_only
        Refuse every write.
    keeps_results
        Whether computed results may be kept nevertheless; by default where it is not read-only.

    Raises
    ------
    NotFoundError
        There is no store and `create` is False.
    SchemaVersionError
        The store is older or newer than this code.
    StoreError
        The file is damaged or is no Tiebreak store.
    """
    given = resolve_location(None if location is None else str(location))
    if is_remote(given):
        raise StoreError(
            f"{given} is a server. Over HTTP go questions, `ingest`, `undo`, `push`, and log_run "
            "and start_run of the library; all else takes the store's own file."
        )
    path = sqlite_path(given)
    if path is not None and not path.exists() and not create:
        raise NotFoundError(
            f"There is no store at {given}. Make one with `tiebreak ingest FILE`, or look at the "
            "example with `tiebreak demo`."
        )
    writer, reader = make_engines(given)
    shown = without_password(given)
    keeps = not read_only if keeps_results is None else keeps_results
    store = Store(shown, path, read_only, keeps, writer, reader)
    try:
        with plain_errors(shown):
            # The reader looks: it waits for nobody, and leaves a file that is not ours alone.
            if create and ((path is not None and not path.exists()) or schema.is_empty(reader)):
                schema.create(writer)
            schema.require_current(reader, shown)
    except BaseException:
        store.close()
        raise
    return store


@contextmanager
def open_for_trial(location: str | Path | None = None) -> Iterator[Store]:
    """Yield the store for a dry run; an empty one that leaves no trace where there is none yet."""
    with tempfile.TemporaryDirectory() as folder:
        given = resolve_location(None if location is None else str(location))
        path = sqlite_path(given)
        is_new = path is not None and not path.exists()
        store = open_store(f"{folder}/trial.db" if is_new else given, create=is_new)
        try:
            yield store
        finally:
            store.close()


def make_engines(location: str) -> tuple[sa.Engine, sa.Engine]:
    """Return the writing and the reading engine of a store."""
    path = sqlite_path(location)
    if path is None:
        return _make_server_engines(location)
    absolute = path.absolute()
    if absolute.is_dir():
        raise StoreError(f"{location} is a folder: name the file of the store in it.")
    if not absolute.parent.is_dir():
        raise StoreError(f"{location}: the folder {path.parent} does not exist. Make it first.")
    writer = sa.create_engine(sa.URL.create("sqlite", database=str(absolute)))
    # A quoted path keeps names with ? and % apart from the URI's own options.
    options = {"mode": "ro", "uri": "true"}
    log = absolute.with_name(f"{absolute.name}-wal")
    if not can_write_beside(absolute) and not (log.exists() and log.stat().st_size):
        # Readers share a file beside the store. Where nobody can make it and nobody writes, the
        # store is read as it lies.
        options["immutable"] = "1"
    reader = sa.create_engine(
        sa.URL.create("sqlite", database=f"file:{quote(str(absolute))}", query=options)
    )
    sa.event.listen(writer, "connect", _on_connect_writer)
    sa.event.listen(reader, "connect", _on_connect_reader)
    sa.event.listen(writer, "begin", _begin_writing)
    sa.event.listen(reader, "begin", lambda connection: _begin(connection, "BEGIN"))
    return writer, reader


def _make_server_engines(location: str) -> tuple[sa.Engine, sa.Engine]:
    read = {"postgresql_readonly": True, "isolation_level": "REPEATABLE READ"}
    try:
        writer = sa.create_engine(location)
        reader = sa.create_engine(location, execution_options=read)
    except (sa.exc.ArgumentError, ImportError) as error:
        raise StoreError(
            f"{without_password(location)}: there is no driver for this database here ({error}). "
            "For PostgreSQL write postgresql+psycopg://… and install psycopg."
        ) from error
    sa.event.listen(writer, "begin", _begin_writing_on_server)
    return writer, reader


_WRITERS_LOCK = 0x7469656272  # "tiebr"


def insert_columns(
    connection: sa.Connection, table: sa.Table, columns: Mapping[str, Iterable[Any]]
) -> None:
    """Insert many rows, given column by column.

    For tables with a row per item: the driver gets plain tuples, with no dictionary in between.
    """
    dialect = connection.dialect
    compiled = sa.insert(table).compile(dialect=dialect, column_keys=list(columns))
    names = list(compiled.positiontup or columns)
    bound = []
    for name in names:
        bind = table.columns[name].type.dialect_impl(dialect).bind_processor(dialect)
        bound.append(map(bind, columns[name]) if bind else columns[name])
    rows: list[Any] = list(zip(*bound, strict=False))  # what is the same in all rows has no end
    if not compiled.positional:
        rows = [dict(zip(names, row, strict=True)) for row in rows]
    if rows:
        connection.exec_driver_sql(compiled.string, rows)


def _on_connect_writer(connection: Any, _record: object) -> None:
    connection.isolation_level = None  # we begin ourselves; the driver must not
    connection.execute(f"PRAGMA busy_timeout={WRITER_WAITS_MS}")
    connection.execute("PRAGMA page_size=16384")  # of a new file: score vectors fill few pages
    connection.execute("PRAGMA journal_mode=WAL")
    # FULL: what was acknowledged survives a power cut, for about 4 ms a commit.
    connection.execute("PRAGMA synchronous=FULL")
    connection.execute("PRAGMA foreign_keys=ON")


def _on_connect_reader(connection: Any, _record: object) -> None:
    connection.isolation_level = None
    connection.execute(f"PRAGMA busy_timeout={WRITER_WAITS_MS}")


def _begin(connection: sa.Connection, statement: str) -> None:
    connection.exec_driver_sql(statement)


def _begin_writing(connection: sa.Connection) -> None:
    waits = connection.get_execution_options().get("waits_ms", WRITER_WAITS_MS)
    _begin(connection, f"PRAGMA busy_timeout={waits}")  # whoever had the connection set another
    _begin(connection, "BEGIN IMMEDIATE")


def _begin_writing_on_server(connection: sa.Connection) -> None:
    waits = connection.get_execution_options().get("waits_ms")
    if waits is not None:
        _begin(connection, f"SET LOCAL lock_timeout = {waits}")
    _begin(connection, f"SELECT pg_advisory_xact_lock({_WRITERS_LOCK})")


@contextmanager
def plain_errors(location: str) -> Iterator[None]:
    """Say in words what the database driver says in codes."""
    try:
        yield
    except UnicodeDecodeError as error:  # so damaged that the driver cannot even say so
        raise StoreError(f"{location}: {_DAMAGED}") from error
    except (sa.exc.DatabaseError, sqlite3.DatabaseError) as error:
        said = str(getattr(error, "orig", error)).lower()
        if "unable to open" in said and _is_gone(location):
            raise NotFoundError(
                f"There is no store at {location} any more: the file was moved or deleted."
            ) from error
        for sign, kind, words in _SAID_BY_SQLITE:
            if sign in said:
                raise kind(f"{location}: {words}") from error
        raise


def _is_gone(location: str) -> bool:
    path = sqlite_path(location)
    return path is not None and not path.exists()


_DAMAGED = "the file is damaged. Look at `tiebreak db check`, and go back to a backup."
_OTHER_VERSION = "the file is of another version of Tiebreak. Run `tiebreak db upgrade`."
_SAID_BY_SQLITE: tuple[tuple[str, type[StoreError], str], ...] = (
    ("disk is full", StoreError, "the disk is full. Nothing was written; free space and repeat."),
    (
        "disk i/o error",
        StoreError,
        "the disk does not take or give what it should. Nothing was written; look for a quota or "
        "a failing disk, and repeat.",
    ),
    (
        "database is locked",
        StoreError,
        "another process has been writing for 30 seconds. Nothing was written; repeat later.",
    ),
    ("read-only transaction", ReadOnlyError, "this connection is for reading only."),
    (
        "connection failed",
        StoreError,
        "the database server does not answer. Is it running, and are name and password right?",
    ),
    ("readonly database", ReadOnlyError, "the file or its folder cannot be written to."),
    ("not a database", StoreError, "this file is no Tiebreak store."),
    ("malformed", StoreError, _DAMAGED),
    ("no such column", SchemaVersionError, _OTHER_VERSION),
    ("no such table", SchemaVersionError, _OTHER_VERSION),
    (
        "unable to open",
        StoreError,
        "the file cannot be opened. Is it readable, and its folder writable?",
    ),
)
