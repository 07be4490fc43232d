"""Power for accuracy, balanced accuracy and F1 from what two systems do in each class."""

from dataclasses import dataclass
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt
from numpy.random import PCG64DXSM, Generator, SeedSequence

from analysis.statistics._typing import Alternative, FloatArray, IntArray, Seed
from analysis.statistics.planning.arguments import as_sizes
from analysis.statistics.results import Result, read_only
from analysis.statistics.signature import build_signature
from analysis.statistics.validation import (
    ALTERNATIVES,
    as_choice,
    as_count,
    as_floats,
    as_level,
    as_seed,
)

OUTCOMES: Final = ("both right", "only new", "only baseline", "both wrong")
METRICS: Final = ("accuracy", "balanced accuracy", "F1")
_SAME = 1e-12
_SUM = 1e-6

_Right: TypeAlias = "IntArray | FloatArray"


@dataclass(frozen=True, slots=True, eq=False)
class ClassPower(Result):
    """Power by number of items, for each metric.

    Attributes
    ----------
    metrics : tuple of str
        "accuracy", "balanced accuracy", and of two classes "F1" of the first.
    difference : ndarray, shape (n_metrics,)
        New system less baseline, with as many items as one likes.
    sizes : ndarray of int, shape (n_sizes,)
    power : ndarray, shape (n_metrics, n_sizes)
        Share of simulated test sets with a significant result in the direction of `difference`;
        in either direction where that is 0.
    standard_error : ndarray, shape (n_metrics, n_sizes)
        Binomial, of `power`.
    alpha : float
    alternative : str
    n_iterations, n_resamples, seed : int
        Simulated test sets per size, exchanges of each, and the seed of both.
    """

    metrics: tuple[str, ...]
    difference: FloatArray
    sizes: IntArray
    power: FloatArray
    standard_error: FloatArray
    alpha: float
    alternative: str
    n_iterations: int
    n_resamples: int
    seed: int

    @property
    def signature(self) -> str:
        """One line from which the simulation can be repeated, with the table of the classes."""
        return build_signature(
            "class-power",
            sizes=" ".join(str(size) for size in self.sizes),
            alt=self.alternative,
            alpha=self.alpha,
            m=self.n_iterations,
            r=self.n_resamples,
            seed=self.seed,
        )


def class_power(
    shares: npt.ArrayLike,
    cells: npt.ArrayLike,
    *,
    sizes: tuple[int, ...] | list[int],
    alpha: float = 0.05,
    alternative: Alternative = "two-sided",
    n_iterations: int = 1_000,
    n_resamples: int = 999,
    rng: Seed = 0,
) -> ClassPower:
    """Simulate test sets from a table per class, and put each to the paired randomisation test.

    Parameters
    ----------
    shares : array_like, shape (n_classes,)
        Of the items, summing to 1.
    cells : array_like, shape (n_classes, 4)
        Of a class' items: both systems right, only the new one, only the baseline, both wrong.
        Each row sums to 1.
    sizes : sequence of int
        Numbers of items.
    alpha, alternative
        Of the test.
    n_iterations, n_resamples : int
        Simulated test sets per size; exchanges of each.
    rng : int, Generator or None
        Seed. A size draws the same whichever others are asked for.

    Returns
    -------
    ClassPower

    Raises
    ------
    TypeError, ValueError
        If an argument is out of range, or rows do not sum to 1.

    Notes
    -----
    Exchanging the two systems' answers to an item changes something only where one of them is
    right. So in a class with d such items the new system is right on Binomial(d, ½) of them after
    an exchange, which is what is drawn. With two classes a wrong answer is the other class, so
    these numbers give true and false positives too.

    References
    ----------
    Card et al. (2020), With little power comes great responsibility, table 11.

    Examples
    --------
    >>> found = class_power([1.0], [[0.7, 0.2, 0.1, 0.0]], sizes=[200], n_iterations=200)
    >>> bool(0.6 < found.power[0, 0] < 0.95)
    True
    """
    weights, table = _as_tables(shares, cells)
    as_choice(alternative, "alternative", ALTERNATIVES)
    level, numbers, seed = as_level(alpha), as_sizes(sizes), as_seed(rng)
    repeats = as_count(n_iterations, "n_iterations")
    draws = as_count(n_resamples, "n_resamples")
    metrics = METRICS if weights.size == 2 else METRICS[:2]
    new, baseline = table[:, 0] + table[:, 1], table[:, 0] + table[:, 2]
    true = _differences(weights, weights * new, weights * baseline)
    power = np.empty((len(metrics), numbers.size))
    for i, size in enumerate(numbers.tolist()):
        generator = Generator(PCG64DXSM(SeedSequence([seed, size])))
        found = np.zeros(len(metrics))
        for counts in generator.multinomial(size, (weights[:, None] * table).ravel(), repeats):
            found += _found(counts.reshape(table.shape), true, level, alternative, draws, generator)
        power[:, i] = found / repeats
    return ClassPower(
        metrics=metrics,
        difference=read_only(true),
        sizes=read_only(numbers),
        power=read_only(power),
        standard_error=read_only(np.sqrt(power * (1 - power) / repeats)),
        alpha=level,
        alternative=alternative,
        n_iterations=repeats,
        n_resamples=draws,
        seed=seed,
    )


def _as_tables(shares: npt.ArrayLike, cells: npt.ArrayLike) -> tuple[FloatArray, FloatArray]:
    weights, table = as_floats(shares, "shares"), as_floats(cells, "cells")
    if weights.ndim != 1 or table.shape != (weights.size, len(OUTCOMES)) or not weights.size:
        raise ValueError(
            f"`cells` must have a row of {len(OUTCOMES)} for each of `shares`, got shapes "
            f"{table.shape} and {weights.shape}."
        )
    for name, values in (("shares", weights[None]), ("cells", table)):
        if not (values >= 0).all() or (np.abs(values.sum(axis=1) - 1) > _SUM).any():
            raise ValueError(f"`{name}` must be at least 0 and sum to 1.")
    return weights / weights.sum(), table / table.sum(axis=1, keepdims=True)


def _found(
    counts: IntArray,
    true: FloatArray,
    alpha: float,
    alternative: str,
    n_resamples: int,
    generator: Generator,
) -> FloatArray:
    """Return for each metric whether one test set shows it, in the direction of `true`."""
    n, both, split = counts.sum(axis=1), counts[:, 0], counts[:, 1] + counts[:, 2]
    seen = _differences(n, both + counts[:, 1], both + counts[:, 2])
    drawn = generator.binomial(split, 0.5, (n_resamples, split.size))
    exchanged = _differences(n, both + drawn, both + split - drawn)
    if alternative == "two-sided":
        extreme = np.abs(exchanged) >= np.abs(seen) - _SAME
    elif alternative == "greater":
        extreme = exchanged >= seen - _SAME
    else:
        extreme = exchanged <= seen + _SAME
    pvalues = (1 + extreme.sum(axis=0)) / (1 + n_resamples)
    is_right = (np.abs(true) < _SAME) | (np.sign(seen) == np.sign(true))
    return np.asarray((pvalues <= alpha) & is_right, dtype=np.float64)


def _differences(n: _Right, new: _Right, baseline: _Right) -> FloatArray:
    """Return new less baseline of each metric, from items and right answers by class."""
    return np.stack(
        [
            of_new - of_old
            for of_new, of_old in zip(_scores(n, new), _scores(n, baseline), strict=True)
        ],
        axis=-1,
    )


def _scores(n: _Right, right: _Right) -> list[FloatArray]:
    """Return each metric; a class without items has no recall, and F1 without positives is 0."""
    there = n > 0
    recalls = np.divide(right, n, out=np.zeros(np.shape(right)), where=there)
    scores = [right.sum(axis=-1) / n.sum(), recalls.sum(axis=-1) / there.sum()]
    if n.size == 2:
        hits, false_alarms = right[..., 0], n[1] - right[..., 1]
        total = n[0] + hits + false_alarms
        scores.append(2 * hits / np.where(total > 0, total, 1))
    return scores
