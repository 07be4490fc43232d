"""Numbers and names as papers print them: ``(0.0979)``, ``2·10^-4``, ``< .001``, ``**90.7***``."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Any, NamedTuple

from store.importers.cells import LARGEST, MISSING_WORDS, CellError, parse_number, too_large

_MARKS = "*∗⁎†‡§¶"
_TRAILING_MARKS = re.compile(
    rf"[\s,^{{}}{_MARKS}+]*[{_MARKS}][\s,^{{}}{_MARKS}+]*$|\s*\^\{{?\+\}}?$"
)
_NUMBER_MARKS = re.compile(rf"[\s,^{{}}{_MARKS}+]*[{_MARKS}+]\s*\}}?$")
_SUPERSCRIPT_TAG = re.compile(rf"<sup>\s*[{_MARKS}+,\s]*\s*</sup>$", re.IGNORECASE)
_TAGS = re.compile(r"</?(b|i|em|strong|u)>", re.IGNORECASE)
_EMPHASIS = re.compile(r"^(\*\*|__|\*|_)(.+?)\1(?=[\s*∗†‡§+]*$)")
_LATEX_BOLD = re.compile(
    r"\\(?:textbf|mathbf|underline|textit|emph)\{([^{}]*)\}|\{\\(?:bf|it|em|tt|sc)\s+([^{}]*)\}"
)
_POWER = re.compile(r"(?:([+-]?\d*\.?\d+)\s*[·⋅×x*]\s*)?10\s*\^\s*\{?\s*([+-]?\s*\d+)\s*\}?")
_EXPONENT = re.compile(r"([+-]?\d*\.?\d+)\s*[eE]\s*\^?\s*\{?\s*([+-]?\s*\d+)\s*\}?")
_GROUPED = re.compile(r"[+-]?[1-9]\d{0,2}(,\d{3})+(\.\d+)?")
_PLAIN = re.compile(r"-?\d{1,50}(\.\d{1,50})?", re.ASCII)
_WITH_SPREAD = re.compile(
    r"([+-]?[\d.,]*\d\s*%?)\s*(?:(?:±|\+/-|\+-|\\pm)\s*\{?[\d.]+\}?\s*%?|"
    r"\(\s*(?:±|\+/-|\\pm)\s*[\d.]+\s*%?\s*\)|_\{?\\?(?:±|\+/-|pm)\s*[\d.]+\}?)"
)
"""A figure and its spread: ``85.2 ± 0.3``, ``85.2 (±0.3)``, ``85.2_{\\pm 0.3}``."""
_SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺", "0123456789-+")


class PrintedNumber(NamedTuple):
    """What a printed cell states."""

    value: float
    """NaN when the cell is empty."""
    is_upper_bound: bool = False
    """Printed as ``< .001``: the true value is smaller."""
    is_percent: bool = False
    marks: str = ""
    """Marks that were stripped, such as ``*``."""
    is_grouped: bool = False
    """Thousands were separated by commas."""
    has_spread: bool = False
    """A spread stood behind it, as in ``85.2 ± 0.3``."""


def parse_printed(cell: Any) -> PrintedNumber:
    """Read a number from a cell of a printed table.

    Raises
    ------
    CellError
        No number, two numbers, or a lower bound only.
    """
    if not isinstance(cell, str):
        if isinstance(cell, (list, dict)):
            raise CellError("holds a list or an object; write one number")
        if isinstance(cell, int) and abs(cell) > LARGEST:
            raise CellError("a whole number too large for a score")
        return PrintedNumber(_finite(math.nan if cell is None else float(cell)))
    return _parse_text(cell)


@lru_cache(maxsize=10_000)  # many cells of a board are alike
def _parse_text(cell: str) -> PrintedNumber:
    if _PLAIN.fullmatch(cell):
        return PrintedNumber(float(cell))
    text, marks = _plain_number(cell)
    spread = _WITH_SPREAD.fullmatch(text.replace("**", ""))
    if spread is not None:
        return parse_printed(spread[1].strip())._replace(marks=marks, has_spread=True)
    if text.lower() in MISSING_WORDS:
        return PrintedNumber(math.nan, marks=marks)
    is_bound = text[0] in "<≤"
    if text[0] in ">≥":
        raise CellError(
            f"{cell.strip()!r} states only that the value is larger; leave the cell empty, or "
            "write the value itself"
        )
    if is_bound:
        text = text[1:].lstrip("= ")
        if not text:
            raise CellError(f"{cell.strip()!r} states no number")
    is_grouped = _GROUPED.fullmatch(text) is not None
    if is_grouped:
        text = text.replace(",", "")
    power = _power_of_ten(text)
    if power is not None:
        return PrintedNumber(power, is_bound, marks=marks)
    try:
        value, is_percent = parse_number(text)
    except CellError as error:
        raise CellError(str(error).replace(repr(text), repr(cell.strip()))) from None
    return PrintedNumber(value, is_bound, is_percent, marks, is_grouped)


def plain_name(name: str) -> str:
    """Return a printed name without emphasis, mathematics signs and trailing marks.

    A plus at the end stays unless it stands with another mark or as a superscript: ``chrF+`` is a
    name, ``K→D*,+`` a marked one.
    """
    text = _SUPERSCRIPT_TAG.sub("", _unwrapped(name))
    text = re.sub(r"\\(rightarrow|to)\b", "→", text)
    return _TRAILING_MARKS.sub("", text).strip() or name.strip()


def plain_names(names: Iterable[str]) -> dict[str, str]:
    """Return printed name -> plain name; names that would become equal stay as printed."""
    plain = {name: plain_name(name) for name in names}
    spellings = list(plain.values())
    return {
        name: short if spellings.count(short) == 1 else name.strip()
        for name, short in plain.items()
    }


def _unwrapped(text: str) -> str:
    """Strip bold and italics of Markdown, HTML and LaTeX, and dollar signs."""
    text = text.replace("\u00a0", " ").replace("$", "").strip()
    text = _LATEX_BOLD.sub(lambda m: m[1] or m[2] or "", _TAGS.sub("", text))
    text = text.replace("\\_", "_").replace("\\&", "&").replace("\\%", "%")
    return _EMPHASIS.sub(r"\2", text).strip()


def _plain_number(cell: str) -> tuple[str, str]:
    """Return a cell without brackets, emphasis and marks, and the marks."""
    text = _SUPERSCRIPT_TAG.sub("", _unwrapped(cell))
    text = re.sub(r"\\cdot|\\times", "·", text).replace("−", "-").replace("–", "-")
    text = re.sub(r"(?<=10)([⁻⁺]?[⁰¹²³⁴⁵⁶⁷⁸⁹]+)", lambda m: "^" + m[1], text)
    text = text.translate(_SUPERSCRIPTS).strip()
    text = re.sub(r"^p\s*(?==|<|≤|>|≥)", "", text, flags=re.IGNORECASE).lstrip("= ").strip()
    text, marks = _without_marks(text)
    if len(text) > 1 and text[0] in "([" and text[-1] in ")]":
        text, inner_marks = _without_marks(re.sub(r"^p?\s*=\s*", "", text[1:-1].strip()))
        marks += inner_marks
    return text, marks


def _without_marks(text: str) -> tuple[str, str]:
    match = _NUMBER_MARKS.search(text)
    return (text[: match.start()].strip(), match[0].strip(" ,^{}")) if match else (text, "")


def _power_of_ten(text: str) -> float | None:
    """Read ``10^-4``, ``2·10^-4``, ``2e^-5`` and ``1.9e - 06``; ``None`` for anything else."""
    for pattern, base in ((_POWER, "1"), (_EXPONENT, "")):
        match = pattern.fullmatch(text)
        if match:
            exponent = "".join(match[2].split())
            return _finite(float(f"{match[1] or base}e{exponent}"))
    return None


def _finite(value: float) -> float:
    if abs(value) > LARGEST:
        raise CellError(f"{value} {too_large(value)}")
    return value
