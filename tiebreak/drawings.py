"""The picture of an answer, as its page draws it, in the colours of the light theme."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import wraps
from itertools import permutations
from typing import Any, ParamSpec, TypeAlias

import altair as alt
import pandas as pd

from analysis import numbers
from analysis.studies.claims.study import ClaimsStudy
from analysis.studies.comparison import Comparison
from analysis.studies.humans.agreement.study import AgreementStudy
from analysis.studies.humans.correlations.study import CorrelationsStudy
from analysis.studies.leaderboard import Leaderboard
from analysis.studies.leaderboard_table import board_table
from analysis.studies.pair_analysis import decimals_of
from analysis.studies.pairs import PairsStudy
from analysis.studies.pairs_words import VERDICTS_IN_WORDS
from analysis.studies.power.dataset import DatasetPower
from analysis.studies.ranking import RankingStudy
from analysis.studies.replicability import ReplicabilityStudy
from analysis.studies.replicability_matrix import ReplicabilityMatrixStudy
from analysis.studies.replicability_matrix_report import decimals
from analysis.studies.replicability_tables import datasets
from dashboard.charts import difference_dots, pair_matrix, paired_difference, score_dots
from dashboard.ui import ranking
from dashboard.ui.across_pictures import differences
from dashboard.ui.annotators import annotators_plot
from dashboard.ui.annotators_metrics import metrics_plot
from dashboard.ui.board import picture_frame, run_frame
from dashboard.ui.claims import history_plot
from dashboard.ui.metrics_humans import forest_plot
from dashboard.ui.power_store import power_plot

P = ParamSpec("P")
Picture: TypeAlias = alt.LayerChart | None
"""Nothing where there is nothing to draw."""

LIGHT = {"blue": "#1b66ad", "orange": "#b0500a", "violet": "#3f2470", "gray": "#68717c"}
"""Token -> colour; on a page Streamlit puts in those of the reader's theme."""


def _in_light(draw: Callable[P, Picture]) -> Callable[P, Picture]:
    """Give a picture its colours, and a width: on a page it is as wide as the page."""

    @wraps(draw)
    def drawn(*args: P.args, **kwargs: P.kwargs) -> Picture:
        chart = draw(*args, **kwargs)
        if chart is None:
            return None
        chart = chart.properties(background="white")
        if chart.width is alt.Undefined:  # a matrix has its own
            chart = chart.properties(width=640)
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
def of_pair(study: Comparison) -> Picture:
    """Draw the difference of two systems with its interval, and the margin if there is one."""
    found = study.analysis
    row = {
        "method": f"{100 * (1 - study.settings.alpha):g} % interval",
        "difference": found.difference,
        "low": found.ci[0],
        "high": found.ci[1],
        "label": numbers.fixed(found.difference, decimals_of(found), signed=True),
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
def of_board(study: Leaderboard) -> Picture:
    """Draw a score for each system, with its interval."""
    return score_dots(
        picture_frame(board_table(study, study.rows).frame(), study),
        runs=run_frame(study.rows),
        metric=study.metric.label,
        higher_is_better=study.metric.higher_is_better,
        interval=f"{100 * (1 - study.alpha):g} %",
    )


@_in_light
def of_datasets(study: ReplicabilityStudy) -> Picture:
    """Draw the difference on each dataset, in the first metric."""
    return difference_dots(
        differences(study, datasets(study).frame(), study.metric),
        a=study.system_a,
        b=study.system_b,
        quantity=f"difference in {study.metric.label}",
    )


@_in_light
def of_history(study: ClaimsStudy) -> Picture:
    """Draw every score by its day, the claims among them, and the frontier that was shown."""
    return history_plot(study)


@_in_light
def of_pairs(study: PairsStudy) -> Picture:
    """Draw a square for each pair, coloured by the verdict."""
    names, digits = study.systems, study.decimals
    quantity = f"difference in {study.metric.label}"
    rows = [
        {
            "row": names[i],
            "column": names[j],
            "verdict": VERDICTS_IN_WORDS[int(study.verdicts[i, j])],
            "label": "",
            "facts": f"{quantity} {numbers.fixed(study.difference[i, j], digits, signed=True)}, "
            f"adjusted p {numbers.relation(study.pvalue_adjusted[i, j])}",
        }
        for i, j in permutations(range(len(names)), 2)
    ]
    return pair_matrix(pd.DataFrame(rows)) if rows else None


@_in_light
def of_matrix(study: ReplicabilityMatrixStudy) -> Picture:
    """Draw a square for each pair with the number of datasets on which the row is better."""
    names, digits = study.systems, decimals(study)
    rows = []
    for i, j in permutations(range(len(names)), 2):
        k, against = int(study.k[i, j]), int(study.k[j, i])
        n_shared = int(study.n_shared[i, j])
        apart = numbers.fixed(study.mean_difference[i, j], digits, signed=True)
        rows.append(
            {
                "row": names[i],
                "column": names[j],
                "verdict": _leaning(k, against, n_shared),
                "label": str(k) if n_shared else "",
                "facts": f"better on {k} of {numbers.counted(n_shared, 'dataset')}, "
                f"worse on {against}; mean difference {apart}",
            }
        )
    about = "Number: datasets on which the row is better, at least. Colour: who is on more of them"
    return pair_matrix(pd.DataFrame(rows), about=about) if rows else None


def _leaning(k: int, k_against: int, n_shared: int) -> str:
    if not n_shared:
        return "not comparable"
    return "better" if k > k_against else "worse" if k < k_against else "undecided"


@_in_light
def of_ranks(study: RankingStudy) -> Picture:
    """Draw mean ranks, with bars beside systems that cannot be separated."""
    return ranking.ranks_plot(study, study.rule)


@_in_light
def of_power(study: DatasetPower) -> Picture:
    """Draw power by items for the stated difference; by difference where none was stated."""
    if not study.by_size or math.isnan(study.for_effect):
        return None
    return power_plot(study)


@_in_light
def of_correlations(study: CorrelationsStudy) -> Picture:
    """Draw every metric's coefficient with its interval, and where people stand."""
    return forest_plot(study)


@_in_light
def of_people(study: AgreementStudy) -> Picture:
    """Draw people against metrics where there are any, else each annotator's agreement."""
    return metrics_plot(study) if study.metrics else annotators_plot(study)
