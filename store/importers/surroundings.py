"""The folders around a file in which what belongs to it is looked for: none beyond what was named.

A recipe or a table of what is right may lie above a file. Above what a person named, above an
upload or an unpacked archive, and in a folder that is everybody's, a stranger may have put it.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path

_ends: ContextVar[frozenset[Path] | None] = ContextVar("ends", default=None)
_given: ContextVar[frozenset[Path]] = ContextVar("given", default=frozenset())
"""Folders that a person named."""


@contextmanager
def looked_for_within(given: Iterable[Path], scratch: Path) -> Iterator[None]:
    """Look around files no further than here, while this lasts.

    Parameters
    ----------
    given
        What a person named: the folder itself, that of a file, and where the person stands if the
        path begins there.
    scratch
        Where archives are unpacked.
    """
    named = list(given)
    token = _ends.set(frozenset([scratch.resolve(), *map(_end_of, named)]))
    there = [one for one in map(Path.absolute, named) if os.path.exists(one)]
    of_names = _given.set(frozenset([*there, *map(Path.resolve, there)]))
    try:
        yield
    finally:
        _given.reset(of_names)
        _ends.reset(token)


def is_given(path: Path) -> bool:
    """Return whether a person named a folder or a file."""
    return path in _given.get()


def folders_around(path: Path, levels: int) -> list[Path]:
    """Return the folder of a file and those above it, `levels` at most, the nearest first."""
    here = path.resolve().parent
    ends = _ends.get()
    found = [here]
    for above in here.parents:
        is_end = ends is not None and found[-1] in ends
        if is_end or len(found) >= levels or _is_for_all(above):
            break
        found.append(above)
    if ends is not None and ends.isdisjoint([here, *here.parents]):
        return [here]
    return found


def _end_of(given: Path) -> Path:
    try:
        whole = given.resolve()
    except (OSError, ValueError, RuntimeError):  # is told where it is opened
        return given
    stands = Path.cwd()
    if not given.is_absolute() and whole.is_relative_to(stands):
        return stands
    return whole if os.path.isdir(whole) else whole.parent


def _is_for_all(folder: Path) -> bool:
    """Return whether everybody may put files into a folder and nobody remove those of others."""
    try:
        return bool(folder.stat().st_mode & stat.S_ISVTX)
    except OSError:
        return True
