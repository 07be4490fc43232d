"""What a person can choose about an audit of claims."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal, get_args

from analysis.studies.checked_numbers import check_numbers, check_positive
from store.errors import StoreError

Rule = Literal["alpha-spending", "lord-dependent", "lord++", "saffron", "addis"]
"""How the level of each claim is set: see `analysis.statistics.sequences`."""
RULES: Final[tuple[Rule, ...]] = get_args(Rule)

Counting = Literal["claims", "looks"]
"""What the levels are spent on: the records alone, or every system that was scored."""
COUNTINGS: Final[tuple[Counting, ...]] = get_args(Counting)

Order = Literal["days", "times"]
"""Whether all looks of a day are of one moment, or follow each other by the time of day."""
ORDERS: Final[tuple[Order, ...]] = get_args(Order)

Basis = Literal["items", "reported", "bounds", "none"]
"""What a verdict rests on: item scores, a p-value somebody reports, figures alone, nothing."""


@dataclass(frozen=True, slots=True)
class ClaimSettings:
    """Everything about an audit of claims that a person can choose."""

    alpha: float = 0.05
    """Of the whole sequence of claims on a test set, and of each test by itself."""
    rule: Rule = "alpha-spending"
    counting: Counting = "claims"
    order: Order = "days"
    power: float = 0.8
    """With less than that for a gain that matters, a test set is too small for it."""
    gain: float | None = None
    """The gain that matters, in the unit of the metric; ``None`` = the usual one so far."""
    n_resamples: int = 9_999
    seed: int = 0

    def check(self) -> None:
        """Check what was chosen.

        Raises
        ------
        StoreError
            A number is out of range, or there is no such rule.
        """
        check_numbers(alpha=self.alpha, n_resamples=self.n_resamples, seed=self.seed, fewest=99)
        check_positive("gain", self.gain)
        if self.rule not in RULES:
            raise StoreError(f"`rule` must be one of {', '.join(RULES)}, got '{self.rule}'.")
        if self.counting not in COUNTINGS:
            raise StoreError(
                f"`counting` must be one of {', '.join(COUNTINGS)}, got '{self.counting}'."
            )
        if self.order not in ORDERS:
            raise StoreError(f"`order` must be one of {', '.join(ORDERS)}, got '{self.order}'.")
        if not self.alpha < self.power < 1:
            raise StoreError(
                f"`power` must lie between `alpha` ({self.alpha:g}) and 1, got {self.power:g}."
            )
