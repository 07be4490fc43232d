"""Rows of a board in groups: by the tags of the systems, or by the families of their names."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Final

from dashboard import data
from dashboard.components.table import MOST_ROWS
from dashboard.ui import filters
from dashboard.ui.attaching import BASELINE
from store.tags import PIN

_NONE, _TAG, _FAMILY = "", "tag", "family"
_UNTAGGED: Final = "no tag"
_ALONE: Final = "no family"
_STEM: Final = re.compile(r"[^\d(,]*")
"""What comes before the first number, bracket or comma of a name."""


def tags_of_systems() -> dict[str, str]:
    """Return what each tagged system is tagged with, in words; pins and baselines are no group."""
    found = {
        system.name: ", ".join(sorted(set(system.tags) - {BASELINE, PIN}))
        for system in data.systems()
    }
    return {name: tags for name, tags in found.items() if tags}


def families(names: Sequence[str]) -> dict[str, str]:
    """Return the family of each name that shares one: its words before the first number.

    An organisation before a slash is left out. It is a guess: who knows better sets tags.
    """
    stems = {name: _stem(name) for name in names}
    count = Counter(stem.casefold() for stem in stems.values() if stem)
    shown: dict[str, str] = {}
    for stem in stems.values():
        shown.setdefault(stem.casefold(), stem)
    return {
        name: shown[stem.casefold()] for name, stem in stems.items() if count[stem.casefold()] > 1
    }


def _stem(name: str) -> str:
    found = _STEM.match(name.rpartition("/")[2])
    words = found.group().rstrip(" -_.:v") if found else ""
    return words.lstrip()


def choose_groups(names: Sequence[str]) -> Callable[[Sequence[str]], list[str]]:
    """Draw the choice of groups, where `names` have any; return what gives each row its group."""
    offered = [_TAG] if tags_of_systems().keys() & set(names) else []
    offered += [_FAMILY] if families(names) else []
    if not offered or len(names) > MOST_ROWS:
        filters.tell_unknown("Group by", "by", [])
        return lambda rows: []
    by = filters.choose_one(
        "Group by",
        [_NONE, *offered],
        key="by",
        name=lambda one: one or "nothing",
        value=lambda one: one or "none",
        help="A family is a guess: the words of a name before its first number.",
        width=120,
    )

    def groups_of(rows: Sequence[str]) -> list[str]:
        if not by:
            return []
        found = tags_of_systems() if by == _TAG else families(rows)
        return [found.get(name, _UNTAGGED if by == _TAG else _ALONE) for name in rows]

    return groups_of
