"""The picture of the page: how often k̂ is too large, by dependence, estimator and p-values."""

from __future__ import annotations

from benchmarks.calibration.drawing import CELL_WIDTH, Block, Cells, Drawing
from benchmarks.calibration.replicability.estimators import ESTIMATORS, TITLES
from benchmarks.calibration.replicability.run import Results, worst
from benchmarks.calibration.replicability.scenarios import DEPENDENCES, KINDS, N_DATASETS

_LEFT = 120
_GAP = 52
_KS = ("0", "1", "N/2")
_SIDE = "one-sided"
_TITLE = "How often does k̂ claim too many datasets?"
_CELLS = (
    "Each cell: in how many of 100 simulations k̂ (A better than B) was larger than the true k, "
    "at α = .05; the highest over sizes of the effects."
)
_MARKS = (
    "A triangle stands where the count lies outside the central 99.9 % of what a rate of 5 in "
    "100 gives. Empty: not possible there. Blocks: what the datasets share."
)
_DESCRIPTION = (
    "A grid. Rows are estimators, in blocks by what the datasets share; columns are kinds of "
    "p-values, each with k = 0, 1 and N/2 true differences among 10 and among 60 datasets. Each "
    "cell holds how often in 100 simulations k̂ was larger than k; at most 5 are promised. Cells "
    "with significantly more are orange to brown with a filled triangle, with significantly fewer "
    "blue with an open one. All figures stand in the tables of the page."
)


def draw(results: Results) -> str:
    """Return the picture as SVG."""
    drawing = Drawing()
    blocks = [
        Block(
            dependence.title[0].upper() + dependence.title[1:],
            [
                (TITLES[estimator], cells)
                for estimator in ESTIMATORS
                if (cells := _cells(results, dependence.name, estimator))
            ],
        )
        for dependence in DEPENDENCES.values()
    ]
    y = drawing.grid(drawing.top(_TITLE, _CELLS, _MARKS), _LEFT, blocks, _heads)
    return drawing.svg(y, _TITLE, _DESCRIPTION)


def _cells(results: Results, dependence: str, estimator: str) -> Cells:
    return [
        (_place(column, len(N_DATASETS) * place + half), figure)
        for column, kind in enumerate(KINDS)
        for place, k in enumerate(_KS)
        for half, n in enumerate(N_DATASETS)
        if (figure := worst(results, _SIDE, dependence, kind, n, k, estimator))
    ]


def _place(column: int, cell: int) -> float:
    return _LEFT + column * (6 * CELL_WIDTH + 8 + _GAP) + cell * CELL_WIDTH + cell // 2 * 4


def _heads(drawing: Drawing, y: float) -> float:
    for column, kind in enumerate(KINDS.values()):
        drawing.text(_place(column, 3), y + 14, kind.title, "column")
        for place, k in enumerate(_KS):
            drawing.text(_place(column, 2 * place) + CELL_WIDTH, y + 30, f"k = {k}", "small")
            for half, n_datasets in enumerate(N_DATASETS):
                x = _place(column, 2 * place + half) + CELL_WIDTH / 2
                drawing.text(x, y + 44, str(n_datasets), "small")
    drawing.text(_LEFT - 8, y + 44, "datasets", "label small")
    return y + 49
