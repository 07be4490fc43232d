"""The counts as JSON, and back."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import NamedTuple

from benchmarks.calibration import frame
from benchmarks.calibration.end_to_end.counting import Counts
from benchmarks.calibration.end_to_end.run import Results


class About(NamedTuple):
    """How the counts came about."""

    seed: int
    share: float
    """Of the answers that a full run asks for."""
    bounds: Mapping[str, float]
    """Of `analysis.statistics.validity_bounds`, as they were then."""
    minutes: float
    """Processor time of the last run."""
    versions: Mapping[str, str]


_LEGEND = (
    "command | data: [answers asked for, refused as without a valid test, false alarms, intervals "
    "shown, intervals that miss the true value]"
)


def to_json(results: Results, about: About) -> str:
    """Return the counts as JSON, a line for each scenario."""
    lines = [frame.entry(label, list(counts)) for label, counts in results.items()]
    return frame.to_json(about._asdict(), _LEGEND, "results", lines)


def from_json(text: str) -> tuple[Results, About]:
    """Return what `to_json` wrote."""
    content = json.loads(text)
    results = {label: Counts(*numbers) for label, numbers in content["results"].items()}
    return results, About(**content["about"])
