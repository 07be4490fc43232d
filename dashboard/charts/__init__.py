"""Charts: tidy frames in, Altair charts out, in the visual language of `docs/design.md`."""

import altair as alt
from altair.utils.schemapi import disable_debug_mode

from dashboard.charts.aggregates import aggregates_plot
from dashboard.charts.agreement import AGREEMENT_MARKS, agreement_dots, annotator_dots
from dashboard.charts.changes import change_bins, change_strip
from dashboard.charts.claims import claims_plot
from dashboard.charts.correlations import (
    STANDINGS,
    Line,
    correlation_forest,
    correlation_scatter,
)
from dashboard.charts.counts import count_histogram
from dashboard.charts.critical_difference import critical_difference_diagram
from dashboard.charts.curves import partial_conjunction_curve
from dashboard.charts.differences import EVIDENCE, Evidence, difference_dots
from dashboard.charts.distributions import PARTS, score_histograms
from dashboard.charts.intervals import (
    MOST_GROUPS,
    VERDICTS,
    Verdict,
    group_forest,
    paired_difference,
)
from dashboard.charts.matrix import CELL, coverage_matrix
from dashboard.charts.pair_matrix import pair_matrix
from dashboard.charts.palette import BETTER, INK, SAME, UNCLEAR, WORSE
from dashboard.charts.power import power_curve
from dashboard.charts.profiles import MOST_STRONG, performance_profiles_plot
from dashboard.charts.ranks import rank_intervals_plot
from dashboard.charts.sample_sizes import pvalue_by_size, unit_size_curve
from dashboard.charts.scores import score_dots, score_histogram, status_bars
from dashboard.charts.strengths import judged_dots, strength_dots
from dashboard.charts.timeline import timeline

# The schema is for whole charts, in the tests; each part against it takes a tenth of a page.
disable_debug_mode()

__all__ = [
    "AGREEMENT_MARKS",
    "BETTER",
    "CELL",
    "EVIDENCE",
    "INK",
    "MOST_GROUPS",
    "MOST_STRONG",
    "PARTS",
    "SAME",
    "STANDINGS",
    "UNCLEAR",
    "VERDICTS",
    "WORSE",
    "Evidence",
    "Line",
    "Verdict",
    "aggregates_plot",
    "agreement_dots",
    "annotator_dots",
    "change_bins",
    "change_strip",
    "claims_plot",
    "correlation_forest",
    "correlation_scatter",
    "count_histogram",
    "coverage_matrix",
    "critical_difference_diagram",
    "difference_dots",
    "group_forest",
    "judged_dots",
    "pair_matrix",
    "paired_difference",
    "partial_conjunction_curve",
    "performance_profiles_plot",
    "power_curve",
    "pvalue_by_size",
    "rank_intervals_plot",
    "score_dots",
    "score_histogram",
    "score_histograms",
    "status_bars",
    "strength_dots",
    "timeline",
    "unit_size_curve",
]
# A chart says by itself how many rows it holds.
alt.data_transformers.enable("default", max_rows=None)
