"""Any text, made safe for Markdown, LaTeX and aligned plain text. Pure functions."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache
from typing import Final

_LATEX: Final = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "%": r"\%",
    "#": r"\#",
    "_": r"\_",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': "''",
    "`": r"\textasciigrave{}",
}
"""Characters that mean something to LaTeX, or are set as something else in its default fonts."""

_LATEX_SIGNS: Final = {
    "\N{MINUS SIGN}": "$-$",
    "\N{NON-BREAKING HYPHEN}": "-",
    "\N{EN DASH}": "--",
    "\N{EM DASH}": "---",
    "\N{HORIZONTAL ELLIPSIS}": r"\ldots{}",
    "\N{NO-BREAK SPACE}": "~",
    "\N{NARROW NO-BREAK SPACE}": r"\,",
    "\N{THIN SPACE}": r"\,",
    "\N{EM SPACE}": r"\quad{}",
    "\N{LEFT SINGLE QUOTATION MARK}": "`",
    "\N{RIGHT SINGLE QUOTATION MARK}": "'",
    "\N{LEFT DOUBLE QUOTATION MARK}": "``",
    "\N{RIGHT DOUBLE QUOTATION MARK}": "''",
    "\N{BULLET}": r"\textbullet{}",
    "\N{DEGREE SIGN}": r"\textdegree{}",
    "\N{SECTION SIGN}": r"\S{}",
    "\N{MICRO SIGN}": r"$\mu$",
} | {
    sign: f"${command}$"
    for sign, command in {
        "±": r"\pm",
        "×": r"\times",
        "÷": r"\div",
        "·": r"\cdot",
        "≤": r"\leq",
        "≥": r"\geq",
        "≠": r"\neq",
        "≈": r"\approx",
        "∞": r"\infty",
        "√": r"\surd",
        "∈": r"\in",
        "→": r"\rightarrow",
        "←": r"\leftarrow",
        "↑": r"\uparrow",
        "↓": r"\downarrow",
        "↔": r"\leftrightarrow",
        "⇒": r"\Rightarrow",
        "²": "^2",
        "³": "^3",
        "¹": "^1",
        "★": r"\star",
    }.items()
}

_GREEK: Final = {
    letter: rf"$\{unicodedata.name(letter).split()[-1].lower().replace('lamda', 'lambda')}$"
    for letter in "αβγδεζηθικλμνξπρστυφχψω"
} | {
    letter: rf"$\{unicodedata.name(letter).split()[-1].capitalize().replace('Lamda', 'Lambda')}$"
    for letter in "ΓΔΘΛΞΠΣΦΨΩ"
}

_K_HAT: Final = "k\N{COMBINING CIRCUMFLEX ACCENT}"

_LATEX_ALL: Final = _LATEX | _LATEX_SIGNS | _GREEK

_PACKAGES: Final = {
    r"\toprule": "booktabs",
    r"\begin{longtable}": "longtable",
    r"\arraybackslash": "array",
    r"\textasciigrave": "textcomp",
}

_MARKDOWN: Final = re.compile(r"([\\`*_\[\]<>|~$])")
_MARKDOWN_FIRST: Final = re.compile(r"^([#+\-=]|\d{1,9}(?=[.)]))")


def one_line(text: str) -> str:
    """Return text with every line break, tab and control character turned into a space."""
    if text.isprintable() and "  " not in text:  # as nearly all are
        return text.strip(" ")
    cleaned = "".join(
        " " if unicodedata.category(sign) in ("Cc", "Zl", "Zp", "Cs") else sign for sign in text
    )
    return re.sub(" {2,}", " ", cleaned).strip(" ")


def markdown(text: str) -> str:
    """Return text that Markdown shows as it is, within a line or a cell of a table."""
    return _MARKDOWN.sub(r"\\\1", one_line(text).replace("&", "&amp;"))


def markdown_paragraph(text: str) -> str:
    """Return text that Markdown shows as it is, at the beginning of a line."""
    escaped = markdown(text)
    first = _MARKDOWN_FIRST.match(escaped)
    if first is None:
        return escaped
    end = first.end()
    if first[0].isdigit():  # "3. the third" would become a list
        return f"{escaped[:end]}\\{escaped[end:]}"
    return f"\\{escaped}"


def latex(text: str) -> str:
    """Return text that LaTeX prints as it is; letters it may lack are left as they are."""
    marked = one_line(text).replace("--", "-\0-").replace(_K_HAT, "\1")
    written = "".join(_LATEX_ALL.get(sign, sign) for sign in marked)
    # Two hyphens side by side would be set as a dash.
    return written.replace("\0", "{}").replace("\1", r"$\hat{k}$")


def latex_packages(written: str) -> list[str]:
    """Return comment lines that name what a piece of LaTeX needs."""
    lines = []
    for command, package in _PACKAGES.items():
        if command in written:
            lines.append(rf"% \usepackage{{{package}}}")
    beyond = sorted({sign for sign in written if _is_beyond_latex(sign)})
    if beyond:
        lines.append(
            f"% Holds {' '.join(beyond[:12])}{' ...' if len(beyond) > 12 else ''}: "
            "use XeLaTeX or LuaLaTeX with a font that has them."
        )
    return lines


def floating_table(
    specs: str, head: str, body: Sequence[str], caption: str, notes: Sequence[str]
) -> str:
    """Return a LaTeX table that floats, with its notes below."""
    lines = [r"\begin{table}[tbp]", r"\centering", *([caption] if caption else [])]
    lines += [rf"\begin{{tabular}}{{{specs}}}", r"\toprule", f"  {head}", r"\midrule"]
    lines += [*body, r"\bottomrule", r"\end{tabular}"]
    if notes:
        lines += [r"\par\medskip", rf"{{\footnotesize {' '.join(notes)}\par}}"]
    return "\n".join([*lines, r"\end{table}"])


def long_table(
    specs: str, head: str, body: Sequence[str], caption: str, notes: Sequence[str]
) -> str:
    """Return a LaTeX table that runs over pages, with its notes after it."""
    lines = [rf"\begin{{longtable}}{{{specs}}}", *([caption + r" \\"] if caption else [])]
    lines += [r"\toprule", f"  {head}", r"\midrule", r"\endfirsthead"]
    lines += [r"\toprule", f"  {head}", r"\midrule", r"\endhead"]
    lines += [r"\bottomrule", r"\endfoot", *body, r"\end{longtable}"]
    lines += [rf"{{\footnotesize {' '.join(notes)}\par}}"] if notes else []
    return "\n".join(lines)


def text_width(text: str) -> int:
    """Return how many columns of a terminal a text takes."""
    return len(text) if text.isascii() else sum(map(_sign_width, text))


def padded(text: str, width: int, to_right: bool) -> str:
    """Return text filled up with spaces to a width in columns of a terminal."""
    fill = " " * (width - text_width(text))
    return fill + text if to_right else text + fill


@lru_cache(maxsize=4_096)
def _sign_width(sign: str) -> int:
    if unicodedata.combining(sign) or unicodedata.category(sign) == "Cf":
        return 0
    return 2 if unicodedata.east_asian_width(sign) in ("W", "F") else 1


def _is_beyond_latex(sign: str) -> bool:
    """Whether LaTeX with its default UTF-8 input does not know a character."""
    return ord(sign) > 0x17F
