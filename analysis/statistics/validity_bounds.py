"""What is known of where the default tests of a difference hold, and what a guard looks at.

`BOUNDS` are the thresholds, each with the simulations that support it; `DifferenceFacts` is what of
the data of a pair is held against them, and `Reason` what came of it.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import IntEnum
from typing import NamedTuple

from analysis.statistics._typing import BoolArray, FloatArray, IntArray


class Bound(NamedTuple):
    """A threshold, what it stands for, and what supports it."""

    value: float
    means: str
    source: tuple[str, ...]
    """Scenarios of docs/calibration_end_to_end.json, in which the defaults keep their level."""


BOUNDS: Mapping[str, Bound] = {
    "binary-units": Bound(
        10,
        "from so many items on the score test of two shares keeps its level",
        ("pairs | right or wrong", "pairs | rare labels"),
    ),
    "binary-discordant": Bound(
        0.9,
        "up to this share of items that tell the systems apart it keeps it, too",
        ("pairs | right or wrong",),
    ),
    "skewness": Bound(
        0.1,
        "from this skewness of the differences, over the root of their number, they are skewed",
        ("pairs | skewed", "pairs | symmetric"),
    ),
    "inflation": Bound(
        1.5,
        "how much more skewed all items are taken to be than those seen",
        ("pairs | skewed", "pairs | heavy tails", "pairs | skewed, often tied"),
    ),
    "counted-skewness": Bound(
        0.05,
        "the same where p-values are combined over datasets, which adds their errors up",
        ("replicability | skewed",),
    ),
    "counted-margin": Bound(
        2,
        "standard errors by which the skewness is there taken to be larger than seen",
        ("replicability | skewed",),
    ),
    "few-hold-it": Bound(
        0.5,
        "from this skewness over the root of their number few differences decide, and a test of "
        "the side with the shorter tail is not valid",
        ("replicability | skewed",),
    ),
    "lopsided": Bound(
        2,
        "times as large as any gain must be the largest loss on the datasets of a count for it to "
        "be possible on each of them",
        ("replicability | rare disasters", "replicability | rare bad grades"),
    ),
    "unseen-here": Bound(
        3,
        "times as large as what a dataset shows it must be, so that this one hides it",
        ("replicability | rare disasters", "replicability | rare bad grades"),
    ),
    "corpus-units": Bound(
        1_000,
        "up to so many units the bootstrap by percentiles of a corpus metric errs too often",
        ("pairs | corpus F1", "pairs | corpus, rare losses"),
    ),
    "few-groups": Bound(
        10,
        "with fewer groups than this, skewness cannot be corrected for",
        ("pairs | few groups", "pairs | few unequal groups"),
    ),
    "few-skewness": Bound(
        0.7,
        "of its largest possible value, from which few groups count as skewed",
        ("pairs | few skewed groups", "pairs | few groups"),
    ),
    "tight": Bound(
        4,
        "standard deviations that fit into the largest loss of an item from which on losses that "
        "nobody saw could outweigh what was seen",
        ("pairs | rare disasters", "pairs | rare disasters, noisy"),
    ),
}
"""By name."""


class Reason(IntEnum):
    """What was done to the answer about a pair."""

    KEPT = 0
    SKEWED = 1
    """Adjusted for skewed differences."""
    UNSEEN = 2
    """Widened by what no item shows: differences are small beside what an item could lose."""
    NO_VALID_TEST = 3
    """Nothing is known to hold: no p-value, no interval."""
    EXACT = 4
    """Right or wrong: the exact test's p, where it is the larger one."""
    UNEQUAL = 5
    """Groups of unequal sizes: fewer degrees of freedom."""
    RUNS = 6
    """Widened by what another run of the systems would change."""
    JACKKNIFE = 7
    """A corpus metric of few units: the jackknife, where it is the more careful."""


class Moments(NamedTuple):
    """Number, mean, standard deviation (n - 1) and skewness of differences; arrays or numbers."""

    n: FloatArray
    mean: FloatArray
    sd: FloatArray
    skewness: FloatArray


class DifferenceFacts(NamedTuple):
    """What the guard needs to know of each pair, in arrays of one shape.

    Units are those of the test: items, or groups of items, which count by the sum of their
    differences over the mean size of a group. All differences less the one under the null.
    """

    units: Moments
    differing: Moments
    """Of the units whose difference is not 0."""
    items: Moments
    largest: FloatArray
    """How much an item could lose of what the better system gains: down to the lowest score of
    both from its mean, or up to the highest from the other one's; NaN = not known."""
    error: FloatArray
    """A standard error of the mean difference that a t test must reject with, too; NaN = none."""
    df: FloatArray
    """Its degrees of freedom."""
    runs: BoolArray
    """Whether it counts what another run of the systems would change."""


class RunSpread(NamedTuple):
    """How much the mean score of systems changes from run to run, in arrays (n_systems,)."""

    n_runs: IntArray
    between: FloatArray
    """Variance of the means of single runs (n - 1); counts from two runs on."""
    noise: FloatArray
    """What of it the chance within items explains."""
