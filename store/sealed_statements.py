"""Which tables with digests a statement reads, adds to and changes, by its words."""

from __future__ import annotations

import re
from functools import cache, lru_cache
from typing import Any, Final, NamedTuple

from store.models import AnalysisResult, AuditEvent, Base, RequestAnswer, Seal, ServerWork

_LEFT_OUT: Final = {AuditEvent.__tablename__, Seal.__tablename__}
"""The log has a chain of its own (`store.audit_chain`); digests stand for themselves."""
CACHES: Final = {one.__tablename__ for one in (AnalysisResult, RequestAnswer, ServerWork)}
"""What is wrong there is computed again: only who checks the store holds them against digests."""
_WORDS: Final = re.compile(r"\w+")
_VERB: Final = re.compile(r"\s*(INSERT|UPDATE|DELETE|REPLACE|WITH)\b", re.IGNORECASE)
_TARGET: Final = re.compile(r'(?:INTO|UPDATE|FROM)\s+"?(\w+)"?(?:\s*\(([^)]*)\))?', re.IGNORECASE)
_UPSERT: Final = re.compile(r"\bON\s+CONFLICT\b|\bOR\s+REPLACE\b", re.IGNORECASE)
_DATASET: Final = "dataset_id"


class Tables(NamedTuple):
    """The tables of a statement."""

    named: frozenset[str]
    """All of them, and those that its deletions reach."""
    added: frozenset[str] = frozenset()
    """What gets rows whose ids are the next ones."""
    changed: frozenset[str] = frozenset()
    """What may change otherwise."""


def tables() -> list[str]:
    """Return the names of the tables that have digests."""
    return sorted(set(Base.metadata.tables) - _LEFT_OUT)


@lru_cache(maxsize=4_000)
def tables_of(statement: str) -> Tables:
    """Return what a statement does to which tables."""
    known = frozenset(tables())
    named = known & set(_WORDS.findall(statement))
    verb = _VERB.match(statement)
    if verb is None:
        return Tables(named)
    target = _TARGET.search(statement)
    does = verb[1].upper()
    if target is None or does in ("WITH", "REPLACE"):
        return Tables(named, changed=named)
    own = known & {target[1]}
    if does == "DELETE":  # what belongs to a row goes with it
        reached = known & _reached(target[1])
        return Tables(named | reached, changed=reached)
    if does == "INSERT" and not _UPSERT.search(statement) and not _names_key(target):
        return Tables(named, added=own)
    return Tables(named, changed=own)


def datasets_of(context: Any) -> set[int] | None:
    """Return the datasets that a statement is about; None where it names none."""
    rows = getattr(context, "compiled_parameters", None) or []
    found: set[int] = set()
    for row in rows:
        for name, value in row.items():
            if name.startswith(_DATASET):
                found.update(value if isinstance(value, (list, tuple, set)) else [value])
    return found or None


def _names_key(target: re.Match[str]) -> bool:
    """Return whether an insertion says which ids its rows get; without columns it does."""
    if target[2] is None or target[1] not in Base.metadata.tables:
        return True
    [key] = Base.metadata.tables[target[1]].primary_key.columns
    return key.name in _WORDS.findall(target[2])


@cache
def _reached(name: str) -> frozenset[str]:
    """Return a table, and all those whose rows change when one of its own goes."""
    found = [name]
    for here in found:
        for table in Base.metadata.sorted_tables:
            refers = any(
                key.ondelete and key.column.table.name == here for key in table.foreign_keys
            )
            if refers and table.name not in found:
                found.append(table.name)
    return frozenset(found)
