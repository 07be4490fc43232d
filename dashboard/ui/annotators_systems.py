"""Which systems do annotators choose: one strength per system."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from analysis import numbers
from analysis.columns import Column
from analysis.studies.humans.agreement.study import AgreementStudy, StrengthRow
from dashboard.charts import strength_dots
from dashboard.ui.links import page_urls
from dashboard.ui.pictures import show_picture
from dashboard.ui.tables import show_table


def show_strengths(study: AgreementStudy) -> None:
    """Show a strength per system with the interval of its rank, the best on top."""
    frame = strength_frame(study)
    best = study.strengths[0]
    show_picture(
        strength_dots(
            frame.assign(label=[_ranks(row) for row in study.strengths]),
            confidence=0.95,
        ),
        key="strengths_picture",
        alt=f"{numbers.counted(len(frame), 'system')} by the choices of annotators, {best.system} "
        f"on top with rank {_ranks(best)}.",
    )
    st.caption(
        "Bradley and Terry's model of the choices, ties by Davidson's: a difference of 1 is odds "
        "of 2.7. Intervals from items drawn anew."
    )
    show_table(
        frame,
        key="strengths",
        columns={
            "system": Column("System", pinned=True),
            "strength": Column("Strength", "difference", decimals=2, ends=("low", "high")),
            "low": Column("From", "difference", decimals=2, shown=False),
            "high": Column("To", "difference", decimals=2, shown=False),
            "rank": Column("Rank", "count", ends=("rank_low", "rank_high")),
            "rank_low": Column("From", "count", shown=False),
            "rank_high": Column("To", "count", shown=False),
            "n_choices": Column("Choices", "count", help="That the system was part of"),
        },
        filename=f"strengths_{study.criterion.name}",
        noun="system",
        links={"system": page_urls("system", {}, uid=frame["system_uid"])},
    )


def strength_frame(study: AgreementStudy) -> pd.DataFrame:
    """Return a row per system, the strongest first."""
    names = ["system", "system_uid", "strength", "low", "high", "rank", "rank_low", "rank_high",
             "n_choices"]  # fmt: skip
    return pd.DataFrame(
        [[getattr(row, name) for name in names] for row in study.strengths], columns=names
    )


def _ranks(row: StrengthRow) -> str:
    low, high = numbers.count(row.rank_low), numbers.count(row.rank_high)
    return low if low == high else f"{low} to {high}"
