"""How the power of a test goes with the number of items (NLPStatTest's retrospective power)."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from analysis.statistics._typing import Alternative, FloatArray, Seed
from analysis.statistics.paired.result import complete_pair
from analysis.statistics.paired.tests import paired_test
from analysis.statistics.planning.power import power_of_t
from analysis.statistics.planning.sample_size_simulation import as_sizes, simulated_uniforms
from analysis.statistics.random_streams import Stream
from analysis.statistics.results import Result, read_only
from analysis.statistics.signature import build_signature
from analysis.statistics.standard_error import exact_mean, exact_std
from analysis.statistics.validation import ALTERNATIVES, as_choice, as_count, as_level, as_seed

PowerMethod: TypeAlias = Literal["normal", "bootstrap"]

POWER_METHODS: tuple[PowerMethod, ...] = ("normal", "bootstrap")
_POINTS = 5
_FEWEST_ITEMS = 2
_INNER_RESAMPLES = 499


@dataclass(frozen=True, slots=True, eq=False)
class PowerBySize(Result):
    """Share of comparisons that would be significant, by the number of items.

    Attributes
    ----------
    method : str
        "normal" or "bootstrap".
    test, alternative : str
    alpha : float
    sizes : ndarray of int, shape (n_sizes,)
    power : ndarray, shape (n_sizes,)
    standard_error : ndarray, shape (n_sizes,)
        Monte Carlo error of `power`; 0 where it is exact.
    difference, std : float
        Of the differences per item that the power is for.
    n_items, n_missing : int
        Items that `difference` comes from, and items left out.
    n_iterations : int
        Comparisons per size; 0 where the power is exact.
    seed : int or None
    """

    method: str
    test: str
    alternative: str
    alpha: float
    sizes: npt.NDArray[np.int64]
    power: FloatArray
    standard_error: FloatArray
    difference: float
    std: float
    n_items: int
    n_missing: int
    n_iterations: int
    seed: int | None

    @property
    def signature(self) -> str:
        """One line from which the curve can be computed again."""
        settings: dict[str, str | int | float] = {
            "by": self.method,
            "test": self.test,
            "alt": self.alternative,
            "alpha": self.alpha,
            "n": self.n_items,
            "missing": self.n_missing,
            "sizes": " ".join(str(size) for size in self.sizes),
        }
        if self.seed is not None:
            settings |= {"m": self.n_iterations, "seed": self.seed}
        return build_signature("power-by-size", **settings)


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
    difference = exact_mean(differences)
    seed = as_seed(rng) if method == "bootstrap" else None
    power = np.empty(numbers.size)
    for i, size in enumerate(int(number) for number in numbers):
        if seed is None:
            power[i] = power_of_t(difference, std, size, alpha=level, alternative=alternative)
            continue
        hits = 0
        for j in range(repeats):
            uniforms = simulated_uniforms(seed, Stream.RESAMPLED_SCORES, size, j, size)
            drawn = (uniforms * differences.size).astype(np.int64)
            result = paired_test(
                first[drawn],
                second[drawn],
                test=test,
                alternative=alternative,
                n_resamples=_INNER_RESAMPLES,
                rng=seed,
            )
            hits += result.pvalue <= level
        power[i] = hits / repeats
    error = np.sqrt(power * (1 - power) / repeats) if seed is not None else np.zeros(numbers.size)
    return PowerBySize(
        method=method,
        test=test,
        alternative=alternative,
        alpha=level,
        sizes=read_only(numbers),
        power=read_only(power),
        standard_error=read_only(error),
        difference=difference,
        std=std,
        n_items=differences.size,
        n_missing=pair.n_missing,
        n_iterations=0 if seed is None else repeats,
        seed=seed,
    )


def _steps(n_items: int) -> list[int]:
    return sorted({max(_FEWEST_ITEMS, n_items * i // _POINTS) for i in range(1, _POINTS + 1)})
