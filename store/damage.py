"""Score vectors that are not what was written: seen when they are read, left out, and told.

Every vector has a digest beside it (`store.vectors.digest`). Whoever reads one asks here first.
What is damaged is remembered while the process lives, so that every command and page can tell.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import sqlalchemy as sa

from store.errors import StorageError
from store.models import AuditEvent, Dataset, Ingest, Metric, Run, ScoreVector, System
from store.records import Record


@dataclass(frozen=True, slots=True)
class Damage(Record):
    """A score vector that must not be used."""

    system: str
    dataset: str
    metric: str
    run_uid: str
    files: tuple[str, ...]
    """Where the run came from, as the import called them."""
    about: ClassVar[str] = "score_vector"
    """The table that holds it."""

    def __str__(self) -> str:
        again = f", or import {', '.join(self.files[:3])} again with --replace" * bool(self.files)
        return (
            f"The scores of '{self.system}' on '{self.dataset}' ({self.metric}, run "
            f"{self.run_uid}) are not what was written: the file of the store is damaged. They are "
            f"left out. Go back to a backup with `tiebreak db restore`{again}."
        )


@dataclass(frozen=True, slots=True)
class DamagedTable(Record):
    """A table of which some row is not what was written; see `store.seals`."""

    about: str
    """The table."""

    def __str__(self) -> str:
        return (
            f"What the store keeps as '{self.about}' is not what was written: its file is damaged. "
            "Answers that read it may be wrong. Go back to a backup with `tiebreak db restore`."
        )


@dataclass(frozen=True, slots=True)
class DamagedText(Record):
    """A text that must not be shown; see `store.text_checks`."""

    about: str
    """The table."""
    dataset: str
    item: str
    system: str | None
    """Whose output it is; None for the text of an item."""
    files: tuple[str, ...]
    """Where the run came from."""

    def __str__(self) -> str:
        what = "text" if self.system is None else f"output of '{self.system}'"
        again = f", or import {', '.join(self.files[:3])} again with --replace" * bool(self.files)
        return (
            f"The {what} on item '{self.item}' of '{self.dataset}' is not what was written: the "
            "file of the store is damaged. It is left out. Go back to a backup with "
            f"`tiebreak db restore`{again}."
        )


Seen = Damage | DamagedTable | DamagedText
State = tuple[str, int, int]
"""The store's address, its file, its revision: a repair changes one of them."""
Found = dict[State, dict[int | str, Seen]]
"""State of a store -> id of a vector, name of a table, or both of a text -> its damage."""
_REVISION = sa.select(sa.func.max(AuditEvent.id))
_seen: Found = {}
_known: dict[str, tuple[State, set[str]]] = {}
"""Place of a store -> its latest state, and the tables that were looked at in it."""


def are_sound(connection: sa.Connection, stored: Sequence[tuple[int, bytes, str]]) -> list[bool]:
    """Return which vectors (id, data, digest) are what was written; remember those that are not."""
    from store.checksums import are_written  # loads numpy: a list of names needs none

    sound = are_written([data for _, data, _ in stored], [digest for _, _, digest in stored])
    for (vector_id, _, _), is_whole in zip(stored, sound, strict=True):
        if not is_whole:
            _remember_vector(connection, vector_id)
    return sound


def _remember_vector(connection: sa.Connection, vector_id: int) -> None:
    of_store = _seen.setdefault(state_of(connection), {})
    if vector_id not in of_store:
        of_store[vector_id] = _described(connection, vector_id)


def tables_known(state: State) -> set[str]:
    """Return the tables that were looked at in this very state of a store."""
    known, names = _known.get(state[0], (None, set()))
    return names if known == state else set()


def know_tables(state: State, names: set[str]) -> None:
    """Remember that tables were looked at."""
    _known[state[0]] = state, tables_known(state) | names


def remember_table(state: State, name: str) -> None:
    """Remember that a table is damaged."""
    _seen.setdefault(state, {})[name] = DamagedTable(name)


def remember_text(connection: sa.Connection, key: str, told: DamagedText) -> None:
    """Remember that a text is damaged, under the name of its table and its id."""
    _seen.setdefault(state_of(connection), {})[key] = told


def tables_damaged(state: State) -> set[str]:
    """Return the tables that were found damaged in a state."""
    return {name for name in _seen.get(state, {}) if isinstance(name, str)}


def seen(connection: sa.Connection) -> list[Seen]:
    """Return what this process found damaged in the store as it is now, each once."""
    return list(_seen.get(state_of(connection), {}).values()) if _seen else []


def forget() -> None:
    """Begin anew, as a command does before it opens its store."""
    _seen.clear()
    _known.clear()


def seen_anywhere() -> list[Seen]:
    """Return what this process found damaged in any store: a command opens only one."""
    return list(dict.fromkeys(one for found in list(_seen.values()) for one in found.values()))


def blamed(found: Iterable[Seen]) -> StorageError | None:
    """Return what to say in place of a failure: any may come of a table that is damaged."""
    told = [str(one) for one in found if isinstance(one, DamagedTable)]
    return StorageError(told[0]) if told else None


def found_so_far() -> Found:
    """Return all that this process found damaged, for another one to `remember`."""
    return _seen


def remember(found: Found) -> None:
    """Take over what another process found damaged."""
    for state, vectors in found.items():
        _seen.setdefault(state, {}).update(vectors)


def state_of(connection: sa.Connection) -> State:
    """Return what tells one state of a store from all others."""
    place, inode = str(connection.engine.url), 0
    if connection.dialect.name != "sqlite":
        return place, inode, connection.scalar(_REVISION) or 0
    driver: Any = connection.connection.driver_connection  # each reading asks
    rows = driver.execute("PRAGMA database_list")  # readers and writers have other addresses
    place = next(path for _, name, path in rows if name == "main")  # beside it may be "temp"
    inode = os.stat(place).st_ino if os.path.exists(place) else 0
    (revision,) = driver.execute("SELECT max(id) FROM audit_event").fetchone()
    return place, inode, revision or 0


def _described(connection: sa.Connection, vector_id: int) -> Damage:
    row = connection.execute(
        sa.select(System.name, Dataset.name, Metric.name, Run.uid, Ingest.files)
        .select_from(ScoreVector)
        .join(Run, Run.id == ScoreVector.run_id)
        .join(System, System.id == Run.system_id)
        .join(Dataset, Dataset.id == Run.dataset_id)
        .join(Metric, Metric.id == ScoreVector.metric_id)
        .outerjoin(Ingest, Ingest.id == Run.ingest_id)
        .where(ScoreVector.id == vector_id)
    ).one()
    system, dataset, metric, run, files = row
    return Damage(system, dataset, metric, run, tuple(files or ()))
