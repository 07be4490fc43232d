"""Whether columns that are called as systems hold what these gave, or what that was worth."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from store.errors import ImportFormatError
from store.importers.bundle import RowProblems
from store.importers.cells import as_text, is_missing, looks_numeric
from store.importers.scorers.table_roles import TableRoles
from store.importers.tables import read_table

_FEW = 3
"""So many different words, of which none is ever right, are verdicts."""
_RIGHT_OR_WRONG = {"0", "1"}


def holds_answers(path: Path, roles: TableRoles) -> bool:
    """Return whether the columns of systems hold answers, judged by the column of what is right."""
    if roles.gold is None:
        return False
    try:
        table = read_table(path, path.name, RowProblems(lenient=True))
    except ImportFormatError:
        return False
    gold = table.cells[roles.gold]
    right = _texts(gold)
    given = [table.cells[column] for column in roles.outputs.values()]
    if all(map(looks_numeric, given)):
        told = set().union(*map(_texts, given))
        are_whole = all(text.lstrip("-").isdigit() for text in told | right)
        are_scores = len(right) == 1 or (told <= _RIGHT_OR_WRONG and not right <= _RIGHT_OR_WRONG)
        return are_whole and not are_scores
    texts = [_texts(cells) for cells in given]
    return all(len(one) > _FEW or one & right or any(" " in text for text in one) for one in texts)


def _texts(cells: Sequence[Any]) -> set[str]:
    return {as_text(cell).strip().casefold() for cell in cells if not is_missing(cell)}
