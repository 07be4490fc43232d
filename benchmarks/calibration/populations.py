"""Where the simulated items come from: populations in which the truth is known exactly."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy import integrate, optimize, stats

from benchmarks.calibration import samples
from benchmarks.calibration.samples import Sample

FloatArray = npt.NDArray[np.float64]
_GRID = stats.norm.ppf((np.arange(4_000) + 0.5) / 4_000)  # equally likely difficulties


class Truth(NamedTuple):
    """What a sample's statistics estimate."""

    difference: float
    score: float = math.nan
    """Mean score of a."""
    median: float = math.nan
    """Of the differences."""
    centre: float = math.nan
    """Median of the average of two independent differences."""
    dz: float = math.nan
    biserial: float = math.nan
    superiority: float = math.nan


@dataclass(frozen=True)
class Population:
    """A distribution of item pairs with the difference between the systems as its parameter."""

    name: str
    title: str
    formula: str
    """In Markdown."""
    kind: str
    """"graded" or "binary" item scores, "correlation" with gold, or a corpus metric's name."""
    exchangeable: bool
    """Whether exchanging the systems changes nothing where they are equally good."""
    draw: Callable[[np.random.Generator, int, float], Sample]
    """From a generator, the number of items and the difference, in units of its own."""
    truth: Callable[[float], Truth]
    """From the difference in those units."""
    grouped: bool = False
    means_equal: bool = True
    """Whether the means are equal where the difference is 0."""


def of_continuous(distribution: Any, shift: float, score: float) -> Truth:
    """Return the truth about differences: `shift` plus a draw from a distribution of scipy."""
    density, below = distribution.pdf, distribution.cdf
    low, high = distribution.support()

    def pair_below(total: float) -> float:
        """Return the chance that two differences without the shift sum to at most `total`."""
        return float(
            integrate.quad(lambda x: density(x) * below(total - x), low, high, limit=200)[0]
        )

    centre = optimize.brentq(lambda m: pair_below(2 * m) - 0.5, -2.0, 2.0)
    mean = float(distribution.mean()) + shift
    return Truth(
        difference=mean,
        score=score,
        median=float(distribution.median()) + shift,
        centre=centre + shift,
        dz=mean / float(distribution.std()),
        biserial=1 - 2 * pair_below(-2 * shift),
        superiority=1 - float(below(-shift)),
    )


def of_table(table: FloatArray, values: FloatArray) -> Truth:
    """Return the truth about pairs of `values` with the probabilities of a table (a, b)."""
    gaps = np.subtract.outer(values, values).reshape(-1)
    sizes, which = np.unique(gaps, return_inverse=True)
    chances = np.bincount(which, weights=table.reshape(-1)).astype(np.float64)
    mean = float(sizes @ chances)
    std = math.sqrt(float((sizes - mean) ** 2 @ chances))
    differing = np.where(sizes != 0, chances, 0) / chances[sizes != 0].sum()
    sums = np.add.outer(sizes, sizes)
    return Truth(
        difference=mean,
        score=float(values @ table.sum(axis=1)),
        median=_middle(sizes, chances),
        centre=_middle(sums.reshape(-1) / 2, np.outer(chances, chances).reshape(-1)),
        dz=mean / std,
        biserial=float(differing @ np.sign(sums) @ differing),
        superiority=float(chances @ ((sizes > 0) + (sizes == 0) / 2)),
    )


def _middle(values: FloatArray, chances: FloatArray) -> float:
    order = np.argsort(values, kind="stable")
    return float(values[order][np.searchsorted(np.cumsum(chances[order]), 0.5)])


def _ratings_truth(effect: float) -> Truth:
    edges = np.array([1.5, 2.5, 3.5, 4.5]) - 3 - _GRID[:, np.newaxis]
    first, second = (
        np.diff(stats.norm.cdf(edges - shift), prepend=0.0, append=1.0) for shift in (effect, 0.0)
    )
    return of_table(first.T @ second / len(_GRID), np.arange(1.0, 6.0))


def _binary_truth(effect: float) -> Truth:
    return of_table(samples.binary_table(effect).reshape(2, 2), np.array([0.0, 1.0]))


def _no_difference(_: float) -> Truth:
    return Truth(0.0)


_LAPLACE = stats.laplace()
_SCORES = (
    Population(
        "normal",
        "normal differences",
        "d ~ N(0, 1), and scores u ± d/2 with u ~ N(0, 1)",
        "graded",
        True,
        samples.normal,
        lambda effect: of_continuous(stats.norm(), effect, effect / 2),
    ),
    Population(
        "skewed-scores",
        "skewed scores",
        "a = e₀ + e₁ and b = e₀ + e₂ with eᵢ exponential: skewed scores, symmetric differences",
        "graded",
        True,
        samples.skewed_scores,
        lambda effect: of_continuous(_LAPLACE, effect * math.sqrt(2), 2 + effect * math.sqrt(2)),
    ),
    Population(
        "skewed",
        "skewed differences, equal means",
        "d = e - 1 with e exponential (skewness 2; mean 0, median -0.31), and scores u ± d/2",
        "graded",
        False,
        samples.skewed,
        lambda effect: of_continuous(stats.expon(loc=-1), effect, effect / 2),
    ),
    Population(
        "skewed-median",
        "skewed differences, median 0",
        "d = e - ln 2 with e exponential (median 0, mean 0.31), and scores u ± d/2",
        "graded",
        False,
        samples.skewed_about_median,
        lambda effect: of_continuous(
            stats.expon(loc=-math.log(2)), effect, (1 - math.log(2) + effect) / 2
        ),
        means_equal=False,
    ),
    Population(
        "heavy",
        "heavy-tailed differences",
        "d ~ t with 3 degrees of freedom (no fourth moment), and scores u ± d/2",
        "graded",
        True,
        samples.heavy,
        lambda effect: of_continuous(stats.t(3), effect * math.sqrt(3), effect * math.sqrt(3) / 2),
    ),
    Population(
        "ratings",
        "ratings with ties",
        "a and b are 3 + u + e₁ and 3 + u + e₂, all normal, rounded to 1 … 5; a third of the "
        "pairs tie",
        "graded",
        True,
        samples.ratings,
        _ratings_truth,
    ),
    Population(
        "binary",
        "right or wrong",
        "both right .72, only a .08, only b .08, both wrong .12: p = .8, correlation .5",
        "binary",
        True,
        samples.binary,
        _binary_truth,
    ),
    Population(
        "clustered",
        "clustered",
        "as normal, but u and d each have correlation .3 within groups of 10 items",
        "graded",
        True,
        samples.clustered,
        lambda effect: of_continuous(stats.norm(), effect, effect / 2),
        grouped=True,
    ),
    Population(
        "clustered-binary",
        "clustered, right or wrong",
        "as right or wrong, but each item repeats, with probability √.3, one pair drawn for its "
        "group of 10: correlation .3 within groups",
        "binary",
        True,
        samples.clustered_binary,
        _binary_truth,
        grouped=True,
    ),
)
_GOLD_TITLES = {
    "normal": ("normal", "N(0, 1)"),
    "skewed": ("skewed", "exponential"),
    "heavy": ("heavy-tailed", "t with 3 degrees of freedom"),
    "ratings": ("ratings with ties", "N(0, 1), and gold and scores are rounded to 1 … 5"),
    "binary": ("right or wrong", "N(0, 1), and gold and scores are cut at 0 to 0 or 1"),
    "clustered": ("clustered", "N(0, 1), with correlation .3 within groups of 10 items"),
}
_GOLD = tuple(
    Population(
        f"gold-{name}",
        f"{_GOLD_TITLES[name][0]}, with gold",
        "g, s, e₁, e₂: " + _GOLD_TITLES[name][1],
        "correlation",
        True,
        draw,
        _no_difference,
        grouped=name == "clustered",
    )
    for name, draw in samples.gold_drawers().items()
)
_CORPUS = (
    Population(
        "ratio",
        "ratio",
        "as accuracy by token: sentences of 1 to 40 tokens, each right with the probability of its "
        "sentence, Beta(6, 3)",
        "ratio",
        True,
        samples.ratio,
        lambda _: Truth(0.0, score=2 / 3),
    ),
    Population(
        "f1",
        "F1",
        "Poisson(3) entities per sentence, each found with the probability of its sentence, "
        "Beta(6, 3); Poisson(1) found in error",
        "f1",
        True,
        samples.f1,
        lambda _: Truth(0.0, score=2 / 3),
    ),
    Population(
        "bleu",
        "BLEU",
        "references of 5 to 40 tokens, outputs up to 2 shorter or longer; tokens match with the "
        "probability of their sentence, Beta(6, 3), longer n-grams with .7 of the shorter ones",
        "bleu",
        True,
        samples.bleu,
        _no_difference,
    ),
)
_BOARDS = (
    Population(
        "board-normal",
        "normal",
        "scores u + e of 20 systems with the items' u ~ N(0, 1) and e ~ N(0, 1)",
        "board",
        True,
        samples.board_normal,
        Truth,
    ),
    Population(
        "board-skewed",
        "skewed",
        "the same with u and e exponential",
        "board",
        True,
        samples.board_skewed,
        Truth,
    ),
    Population(
        "board-binary",
        "right or wrong",
        "right where the normal score is above -1.19: p = .8",
        "board",
        True,
        samples.board_binary,
        Truth,
    ),
)
POPULATIONS = {p.name: p for p in (*_SCORES, *_GOLD, *_CORPUS, *_BOARDS)}
