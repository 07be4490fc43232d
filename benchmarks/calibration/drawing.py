"""A grid of rates in SVG: what the pictures of the calibration share."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple
from xml.sax.saxutils import escape

from benchmarks.calibration.corrections import LEVELS
from benchmarks.calibration.run import TOO_FEW, TOO_MANY, Figure

WIDTH = 1200
CELL_WIDTH, CELL_HEIGHT = 20, 22
_STEPS = (0.15, 0.35, 0.6, 0.8, 1.25, 1.6, 2.5, 5.0)
"""Rates over the stated one at which the colour changes."""
_COLOURS = (
    "#6c8fb8",
    "#9ab4d0",
    "#c3d3e4",
    "#e3eaf2",
    "#f6f4f0",
    "#fbe0c8",
    "#f3b482",
    "#d9772f",
    "#963a08",
)
_STYLE = """\
text { font: 10.5px system-ui, -apple-system, 'Segoe UI', 'Liberation Sans', sans-serif;
  fill: #11151a; text-anchor: middle }
.label { font-size: 12px; text-anchor: end }
.head { font-size: 13px; font-weight: 600; text-anchor: start }
.title { font-size: 18px; font-weight: 600; text-anchor: start }
.key { font-size: 12.5px; text-anchor: start }
.column { font-size: 11px; font-weight: 600 }
.small { fill: #4d5661 }
.on-dark { fill: #ffffff }
.many { font-weight: 700 }
.wide { font-size: 9px }
.few { fill: none; stroke: #11151a; stroke-width: .9 }
.up { fill: #11151a }
.up-on-dark { fill: #ffffff }"""


Cells = Sequence[tuple[float, Figure]]
"""Where the cells of a row begin, and what they hold."""


class Block(NamedTuple):
    """Rows under a heading."""

    heading: str
    rows: Sequence[tuple[str, Cells]]
    """What stands before a row, and its cells."""
    heads: bool = False
    """Whether the heads of the columns are said once more."""


class Drawing:
    """Shapes collected by kind, so that each colour is one path."""

    def __init__(self) -> None:
        self.cells: dict[int, list[str]] = {}
        self.marks: dict[str, list[str]] = {}
        self.texts: list[str] = []

    def text(self, x: float, y: float, content: str, kind: str = "") -> None:
        of_kind = f' class="{kind}"' if kind else ""
        self.texts.append(f'<text x="{x:g}" y="{y:g}"{of_kind}>{escape(content)}</text>')

    def cell(self, x: float, y: float, figure: Figure) -> None:
        """Draw a rate with its colour and mark."""
        rate, mark = figure.rate(), figure.mark()
        step = sum(rate >= edge * LEVELS[0] for edge in _STEPS)
        self.block(x, y, step)
        dark = step == len(_STEPS)
        kinds = [name for name, on in (("on-dark", dark), ("many", mark == TOO_MANY)) if on]
        baseline = y + (17 if mark == TOO_MANY else 14 if mark == TOO_FEW else 15)
        told = f"{100 * rate:.0f}"
        kinds += ["wide"] if len(told) > 2 else []
        self.text(x + CELL_WIDTH / 2, baseline, told, " ".join(kinds))
        self.mark(x + CELL_WIDTH / 2, y, mark, dark)

    def block(self, x: float, y: float, step: int) -> None:
        self.cells.setdefault(step, []).append(
            f"M{x + 0.5:g} {y + 0.5:g}h{CELL_WIDTH - 1}v{CELL_HEIGHT - 1}h-{CELL_WIDTH - 1}z"
        )

    def mark(self, middle: float, y: float, mark: str, dark: bool = False) -> None:
        if mark == TOO_MANY:
            kind = "up-on-dark" if dark else "up"
            self.marks.setdefault(kind, []).append(f"M{middle - 3.5:g} {y + 7:g}h7l-3.5 -5z")
        elif mark == TOO_FEW:
            self.marks.setdefault("few", []).append(f"M{middle - 3:g} {y + 16:g}h6l-3 4z")

    def svg(self, height: float, title: str, description: str) -> str:
        """Return the whole picture."""
        paths = [
            f'<path fill="{_COLOURS[step]}" d="{"".join(shapes)}"/>'
            for step, shapes in sorted(self.cells.items())
        ]
        paths += [f'<path class="{k}" d="{"".join(s)}"/>' for k, s in sorted(self.marks.items())]
        return "\n".join(
            [
                f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height:g}" '
                f'width="{WIDTH}" height="{height:g}" role="img" aria-labelledby="title desc">',
                f'<title id="title">{escape(title)}</title>',
                f'<desc id="desc">{escape(description)}</desc>',
                f"<style>{_STYLE}</style>",
                f'<rect width="{WIDTH}" height="{height:g}" fill="#ffffff"/>',
                *paths,
                *self.texts,
                "</svg>\n",
            ]
        )

    def top(self, title: str, cells: str, marks: str) -> float:
        """Write a title, and what cells, colours and marks mean; return where blocks begin."""
        self.text(16, 30, title, "title")
        self.text(16, 54, cells, "key")
        self._swatches(68)
        self.text(16, 112, marks, "key")
        return 152.0

    def grid(
        self,
        y: float,
        left: float,
        blocks: Iterable[Block],
        heads: Callable[[Drawing, float], float],
    ) -> float:
        """Draw the blocks that have rows, the first with the heads of columns; return the end."""
        first = True
        for block in blocks:
            if not block.rows:
                continue
            self.text(16, y, block.heading, "head")
            y += 8
            if first or block.heads:
                y = heads(self, y)
                first = False
            for title, cells in block.rows:
                self.text(left - 8, y + 15, title, "label")
                for x, figure in cells:
                    self.cell(x, y, figure)
                y += CELL_HEIGHT
            y += 26
        return y

    def _swatches(self, y: float) -> None:
        """Say in words what colours and marks mean."""
        x = 16.0
        entries = (
            ((8, TOO_MANY), (7, TOO_MANY), (6, TOO_MANY), "more than stated: do not use it there"),
            ((5, ""), (4, ""), (3, ""), "as stated, but for chance"),
            ((2, TOO_FEW), (1, TOO_FEW), (0, TOO_FEW), "fewer than stated: cautious, finds less"),
        )
        for *swatches, words in entries:
            for step, mark in swatches:
                self.block(x, y, step)
                self.mark(x + CELL_WIDTH / 2, y, mark, step == len(_STEPS))
                x += CELL_WIDTH
            self.text(x + 8, y + 16, words, "key")
            x += 30 + 6.6 * len(words)
