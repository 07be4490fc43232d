"""Nasty data: ties, near-lattices, extreme scales, constants, heavy tails, disasters, gaps."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Scores = npt.NDArray[np.float64]
MARGIN = 0.25
"""Within this the systems of a case are to be called equivalent."""
Draw = Callable[[np.random.Generator, int, int], Scores]


@dataclass(frozen=True)
class Case:
    """Scores of systems on items, to be compared in pairs.

    Attributes
    ----------
    name
        Kind and number; the dataset is called so.
    scores
        Shape (n_items, n_systems), NaN = missing; of moderate size.
    exponent
        Scores go into the file times 2 to this power, which changes no digit of them. R is given
        them without it: its t test takes what is tiny for constant.
    delta
        A difference to test against, on the scale of `scores`.
    groups
        A group for each item, whose items depend on each other; None: no groups.
    """

    name: str
    scores: Scores
    exponent: int = 0
    delta: float = 0.0
    groups: npt.NDArray[np.int64] | None = None

    @property
    def factor(self) -> float:
        """What R's numbers on the scale of scores are multiplied by."""
        return 2.0**self.exponent

    @property
    def systems(self) -> list[str]:
        """Return the names of the systems."""
        return [f"S{i}" for i in range(self.scores.shape[1])]


def _dyadic(values: Scores, bits: int = 20) -> Scores:
    """Return values on a fine grid of binary fractions, whose differences are exact."""
    return np.ldexp(np.round(np.ldexp(values, bits)), -bits)


def _normal(rng: np.random.Generator, n: int, k: int) -> Scores:
    return rng.normal(0, 1, (n, 1)) + rng.normal(0, 0.7, (n, k)) + rng.normal(0, 0.2, k)


def _ties(rng: np.random.Generator, n: int, k: int) -> Scores:
    return rng.integers(0, 5, (n, k)).astype(float)


def _binary(rng: np.random.Generator, n: int, k: int) -> Scores:
    hard = rng.random((n, 1))
    return (rng.random((n, k)) < 0.4 * hard + rng.uniform(0.2, 0.6, k)).astype(float)


def _near_lattice(rng: np.random.Generator, n: int, k: int) -> Scores:
    return rng.integers(0, 2, (n, k)) + rng.integers(-3, 4, (n, k)) * 2.0**-10


def _heavy(rng: np.random.Generator, n: int, k: int) -> Scores:
    return np.clip(rng.standard_cauchy((n, k)), -1e4, 1e4)


def _skewed(rng: np.random.Generator, n: int, k: int) -> Scores:
    return rng.exponential(1, (n, k)) ** 2


def _disasters(rng: np.random.Generator, n: int, k: int) -> Scores:
    scores = 1 + 0.01 * rng.normal(0, 1, (n, k))
    scores[rng.random((n, k)) < 0.03] = -100.0
    return scores


def _constant(rng: np.random.Generator, n: int, k: int) -> Scores:
    scores = np.repeat(rng.integers(0, 8, (n, 1)) / 8.0, k, axis=1)
    scores[:, 1:] += np.arange(1, k) * 0.25
    scores[:, -1] = scores[:, 0]
    return scores


def _few_differ(rng: np.random.Generator, n: int, k: int) -> Scores:
    scores = np.repeat(rng.integers(0, 8, (n, 1)) / 8.0, k, axis=1)
    for i in range(1, k):
        scores[rng.permutation(n)[: 1 + i], i] += rng.integers(1, 5)
    return scores


def _near_equal(rng: np.random.Generator, n: int, k: int) -> Scores:
    # A mean of 40 that is not 0 is then above what counts as the rounding of a sum.
    return rng.integers(0, 8, (n, 1)) / 8.0 + rng.integers(-20, 24, (n, k)) * 2.0**-41


def _near_lattice_apart(rng: np.random.Generator, n: int, k: int) -> Scores:
    scores = _near_lattice(rng, n, k)
    for i in range(1, k):  # far in the tails: large equal differences beside many tiny ones
        scores[rng.permutation(n)[: 4 + 4 * i], i] -= 4.0
    return scores


KINDS: dict[str, tuple[Draw, tuple[int, int], tuple[int, ...]]] = {
    "normal": (_normal, (7, 60), (0,)),
    "few-items": (_normal, (2, 7), (0,)),
    "ties": (_ties, (8, 40), (0,)),
    "binary": (_binary, (12, 200), (0,)),
    "near-lattice": (_near_lattice, (10, 60), (0,)),
    "near-lattice-apart": (_near_lattice_apart, (30, 90), (0,)),
    "heavy-tails": (_heavy, (8, 80), (0,)),
    "skewed": (_skewed, (10, 60), (0,)),
    "disasters": (_disasters, (20, 90), (0,)),
    "constant": (_constant, (5, 20), (0,)),
    "few-differ": (_few_differ, (12, 40), (0,)),
    "near-equal": (_near_equal, (10, 40), (0,)),
    "unequal-groups": (_normal, (20, 80), (0,)),
    "tiny": (_normal, (8, 40), (-990, -330, -40)),
    "huge": (_normal, (8, 40), (330, 40)),
    "missing": (_normal, (12, 60), (0,)),
    "many-items": (_normal, (501, 700), (0,)),
    "small-exact": (_ties, (5, 11), (0,)),
}
"""Name -> how scores are drawn, least and largest number of items, exponents to choose from."""


def draw_cases(seed: int, repeats: int = 1) -> list[Case]:
    """Return `repeats` cases of each kind, the same for the same seed."""
    rng = np.random.default_rng(seed)
    cases = []
    for number in range(repeats):
        for kind, (draw, (least, most), exponents) in KINDS.items():
            n, k = int(rng.integers(least, most)), int(rng.integers(3, 6))
            scores, groups = _dyadic(draw(rng, n, k), 44 if kind == "near-equal" else 20), None
            if kind == "missing":
                scores[rng.random(scores.shape) < 0.15] = np.nan
            if kind == "unequal-groups":
                n_groups = int(rng.integers(4, 12))
                groups = np.sort(np.minimum(rng.geometric(0.25, n) - 1, n_groups - 1))
                scores += _dyadic(rng.normal(0, 0.5, (n_groups, k)))[groups]
            delta = float(rng.integers(-4, 5)) / 8
            exponent = int(rng.choice(exponents))
            cases.append(Case(f"{kind}-{number}", scores, exponent, delta, groups))
    return cases


@dataclass(frozen=True)
class Family:
    """Systems on several datasets: a case for each, with the same systems."""

    name: str
    cases: tuple[Case, ...]


def draw_family(seed: int) -> Family:
    """Return three to six systems on six to fourteen datasets of very unequal size."""
    rng = np.random.default_rng([seed, 1])
    k, n_datasets = int(rng.integers(3, 7)), int(rng.integers(6, 15))
    lead = rng.normal(0, 0.4, k)
    cases = []
    for number in range(n_datasets):
        n = int(rng.choice([4, 9, 30, 120]))
        scores = _dyadic(_normal(rng, n, k) + lead * rng.choice([0.0, 1.0]))
        if number % 4 == 3:  # systems that tie on a dataset
            scores[:, 1] = scores[rng.permutation(n), 0]
        cases.append(Case(f"family-{number:02d}", scores))
    return Family("family", tuple(cases))


@dataclass(frozen=True)
class Judged:
    """A gold and metrics of systems on items, shape (n_systems, n_items) each."""

    gold: Scores
    metrics: dict[str, Scores]


def draw_judged(seed: int) -> Judged:
    """Return a gold with ties, a metric that follows it, one that is noise, one with outliers."""
    rng = np.random.default_rng([seed, 2])
    n_systems, n_items = int(rng.integers(5, 14)), int(rng.integers(6, 30))
    quality = rng.normal(0, 1, (n_systems, 1)) + rng.normal(0, 1, (n_systems, n_items))
    metrics = {
        "follows": _dyadic(quality + rng.normal(0, 0.7, quality.shape)),
        "noise": _dyadic(rng.normal(0, 1, quality.shape)),
        "outliers": _dyadic(quality + _heavy(rng, *quality.shape)),
        "ranks": np.round(quality + rng.normal(0, 1, quality.shape)),
    }
    return Judged(np.round(quality), metrics)


@dataclass(frozen=True)
class Plans:
    """What the commands of planning are asked."""

    t: tuple[tuple[float, float, int, float], ...]
    """Mean, standard deviation, items, alpha."""
    mcnemar: tuple[tuple[int, float, float, float, float], ...]
    """Items, accuracy, gap, agreement, alpha."""


def draw_plans(seed: int, n: int = 4) -> Plans:
    """Return questions of planning."""
    rng = np.random.default_rng([seed, 3])
    t, mcnemar = [], []
    for _ in range(n):
        sd = float(np.round(rng.uniform(0.5, 20), 3))
        mean = float(np.round(sd * rng.uniform(0.05, 1.2), 4))
        t.append((mean, sd, int(rng.integers(3, 300)), float(rng.choice([0.01, 0.05, 0.2]))))
        gap = int(rng.integers(1, 20)) / 100
        agreement = 1 - gap - int(rng.integers(1, 20)) / 100
        n_items = int(rng.integers(5, 250))
        mcnemar.append((n_items, 0.5, gap, round(agreement, 2), float(rng.choice([0.01, 0.05]))))
    return Plans(tuple(t), tuple(mcnemar))
