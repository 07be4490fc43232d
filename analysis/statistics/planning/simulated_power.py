"""The power of any test by simulation: draw data, test them, count (Card et al., figure 2)."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.random import PCG64DXSM, Generator, SeedSequence

from analysis.statistics._typing import Seed
from analysis.statistics.planning.arguments import as_finite
from analysis.statistics.planning.power_tally import tally
from analysis.statistics.random_streams import Stream
from analysis.statistics.results import Result
from analysis.statistics.signature import build_signature
from analysis.statistics.validation import as_count, as_level, as_seed


class SimulatedTest(NamedTuple):
    """What one simulated data set gave."""

    pvalue: float
    """NaN where it could not be tested."""
    effect: float
    """The difference estimated from it."""


@dataclass(frozen=True, slots=True, eq=False)
class SimulatedPower(Result):
    """Share of simulated data sets in which a test finds the difference.

    Attributes
    ----------
    name : str
        What was simulated, in the caller's words.
    true_effect, alpha : float
    power : float
        Share of data sets that are significant with the sign of the true effect, as in the paper;
        NaN where that is 0.
    rejection_rate : float
        Share of data sets that are significant, on any side that the test looks at.
    power_low, power_high : float
        95% Monte Carlo band (Clopper-Pearson) of `power`; of `rejection_rate` where the true
        effect is 0.
    type_m : float
        Mean size of the significant effects over the true one (exaggeration).
    type_s : float
        Share of the significant effects with the wrong sign.
    mean_effect : float
        Over all data sets.
    n_iterations, n_untestable : int
        Data sets, and those without a p-value, which count as not significant.
    seed : int
    """

    name: str
    true_effect: float
    alpha: float
    power: float
    rejection_rate: float
    power_low: float
    power_high: float
    type_m: float
    type_s: float
    mean_effect: float
    n_iterations: int
    n_untestable: int
    seed: int

    @property
    def signature(self) -> str:
        """One line from which the simulation can be repeated, given what `name` stands for."""
        return build_signature(
            "simulated-power",
            of=self.name,
            effect=self.true_effect,
            alpha=self.alpha,
            m=self.n_iterations,
            seed=self.seed,
        )


def simulate_power(
    simulate: Callable[[Generator], SimulatedTest],
    *,
    true_effect: float,
    name: str = "custom",
    alpha: float = 0.05,
    n_iterations: int = 1_000,
    rng: Seed = 0,
) -> SimulatedPower:
    """Return the power of an arbitrary test of arbitrary data.

    Parameters
    ----------
    simulate : callable
        Takes a numpy Generator, draws one data set in which the effect is `true_effect`, and
        returns its p-value and the effect estimated.
    true_effect : float
        Finite; with 0 there is a rate of false positives, and no power.
    name : str
        Goes into the signature.
    alpha : float
        p-values up to it are significant.
    n_iterations : int
        Data sets.
    rng : int, Generator or None
        Seed; 0 is a seed. Data set i has a Generator of its own.

    Returns
    -------
    SimulatedPower

    Raises
    ------
    TypeError, ValueError
        If an argument is out of range, or `simulate` gives a p-value outside [0, 1].

    References
    ----------
    Card et al. (2020), With little power comes great responsibility, figure 2; Gelman and Carlin
    (2014), Beyond power calculations.

    Examples
    --------
    >>> def coin(rng):
    ...     heads = int(rng.binomial(100, 0.65))
    ...     return SimulatedTest(special.bdtr(100 - heads, 100, 0.5), heads / 100 - 0.5)
    >>> from scipy import special
    >>> 0.8 < simulate_power(coin, true_effect=0.15).power < 1
    True
    """
    truth = as_finite(true_effect, "true_effect")
    level, repeats, seed = as_level(alpha), as_count(n_iterations, "n_iterations"), as_seed(rng)
    pvalue, effect = np.empty(repeats), np.empty(repeats)
    for i in range(repeats):
        key = SeedSequence(seed, spawn_key=(int(Stream.POWER), i))
        pvalue[i], effect[i] = simulate(Generator(PCG64DXSM(key)))
        if not (math.isnan(pvalue[i]) or 0 <= pvalue[i] <= 1):
            raise ValueError(
                f"`simulate` must return p-values between 0 and 1 (NaN = not testable), got "
                f"{pvalue[i]} for data set {i}."
            )
    found = tally(pvalue, effect, truth, level)
    return SimulatedPower(
        name=name,
        true_effect=truth,
        alpha=level,
        power=found.power,
        rejection_rate=found.rejection_rate,
        power_low=found.low,
        power_high=found.high,
        type_m=found.type_m,
        type_s=found.type_s,
        mean_effect=math.fsum(effect) / repeats,
        n_iterations=repeats,
        n_untestable=found.n_untestable,
        seed=seed,
    )
