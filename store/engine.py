"""Opening a store. What it has to give, on SQLite as on PostgreSQL, says `store.backends`.

Writers and readers use two engines: a reader cannot write even by mistake.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path
from typing import Any, Final, cast

import sqlalchemy as sa
from sqlalchemy.orm import Session

from store import audit_chain, schema, seals
from store.backends import sqlite
from store.errors import (
    BusyError,
    NotFoundError,
    ReadOnlyError,
    StorageError,
    StoreError,
    UnreachableError,
)
from store.kept_settings import Failures, only_for_admins
from store.location import is_remote, resolve_location, sqlite_path, without_password
from store.models import AuditEvent
from store.people import (
    current_person,
    named_person,
    require_action,
    require_datasets,
    require_role,
)
from store.reasons import reason
from store.scratch import scratch_folder

WRITER_WAITS_MS = 30_000
"""How long a writer waits for another one before it looks whether that one goes on."""
MOST_WAITS = 10
"""How often it waits so long, while others come and go."""

CACHE_WAITS_MS = 100
"""How long whoever keeps a computed result waits: a page must not hang on what is not needed."""

_ROWS_AT_ONCE = 20_000
"""Rows that are made for one call of the driver: a million at once take 200 MB."""


@dataclass(frozen=True, slots=True)
class Change:
    """One write transaction. Whoever changes something records it here, in the same transaction."""

    session: Session
    actor: str
    via: str
    """Through what: ``page``, ``command``, ``library``, ``token UID``."""
    events: list[dict[str, Any]] = field(default_factory=list)
    """Rows of `AuditEvent`, written all at once at the end of the transaction."""
    only_for_admins: frozenset[str] = frozenset()
    """What the store keeps for admins; see `store.kept_settings`."""

    def record(self, action: str, target_kind: str, target_uid: str = "", **detail: Any) -> None:
        """Add an audit event; `detail` must be JSON-safe.

        Raises
        ------
        ForbiddenError
            Whoever is at work may not do that. Nothing of the transaction is written.
        """
        kept = self.only_for_admins & {action, f"{action} {target_kind}"}
        require_action(action, is_kept=bool(kept))
        self.events.append(
            {
                "actor": self.actor,
                "via": self.via,
                "action": action,
                "target_kind": target_kind,
                "target_uid": target_uid,
                "detail": detail | reason(),
            }
        )


_LABELS: Final = ("note", "edit note", "remove note", "tag", "untag")
_CHANGES_NO_PAGE: Final = (
    *("answer", "forget"),
    *("add token", "revoke token", "save view", "forget view", "backup"),
)
"""Recorded actions that nobody needs to hear of who reads results and notes."""
CHANGES_NO_RESULT: Final = (*_LABELS, *_CHANGES_NO_PAGE)
"""Recorded actions after which every result is the same."""
_LAST_LABEL: Final = (
    sa.select(AuditEvent.id)
    .where(
        AuditEvent.action.in_(_LABELS),
        AuditEvent.target_kind.in_(("system", "dataset")),
    )
    .order_by(AuditEvent.id.desc())
    .limit(1)
)


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
    failures: Failures | None = None
    """What failed attempts count as; ``None``: as the setting of each dataset says."""

    @property
    def address(self) -> str:
        """Where it is, with a password that was given: for workers, never to be shown."""
        if self.path is not None:
            return str(self.path.absolute())
        return self._writer.url.render_as_string(hide_password=False)

    def counting(self, failures: Failures | None) -> Store:
        """Return this store, as it is read where failed attempts count so; ``None``: as before."""
        return self if failures is None else replace(self, failures=failures)

    @contextmanager
    def read(self) -> Iterator[sa.Connection]:
        """Yield a connection that sees one unchanging state of the store."""
        with plain_errors(self.location), self._reader.connect() as connection:
            if self.failures is not None:
                connection.execution_options(failures=self.failures)
            yield connection

    @contextmanager
    def write(
        self,
        actor: str,
        *,
        dry_run: bool = False,
        about: Iterable[tuple[str, str]] | None = None,
    ) -> Iterator[Change]:
        """Yield the one transaction in which everything is written, or nothing.

        `dry_run` does all the work and rolls it back. Where a server says who is at work, that
        person is the actor. `about` names all datasets that it is about; without it, a token for
        one dataset may not do it.

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
        require_datasets(about)
        named, via = named_person(), current_person().via
        with plain_errors(self.location), Session(self._writer) as session:
            self._take_turn(session)
            kept = only_for_admins(session.connection()) if named else frozenset()
            change = Change(session, named.name if named else actor, via, only_for_admins=kept)
            yield change
            session.flush()
            if change.events:
                trail = cast(sa.Table, AuditEvent.__table__)
                connection = session.connection()
                connection.execute(sa.insert(trail), audit_chain.chain(connection, change.events))
            if dry_run:
                session.rollback()
            else:
                seals.renew(session.connection())
                knows = seals.still_known(session.connection())
                session.commit()
                knows()

    def _take_turn(self, session: Session) -> None:
        """Begin to write: wait while others come and go, and give up where one writer stays."""
        latest = -1
        for left in reversed(range(MOST_WAITS)):
            try:
                with plain_errors(self.location):
                    schema.require_unchanged(session.connection(), self.location)
                return
            except BusyError:
                session.rollback()
                before, latest = latest, self.last_change()
                if latest == before or not left:
                    raise

    @contextmanager
    def write_cache(self, *, waits_ms: int = CACHE_WAITS_MS) -> Iterator[sa.Connection]:
        """Yield a transaction for what can be computed again at any time, and so is not recorded.

        It waits hardly at all for other writers, unless it is told to.
        Raises
        ------
        StoreError
            The store cannot be written to at this moment.
        """
        if not self.keeps_results:
            raise ReadOnlyError(f"{self.location} is open read-only: nothing can be kept here.")
        try:
            with plain_errors(self.location), self._writer.connect() as connection:
                connection.execution_options(waits_ms=waits_ms)
                with connection.begin():
                    yield connection
                    seals.renew(connection)  # of when a token was used
        except (sa.exc.SQLAlchemyError, sqlite3.Error) as error:
            raise StoreError(f"{self.location}: nothing can be kept here now: {error}") from error

    def revision(self) -> int:
        """Return the number of the last change of results; 0 in a new store.

        It belongs in the key of every answer that is kept. Notes, tags and remembered answers
        change no result: see `last_label` and `last_change`.
        """
        return self._last_but(CHANGES_NO_RESULT)

    def last_shown(self) -> int:
        """Return the number of the last change of results, notes or tags; 0 in a new store.

        A page that was drawn before it shows something else than it would now.
        """
        return self._last_but(_CHANGES_NO_PAGE)

    def _last_but(self, actions: Sequence[str]) -> int:
        latest = (
            sa.select(AuditEvent.id)
            .where(AuditEvent.action.not_in(actions))
            .order_by(AuditEvent.id.desc())
            .limit(1)
        )
        with self.read() as connection:
            return connection.scalar(latest) or 0

    def last_label(self) -> int:
        """Return the number of the last change of a system's or dataset's tags and notes; 0: none.

        Answers show these beside their results: with `revision` it is the key of an answer.
        """
        with self.read() as connection:
            return connection.scalar(_LAST_LABEL) or 0

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
    with scratch_folder() as folder:
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
    writer, reader = sqlite.make_engines(absolute, WRITER_WAITS_MS)
    seals.watch(writer, reader)
    return writer, reader


def _make_server_engines(location: str) -> tuple[sa.Engine, sa.Engine]:
    from store.backends import postgresql  # loads nothing that a file needs

    url, shown = sa.make_url(location), without_password(location)
    if url.get_backend_name() != "postgresql":
        raise StoreError(
            f"{shown}: there is no driver for this database here. A store is an SQLite file, or "
            "lives on PostgreSQL: postgresql+psycopg://…"
        )
    try:
        return postgresql.make_engines(url, "REPEATABLE READ", WRITER_WAITS_MS)
    except (sa.exc.ArgumentError, ImportError) as error:
        raise StoreError(
            f"{shown}: there is no driver for this database here ({error}). For PostgreSQL write "
            "postgresql+psycopg://… and install it: pip install 'tiebreak[postgres]'."
        ) from error


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
    every = zip(*bound, strict=False)  # what is the same in all rows has no end
    rows: list[Any]
    while rows := list(islice(every, _ROWS_AT_ONCE)):
        if not compiled.positional:
            rows = [dict(zip(names, row, strict=True)) for row in rows]
        connection.exec_driver_sql(compiled.string, rows)


def insert_rows(
    connection: sa.Connection, table: sa.Table, rows: Sequence[Mapping[str, Any]]
) -> None:
    """Insert rows that all name the same columns; what they leave out has no default."""
    if rows:
        insert_columns(connection, table, {name: [row[name] for row in rows] for name in rows[0]})


@contextmanager
def plain_errors(location: str) -> Iterator[None]:
    """Say in words what the database driver says in codes."""
    try:
        yield
    except UnicodeDecodeError as error:  # so damaged that the driver cannot even say so
        raise StorageError(f"{location}: {sqlite.DAMAGED}") from error
    except sa.exc.TimeoutError as error:
        raise UnreachableError(
            f"{location}: too many questions at once. Repeat in a moment."
        ) from error
    except (sa.exc.DatabaseError, sqlite3.DatabaseError) as error:
        said, path = str(getattr(error, "orig", error)), sqlite_path(location)
        if path is not None and not path.exists() and "unable to open" in said:
            raise NotFoundError(
                f"There is no store at {location} any more: the file was moved or deleted."
            ) from error
        found = sqlite.in_words(said)
        if path is None and isinstance(error, sa.exc.DatabaseError):
            from store.backends import postgresql

            found = postgresql.in_words(error)
        if found is None:
            raise
        kind, words = found
        raise kind(f"{location}: {words}") from error
