"""Metrics against one gold: coefficients, comparisons, what they rest on, parts of the items."""

from __future__ import annotations

import math
from typing import Final

import altair as alt
import numpy as np
import pandas as pd
import streamlit as st

from analysis import numbers
from analysis.columns import Column
from analysis.statistics.boards.groups import shorten_letters
from analysis.studies.humans.correlations.report import method_in_words
from analysis.studies.humans.correlations.result import CorrelationRow
from analysis.studies.humans.correlations.settings import COEFFICIENTS_IN_WORDS
from analysis.studies.humans.correlations.study import CorrelationsStudy
from analysis.studies.humans.evidence import ENOUGH_CELLS
from dashboard import data
from dashboard.charts import Line, correlation_forest, correlation_scatter
from dashboard.components import (
    Mark,
    Standing,
    correlation_heatmap,
    significance_heatmap,
)
from dashboard.ui import filters
from dashboard.ui.links import page_urls, plain
from dashboard.ui.metric_names import bare_names
from dashboard.ui.pictures import show_picture
from dashboard.ui.tables import show_table

STANDINGS: Final = {
    "reference": "the reference",
    "better": "better",
    "worse": "worse",
    "undecided": "cannot tell",
}
_MOST_LETTERS: Final = 26


def show_forest(study: CorrelationsStudy) -> None:
    """Show every metric's coefficient, who cannot be told apart, and where people stand."""
    frame = row_frame(study)
    drawn = frame[frame["value"].notna()]
    human = study.human_line
    show_picture(forest_plot(study), key="forest", alt=study.sentence)
    told = [method_in_words(study), *left_out(len(frame) - len(drawn), len(frame))]
    if drawn["is_partial"].any():
        told.append(
            f"Hollow: scored on fewer than {100 * ENOUGH_CELLS:.0f} % of the judged cells, so it "
            "stands below the others."
        )
    if human is not None:
        told.append(
            f"Dashed: {human.how}, {numbers.fixed(human.value, places(study))} "
            f"({numbers.counted(human.n_annotators, 'annotator')})."
        )
    st.caption(plain(" ".join(told)))
    show_table(
        frame,
        key="metrics",
        columns=_columns(study, frame),
        filename=f"correlations_{study.dataset.name}",
        noun="metric",
        links={
            "name": page_urls(
                "leaderboard", {"dataset": study.dataset.label}, metric=frame["metric"]
            )
        },
    )


def forest_plot(study: CorrelationsStudy) -> alt.LayerChart:
    """Draw every metric's coefficient with its interval, and where people stand."""
    frame = row_frame(study)
    drawn = frame[frame["value"].notna()]
    human = study.human_line
    n_groups = len(set("".join(row.group for row in study.rows)))
    return correlation_forest(
        drawn.assign(
            metric=drawn["name"],
            label=[numbers.fixed(v, places(study)) for v in drawn["value"]],
            group=drawn["groups"] if 1 < n_groups <= _MOST_LETTERS else "",
            complete=~drawn["is_partial"],
        ),
        quantity=COEFFICIENTS_IN_WORDS[study.coefficient],
        reference=bare_names(study.metrics)[reference_of(study)],
        human=None if human is None else Line(human.value, human.low, human.high),
        confidence=1 - study.alpha,
        hollow="scored on few cells, ranked last",
    )


def left_out(n_undefined: int, n: int) -> list[str]:
    """Say how many metrics stand in the table only; nothing where all are drawn."""
    if not n_undefined:
        return []
    have = "has" if n_undefined == 1 else "have"
    return [
        f"{n_undefined:,} of {numbers.counted(n, 'metric')} {have} no coefficient, since one of "
        "the two sides is the same everywhere: in the table only."
    ]


def _defined(study: CorrelationsStudy) -> np.ndarray[tuple[int], np.dtype[np.intp]]:
    """Return the places of the metrics with a coefficient; others have no row in pictures."""
    return np.flatnonzero([math.isfinite(row.coefficient) for row in study.rows])


def reference_of(study: CorrelationsStudy) -> str:
    """Return the metric that others are marked against: that asked for, else the best one."""
    return study.rows[0].metric if study.reference is None else study.reference


def row_frame(study: CorrelationsStudy) -> pd.DataFrame:
    """Return a row per metric, the best first, the values as they are."""
    standings = [standing(row, study) for row in study.rows]
    return pd.DataFrame(
        {
            "name": list(bare_names(study.metrics).values()),
            "metric": study.metrics,
            "value": [row.coefficient for row in study.rows],
            "low": [row.ci[0] for row in study.rows],
            "high": [row.ci[1] for row in study.rows],
            "standing": standings,
            "against": [STANDINGS[name] for name in standings],
            "groups": [shorten_letters(row.group) for row in study.rows],
            "pvalue_vs_best": [row.pvalue_vs_best for row in study.rows],
            "pvalue_vs_reference": [row.pvalue_vs_reference for row in study.rows],
            "n": [row.n for row in study.rows],
            "n_undefined": [row.n_undefined for row in study.rows],
            "epsilon": [row.epsilon for row in study.rows],
            "without_outliers": [row.without_outliers for row in study.rows],
            "is_partial": [row.is_partial for row in study.rows],
        }
    )


def standing(row: CorrelationRow, study: CorrelationsStudy) -> str:
    """Return what is known of a metric against the reference.

    A reference that the reader asked for takes a correction for all others. The best metric was
    chosen by the data: that takes the correction for all pairs.
    """
    found = row.versus_best if study.reference is None else row.versus_reference
    return "undecided" if found in ("untested", None) else str(found)


def places(study: CorrelationsStudy) -> int:
    """Return the decimals of coefficients: two at least, so that printed ones can be compared."""
    halves = np.array([(row.ci[1] - row.ci[0]) / 2 for row in study.rows], dtype=float)
    halves = halves[np.isfinite(halves) & (halves > 0)]
    half = float(np.median(halves)) if halves.size else None
    return max(2, min(4, numbers.decimals(half_width=half)))


def _columns(study: CorrelationsStudy, frame: pd.DataFrame) -> dict[str, Column]:
    digits = places(study)
    return {
        "name": Column("Metric", pinned=True),
        "metric": Column("Full name", shown=False),
        "value": Column(
            COEFFICIENTS_IN_WORDS[study.coefficient],
            "number",
            decimals=digits,
            ends=("low", "high"),
            help="Interval of each by itself",
        ),
        "low": Column("From", "number", decimals=digits, shown=False),
        "high": Column("To", "number", decimals=digits, shown=False),
        "groups": Column(
            "Group",
            help="Metrics with a letter in common cannot be separated",
            shown=bool(frame["groups"].nunique() > 1),
        ),
        "pvalue_vs_best": Column(
            "p against the best", "pvalue", help="Adjusted over all pairs of metrics"
        ),
        "against": Column(f"Against {bare_names(study.metrics)[reference_of(study)]}"),
        "pvalue_vs_reference": Column(
            "p against the reference",
            "pvalue",
            help="Adjusted over all metrics",
            shown=study.reference is not None,
        ),
        "n": Column("Units", "count", help="What the coefficient is taken or averaged over"),
        "n_undefined": Column(
            "Undefined", "count", shown=bool(frame["n_undefined"].any()), help="Left out: constant"
        ),
        "epsilon": Column(
            "Tie below",
            "number",
            decimals=4,
            shown=bool(frame["epsilon"].notna().any()),
            help="Differences of the metric up to this count as ties, where that fits best",
        ),
        "without_outliers": Column(
            "Without outliers",
            "number",
            decimals=digits,
            shown=bool(frame["without_outliers"].notna().any()),
            help="Without the systems that stand far from the others by the gold",
        ),
    }


def show_scatter(study: CorrelationsStudy) -> str:
    """Show the marks behind a coefficient; return the metric that was chosen."""
    metric = filters.choose_one("Metric", study.metrics, key="metric", width=260)
    name = bare_names(study.metrics)[str(metric)]
    at = study.metrics.index(str(metric))
    is_system = study.level == "system"
    preference = study.kind == "preferences"
    frame = pd.DataFrame(
        {
            "label": [
                point.item_key
                if preference
                else point.system
                if is_system
                else f"{point.system}, {point.item_key}"
                for point in study.points
            ],
            "gold": [point.gold for point in study.points],
            "value": [point.values[at] for point in study.points],
            "outlying": [point.is_outlier for point in study.points],
        }
    )
    uid = study.rows[at].metric_uid
    record = next((m for m in data.metrics_of(study.dataset.uid) if m.uid == uid), None)
    turned = " turned round" if record is not None and not record.higher_is_better else ""
    noun = "comparison" if preference else "system" if is_system else "output"
    far = [point.system for point in study.points if point.is_outlier]
    show_picture(
        correlation_scatter(
            frame,
            metric=f"{name} prefers" if preference else f"{name}{turned}",
            gold=f"{study.gold}: annotators prefer" if preference else study.gold,
            noun=noun,
            signs=preference,
        ),
        key="scatter",
        alt=f"{numbers.counted(len(frame), noun)} by {study.gold} and by {name}."
        + (f" Outlying: {', '.join(far)}." if far else ""),
    )
    if study.n_points > len(study.points):
        st.caption(f"{len(study.points):,} of {study.n_points:,} {noun}s are drawn.")
    return str(metric)


def show_pairs(study: CorrelationsStudy) -> tuple[str, str] | None:
    """Show for all pairs of metrics which follows the gold better; return the pair picked."""
    kept = _defined(study)
    both = np.ix_(kept, kept)
    adjusted, difference = study.pvalue_adjusted[both], study.difference[both]
    with np.errstate(invalid="ignore"):
        marks = np.select(
            [np.isnan(difference) | np.isnan(adjusted), adjusted > study.alpha],
            [Mark.NOT_COMPARABLE, Mark.UNDECIDED],
            np.where(difference > 0, Mark.BETTER, Mark.WORSE),
        )
    none = np.full(difference.shape, math.nan)
    n = np.minimum.outer(*[np.array([row.n for row in study.rows])[kept]] * 2)
    names = list(bare_names(study.metrics).values())
    picked = significance_heatmap(
        [names[i] for i in kept],
        difference,
        none,
        none,
        study.pvalue[both],
        adjusted,
        n,
        marks,
        quantity=COEFFICIENTS_IN_WORDS[study.coefficient],
        decimals=places(study),
        alpha=study.alpha,
        rule=f"p ≤ {study.alpha:g}" if study.correction == "none" else "",
        noun="unit",
        thing="metric",
        key="metric_pairs",
    )
    st.caption("Pick a cell to see below what would tell its two metrics apart.")
    if picked is None:
        return None
    return study.metrics[kept[picked.row]], study.metrics[kept[picked.column]]


def show_between(study: CorrelationsStudy) -> None:
    """Show how closely the metrics follow each other."""
    kept = _defined(study)
    every = list(bare_names(study.metrics).values())
    names = [every[i] for i in kept]
    between = study.between[np.ix_(kept, kept)]
    none = np.full(between.shape, math.nan)
    correlation_heatmap(
        names,
        names,
        between,
        none,
        none,
        np.full(none.shape, Standing.UNKNOWN),
        quantity=COEFFICIENTS_IN_WORDS[study.coefficient],
        reference="",
        caption=f"Shade: {COEFFICIENTS_IN_WORDS[study.coefficient]} of two metrics",
        ends=(min(0.0, float(np.nanmin(between, initial=0.0))), 1.0),
        among=True,
        key="between",
    )
    frame = pd.DataFrame(between, columns=names)
    frame.insert(0, "metric", names)
    show_table(
        frame,
        key="between_table",
        columns={
            "metric": Column("Metric", pinned=True),
            **{name: Column(name, "number", decimals=2) for name in names},
        },
        filename=f"metrics_among_themselves_{study.dataset.name}",
        noun="metric",
    )


def show_slices(study: CorrelationsStudy) -> None:
    """Show the coefficients on parts of the items."""
    if not study.slices:
        return
    st.header(plain(f"Items by {study.by}"), anchor=False)
    kept = _defined(study)
    values = np.array([row.values for row in study.slices]).T[kept]
    names = [f"{row.slice} ({row.n_items:,})" for row in study.slices]
    none = np.full(values.shape, math.nan)
    every = list(bare_names(study.metrics).values())
    metrics = [every[i] for i in kept]
    correlation_heatmap(
        metrics,
        names,
        values,
        none,
        none,
        np.full(values.shape, Standing.UNKNOWN),
        quantity=COEFFICIENTS_IN_WORDS[study.coefficient],
        reference="",
        key="slices",
    )
    frame = pd.DataFrame(values, columns=names)
    frame.insert(0, "metric", metrics)
    show_table(
        frame,
        key="slice_table",
        columns={
            "metric": Column("Metric", pinned=True),
            **{name: Column(name, "number", decimals=places(study)) for name in names},
        },
        filename=f"correlations_by_{study.by}_{study.dataset.name}",
        noun="metric",
    )
