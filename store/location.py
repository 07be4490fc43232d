"""Where a store is: a file, a database, or a server. Nothing is opened or loaded here."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from store.errors import StoreError

if TYPE_CHECKING:
    from sqlalchemy import URL

DEFAULT_LOCATION = "tiebreak.db"


def resolve_location(given: str | None = None) -> str:
    """Return `given`, else ``$TIEBREAK_STORE``, else ``tiebreak.db`` in the working folder."""
    return given or os.environ.get("TIEBREAK_STORE") or DEFAULT_LOCATION


def is_remote(location: object) -> bool:
    """Return whether a location is the address of a server; see `store.remote`."""
    return isinstance(location, str) and location.startswith(("http://", "https://"))


def absolute_location(location: str) -> str:
    """Return a location that means the same store from every working folder."""
    path = sqlite_path(location)
    return location if path is None else str(path.absolute())


def sqlite_path(location: str) -> Path | None:
    """Return the SQLite file that `location` means, ``None`` for a database server."""
    path = Path(location) if "://" not in location else _path_in(location)
    if path is not None:
        try:
            path.exists()
        except OSError as error:  # a folder of others, a name that is too long
            raise StoreError(
                f"{location}: the file cannot be opened ({error.strerror})."
            ) from error
    return path


def _path_in(location: str) -> Path | None:
    url = _as_url(location)
    if url.get_backend_name() != "sqlite":
        return None
    if not url.database or url.database == ":memory:":
        raise StoreError(f"{location}: a store needs a file, it cannot live in memory.")
    return Path(url.database)


def without_password(location: str) -> str:
    """Return a path or URL as it may be shown."""
    if "://" not in location:
        return location
    url = _as_url(location)
    secret = {name: "***" for name in url.query if "password" in name.lower()}
    return url.update_query_dict(secret).render_as_string(hide_password=True)


def _as_url(location: str) -> URL:
    import sqlalchemy as sa

    try:
        return sa.make_url(location)
    except (sa.exc.ArgumentError, ValueError):  # what they say may quote the password
        raise StoreError(
            "The store's address is no database URL. Write it as "
            "postgresql+psycopg://USER@HOST:5432/DATABASE, or name an SQLite file."
        ) from None
