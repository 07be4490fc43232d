"""What two scores alone leave possible, where there are no item scores to test.

McNemar's test depends on the share of items that both systems get right or both wrong. Two
accuracies bound that share, and so the p-value (Lachenbruch 1992; Card et al. 2020).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

from scipy import special

from analysis.statistics.planning.accuracy.agreement import AgreementModel, agreement_range
from store.records import MetricRecord

_BISECTIONS: Final = 60


@dataclass(frozen=True, slots=True)
class Bounds:
    """What two accuracies on the same number of items leave possible."""

    n_items: int
    pvalue_low: float
    """Where the systems agree on as many items as they can."""
    pvalue_high: float
    """Where they agree on as few as they can."""
    pvalue_expected: float
    agreement_low: float
    agreement_high: float
    agreement_expected: float
    """By a line fitted to other pairs of systems."""
    standard_error: float
    """Of the gain, at the agreement expected."""
    gain: float
    """As a share of the items."""

    def agreement_for(self, level: float) -> float:
        """Return from which agreement on the gain is significant; NaN if from none."""
        if self.pvalue_low > level:
            return math.nan
        low, high = self.agreement_low, self.agreement_high
        if self.pvalue_high <= level:
            return low
        for _ in range(_BISECTIONS):
            middle = (low + high) / 2
            if mcnemar_of_figures(self.n_items, self.gain, middle) <= level:
                high = middle
            else:
                low = middle
        return high


def share_scale(metric: MetricRecord) -> float | None:
    """Return what a score is divided by to be a share of the items; ``None`` where it is none."""
    if metric.aggregation != "mean":
        return None
    return {"proportion": 1.0, "percent": 100.0}.get(metric.unit)


def bounds_of_accuracies(
    n_items: int, later: float, earlier: float, expected: AgreementModel
) -> Bounds | None:
    """Return what two accuracies leave possible.

    Parameters
    ----------
    n_items
        Items that both answered.
    later, earlier
        Shares of the items; ``None`` comes back where one is no share.
    expected
        What agreement such systems usually have.
    """
    if n_items < 1 or not (0 <= later <= 1 and 0 <= earlier <= 1):
        return None
    gain = later - earlier
    possible = agreement_range(earlier, gain)
    usual = expected.expected(min(earlier, later), abs(gain))
    return Bounds(
        n_items=n_items,
        pvalue_low=mcnemar_of_figures(n_items, gain, possible.most),
        pvalue_high=mcnemar_of_figures(n_items, gain, possible.least),
        pvalue_expected=mcnemar_of_figures(n_items, gain, usual),
        agreement_low=possible.least,
        agreement_high=possible.most,
        agreement_expected=usual,
        standard_error=math.sqrt(max(1 - usual - gain**2, 0.0) / n_items),
        gain=gain,
    )


def mcnemar_of_figures(n_items: int, gain: float, agreement: float) -> float:
    """Return the two-sided exact p-value at an agreement, the counts taken as continuous.

    With whole counts it is that of McNemar's test; between them the binomial tail is the
    incomplete beta function.
    """
    apart = (1 - agreement) * n_items
    losses = max((apart - abs(gain) * n_items) / 2, 0.0)
    if apart <= 0:
        return 1.0
    tail = float(special.betainc(max(apart - losses, 1e-9), losses + 1, 0.5))
    return min(1.0, 2 * tail)
