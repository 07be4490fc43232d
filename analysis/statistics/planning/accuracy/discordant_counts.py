"""Counts of items that one of two systems alone gets right: how likely, and which are significant.

The arithmetic behind the power of tests of two shares. Losses are the items that only the baseline
gets right, wins those that only the new system does.
"""

import math
from functools import lru_cache
from typing import NamedTuple

import numpy as np
import scipy

from analysis.statistics._typing import FloatArray, IntArray
from analysis.statistics.results import read_only
from analysis.statistics.validity_bounds import BOUNDS

_LOG_LEFT_OUT = 45.0
"""Counts further out than this, together less likely than 2 exp(-45) = 6e-20, are left out."""
_BLOCK = 256
_KEPT_BLOCKS = 2_048


class Outcomes(NamedTuple):
    """Probabilities of what one item can say."""

    win: float
    loss: float


class Decision(NamedTuple):
    """When a comparison counts as significant."""

    variant: str
    """A variant of `mcnemar`, or "score": the test that comparisons of shares choose."""
    alternative: str
    alpha: float


class Rejections(NamedTuple):
    """What becomes significant."""

    better: float
    """Probability that the new system comes out better."""
    worse: float
    """Probability that it comes out worse."""
    size: float
    """Mean of |wins - losses| where significant and 0 elsewhere."""


class BinomialWindow(NamedTuple):
    """Probabilities of the counts from `low` on; all others are negligible."""

    low: int
    pmf: FloatArray


def binomial_window(n: int, p: float) -> BinomialWindow:
    """Return the binomial probabilities that matter.

    Ratios of neighbours from the mode outwards, then a sum of 1: no factorials, so the relative
    error stays near the rounding error for any n. Bernstein's inequality gives the width.
    """
    if p <= 0 or p >= 1:
        return BinomialWindow(0 if p <= 0 else n, np.ones(1))
    reach = math.sqrt((_LOG_LEFT_OUT / 3) ** 2 + 2 * _LOG_LEFT_OUT * n * p * (1 - p))
    reach += _LOG_LEFT_OUT / 3
    low, high = max(0, math.floor(n * p - reach)), min(n, math.ceil(n * p + reach))
    mode = min(max(int((n + 1) * p), low), high)
    above = np.arange(mode, high, dtype=np.float64)
    below = np.arange(mode, low, -1, dtype=np.float64)
    odds = p / (1 - p)
    up = np.cumprod((n - above) / (above + 1) * odds)
    down = np.cumprod(below / (n - below + 1) / odds)
    pmf = np.concatenate([down[::-1], np.ones(1), up])
    return BinomialWindow(low, pmf / np.sum(pmf))


def critical_losses(low: int, n_counts: int, decision: Decision) -> IntArray:
    """Return the most losses that are still significant among low, low + 1, ... discordant items.

    -1 where no split is significant. As alpha is below 0.5, wins always exceed them.
    """
    first, last = low // _BLOCK, (low + n_counts - 1) // _BLOCK
    two_sided = decision.alternative == "two-sided"
    blocks = [
        _critical_block(block, decision.variant, two_sided, decision.alpha)
        for block in range(first, last + 1)
    ]
    start = low - first * _BLOCK
    return np.concatenate(blocks)[start : start + n_counts]


def critical_losses_of(n: int, low: int, n_counts: int, decision: Decision) -> IntArray:
    """Return `critical_losses` with n items.

    "score" is McNemar's uncorrected chi-squared, joined by the exact test as `guard_shares` does.
    """
    if decision.variant != "score":
        return critical_losses(low, n_counts, decision)
    plain, exact = (
        critical_losses(low, n_counts, decision._replace(variant=variant))
        for variant in ("chi2", "exact")
    )
    if n >= BOUNDS["binary-units"].value:
        nearly_all = math.floor(BOUNDS["binary-discordant"].value * n) + 1
        (there,) = critical_losses(nearly_all, 1, decision._replace(variant="exact"))
        exact = np.where(np.arange(low, low + n_counts) < nearly_all, there, exact)
    return np.minimum(plain, exact)


@lru_cache(maxsize=_KEPT_BLOCKS)
def _critical_block(block: int, variant: str, two_sided: bool, alpha: float) -> IntArray:
    counts = np.arange(block * _BLOCK, (block + 1) * _BLOCK, dtype=np.int64)
    z = -float(scipy.special.ndtri(alpha / 2 if two_sided else alpha))
    guess = np.floor((counts - z * np.sqrt(counts) - 1) / 2).astype(np.int64)
    losses = np.clip(guess, -1, (counts - 1) // 2)
    while True:
        more = (2 * (losses + 1) < counts) & (
            _pvalue(losses + 1, counts, variant, two_sided) <= alpha
        )
        if not more.any():
            break
        losses += more
    while True:
        fewer = (losses >= 0) & (_pvalue(losses, counts, variant, two_sided) > alpha)
        if not fewer.any():
            return read_only(losses)
        losses -= fewer


def _pvalue(losses: IntArray, counts: IntArray, variant: str, two_sided: bool) -> FloatArray:
    """Return what `mcnemar` returns for at most half losses; anything where there are none."""
    sides = 2.0 if two_sided else 1.0
    if variant.startswith("chi2"):
        excess = (counts - 2 * losses).astype(np.float64)
        if variant == "chi2-cc":
            excess -= 1
            if two_sided:
                excess = np.maximum(excess, 0)
        return np.asarray(sides * scipy.special.ndtr(-excess / np.sqrt(np.maximum(counts, 1))))
    tail = at_most(losses, counts, 0.5)
    if variant == "midp":
        tail = (tail + at_most(losses - 1, counts, 0.5)) / 2
    return sides * tail


def at_most(limit: IntArray, counts: IntArray, p: float) -> FloatArray:
    """Return P(X <= limit) of X ~ Bin(counts, p), elementwise; 0 below 0."""
    inside = scipy.special.bdtr(np.clip(limit, 0, counts).astype(np.float64), counts, p)
    return np.where(limit < 0, 0.0, inside)


def chance_of_better(n: int, outcomes: Outcomes, decision: Decision) -> float:
    """Return the `better` of `enumerate_rejections`, for a fraction of the work."""
    discordant = outcomes.win + outcomes.loss
    low, pmf = binomial_window(n, discordant)
    limits = critical_losses_of(n, low, pmf.size, decision)
    some = limits >= 0
    if discordant <= 0 or decision.alternative == "less" or not some.any():
        return 0.0
    counts = np.arange(low, low + pmf.size, dtype=np.int64)[some]
    return float(pmf[some] @ at_most(limits[some], counts, min(outcomes.loss / discordant, 1.0)))


def enumerate_rejections(n: int, outcomes: Outcomes, decision: Decision) -> Rejections:
    """Return what becomes significant with n items, summed over all counts."""
    discordant = outcomes.win + outcomes.loss
    low, pmf = binomial_window(n, discordant)
    limits = critical_losses_of(n, low, pmf.size, decision)
    some = limits >= 0
    if discordant <= 0 or not some.any():
        return Rejections(0.0, 0.0, 0.0)
    counts = np.arange(low, low + pmf.size, dtype=np.int64)[some]
    pmf, limits = pmf[some], limits[some]
    sides, size = [], 0.0
    for side, p in (("less", outcomes.loss), ("greater", outcomes.win)):
        # `p` belongs to the side that must stay small; `side` would reject on the other one.
        if decision.alternative == side:
            sides.append(0.0)
            continue
        share = min(p / discordant, 1.0)
        tail = at_most(limits, counts, share)
        # E[X; X <= c] = M q P(Bin(M - 1, q) <= c - 1)
        mean = counts * share * at_most(limits - 1, counts - 1, share)
        sides.append(float(pmf @ tail))
        size += float(pmf @ (counts * tail - 2 * mean))
    return Rejections(sides[0], sides[1], size)
