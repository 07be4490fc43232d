"""The picture of the page: how often a false claim holds, by dependence, rule and looks."""

from __future__ import annotations

from itertools import pairwise

from benchmarks.calibration.claims.procedures import PROCEDURES, TITLES
from benchmarks.calibration.claims.run import Results, worst
from benchmarks.calibration.claims.scenarios import DEPENDENCES, N_LOOKS, PATTERNS
from benchmarks.calibration.drawing import CELL_WIDTH, Block, Cells, Drawing

_LEFT = 190
_GAP = 12
_KINDS = {
    "own": "own test set each",
    "shared": "one test set, systems agree on",
    "lineage": "one test set, built from the best",
}
_TITLE = "How often does a false claim hold?"
_CELLS = (
    "Each cell: in how many of 100 histories a false claim held (each at α, alpha spending, "
    "frontier), or how many of 100 claims that held were false (others), at α = .05."
)
_MARKS = (
    "A triangle stands where the count lies outside the central 99.9 % of what a rate of 5 in "
    "100 gives. The higher of 500 and 2,000 items."
)
_DESCRIPTION = (
    "A grid. Rows are rules, in blocks by the true gains; columns are kinds of histories, each "
    "with 17, 100 and 1,000 looks. Each cell holds in how many of 100 simulated histories a false "
    "claim held (each at alpha, alpha spending, frontier) or how many of 100 claims that held were "
    "false (other rules); at most 5 are promised. Cells with significantly more are orange to "
    "brown with a filled triangle, with significantly fewer blue with an open one. All figures "
    "stand in the tables of the page."
)


def draw(results: Results) -> str:
    """Return the picture as SVG."""
    drawing = Drawing()
    blocks = [
        Block(
            pattern.title[0].upper() + pattern.title[1:],
            [(TITLES[name], _cells(results, name, pattern.name)) for name in PROCEDURES],
        )
        for pattern in PATTERNS.values()
        if any(scenario.pattern == pattern.name for scenario in results)
    ]
    y = drawing.grid(drawing.top(_TITLE, _CELLS, _MARKS), _LEFT, blocks, _heads)
    return drawing.svg(y, _TITLE, _DESCRIPTION)


def _cells(results: Results, name: str, pattern: str) -> Cells:
    return [
        (_place(column, place), figure)
        for column, dependence in enumerate(DEPENDENCES)
        for place, n in enumerate(N_LOOKS)
        if (figure := worst(results, name, dependence=dependence, n_looks=n, pattern=pattern))
    ]


def _place(column: int, cell: int) -> float:
    kinds = [dependence.kind for dependence in DEPENDENCES.values()][: column + 1]
    apart = sum(before != after for before, after in pairwise(kinds))
    return _LEFT + column * (len(N_LOOKS) * CELL_WIDTH + _GAP) + cell * CELL_WIDTH + 24 * apart


def _heads(drawing: Drawing, y: float) -> float:
    columns = list(enumerate(DEPENDENCES.values()))
    for kind, title in _KINDS.items():
        own = [column for column, dependence in columns if dependence.kind == kind]
        middle = (_place(own[0], 0) + _place(own[-1], len(N_LOOKS))) / 2
        drawing.text(middle, y + 6, title, "column")
    for column, dependence in columns:
        middle = (_place(column, 0) + _place(column, len(N_LOOKS))) / 2
        share = dependence.title.split(", ")[-1] if dependence.kind != "own" else ""
        drawing.text(middle, y + 22, share, "column")
        for place, n_looks in enumerate(N_LOOKS):
            told = f"{n_looks // 1000}k" if n_looks >= 1_000 else str(n_looks)
            drawing.text(_place(column, place) + CELL_WIDTH / 2, y + 37, told, "small")
    drawing.text(_LEFT - 8, y + 37, "looks", "label small")
    return y + 42
