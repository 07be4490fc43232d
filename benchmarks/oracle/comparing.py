"""R's values against ours: what disagrees, and what is computed otherwise on purpose."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from types import EllipsisType

TOLERANCE = 1e-9
LOOSER = {
    "*|shapiro": 1e-6,  # the constants of its approximation are printed to eight digits
    "rank|nemenyi|cd": 1e-4,  # R stops its search for a quantile there
}
"""Patterns of keys -> relative tolerance, where the procedure itself is not more exact."""
SMALLEST = 1e-290
"""Numbers below are compared as equal: R and scipy give up at different ends of float64."""

CELL, DRAWN = "cell of ", " (drawn)"
"""How keys begin that are of `pairs`, and end whose value is drawn or approximated."""
FACTOR = 1.25
"""What is drawn may be off by so much in the tails, and by five standard errors before."""


@dataclass(frozen=True)
class OnPurpose:
    """A procedure that differs from R's, and why.

    Attributes
    ----------
    pattern
        Keys, as patterns of a shell.
    ours
        What we give there: None for no value, a number, or ``...`` for any value.
    reason
        Why.
    """

    pattern: str
    ours: float | EllipsisType | None
    reason: str

    def covers(self, key: str, ours: float | None) -> bool:
        """Return whether our value at this key is what is meant."""
        return fnmatchcase(key, self.pattern) and (self.ours is ... or self.ours == ours)


_TANGO = "differences of right and wrong have score intervals (Tango), not those of Student's t"
ON_PURPOSE = (
    OnPurpose("binary-*|t|low*", ..., _TANGO),
    OnPurpose("binary-*|t|high*", ..., _TANGO),
    OnPurpose("binary-*|tost|*", ..., "and so is their equivalence tested"),
)
"""What R's `stats` has too, and we compute otherwise.

Where R's own default is the cruder one, the script takes the finer: Wilcoxon's exact distribution
with ties (R: normal), enumerated; partial conjunctions that never fall in u.
"""


@dataclass(frozen=True)
class Disagreement:
    """A key with two values; None: that side gives none."""

    key: str
    r: float | None
    ours: float | None

    def __str__(self) -> str:
        relative = ""
        if self.r and self.ours is not None:
            relative = f"   relative {abs(self.ours - self.r) / abs(self.r):.2g}"
        return f"{self.key:<64} R {_shown(self.r):>24}   ours {_shown(self.ours):>24}{relative}"


@dataclass(frozen=True)
class Outcome:
    """What a comparison found.

    Attributes
    ----------
    n_compared
        Values that both give.
    disagreements
        Beyond the tolerance, and not on purpose.
    on_purpose
        Reason -> how many values differ for it.
    without_reference
        Kind of value -> how many we give and R does not.
    """

    n_compared: int
    disagreements: list[Disagreement]
    on_purpose: Counter[str]
    without_reference: Counter[str]


def compare(
    reference: Mapping[str, float],
    ours: Iterable[tuple[str, float | None]],
    rules: Iterable[OnPurpose] = ON_PURPOSE,
) -> Outcome:
    """Hold our values against R's; NaN of R counts as none."""
    compared, found = 0, []
    without, reasons = Counter[str](), Counter[str]()
    known = list(rules)
    for name, value in ours:
        key = name.removeprefix(CELL).removesuffix(DRAWN)
        theirs = reference.get(key)
        if theirs is not None and math.isnan(theirs):
            theirs = None
        if theirs is None and value is None:
            continue
        rule = next((rule for rule in known if rule.covers(name, value)), None)
        if theirs is None:
            without[kind_of(name)] += 1
            continue
        compared += 1
        if name.endswith(DRAWN):
            same = agrees_as_drawn(theirs, value)
        else:
            same = agrees(theirs, value, _size(reference, key), _tolerance(key))
        if same:
            continue
        if rule is None:
            found.append(Disagreement(name, theirs, value))
        else:
            reasons[rule.reason] += 1
    return Outcome(compared, found, reasons, without)


def kind_of(key: str) -> str:
    """Return a key without the names of the case and of its systems."""
    parts = [part for part in key.split("|")[1:] if not part.removeprefix("S").isdigit()]
    return "|".join(parts)


def agrees(r: float, ours: float | None, size: float = 0.0, tolerance: float = TOLERANCE) -> bool:
    """Return whether two values are equal but for rounding.

    Parameters
    ----------
    r, ours
        The values.
    size
        What the value was subtracted from: rounding is relative to it.
    tolerance
        Relative to the larger.
    """
    if ours is None:
        return False
    if math.isinf(r) or math.isinf(ours):
        return r == ours
    far = max(1.0, -math.log(abs(r)) / 50) if r else 1.0  # a rounding of z counts z times in a tail
    return abs(r - ours) <= far * tolerance * max(abs(r), abs(ours)) + 1e-14 * size + SMALLEST


def agrees_as_drawn(r: float, ours: float | None, n_resamples: int = 9_999) -> bool:
    """Return whether a p-value from resamples, or an approximated tail, is as near as it should."""
    if ours is None:
        return False
    few = 10 / n_resamples  # with fewer hits a tail is approximated, and no count is taken
    if r < few and r / FACTOR <= ours <= r * FACTOR:
        return True
    if max(r, ours) < few:
        return False
    return abs(r - ours) <= 5 * math.sqrt(r * (1 - r) / n_resamples) + 1 / n_resamples


def _tolerance(key: str) -> float:
    return next((t for pattern, t in LOOSER.items() if fnmatchcase(key, pattern)), TOLERANCE)


def _size(reference: Mapping[str, float], key: str) -> float:
    """Return the size of the numbers behind a difference or the end of an interval."""
    owner, _, name = key.rpartition("|")
    if name.startswith(("low", "high")):
        level = name.removeprefix("low").removeprefix("high")
        return max(abs(reference.get(f"{owner}|{side}{level}", 0.0)) for side in ("low", "high"))
    if name in ("difference", "score", "own", "hl", "dz", "statistic") or key.startswith(
        "rank|nemenyi"
    ):
        return 1.0  # R's studentised range is 1 less its lower tail
    return 0.0


def _shown(value: float | None) -> str:
    return "none" if value is None else f"{value:.15g}"
