"""The picture of an answer, as its page draws it, in the colours of the light theme."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, ParamSpec

import altair as alt
import pandas as pd

from analysis import numbers
from analysis.studies.claims.study import ClaimsStudy
from analysis.studies.comparison import Comparison
from analysis.studies.leaderboard import Leaderboard
from analysis.studies.replicability import ReplicabilityStudy
from dashboard.charts import difference_dots, paired_difference, score_dots
from dashboard.ui.across_tables import differences, evidence_frame
from dashboard.ui.board import board_frame, picture_frame, run_frame
from dashboard.ui.claims import history_plot
from dashboard.ui.pair import places

P = ParamSpec("P")

LIGHT = {"blue": "#1b66ad", "orange": "#b0500a", "violet": "#3f2470", "gray": "#68717c"}
"""Token -> colour; on a page Streamlit puts in those of the reader's theme."""


def _in_light(draw: Callable[P, alt.LayerChart]) -> Callable[P, alt.LayerChart]:
    """Give a picture its colours, and a width: on a page it is as wide as the page."""

    @wraps(draw)
    def drawn(*args: P.args, **kwargs: P.kwargs) -> alt.LayerChart:
        chart = draw(*args, **kwargs).properties(width=640, background="white")
        with alt.data_transformers.enable(max_rows=None):
            spec = _coloured(chart.to_dict())
        return alt.LayerChart.from_dict(spec)

    return drawn


def _coloured(spec: Any) -> Any:
    if isinstance(spec, list):
        return [_coloured(one) for one in spec]
    if not isinstance(spec, dict):
        return spec
    return {
        key: _of_theme(value) if key in ("value", "range") else _coloured(value)
        for key, value in spec.items()
        if key != "datasets"
    } | ({"datasets": spec["datasets"]} if "datasets" in spec else {})


def _of_theme(value: Any) -> Any:
    if isinstance(value, list):
        return [_of_theme(one) for one in value]
    return LIGHT.get(value, value) if isinstance(value, str) else _coloured(value)


@_in_light
def of_pair(study: Comparison) -> alt.LayerChart:
    """Draw the difference of two systems with its interval, and the margin if there is one."""
    found = study.analysis
    row = {
        "method": f"{100 * (1 - study.settings.alpha):g} % interval",
        "difference": found.difference,
        "low": found.ci[0],
        "high": found.ci[1],
        "label": numbers.fixed(found.difference, places(found), signed=True),
    }
    return paired_difference(
        pd.DataFrame([row]),
        a=study.system_a,
        b=study.system_b,
        verdict=study.verdict,
        quantity=f"difference in {study.metric.label}",
        margin=study.settings.margin,
        higher_is_better=study.metric.higher_is_better,
    )


@_in_light
def of_board(study: Leaderboard) -> alt.LayerChart:
    """Draw a score for each system, with its interval."""
    return score_dots(
        picture_frame(board_frame(study.rows), study),
        runs=run_frame(study.rows),
        metric=study.metric.label,
        higher_is_better=study.metric.higher_is_better,
        interval=f"{100 * (1 - study.alpha):g} %",
    )


@_in_light
def of_datasets(study: ReplicabilityStudy) -> alt.LayerChart:
    """Draw the difference on each dataset, in the first metric."""
    return difference_dots(
        differences(study, evidence_frame(study), study.metric),
        a=study.system_a,
        b=study.system_b,
        quantity=f"difference in {study.metric.label}",
    )


@_in_light
def of_history(study: ClaimsStudy) -> alt.LayerChart:
    """Draw every score by its day, the claims among them, and the frontier that was shown."""
    return history_plot(study)
