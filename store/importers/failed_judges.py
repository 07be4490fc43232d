"""Rows whose judge failed: tools write 0 for every score, and say why in words beside it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from store.errors import NoResultsError
from store.importers.cells import CellError, as_text, parse_number
from store.importers.columns import normal_name
from store.importers.metric_registry import words_of
from store.importers.tables import Table

_WORDS = words_of("rationale reason reasoning explanation feedback judge_output judgment comment")
"""Columns in which a judge explains itself."""
_FAILED = re.compile(
    r"\W*(judge|judging|grader|scorer|evaluator|evaluation|llm|api|parse|parsing)[ _-]"
    r"(error|failed|failure)\b",
    re.IGNORECASE,
)


def without_failed(table: Table, scores: Sequence[str]) -> tuple[Table, list[str]]:
    """Return a table without the zeros of judges that failed, and what is told of it.

    Raises
    ------
    NoResultsError
        The judge failed on all rows.
    """
    names = [name for name in table.columns if normal_name(name) in _WORDS]
    for name in names:
        failed = {row for row, cell in enumerate(table.cells[name]) if _FAILED.match(as_text(cell))}
        failed = {row for row in failed if all(_is_zero(table.cells[one][row]) for one in scores)}
        if not failed:
            continue
        said = f"where '{name}' says that the judge failed, and all scores are 0"
        if len(failed) == len(table):
            raise NoResultsError(f"there is no row but those {said}.", path=table.shown)
        cells = {
            one: [None if row in failed else cell for row, cell in enumerate(table.cells[one])]
            for one in scores
        }
        told = f"Missing, not 0: {len(failed):,} rows {said}."
        return replace(table, cells={**table.cells, **cells}), [told]
    return table, []


def _is_zero(cell: Any) -> bool:
    try:
        return parse_number(as_text(cell))[0] == 0
    except CellError:
        return False
