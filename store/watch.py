"""Files of a folder, taken into the store as they appear: each content once, also after a restart.

What is in the store is known by its SHA-256, which every import keeps; of a packed file or a
workbook those of what is in it. Whatever else was looked at,
files that do not fit among them, is looked at again when it changes, and once after a restart.
"""

from __future__ import annotations

import glob
import hashlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

import sqlalchemy as sa

from store.engine import Store
from store.errors import ImportFormatError, StoreError
from store.importers.bundle import ReadOptions
from store.importers.plan import PlanEntry
from store.importers.sheets import is_workbook
from store.importers.sources import Sources
from store.importers.unpack import is_archive, is_packed
from store.ingest.files import ingest_files
from store.models import Ingest
from store.scratch import scratch_folder

UNFINISHED = (".part", ".partial", ".tmp", ".temp", ".crdownload", ".download", ".swp", "~")
"""Ends of names that programs give to files which they still write."""


class _Stamp(NamedTuple):
    """A file as it was seen: it has changed when this has."""

    size: int
    modified_ns: int


@dataclass(frozen=True, slots=True)
class Taken:
    """What became of one file, or of files that belong together."""

    entry: PlanEntry
    went_in: bool


@dataclass(slots=True)
class Watch:
    """Looks at a folder again and again; see `look`."""

    store: Store
    folder: Path
    actor: str
    options: ReadOptions = field(default_factory=ReadOptions)
    rest: float = 3.0
    """Seconds for which a file must not have changed."""
    take_guesses: bool = False
    waiting: int = 0
    """Files that were still being written at the last look."""
    _seen: dict[Path, _Stamp] = field(default_factory=dict)
    """Files as they were when they were dealt with."""

    def look(self, now: float) -> list[Taken]:
        """Take in what is finished and new at a moment, in seconds since 1970.

        Raises
        ------
        StoreError
            The folder or the store is gone. A file that does not fit raises nothing.
        """
        if not self.folder.is_dir():
            raise StoreError(f"{self.folder} is no folder.")
        fresh: dict[Path, _Stamp] = {}
        self.waiting = 0
        for path, stamp in self._files():
            if self._seen.get(path) == stamp:
                continue
            if 0 <= now - stamp.modified_ns / 1e9 < self.rest:
                self.waiting += 1
            else:
                fresh[path] = stamp
        known = self._known() if fresh else set()
        new = [path for path in fresh if self._is_new(path, known)]
        done = self._take(new) if new else []
        self._seen |= fresh
        return done

    def _take(self, paths: list[Path]) -> list[Taken]:
        # As patterns: a file that nobody named is left out and told where it does not fit.
        patterns = [_pattern(path) for path in paths]
        done = ingest_files(
            self.store,
            patterns,
            actor=self.actor,
            options=self.options,
            take_guesses=self.take_guesses,
            root=self.folder,
        )
        return [
            Taken(entry, entry.state in ("certain", "guessed") and not entry.is_fault)
            for entry in done.plan.entries
        ]

    def _files(self) -> Iterator[tuple[Path, _Stamp]]:
        for path in sorted(self.folder.rglob("*")):
            inside = path.relative_to(self.folder)
            if any(part.startswith(".") for part in inside.parts):
                continue
            if path.name.endswith(UNFINISHED) or self._is_of_store(path):
                continue
            try:
                found = path.stat()
            except OSError:  # gone since it was listed
                continue
            if path.is_file():
                yield path, _Stamp(found.st_size, found.st_mtime_ns)

    def _is_of_store(self, path: Path) -> bool:
        """Return whether a file is the store, or one of those that stand beside it."""
        own = self.store.path
        return (
            own is not None
            and path.resolve().is_relative_to(own.resolve().parent)
            and (
                path.relative_to(self.folder).parts[-1].startswith(own.name)
                or f"{own.name}.journals" in path.parts
            )
        )

    def _known(self) -> set[str]:
        """Return the SHA-256 of every file that is in the store."""
        with self.store.read() as connection:
            rows = connection.scalars(sa.select(Ingest.files)).all()
        return {digest for files in rows for digest in files.values()}

    def _is_new(self, path: Path, known: set[str]) -> bool:
        try:
            return not (_digest(path) in known or (_is_unpacked(path) and _are_in(path, known)))
        except OSError:
            return False


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _is_unpacked(path: Path) -> bool:
    """Return whether an import keeps the digests of what is in a file, not its own."""
    return is_archive(path) or is_packed(path) or is_workbook(path)


def _are_in(path: Path, known: set[str]) -> bool:
    """Return whether all files that are packed in one are known; not where it is damaged."""
    faults: list[ImportFormatError] = []
    with scratch_folder() as scratch:
        sources = Sources(scratch, None, lambda _, error: faults.append(error))
        inside = [one.path for one in sources.find([path])]
        return bool(inside) and not faults and all(_digest(one) in known for one in inside)


def _pattern(path: Path) -> str:
    """Return a pattern that stands for exactly this file."""
    name = path.name
    first = f"[{name[0]}]" if name[0] not in "[]*?!^" else glob.escape(name[0])
    return str(Path(glob.escape(str(path.parent))) / (first + glob.escape(name[1:])))
