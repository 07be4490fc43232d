"""Make the stores, ask, and count."""

from __future__ import annotations

import tempfile
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from numpy.random import PCG64DXSM, Generator, SeedSequence
from scipy import stats

from benchmarks.calibration.end_to_end.counting import Counts
from benchmarks.calibration.end_to_end.scenarios import SCENARIOS, Scenario
from benchmarks.calibration.end_to_end.store_of import Asked
from benchmarks.calibration.frame import Progress, simulate_parts

CHANCE = 0.001
"""Of a mark on a scenario that keeps its level exactly."""

Results = dict[str, Counts]
"""By the label of the scenario."""
BY_LABEL = {scenario.label: scenario for scenario in SCENARIOS}


class Judged(NamedTuple):
    """Whether a scenario keeps what it promises."""

    alarms: bool
    """False alarms are more than chance allows at the stated level."""
    intervals: bool
    """So are the intervals that miss the true value."""


def judge(scenario: Scenario, counts: Counts) -> Judged:
    """Return whether there are more errors than a level that is kept gives, but for 1 in 1,000."""

    def exceeds(errors: int, cases: int, level: float) -> bool:
        return bool(cases and errors > stats.binom.ppf(1 - CHANCE, cases, level))

    return Judged(
        exceeds(counts.alarms, counts.asked, scenario.level),
        exceeds(counts.missed, counts.intervals, 0.05),
    )


def simulate(label: str, block: int, size: int, seed: int) -> Counts:
    """Make one store of a scenario and ask it."""
    key = (zlib.crc32(label.encode()), block)
    rng = Generator(PCG64DXSM(SeedSequence(seed, spawn_key=key)))
    with tempfile.TemporaryDirectory() as folder:
        return BY_LABEL[label].ask(Asked(Path(folder)), rng, size)


def run(
    scenarios: Sequence[Scenario],
    *,
    seed: int = 0,
    processes: int = 1,
    share: float = 1.0,
    log: bool = True,
) -> Results:
    """Simulate scenarios; results do not depend on the number of processes or on each other."""
    parts = [
        (scenario.label, block, max(1, round(scenario.size * share)), seed)
        for scenario in scenarios
        for block in range(scenario.blocks)
    ]
    results = {scenario.label: Counts() for scenario in scenarios}
    progress = Progress(len(parts), log)
    for n_done, ((label, *_), found) in enumerate(simulate_parts(simulate, parts, processes), 1):
        results[label] = results[label].plus(found)
        progress.tell(n_done, f"{label}: {found}")
    return results
