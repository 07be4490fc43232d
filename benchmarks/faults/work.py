"""What is done to a store while something goes wrong, and what must hold afterwards."""

from __future__ import annotations

import os
import tempfile
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Final, NamedTuple

import numpy as np
import sqlalchemy as sa

from store import damage
from store.arrays import load_matrix
from store.backup import check, upgrade_store, write_backup
from store.engine import make_engines, open_store
from store.errors import StoreError
from store.importers.bundle import (
    BundleDataset,
    BundleItem,
    BundleMetric,
    BundleRun,
    BundleScores,
    ImportBundle,
    SourceFile,
)
from store.imports import undo
from store.ingest import ingest
from store.lifecycle import delete, purge
from store.location import sqlite_path
from store.restore import restore_store
from store.tokens import add_token

N_ITEMS: Final = 2_000
OVER_HTTP: Final = "ingest over HTTP"


class Place(NamedTuple):
    """A store to do something to."""

    location: str
    folder: Path
    """Of this store alone: ``backup.db`` lies there, and backups are written there."""


def bundle(*systems: str, seed: int = 0) -> ImportBundle:
    """Return an import of random scores on the same items."""
    rng = np.random.default_rng(seed)
    return ImportBundle(
        format="faults",
        files=[SourceFile("scores.csv", "0" * 64)],
        datasets=[BundleDataset("qa", items=[BundleItem(f"i{i}") for i in range(N_ITEMS)])],
        metrics=[BundleMetric("score", higher_is_better=True)],
        runs=[
            BundleRun(one, 0, scores=[BundleScores(0, rng.random((N_ITEMS, 1)))]) for one in systems
        ],
    )


def _ingest(place: Place) -> None:
    with open_store(place.location) as store:
        ingest(store, bundle("C", "D", "E"), actor="f")


def _ingest_over_http(place: Place) -> None:
    """Send results to a server of this process: whatever stops the one stops the other."""
    import requests
    import uvicorn
    from starlette.applications import Starlette

    from dashboard.api import routes

    with open_store(place.location) as store:
        token = add_token(store, "faults", actor="f", scope="write")[1]
    os.environ["TIEBREAK_STORE"] = place.location
    running = uvicorn.Server(uvicorn.Config(Starlette(routes=routes()), port=0, log_level="error"))
    threading.Thread(target=running.run, daemon=True).start()
    while not running.started:
        time.sleep(0.01)
    port = running.servers[0].sockets[0].getsockname()[1]
    scores = np.random.default_rng(0).random(N_ITEMS).tolist()
    records = [{"system": "C", "item": f"i{i}", "score": one} for i, one in enumerate(scores)]
    answer = requests.post(
        f"http://127.0.0.1:{port}/api/v1/ingest",
        json={"records": records, "dataset": "qa"},
        headers={"Authorization": f"Bearer {token}"},
        timeout=120,
    )
    if answer.status_code != 200:
        if "detail" not in answer.json():
            raise RuntimeError(answer.text)
        raise StoreError(answer.json()["detail"])


def _replace(place: Place) -> None:
    with open_store(place.location) as store:
        ingest(store, bundle("A", "B", seed=9), actor="f", replace=True)


def _undo(place: Place) -> None:
    with open_store(place.location) as store:
        with store.read() as connection:
            uid = connection.exec_driver_sql("SELECT uid FROM import ORDER BY id DESC").scalar()
        undo(store, str(uid), actor="f")


def _delete(place: Place) -> None:
    with open_store(place.location) as store:
        delete(store, "system", "A", actor="f")


def _purge(place: Place) -> None:
    with open_store(place.location) as store:
        purge(store, "system", delete(store, "system", "A", actor="f"), actor="f")


def _back_up(place: Place) -> None:
    with open_store(place.location, read_only=True) as store:
        write_backup(store, place.folder / "written.db")


def _restore(place: Place) -> None:
    restore_store(place.folder / "backup.db", place.location)


def _upgrade(place: Place) -> None:
    upgrade_store(place.location)


WORK: Final[dict[str, Callable[[Place], None]]] = {
    "ingest": _ingest,
    OVER_HTTP: _ingest_over_http,
    "replace": _replace,
    "undo": _undo,
    "delete": _delete,
    "delete and purge": _purge,
    "backup": _back_up,
    "restore": _restore,
    "upgrade": _upgrade,
}


@dataclass
class Tally:
    """What came of the rounds of one kind."""

    what: str
    n: int = 0
    n_stopped: int = 0
    """Rounds in which the work did not come to its end."""
    wrong: list[str] = field(default_factory=list)


_said: Final[dict[int, IO[str]]] = {}
"""Number of a child -> its last words."""


def in_child(work: Callable[[], None]) -> int:
    """Start `work` in a process of its own; return its number."""
    words = tempfile.TemporaryFile("w+", encoding="utf-8")  # noqa: SIM115
    child = os.fork()
    if child:
        _said[child] = words
        return child
    code = 1
    try:
        os.dup2(words.fileno(), 2)
        work()
        code = 0
    except StoreError as error:
        code = 2
        words.write(str(error))
        words.flush()
    finally:
        os._exit(code)


def ended(child: int) -> int:
    """Return how a child ended: 0 well, 2 with an error in words, negative when it was killed."""
    return how_ended(child)[0]


def how_ended(child: int) -> tuple[int, str]:
    """Return how a child ended, as `ended` does, and its last words."""
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    with _said.pop(child) as words:
        words.seek(0)
        return code, words.read()[-300:]


def wrong_with(location: str, before: str, *, may_be_gone: bool = False) -> str:
    """Return what is wrong with a store after a fault; nothing when it is whole."""
    path = sqlite_path(location)
    if path is not None and not path.exists():
        kept = [one for one in path.parent.iterdir() if one.name.endswith((".restoring", ".bak"))]
        return "" if may_be_gone and kept else "the store is gone"
    damage.forget()
    try:
        with open_store(location) as store:
            problems = check(store)
            ingest(store, bundle("later", seed=3), actor="f")
            load_matrix(store, "qa", "score")
    except StoreError as error:
        return str(error)
    if problems or damage.seen_anywhere():
        return "; ".join([*problems, *map(str, damage.seen_anywhere())])
    return "" if contents(location) or not before else "everything is gone"


_CONTENTS: Final = sa.text(
    "SELECT s.name, v.digest FROM score_vector v JOIN run r ON r.id = v.run_id "
    "JOIN system s ON s.id = r.system_id WHERE r.deleted_at IS NULL "
    "AND s.deleted_at IS NULL AND s.name <> 'later' ORDER BY 1, 2"
)


def contents(location: str) -> str:
    """Return the living runs with their digests, as one text."""
    writer, reader = make_engines(location)
    try:
        with reader.connect() as connection:
            return repr([tuple(row) for row in connection.execute(_CONTENTS)])
    finally:
        reader.dispose()
        writer.dispose()
