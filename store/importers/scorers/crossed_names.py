"""Files that are called after a dataset and a system each: ``run_squad_bert``, ``run_nq_bert``.

Which files share their items is known, so that what all files of a dataset are called and no other
is the dataset. Dates in the names are of the runs.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import takewhile

from store.importers.file_names import says_nothing
from store.importers.known_names import share_of_systems

_PART = re.compile(r"[^\W_]+")
_DATE = re.compile(r"\d{6,}")
_OUTPUTS = ("pred", "preds", "hyp", "hyps")
_FEWEST = 2
_SURE = 0.5


def crossed_names(names: Sequence[Sequence[str]]) -> list[tuple[str, list[str]]] | None:
    """Return the dataset and the systems of each set of files, or ``None`` where names do not tell.

    Parameters
    ----------
    names
        The names of the files of each set, without their extensions.
    """
    if len(names) < _FEWEST or any(len(set(one)) < max(_FEWEST, len(one)) for one in names):
        return None
    words = [_words_of(names, i) for i in range(len(names))]
    if not all(words):
        return None
    rests = [[_without(name, own) for name in one] for own, one in zip(words, names, strict=True)]
    bare = [[part for part, _ in rest] for of_set in rests for rest in of_set]
    last = [rest[::-1] for rest in bare]
    n_idle = len(list(takewhile(_is_idle, last[0][: n_alike(last)])))
    least = min(map(len, bare)) - n_idle
    first = bare[0][: max(min(n_alike(bare), least - 1), 0)]
    skip = 0 if share_of_systems(["-".join(first)]) >= _SURE else len(first)
    told = []
    for own, of_set in zip(words, rests, strict=True):
        systems = [_joined(rest[skip : len(rest) - n_idle]) for rest in of_set]
        if not all(systems) or len(set(systems)) < len(systems):
            return None
        told.append(("_".join(own), systems))
    return told


def _is_idle(word: str) -> bool:
    return says_nothing(word) or word.lower() in _OUTPUTS


def n_alike(rows: Iterable[Sequence[str]]) -> int:
    """Return with how many of the same parts all rows begin."""
    return len(list(takewhile(lambda column: len(set(column)) == 1, zip(*rows, strict=False))))


def _words_of(names: Sequence[Sequence[str]], number: int) -> list[str]:
    """Return the parts that all names of one set have, and no name of the others."""
    alike = set.intersection(*(set(_PART.findall(name)) for name in names[number]))
    for i, others in enumerate(names):
        if i != number:
            alike.difference_update(part for name in others for part in _PART.findall(name))
    found = dict.fromkeys(_PART.findall(names[number][0]))
    return [part for part in found if part in alike and not _DATE.fullmatch(part)]


def _without(name: str, words: Sequence[str]) -> list[tuple[str, str]]:
    """Return the parts of a name that are neither in `words` nor dates, each with what ends it."""
    parts = [(m[0], name[m.end() : m.end() + 1]) for m in _PART.finditer(name)]
    return [one for one in parts if one[0] not in words and not _DATE.fullmatch(one[0])]


def _joined(parts: Sequence[tuple[str, str]]) -> str:
    return "".join(part + end for part, end in parts).rstrip("-_. ")
