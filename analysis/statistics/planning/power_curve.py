"""How the power of a test goes with the number of items (NLPStatTest's retrospective power)."""

import math
from collections.abc import Sequence
from typing import Literal, TypeAlias

import numpy.typing as npt

from analysis.statistics._typing import Alternative, FloatArray, IntArray, Seed
from analysis.statistics.paired.result import complete_pair
from analysis.statistics.planning.arguments import as_sizes
from analysis.statistics.planning.pilot_power import pilot_power
from analysis.statistics.planning.power_result import PowerBySize, columns_of
from analysis.statistics.planning.power_tally import PowerTally
from analysis.statistics.planning.type_errors import type_errors_of_t
from analysis.statistics.results import read_only
from analysis.statistics.standard_error import exact_mean, exact_std
from analysis.statistics.validation import ALTERNATIVES, as_choice, as_count, as_level

__all__ = ["POWER_METHODS", "PowerBySize", "PowerMethod", "power_by_size"]

PowerMethod: TypeAlias = Literal["normal", "bootstrap"]

POWER_METHODS: tuple[PowerMethod, ...] = ("normal", "bootstrap")
_POINTS = 5
_INNER_RESAMPLES = 499


def power_by_size(
    a: npt.ArrayLike,
    b: npt.ArrayLike,
    *,
    method: PowerMethod = "normal",
    test: str = "t",
    alternative: Alternative = "two-sided",
    alpha: float = 0.05,
    sizes: Sequence[int] | None = None,
    n_iterations: int = 200,
    rng: Seed = 0,
) -> PowerBySize:
    """Return the power that a test would have if the observed difference were the true one.

    It is for planning the next comparison. For the one at hand it says nothing that the p-value
    does not say: a difference at the edge of significance has a power of one half.

    Parameters
    ----------
    a, b : array_like, shape (n_items,)
        Scores; items with a NaN in either are left out.
    method : {"normal", "bootstrap"}
        "normal": differences are normal; exact, for the t test only. "bootstrap": items are drawn
        with replacement from those observed and tested.
    test : str
        One of `TESTS`; tests that resample draw 499 times.
    alternative : {"two-sided", "greater", "less"}
    alpha : float
    sizes : sequence of int, optional
        Numbers of items, each at least 2; by default five equal steps up to those observed.
    n_iterations : int
        Comparisons per size, for "bootstrap".
    rng : int, Generator or None
        Seed; 0 is a seed.

    Returns
    -------
    PowerBySize

    Raises
    ------
    TypeError, ValueError
        If scores are no numbers, not finite or of different shapes; if there are fewer than two
        items, or the differences do not vary; if an argument is out of range.

    References
    ----------
    Zhu et al. (2020), NLPStatTest, 3.4; Hoenig and Heisey (2001), The abuse of power, for what
    such power does not say.
    """
    as_choice(method, "method", POWER_METHODS)
    as_choice(alternative, "alternative", ALTERNATIVES)
    level, repeats = as_level(alpha), as_count(n_iterations, "n_iterations")
    if method == "normal" and test != "t":
        raise ValueError(
            f"`method` 'normal' is for the t test, got `test` '{test}'. Use 'bootstrap'."
        )
    pair = complete_pair(a, b, n_components=1)
    first, second = pair.a[:, 0], pair.b[:, 0]
    differences = first - second
    std = exact_std(differences)
    if not std > 0:
        raise ValueError(
            "`a` and `b` must share at least 2 items whose differences vary, got "
            f"{differences.size} with a standard deviation of {std:g}."
        )
    numbers = as_sizes(_steps(differences.size) if sizes is None else sizes)
    if method == "bootstrap":
        return pilot_power(
            first,
            second,
            sizes=numbers.tolist(),
            test=test,
            alternative=alternative,
            alpha=level,
            n_iterations=repeats,
            n_resamples=_INNER_RESAMPLES,
            rng=rng,
        )
    return _of_normal(differences, numbers, level, alternative, pair.n_missing)


def _of_normal(
    differences: FloatArray,
    sizes: IntArray,
    alpha: float,
    alternative: Alternative,
    n_missing: int,
) -> PowerBySize:
    difference, std = exact_mean(differences), exact_std(differences)
    tallies = []
    for size in sizes.tolist():
        found = type_errors_of_t(difference, std, size, alpha=alpha, alternative=alternative)
        shown = found.rejection_rate if math.isnan(found.power) else found.power
        tallies.append(
            PowerTally(
                found.power, found.rejection_rate, shown, shown, found.type_m, found.type_s, 0
            )
        )
    return PowerBySize(
        method="normal",
        test="t",
        alternative=alternative,
        alpha=alpha,
        sizes=read_only(sizes),
        **columns_of(tallies, 0)._asdict(),
        difference=difference,
        std=std,
        n_items=differences.size,
        n_missing=n_missing,
        n_iterations=0,
        seed=None,
    )


def _steps(n_items: int) -> list[int]:
    return sorted({max(2, n_items * i // _POINTS) for i in range(1, _POINTS + 1)})
