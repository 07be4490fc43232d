"""The figures as JSON, and back."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any, NamedTuple

from benchmarks.calibration import frame
from benchmarks.calibration.run import Figure, Figures


class About(NamedTuple):
    """How the figures came about."""

    repetitions: int
    seed: int
    n_resamples: int
    processes: int
    minutes: float
    """Processor time of the last run of all cells."""
    versions: Mapping[str, str]


_LEGEND = (
    "procedure: population: n: [repetitions, errors at .05, errors at .01, without an answer]; "
    "for shares of false differences also the sums of their squares"
)


def to_json(figures: Figures, about: About) -> str:
    """Return the figures as JSON, a line for each procedure and population."""
    blocks = []
    for row, columns in figures.items():
        lines = [
            f'"{column}": {{'
            + ", ".join(f'"{n}": {json.dumps(_packed(cells[n]))}' for n in sorted(cells))
            + "}"
            for column, cells in columns.items()
        ]
        blocks.append(f'"{row}": {{\n  ' + ",\n  ".join(lines) + "}")
    return frame.to_json(about._asdict(), _LEGEND, "figures", blocks)


def from_json(text: str) -> tuple[Figures, About]:
    """Return what `to_json` wrote."""
    content = json.loads(text)
    figures: Figures = {
        row: {
            column: {int(n): _unpacked(values) for n, values in cells.items()}
            for column, cells in columns.items()
        }
        for row, columns in content["figures"].items()
    }
    return figures, About(**content["about"])


def _packed(figure: Figure) -> list[Any]:
    def plain(value: float) -> float | int | None:
        if math.isnan(value):
            return None
        return int(value) if value == int(value) else round(value, 6)

    squares = figure.squares or ()
    return [
        figure.repetitions,
        *(plain(value) for value in figure.errors),
        figure.undefined,
        *(plain(value) for value in squares),
    ]


def _unpacked(values: list[Any]) -> Figure:
    repetitions, first, second, undefined, *squares = values
    errors = (float(first), math.nan if second is None else float(second))
    return Figure(
        repetitions, errors, undefined, (squares[0], squares[1]) if len(squares) == 2 else None
    )
