"""Which cells of a table state figures and p-values, and which columns say of what."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from store.importers.bundle import Guess
from store.importers.cells import CellError, is_missing
from store.importers.columns import (
    fields_of,
    find_roles,
    normal_name,
)
from store.importers.known_metrics import lookup
from store.importers.printed import parse_printed
from store.importers.tables import Table

REPORTED_ROLES = (
    "system", "dataset", "dataset_version", "item", "metric", "score", "system_a", "system_b",
    "pvalue", "n_items", "stderr", "date", "source", "source_url", "test", "sidedness", "revision",
    "adapter", "precision", "backend", "prompt_variant",
)  # fmt: skip

_SYSTEM_WORDS = {"system", "systems", "model", "models", "method", "methods", "parser", "tagger"}

_DATA_WORDS = {
    "data", "dataset", "datasets", "corpus", "corpora", "task", "tasks", "domain", "domains",
    "language", "languages", "genre", "genres", "treebank", "treebanks", "setup", "setups",
}  # fmt: skip


_OF_SETTINGS = re.compile(r"(?:params?|parameters|config|hparams|hyperparameters)[./](.+)", re.I)
_MODELS = {"model", "model_name", "model_id", "llm", "system", "base_model"}


@dataclass(frozen=True, slots=True)
class ScoreCell:
    """A cell that states a score."""

    row: int
    column: str
    system: str
    dataset: str
    metric: str


@dataclass(frozen=True, slots=True)
class PvalueCell:
    """A cell that states a p-value of A against B."""

    row: int
    column: str
    system_a: str
    system_b: str
    dataset: str
    metric: str


@dataclass(frozen=True, slots=True)
class ReportedPlan:
    """The figures of a table and how they were found."""

    table: Table
    """As its rows are read: it may have a row for each system where columns named them."""
    roles: Mapping[str, str]
    scores: Sequence[ScoreCell]
    pvalues: Sequence[PvalueCell]
    understood: Sequence[str]
    identities: Mapping[str, Mapping[str, str]]
    versions: Sequence[str]
    """Of each row the version of its datasets; empty where nothing states one."""
    guesses: Sequence[Guess] = ()


def reported_roles(columns: Sequence[str], stated: Mapping[str, str], shown: str) -> dict[str, str]:
    """Return role -> column; the corner of a table, such as ``Model \\ Data``, is understood."""
    roles = find_roles(columns, stated, REPORTED_ROLES, shown)
    corner = columns[0] if columns else ""
    words = normal_name(corner).split("_")
    if corner in roles.values():
        return roles
    if words in ([""], ["column", "1"], ["name"]) and any(map(lookup, columns[1:])):
        # Names of the rows, under the plainest word or, as the index of a data frame, under none.
        roles.setdefault("system", corner)
    if words[0] in _SYSTEM_WORDS and set(words[1:]) <= _DATA_WORDS and "system" not in stated:
        roles.setdefault("system", corner)
    elif words[0] in _DATA_WORDS and set(words[1:]) <= _SYSTEM_WORDS and "dataset" not in stated:
        roles.setdefault("dataset", corner)
    if "system" not in roles and "system" not in stated:
        roles |= _model_among_settings(columns, roles)
    return roles


def _model_among_settings(columns: Sequence[str], roles: Mapping[str, str]) -> dict[str, str]:
    """Return the only column that is called ``parameters/model`` or alike, as the systems."""
    found = [
        column
        for column in columns
        if (match := _OF_SETTINGS.fullmatch(column.strip())) is not None
        and normal_name(match[1]) in _MODELS
        and column not in roles.values()
    ]
    return {"system": found[0]} if len(found) == 1 else {}


def figure_columns(table: Table, roles: Mapping[str, str]) -> list[str]:
    """Return the columns of figures that play no role."""
    used = {name for column in roles.values() for name in fields_of(column, table.columns)}
    return [one for one in table.columns if one not in used and holds_figures(table.cells[one])]


def holds_figures(cells: Sequence[Any]) -> bool:
    """Return whether at least half of the cells that hold something are printed numbers."""
    filled = [cell for cell in cells if not is_missing(cell)]
    return bool(filled) and 2 * sum(map(_is_figure, filled)) >= len(filled)


def _is_figure(cell: Any) -> bool:
    try:
        parse_printed(cell)
    except (CellError, TypeError):
        return False
    return True


def unread_columns(table: Table, roles: Mapping[str, str], read: Collection[str]) -> list[str]:
    """Return the columns that neither play a role nor hold a figure that is read."""
    taken, templates = {*read, *roles.values()}, " ".join(roles.values())
    return [c for c in table.columns if c not in taken and f"{{{c}}}" not in templates]
