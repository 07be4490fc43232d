"""The counts as JSON, and back."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import NamedTuple

from benchmarks.calibration import frame
from benchmarks.calibration.metrics.run import Results, Row
from benchmarks.calibration.metrics.scenarios import Scenario
from benchmarks.calibration.run import Figure


class About(NamedTuple):
    """How the counts came about."""

    repetitions: int
    seed: int
    n_resamples: int
    minutes: float
    """Processor time of the last run."""
    versions: Mapping[str, str]


_LEGEND = (
    "errors | systems: level | coefficient | test: [repetitions, p <= .05, p <= .01, without a "
    "p-value]"
)


def to_json(results: Results, about: About) -> str:
    """Return the counts as JSON, a line for each scenario."""
    lines = [
        frame.entry(
            scenario.label,
            {
                row.label: [figure.repetitions, *map(int, figure.errors), figure.undefined]
                for row, figure in figures.items()
            },
        )
        for scenario, figures in results.items()
    ]
    return frame.to_json(about._asdict(), _LEGEND, "results", lines)


def from_json(text: str) -> tuple[Results, About]:
    """Return what `to_json` wrote."""
    content = json.loads(text)
    results: Results = {
        Scenario.from_label(label): {
            Row.from_label(name): Figure(
                numbers[0], (float(numbers[1]), float(numbers[2])), numbers[3]
            )
            for name, numbers in figures.items()
        }
        for label, figures in content["results"].items()
    }
    return results, About(**content["about"])
