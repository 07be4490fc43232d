"""Simulate scenarios, many times over, and count where k̂ is above the truth."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from benchmarks.calibration.frame import Progress, simulate_parts
from benchmarks.calibration.replicability.estimators import NOT_LOOKED_AT, estimates
from benchmarks.calibration.replicability.scenarios import (
    BLOCK,
    PATTERNS,
    Scenario,
    draw,
    sides_of,
)
from benchmarks.calibration.run import Figure, highest

REPETITIONS = 4_000
JOINT_REPETITIONS = {10: 500, 60: 150}
"""By number of datasets: the joint estimate takes longest."""


class Estimate(NamedTuple):
    """How an estimator fared in a scenario."""

    figure: Figure
    """Repetitions, and those with k̂ above the truth at .05 and at .01."""
    total: int
    """Sum of k̂ at .05 over the repetitions."""

    @property
    def mean(self) -> float:
        """Mean of k̂ at .05."""
        return self.total / self.figure.repetitions


Estimates = dict[str, dict[str, Estimate]]
"""By side and estimator."""
Results = dict[Scenario, Estimates]


def simulate(
    scenario: Scenario, block: int, repetitions: int, n_joint: int, seed: int
) -> dict[str, dict[str, npt.NDArray[np.int64]]]:
    """Simulate up to `BLOCK` repetitions.

    Returns
    -------
    dict of dict of ndarray, shape (4,)
        By side and estimator: repetitions, those above the truth at both levels (negative where
        that was not looked at), sum of k̂.
    """
    draws = draw(scenario, block, seed)
    draws = draws._replace(differences=draws.differences[:repetitions])
    truth = PATTERNS[scenario.pattern].n_effects(scenario.n_datasets)
    with np.errstate(all="ignore"):
        found = estimates(scenario, draws, n_joint, seed + block * BLOCK)
    return {
        side: {
            name: np.array([len(k), *_above(k, truth), k[:, 0].sum()])
            for name, k in estimators.items()
        }
        for side, estimators in found.items()
    }


def _above(k: npt.NDArray[np.int64], truth: int) -> list[int]:
    """Return how often k̂ is above the truth at both levels, or `NOT_LOOKED_AT`."""
    return [
        NOT_LOOKED_AT * len(column) if np.any(column < 0) else int(np.sum(column > truth))
        for column in k.T
    ]


def run(
    scenarios: Sequence[Scenario],
    *,
    repetitions: int = REPETITIONS,
    joint_share: float = 1.0,
    seed: int = 0,
    processes: int = 1,
    log: bool = True,
) -> Results:
    """Simulate scenarios; results do not depend on the number of processes or on each other."""
    parts = [
        (scenario, block, *_sizes(scenario, block, repetitions, joint_share), seed)
        for scenario in scenarios
        for block in range(-(-repetitions // BLOCK))
    ]
    sums: dict[Scenario, dict[str, dict[str, npt.NDArray[np.int64]]]] = {
        scenario: {side: {} for side in sides_of(scenario)} for scenario in scenarios
    }
    progress = Progress(len(parts), log)
    for n_done, ((scenario, *_), found) in enumerate(simulate_parts(simulate, parts, processes), 1):
        for side, estimators in found.items():
            for name, numbers in estimators.items():
                sums[scenario][side][name] = sums[scenario][side].get(name, 0) + numbers
        if n_done % 100 == 0:
            progress.tell(n_done, scenario.label)
    return {
        scenario: {
            side: {name: _estimate(numbers) for name, numbers in estimators.items()}
            for side, estimators in sides.items()
        }
        for scenario, sides in sums.items()
    }


def _sizes(scenario: Scenario, block: int, repetitions: int, joint_share: float) -> tuple[int, int]:
    """Return how many repetitions a block has, and how many of them the joint estimate."""
    n_joint = min(repetitions, round(JOINT_REPETITIONS[scenario.n_datasets] * joint_share))
    return (
        min(BLOCK, repetitions - block * BLOCK),
        max(0, min(BLOCK, n_joint - block * BLOCK)),
    )


def _estimate(numbers: npt.NDArray[np.int64]) -> Estimate:
    repetitions, *above, total = numbers.tolist()
    first, second = (math.nan if n < 0 else float(n) for n in above)
    return Estimate(Figure(repetitions, (first, second), 0), total)


def worst(
    results: Results, side: str, dependence: str, kind: str, n_datasets: int, k: str, name: str
) -> Figure | None:
    """Return an estimator's figure with the highest rate over the effects, marked ones first."""
    found = []
    for pattern in PATTERNS.values():
        estimators = results.get(Scenario(dependence, kind, n_datasets, pattern.name), {})
        if pattern.k == k and name in estimators.get(side, {}):
            found.append(estimators[side][name].figure)
    return highest(found)
