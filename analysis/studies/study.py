"""What all studies have in common."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any

from analysis.statistics.results import Result, to_plain
from analysis.statistics.signature import METHOD_VERSION
from store.records import Record


@dataclass(frozen=True, slots=True, eq=False)
class Study:
    """The answer to a question, ready to be shown: on a page, in a terminal, as JSON."""

    sentence: str
    """The answer in words."""
    signature: str
    """One line from which the study can be repeated."""
    warnings: tuple[str, ...]
    """What a reader must know before believing the answer."""
    store_revision: int
    method_version: str = dataclasses.field(default=METHOD_VERSION, kw_only=True)
    """Of the statistics that gave it."""

    def to_dict(self) -> dict[str, Any]:
        """Return all fields as JSON-safe values."""
        return {f.name: _plain(getattr(self, f.name)) for f in dataclasses.fields(self)}


def _plain(value: Any) -> Any:
    if isinstance(value, Record | Result | Study):
        return value.to_dict()
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {f.name: _plain(getattr(value, f.name)) for f in dataclasses.fields(value)}
    if isinstance(value, Mapping):
        return {str(key): _plain(element) for key, element in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(element) for element in value]
    if isinstance(value, date):
        return value.isoformat()
    return to_plain(value)


def count(number: int, noun: str) -> str:
    """Return ``"1 item"``, ``"1,200 items"``."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def listed(names: list[str] | tuple[str, ...], *, most: int = 6) -> str:
    """Return names as a sentence lists them: ``"A, B and C"``, shortened after `most`."""
    if len(names) > most:
        return f"{', '.join(names[: most - 1])} and {len(names) - most + 1} more"
    return " and ".join(filter(None, [", ".join(names[:-1]), *names[-1:]]))
