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
from store.importers.item_columns import item_column
from store.importers.lines_alike import rows_line_up
from store.importers.settings import Settings
from store.importers.tables import Table

_NAMING = ("system", "dataset", "metric", "score", "date")
_TEXT_ROLES = ("input", "reference", "output")
_INDEX = ("column_1", "unnamed_0", "index", "idx")
"""What the index of a data frame is called; it names the items where nothing else does."""
_PLACES = ("idx", "sample_idx", "example_idx", "question_idx", "data_idx", "instance_idx")
"""What a column is called that tells each item's place; it names them where nothing else does."""
_OF_ITEMS = re.compile(r"(?!(run|model|system|user|session|batch|job|config|experiment)_).+_id")
_TURNS = ("turn", "turn_index", "turn_idx", "turn_id", "step", "step_index")
_DOCUMENTS = ("doc_id", "document_id", "docid", "document")
_SEGMENTS = ("segment_id", "seg_id", "sentence_id", "sent_id", "segment", "seg", "line_id")


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
    if "precision" in roles and looks_numeric(role_cells(table, roles["precision"])):
        del roles["precision"]  # the metric of that name
    if normal_name(roles.get("item", "")) in _DOCUMENTS and "item" not in settings.columns:
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
    return roles


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
