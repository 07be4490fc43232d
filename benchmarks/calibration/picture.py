"""The picture of the page: rates as a grid of tests and intervals by population and n, in SVG."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from benchmarks.calibration.corrections import CORRECTIONS
from benchmarks.calibration.drawing import CELL_HEIGHT, CELL_WIDTH, Block, Cells, Drawing
from benchmarks.calibration.procedures import ROWS
from benchmarks.calibration.run import Figure, Figures

_LEFT = 226
_GAP = 8
_SIZES = {20: "20", 50: "50", 200: "200", 1_000: "1k"}
_COLUMNS: Mapping[str, tuple[str, ...]] = {
    "normal": ("normal", "differences"),
    "skewed-scores": ("skewed scores,", "symmetric", "differences"),
    "skewed": ("skewed", "differences,", "mean 0"),
    "skewed-median": ("skewed", "differences,", "median 0"),
    "heavy": ("heavy-tailed", "differences"),
    "ratings": ("ratings", "with ties"),
    "binary": ("right or", "wrong"),
    "clustered by group": ("clustered,", "by group"),
    "clustered": ("clustered,", "groups", "ignored"),
    "clustered-binary by group": ("clustered,", "right/wrong,", "by group"),
    "clustered-binary": ("clustered,", "right/wrong,", "ignored"),
}
_OF_GOLD = {"skewed-scores": "gold-skewed"}
"""Columns of populations with gold that are called otherwise."""
_WITHOUT_GOLD = ("skewed", "skewed-median", "clustered-binary", "clustered-binary by group")


class _Tested(NamedTuple):
    heading: str
    rows: tuple[tuple[str, str], ...]
    """Names of rows and how the picture calls them."""


def _titles(*names: str) -> tuple[tuple[str, str], ...]:
    return tuple((name, ROWS[name].title) for name in names)


_BLOCKS = (
    _Tested(
        "Tests of item scores: false alarms in 100 at level .05",
        (
            ("t", "t"),
            ("signflip", "permutation"),
            ("bootstrap", "bootstrap"),
            ("wilcoxon", "Wilcoxon signed-rank"),
            ("sign", "sign"),
            ("signflip-median", "permutation, median"),
            ("bootstrap-median", "bootstrap, median"),
            *_titles("mcnemar", "mcnemar-midp", "mcnemar-chi2", "mcnemar-chi2-cc"),
        ),
    ),
    _Tested(
        "Equivalence test, margin as large as the true difference: false verdicts in 100 at .05",
        _titles("tost"),
    ),
    _Tested(
        "Tests of correlations with gold: false alarms in 100 at level .05",
        (
            *_titles("steiger pearson", "steiger spearman"),
            *_titles("williams pearson", "williams spearman"),
            ("signflip pearson", "permutation, Pearson"),
            ("signflip spearman", "permutation, Spearman"),
            ("bootstrap pearson", "bootstrap, Pearson"),
        ),
    ),
    _Tested(
        "95 % intervals: true value missed in 100",
        (
            ("ci difference t", "mean difference, t"),
            ("ci difference percentile", "percentile bootstrap"),
            ("ci difference basic", "basic bootstrap"),
            ("ci difference bca", "BCa bootstrap"),
            ("ci difference studentized", "studentized bootstrap"),
            ("ci difference tango", "difference of shares, Tango"),
            ("ci difference newcombe", "difference of shares, Newcombe"),
            ("ci median percentile", "median difference, percentile"),
            ("ci median basic", "median difference, basic"),
            ("ci median bca", "median difference, BCa"),
            ("ci hodges-lehmann", "Hodges–Lehmann"),
            ("ci d_z", "Cohen's d_z"),
            ("ci rank-biserial", "rank-biserial correlation"),
            ("ci superiority", "P(superiority)"),
            ("ci score t", "one system's mean, t"),
            ("ci score wilson", "one system's share, Wilson"),
            ("ci correlation pearson", "Pearson difference, percentile"),
            ("ci correlation spearman", "Spearman difference, percentile"),
        ),
    ),
)
_BOARDS = (
    ("t", "board-normal", ("t test,", "normal")),
    ("t", "board-skewed", ("t test,", "skewed")),
    ("signflip", "board-normal", ("permutation,", "normal")),
    ("signflip", "board-skewed", ("permutation,", "skewed")),
    ("mcnemar", "board-binary", ("McNemar,", "right or wrong")),
)
_TITLE = "Which tests and intervals keep their error rate, and where"
_CELLS = (
    "Each cell: errors in 100 samples of 20, 50, 200 and 1,000 items; 5 are stated. Columns: "
    "what the items are like. Clustered: 10 items to a group."
)
_MARKS = (
    "A triangle stands where the count lies outside the central 99.9 % of what the stated rate "
    "gives. Empty: the procedure does not apply or was not simulated."
)
_DESCRIPTION = (
    "A grid. Rows are tests and intervals, columns are populations, each with 20, 50, 200 and "
    "1,000 items. Each cell holds how often in 100 samples a test gave a false alarm at level "
    ".05, or a 95 % interval missed the true value; 5 are stated. Cells with significantly more "
    "are orange to brown with a filled triangle, with significantly fewer blue with an open one. "
    "All figures stand in the tables of the page."
)


def draw(figures: Figures) -> str:
    """Return the picture as SVG."""
    drawing = Drawing()
    blocks = [
        Block(
            block.heading,
            [(title, _cells(figures[name])) for name, title in block.rows if name in figures],
            heads=block is _BLOCKS[-1],
        )
        for block in _BLOCKS
    ]
    y = drawing.grid(drawing.top(_TITLE, _CELLS, _MARKS), _LEFT, blocks, _heads)
    return drawing.svg(_corrections(drawing, y, figures), _TITLE, _DESCRIPTION)


def _corrections(drawing: Drawing, y: float, figures: Figures) -> float:
    """Draw the corrections: all systems equal with 50 and 200 items, then half of them."""
    if not any(f"all {test} none" in figures for test, _, _ in _BOARDS):
        return y
    drawing.text(
        16,
        y,
        "Corrections over 190 pairs of 20 systems: leaderboards in 100 with a false difference at "
        ".05 (bh, by: share of false ones among those found)",
        "head",
    )
    y += 8
    for number, (_, _, lines) in enumerate(_BOARDS):
        for line, text in enumerate(lines):
            drawing.text(_place(number, 2), y + 14 + 13 * line, text, "column")
        for half, text in ((1, "all equal"), (3, "half")):
            drawing.text(_place(number, half), y + 41, text, "small")
        for size, text in enumerate(("50", "200", "50", "200")):
            drawing.text(_place(number, size) + CELL_WIDTH / 2, y + 56, text, "small")
    drawing.text(_LEFT - 8, y + 41, "systems", "label small")
    drawing.text(_LEFT - 8, y + 56, "items", "label small")
    y += 61
    for correction in CORRECTIONS:
        drawing.text(_LEFT - 8, y + 15, correction, "label")
        for number, (test, board, _) in enumerate(_BOARDS):
            for half, null in enumerate(("all", "half")):
                cells = figures.get(f"{null} {test} {correction}", {}).get(board, {})
                for size, n in enumerate((50, 200)):
                    if n in cells:
                        drawing.cell(_place(number, 2 * half + size), y, cells[n])
        y += CELL_HEIGHT
    return y + 20


def _place(column: int, size: int) -> float:
    return _LEFT + column * (len(_SIZES) * CELL_WIDTH + _GAP) + size * CELL_WIDTH


def _heads(drawing: Drawing, y: float) -> float:
    for number, lines in enumerate(_COLUMNS.values()):
        middle = _place(number, 0) + len(_SIZES) * CELL_WIDTH / 2
        for line, text in enumerate(lines):
            drawing.text(middle, y + 14 + 13 * (line + 3 - len(lines)), text, "column")
        for size, text in enumerate(_SIZES.values()):
            drawing.text(_place(number, size) + CELL_WIDTH / 2, y + 56, text, "small")
    drawing.text(_LEFT - 8, y + 56, "items", "label small")
    return y + 61


def _cells(columns: Mapping[str, Mapping[int, Figure]]) -> Cells:
    of_gold = any(column.startswith("gold-") for column in columns)
    found = []
    for number, column in enumerate(_COLUMNS):
        if of_gold:
            if column in _WITHOUT_GOLD:
                continue
            column = _OF_GOLD.get(column, f"gold-{column}")
        cells = columns.get(column, {})
        found += [(_place(number, size), cells[n]) for size, n in enumerate(_SIZES) if n in cells]
    return found
