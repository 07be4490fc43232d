"""How numbers, p-values, counts and dates are printed. Pure functions; no page prints its own."""

import math
import re
from collections.abc import Iterable
from datetime import UTC, date, datetime
from statistics import median
from typing import Final

MISSING: Final = "–"
"""What stands where there is no value."""

MINUS: Final = "\N{MINUS SIGN}"
THIN: Final = "\N{NARROW NO-BREAK SPACE}"

MOST_PLACES: Final = 8
"""What needs more decimals than these is printed as 8.4e−13."""
MOST_DIGITS: Final = 15
"""What has more digits before the point than a number holds is printed as 1.813e+98."""


_IN_FULL: Final = re.compile(r"\d+\.\d{7,}(?:[eE][-+]?\d+)?")
"""A number that a program wrote with all the digits it has, as 0.30000000000000004."""


def decimals(*, half_width: float | None = None, n: int | None = None, span: float = 1.0) -> int:
    """Choose how many decimals a score supports: two significant digits of its half-width.

    Without an interval the half-width is taken as `span / sqrt(n)`, the widest that a mean of
    `n` items on a scale of length `span` can have at 95 %; with neither, 3 decimals of `span` 1.
    """
    if half_width is None or not math.isfinite(half_width) or half_width <= 0:
        half_width = span / math.sqrt(n) if n else span / 20
    if not 0 < half_width < math.inf:
        half_width = 1 / 20
    return max(0, min(MOST_PLACES, 1 - math.floor(math.log10(half_width))))


def decimals_of(low: Iterable[float], high: Iterable[float]) -> int:
    """Return the decimals that the usual width of some intervals supports."""
    halves = [(end - start) / 2 for start, end in zip(low, high, strict=True)]
    known = [half for half in halves if math.isfinite(half) and half > 0]
    return decimals(half_width=median(known) if known else None)


def score(
    value: float | None,
    *,
    low: float | None = None,
    high: float | None = None,
    n: int | None = None,
    unit: str = "",
    span: float = 1.0,
) -> str:
    """Print a score with the precision that its interval, or else its number of items, supports."""
    return fixed(value, _places(low, high, n, span), unit=unit)


def difference(
    value: float | None,
    *,
    low: float | None = None,
    high: float | None = None,
    n: int | None = None,
    unit: str = "",
    span: float = 1.0,
) -> str:
    """Print a difference like `score`, always with its sign."""
    return fixed(value, _places(low, high, n, span), unit=unit, signed=True)


def interval(low: float | None, high: float | None, *, signed: bool = False, unit: str = "") -> str:
    """Print both ends of an interval with its own precision."""
    if _absent(low) or _absent(high):
        return MISSING
    places = _places(low, high, None, 1.0)
    return f"{fixed(low, places, signed=signed)} to {fixed(high, places, signed=signed, unit=unit)}"


def fixed(value: float | None, places: int, *, unit: str = "", signed: bool = False) -> str:
    """Print with fixed decimals, a real minus sign, and never a negative zero.

    With `MOST_PLACES` decimals no value is printed as zero that is none, and none with more digits
    than it has.
    """
    if value is None or _absent(value):
        return MISSING
    digits = f"{abs(value):.{places}f}"
    nonzero = any(character in "123456789" for character in digits) or math.isinf(value)
    if value and not nonzero and places >= MOST_PLACES:
        digits, nonzero = f"{abs(value):.2g}".replace("-", MINUS), True
    elif abs(value) >= 10**MOST_DIGITS:
        digits = f"{abs(value):.4g}"
    sign = MINUS if value < 0 and nonzero else "+" if signed and nonzero else ""
    return sign + digits + (THIN + unit if unit else "")


def stated(printed: str, value: float) -> str:
    """Print a figure as its source does, but what a program wrote in full with 4 digits or more.

    `printed` is empty where the source is no text.
    """

    def shorter(found: re.Match[str]) -> str:
        number = float(found[0])
        size = math.floor(math.log10(number)) if number else 0
        return fixed(number, min(MOST_PLACES, max(4, 3 - size)))

    return _IN_FULL.sub(shorter, printed or f"{value:g}")


def pvalue(p: float | None) -> str:
    """Print a p-value: 0.312, 0.0313, < 0.0001; an exact zero is somebody else's rounding."""
    if p is None or _absent(p):
        return MISSING
    if p == 0:
        return "0 (as printed)"
    if p < 0.0001:
        return "< 0.0001"
    if p > 0.999:
        return "1" if p >= 1 else "> 0.999"
    return f"{p:.3f}" if p >= 0.1 else f"{p:.4f}"


def probability(p: float | None) -> str:
    """Print a probability: 0.312, and never quite 0 or 1."""
    if p is None or _absent(p):
        return MISSING
    return "< 0.001" if p < 0.0005 else "> 0.999" if p > 0.9995 else f"{p:.3f}"


def confidence(alpha: float) -> str:
    """Print the confidence that goes with α: 95 %, 99.9 %."""
    return f"{100 * (1 - alpha):.10g} %"


def relation(p: float | None) -> str:
    """Print what a p-value is: "= 0.312", "< 0.0001"."""
    told = pvalue(p)
    return told if told[0] in "<>" else f"= {told}"


def count(n: int | float | None) -> str:
    """Print a count with commas between thousands, as the command line does."""
    return MISSING if n is None or _absent(n) else f"{int(n):,}"


def counted(n: int, noun: str) -> str:
    """Print a count with its noun: 1 item, 500 items, 2 properties."""
    if n == 1:
        return f"{count(n)} {noun}"
    is_ies = noun.endswith("y") and noun[-2:-1] not in "aeiou"
    return f"{count(n)} {noun[:-1]}ies" if is_ies else f"{count(n)} {noun}s"


def share(part: float, whole: float) -> str:
    """Print a share in percent; 100 and 0 only when it is exactly all or nothing."""
    if not whole:
        return MISSING
    percent = 100 * part / whole
    if part != whole:
        percent = min(percent, 99.9)
    if part:
        percent = max(percent, 0.1)
    return fixed(percent, 0 if part in (0, whole) else 1, unit="%")


def coverage(n_scored: int, n_items: int) -> str:
    """Say how many items are scored and, when some are not, of how many."""
    if n_scored == n_items:
        return counted(n_items, "item")
    missing = count(n_items - n_scored)
    return f"{count(n_scored)} of {counted(n_items, 'item')}, {missing} missing"


def day(value: date | datetime | None) -> str:
    """Print a date as 2026-11-21."""
    return MISSING if value is None or value != value else f"{value:%Y-%m-%d}"


def moment(value: datetime | None) -> str:
    """Print a time as 2026-11-21 09:30 UTC."""
    if value is None or value != value:
        return MISSING
    utc = value.astimezone(UTC)
    is_day = (utc.hour, utc.minute, utc.second) == (0, 0, 0)  # nobody stated a time
    return day(utc) if is_day else f"{utc:%Y-%m-%d %H:%M} UTC"


def _places(low: float | None, high: float | None, n: int | None, span: float) -> int:
    half_width = None if low is None or high is None else (high - low) / 2
    return decimals(half_width=half_width, n=n, span=span)


def _absent(value: float | None) -> bool:
    return value is None or value != value
