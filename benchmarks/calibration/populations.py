"""Where the simulated items come from: populations in which the truth is known exactly."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy import integrate, optimize, stats

FloatArray = npt.NDArray[np.float64]
GROUP_SIZE = 10
"""Items of a group, in populations with groups."""
CORRELATION = 0.3
"""Between items of a group."""
N_SYSTEMS = 20
"""On a simulated leaderboard."""
_GRID = stats.norm.ppf((np.arange(4_000) + 0.5) / 4_000)  # equally likely difficulties


class Sample(NamedTuple):
    """Two systems' scores on the same items."""

    a: FloatArray
    """Shape (n_items,) or (n_items, n_components)."""
    b: FloatArray
    groups: npt.NDArray[np.int64] | None


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


def of_continuous(distribution: stats.rv_continuous, shift: float, score: float) -> Truth:
    """Return the truth about differences that are `shift` plus a draw from a distribution."""
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
    chances = np.bincount(which, weights=table.reshape(-1))
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


def _groups(n: int) -> npt.NDArray[np.int64]:
    return np.arange(n) // GROUP_SIZE


def _clustered_normals(rng: np.random.Generator, rows: int, n: int) -> FloatArray:
    """Return standard normals, shape (rows, n), correlated within groups."""
    groups = _groups(n)
    shared = rng.standard_normal((rows, groups[-1] + 1))[:, groups]
    own = rng.standard_normal((rows, n))
    return np.sqrt(CORRELATION) * shared + np.sqrt(1 - CORRELATION) * own


def _around(middle: FloatArray, differences: FloatArray, groups: bool = False) -> Sample:
    codes = _groups(middle.size) if groups else None
    return Sample(middle + differences / 2, middle - differences / 2, codes)


def _normal(rng: np.random.Generator, n: int, effect: float) -> Sample:
    own, middle = rng.standard_normal((2, n))
    return _around(middle, effect + own)


def _skewed_scores(rng: np.random.Generator, n: int, effect: float) -> Sample:
    easy, first, second = rng.standard_exponential((3, n))
    return Sample(easy + first + effect * math.sqrt(2), easy + second, None)


def _skewed(rng: np.random.Generator, n: int, effect: float, centre: float = 1.0) -> Sample:
    return _around(rng.standard_normal(n), effect + rng.standard_exponential(n) - centre)


def _skewed_about_median(rng: np.random.Generator, n: int, effect: float) -> Sample:
    return _skewed(rng, n, effect, math.log(2))


def _heavy(rng: np.random.Generator, n: int, effect: float) -> Sample:
    return _around(rng.standard_normal(n), effect * math.sqrt(3) + rng.standard_t(3, n))


def _ratings(rng: np.random.Generator, n: int, effect: float) -> Sample:
    middle, first, second = rng.standard_normal((3, n))
    ratings = np.clip(np.rint(3 + middle + np.stack([first + effect, second])), 1, 5)
    return Sample(ratings[0], ratings[1], None)


def _ratings_truth(effect: float) -> Truth:
    edges = np.array([1.5, 2.5, 3.5, 4.5]) - 3 - _GRID[:, np.newaxis]
    first, second = (
        np.diff(stats.norm.cdf(edges - shift), prepend=0.0, append=1.0) for shift in (effect, 0.0)
    )
    return of_table(first.T @ second / len(_GRID), np.arange(1.0, 6.0))


def _binary_table(effect: float) -> FloatArray:
    """Return the probabilities of (a, b) = (0, 0), (0, 1), (1, 0), (1, 1)."""
    return np.array([0.12, 0.08 * (1 - effect), 0.08 * (1 + effect), 0.72])


def _binary(rng: np.random.Generator, n: int, effect: float) -> Sample:
    state = np.searchsorted(np.cumsum(_binary_table(effect))[:3], rng.random(n), side="right")
    return Sample((state >= 2).astype(float), (state % 2).astype(float), None)


def _clustered(rng: np.random.Generator, n: int, effect: float) -> Sample:
    own, middle = _clustered_normals(rng, 2, n)
    return _around(middle, effect + own, groups=True)


def _clustered_binary(rng: np.random.Generator, n: int, effect: float) -> Sample:
    groups = _groups(n)
    own, shared = _binary(rng, n, effect), _binary(rng, int(groups[-1]) + 1, effect)
    copied = rng.random(n) < math.sqrt(CORRELATION)
    a, b = (np.where(copied, s[groups], o) for s, o in zip(shared[:2], own[:2], strict=True))
    return Sample(a, b, groups)


def _binary_truth(effect: float) -> Truth:
    return of_table(_binary_table(effect).reshape(2, 2), np.array([0.0, 1.0]))


def _with_gold(parts: FloatArray, groups: bool = False) -> Sample:
    """Return two systems and their gold from (gold, shared error, error of a, error of b)."""
    gold, shared, first, second = parts
    a, b = (gold + (shared + own) / math.sqrt(2) for own in (first, second))
    codes = _groups(gold.size) if groups else None
    return Sample(np.stack([a, gold], axis=1), np.stack([b, gold], axis=1), codes)


def _rounded_with_gold(
    rng: np.random.Generator, n: int, squeeze: Callable[[FloatArray], FloatArray]
) -> Sample:
    sample = _with_gold(rng.standard_normal((4, n)))
    return Sample(squeeze(sample.a), squeeze(sample.b), None)


def _gold_drawers() -> dict[str, Callable[[np.random.Generator, int, float], Sample]]:
    def rate(x: FloatArray) -> FloatArray:
        return np.clip(np.rint(3 + x), 1, 5)

    def decide(x: FloatArray) -> FloatArray:
        return (x > 0).astype(float)

    return {
        "normal": lambda rng, n, _: _with_gold(rng.standard_normal((4, n))),
        "skewed": lambda rng, n, _: _with_gold(rng.standard_exponential((4, n))),
        "heavy": lambda rng, n, _: _with_gold(rng.standard_t(3, (4, n))),
        "ratings": lambda rng, n, _: _rounded_with_gold(rng, n, rate),
        "binary": lambda rng, n, _: _rounded_with_gold(rng, n, decide),
        "clustered": lambda rng, n, _: _with_gold(_clustered_normals(rng, 4, n), groups=True),
    }


def _ratio(rng: np.random.Generator, n: int, effect: float) -> Sample:
    length = rng.integers(1, 41, n)
    right = rng.binomial(length, rng.beta(6, 3, n), (2, n))
    a, b = np.stack([right, np.broadcast_to(length, (2, n))], axis=2).astype(float)
    return Sample(a, b, None)


def _f1(rng: np.random.Generator, n: int, effect: float) -> Sample:
    present = rng.poisson(3, n)
    found = rng.binomial(present, rng.beta(6, 3, n), (2, n))
    wrong = rng.poisson(1.0, (2, n))
    a, b = np.stack([found, wrong, present - found], axis=2).astype(float)
    return Sample(a, b, None)


def _bleu(rng: np.random.Generator, n: int, effect: float) -> Sample:
    reference = rng.integers(5, 41, n)
    length = reference + rng.integers(-2, 3, (2, n))
    chance, totals, right = rng.beta(6, 3, n), [], []
    matches = length
    for order in range(4):
        totals.append(length - order)
        matches = rng.binomial(np.minimum(matches, length - order), chance if order == 0 else 0.7)
        right.append(matches)
    columns = [length, np.broadcast_to(reference, (2, n)), *right, *totals]
    a, b = np.stack(columns, axis=2).astype(float)
    return Sample(a, b, None)


def _board(parts: FloatArray, effect: float) -> Sample:
    """Return the scores of 20 systems from item difficulty and own errors, shape (21, n)."""
    shift = np.zeros((N_SYSTEMS, 1))
    shift[: N_SYSTEMS // 2] = effect * math.sqrt(2 / parts.shape[1])
    scores = parts[0] + parts[1:] + shift
    return Sample(scores, scores, None)


def _board_normal(rng: np.random.Generator, n: int, effect: float) -> Sample:
    return _board(rng.standard_normal((N_SYSTEMS + 1, n)), effect)


def _board_skewed(rng: np.random.Generator, n: int, effect: float) -> Sample:
    return _board(rng.standard_exponential((N_SYSTEMS + 1, n)), effect)


def _board_binary(rng: np.random.Generator, n: int, effect: float) -> Sample:
    scores = (_board_normal(rng, n, effect).a > -1.19).astype(float)
    return Sample(scores, scores, None)


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
        _normal,
        lambda effect: of_continuous(stats.norm(), effect, effect / 2),
    ),
    Population(
        "skewed-scores",
        "skewed scores",
        "a = e₀ + e₁ and b = e₀ + e₂ with eᵢ exponential: skewed scores, symmetric differences",
        "graded",
        True,
        _skewed_scores,
        lambda effect: of_continuous(_LAPLACE, effect * math.sqrt(2), 2 + effect * math.sqrt(2)),
    ),
    Population(
        "skewed",
        "skewed differences, equal means",
        "d = e - 1 with e exponential (skewness 2; mean 0, median -0.31), and scores u ± d/2",
        "graded",
        False,
        _skewed,
        lambda effect: of_continuous(stats.expon(loc=-1), effect, effect / 2),
    ),
    Population(
        "skewed-median",
        "skewed differences, median 0",
        "d = e - ln 2 with e exponential (median 0, mean 0.31), and scores u ± d/2",
        "graded",
        False,
        _skewed_about_median,
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
        _heavy,
        lambda effect: of_continuous(stats.t(3), effect * math.sqrt(3), effect * math.sqrt(3) / 2),
    ),
    Population(
        "ratings",
        "ratings with ties",
        "a and b are 3 + u + e₁ and 3 + u + e₂, all normal, rounded to 1 … 5; a third of the pairs tie",
        "graded",
        True,
        _ratings,
        _ratings_truth,
    ),
    Population(
        "binary",
        "right or wrong",
        "both right .72, only a .08, only b .08, both wrong .12: p = .8, correlation .5",
        "binary",
        True,
        _binary,
        _binary_truth,
    ),
    Population(
        "clustered",
        "clustered",
        "as normal, but u and d each have correlation .3 within groups of 10 items",
        "graded",
        True,
        _clustered,
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
        _clustered_binary,
        _binary_truth,
        grouped=True,
    ),
)
_GOLD_FORMULA = (
    "gold g, a = g + (s + e₁)/√2, b = g + (s + e₂)/√2, where g, s, e₁ and e₂ are independent "
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
        _GOLD_FORMULA + _GOLD_TITLES[name][1],
        "correlation",
        True,
        draw,
        _no_difference,
        grouped=name == "clustered",
    )
    for name, draw in _gold_drawers().items()
)
_CORPUS = (
    Population(
        "ratio",
        "ratio (such as accuracy by token)",
        "sentences of 1 to 40 tokens, each right with the probability of its sentence, "
        "Beta(6, 3)",
        "ratio",
        True,
        _ratio,
        _no_difference,
    ),
    Population(
        "f1",
        "F1",
        "Poisson(3) entities per sentence, each found with the probability of its sentence, "
        "Beta(6, 3); Poisson(1) found in error",
        "f1",
        True,
        _f1,
        _no_difference,
    ),
    Population(
        "bleu",
        "BLEU",
        "references of 5 to 40 tokens, outputs up to 2 shorter or longer; tokens match with the "
        "probability of their sentence, Beta(6, 3), longer n-grams with .7 of the shorter ones",
        "bleu",
        True,
        _bleu,
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
        _board_normal,
        Truth,
    ),
    Population(
        "board-skewed",
        "skewed",
        "the same with u and e exponential",
        "board",
        True,
        _board_skewed,
        Truth,
    ),
    Population(
        "board-binary",
        "right or wrong",
        "right where the normal score is above -1.19: p = .8",
        "board",
        True,
        _board_binary,
        Truth,
    ),
)
POPULATIONS = {p.name: p for p in (*_SCORES, *_GOLD, *_CORPUS, *_BOARDS)}
