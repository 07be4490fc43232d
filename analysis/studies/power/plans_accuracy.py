"""Plans for two accuracies on the same items, by the share of items that both agree on."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Literal

from analysis.statistics._typing import Alternative
from analysis.statistics.planning.accuracy.agreement import (
    CARD_2020_GLUE,
    Agreement,
    agreement_range,
)
from analysis.statistics.planning.accuracy.detectable_gap import minimum_detectable_gap
from analysis.statistics.planning.accuracy.items_for_gap import items_for_gap
from analysis.statistics.planning.accuracy.mcnemar_power import McNemarPower, mcnemar_power
from analysis.studies.power.plans import (
    Asked,
    PlanCurve,
    PowerPlan,
    Question,
    Scenario,
    check_difference,
    check_direction,
    counts_around,
    make_curve,
    make_plan,
    sizes_up_to,
    told_in_words,
    which_question,
)
from analysis.studies.power.plans_words import (
    between,
    chance,
    errors_in_words,
    how_tested,
    items,
    points,
    roughly,
    share,
)
from analysis.studies.test_names import IN_WORDS
from store.errors import StoreError

AgreementName = Literal["glue", "least", "middle", "most"]
Variant = Literal["score", "exact", "midp", "chi2", "chi2-cc"]

AGREEMENTS: Final[dict[AgreementName, str]] = {
    "glue": "as on GLUE",
    "least": "least agreement",
    "middle": "middle agreement",
    "most": "most agreement",
}
"""What is assumed about agreement; the first is the answer where nothing is given."""
VARIANTS: Final[dict[Variant, str]] = {
    "score": "score",
    "exact": "mcnemar",
    "midp": "mcnemar-midp",
    "chi2": "mcnemar-chi2",
    "chi2-cc": "mcnemar-chi2-cc",
}
_MOST_ITEMS: Final = 10_000_000
"""More take minutes, and no test set has them."""
_NAMES: Final = {"n_items": "n", "baseline": "accuracy"}
_AS_GIVEN: Final = "as given"
_SAME: Final = 1e-9


@dataclass(frozen=True, slots=True)
class _Setting:
    """The question with everything but the agreement."""

    question: Question
    n: int
    accuracy: float
    gap: float
    target: float
    alpha: float
    alternative: Alternative
    variant: Variant

    def power(self, n: int, gap: float, agreement: Agreement) -> McNemarPower:
        return mcnemar_power(
            n,
            gap,
            agreement=agreement,
            baseline=self.accuracy,
            variant=self.variant,
            alternative=self.alternative,
            alpha=self.alpha,
        )


def study_accuracy_plan(
    *,
    accuracy: float,
    n: int | None = None,
    gap: float | None = None,
    agreement: float | AgreementName | None = None,
    power: float | None = None,
    alpha: float = 0.05,
    alternative: Alternative = "two-sided",
    variant: Variant = "score",
) -> PowerPlan:
    """Plan a comparison of two accuracies; of `n`, `gap` and `power` one is looked for.

    Parameters
    ----------
    accuracy
        Of the baseline, a share.
    n
        Items of the test set.
    gap
        True accuracy of the new system less that of the baseline.
    agreement
        Share of items both systems get right or both wrong, or what is assumed about it. By
        default what pairs of systems on GLUE suggest is the answer, beside the least, the middle
        and the most that these accuracies allow.
    power
        Asked for; 0.8 where it is not looked for.
    alpha, alternative, variant
        Of the test: by default the one that a comparison takes, else a form of McNemar's.

    Raises
    ------
    StoreError
        A number is out of range, or too little or too much is given.
    """
    question = which_question(n, gap, power, ("n", "gap"))
    check_difference(gap, "gap")
    check_direction(gap, alternative, "gap")
    target = 0.8 if power is None else power
    setting = _Setting(
        question, n or 0, accuracy, gap or math.nan, target, alpha, alternative, variant
    )
    given: dict[str, Agreement]
    if agreement is None:
        by_name: tuple[AgreementName, ...] = ("glue", "least", "middle", "most")
        given = {AGREEMENTS[name]: _agreement(name) for name in by_name}
    elif isinstance(agreement, str):
        given = {AGREEMENTS[agreement]: _agreement(agreement)}
    else:
        given = {_AS_GIVEN: agreement}
    if n is not None and n > _MOST_ITEMS:
        raise StoreError(f"`n` must be at most {_MOST_ITEMS:,}, got {n:,}.")
    with told_in_words(_NAMES):
        scenarios = [_scenario(setting, name, each) for name, each in given.items()]
        curve = _curve(setting, list(given.values()), scenarios)
    asked = Asked(
        kind="accuracy",
        question=question,
        target=math.nan if question == "power" else target,
        alpha=alpha,
        alternative=alternative,
        test=IN_WORDS[VARIANTS[variant]],
        method="enumeration",
        settings={
            "n": n,
            "accuracy": accuracy,
            "gap": gap,
            "agreement": "unknown" if agreement is None else agreement,
            "variant": variant,
        },
    )
    return make_plan(
        asked,
        scenarios,
        curve,
        sentence=_sentence(asked, setting, scenarios),
    )


def _agreement(name: AgreementName) -> Agreement:
    return CARD_2020_GLUE if name == "glue" else name


def _scenario(setting: _Setting, name: str, agreement: Agreement) -> Scenario:
    if setting.question == "power":
        return _as_scenario(name, setting.power(setting.n, setting.gap, agreement), setting.gap)
    if setting.question == "n":
        needed = items_for_gap(
            setting.gap,
            agreement=agreement,
            baseline=setting.accuracy,
            power=setting.target,
            variant=setting.variant,
            alternative=setting.alternative,
            alpha=setting.alpha,
        )
        found = setting.power(needed.n_items, setting.gap, agreement)
        return _as_scenario(name, found, setting.gap)
    smallest = minimum_detectable_gap(
        setting.n,
        setting.accuracy,
        agreement=agreement,
        power=setting.target,
        variant=setting.variant,
        alternative=setting.alternative,
        alpha=setting.alpha,
    )
    exists = not math.isnan(smallest.gap)
    size = smallest.gap if exists else smallest.largest_gap
    if size == 0:  # a baseline that nothing can be better, or worse, than
        return Scenario(
            name=name,
            settings={"agreement": math.nan},
            n=setting.n,
            difference=math.nan,
            power=math.nan,
            rejection_rate=math.nan,
            type_m=math.nan,
            type_s=math.nan,
        )
    sign = -1 if setting.alternative == "less" else 1
    found = setting.power(setting.n, sign * size, smallest.agreement if exists else agreement)
    return _as_scenario(name, found, size if exists else math.nan)


def _as_scenario(name: str, found: McNemarPower, gap: float) -> Scenario:
    return Scenario(
        name=name,
        settings={"agreement": found.agreement},
        n=found.n_items,
        difference=gap,
        power=found.power,
        rejection_rate=found.rejection_rate,
        type_m=found.type_m,
        type_s=found.type_s,
        note=_clipped(found) if name == AGREEMENTS["glue"] else "",
    )


def _clipped(found: McNemarPower) -> str:
    """Say where the line fitted to GLUE predicts what cannot be."""
    line = CARD_2020_GLUE.expected(found.baseline, found.gap, clip=False)
    if abs(line - found.agreement) < _SAME:
        return ""
    return (
        f"The line fitted to GLUE predicts an agreement of {roughly(line)} here, which no two "
        f"systems of these accuracies can have; the nearest possible, {roughly(found.agreement)}, "
        "is taken."
    )


def _curve(setting: _Setting, agreements: list[Agreement], scenarios: list[Scenario]) -> PlanCurve:
    def over_items(agreement: Agreement) -> Callable[[float], float]:
        return lambda n: setting.power(int(n), setting.gap, agreement).power

    def over_gaps(agreement: Agreement) -> Callable[[float], float]:
        def power(size: float) -> float:
            if not _possible(setting.accuracy, sign * size, agreement):
                return math.nan
            return setting.power(setting.n, sign * size, agreement).power

        return power

    if setting.question != "mde":
        return make_curve(
            counts_around(scenarios[0].n or setting.n),
            [over_items(agreement) for agreement in agreements],
            label="items",
            band="least to most agreement",
            scale="log",
        )
    sign = -1 if setting.alternative == "less" else 1
    room = setting.accuracy if setting.alternative == "less" else 1 - setting.accuracy
    widest = max((each.difference for each in scenarios if each.difference > 0), default=room)
    return make_curve(
        sizes_up_to(min(room, 1.5 * widest), scenarios[0].difference),
        [over_gaps(agreement) for agreement in agreements],
        label="gap",
        band="least to most agreement",
        scale="linear",
    )


def _possible(accuracy: float, gap: float, agreement: Agreement) -> bool:
    if not isinstance(agreement, float | int):
        return True
    possible = agreement_range(accuracy, gap)
    return possible.least <= agreement <= possible.most


def _sentence(asked: Asked, setting: _Setting, scenarios: list[Scenario]) -> str:
    first = scenarios[0]
    if math.isnan(first.power):
        side = "worse" if setting.alternative == "less" else "better"
        return f"No system can be {side} than one at {share(setting.accuracy)}."
    start, figures = _figures(setting, scenarios, first)
    how = how_tested(asked.test, asked.alternative, asked.alpha)
    told = f"{start}{_assumption(first)} ({how})."
    if len(scenarios) > 1 and figures:
        ends = scenarios[1], scenarios[-1]
        shares = [roughly(float(each.settings["agreement"] or 0)) for each in ends]
        told += f" Over every possible agreement, from {between(*shares)}: "
        told += f"{between(figures[1], figures[-1])}."
    if math.isnan(first.difference):
        return told
    return told + errors_in_words(first.type_m, first.type_s, "gap")


def _figures(
    setting: _Setting, scenarios: list[Scenario], first: Scenario
) -> tuple[str, list[str]]:
    """Return how the sentence begins, and its figure in every scenario."""
    size = f"a true gap of {points(setting.gap)} from {share(setting.accuracy)}"
    if setting.question == "power":
        start = f"{items(setting.n)} find {size} with a probability of {chance(first.power)}"
        return start, [chance(each.power) for each in scenarios]
    if setting.question == "n":
        start = f"{items(first.n or 0)} are needed to find {size} with a power of "
        return start + share(setting.target), [f"{each.n:,}" for each in scenarios]
    sizes = [
        "none" if math.isnan(each.difference) else points(each.difference) for each in scenarios
    ]
    if math.isnan(first.difference):
        return _nothing_found(setting, first), sizes if set(sizes) > {"none"} else []
    start = (
        f"The smallest gap from {share(setting.accuracy)} that {items(setting.n)} find with a "
        f"power of {share(setting.target)} is {points(first.difference)}"
    )
    return start, sizes


def _nothing_found(setting: _Setting, first: Scenario) -> str:
    return (
        f"No gap is large enough: with {items(setting.n)} and a baseline at "
        f"{share(setting.accuracy)}, the power is {chance(first.power)} even for "
        "the largest that is possible"
    )


def _assumption(first: Scenario) -> str:
    agreement = float(first.settings["agreement"] or 0)
    words = {
        AGREEMENTS["glue"]: ", as those on GLUE suggest",
        AGREEMENTS["least"]: ", the least possible",
        AGREEMENTS["middle"]: ", the middle of what is possible",
        AGREEMENTS["most"]: ", the most possible",
    }
    return f" if the systems agree on {roughly(agreement)} of the items{words.get(first.name, '')}"
