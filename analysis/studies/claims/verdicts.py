"""From the figures of a claim to a verdict, and to a sentence that says why."""

from __future__ import annotations

import math
from typing import NamedTuple

from analysis import numbers
from analysis.studies.claims.gains import Gain
from analysis.studies.claims.history import Entry, TimeLine
from analysis.studies.claims.settings import ClaimSettings
from analysis.studies.study import count
from store.claim_records import ClaimRecord, Tier, Verdict
from store.reported import rounding


class Stated(NamedTuple):
    """A claimed value against what the store holds."""

    tier: Tier
    is_contradicted: bool
    is_same: bool
    """Whether the value was read off the very items that are in the store."""
    told: str
    """Empty where the store confirms it, or holds nothing to check it with."""


def check_value(
    line: TimeLine, entry: Entry, claim: ClaimRecord | None, ci: tuple[float, float]
) -> Stated:
    """Check the value of a claim against the item scores of its system.

    A value may differ from them by its rounding and by one item. What differs more is another
    evaluation; it is contradicted when it lies beyond the interval, on the better side. A claim of
    less than the items give is borne out.
    """
    if claim is None or entry.scores is None:
        return Stated(claim.tier if claim else "reported", False, False, "")
    if restates(line, entry, claim):
        return Stated("reproduced", False, True, "")
    off = line.metric.sign * (claim.value - entry.score)
    printed = f" (printed {numbers.stated(claim.printed, claim.value)})" if claim.printed else ""
    figures = f"Claimed {claim.value:.4g}{printed}; its items give {entry.score:.4g}."
    beyond = [line.metric.sign * (claim.value - end) for end in ci]
    is_outside = all(map(math.isfinite, ci)) and (min(beyond) > 0 or max(beyond) < 0)
    if is_outside and off > 0:
        return Stated("contradicted", True, False, figures)
    more = " That is more than was claimed." if is_outside else ""
    return Stated("reproduced", False, False, figures + more)


def restates(line: TimeLine, entry: Entry, claim: ClaimRecord) -> bool:
    """Return whether a claim says no other value than the store holds."""
    slack = rounding(claim.printed.strip().rstrip("% "), claim.value) + _one_item(line, entry)
    return abs(claim.value - entry.score) <= slack


def _one_item(line: TimeLine, entry: Entry) -> float:
    """Return what one item can move a mean by."""
    if line.metric.aggregation != "mean" or not entry.n_items:
        return 1e-9 * abs(entry.score)
    low, high = line.metric.lower, line.metric.upper
    span = high - low if low is not None and high is not None else 1.0
    return 1.0000001 * span / entry.n_items


class Case(NamedTuple):
    """All that a verdict rests on."""

    gain: Gain
    level: float
    holds: bool
    power: float
    power_gain: float
    mde: float
    previous: str
    stated: Stated
    asked_as: str
    """"claim 3" or "look 17": what the level is for."""


def judge_value(entry: Entry, stated: Stated, *, is_first: bool) -> tuple[Verdict, str]:
    """Return the verdict on a claim that is not tested against an earlier one."""
    if stated.is_contradicted:
        return "contradicted", stated.told
    if is_first:
        return "unverifiable", f"The first score: nothing to compare it with. {stated.told}".strip()
    only = "It states a value, not to be the best."
    if entry.scores is None:
        return "unverifiable", f"{only} There are no item scores to check it with."
    items = f"Its items give {entry.score:.4g}."
    if stated.tier == "reproduced":
        return "supported", f"{only} {stated.told or items}"
    return "unverifiable", f"{only} {stated.told or items}"


def judge(case: Case, settings: ClaimSettings) -> tuple[Verdict, str]:
    """Return the verdict and a sentence that says why."""
    verdict, why = _judge(case, settings)
    if case.stated.is_contradicted:
        return "contradicted", f"{case.stated.told} {why}"
    return verdict, f"{why} {case.stated.told}".strip()


def _judge(case: Case, settings: ClaimSettings) -> tuple[Verdict, str]:
    found, against = case.gain, f"over {case.previous}"
    if found.basis == "none" or math.isnan(found.pvalue):
        return "unverifiable", found.untested or "Nothing to test it with."
    size = f"{_amount(found.gain)} {against}"
    if found.basis == "bounds":
        return _judge_bounds(case, settings, size)
    tested = f"p {numbers.relation(found.pvalue)}"
    if found.basis == "reported":
        tested = found.told
    if found.n_items:
        tested += f", {count(found.n_items, 'item')}"
    if found.gain > 0 and case.level < found.pvalue <= found.floor * (1 + 1e-9):
        return "unverifiable", (
            f"{size} ({tested}) is the least that resampling can show, and {_asked(case)}. More "
            "resamples would tell."
        )
    if found.gain < 0 and found.pvalue <= settings.alpha:
        return "contradicted", f"It is worse than {case.previous}: {size} ({tested})."
    if found.gain <= 0:
        return "within-noise", f"No gain on the items that both have: {size} ({tested})."
    if case.holds:
        return "supported", f"{size} ({tested}; {_asked(case)})."
    if found.pvalue <= settings.alpha:
        short = f"{size} ({tested}) would do alone, but {_asked(case)}."
    else:
        short = f"Cannot tell {size} from chance ({tested}; {_asked(case)})."
    return _without_support(case, settings, short)


def _without_support(case: Case, settings: ClaimSettings, short: str) -> tuple[Verdict, str]:
    """Say whether the test set could have shown a gain that matters."""
    if math.isnan(case.mde):
        if case.gain.is_of_shares:
            return "underpowered", f"{short} No gain is large enough to be found at that level."
        return "within-noise", short
    smallest = f"the smallest found with {settings.power:.0%} is {_amount(case.mde)}"
    if math.isnan(case.power):  # no other gain is known: what was claimed is all there is
        return "underpowered", f"{short} The test set is too small for it: {smallest}."
    usual, chance = _amount(case.power_gain), numbers.probability(case.power)
    if case.power < settings.power:
        return (
            "underpowered",
            f"{short} The test set is too small: at that level a true gain of {usual} is found "
            f"with {chance}, and {smallest}.",
        )
    return (
        "within-noise",
        f"{short} At that level a true gain of {usual} would have been found with {chance}.",
    )


def _judge_bounds(case: Case, settings: ClaimSettings, size: str) -> tuple[Verdict, str]:
    found, bounds = case.gain, case.gain.bounds
    of = "from the stated standard errors alone"
    if bounds is not None:
        of = f"{count(bounds.n_items, 'item')}, from the figures alone"
    if found.gain <= 0:
        return "within-noise", f"No gain: {size} ({of})."
    worst = "however little the two agree" if bounds else "however the errors go together"
    if case.holds:
        return (
            "supported",
            f"{size} ({of}) is significant {worst} (largest possible p "
            f"{numbers.relation(found.pvalue)}; {_asked(case)}).",
        )
    if found.pvalue_low > case.level:
        best = worst.replace("little", "much")
        short = f"{size} ({of}) is not significant {best}."
        return _without_support(case, settings, short)
    if bounds is None:
        return "unverifiable", f"{size} ({of}) may hold or not. Item scores would tell."
    needed = bounds.agreement_for(case.level)
    if bounds.graded or math.isnan(needed):
        return "unverifiable", (
            f"{size} ({of}) may hold or not: that depends on how much the two differ on single "
            "items. Item scores would tell."
        )
    return (
        "unverifiable",
        f"{size} ({of}) holds if the two systems agree on at least {needed:.1%} of the items; "
        f"between {bounds.agreement_low:.1%} and {bounds.agreement_high:.1%} is possible, about "
        f"{bounds.agreement_expected:.1%} usual. Item scores would tell.",
    )


def _asked(case: Case) -> str:
    return f"as {case.asked_as} it takes {case.level:.2g}"


def _amount(gain: float) -> str:
    return f"{gain:+.3g}".replace("-", "−")
