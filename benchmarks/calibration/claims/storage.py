"""The results as JSON, and back."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import NamedTuple

from benchmarks.calibration import frame
from benchmarks.calibration.claims.run import Found, Intervals, Result, Results
from benchmarks.calibration.claims.scenarios import Scenario


class About(NamedTuple):
    """How the results came about."""

    repetitions: Mapping[str, int]
    """By the number of looks."""
    seed: int
    minutes: float
    """Processor time of the last run."""
    versions: Mapping[str, str]


_LEGEND = (
    "dependence | items | looks | pattern: records, true records, sum of the true accuracies of "
    "the frontier's last holders, procedures: [histories, those with a false claim that holds, sum "
    "of the shares of false claims, sum of their squares, true claims that hold], intervals: "
    "[records, missed, missed by a plain one, true gain below the interval, true gain below the "
    "corrected one, and sums over histories of records², missed², records × missed]"
)
_DIGITS = 9


def to_json(results: Results, about: About) -> str:
    """Return the results as JSON, a line for each scenario."""
    lines = []
    for scenario, result in results.items():
        packed = {
            "records": result.records,
            "true_records": result.true_records,
            "holder": round(result.holder, _DIGITS),
            "found": {
                name: [round(number, _DIGITS) for number in found]
                for name, found in result.found.items()
            },
            "intervals": list(result.intervals),
        }
        lines.append(frame.entry(scenario.label, packed))
    return frame.to_json(about._asdict(), _LEGEND, "results", lines)


def from_json(text: str) -> tuple[Results, About]:
    """Return what `to_json` wrote."""
    content = json.loads(text)
    results: Results = {
        Scenario.from_label(label): Result(
            packed["records"],
            packed["true_records"],
            packed["holder"],
            {name: Found(*numbers) for name, numbers in packed["found"].items()},
            Intervals(*packed["intervals"]),
        )
        for label, packed in content["results"].items()
    }
    return results, About(**content["about"])
