"""Simulated datasets on which a known number of differences is real.

Everything starts from one difference per item, d = loading · u + √(1 - loading²) · e, where u is
an item's own effect, which datasets that share the item have in common, and e is new in each.
"""

from __future__ import annotations

import math
import zlib
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from numpy.random import PCG64DXSM, Generator, SeedSequence
from scipy import special

from analysis.statistics.across.replicability import direct_pvalues
from analysis.statistics.validity import guard_counts
from analysis.statistics.validity_bounds import DifferenceFacts, Moments

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]

N_DATASETS = (10, 60)
BLOCK = 250
"""Repetitions that are drawn together."""
ITEM_CORRELATION = 0.8
"""Between the differences on an item that two datasets, or two metrics, share."""


class Dependence(NamedTuple):
    """Which datasets share item effects, and how strongly."""

    name: str
    title: str
    formula: str
    """In Markdown."""
    groups: Callable[[int], list[int]]
    """From the number of datasets: a number each; equal numbers share items."""
    loadings: Callable[[int], list[float]]
    """From the number of datasets: correlation of a dataset's item differences with the shared
    effects."""
    shared: float = 1.0
    """Share of the items that the datasets of a group have in common."""
    only_without_effects: bool = False


class Kind(NamedTuple):
    """How p-values come from the items of one dataset."""

    name: str
    title: str
    formula: str
    n_items: int
    test: str
    """"t", "sign", "mcnemar", "stated": McNemar's two-sided p-value turned to one side; or
    "skewed": t of skewed differences, as careful as a count asks for."""
    dependences: tuple[str, ...] = ()
    """The only ones that it is simulated with, where not all are."""


class Pattern(NamedTuple):
    """On how many datasets system A is truly better, and by how much."""

    name: str
    k: str
    """"0", "1" or "N/2"."""
    title: str
    shift: float
    """Standard errors, over all items of a dataset, by which A is better there."""
    elsewhere: float = 0.0
    """The same for the other datasets: below 0, B is better."""

    def n_effects(self, n_datasets: int) -> int:
        """Return the true number of datasets on which A is better."""
        return {"0": 0, "1": 1, "N/2": n_datasets // 2}[self.k]


class Scenario(NamedTuple):
    """What is simulated together; one-sided and two-sided estimates come from it."""

    dependence: str
    kind: str
    n_datasets: int
    pattern: str

    @property
    def label(self) -> str:
        """The scenario as the command line and the log name it."""
        return f"{self.dependence} | {self.kind} | N={self.n_datasets} | {self.pattern}"

    @classmethod
    def from_label(cls, label: str) -> Scenario:
        """Return the scenario with such a label."""
        dependence, kind, n_datasets, pattern = label.split(" | ")
        return cls(dependence, kind, int(n_datasets.removeprefix("N=")), pattern)


class Draws(NamedTuple):
    """Some repetitions of a scenario."""

    differences: FloatArray
    """Shape (repetitions, n_datasets, n_items), before they are rounded to what `Kind` shows."""
    units: IntArray
    """Shape (n_datasets, n_items): equal numbers are the same item."""


def _own(n: int) -> list[int]:
    return list(range(n))


def _paper_groups(n: int) -> list[int]:
    size = round(0.33 * n)
    return [*range(n - 2 * size), *[n] * size, *[n + 1] * size]


def _paper_loadings(n: int) -> list[float]:
    size = round(0.33 * n)
    return [0.0] * (n - 2 * size) + [math.sqrt(0.2)] * size + [math.sqrt(0.5)] * size


def _by_two(n: int) -> list[int]:
    return [dataset // 2 for dataset in range(n)]


def _overlap(percent: int) -> Dependence:
    return Dependence(
        f"shared-{percent}",
        f"{percent} % of items shared",
        f"all datasets have {percent} % of their items in common (say, transformed); the systems' "
        f"differences on such an item correlate by {ITEM_CORRELATION}",
        lambda n: [0] * n,
        lambda n: [math.sqrt(ITEM_CORRELATION)] * n,
        shared=percent / 100,
    )


DEPENDENCES = {
    d.name: d
    for d in (
        Dependence("independent", "independent", "no item in common", _own, lambda n: [0.0] * n),
        Dependence(
            "paper",
            "paper's dependent groups",
            "the second simulation of Dror et al. (2017): 33 % of the datasets have statistics "
            "that correlate by .2, 33 % by .5, the others are independent and come first where "
            "effects are real",
            _paper_groups,
            _paper_loadings,
        ),
        *(_overlap(percent) for percent in (10, 50, 100)),
        Dependence(
            "two-metrics",
            "two metrics",
            f"N/2 datasets with two metrics each, whose differences correlate by "
            f"{ITEM_CORRELATION}",
            _by_two,
            lambda n: [math.sqrt(ITEM_CORRELATION)] * n,
        ),
        Dependence(
            "opposed-metrics",
            "two opposed metrics",
            f"the same with -{ITEM_CORRELATION}: what one metric gains the other loses",
            _by_two,
            lambda n: [(-1) ** d * math.sqrt(ITEM_CORRELATION) for d in range(n)],
        ),
        Dependence(
            "copies",
            "one dataset N times",
            "all datasets are the same one (k = 0 only)",
            lambda n: [0] * n,
            lambda n: [1.0] * n,
            only_without_effects=True,
        ),
    )
}
KINDS = {
    kind.name: kind
    for kind in (
        Kind("t-50", "t, 50 items", "continuous: d as drawn", 50, "t"),
        Kind(
            "sign-10", "sign, 10 items", "discrete: the sign of d, 11 possible p-values", 10, "sign"
        ),
        Kind(
            "mcnemar-20",
            "McNemar, 20 items",
            "discrete: right or wrong, and only one is right on the 30 % of items with the "
            "largest |d|: 6 of 20",
            20,
            "mcnemar",
        ),
        Kind("mcnemar-50", "McNemar, 50 items", "the same: 15 of 50", 50, "mcnemar"),
        Kind(
            "stated-20",
            "McNemar, 20 items, stated",
            "the same 20 items, with the two-sided p-value as papers state it, turned to one side "
            "by the sign of the difference (`direct_pvalues`)",
            20,
            "stated",
        ),
        Kind(
            "skewed-30",
            "skewed, 30 items",
            "1 + ln Φ(d), an exponential turned round: mean 0 and skewness -2 where there is no "
            "effect; t, as careful as a count asks for (`guard_counts`)",
            30,
            "skewed",
            dependences=("independent",),
        ),
    )
}
PATTERNS = {
    pattern.name: pattern
    for pattern in (
        Pattern("none", "0", "no effect", 0.0),
        Pattern("one moderate", "1", "moderate", 2.5),
        Pattern("one strong", "1", "strong", 15.0),
        Pattern("half moderate", "N/2", "moderate", 2.5),
        Pattern("half strong", "N/2", "strong", 15.0),
        Pattern("half opposed", "N/2", "strong, B better on the others", 15.0, -2.5),
    )
}
_DISCORDANT = 0.3
_CUT = float(special.ndtri(1 - _DISCORDANT / 2))


def all_scenarios() -> list[Scenario]:
    """Return every scenario of the full run."""
    return [
        Scenario(dependence.name, kind.name, n_datasets, pattern.name)
        for n_datasets in N_DATASETS
        for dependence in DEPENDENCES.values()
        for kind in KINDS.values()
        if not kind.dependences or dependence.name in kind.dependences
        for pattern in PATTERNS.values()
        if pattern.k == "0" or not dependence.only_without_effects
    ]


def sides_of(scenario: Scenario) -> tuple[str, ...]:
    """Return which estimates a scenario has a known truth for."""
    if KINDS[scenario.kind].test == "stated" or PATTERNS[scenario.pattern].elsewhere:
        return ("one-sided",)
    return ("one-sided", "two-sided")


def draw(scenario: Scenario, block: int, seed: int) -> Draws:
    """Draw one block of repetitions; kinds with equally many items and patterns share theirs."""
    dependence, kind = DEPENDENCES[scenario.dependence], KINDS[scenario.kind]
    pattern, n = PATTERNS[scenario.pattern], scenario.n_datasets
    key = zlib.crc32(f"{dependence.name}|{kind.n_items}|{n}".encode())
    rng = Generator(PCG64DXSM(SeedSequence(seed, spawn_key=(key, block))))
    groups = np.unique(dependence.groups(n), return_inverse=True)[1]
    loadings = np.array(dependence.loadings(n))[:, np.newaxis]
    n_shared = round(dependence.shared * kind.n_items)

    differences = rng.standard_normal((BLOCK, n, kind.n_items))
    if np.any(loadings):
        common = rng.standard_normal((BLOCK, int(groups.max()) + 1, n_shared))
        differences[:, :, :n_shared] *= np.sqrt(1 - loadings**2)
        differences[:, :, :n_shared] += loadings * common[:, groups]
    shifts = np.full(n, pattern.elsewhere)
    shifts[: pattern.n_effects(n)] = pattern.shift
    differences += shifts[:, np.newaxis] / math.sqrt(kind.n_items)

    units = np.arange(n * kind.n_items).reshape(n, kind.n_items)
    units[:, :n_shared] = groups[:, np.newaxis] * kind.n_items + np.arange(n_shared)
    units[:, n_shared:] += n * kind.n_items
    return Draws(differences, units)


def scores_of(kind: Kind, differences: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the item scores of A and B that show such differences."""
    if kind.test == "skewed":
        differences = 1 + special.log_ndtr(differences)
    if kind.test in ("t", "skewed"):
        return differences / 2, -differences / 2
    cut = 0.0 if kind.test == "sign" else _CUT
    return (differences > cut).astype(np.float64), (differences < -cut).astype(np.float64)


def pvalues_of(kind: Kind, differences: FloatArray, side: str) -> FloatArray:
    """Return the p-value of each dataset, shape (repetitions, n_datasets).

    One-sided: of "A is better than B". They equal those of `paired_test`, those of skewed
    differences what `guard_counts` makes of them.
    """
    n = differences.shape[-1]
    if kind.test == "skewed":
        return _of_skewed(1 + special.log_ndtr(differences), side)
    if kind.test == "t":
        t = differences.mean(axis=-1) / (differences.std(axis=-1, ddof=1) / math.sqrt(n))
        if side == "one-sided":
            return np.asarray(special.stdtr(n - 1, -t))
        return np.asarray(2 * special.stdtr(n - 1, -np.abs(t)))
    a, b = scores_of(kind, differences)
    wins, losses = (np.count_nonzero(scores, axis=-1) for scores in (a, b))
    if side == "one-sided" and kind.test != "stated":
        return _binomial_tail(wins, wins + losses)
    both = np.minimum(2 * _binomial_tail(np.maximum(wins, losses), wins + losses), 1.0)
    if kind.test != "stated":
        return both
    turned = direct_pvalues(both.reshape(-1), "two-sided", (wins - losses).reshape(-1))
    return turned.a_over_b.reshape(both.shape)


def _of_skewed(differences: FloatArray, side: str) -> FloatArray:
    n = differences.shape[-1]
    mean, sd = differences.mean(axis=-1), differences.std(axis=-1, ddof=1)
    third = np.mean((differences - mean[..., np.newaxis]) ** 3, axis=-1)
    skewness = third / (sd**2 * (n - 1) / n) ** 1.5
    moments = Moments(np.full(mean.shape, float(n)), mean, sd, skewness)
    unknown, never = np.full(mean.shape, np.nan), np.zeros(mean.shape, dtype=np.bool_)
    facts = DifferenceFacts(
        units=moments,
        differing=moments,
        items=moments,
        largest=unknown,
        error=unknown,
        df=unknown,
        runs=never,
    )
    t = math.sqrt(n) * mean / sd
    if side == "one-sided":
        return guard_counts(facts, special.stdtr(n - 1, -t), alternative="greater").pvalue
    both = 2 * special.stdtr(n - 1, -np.abs(t))
    return guard_counts(facts, both, alternative="two-sided").pvalue


def _binomial_tail(at_least: IntArray, of: IntArray) -> FloatArray:
    """Return the probability of at least so many heads of a fair coin."""
    tail = special.bdtrc(np.maximum(at_least, 1) - 1, of, 0.5)
    return np.asarray(np.where(at_least == 0, 1.0, tail))
