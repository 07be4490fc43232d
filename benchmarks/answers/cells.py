"""Whether a pair has one answer: `compare A B` against its cell in `pairs`."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

from benchmarks.answers.questions import Ask, board_line, pair_line, systems_of
from benchmarks.answers.stores import Board

VERDICTS = (None, "undecided", "better", "worse", "equivalent")
"""What the codes of the matrix `verdicts` mean; the first: the two cannot be compared."""


@dataclass
class Agreement:
    """How many pairs of a board have the same answer on the command and in the cell.

    Attributes
    ----------
    pairs
        Pairs that were asked for.
    apart
        Value -> pairs on which it differs, in the last digit already.
    beyond_rounding
        Value -> pairs on which it differs by more than 1e-9, relative to the larger.
    largest
        Value -> the largest difference, and between whom.
    refused
        Pairs that only one of the two answers.
    """

    store: str
    dataset: str
    metric: str
    pairs: int = 0
    apart: dict[str, int] = field(default_factory=dict)
    beyond_rounding: dict[str, int] = field(default_factory=dict)
    largest: dict[str, tuple[float, str]] = field(default_factory=dict)
    refused: int = 0

    def note(self, name: str, command: Any, cell: Any, who: str) -> None:
        """Count a value where it is not the same, to the last digit."""
        if command == cell:
            return
        self.apart[name] = self.apart.get(name, 0) + 1
        if isinstance(command, int | float) and isinstance(cell, int | float):
            size = abs(command - cell)
            if size >= self.largest.get(name, (0.0, ""))[0]:
                self.largest[name] = (size, who)
            if math.isclose(command, cell, rel_tol=1e-9, abs_tol=0.0):
                return
        self.beyond_rounding[name] = self.beyond_rounding.get(name, 0) + 1


def compare_cells(store: str, board: Board, ask: Ask) -> Agreement:
    """Return how far the pairs of a board agree with the comparisons of each two.

    Single readings are compared: the cell's without a correction. `ask` returns None for what was
    refused; it raises `KeyError` for what was not asked, and such pairs are left out.
    """
    found = Agreement(store, board.dataset, board.metric)
    try:
        matrix, systems = (
            ask(board_line(board, "--correction=none")),
            systems_of(board, ask),
        )
    except KeyError:
        return found
    for a, b in combinations(systems, 2):
        try:
            pair = ask(pair_line(board, a, b))
        except KeyError:
            continue
        found.pairs += 1
        cell = cell_of(matrix, a, b) if matrix else None
        if pair is None or cell is None:
            found.refused += (pair is None) != (cell is None)
            continue
        low, high = pair["ci"] or (None, None)
        values = {
            "difference": pair["difference"],
            "ci_low": low,
            "ci_high": high,
            "pvalue": pair["pvalue"],
            "n_items": pair["n_items"],
            "test": pair["test"],
            "verdict": pair["verdict"],
        }
        for name, value in values.items():
            found.note(name, value, cell[name], f"{a} against {b}")
    return found


def cell_of(matrix: dict[str, Any], a: str, b: str) -> dict[str, Any] | None:
    """Return what all pairs say of two systems; None where one of them is not there."""
    if a not in matrix["systems"] or b not in matrix["systems"]:
        return None
    row, column = matrix["systems"].index(a), matrix["systems"].index(b)

    def at(name: str) -> Any:
        value = matrix[name]
        return value[row][column] if isinstance(value, list) else value

    names = ("difference", "ci_low", "ci_high", "pvalue", "n_items")
    cell = {name: at(name) for name in names}
    verdict = at("verdicts")
    cell["verdict"] = VERDICTS[verdict] if isinstance(verdict, int) else verdict
    cell["test"] = at("tests" if "tests" in matrix else "test")
    return cell


def cells_summary(boards: Iterable[Agreement]) -> list[str]:
    """Return a line for each board whose cells and comparisons are apart, and their sum."""
    lines, total, refused = [], 0, 0
    apart, beyond = Counter[str](), Counter[str]()
    for board in boards:
        total += board.pairs
        refused += board.refused
        apart.update(board.apart)
        beyond.update(board.beyond_rounding)
        if board.apart or board.refused:
            parts = [_apart(board, name) for name in board.apart]
            if board.refused:
                parts.append(f"{board.refused} answered by one of the two only")
            where = f"{board.store}, {board.dataset}, {board.metric}"
            lines.append(f"  {where}: {board.pairs} pairs; " + "; ".join(parts))
    counted = ", ".join(f"{name} {beyond[name]:,} ({count:,})" for name, count in apart.items())
    lines.append(
        f"`compare A B` against its cell in `pairs`, {total:,} pairs; differing beyond rounding "
        f"(in any digit): {counted or 'nothing'}; answered by one of the two only: {refused:,}."
    )
    return lines


def _apart(board: Agreement, name: str) -> str:
    size, who = board.largest.get(name, (None, ""))
    text = f"{name} on {board.beyond_rounding.get(name, 0)} ({board.apart[name]})"
    return text if size is None else f"{text}, up to {size:.2g} ({who})"
