"""Online control of the false discovery rate: levels are earned by the claims that hold."""

from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from analysis.statistics._typing import BoolArray, FloatArray
from analysis.statistics.sequences.result import (
    ClaimSequence,
    as_looks,
    build_sequence,
    spread_over_looks,
)
from analysis.statistics.validation import as_choice, as_level, as_pvalues

OnlineRule: TypeAlias = Literal["lord-dependent", "lord++", "saffron", "addis"]

ONLINE_RULES: tuple[OnlineRule, ...] = ("lord-dependent", "lord++", "saffron", "addis")

_ASSUMES = {
    "lord-dependent": "No assumption: the claims may depend on each other in any way.",
    "lord++": "Claims that are independent of each other; not so where they share a test set.",
    "saffron": "Claims that are independent of each other; not so where they share a test set.",
    "addis": (
        "Claims that are independent of each other, with p-values that are uniform or conservative "
        "without effect; not so where they share a test set."
    ),
}
_WEALTH_SHARES = {"lord-dependent": 0.1, "lord++": 0.1, "saffron": 0.5, "addis": 0.5}
_CANDIDATES = {"saffron": 0.5, "addis": 0.25}
_DISCARD = 0.5

_LORD_CONSTANT = 0.07720838
_DEPENDENT_CONSTANT = 0.139307
_STEEP_EXPONENT = 1.6
_STEEP_CONSTANT = 0.4374901658


@dataclass(frozen=True, slots=True)
class _Constants:
    """Constants of a rule; `candidate` and `discard` are NaN where it has none."""

    alpha: float
    wealth: float
    candidate: float
    discard: float


def online_fdr(
    pvalues: npt.ArrayLike,
    rule: OnlineRule = "lord-dependent",
    *,
    alpha: float = 0.05,
    initial_wealth: float | None = None,
    candidate_below: float | None = None,
    discard_above: float | None = None,
    looks: npt.ArrayLike | None = None,
) -> ClaimSequence:
    """Test claims one after the other so that few of those that hold are false.

    At any time the expected share of false claims among those that hold is at most `alpha`. Each
    claim that holds earns error rate for the next ones, so that the levels do not run out as long
    as claims hold now and then.

    Parameters
    ----------
    pvalues : array_like, shape (n_claims,)
        In order of time, in [0, 1]; NaN where a claim could not be tested.
    rule : {"lord-dependent", "lord++", "saffron", "addis"}
        Claims that share a test set depend on each other; only "lord-dependent" allows for that.
        "saffron" does not charge p-values up to `candidate_below`, "addis" neither those above
        `discard_above`.
    alpha : float
        Level of the whole sequence, strictly between 0 and 1.
    initial_wealth : float, optional
        Error rate for the time before the first claim that holds: above 0, at most `alpha` (half
        of it for "lord-dependent"). By default `alpha` / 10 for the LORD rules and `alpha` / 2
        for the others.
    candidate_below, discard_above : float, optional
        Of "saffron" (1/2) and "addis" (1/4 and 1/2).
    looks : array_like of int, shape (n_claims,), optional
        Which look at the test set each claim was, from 1. By default every look was a claim. A
        look without a claim counts as a p-value of 1, which is the same as its own one-sided
        p-value where that is above 1/2.

    Returns
    -------
    ClaimSequence

    Raises
    ------
    TypeError
        If an argument is no number.
    ValueError
        If a p-value leaves [0, 1], `looks` do not grow, or a constant is out of range or not one
        of the rule's.

    Notes
    -----
    On one shared baseline without effects, simulated with one-sided p-values, the chance of a
    false claim at 5 % is 5.1 % for 30 claims with "saffron" (correlation 0.5) and 7 % for 200 (0.5
    or 0.8): it is not for claims that share a test set. "lord++" (below 0.1 %) and "addis" (below
    3 %) stay below there, without a guarantee.

    Defaults are those of Bioconductor's onlineFDR, so that the levels can be repeated there.

    "lord-dependent" is valid for any dependence because the wealth at the last claim that held is
    at most b_0 times one more than the number of claims that hold, and the shares obey
    ``sum xi_i (1 + log i) <= alpha / b_0``, which needs `initial_wealth` <= b_0 = alpha -
    `initial_wealth`. The bound needs no wealth left: with an `initial_wealth` near its limit
    `wealth` may fall a little below 0. The shares fall fast: with few true claims alpha spending
    has the larger levels.

    Time grows with looks times claims that hold.

    References
    ----------
    .. [1] Javanmard and Montanari (2018), Online rules for control of false discovery rate and
       false discovery exceedance: LORD, also for dependent p-values.
    .. [2] Ramdas, Yang, Wainwright and Jordan (2017), Online control of the false discovery rate
       with decaying memory: LORD++.
    .. [3] Ramdas, Zrnic, Wainwright and Jordan (2018), SAFFRON.
    .. [4] Tian and Ramdas (2019), ADDIS.

    Examples
    --------
    >>> found = online_fdr([0.0001, 0.3, 0.004], "lord++")
    >>> found.rejected, found.levels.round(6)
    (array([ True, False, False]), array([0.000268, 0.002466, 0.000573]))
    """
    values = as_pvalues(pvalues)
    as_choice(rule, "rule", ONLINE_RULES)
    constants = _as_constants(rule, alpha, initial_wealth, candidate_below, discard_above)
    numbers = as_looks(looks, values.size)
    tested = spread_over_looks(values, numbers)
    if rule == "lord-dependent":
        levels, wealth = _lord_dependent(tested, constants)
    else:
        levels, wealth = _earn(tested, rule, constants)
    settings: dict[str, str | int | float] = {"w0": constants.wealth}
    if rule in _CANDIDATES:
        settings["candidate"] = constants.candidate
    if rule == "addis":
        settings["discard"] = constants.discard
    return build_sequence(
        rule,
        values,
        numbers,
        levels,
        wealth,
        alpha=constants.alpha,
        controls="false discovery rate",
        assumes=_ASSUMES[rule],
        settings=settings,
    )


def _lord_dependent(pvalues: FloatArray, constants: _Constants) -> tuple[FloatArray, FloatArray]:
    """Return levels and wealth of LORD for dependent p-values [1]."""
    reward = constants.alpha - constants.wealth
    order = np.arange(1.0, pvalues.size + 1)
    shares = _DEPENDENT_CONSTANT * constants.alpha / reward / order
    shares /= np.log(np.maximum(order, 2)) ** 3
    levels = np.empty(pvalues.size)
    wealth = np.empty(pvalues.size)
    left = at_last = constants.wealth
    for look, (p, share) in enumerate(zip(pvalues.tolist(), shares.tolist(), strict=True)):
        level = share * at_last
        left -= level
        if p <= level:
            left += reward
            at_last = left
        levels[look], wealth[look] = level, left
    return levels, wealth


def _earn(
    pvalues: FloatArray, rule: OnlineRule, constants: _Constants
) -> tuple[FloatArray, FloatArray]:
    """Return levels and wealth of LORD++, SAFFRON and ADDIS.

    The three are one: the clock of the shares moves, and the level is charged, at every look in
    LORD++, where the p-value is above the candidate threshold in SAFFRON, and in ADDIS where it
    is also not above the discarding threshold.
    """
    alpha, first = constants.alpha, constants.wealth
    charged = _charged(pvalues, rule, constants)
    scale, cap = 1.0, 1.0
    if rule != "lord++":
        top = constants.discard if rule == "addis" else 1.0
        scale, cap = top - constants.candidate, constants.candidate
    shares = _shares(pvalues.size, rule)
    levels = np.empty(pvalues.size)
    wealth = np.empty(pvalues.size)
    starts = np.empty(pvalues.size, dtype=np.intp)
    n_held, clock, spent = 0, 0, 0.0
    for look, p in enumerate(pvalues.tolist()):
        earned = shares[clock - starts[:n_held]]
        total = first * shares[clock] + alpha * earned.sum()
        if n_held:
            total -= first * earned[0]
        level = min(cap, scale * float(total))
        if charged[look]:
            clock += 1
            spent += level / scale
        if p <= level:
            starts[n_held] = clock
            n_held += 1
        levels[look] = level
        wealth[look] = max((alpha * n_held if n_held else first) - spent, 0.0)
    return levels, wealth


def _charged(pvalues: FloatArray, rule: OnlineRule, constants: _Constants) -> BoolArray:
    if rule == "lord++":
        return np.ones(pvalues.size, dtype=np.bool_)
    charged = pvalues > constants.candidate
    if rule == "addis":
        charged &= pvalues <= constants.discard
    return charged


def _shares(n_looks: int, rule: OnlineRule) -> FloatArray:
    """Return the shares gamma_1, gamma_2, ..., which add up to at most 1."""
    order = np.arange(1.0, n_looks + 1)
    if rule == "lord++":  # [1] equation 31
        log = np.log(order)
        top = np.log(np.maximum(order, 2))
        return np.asarray(_LORD_CONSTANT * top / (order * np.exp(np.sqrt(log))))
    return np.asarray(_STEEP_CONSTANT * order**-_STEEP_EXPONENT)


def _as_constants(
    rule: OnlineRule,
    alpha: float,
    initial_wealth: float | None,
    candidate_below: float | None,
    discard_above: float | None,
) -> _Constants:
    level = as_level(alpha)
    wealth = _WEALTH_SHARES[rule] * level if initial_wealth is None else initial_wealth
    wealth = as_level(wealth, name="initial_wealth")
    most = level / 2 if rule == "lord-dependent" else level
    if wealth > most:
        raise ValueError(f"`initial_wealth` must not be above {most} with {rule}, got {wealth}.")
    for value, name, rules in (
        (candidate_below, "candidate_below", tuple(_CANDIDATES)),
        (discard_above, "discard_above", ("addis",)),
    ):
        if value is not None and rule not in rules:
            raise ValueError(f"`{name}` is not a constant of {rule}; leave it out.")
    candidate = discard = float("nan")
    if rule in _CANDIDATES:
        candidate = _CANDIDATES[rule] if candidate_below is None else candidate_below
        candidate = as_level(candidate, name="candidate_below")
    if rule == "addis":
        discard = _DISCARD if discard_above is None else discard_above
        discard = as_level(discard, name="discard_above")
        if candidate >= discard:
            raise ValueError(
                f"`candidate_below` must be below `discard_above`, got {candidate} and {discard}."
            )
    return _Constants(level, wealth, candidate, discard)
