"""What a person can choose about an audit of claims."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Final, Literal, get_args

from analysis.choices import Draws, Failures, Level, Seed
from analysis.setting import Setting
from analysis.studies.checked_numbers import check_numbers, check_positive
from store.errors import StoreError

Rule = Literal["alpha-spending", "lord-dependent", "lord++", "saffron", "addis"]
"""How the level of each claim is set: see `analysis.statistics.sequences`."""
RULES: Final[tuple[Rule, ...]] = get_args(Rule)

RULES_IN_WORDS: Final[dict[Rule, str]] = {
    "alpha-spending": "alpha spending",
    "lord-dependent": "LORD, any dependence",
    "lord++": "LORD++",
    "saffron": "SAFFRON",
    "addis": "ADDIS",
}

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

    alpha: Level = 0.05
    """Of the whole sequence of claims on a test set, and of each test by itself."""
    rule: Annotated[
        Rule,
        Setting(
            "How the level of each claim is set, so that many looks at one test set do not make "
            "records by chance.",
            words=RULES_IN_WORDS,
            main=True,
        ),
    ] = "alpha-spending"
    counting: Annotated[
        Counting,
        Setting(
            "Whether levels are spent on records alone or on every score. With every score, "
            "nothing is taken for granted about why a system was claimed, and far fewer claims "
            "hold.",
            label="Level is spent on",
            words={"claims": "every claim", "looks": "every scored system"},
            formerly="count",
        ),
    ] = "claims"
    order: Annotated[
        Order,
        Setting(
            "Whether systems of one day stand side by side, so that only the best of them is a "
            "record, or follow each other by the time of day.",
            label="Systems of one day",
            words={"days": "side by side", "times": "by time of day"},
        ),
    ] = "days"
    gain: Annotated[
        float | None,
        Setting(
            "The gain that matters, in the unit of the metric; by default the usual one here.",
            label="The gain that matters",
            words={"auto": "that of the history"},
            low=0,
            open_ends=True,
        ),
    ] = None
    power: Annotated[
        float,
        Setting(
            "Below this for that gain, a test set is too small for it.",
            label="Power that is enough",
            low=0,
            high=1,
            open_ends=True,
            offered=(0.8, 0.9, 0.5),
        ),
    ] = 0.8
    n_resamples: Draws = 9_999
    seed: Seed = 0
    failures: Failures = None

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
