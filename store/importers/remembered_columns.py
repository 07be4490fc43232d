"""What a person said of the columns of a table, for later tables with the same columns.

It is kept beside the answers to questions (`ReadOptions.answers`), each role under a subject that
names the columns, and used where neither a flag nor a YAML file says something else.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from store.importers.bundle import Question, ReadOptions
from store.importers.columns import FILE_NAME, LINE_NUMBER, ROLES, fields_of
from store.importers.tables import peek_columns

_START = "column for "
_NO_COLUMN = "(no column)"
_MOST_TOLD = 8
_LONGEST_NAME = 30


def with_remembered(path: Path, options: ReadOptions) -> ReadOptions:
    """Return the options with the columns that are remembered for tables such as this one."""
    known = _remembered(path, options)
    return replace(options, columns={**known, **options.columns}) if known else options


def used_answers(path: Path, options: ReadOptions) -> list[Question]:
    """Return what is remembered for such a table and no flag says, as questions for the plan."""
    columns = peek_columns(path)
    because = "--column named it for a table with these columns"
    return [
        Question(_subject(role, columns), column or _NO_COLUMN, because=because)
        for role, column in _remembered(path, options).items()
        if role not in options.columns
    ]


def said_with_flags(path: Path, options: ReadOptions) -> dict[str, str]:
    """Return what the flags say of the columns of a table, as answers to be remembered."""
    columns = peek_columns(path) if options.columns else ()
    places = {*columns, LINE_NUMBER, FILE_NAME}
    return {
        _subject(role, columns): column or _NO_COLUMN
        for role, column in options.columns.items()
        if columns and (not column or places.issuperset(fields_of(column, columns)))
    }


def _remembered(path: Path, options: ReadOptions) -> dict[str, str]:
    if not any(subject.startswith(_START) for subject in options.answers):
        return {}
    columns = peek_columns(path)
    told = {role: options.answers.get(_subject(role, columns)) for role in ROLES if columns}
    return {
        role: "" if column == _NO_COLUMN else column
        for role, column in told.items()
        if column is not None
    }


def _subject(role: str, columns: Sequence[str]) -> str:
    """Return under what it is remembered; a digest stands for the columns that are not listed."""
    listed = [name[:_LONGEST_NAME] for name in columns[:_MOST_TOLD]]
    if listed != list(columns):
        digest = hashlib.sha256("\0".join(columns).encode("utf-8", "surrogatepass")).hexdigest()
        listed.append(f"… ({len(columns):,}, {digest[:8]})")
    return f"{_START}{role} in tables with {', '.join(listed)}"
