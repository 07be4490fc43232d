"""Charts: tidy frames in, Altair charts out, in the visual language of `docs/design.md`."""

from dashboard.charts.curves import partial_conjunction_curve
from dashboard.charts.differences import EVIDENCE, Evidence, difference_dots
from dashboard.charts.matrix import CELL, coverage_matrix
from dashboard.charts.palette import BETTER, INK, SAME, UNCLEAR, WORSE
from dashboard.charts.scores import score_dots, score_histogram, status_bars
from dashboard.charts.timeline import timeline

__all__ = [
    "BETTER",
    "CELL",
    "EVIDENCE",
    "INK",
    "SAME",
    "UNCLEAR",
    "WORSE",
    "Evidence",
    "coverage_matrix",
    "difference_dots",
    "partial_conjunction_curve",
    "score_dots",
    "score_histogram",
    "status_bars",
    "timeline",
]
