"""A comparison as a small picture to embed: a card with its interval, and a badge for a README.

Both are SVG with the colours of the pages, light or dark as the reader's screen is.
"""

from __future__ import annotations

import math
import textwrap
from html import escape
from typing import Final
from urllib.parse import quote

from analysis import numbers
from analysis.studies.comparison import Comparison
from analysis.studies.pair_analysis import decimals_of
from store.errors import StoreError

_LIGHT: Final = {"better": "#1b66ad", "worse": "#b0500a", "equivalent": "#3f2470"}
_DARK: Final = {"better": "#6bb0ee", "worse": "#f0a04b", "equivalent": "#e9deff"}
_UNCLEAR: Final = ("#68717c", "#98a2ae")
_WIDTH, _EDGE = 560, 20
_LETTER: Final = 6.6
"""Of a badge's type, in px; wide enough for all of the usual ones."""


def picture(study: object, kind: str) -> str:
    """Return a study's ``card`` or ``badge``.

    Raises
    ------
    StoreError
        It is no comparison of two systems.
    """
    if not isinstance(study, Comparison):
        raise StoreError(f"Only a comparison of two systems has a {kind}: ask `compare A B`.")
    return card(study) if kind == "card" else badge(study)


def headline(study: Comparison) -> str:
    """Return the verdict in words: "A is better than B"."""
    a, b, delta = study.system_a, study.system_b, study.settings.delta
    if delta and study.analysis.side:
        return f"{a} minus {b} is {'above' if study.analysis.side > 0 else 'below'} {delta:+g}"
    return {
        "better": f"{a} is better than {b}",
        "worse": f"{a} is worse than {b}",
        "equivalent": f"{a} and {b} are equivalent",
    }.get(study.verdict_shown, f"Cannot tell {a} and {b} apart")


def figures(study: Comparison) -> str:
    """Return what the verdict rests on: "+2.1 (0.8 to 3.4), 899 items"."""
    analysis = study.analysis
    low, high = analysis.ci
    items = numbers.counted(analysis.n_items, "item")
    if not math.isfinite(analysis.difference):
        return items
    places = decimals_of(analysis)
    gap, *ends = (numbers.fixed(x, places, signed=True) for x in (analysis.difference, low, high))
    return f"{gap} ({' to '.join(ends)}), {items}" if math.isfinite(low) else f"{gap}, {items}"


def card(study: Comparison) -> str:
    """Return a card: the verdict, its figures, and the interval beside zero."""
    lines = textwrap.wrap(headline(study), 50, max_lines=3, placeholder=" …")
    about = [
        f"{study.dataset.label} · {study.metric.label}"
        + ("" if study.metric.higher_is_better else " (lower is better)"),
        f"{numbers.confidence(study.analysis.alpha)} interval · revision {study.store_revision:,}",
    ]
    if study.family is not None:
        about.append(study.verdicts)
    y = 36
    parts = []
    for line in lines:
        parts.append(_text(_EDGE, y, line, "head"))
        y += 24
    parts.append(_text(_EDGE, y, figures(study), "figures"))
    y += 20
    drawn = _interval(study, y)
    if drawn:
        parts.append(drawn)
        y += 40
    for line in about:
        parts.append(_text(_EDGE, y + 4, textwrap.shorten(line, 76, placeholder=" …"), "small"))
        y += 18
    label = _label(study)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{_WIDTH}" height="{y + 8}" '
        f'viewBox="0 0 {_WIDTH} {y + 8}" role="img" aria-label="{escape(label)}" class="tb-card">'
        f"<title>{escape(label)}</title>{_style(study.verdict_shown)}"
        f'<rect class="back" x="0.5" y="0.5" width="{_WIDTH - 1}" height="{y + 7}" rx="6"/>'
        f"{''.join(parts)}</svg>\n"
    )


def badge(study: Comparison) -> str:
    """Return a badge for a README: A's name, and what it is against B."""
    name = textwrap.shorten(study.system_a, 40, placeholder=" …")
    other = textwrap.shorten(study.system_b, 40, placeholder=" …")
    verdict = study.verdict_shown
    told = {
        "better": f"better than {other}",
        "worse": f"worse than {other}",
        "equivalent": f"equivalent to {other}",
    }.get(verdict, f"cannot tell from {other}")
    left, right = (round(_LETTER * len(text)) + 16 for text in (name, told))
    label = escape(_label(study))
    color = _LIGHT.get(verdict, _UNCLEAR[0])
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{left + right}" height="22" role="img" '
        f'aria-label="{label}"><title>{label}</title>'
        f'<rect width="{left + right}" height="22" rx="3" fill="{color}"/>'
        f'<path d="M3 0h{left - 3}v22h-{left - 3}a3 3 0 0 1-3-3v-16a3 3 0 0 1 3-3z" '
        'fill="#2b3442"/><g fill="#ffffff" text-anchor="middle" '
        'font-family="system-ui,Verdana,sans-serif" font-size="12">'
        f'<text x="{left / 2:g}" y="15" textLength="{left - 16}">{escape(name)}</text>'
        f'<text x="{left + right / 2:g}" y="15" textLength="{right - 16}">{escape(told)}</text>'
        "</g></svg>\n"
    )


def markdown(study: Comparison, shown: str, address: str) -> str:
    """Return Markdown that shows a picture and leads to the comparison."""
    words = _label(study).replace("[", "(").replace("]", ")")
    return f"[![{words}]({quote(shown, safe='/:?&=%+.')})]({quote(address, safe='/:?&=%+.')})"


def _label(study: Comparison) -> str:
    told = f"{headline(study)}: {figures(study)}"
    return told if study.family is None else f"{told}; {study.verdicts}"


def _interval(study: Comparison, y: float) -> str:
    """Draw the interval of the difference on a line with zero."""
    low, high = study.analysis.ci
    gap = study.analysis.difference
    if not all(map(math.isfinite, (low, high, gap))):
        return ""
    ends = (min(low, 0.0), max(high, 0.0))
    span = (ends[1] - ends[0]) or 1.0
    first, last = _EDGE + 10, _WIDTH - _EDGE - 10

    def at(value: float) -> str:
        return f"{first + (last - first) * (value - ends[0]) / span:.1f}"

    return (
        f'<line class="axis" x1="{first}" x2="{last}" y1="{y}" y2="{y}"/>'
        f'<line class="axis" x1="{at(0)}" x2="{at(0)}" y1="{y - 10}" y2="{y + 10}"/>'
        f'<text class="small" x="{at(0)}" y="{y + 22}" text-anchor="middle">0</text>'
        f'<line class="range" x1="{at(low)}" x2="{at(high)}" y1="{y}" y2="{y}"/>'
        f'<circle class="point" cx="{at(gap)}" cy="{y}" r="5"/>'
    )


def _text(x: float, y: float, words: str, kind: str) -> str:
    return f'<text class="{kind}" x="{x:g}" y="{y:g}">{escape(words)}</text>'


def _style(verdict: str) -> str:
    light, dark = _LIGHT.get(verdict, _UNCLEAR[0]), _DARK.get(verdict, _UNCLEAR[1])
    return (
        "<style>.tb-card text{font-family:system-ui,sans-serif;fill:#11151a}"
        ".tb-card .head{font-size:18px;font-weight:600}.tb-card .figures{font-size:15px}"
        ".tb-card .small{font-size:12px;fill:#4d5661}"
        ".back{fill:#ffffff;stroke:#c9ced6}.axis{stroke:#98a2ae}"
        f".range{{stroke:{light};stroke-width:4}}.point{{fill:{light}}}"
        "@media(prefers-color-scheme:dark){.tb-card text{fill:#e6e9ed}.tb-card .small{fill:#b4bdc8}"
        ".back{fill:#15181d;stroke:#3c4450}"
        f".range{{stroke:{dark}}}.point{{fill:{dark}}}}}</style>"
    )
