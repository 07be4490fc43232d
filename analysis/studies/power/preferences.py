"""Plans for votes for one of two systems: by people or by a model."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Annotated, ClassVar, Final

from analysis.choices import Level
from analysis.question import Progress, Question
from analysis.setting import Setting
from analysis.statistics.planning.preferences import (
    VoteDesign,
    items_for_preference,
    preference_power,
    smallest_preference,
)
from analysis.studies.power import plans
from analysis.studies.power.planned import Direction, SomeItems, SomePower
from analysis.studies.power.plans_words import (
    between,
    chance,
    errors_in_words,
    how_tested,
    items,
    roughly,
    share,
)
from analysis.studies.study import count, listed
from analysis.studies.test_names import IN_WORDS
from store.engine import Store
from store.errors import StoreError

_ASSUMED: Final = {"middle correlation": 0.5, "votes of an item alike": 1.0, "independent": 0.0}
"""What correlation votes of an item have, where nobody knows; the first is the answer."""
_MOST_ITEMS: Final = 1_000_000


@dataclass(frozen=True)
class PreferencesPlan(Question[plans.PowerPlan]):
    """Plan votes for one of two systems: of share, items and power, two give the third."""

    name: ClassVar[str] = "power preferences"
    needs_store: ClassVar[bool] = False

    n: SomeItems = None
    preferred: Annotated[
        float | None,
        Setting(
            "True share of the votes without ties for the new system, as 0.6.",
            label="Share preferred",
            low=0,
            high=1,
            open_ends=True,
            main=True,
        ),
    ] = None
    ties: Annotated[
        float, Setting("Share of the votes that are ties.", low=0, high=0.99, main=True)
    ] = 0.0
    votes: Annotated[int, Setting("Votes per item.", label="Votes per item", low=1)] = 1
    icc: Annotated[
        float | None,
        Setting(
            "Correlation of the votes of one item; by default 0.5, beside 0 and 1.",
            label="Correlation of an item's votes",
            low=0,
            high=1,
        ),
    ] = None
    power: SomePower = None
    alpha: Level = 0.05
    alternative: Direction = "two-sided"

    def answer(self, store: Store, progress: Progress | None = None) -> plans.PowerPlan:
        """Return the plan; one vote per item by the exact sign test, several by the t test.

        Raises
        ------
        StoreError
            A number is out of range, or too little or too much is given.
        """
        question = plans.which_question(self.n, self.preferred, self.power, ("n", "preferred"))
        self._check()
        designs = self._designs()
        with plans.told_in_words({"n_items": "n", "gap": "preferred", "difference": "preferred"}):
            scenarios = [self._scenario(question, *each) for each in designs.items()]
            curve = self._curve(question, scenarios, list(designs.values()))
        asked = plans.Asked(
            kind="preferences",
            question=question,
            target=math.nan if question == "power" else self._target,
            alpha=self.alpha,
            alternative=self.alternative,
            test=IN_WORDS["sign" if self.votes == 1 else "t"],
            method="enumeration" if self.votes == 1 else "closed form",
            settings={
                "n": self.n,
                "preferred": self.preferred,
                "ties": self.ties,
                "votes": self.votes,
                "icc": self.icc,
            },
        )
        return plans.make_plan(asked, scenarios, curve, sentence=self._sentence(asked, scenarios))

    @property
    def _target(self) -> float:
        return 0.8 if self.power is None else self.power

    @property
    def _sign(self) -> float:
        if self.preferred is not None:
            return math.copysign(1, self.preferred - 0.5)
        return -1.0 if self.alternative == "less" else 1.0

    def _check(self) -> None:
        if self.n is not None and self.n > _MOST_ITEMS:
            raise StoreError(f"`n` must be at most {_MOST_ITEMS:,}, got {self.n:,}.")
        if self.preferred == 0.5:
            raise StoreError(
                "`preferred` must not be 0.5: power is the chance of finding a preference. State "
                "the smallest one that matters."
            )
        wrong = {"greater": -1.0, "less": 1.0}.get(self.alternative)
        if self.preferred is not None and self._sign == wrong:
            raise StoreError(
                f"`preferred` of {self.preferred:g} is never found with the alternative "
                f"'{self.alternative}'. Give a share on the other side of 0.5, or another "
                "alternative."
            )

    def _designs(self) -> dict[str, VoteDesign]:
        """Return what is assumed about the votes of an item, by name; the answer first."""
        one = VoteDesign(self.ties, self.votes)
        if self.votes == 1:
            return {"as given": one}
        if self.icc is not None:
            return {"as given": replace(one, icc=self.icc)}
        return {name: replace(one, icc=icc) for name, icc in _ASSUMED.items()}

    def _scenario(self, question: plans.Question, name: str, design: VoteDesign) -> plans.Scenario:
        alpha, alternative = self.alpha, self.alternative
        n, preferred = self.n, self.preferred
        if question == "mde":
            preferred = smallest_preference(
                n or 0, design, power=self._target, alpha=alpha, alternative=alternative
            )
        elif question == "n":
            n = items_for_preference(
                preferred or 0, design, power=self._target, alpha=alpha, alternative=alternative
            )
        assert n is not None
        assert preferred is not None
        settings: dict[str, plans.Setting] = {"preferred": preferred, "ties": self.ties}
        if self.votes > 1:
            settings["correlation"] = design.icc
        if math.isnan(preferred):
            nothing = math.nan
            return plans.Scenario(name, settings, n, nothing, nothing, nothing, nothing, nothing)
        found = preference_power(n, preferred, design, alpha=alpha, alternative=alternative)
        return plans.Scenario(
            name=name,
            settings=settings,
            n=n,
            difference=preferred - 0.5,
            power=found.power,
            rejection_rate=found.rejection_rate,
            type_m=found.type_m,
            type_s=found.type_s,
        )

    def _curve(
        self,
        question: plans.Question,
        scenarios: list[plans.Scenario],
        designs: list[VoteDesign],
    ) -> plans.PlanCurve:
        def at(n: int, preferred: float, design: VoteDesign) -> float:
            return preference_power(
                n, preferred, design, alpha=self.alpha, alternative=self.alternative
            ).power

        def over_items(design: VoteDesign) -> Callable[[float], float]:
            return lambda n: at(int(n), self.preferred or 0, design)

        def over_shares(design: VoteDesign) -> Callable[[float], float]:
            return lambda size: at(self.n or 0, 0.5 + self._sign * size, design)

        band = "independent votes to votes alike"
        if question != "mde":
            x = plans.counts_around(scenarios[0].n or 0)
            by_items = [over_items(design) for design in designs]
            return plans.make_curve(x, by_items, label="items", band=band, scale="log")
        size = abs(scenarios[0].difference)
        widest = 0.49 if math.isnan(size) else min(0.49, 2 * size)
        x = plans.sizes_up_to(widest, size)
        by_shares = [over_shares(design) for design in designs]
        label = "share over one half" if self._sign > 0 else "share below one half"
        return plans.make_curve(x, by_shares, label=label, band=band, scale="linear")

    def _sentence(self, asked: plans.Asked, scenarios: list[plans.Scenario]) -> str:
        first = scenarios[0]
        cast = f"{items(first.n or 0)} with {count(self.votes, 'vote')} each"
        how = how_tested(asked.test, asked.alternative, asked.alpha)
        if math.isnan(first.power):
            return f"{cast} find no preference with a power of {share(self._target)} ({how})."
        preferred = float(first.settings["preferred"] or 0)
        told = f"{cast} find a true share of {roughly(preferred)} for the new system with a "
        told += f"probability of {chance(first.power)}"
        figures = [chance(each.power) for each in scenarios]
        if asked.question == "n":
            told = f"{cast} are needed to find a true share of {share(preferred)} for the new "
            told += f"system with a power of {share(self._target)}"
            figures = [f"{each.n:,}" for each in scenarios]
        elif asked.question == "mde":
            told = f"The smallest share preferred that {cast} find with a power of "
            told += f"{share(self._target)} is {roughly(preferred)}"
            figures = [roughly(float(each.settings["preferred"] or 0)) for each in scenarios]
        assumed = [f"{roughly(self.ties)} of the votes are ties"] * bool(self.ties)
        if self.votes > 1:
            assumed += [f"votes of an item correlate by {first.settings['correlation']:g}"]
        told += f", if {listed(assumed)}" * bool(assumed)
        told += f" ({how})."
        if len(scenarios) > 1:
            told += f" From independent votes to votes alike: {between(figures[-1], figures[1])}."
        return told + errors_in_words(first.type_m, first.type_s, "preference")
