"""The release that the name of a file or of its folder states."""

from __future__ import annotations

import re
from pathlib import PurePosixPath

from store.importers.textfile import data_stem

_DATE_IN_NAME = re.compile(
    r"(?<!\d)(20\d\d)[-_.]?(0[1-9]|1[0-2])(?:[-_.]?(0[1-9]|[12]\d|3[01]))?(?!\d)"
)
_RELEASE_IN_NAME = re.compile(
    r"(?:^|[-_. ])(?:release|rel|board)[-_. ]?(v?\d[\d.]*)$", re.IGNORECASE
)

_VERSION = re.compile(r"v\d+(?:\.\d+)*", re.IGNORECASE)
_VERSION_AT_END = re.compile(r"(?:^|[-_. ])(v\d+(?:\.\d+)*|(?:19|20)\d\d)$", re.IGNORECASE)
_NEAREST = 3
"""Folders above a file that may be called after a release."""


def release_of(shown: str) -> str:
    """Return the release of a board after its file, else its folder, as ``2024-06-24``."""
    return _release_in(data_stem(shown)) or _release_of_folders(shown)


def any_release_of(shown: str) -> str:
    """Return the release that the path of any file states, also a bare year or version."""
    stem = data_stem(shown)
    at_end = _VERSION_AT_END.search(stem)
    return _release_in(stem) or (at_end[1] if at_end else "") or _release_of_folders(shown)


def is_version(word: str) -> bool:
    """Return whether a name is nothing but a version: ``v2`` or ``v1.1``."""
    return _VERSION.fullmatch(word) is not None


def _release_in(name: str) -> str:
    date = _DATE_IN_NAME.search(name)
    if date is not None:
        return "-".join(part for part in date.groups() if part)
    named = _RELEASE_IN_NAME.search(name)
    return named[1] if named else ""


def _release_of_folders(shown: str) -> str:
    """Return the release after which one of the nearest folders is called, and nothing else."""
    for folder in list(PurePosixPath(shown).parents)[:_NEAREST]:
        date = _DATE_IN_NAME.fullmatch(folder.name)
        if date is not None:
            return "-".join(part for part in date.groups() if part)
        named = _RELEASE_IN_NAME.fullmatch(folder.name)
        if named is not None:
            return named[1]
        if _VERSION_AT_END.fullmatch(folder.name):
            return folder.name
    return ""
