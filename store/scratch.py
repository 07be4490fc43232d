"""Folders for what is unpacked or sent in: gone with the process that made them, also if killed.

Each is locked while its process lives; whoever makes the next one, and a server that starts,
removes those that nobody holds.
"""

from __future__ import annotations

import os
import re
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

try:
    import fcntl
except ImportError:  # not on Windows: there a folder of a killed process stays
    fcntl = None  # type: ignore[assignment,unused-ignore]  # None: no locks

_PREFIX: Final = "tiebreak-scratch_"
_NAME: Final = re.compile(rf"{_PREFIX}\w{{8}}")


@contextmanager
def scratch_folder() -> Iterator[Path]:
    """Make an empty folder, and remove it with all that is in it in the end."""
    remove_left_behind()
    made = Path(tempfile.mkdtemp(prefix="tiebreak-new_"))
    folder = made.with_name(made.name.replace("tiebreak-new_", _PREFIX))
    held = _locked(made)
    try:
        made.rename(folder)  # from here on others look whether it is locked
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        if held is not None:
            os.close(held)


def remove_left_behind() -> None:
    """Remove the folders of processes that were killed."""
    if fcntl is None:
        return
    with suppress(OSError), os.scandir(tempfile.gettempdir()) as entries:
        for entry in entries:
            if not _NAME.fullmatch(entry.name):
                continue
            with suppress(OSError):
                is_ours = entry.stat(follow_symlinks=False).st_uid == os.getuid()
                if not is_ours or not entry.is_dir(follow_symlinks=False):
                    continue
                held = _locked(Path(entry.path), alone=True)
                if held is not None:
                    shutil.rmtree(entry.path, ignore_errors=True)
                    os.close(held)


def _locked(folder: Path, *, alone: bool = False) -> int | None:
    """Return what holds a lock on a folder; `None` where another process has one, or none can."""
    if fcntl is None:
        return None
    held = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(held, (fcntl.LOCK_EX if alone else fcntl.LOCK_SH) | fcntl.LOCK_NB)
    except OSError:
        os.close(held)
        return None
    return held
