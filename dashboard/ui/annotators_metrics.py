"""Do annotators agree with each other more than with a metric?"""

from __future__ import annotations

from typing import Final

import altair as alt
import numpy as np
import pandas as pd
import streamlit as st

from analysis import numbers
from analysis.columns import Column
from analysis.studies.humans.agreement.study import AgreementStudy
from dashboard.charts import agreement_dots
from dashboard.ui.links import page_urls
from dashboard.ui.pictures import show_picture
from dashboard.ui.tables import show_table

VERDICTS: Final = {
    "less": "agrees less",
    "more": "agrees more",
    "undecided": "cannot tell",
    "no comparison": "no comparison",
}
"""A metric's agreement with annotators against theirs with each other, in words."""


def show_metrics(study: AgreementStudy) -> None:
    """Show whether annotators agree with each other more than with a metric."""
    frame = metric_frame(study)
    digits = numbers.decimals(half_width=_half_width(frame))
    among = numbers.fixed(study.mean_agreement, digits)
    n_less = int((frame["mark"] == "less").sum())
    show_picture(
        metrics_plot(study),
        key="metrics_picture",
        alt=f"Mean agreement of annotators among themselves {among}; {n_less} of "
        f"{numbers.counted(len(frame), 'metric')} agree with them less.",
    )
    n_without = int(frame["agreement"].isna().sum())
    if n_without:
        some = numbers.counted(n_without, "metric")
        st.caption(f"{some} in the table only: no output in common with what annotators judged.")
    show_table(
        frame,
        key="metrics",
        columns={
            "name": Column("Metric", pinned=True),
            "metric": Column("Full name", shown=False),
            "agreement": Column("With annotators", "number", decimals=digits, ends=("low", "high")),
            "low": Column("From", "number", decimals=digits, shown=False),
            "high": Column("To", "number", decimals=digits, shown=False),
            "verdict": Column(
                "Verdict", help="Agrees with them less, or more, than they with each other"
            ),
            "difference": Column(
                "Difference",
                "difference",
                decimals=digits,
                help="Annotators with each other minus with the metric",
                ends=("difference_low", "difference_high"),
            ),
            "difference_low": Column("From", "difference", decimals=digits, shown=False),
            "difference_high": Column("To", "difference", decimals=digits, shown=False),
            "pvalue": Column("p", "pvalue", shown=False),
            "pvalue_adjusted": Column(
                "Adjusted p", "pvalue", help=f"By Holm, over all metrics; α = {study.alpha:g}"
            ),
            "n_units": Column("Compared", "count", shown=False),
            "n_ties": Column("Scored alike", "count", help="Pairs of outputs without a winner"),
        },
        filename=f"metrics_with_annotators_{study.criterion.name}",
        noun="metric",
        links={
            "name": page_urls(
                "leaderboard", {"dataset": study.dataset.label}, metric=frame["metric"]
            )
        },
    )


def metrics_plot(study: AgreementStudy) -> alt.LayerChart:
    """Draw how far annotators agree with each other, and with each metric."""
    frame = metric_frame(study)
    low, high = study.agreement_ci
    own = pd.DataFrame(
        [{"name": "the annotators", "value": study.mean_agreement, "low": low, "high": high,
          "mark": "annotators"}]
    )  # fmt: skip
    drawn = frame.rename(columns={"agreement": "value"})
    drawn = drawn[drawn["value"].notna()]
    if np.isfinite(study.mean_agreement):
        drawn = pd.concat([own, drawn])
    digits = numbers.decimals(half_width=_half_width(frame))
    drawn["label"] = [numbers.fixed(value, digits) for value in drawn["value"]]
    return agreement_dots(
        drawn, quantity="mean agreement with an annotator", confidence=1 - study.alpha
    )


def metric_frame(study: AgreementStudy) -> pd.DataFrame:
    """Return a row per metric, the one that agrees most first."""
    floats = ["agreement", "low", "high", "difference", "difference_low", "difference_high",
              "pvalue", "pvalue_adjusted"]  # fmt: skip
    frame = pd.DataFrame(
        [
            (
                *(row.name, row.metric, row.metric_uid),
                *(row.agreement, row.ci_low, row.ci_high),
                *(row.difference, row.difference_low, row.difference_high),
                *(row.pvalue, row.pvalue_adjusted, row.n_units, row.n_ties),
                row.verdict,
                VERDICTS[row.verdict],
            )
            for row in study.metrics
        ],
        columns=["name", "metric", "metric_uid", *floats, "n_units", "n_ties", "mark", "verdict"],
    )
    frame = frame.astype(dict.fromkeys(floats, "float64"))
    return frame.sort_values("agreement", ascending=False, kind="stable").reset_index(drop=True)


def _half_width(frame: pd.DataFrame) -> float | None:
    halves = (frame["high"] - frame["low"]).astype("float64").to_numpy() / 2
    halves = halves[np.isfinite(halves) & (halves > 0)]
    return float(np.median(halves)) if halves.size else None
