"""Two metrics that follow gold equally well: where their errors come from, and where ties are."""

from __future__ import annotations

import zlib
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from numpy.random import PCG64DXSM, Generator, SeedSequence

FloatArray = npt.NDArray[np.float64]

N_SYSTEMS = (4, 8, 16)
N_ITEMS = 50
BLOCK = 50
"""Repetitions that are drawn together."""
QUALITY = 0.5
"""Spread of the systems' true quality; that of items, and of cells, is 1."""
ERROR = 1.5
"""Spread of a metric's error."""
_OF_SYSTEMS, _OF_ITEMS = 0.04, 0.5
"""Share of the error's variance that belongs to whole systems, to whole items."""
_WORSE = 1.7


class Errors(NamedTuple):
    """What the errors of the two metrics are like."""

    name: str
    title: str
    formula: str
    system_share: float = 0.0
    item_share: float = 0.0
    skewed: bool = False
    """Whether y's errors have an exponential distribution, x's a normal one."""
    ties: bool = False
    worse: float = 1.0
    """How many times larger y's errors are; both metrics are equally good only at 1."""

    @property
    def is_null(self) -> bool:
        """Whether both metrics are equally good."""
        return self.worse == 1


ERRORS = {
    errors.name: errors
    for errors in (
        Errors("cells", "own", "each output has an error of its own"),
        Errors(
            "ties",
            "own, with ties",
            "the same; gold is rounded to whole numbers and both metrics to halves",
            ties=True,
        ),
        Errors(
            "items",
            "shared by an item",
            f"{100 * _OF_ITEMS:.0f} % of an error's variance belongs to the item: a metric is too "
            "kind to all its outputs",
            item_share=_OF_ITEMS,
        ),
        Errors(
            "systems",
            "shared by a system",
            f"{100 * _OF_SYSTEMS:.0f} % of an error's variance belongs to the system: a metric "
            "prefers some systems for no reason",
            system_share=_OF_SYSTEMS,
        ),
        Errors(
            "skewed",
            "of two kinds",
            "x's errors are normal, y's exponential, with the same variance: the same Pearson "
            "correlation, but not exchangeable",
            skewed=True,
        ),
        Errors(
            "better",
            "x is better",
            f"each output has an error of its own, {_WORSE} times as large for y",
            worse=_WORSE,
        ),
        Errors(
            "better, systems",
            "x is better, errors shared by a system",
            f"the same with {100 * _OF_SYSTEMS:.0f} % of an error's variance shared by a system",
            system_share=_OF_SYSTEMS,
            worse=_WORSE,
        ),
    )
}


class Measure(NamedTuple):
    """A level and a coefficient."""

    level: str
    coefficient: str

    @property
    def title(self) -> str:
        """As it stands in a table."""
        return f"{self.level}, {self.coefficient}"


MEASURES = (
    Measure("system", "pearson"),
    Measure("system", "kendall-b"),
    Measure("item", "kendall-b"),
    Measure("item", "pairwise-accuracy"),
    Measure("global", "pearson"),
)


def measures_of(errors: str) -> tuple[Measure, ...]:
    """Return what is looked at: where both metrics are equally good by it, and it adds to others.

    Without ties the pairwise accuracy is Kendall's tau-b by another name.
    """
    return tuple(
        measure
        for measure in MEASURES
        if (measure.coefficient == "pearson" or not ERRORS[errors].skewed)
        and (measure.coefficient != "pairwise-accuracy" or ERRORS[errors].ties)
    )


class Scenario(NamedTuple):
    """What is simulated together; all measures and tests see the same data."""

    errors: str
    n_systems: int

    @property
    def label(self) -> str:
        """The scenario as the command line and the log name it."""
        return f"{self.errors} | S={self.n_systems}"

    @classmethod
    def from_label(cls, label: str) -> Scenario:
        """Return the scenario with such a label."""
        errors, n_systems = label.split(" | ")
        return cls(errors, int(n_systems.removeprefix("S=")))


class Draws(NamedTuple):
    """Some repetitions; arrays of shape (repetitions, n_systems, n_items)."""

    x: FloatArray
    y: FloatArray
    gold: FloatArray


def all_scenarios() -> list[Scenario]:
    """Return every scenario of the full run."""
    return [Scenario(errors, n_systems) for errors in ERRORS for n_systems in N_SYSTEMS]


def draw(scenario: Scenario, block: int, seed: int) -> Draws:
    """Draw one block of repetitions; all kinds of errors with as many systems share the gold."""
    errors, n_systems = ERRORS[scenario.errors], scenario.n_systems
    key = zlib.crc32(f"gold|{n_systems}".encode())
    rng = Generator(PCG64DXSM(SeedSequence(seed, spawn_key=(key, block))))
    gold = QUALITY * rng.standard_normal((BLOCK, n_systems, 1))
    gold = gold + rng.standard_normal((BLOCK, 1, N_ITEMS))
    gold = gold + rng.standard_normal((BLOCK, n_systems, N_ITEMS))
    x, y = (
        gold + size * _errors(errors, n_systems, rng, second)
        for size, second in ((ERROR, False), (ERROR * errors.worse, True))
    )
    if errors.ties:
        gold, x, y = np.rint(gold), np.rint(2 * x) / 2, np.rint(2 * y) / 2
    return Draws(x, y, gold)


def _errors(errors: Errors, n_systems: int, rng: Generator, second: bool) -> FloatArray:
    """Return one metric's errors, with variance 1."""
    shape = (BLOCK, n_systems, N_ITEMS)
    if errors.skewed and second:
        return rng.standard_exponential(shape) - 1
    own = np.sqrt(1 - errors.system_share - errors.item_share) * rng.standard_normal(shape)
    of_systems = rng.standard_normal((BLOCK, n_systems, 1))
    of_items = rng.standard_normal((BLOCK, 1, N_ITEMS))
    return np.asarray(
        own + np.sqrt(errors.system_share) * of_systems + np.sqrt(errors.item_share) * of_items
    )
