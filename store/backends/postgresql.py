"""PostgreSQL: a server. A lock that all writers take makes them wait for one another.

Its own ways of text, numbers and JSON are put aside here, so that a store is the same as a file's:
see `store.backends`.
"""

from __future__ import annotations

import json
import math
import random
import time
from collections.abc import Callable
from typing import Any

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql.base import PGTypeCompiler

from store.errors import (
    BusyError,
    ReadOnlyError,
    SchemaVersionError,
    StorageError,
    StoreError,
    UnreachableError,
)

_WRITERS_LOCK = 0x7469656272  # "tiebr"
_CONNECTION = {
    "application_name": "tiebreak",
    "connect_timeout": "10",
    "keepalives_idle": "30",  # so that a server that vanished is seen, and one's lock is let go
    "keepalives_interval": "10",
    "keepalives_count": "3",
}
"""Options of libpq, unless the address says otherwise."""
N_KEPT, N_MORE = 5, 20
"""Connections for reading that a process keeps open, and that it may open besides."""
WAITS_FOR_PLACE_S = 30.0
"""How long a connection is asked for again where a server has none left, or only just begins."""


def make_engines(url: sa.URL, isolation: str, writer_waits_ms: int) -> tuple[sa.Engine, sa.Engine]:
    """Return the writing and the reading engine of a database.

    Raises
    ------
    ImportError
        The driver is not installed.
    """
    connection = {name: value for name, value in _CONNECTION.items() if name not in url.query}
    # A connection that the server dropped is found out before it is used, and made anew.
    options: dict[str, Any] = {"connect_args": connection, "pool_pre_ping": True}
    writer = sa.create_engine(url, pool_size=1, max_overflow=N_MORE, **options)
    reader = sa.create_engine(
        url,
        pool_size=N_KEPT,
        max_overflow=N_MORE,
        execution_options={"postgresql_readonly": True, "isolation_level": isolation},
        **options,
    )

    def begin_writing(connection: sa.Connection) -> None:
        waits = connection.get_execution_options().get("waits_ms", writer_waits_ms)
        connection.exec_driver_sql(f"SET LOCAL lock_timeout = {waits}")
        connection.exec_driver_sql(f"SELECT pg_advisory_xact_lock({_WRITERS_LOCK})")

    sa.event.listen(writer, "begin", begin_writing)
    for engine in (writer, reader):
        sa.event.listen(engine, "do_connect", _connect)
        engine.dialect.type_compiler_instance = _Types(engine.dialect)
        engine.dialect.colspecs = {
            **engine.dialect.colspecs,
            sa.String: _Text,
            sa.JSON: _Json,
            sa.Float: _Float,
            sa.Integer: _Integer,
        }
    return writer, reader


def _connect(
    dialect: sa.Dialect, _record: object, arguments: list[Any], options: dict[str, Any]
) -> Any:
    """Return a new connection of the driver; wait for a place while others have them all."""
    give_up = time.monotonic() + WAITS_FOR_PLACE_S
    while True:
        try:
            return dialect.connect(*arguments, **options)
        except Exception as error:
            has_none = any(sign in str(error) for sign in (*_FULL, *_BEGINS))
            if not has_none or time.monotonic() > give_up:
                raise
        time.sleep(random.uniform(0.05, 0.3))  # not all at the same moment


class _Types(PGTypeCompiler):
    """Names of column types: no length is enforced, order is by code point, no number is small."""

    def visit_VARCHAR(self, type_: Any, **more: Any) -> str:
        return self._of_column(super().visit_VARCHAR(type_, **more), **more)

    def visit_TEXT(self, type_: Any, **more: Any) -> str:
        return self._of_column("TEXT", **more)

    def visit_JSON(self, type_: Any, **more: Any) -> str:
        return self._of_column("TEXT", **more)

    def visit_INTEGER(self, type_: Any, **more: Any) -> str:
        return "BIGINT"

    @staticmethod
    def _of_column(otherwise: str, **more: Any) -> str:
        is_column = isinstance(more.get("type_expression"), sa.Column)
        return 'TEXT COLLATE "C"' if is_column else otherwise


_ESCAPE = "\ue000"
"""Stands before what replaces U+0000, which PostgreSQL has not; before itself it stands for it."""


def _escaped(value: str | None) -> str | None:
    if value is None or ("\0" not in value and _ESCAPE not in value):
        return value
    return value.replace(_ESCAPE, _ESCAPE * 2).replace("\0", f"{_ESCAPE}0")


def _unescaped(value: str | None) -> str | None:
    if value is None or _ESCAPE not in value:
        return value
    parts = value.split(_ESCAPE * 2)
    return _ESCAPE.join(part.replace(f"{_ESCAPE}0", "\0") for part in parts)


class _Text(sa.String):
    render_bind_cast = True

    def bind_processor(self, dialect: sa.Dialect) -> Callable[[str | None], str | None]:
        return _escaped

    def result_processor(
        self, dialect: sa.Dialect, coltype: object
    ) -> Callable[[str | None], str | None]:
        return _unescaped


class _Json(sa.JSON):
    """JSON as the text that was written, not as the server would write it."""

    def bind_processor(self, dialect: sa.Dialect) -> Callable[[Any], str | None]:
        return lambda value: None if value is None and self.none_as_null else json.dumps(value)

    def result_processor(self, dialect: sa.Dialect, coltype: object) -> Callable[[str | None], Any]:
        # What the server tells of its own tables comes read already.
        return lambda value: json.loads(value) if isinstance(value, str) else value


class _Integer(sa.Integer):
    """A whole number as the driver binds it, by its size: functions like substr take no BIGINT."""


class _Float(sa.Float[float]):
    render_bind_cast = True

    def bind_processor(self, dialect: sa.Dialect) -> Callable[[Any], float | None]:
        return lambda value: None if value is None or math.isnan(value) else float(value) + 0.0

    def result_processor(self, dialect: sa.Dialect, coltype: object) -> None:
        return None


_AWAY = (
    "the database server does not answer. Is it running, and reachable from here? Repeat when it "
    "is; nothing was written that was not finished."
)
_NO_RIGHT = "this user of the database has no right to that: nothing can be changed here."
_OTHER_VERSION = "the store is of another version of Tiebreak. Run `tiebreak db upgrade`."
_LET_IN = "the database server does not let this user in. Check name, password and database."
_CROWDED = "the database server has no connection left. Repeat later, or raise its max_connections."
_FULL = ("too many clients", "connection slots", "too many connections")
_BEGINS = ("the database system is starting up", "the database system is not yet accepting")
_BY_STATE: dict[str, tuple[type[StoreError], str]] = {
    "08": (UnreachableError, _AWAY),
    "57P": (UnreachableError, _AWAY),
    "28": (StoreError, _LET_IN),
    "3D": (StoreError, _LET_IN),
    "53300": (UnreachableError, _CROWDED),
    "53100": (
        StorageError,
        "the server's disk is full. Nothing was written; free space and repeat.",
    ),
    "25006": (ReadOnlyError, "this connection is for reading only."),
    "42501": (ReadOnlyError, _NO_RIGHT),
    "42P01": (SchemaVersionError, _OTHER_VERSION),
    "42703": (SchemaVersionError, _OTHER_VERSION),
    "55P03": (
        BusyError,
        "another process has been writing for 30 seconds. Nothing was written; repeat later.",
    ),
    "XX00": (StorageError, "the server's files are damaged. Go back to a backup."),
}
"""By the beginning of PostgreSQL's five-letter state."""
_BEFORE_ANY_STATE: tuple[tuple[str, tuple[type[StoreError], str]], ...] = (
    ("authentication failed", (StoreError, _LET_IN)),
    ("no password supplied", (StoreError, _LET_IN)),
    ("pg_hba.conf", (StoreError, _LET_IN)),
    ("does not exist", (StoreError, _LET_IN)),
    *((sign, (UnreachableError, _CROWDED)) for sign in _FULL),
)
"""While a connection is made, the driver says it in words only."""


def in_words(error: sa.exc.DBAPIError) -> tuple[type[StoreError], str] | None:
    """Return kind and words of what the driver said; ``None`` for what has no words."""
    state = getattr(error.orig, "sqlstate", None)
    if state is not None:
        return next((told for start, told in _BY_STATE.items() if state.startswith(start)), None)
    said = str(error.orig)
    for sign, told in _BEFORE_ANY_STATE:
        if sign in said:
            return told
    return (UnreachableError, _AWAY) if isinstance(error, sa.exc.OperationalError) else None
