"""Several columns that together say which system made each row of a table of item scores."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations

from store.importers.cells import looks_numeric
from store.importers.columnar import Coded, Codes, are_distinct
from store.importers.columns import normal_name
from store.importers.generic_forms import Plan
from store.importers.generic_rows import RowKeys
from store.importers.known_names import JUDGE_WORDS
from store.importers.metric_registry import words_of
from store.importers.no_metrics import is_answer, no_metric_by_name
from store.importers.tables import Table

SYSTEM_WORDS = words_of(
    """model models system method approach algorithm embedder embedding embeddings retriever
    reranker encoder decoder llm engine agent classifier strategy variant config configuration
    pipeline
    backbone architecture technique runner detector tagger parser translator summarizer"""
)
"""Words in the names of columns that say which system, or which part of one."""
_MOST_VALUES = 50
_MOST_COLUMNS = 3
_MOST_TRIED = 8


def is_of_systems(column: str) -> bool:
    """Return whether a column is called after systems or a part of them: ``embedding_model``."""
    words = normal_name(column).split("_")
    return not SYSTEM_WORDS.isdisjoint(words) and JUDGE_WORDS.isdisjoint(words)


def system_columns(
    table: Table,
    plan: Plan,
    keys: RowKeys,
    parts: Sequence[Codes],
    coded: Callable[[str], Coded | None],
) -> list[str]:
    """Return the fewest columns of few words or settings by which no item has two rows.

    One of them must be called after systems, or all are settings; none where no such set is small.

    Parameters
    ----------
    parts
        What tells rows apart without them.
    coded
        Gives the cells of a column, or nothing where they are lists.
    """
    found: dict[str, Codes] = {}
    sizes: dict[str, int] = {}
    for column in plan.leftover:
        is_number = looks_numeric(table.cells[column])
        if is_answer(column) or (is_number and not _is_setting(column)):
            continue
        cells = coded(column)
        if cells is not None and 1 < len(cells.values) <= _MOST_VALUES:
            found[column], sizes[column] = keys.of(cells.codes), len(cells.values)
    own = [int(part.max()) + 1 for part in parts]
    tried = sorted(found, key=lambda column: not is_of_systems(column))[:_MOST_TRIED]
    for n_columns in range(1, _MOST_COLUMNS + 1):
        for chosen in combinations(tried, n_columns):
            if not any(map(is_of_systems, chosen)) and not all(map(_is_setting, chosen)):
                continue
            more = [*parts, *(found[column] for column in chosen)]
            if are_distinct(more, [*own, *(sizes[column] for column in chosen)]):
                return [column for column in plan.leftover if column in chosen]
    return []


def _is_setting(column: str) -> bool:
    return no_metric_by_name(column) == "a setting"


def named_after(columns: Sequence[str], system: str | None) -> str:
    """Return the pattern of the system's name: the first column of systems, with the others."""
    called = [column for column in columns if is_of_systems(column)]
    first = system or (called or list(columns))[0]
    others = ", ".join(f"{column}={{{column}}}" for column in columns if column != first)
    base = first if "{" in first else f"{{{first}}}"
    return f"{base} ({others})" if others else base
