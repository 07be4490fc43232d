"""Names in the files of WMT: language pairs, test sets, systems that are people."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

_LANGUAGE = r"[a-z]{2,3}(?:_[A-Za-z]{2,4})*"
LANGUAGE_PAIR = re.compile(rf"{_LANGUAGE}-{_LANGUAGE}")
_PAIR_IN_NAME = re.compile(rf"(?<![A-Za-z0-9])({_LANGUAGE}-{_LANGUAGE})(?![A-Za-z0-9])")
_TEST_SET = re.compile(r"(?<![A-Za-z0-9])((?:news|general|wmt)[a-z]*-?\d{2,4})(?![0-9])", re.I)
_PERSON = re.compile(r"(ref|human)([-._]?[a-z]|[-._]?\d+)?", re.IGNORECASE)


def pair_in(name: str) -> str | None:
    """Return the language pair in a file's name: the last one, as ``"de-en"``."""
    found = [pair for pair in _PAIR_IN_NAME.findall(name) if not pair.startswith("ad-")]
    return found[-1] if found else None  # "ad-" begins "ad-seg-scores", direct assessment


def test_set_in(path: Path) -> str | None:
    """Return the test set that a path names, the file before its folders: ``"newstest2021"``."""
    for part in reversed(path.parts):
        found = _TEST_SET.search(part)
        if found:
            return found[1]
    return None


def letters_of(system: str) -> str:
    """Return a name without marks and capitals: ref-A, refA and ref.a are one."""
    return re.sub(r"[^0-9a-z]+", "", system.lower())


def is_person(system: str) -> bool:
    """Return whether a system is a human translation by its name: ref, ref-A, refB, HUMAN.0."""
    return _PERSON.fullmatch(system) is not None


def told_people(systems: Iterable[str]) -> list[str]:
    """Return a sentence on the systems that are people, when there are any."""
    people = [system for system in systems if is_person(system)]
    if not people:
        return []
    subject = "is a human translation" if len(people) == 1 else "are human translations"
    return [f"{', '.join(people)} {subject} by name, judged or scored as systems are."]
