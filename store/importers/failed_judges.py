"""Rows whose judge failed: tools write 0 for every score, and say why in words beside it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from store.importers.cells import CellError, as_text, parse_number
from store.importers.columns import normal_name
from store.importers.kinds import Status
from store.importers.metric_registry import words_of
from store.importers.outcome_columns import with_statuses
from store.importers.settings import Settings
from store.importers.tables import Table

_WORDS = words_of("rationale reason reasoning explanation feedback judge_output judgment comment")
"""Columns in which a judge explains itself."""
_FAILED = re.compile(
    r"\W*(judge|judging|grader|scorer|evaluator|evaluation|llm|api|parse|parsing)[ _-]"
    r"(error|failed|failure)\b",
    re.IGNORECASE,
)


def without_failed(
    table: Table, scores: Sequence[str], settings: Settings
) -> tuple[Table, list[str]]:
    """Return a table whose status says where a judge failed, without the zeros of those rows.

    And what is told of it.
    """
    names = [name for name in table.columns if normal_name(name) in _WORDS]
    for name in names:
        failed = {row for row, cell in enumerate(table.cells[name]) if _FAILED.match(as_text(cell))}
        failed = {row for row in failed if all(_is_zero(table.cells[one][row]) for one in scores)}
        if not failed:
            continue
        said = f"where '{name}' says that the judge failed, and all scores are 0"
        cells = {
            one: [None if row in failed else cell for row, cell in enumerate(table.cells[one])]
            for one in scores
        }
        told = f"Missing, not 0: {len(failed):,} rows {said}."
        table = replace(table, cells={**table.cells, **cells})
        return with_statuses(table, settings, dict.fromkeys(failed, Status.JUDGE_FAILED)), [told]
    return table, []


def _is_zero(cell: Any) -> bool:
    try:
        return parse_number(as_text(cell))[0] == 0
    except CellError:
        return False
