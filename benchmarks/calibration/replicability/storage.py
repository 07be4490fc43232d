"""The results as JSON, and back."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import NamedTuple

from benchmarks.calibration import frame
from benchmarks.calibration.replicability.run import Estimate, Results
from benchmarks.calibration.replicability.scenarios import Scenario
from benchmarks.calibration.run import Figure


class About(NamedTuple):
    """How the results came about."""

    repetitions: int
    joint: Mapping[str, int]
    """Repetitions of the joint estimate, by number of datasets."""
    seed: int
    n_resamples: int
    minutes: float
    """Processor time of the last run of all scenarios."""
    versions: Mapping[str, str]


_LEGEND = (
    "dependence | p-values | N | effects: side: estimator: [repetitions, k̂ above the truth at "
    ".05, the same at .01 (null: not looked at), sum of k̂ at .05]"
)


def to_json(results: Results, about: About) -> str:
    """Return the results as JSON, a line for each scenario."""
    lines = []
    for scenario, sides in results.items():
        packed = {
            side: {
                name: [e.figure.repetitions, *map(_plain, e.figure.errors), e.total]
                for name, e in estimators.items()
            }
            for side, estimators in sides.items()
        }
        lines.append(frame.entry(scenario.label, packed))
    return frame.to_json(about._asdict(), _LEGEND, "results", lines)


def from_json(text: str) -> tuple[Results, About]:
    """Return what `to_json` wrote."""
    content = json.loads(text)
    results: Results = {
        Scenario.from_label(label): {
            side: {name: _unpacked(numbers) for name, numbers in estimators.items()}
            for side, estimators in sides.items()
        }
        for label, sides in content["results"].items()
    }
    return results, About(**content["about"])


def _plain(count: float) -> int | None:
    return None if math.isnan(count) else int(count)


def _unpacked(numbers: tuple[int, int | None, int | None, int]) -> Estimate:
    repetitions, *above, total = numbers
    first, second = (math.nan if n is None else float(n) for n in above)
    return Estimate(Figure(repetitions, (first, second), 0), total)
