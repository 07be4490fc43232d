"""Which column of a table of item scores plays which role, and which one names the items."""

from __future__ import annotations

import re
from collections.abc import Mapping

from store.importers.cells import as_text, is_missing, looks_numeric
from store.importers.columns import (
    GENERIC_ROLES,
    LINE_NUMBER,
    find_roles,
    normal_name,
    role_cells,
)
from store.importers.item_columns import item_column, own_id
from store.importers.known_names import JUDGE_WORDS, share_of_systems
from store.importers.lines_alike import rows_line_up
from store.importers.metric_registry import words_of
from store.importers.settings import Settings
from store.importers.tables import Table

_NAMING = ("system", "dataset", "metric", "score", "date")
_TEXT_ROLES = ("input", "reference", "output")
_INDEX = ("column_1", "unnamed_0", "index", "idx")
"""What the index of a data frame is called; it names the items where nothing else does."""
_PLACES = ("idx", "sample_idx", "example_idx", "question_idx", "data_idx", "instance_idx")
"""What a column is called that tells each item's place; it names them where nothing else does."""
_OF_ITEMS = re.compile(r"(?!(run|model|system|user|session|batch|job|config|experiment)_).+_id")
_MAY_BE_SYSTEMS = ("revision", "backend", "prompt_variant", "run", "adapter")
"""Roles of a part of a system, whose column may name the whole of it."""
_OF_OTHERS = JUDGE_WORDS | words_of(
    "user author reference baseline source output prediction response answer text"
)
"""Words in the names of columns whose names are not those of what is evaluated."""
_MOST_SYSTEMS = 500
_MOSTLY = 0.5
_TURNS = ("turn", "turn_index", "turn_idx", "turn_id", "step", "step_index")
_DOCUMENTS = ("doc_id", "document_id", "docid", "document")
_SEGMENTS = ("segment_id", "seg_id", "sentence_id", "sent_id", "segment", "seg", "line_id")
_PEEKED = 20
"""Rows that show whether a column holds numbers, or words that may be names."""


def generic_roles(table: Table, settings: Settings) -> dict[str, str]:
    """Return role -> column of a table of item scores."""
    roles = find_roles(table.columns, settings.columns, GENERIC_ROLES, table.shown)
    for role in _TEXT_ROLES:  # a system may be called "reference"
        if (
            role in roles
            and role not in settings.columns
            and looks_numeric(table.cells[roles[role]])
        ):
            del roles[role]
    if normal_name(roles.get("input", "")) == "prompt" and "input" not in settings.columns:
        prompts = [as_text(cell) for cell in table.cells[roles["input"]] if not is_missing(cell)]
        if roles.keys().isdisjoint(("reference", "output")) and not any(map(_is_text, prompts)):
            del roles["input"]  # names of prompts, which are settings
    if "precision" in roles and looks_numeric(role_cells(table, roles["precision"])):
        del roles["precision"]  # the metric of that name
    if normal_name(roles.get("item", "")) in _DOCUMENTS and "item" not in settings.columns:
        cells = table.cells[roles["item"]]
        if "system" not in roles and len(set(map(str, cells))) < len(table):
            own = own_id(table, roles["item"])
            if own is not None:
                roles.setdefault("group", roles["item"])
                roles["item"] = own
                return roles
        segments = [c for c in table.columns if normal_name(c) in _SEGMENTS]
        if segments:  # it is counted in each document
            roles.setdefault("group", roles["item"])
            roles["item"] = f"{{{roles['item']}}}/{{{segments[0]}}}"
    if "item" not in roles and "item" not in settings.columns:
        by_place = {normal_name(column): column for column in table.columns[:1]}
        index = next((by_place[name] for name in _INDEX if name in by_place), None)
        others = set(table.columns[1:]) - set(roles.values())
        is_of_one = roles.keys().isdisjoint({"system", "metric", "date"}) and all(
            looks_numeric(table.cells[column]) for column in others
        )  # else it numbers the rows of a board
        named = _place_column(table) or roles.get("input") or item_column(table, roles)
        named = named or (index if is_of_one else None)
        if named is None and {"metric", "score"} <= roles.keys():
            named = _id_columns(table, roles)
        if (
            named is None
            and roles.keys().isdisjoint(_NAMING)
            and rows_line_up(table, settings.path)
        ):
            named = LINE_NUMBER
        if named is not None:
            roles["item"] = named
            if roles.get("prompt_variant") == named:
                del roles["prompt_variant"]
    is_open = not settings.system and "system" not in roles and "system" not in settings.columns
    if is_open and (column := _column_of_models(table, roles)) is not None:
        for role in [role for role, name in roles.items() if name == column]:
            del roles[role]
        roles["system"] = column
    return roles


def _column_of_models(table: Table, roles: Mapping[str, str]) -> str | None:
    """Return the column whose words are like names of systems, each beside an item once."""
    items = roles.get("item", "")
    if items not in table.columns:
        return None
    keys = list(map(as_text, role_cells(table, items)))
    kept = {name for role, name in roles.items() if role not in _MAY_BE_SYSTEMS}
    for column in table.columns:
        words = normal_name(column).split("_")
        cells = table.cells[column]
        if column in kept or not _OF_OTHERS.isdisjoint(words) or looks_numeric(cells[:_PEEKED]):
            continue
        if not all(isinstance(cell, str) and cell.strip() for cell in cells):
            continue
        names = list(dict.fromkeys(map(as_text, cells)))
        are_shared = 1 < len(names) <= min(_MOST_SYSTEMS, len(table) // 2)
        if not are_shared or share_of_systems(names) < _MOSTLY:
            continue
        if len(set(zip(keys, map(as_text, cells), strict=True))) == len(table):
            return column
    return None


def _is_text(cell: str) -> bool:
    return " " in cell.strip()


def _id_columns(table: Table, roles: Mapping[str, str]) -> str | None:
    """Return the column with ids of some kind in a table of scores, with that of turns, if any."""
    free = [column for column in table.columns if column not in roles.values()]
    ids = [column for column in free if _OF_ITEMS.fullmatch(normal_name(column))]
    turns = [column for column in free if normal_name(column) in _TURNS]
    return "/".join(f"{{{one}}}" for one in (*ids[:1], *turns[:1])) if ids else None


def _place_column(table: Table) -> str | None:
    """Return the column of the items' places in their dataset: another number in each row."""
    for column in table.columns[1:]:
        if normal_name(column) in _PLACES:
            cells = table.cells[column]
            is_whole = len({as_text(cell) for cell in cells if not is_missing(cell)}) == len(table)
            if is_whole and looks_numeric(cells):
                return column
    return None
