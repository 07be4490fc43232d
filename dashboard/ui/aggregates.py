"""Aggregates and profiles on the page *Ranking across datasets*."""

from __future__ import annotations

import numpy as np
import pandas as pd
import streamlit as st

from analysis.statistics.across.aggregates import Aggregates, AggregateSet
from analysis.studies import ranking_tables as tables
from analysis.studies.ranking import RankingStudy
from dashboard.charts import MOST_STRONG, aggregates_plot, performance_profiles_plot
from dashboard.ui import filters
from dashboard.ui.links import page_urls
from dashboard.ui.pictures import show_picture
from dashboard.ui.tables import show_answer

COMMON, OWN = "datasets that all have", "all that each has"
OVER = {COMMON: "common", OWN: "own"}


def show_aggregates(study: RankingStudy) -> str:
    """Show four aggregates of every system, picture and table; return over which datasets."""
    found = study.aggregates
    n_common = int(found.common_datasets.sum())
    over = OWN
    if not study.complete and n_common:
        over = filters.choose_part("Over", [COMMON, OWN], key="over", value=OVER.__getitem__)
    figures = found.common if over == COMMON else found
    show_picture(
        aggregates_plot(
            summary_frame(study, figures),
            summaries=list(tables.SUMMARIES.values()),
            quantity=study.metric.label,
            confidence=found.confidence_level,
        ),
        key="aggregates",
        alt=f"Four aggregates of {len(study.systems)} systems over datasets. {study.sentence}",
    )
    show_answer(tables.aggregates(study, figures), filename=f"aggregates_{study.metric.name}")
    return over


def summary_frame(study: RankingStudy, figures: Aggregates | AggregateSet) -> pd.DataFrame:
    """Return a row per system and summary, as `aggregates_plot` takes them."""
    is_own = figures is study.aggregates
    has_all = study.n_datasets == len(study.datasets)
    parts = []
    for name, title in tables.SUMMARIES.items():
        estimate = getattr(figures, name)
        part = pd.DataFrame(
            {
                "system": study.systems,
                "summary": title,
                "value": estimate.value,
                "low": estimate.low,
                "high": estimate.high,
                "bound_low": np.nan,
                "bound_high": np.nan,
                "complete": has_all | (not is_own),
            }
        )
        if is_own and name == "mean":
            bounds = study.aggregates.mean_bounds
            part["bound_low"] = np.where(has_all, np.nan, bounds.low)
            part["bound_high"] = np.where(has_all, np.nan, bounds.high)
        parts.append(part)
    return pd.concat(parts, ignore_index=True)


def show_profiles(study: RankingStudy) -> list[str]:
    """Show performance profiles and the scores they are made of; return who stands out."""
    strong = _choose_strong(study)
    show_picture(
        performance_profiles_plot(
            profile_frame(study),
            strong=strong,
            quantity=study.metric.label,
            higher_is_better=study.metric.higher_is_better,
            confidence=study.profiles.confidence_level,
        ),
        key="profiles",
        alt=f"For every threshold the share of {len(study.datasets)} datasets on which a system "
        "scores beyond it.",
    )
    if not study.complete:
        st.caption("Shares are of the datasets that a system has a score on.")
    told = tables.scores(study)
    show_answer(
        told,
        filename=f"scores_{study.metric.name}",
        links={
            "dataset": page_urls(
                "leaderboard", {"metric": study.metric.label}, dataset=told.values("dataset")
            )
        },
    )
    return strong


def _choose_strong(study: RankingStudy) -> list[str]:
    return filters.choose_any(
        "Highlight",
        study.systems,
        key="highlight",
        default=study.systems[:3],
        most=MOST_STRONG,
        width=520,
    )


def profile_frame(study: RankingStudy) -> pd.DataFrame:
    """Return the corners of every profile's steps, thresholds on the metric's own scale."""
    found = study.profiles
    thresholds = study.metric.sign * found.thresholds
    forward = np.argsort(thresholds, kind="stable")
    parts = []
    for i, name in enumerate(study.systems):
        steps = np.stack([found.value[i], found.low[i], found.high[i]])[:, forward]
        if not np.isfinite(steps[0]).all():
            continue
        kept = _corners(np.nan_to_num(steps, nan=-1.0))
        parts.append(
            pd.DataFrame(
                {
                    "system": name,
                    "threshold": thresholds[forward][kept],
                    "share": steps[0, kept],
                    "low": steps[1, kept],
                    "high": steps[2, kept],
                }
            )
        )
    empty = pd.DataFrame(columns=["system", "threshold", "share", "low", "high"])
    return pd.concat(parts, ignore_index=True) if parts else empty


def _corners(steps: np.ndarray) -> np.ndarray:
    """Return which columns differ from a neighbour; the first and the last do."""
    changed = (np.diff(steps, axis=1) != 0).any(axis=0)
    ends = np.ones(1, dtype=bool)
    return np.asarray(np.concatenate([ends, changed]) | np.concatenate([changed, ends]))
