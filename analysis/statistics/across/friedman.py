"""Do several systems differ over datasets, by their ranks on each? (Friedman; Demšar 2006)"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt
import scipy

from analysis.statistics._typing import BoolArray, FloatArray, IntArray, Seed
from analysis.statistics.across.enumerated_ranks import enumerated_tail
from analysis.statistics.paired.result import TINY
from analysis.statistics.random_streams import BLOCK_ROWS, Stream, raw_words
from analysis.statistics.results import Result, read_only
from analysis.statistics.signature import build_signature
from analysis.statistics.standard_error import rounding_error
from analysis.statistics.validation import as_count, as_floats, as_seed

Permutations = Literal["all", "drawn", "moments"]


@dataclass(frozen=True, slots=True, eq=False)
class FriedmanTest(Result):
    """Result of Friedman's test of several systems on the same datasets.

    Attributes
    ----------
    n_systems, n_datasets : int
    mean_ranks : ndarray of float, shape (n_systems,)
        Mean rank of each system over datasets; 1 is best.
    statistic : float
        Friedman's chi-square, corrected for ties.
    df : int
        Its degrees of freedom, n_systems - 1.
    pvalue : float
        By the chi-square distribution; too large for few datasets.
    f_statistic : float
        Iman and Davenport's F; inf where all datasets rank the systems alike.
    f_df : tuple of (int, int)
        Its degrees of freedom.
    f_pvalue : float
        By the F distribution; where F is inf, the chance that datasets rank alike at random.
    pvalue_permutation : float
        By ranks permuted within each dataset: right for any number of datasets, and with ties.
    permutations : {"all", "drawn", "moments"}
        Where the last p-value is from: all permutations; (b + 1) / (n_resamples + 1) of some that
        were drawn; or, of large tables, an F with the mean and variance of the permutations.
    n_resamples : int
        Permutations drawn; 0 where none had to be.
    seed : int
        Seed of the permutations.
    """

    n_systems: int
    n_datasets: int
    mean_ranks: FloatArray
    statistic: float
    df: int
    pvalue: float
    f_statistic: float
    f_df: tuple[int, int]
    f_pvalue: float
    pvalue_permutation: float
    permutations: Permutations
    n_resamples: int
    seed: int

    @property
    def signature(self) -> str:
        """One line from which the test can be repeated."""
        return build_signature(
            "friedman",
            systems=self.n_systems,
            datasets=self.n_datasets,
            permutations=self.permutations,
            B=self.n_resamples,
            seed=self.seed,
        )

    def __str__(self) -> str:
        lines = [
            f"{self.n_systems} systems on {self.n_datasets} datasets",
            f"chi2({self.df}) = {self.statistic:.4g}, p = {self.pvalue:.4g}",
            f"F{self.f_df} = {self.f_statistic:.4g}, p = {self.f_pvalue:.4g}",
            f"permuted ranks ({self.permutations}): p = {self.pvalue_permutation:.4g}",
        ]
        return "\n".join([*lines, self.signature])


def friedman_test(
    scores: npt.ArrayLike, *, n_resamples: int = 9_999, rng: Seed = 0
) -> FriedmanTest:
    """Test whether any of several systems tend to be better than others, dataset by dataset.

    The datasets are the sample: they should be independent of each other, none a transform of
    another. Only the order of the systems on each dataset counts, so metrics on different scales
    may be mixed. The test says that some systems differ, not which.

    Parameters
    ----------
    scores : array_like, shape (n_systems, n_datasets)
        Higher is better. No value may be missing; for incomplete tables take
        `skillings_mack_test`.
    n_resamples : int
        Permutations, where the table is too large for all of them and too small for moments.
    rng : int, Generator or None
        Seed; 0 is a seed.

    Returns
    -------
    FriedmanTest
        Statistics of 0 and p-values of 1 where every dataset has all systems tied.

    Raises
    ------
    TypeError, ValueError
        If `scores` holds no numbers, infinite or missing values, fewer than two systems or fewer
        than two datasets; if `n_resamples` or `rng` is out of range.

    Notes
    -----
    With doubled ranks c, centred within each dataset, the statistic is
    (k - 1) Σ over systems (Σ c)² / Σ c², which corrects for ties; F is (n - 1) times it, divided
    by n (k - 1) less it [2]_. Sums are of whole numbers, so permutations that give the observed
    statistic are counted as such. Drawing takes O(n_resamples · n_systems · n_datasets).

    Over all permutations the statistic has the mean k - 1 and, of m datasets, the variance
    2 (k - 1) (1 - 1 / m), where datasets count by how far their ranks spread: m is
    (Σ s)² / Σ s², s = Σ c² of a dataset. With 15 of them and 150 ranks an F of these moments [4]_
    lies within simulation error of drawn permutations at levels from 0.1 to 0.01, ties included.

    References
    ----------
    .. [1] Friedman (1937), The use of ranks to avoid the assumption of normality implicit in the
       analysis of variance.
    .. [2] Iman and Davenport (1980), Approximations of the critical region of the Friedman
       statistic.
    .. [3] Demšar (2006), Statistical comparisons of classifiers over multiple data sets, 3.2.2.
    .. [4] Kendall and Babington Smith (1939), The problem of m rankings.

    Examples
    --------
    >>> result = friedman_test([[0.9, 0.8, 0.7, 0.9], [0.6, 0.7, 0.5, 0.6], [0.5, 0.6, 0.6, 0.5]])
    >>> result.mean_ranks
    array([1.  , 2.25, 2.75])
    >>> round(result.statistic, 6), round(result.pvalue, 4), round(result.f_pvalue, 4)
    (6.5, 0.0388, 0.0066)
    """
    table = as_score_table(scores, min_datasets=2)
    check_complete(table, "friedman_test")
    resamples, seed = as_count(n_resamples, "n_resamples"), as_seed(rng)
    n_systems, n_datasets = table.shape
    ranks = dataset_ranks(table)
    doubled = centred_doubled_ranks(ranks)
    squared_totals = float(np.sum(np.sum(doubled, axis=1) ** 2))
    squares = float(np.sum(doubled**2))
    statistic = (n_systems - 1) * squared_totals / squares if squares else 0.0
    f_df = (n_systems - 1, (n_systems - 1) * (n_datasets - 1))
    f_statistic, f_pvalue = _iman_davenport(doubled, squared_totals, squares, f_df)
    permuted = _permuted_tail(doubled, squared_totals, resamples, seed)
    return FriedmanTest(
        n_systems=n_systems,
        n_datasets=n_datasets,
        mean_ranks=read_only(np.mean(ranks, axis=1)),
        statistic=statistic,
        df=n_systems - 1,
        pvalue=chi_square_tail(statistic, n_systems - 1),
        f_statistic=f_statistic,
        f_df=f_df,
        f_pvalue=f_pvalue,
        pvalue_permutation=permuted.pvalue,
        permutations=permuted.source,
        n_resamples=resamples if permuted.source == "drawn" else 0,
        seed=seed,
    )


def dataset_ranks(scores: npt.ArrayLike) -> FloatArray:
    """Rank the systems on each dataset.

    Parameters
    ----------
    scores : array_like, shape (n_systems, n_datasets)
        Higher is better; NaN where a system has no score.

    Returns
    -------
    ndarray of float, shape (n_systems, n_datasets)
        1 is best, ties share their middle rank, NaN stays NaN: ranks on a dataset go up to the
        number of systems that it has. Scores are tied where they are equal but for the error of
        writing decimals in binary.

    Raises
    ------
    TypeError, ValueError
        If `scores` is not 2-D or holds no numbers, or infinite ones.

    Examples
    --------
    >>> dataset_ranks([[0.9, 0.5], [0.7, float("nan")], [0.7, 0.6]])
    array([[1. , 2. ],
           [2.5, nan],
           [2.5, 1. ]])
    """
    table = as_score_table(scores, min_systems=0)
    ranks = np.full(table.shape, np.nan)
    for column, values in enumerate(table.T):
        systems = np.flatnonzero(~np.isnan(values))
        order = systems[np.argsort(-values[systems], kind="stable")]
        if order.size:
            descending = values[order]
            apart = -np.diff(descending) > rounding_error(descending)
            run = np.concatenate([[0], np.cumsum(apart)])
            counts = np.bincount(run)
            ranks[order, column] = (np.cumsum(counts) - (counts - 1) / 2)[run]
    return ranks


def with_ties_equal(table: FloatArray) -> FloatArray:
    """Return scores (n_systems × n_datasets) with those equal that share a rank on a dataset.

    What is a tie is then the same in ranks, wins and tests, whatever the scales of other datasets.
    """
    equal = table.copy()
    for column, ranks in zip(equal.T, dataset_ranks(table).T, strict=True):
        present = ~np.isnan(ranks)
        _, place = np.unique(ranks[present], return_inverse=True)
        highest = np.full(place.size, -np.inf)
        np.maximum.at(highest, place, column[present])
        column[present] = highest[place]
    return equal


def as_score_table(
    scores: npt.ArrayLike, *, min_systems: int = 2, min_datasets: int = 0
) -> FloatArray:
    """Return scores of systems on datasets as a float64 copy, shape (n_systems, n_datasets)."""
    table = as_floats(scores, "scores")
    if table.ndim != 2:
        raise ValueError(f"`scores` must be 2-D (systems × datasets), got shape {table.shape}.")
    if np.any(np.isinf(table)):
        raise ValueError("`scores` must be finite (NaN = missing), got an infinite score.")
    for name, least, size in (
        ("systems", min_systems, table.shape[0]),
        ("datasets", min_datasets, table.shape[1]),
    ):
        if size < least:
            raise ValueError(f"`scores` must have at least {least} {name}, got {size}.")
    return table


def check_complete(table: FloatArray, procedure: str) -> None:
    """Raise where a system has no score on a dataset."""
    missing = np.argwhere(np.isnan(table))
    if missing.size:
        system, dataset = missing[0]
        raise ValueError(
            f"`scores` must have every system on every dataset for `{procedure}`; the first of "
            f"{len(missing)} missing is system {system} on dataset {dataset}. Leave out systems "
            "or datasets, or use `skillings_mack_test`, which takes incomplete tables."
        )


def centred_doubled_ranks(ranks: FloatArray) -> IntArray:
    """Return twice the ranks less their mean on each dataset, whole numbers; 0 where missing."""
    present = ~np.isnan(ranks)
    doubled = 2 * ranks - (np.sum(present, axis=0) + 1)
    return np.where(present, doubled, 0).astype(np.int64)


def permuted_totals(
    doubled: IntArray,
    present: BoolArray,
    n_resamples: int,
    seed: int,
    *,
    weights: FloatArray | None = None,
) -> Iterator[FloatArray]:
    """Yield each system's total of ranks that are permuted within datasets, up to 256 at a time.

    Parameters
    ----------
    doubled : ndarray of int, shape (n_systems, n_datasets)
        Centred doubled ranks.
    present : ndarray of bool, shape (n_systems, n_datasets)
        Which systems a dataset has; ranks are permuted among those.
    n_resamples, seed : int
    weights : ndarray of float, shape (n_datasets,), optional

    Yields
    ------
    ndarray of float, shape (at most 256, n_systems)

    Notes
    -----
    A random word carries the rank in its lowest bits: sorting the words permutes the ranks. Each
    dataset of each block of 256 has a seed of its own, so memory does not grow with either.
    """
    n_systems, n_datasets = doubled.shape
    n_bits = np.uint64((2 * n_systems).bit_length())
    low_bits = (np.uint64(1) << n_bits) - np.uint64(1)
    codes = (doubled + n_systems).astype(np.uint64)
    for block in range(-(-n_resamples // BLOCK_ROWS)):
        totals = np.zeros((BLOCK_ROWS, n_systems))
        for dataset in range(n_datasets):
            systems = np.flatnonzero(present[:, dataset])
            number = block * n_datasets + dataset
            words = raw_words(seed, Stream.RANKS, number, BLOCK_ROWS * systems.size)
            words = words.reshape(BLOCK_ROWS, systems.size) & ~low_bits
            words |= codes[systems, dataset]
            words.sort(axis=1)
            ranks = (words & low_bits).astype(np.float64) - n_systems
            totals[:, systems] += ranks if weights is None else weights[dataset] * ranks
        yield totals[: n_resamples - block * BLOCK_ROWS]


class _Tail(NamedTuple):
    pvalue: float
    source: Permutations


def _permuted_tail(doubled: IntArray, squared_totals: float, n_resamples: int, seed: int) -> _Tail:
    """Return the chance of totals that spread as much when ranks are permuted within datasets."""
    n_systems = len(doubled)
    spreads = np.sum(doubled**2, axis=0).astype(np.float64)
    if not spreads.any():
        return _Tail(1.0, "all")
    effective = float(np.sum(spreads) ** 2 / np.sum(spreads**2))
    if min(effective / 15, n_systems / 5, doubled.size / 150) >= 1:
        df = n_systems - 1 - 2 / effective
        rest = effective * float(np.sum(spreads)) - squared_totals
        f = (effective - 1) * squared_totals / rest if rest > 0 else math.inf
        return _Tail(max(float(scipy.special.fdtrc(df, (effective - 1) * df, f)), TINY), "moments")
    exact = enumerated_tail(doubled, squared_totals)
    if exact is not None:
        return _Tail(exact, "all")
    reached = 0
    for totals in permuted_totals(doubled, np.ones(doubled.shape, np.bool_), n_resamples, seed):
        reached += int(np.count_nonzero(np.sum(totals**2, axis=1) >= squared_totals))
    return _Tail((reached + 1) / (n_resamples + 1), "drawn")


def chi_square_tail(statistic: float, df: int) -> float:
    """Return the chance of a chi-square at least as large; 1 without degrees of freedom."""
    return max(float(scipy.special.chdtrc(df, statistic)), TINY) if df else 1.0


def _iman_davenport(
    doubled: IntArray, squared_totals: float, squares: float, df: tuple[int, int]
) -> tuple[float, float]:
    """Return Iman and Davenport's F and its p-value ([3], 3.2.2)."""
    n_datasets = doubled.shape[1]
    rest = n_datasets * squares - squared_totals
    if squares == 0:
        return 0.0, 1.0
    if rest == 0:
        # All datasets rank alike: each of the others hits the first one's order by chance.
        _, counts = np.unique(doubled[:, 0], return_counts=True)
        log_orders = scipy.special.gammaln(len(doubled) + 1) - np.sum(
            scipy.special.gammaln(counts + 1.0)
        )
        return math.inf, max(math.exp(-(n_datasets - 1) * float(log_orders)), TINY)
    statistic = (n_datasets - 1) * squared_totals / rest
    return statistic, max(float(scipy.special.fdtrc(*df, statistic)), TINY)
