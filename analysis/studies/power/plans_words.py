"""How plans say what they found."""

from __future__ import annotations

import math
from typing import Final

from analysis import numbers
from analysis.studies.study import count

QUESTIONS_IN_WORDS: Final = {
    "power": "Power of the test set",
    "mde": "Smallest difference found",
    "n": "Size needed",
}
ALTERNATIVES_IN_WORDS: Final = {
    "two-sided": "two-sided",
    "greater": "one-sided",
    "less": "one-sided",
}
_EXAGGERATES = 1.2
_WRONG_WAY = 0.001
_NEARLY = 0.999


def chance(probability: float) -> str:
    """Print a computed probability in percent: 48.1 %, 2.3 %, over 99.9 %."""
    if math.isnan(probability):
        return numbers.MISSING
    if probability > _NEARLY:
        return f"over 99.9{numbers.THIN}%"
    if probability < 1 - _NEARLY:
        return f"below 0.1{numbers.THIN}%"
    return numbers.fixed(100 * probability, 1, unit="%")


def share(value: float) -> str:
    """Print a share that was given in percent, with all its digits: 91.6 %, 97.25 %."""
    return f"{100 * value:.6g}{numbers.THIN}%"


def roughly(value: float) -> str:
    """Print a share in percent with three digits: 94.2 %, 100 % only if it is all."""
    if _NEARLY < value < 1:
        return chance(value)
    return f"{100 * value:.3g}{numbers.THIN}%"


def points(gap: float) -> str:
    """Print a gap of accuracies: 1 point, 0.107 points."""
    size = f"{100 * abs(gap):.3g}"
    return f"{size} point{'' if size == '1' else 's'}"


def given(value: float) -> str:
    """Print a number as somebody gave it, with a real minus."""
    return f"{value:.6g}".replace("-", numbers.MINUS)


def amount(value: float) -> str:
    """Print a difference on its own scale with three digits that matter."""
    if value == 0 or not math.isfinite(value):
        return numbers.fixed(value, 0)
    places = max(0, 2 - math.floor(math.log10(abs(value))))
    return numbers.fixed(value, min(places, 12))


def between(low: str, high: str) -> str:
    """Join two ends, leaving out a unit that both have."""
    head, _, unit = low.rpartition(numbers.THIN)
    if head and high.endswith(numbers.THIN + unit):
        return f"{head} to {high}"
    head, _, unit = low.rpartition(" ")
    if unit.startswith("point") and high.rpartition(" ")[2].startswith("point"):
        return f"{head} to {high}"
    return low if low == high else f"{low} to {high}"


def how_tested(test: str, alternative: str, alpha: float) -> str:
    """Say which test the figures are for."""
    return f"{test}, {ALTERNATIVES_IN_WORDS[alternative]}, α = {alpha:g}, one comparison"


def errors_in_words(type_m: float, type_s: float, noun: str) -> str:
    """Say what significant results get wrong; a power of 0.8 (1.1 times) is not worth it."""
    told = []
    if type_m > _EXAGGERATES:
        told.append(f"What is found exaggerates the {noun} {type_m:.2g} times on average")
    if type_s > _WRONG_WAY:
        wrong = f"{chance(type_s)} of the significant results point the wrong way"
        told.append(wrong if told else wrong[0].upper() + wrong[1:])
    return f" {', and '.join(told)}." if told else ""


def items(n: int) -> str:
    """Print a number of items."""
    return count(n, "item")
