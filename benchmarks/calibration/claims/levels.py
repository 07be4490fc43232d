"""The rules of the product, one look at a time and many histories side by side.

`alpha_spending` and `online_fdr` take one whole history each. Here the next comparison may depend
on what held before, and there are thousands of histories. That the levels are those of the product
is tested.
"""

from __future__ import annotations

from functools import cache
from typing import Protocol

import numpy as np
import numpy.typing as npt

from analysis.statistics.sequences.alpha_spending import spending_weights
from analysis.statistics.sequences.online_fdr import OnlineRule, online_fdr

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]
BoolArray = npt.NDArray[np.bool_]

ALPHA = 0.05
ONLINE: tuple[OnlineRule, ...] = ("lord-dependent", "lord++", "saffron", "addis")
RULES = ("alpha-spending", *ONLINE)


class Rule(Protocol):
    """Hands out levels."""

    def step(self, pvalues: FloatArray, counted: BoolArray) -> BoolArray:
        """Return where a claim holds; only histories in which it is counted move on."""


def start(rule: str, repetitions: int, n_looks: int) -> Rule:
    """Return a rule at the start of so many histories."""
    if rule == "alpha-spending":
        return _Spending(repetitions, n_looks)
    if rule == "lord-dependent":
        return _Dependent(repetitions, n_looks)
    return _Earning(rule, repetitions, n_looks)


def holds(rule: str, pvalues: FloatArray, counted: BoolArray) -> BoolArray:
    """Return where claims hold, from p-values of shape (repetitions, looks)."""
    repetitions, n_looks = pvalues.shape
    running = start(rule, repetitions, n_looks)
    held = np.zeros(pvalues.shape, dtype=np.bool_)
    for look in range(n_looks):
        if counted[:, look].any():
            held[:, look] = running.step(pvalues[:, look], counted[:, look])
    return held


class _Spending:
    """Alpha spending by zeta weights; the level of a claim that holds is passed on."""

    def __init__(self, repetitions: int, n_looks: int) -> None:
        self._budgets = ALPHA * spending_weights(n_looks)
        self._number = np.zeros(repetitions, dtype=np.int64)
        self._passed_on = np.zeros(repetitions)

    def step(self, pvalues: FloatArray, counted: BoolArray) -> BoolArray:
        levels = self._budgets[np.minimum(self._number, self._budgets.size - 1)] + self._passed_on
        held = counted & (pvalues <= levels)
        self._passed_on = np.where(counted, np.where(held, levels, 0.0), self._passed_on)
        self._number += counted
        return np.asarray(held)


class _Dependent:
    """LORD for dependent p-values: levels are shares of the wealth after the last success."""

    def __init__(self, repetitions: int, n_looks: int) -> None:
        self._shares, first = _shares("lord-dependent", n_looks)
        self._reward = ALPHA - first
        self._number = np.zeros(repetitions, dtype=np.int64)
        self._left = np.full(repetitions, first)
        self._at_last = self._left.copy()

    def step(self, pvalues: FloatArray, counted: BoolArray) -> BoolArray:
        share = self._shares[np.minimum(self._number, self._shares.size - 1)]
        levels = share * self._at_last
        held = counted & (pvalues <= levels)
        self._left = self._left - np.where(counted, levels, 0.0) + self._reward * held
        self._at_last = np.where(held, self._left, self._at_last)
        self._number += counted
        return np.asarray(held)


class _Earning:
    """LORD++, SAFFRON and ADDIS: the same but for which p-values are charged."""

    def __init__(self, rule: str, repetitions: int, n_looks: int) -> None:
        # A rule comes by name from the list of procedures, which mypy takes for any text.
        settings = online_fdr([1.0], rule).settings  # type: ignore[arg-type]
        self._shares, self._first = _shares(rule, n_looks)
        self._above, self._to, self._scale, self._cap = -1.0, 2.0, 1.0, 1.0
        if rule != "lord++":
            self._above = self._cap = float(settings["candidate"])
            top = float(settings.get("discard", 1.0))
            self._to = top
            self._scale = top - self._above
        self._clock = np.zeros(repetitions, dtype=np.int64)
        self._n_held = np.zeros(repetitions, dtype=np.int64)
        self._starts = np.zeros((repetitions, 1), dtype=np.int64)

    def step(self, pvalues: FloatArray, counted: BoolArray) -> BoolArray:
        since = self._clock[:, np.newaxis] - self._starts
        earned = self._shares[since]
        earned[np.arange(earned.shape[1]) >= self._n_held[:, np.newaxis]] = 0.0
        total = self._first * (self._shares[self._clock] - earned[:, 0])
        levels = np.minimum(self._cap, self._scale * (total + ALPHA * earned.sum(axis=1)))
        held = np.asarray(counted & (pvalues <= levels))
        self._clock += counted & (pvalues > self._above) & (pvalues <= self._to)
        if held.any():
            if self._n_held.max() == self._starts.shape[1]:
                self._starts = np.pad(self._starts, ((0, 0), (0, self._starts.shape[1])))
            self._starts[held, self._n_held[held]] = self._clock[held]
            self._n_held += held
        return held


@cache
def _shares(rule: str, n_looks: int) -> tuple[FloatArray, float]:
    """Return the rule's shares, as its levels before the first success show them, and w0."""
    never = 0.4 if rule == "addis" else 1.0  # above every level, and charged
    # One more than there are looks: the clock stands there after the last.
    # As above: the name of a rule.
    found = online_fdr(np.full(n_looks + 1, never), rule)  # type: ignore[arg-type]
    first = float(found.settings["w0"])
    candidate = float(found.settings.get("candidate", 0.0))
    scale = float(found.settings.get("discard", 1.0)) - candidate
    return found.levels / (first * scale), first
