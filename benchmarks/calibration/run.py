"""Simulate cells: a procedure on a population with a number of items, many times over."""

from __future__ import annotations

import functools
import warnings
import zlib
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from numpy.random import PCG64DXSM, Generator, SeedSequence
from scipy import special, stats

from benchmarks.calibration.corrections import LEVELS
from benchmarks.calibration.frame import Progress, simulate_parts
from benchmarks.calibration.populations import POPULATIONS, Truth
from benchmarks.calibration.procedures import JOBS

REPETITIONS = 2_000
"""For up to 200 items; half of them for 1,000."""
_MANY = 1_000
_PART = 250  # repetitions that a process is handed at once
_CHANCE = 0.001  # two-sided, of marking a procedure that keeps its level

BY_GROUP = " by group"
TOO_MANY, TOO_FEW, AS_STATED = "▲", "▽", ""


class Cell(NamedTuple):
    """A job on a population with a number of items."""

    job: str
    population: str
    n: int
    by_group: bool
    """Whether the procedure is told the groups."""

    @property
    def column(self) -> str:
        """Name of the population, and whether groups are given."""
        return self.population + BY_GROUP if self.by_group else self.population

    @property
    def label(self) -> str:
        return f"{self.job} | {self.column} | n={self.n}"


class Figure(NamedTuple):
    """What was counted for one row in one cell."""

    repetitions: int
    errors: tuple[float, float]
    """False alarms at the two levels, or misses of an interval at the first; NaN = not looked at.
    For corrections of a share: the sum of the shares."""
    undefined: int
    """Samples that gave no answer."""
    squares: tuple[float, float] | None = None
    """Sums of squares, where errors are shares."""

    def rate(self, level: int = 0) -> float:
        """Return the share of repetitions with an error at one of the levels."""
        return self.errors[level] / self.repetitions

    def mark(self, level: int = 0) -> str:
        """Return whether the rate is too high, too low, or in keeping with the level."""
        errors, n = self.errors[level], self.repetitions
        if np.isnan(errors):
            return AS_STATED
        if self.squares is None:
            low = float(stats.binom.ppf(_CHANCE / 2, n, LEVELS[level]))
            high = float(stats.binom.ppf(1 - _CHANCE / 2, n, LEVELS[level]))
        else:
            # Shares are no counts: by their own standard error.
            spread = np.sqrt(max(0.0, self.squares[level] - errors**2 / n))
            reach = float(special.ndtri(1 - _CHANCE / 2)) * spread
            low, high = n * LEVELS[level] - reach, n * LEVELS[level] + reach
        return TOO_MANY if errors > high else TOO_FEW if errors < low else AS_STATED

    @property
    def too_many(self) -> bool:
        """Whether there are too many errors at either level."""
        return TOO_MANY in (self.mark(0), self.mark(1))


def highest(figures: Iterable[Figure]) -> Figure | None:
    """Return the figure with the highest rate, marked ones first."""
    return max(figures, key=lambda figure: (figure.too_many, figure.rate()), default=None)


Figures = dict[str, dict[str, dict[int, Figure]]]
"""By row, column and number of items."""


def cells_of(jobs: Sequence[str] | None = None) -> list[Cell]:
    """Return the cells of some jobs, or of all, those with the most items first."""
    cells = [
        Cell(name, population, n, by_group)
        for name, job in JOBS.items()
        if jobs is None or name in jobs
        for population in job.populations
        for by_group in ((False, True) if _joins(name, population) else (False,))
        for n in job.sizes
    ]
    return sorted(cells, key=lambda cell: -cell.n)


def _joins(job: str, population: str) -> bool:
    return JOBS[job].takes_groups and POPULATIONS[population].grouped


def repetitions_of(cell: Cell, repetitions: int = REPETITIONS) -> int:
    """Return how often a cell is simulated."""
    job = JOBS[cell.job]
    share = job.share * (0.5 * job.share_of_many if cell.n >= _MANY else 1.0)
    return max(1, round(repetitions * share))


def simulate(cell: Cell, first: int, last: int, seed: int) -> npt.NDArray[np.float64]:
    """Simulate some repetitions of a cell; each has random numbers of its own.

    Returns
    -------
    ndarray, shape (2, n_rows, 3)
        Sums, and sums of squares, of errors at both levels and of samples without an answer.
    """
    job, population = JOBS[cell.job], POPULATIONS[cell.population]
    truth = _truth(cell.population, job.effect)
    key = zlib.crc32(f"{cell.population}|{cell.n}|{job.effect}".encode())
    sums = np.zeros((2, len(job.rows), 3))
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        for repetition in range(first, last):
            words = PCG64DXSM(SeedSequence(seed, spawn_key=(key, repetition)))
            sample = population.draw(Generator(words), cell.n, job.effect)
            groups = sample.groups if cell.by_group else None
            found = job.run(sample, truth, groups, repetition)
            sums += np.stack([found, found**2])
    return sums


@functools.cache
def _truth(population: str, effect: float) -> Truth:
    return POPULATIONS[population].truth(effect)


def run(
    cells: Sequence[Cell],
    *,
    repetitions: int = REPETITIONS,
    seed: int = 0,
    processes: int = 2,
    log: bool = True,
) -> Figures:
    """Simulate cells; the figures do not depend on the number of processes or on other cells."""
    parts = [
        (cell, first, min(first + _PART, repetitions_of(cell, repetitions)), seed)
        for cell in cells
        for first in range(0, repetitions_of(cell, repetitions), _PART)
    ]
    sums = {cell: np.zeros((2, len(JOBS[cell.job].rows), 3)) for cell in cells}
    open_parts = Counter(cell for cell, *_ in parts)
    progress, done = Progress(len(cells), log), 0
    for (cell, *_), found in simulate_parts(simulate, parts, processes):
        sums[cell] += found
        open_parts[cell] -= 1
        if open_parts[cell] == 0:
            done += 1
            rate = sums[cell][0, 0, 0] / repetitions_of(cell, repetitions)
            progress.tell(done, f"{cell.label}: {100 * rate:.1f} %")
    figures: Figures = {}
    for cell, total in sums.items():
        for row, sum_, squares in zip(JOBS[cell.job].rows, *total, strict=True):
            figure = _figure(repetitions_of(cell, repetitions), sum_, squares)
            figures.setdefault(row.name, {}).setdefault(cell.column, {})[cell.n] = figure
    return figures


def _figure(
    repetitions: int, sums: npt.NDArray[np.float64], squares: npt.NDArray[np.float64]
) -> Figure:
    of_shares = not np.array_equal(sums[:2], squares[:2], equal_nan=True)
    return Figure(
        repetitions,
        (float(sums[0]), float(sums[1])),
        int(sums[2]),
        (float(squares[0]), float(squares[1])) if of_shares else None,
    )
