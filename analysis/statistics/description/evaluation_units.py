"""Items grouped into evaluation units of some size, as NLPStatTest does before testing."""

import random
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from analysis.statistics._typing import FloatArray, IntArray
from analysis.statistics.paired.result import complete_pair
from analysis.statistics.results import Result, read_only
from analysis.statistics.signature import build_signature
from analysis.statistics.standard_error import exact_std
from analysis.statistics.validation import as_choice, as_count, as_floats

UnitStatistic: TypeAlias = Literal["mean", "median"]

UNIT_STATISTICS: tuple[UnitStatistic, ...] = ("mean", "median")
_ITEMS_PER_SIZE = 15
_MOST_SIZES = 100
_WHISKER = 1.5


@dataclass(frozen=True, slots=True, eq=False)
class UnitSizeCalibration(Result):
    """How the spread of unit differences falls with the size of units.

    Attributes
    ----------
    sizes : ndarray of int, shape (n_sizes,)
        Sizes tried: at most 100, evenly from 1 to a 15th of the items.
    n_units : ndarray of int, shape (n_sizes,)
    variance : ndarray, shape (n_sizes,)
        Of the differences between units.
    std : ndarray, shape (n_sizes,)
        Its square root.
    whiskers : tuple of (float, float)
        Tukey's: 1.5 interquartile ranges beyond the quartiles of `variance`.
    recommended : int
        The smallest size whose variance lies between the whiskers, ends included.
    statistic : str
    shuffle_seed : int or None
    n_items, n_missing : int
    """

    sizes: IntArray
    n_units: IntArray
    variance: FloatArray
    std: FloatArray
    whiskers: tuple[float, float]
    recommended: int
    statistic: str
    shuffle_seed: int | None
    n_items: int
    n_missing: int

    @property
    def signature(self) -> str:
        """One line from which the calibration can be repeated."""
        return build_signature(
            "unit-size",
            by=self.statistic,
            shuffle="none" if self.shuffle_seed is None else self.shuffle_seed,
            sizes=self.sizes.size,
            n=self.n_items,
            missing=self.n_missing,
        )


def unit_scores(
    scores: npt.ArrayLike,
    *,
    size: int = 1,
    statistic: str = "mean",
    shuffle_seed: int | None = None,
) -> FloatArray:
    """Return the scores of several systems per evaluation unit, the same units for all.

    Parameters
    ----------
    scores : array_like, shape (n_systems, n_items)
    size : int
        Items in a unit. There are ``n_items // size`` units; the first ones take the items left
        over, one each.
    statistic : {"mean", "median"}
        Of the items in a unit.
    shuffle_seed : int, optional
        Shuffle the items first, by Python's own generator as NLPStatTest does, so that its
        figures can be repeated. None keeps the order.

    Returns
    -------
    ndarray, shape (n_systems, n_units)
        NaN where any item of the unit is missing: units of different items cannot be compared.
        Leave incomplete items out beforehand to keep more units.

    Raises
    ------
    TypeError, ValueError
        If scores are no numbers, not finite or not 2-D; if there are fewer items than `size`.

    References
    ----------
    Zhu et al. (2020), NLPStatTest, 3.1.

    Examples
    --------
    >>> unit_scores([[1, 2, 3, 4], [0, 0, 1, float("nan")]], size=2).tolist()
    [[1.5, 3.5], [0.0, nan]]
    """
    values = as_floats(scores, "scores")
    if values.ndim != 2:
        raise ValueError(f"`scores` must be 2-D (systems × items), got shape {values.shape}.")
    as_choice(statistic, "statistic", UNIT_STATISTICS)
    shuffle = _as_shuffle(shuffle_seed)
    order, starts = _arrange(values.shape[1], as_count(size, "size"), shuffle)
    return _summarise(values[:, order], starts, statistic)


def calibrate_unit_size(
    a: npt.ArrayLike,
    b: npt.ArrayLike,
    *,
    statistic: str = "mean",
    shuffle_seed: int | None = None,
) -> UnitSizeCalibration:
    """Try unit sizes and recommend the smallest whose variance is no outlier among them.

    Larger units always vary less; the recommendation is a rule of thumb and no test.

    Parameters
    ----------
    a, b : array_like, shape (n_items,)
        Scores; items without a score from both are left out.
    statistic, shuffle_seed
        As for `unit_scores`.

    Returns
    -------
    UnitSizeCalibration

    Raises
    ------
    TypeError, ValueError
        As `unit_scores`; if there are fewer than two items.

    References
    ----------
    NLPStatTest's code (the paper does not describe it), whose plot calls the variance a standard
    deviation.
    """
    pair = complete_pair(a, b, n_components=1)
    as_choice(statistic, "statistic", UNIT_STATISTICS)
    shuffle = _as_shuffle(shuffle_seed)
    both = np.stack([pair.a[:, 0], pair.b[:, 0]])
    n = both.shape[1]
    if n < 2:
        raise ValueError(f"`a` and `b` must share at least 2 items to compare sizes, got {n}.")
    largest = max(1, n // _ITEMS_PER_SIZE)
    sizes = np.unique(np.linspace(1, largest, min(largest, _MOST_SIZES)).astype(np.int64))
    shuffled = both[:, _arrange(n, 1, shuffle)[0]]
    counts = n // sizes
    std = np.empty(sizes.size)
    for i, n_units in enumerate(counts):
        first, second = _summarise(shuffled, _starts(n, int(n_units)), statistic)
        std[i] = exact_std(first - second)
    variance = std**2
    low, high = np.quantile(variance, [0.25, 0.75])
    whiskers = (low - _WHISKER * (high - low), high + _WHISKER * (high - low))
    inside = (variance >= whiskers[0]) & (variance <= whiskers[1])
    return UnitSizeCalibration(
        sizes=read_only(sizes),
        n_units=read_only(counts),
        variance=read_only(variance),
        std=read_only(std),
        whiskers=(float(whiskers[0]), float(whiskers[1])),
        recommended=int(sizes[np.argmax(inside)]),
        statistic=statistic,
        shuffle_seed=shuffle_seed,
        n_items=n,
        n_missing=pair.n_missing,
    )


def _as_shuffle(shuffle_seed: int | None) -> int | None:
    if shuffle_seed is None:
        return None
    # Any int is a seed for Python's generator; but -1 and 1 would be the same one.
    if isinstance(shuffle_seed, bool) or not isinstance(shuffle_seed, int | np.integer):
        raise TypeError(
            f"`shuffle_seed` must be a whole number or None, got {type(shuffle_seed).__name__}."
        )
    if shuffle_seed < 0:
        raise ValueError(f"`shuffle_seed` must not be negative, got {shuffle_seed}.")
    return int(shuffle_seed)


def _arrange(n_items: int, size: int, shuffle_seed: int | None) -> tuple[IntArray, IntArray]:
    """Return the order of items and where units begin in it."""
    if n_items < size:
        raise ValueError(
            f"`size` of {size} needs at least as many items with a score from both, got {n_items}."
        )
    order = list(range(n_items))
    if shuffle_seed is not None:
        random.Random(shuffle_seed).shuffle(order)
    return np.array(order, dtype=np.int64), _starts(n_items, n_items // size)


def _starts(n_items: int, n_units: int) -> IntArray:
    """Return where units begin: the first ones get the items that are left over, one each."""
    units = np.arange(n_units, dtype=np.int64)
    return units * (n_items // n_units) + np.minimum(units, n_items % n_units)


def _summarise(values: FloatArray, starts: IntArray, statistic: str) -> FloatArray:
    """Return the statistic of each unit, shape (n_rows, n_units)."""
    n_items, n_units = values.shape[1], starts.size
    short, n_long = divmod(n_items, n_units)
    split = n_long * (short + 1)
    reduce = np.mean if statistic == "mean" else np.median
    rows = values.shape[0]
    parts = [
        reduce(part.reshape(rows, -1, length), axis=2)
        for part, length in ((values[:, :split], short + 1), (values[:, split:], short))
        if part.size
    ]
    return np.concatenate(parts, axis=1)
