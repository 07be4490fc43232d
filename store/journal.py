"""Journals: what a script logs item by item, kept in a file beside the store until it is in it.

A journal is JSON lines: first what the run is, then a line for each item and metric, at last a line
that says that the run is complete. It is only ever added to, so whatever ends the script leaves all
lines that were written. While its script lives the file is locked; `push` takes in the others.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any
from uuid import uuid4

import sqlalchemy as sa

from store.datasets import get_dataset, list_items
from store.engine import Store
from store.errors import ImportFormatError, NotFoundError, StoreError
from store.importers.bundle import SourceFile
from store.importers.known_metrics import lookup
from store.importers.logged import (
    LoggedRun,
    provenance_from_dict,
    provenance_to_dict,
    require_whole_characters,
)
from store.ingest import IngestReport, ingest
from store.metrics import get_metric
from store.models import Dataset, Run, System

try:
    import fcntl
except ImportError:  # not on Windows: there a journal is left alone while it may still grow
    fcntl = None  # type: ignore[assignment,unused-ignore]  # None: no locks

FORMAT = "tiebreak journal 1"
MAY_GROW_S = 3600.0
"""Where files cannot be locked, a journal that changed since then belongs to a living script."""
SUFFIX = ".jsonl"


def folder_of(store: Store) -> Path:
    """Return the folder of a store's journals; of a server's store, one in the working folder."""
    if store.path is None:
        return Path("tiebreak.journals")
    return store.path.with_name(f"{store.path.name}.journals")


@dataclass(slots=True)
class Journal:
    """A journal that is being written."""

    path: Path
    _file: IO[str]

    @classmethod
    def begin(cls, folder: Path, run: LoggedRun) -> Journal:
        """Make a journal in `folder` for a run, of which nothing is scored yet."""
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / f"{uuid4().hex}{SUFFIX}"
        file = path.open("x", encoding="utf-8")
        if fcntl is not None:
            fcntl.flock(file, fcntl.LOCK_EX)
        journal = cls(path, file)
        journal._add(
            {
                "format": FORMAT,
                "system": run.system,
                "dataset": run.dataset,
                "dataset_version": run.dataset_version,
                "run": run.run,
                "trial": run.trial,
                "higher_is_better": run.higher_is_better,
                "provenance": provenance_to_dict(run.provenance),
            }
        )
        return journal

    def add(self, item: str, scores: Mapping[str, float | None], **texts: str | None) -> None:
        """Add an item: its scores by metric, and the texts that are known of it."""
        known = {name: text for name, text in texts.items() if text is not None}
        self._add({"item": item, "scores": dict(scores), **known})

    def finish(self) -> None:
        """Say that the run is complete."""
        self._add({"complete": True})

    def close(self) -> None:
        """Let go of the file."""
        self._file.close()

    def _add(self, line: dict[str, Any]) -> None:
        for what, text in line.items():
            require_whole_characters(str(text), what)
        self._file.write(json.dumps(line, ensure_ascii=False) + "\n")
        self._file.flush()  # from here on the line outlives the script


def read_journal(path: Path) -> tuple[LoggedRun, SourceFile]:
    """Return the run of a journal. A last line that was cut off is left out.

    Raises
    ------
    ImportFormatError
        The file is no journal, or a line in it is damaged.
    """
    raw = path.read_bytes()
    whole, _, _ = raw.rpartition(b"\n")
    head = _line(whole.partition(b"\n")[0], path, 1)
    if head.get("format") != FORMAT:
        raise ImportFormatError(
            f"this is no journal of this version: '{FORMAT}' is missing.", path=path.name, line=1
        )
    texts = whole.split(b"\n")[1:]
    lines = [_line(text, path, number) for number, text in enumerate(texts, 2)]
    try:
        run = _run_of(head, lines)
    except (KeyError, TypeError, AttributeError, ValueError):
        reason = "this is no whole journal: a name or the scores of a line are missing."
        raise ImportFormatError(reason, path=path.name) from None
    return run, SourceFile(path.name, hashlib.sha256(raw).hexdigest())


def _run_of(head: Mapping[str, Any], lines: Sequence[Mapping[str, Any]]) -> LoggedRun:
    scores: dict[str, dict[str, float | None]] = {}
    texts: dict[str, dict[str, str]] = {}
    for line in lines:
        for metric, score in line.get("scores", {}).items():
            scores.setdefault(metric, {})[line["item"]] = score
        for name in ("text", "reference", "output", "group"):
            if name in line:
                texts.setdefault(f"{name}s", {})[line["item"]] = line[name]
    return LoggedRun(
        head["system"],
        head["dataset"],
        head["dataset_version"],
        head["run"],
        head["trial"],
        scores,
        **texts,
        higher_is_better=head["higher_is_better"],
        complete=any("complete" in line for line in lines),
        provenance=provenance_from_dict(head["provenance"]),
    )


def put_in(
    store: Store,
    run: LoggedRun,
    *,
    actor: str,
    file: SourceFile | None = None,
    replace: bool = False,
) -> IngestReport:
    """Write a logged run into the store. It may replace the same run where that did not finish."""
    bundle = run.bundle(file)
    living = (
        sa.select(Run.complete)
        .join(System, Run.system_id == System.id)
        .join(Dataset, Run.dataset_id == Dataset.id)
        .where(
            *(System.name == run.system, Dataset.name == run.dataset),
            *(Dataset.version == run.dataset_version, Run.label == run.run),
            Run.deleted_at.is_(None),
        )
    )
    with store.read() as connection:
        known = connection.scalars(living).all()
    unfinished = bool(known) and not any(known)
    return ingest(
        store,
        bundle,
        actor=actor,
        higher_is_better=run.higher_is_better,
        replace=replace or unfinished,
    )


def push(store: Store, *, actor: str) -> list[IngestReport]:
    """Take in the journals beside the store whose script has ended, and remove them.

    A run whose script did not get to its end is marked incomplete. A journal without any score is
    removed.

    Raises
    ------
    StoreError
        A journal does not fit the store; it stays, and all others are in.
    """

    def put(path: Path) -> IngestReport:
        run, file = read_journal(path)
        return put_in(store, run, actor=actor, file=file)

    return push_from(folder_of(store), put)


def push_from(folder: Path, put: Callable[[Path], IngestReport]) -> list[IngestReport]:
    """Have `put` take in the journals of a folder whose script has ended; see `push`."""
    reports, refused = [], []
    for path in sorted(folder.glob(f"*{SUFFIX}"), key=lambda one: one.stat().st_mtime):
        with _unused(path) as is_free:
            if not is_free:
                continue
            try:
                if path.read_bytes().count(b"\n") > 1:
                    reports.append(put(path))
            except StoreError as error:
                refused.append(f"{path} does not fit and stays where it is: {error}")
            else:
                path.unlink()
    if refused:
        raise StoreError("\n".join(refused))
    return reports


def require_direction(store: Store, run: LoggedRun, metric: str) -> None:
    """Raise `ImportFormatError` where nobody says whether higher is better.

    Asked before the first score: a script must not work for hours on what nothing can take in.
    """
    if run.higher_is_better is not None or lookup(metric) is not None:
        return
    try:
        get_metric(store, metric)
    except NotFoundError:
        raise ImportFormatError(
            f"nobody says whether higher is better for the metric '{metric}'. Give "
            "`higher_is_better=True` or `False`.",
            field="metric",
        ) from None


def require_names_of_items(store: Store, run: LoggedRun) -> None:
    """Raise `ImportFormatError` where items only count and the dataset has other names for them."""
    items = list(dict.fromkeys(item for one in run.scores.values() for item in one))
    if items != [str(number) for number in range(len(items))]:
        return
    name = f"{run.dataset}@{run.dataset_version}" if run.dataset_version else run.dataset
    try:
        known = list_items(store, get_dataset(store, name).uid)
    except NotFoundError:
        return
    if known and "0" not in {item.key for item in known}:
        raise ImportFormatError(
            f"an array names no items, and '{run.dataset}' has '{known[0].key}' as its first. Give "
            "`scores={item: score}`.",
            field="scores",
        )


@contextmanager
def _unused(path: Path) -> Iterator[bool]:
    """Yield whether no script writes the journal; nobody else takes it in meanwhile."""
    if fcntl is None:
        yield time.time() - path.stat().st_mtime > MAY_GROW_S
        return
    with path.open("rb") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield False
        else:
            yield path.exists()


def _line(text: bytes, path: Path, number: int) -> dict[str, Any]:
    try:
        line = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ImportFormatError(f"no JSON: {error}", path=path.name, line=number) from error
    if not isinstance(line, dict):
        raise ImportFormatError("a JSON object was expected.", path=path.name, line=number)
    return line
