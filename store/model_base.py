"""What all tables have in common: their base, their column types, and the forms of constraints."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import DeclarativeBase, validates
from sqlalchemy.types import TypeDecorator

from store.errors import UNREADABLE, StorageError
from store.spelling import require_name

_UID_LETTERS = b"0123456789abcdefghjkmnpqrstvwxyz" * 8  # Crockford's base 32: no i, l, o, u
_AT_ONCE = 100
"""Names that are drawn together."""


def new_uid() -> str:
    """Return 12 random characters (60 bits) for a public link."""
    return secrets.token_bytes(12).translate(_UID_LETTERS).decode()


def new_uids() -> Iterator[str]:
    """Yield one after another, without end; quicker where there are many."""
    while True:
        letters = secrets.token_bytes(12 * _AT_ONCE).translate(_UID_LETTERS).decode()
        yield from (letters[at : at + 12] for at in range(0, len(letters), 12))


def utc_now() -> datetime:
    """Return the current time, aware, in UTC."""
    return datetime.now(UTC)


class UTCDateTime(TypeDecorator[datetime]):
    """Aware datetimes, stored as sortable ISO text in UTC; the same text on every database."""

    impl = sa.String(32)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: sa.Dialect) -> str | None:
        if value is None:
            return None
        if value.tzinfo is None:
            raise ValueError(f"naive datetime {value!r}: give it a time zone")
        return value.astimezone(UTC).isoformat(timespec="microseconds")

    def process_result_value(self, value: str | None, dialect: sa.Dialect) -> datetime | None:
        try:
            return None if value is None else datetime.fromisoformat(value)
        except (ValueError, TypeError) as error:
            raise StorageError(UNREADABLE) from error


class Base(DeclarativeBase):
    """Base of all tables. Every constraint has a name, so that a migration can drop it."""

    metadata = sa.MetaData(
        naming_convention={
            "ix": "ix_%(table_name)s_%(column_0_N_name)s",
            "uq": "uq_%(table_name)s_%(column_0_N_name)s",
            "ck": "ck_%(table_name)s_%(constraint_name)s",
            "fk": "fk_%(table_name)s_%(column_0_N_name)s_%(referred_table_name)s",
            "pk": "pk_%(table_name)s",
        }
    )
    type_annotation_map = {datetime: UTCDateTime(), dict[str, Any]: sa.JSON(none_as_null=True)}  # noqa: RUF012

    @validates("name", "alias", "version", "label", "signature")
    def _require_name(self, key: str, value: str | None) -> str | None:
        """Refuse what is no name, wherever it comes from."""
        return None if value is None else require_name(value, key)


# Ids are never reused, so that an old reference can never mean something new.
NEVER_REUSE_IDS = {"sqlite_autoincrement": True}


def unique_among_living(name: str, *columns: str) -> sa.Index:
    """Unique while the row is not deleted: a deleted name can be used again."""
    return unique_where("deleted_at IS NULL", name, *columns)


def unique_where(condition: str, name: str, *columns: str) -> sa.Index:
    """Unique among the rows of a condition.

    The migrations, which make the tables, say so to PostgreSQL too. To say it here would load its
    dialect at each start of a command.
    """
    return sa.Index(name, *columns, unique=True, sqlite_where=sa.text(condition))


def one_of(column: str, *values: str) -> sa.CheckConstraint:
    listed = ", ".join(f"'{value}'" for value in values)
    return sa.CheckConstraint(f"{column} IN ({listed})", name=f"{column}_known")
