"""Folders of Hugging Face's cache: files by name, as links to blobs that are called by their hash.

``models--ORG--NAME/snapshots/HASH/a.json`` leads to ``models--ORG--NAME/blobs/…``. A blob says
nothing by its name or its folder, so each is put under the name of its link, in a folder called
``NAME``.
"""

from __future__ import annotations

import os
import shutil
from functools import lru_cache
from pathlib import Path

_BLOBS = "blobs"
_SNAPSHOTS = "snapshots"


def cache_of(path: Path) -> Path | None:
    """Return the folder with blobs and snapshots that a file lies in."""
    return _cache_around(path.absolute().parent)


@lru_cache(maxsize=4096)
def _cache_around(folder: Path) -> Path | None:
    for one in (folder, *folder.parents):
        if one.name in (_BLOBS, _SNAPSHOTS) and all(
            (one.parent / name).is_dir() for name in (_BLOBS, _SNAPSHOTS)
        ):
            return one.parent
    return None


def is_blob(path: Path, cache: Path) -> bool:
    """Return whether a file is read by the names of the links that lead to it."""
    return path.absolute().is_relative_to(cache / _BLOBS)


def leads_to_blob(path: Path, cache: Path) -> bool:
    """Return whether a file is a link to a blob of its own cache."""
    return path.is_symlink() and path.resolve().is_relative_to((cache / _BLOBS).resolve())


def by_name(link: Path, cache: Path, scratch: Path) -> Path:
    """Return a file with the content of a blob and the name of the link that leads to it."""
    revision, *rest = link.absolute().relative_to(cache / _SNAPSHOTS).parts
    has_several = sum(1 for _ in (cache / _SNAPSHOTS).iterdir()) > 1
    named = scratch / cache.name / cache.name.rpartition("--")[2]
    target = (named / revision if has_several else named).joinpath(*rest)
    target.parent.mkdir(parents=True, exist_ok=True)
    blob = link.resolve()
    try:
        os.link(blob, target)
    except OSError:  # another file system
        shutil.copyfile(blob, target)
    return target
