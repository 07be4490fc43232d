"""Systems by people and by a model that judges beside them, put right where it judged more."""

from __future__ import annotations

import math
from functools import partial

import numpy as np
import pandas as pd
import streamlit as st

from analysis import numbers
from analysis.columns import Column
from analysis.studies.humans.judges.study import JudgesStudy
from dashboard.charts import judged_dots
from dashboard.ui.links import plain
from dashboard.ui.pictures import show_picture
from dashboard.ui.tables import show_table


def show_systems(study: JudgesStudy, confidence: float) -> None:
    """Show each system by people, by the judge, and by the judge put right by people.

    Where the judge judged nothing that people did not, the last of these is people alone: it is
    left out.
    """
    adds = judged_more(study)
    st.subheader(
        "Systems, put right by people's judgments" if adds else "Systems, by people and the judge",
        anchor=False,
    )
    frame = system_frame(study)
    digits = _places(frame["corrected_low"], frame["corrected_high"])
    judge = study.judge
    how = "put right by people" if adds else "beside people"
    show_picture(
        judged_dots(
            frame.assign(label=[numbers.fixed(value, digits) for value in frame["corrected"]]),
            quantity=study.unit_in_words,
            judge=judge,
            adds=adds,
            confidence=confidence,
        ),
        key="judged_picture",
        alt=f"{numbers.counted(len(frame), 'system')} by {judge} {how}, "
        f"{frame['system'].iloc[0]} on top.",
    )
    number = partial(Column, kind="number", decimals=digits)
    difference = partial(Column, kind="difference", decimals=digits)
    show_table(
        frame,
        key="judged_systems",
        columns={
            "system": Column("System", pinned=True),
            "corrected": number("Corrected", help="The judge, put right by people", shown=adds),
            "corrected_low": number("From", shown=adds),
            "corrected_high": number("To", shown=adds),
            "human": number("People alone" if adds else "People"),
            "human_low": number("From"),
            "human_high": number("To"),
            "judge": number("Judge alone" if adds else "Judge"),
            "bias": difference("Bias", help="Judge minus people, where both judged"),
            "bias_low": difference("From", shown=not adds),
            "bias_high": difference("To", shown=not adds),
            "n_human": Column("Both judged", "count"),
            "n_judged_only": Column("Judge only", "count", shown=adds),
            "effective_n": number(
                "Worth",
                decimals=0,
                shown=adds,
                help="Human judgments as precise without the judge",
            ),
            "weight": number("Weight of the judge", decimals=2, shown=False),
        },
        filename=f"systems_by_{judge}",
        noun="system",
    )


def judged_more(study: JudgesStudy) -> bool:
    """Return whether the judge judged anything that people did not."""
    return any(row.n_judged_only for row in study.systems)


def system_frame(study: JudgesStudy) -> pd.DataFrame:
    """Return a row per system, the best first."""
    names = ["system", "system_uid", "corrected", "corrected_low", "corrected_high", "human",
             "human_low", "human_high", "judge", "bias", "bias_low", "bias_high", "n_human",
             "n_judged_only", "effective_n", "weight"]  # fmt: skip
    return pd.DataFrame(
        [[getattr(row, name) for name in names] for row in study.systems], columns=names
    )


def show_pairs(study: JudgesStudy) -> None:
    """Show which systems are told apart, and where the judge alone would mislead."""
    if not study.pairs:
        return
    adds = judged_more(study)
    frame = pair_frame(study)
    decided, misled = int(frame["decided"].sum()), int(frame["misled"].sum())
    who = "people and the judge together tell" if adds else "people tell"
    if decided:
        told = f"{misled:,} of these" if misled else "none of these"
        text = f"Of {numbers.counted(len(frame), 'pair')} {who} {decided:,} apart; the judge alone "
        text += f"has {told} the other way round" + (", first in the table." if misled else ".")
        st.markdown(plain(text))
    digits = _places(frame["corrected_low"], frame["corrected_high"])
    difference = partial(Column, kind="difference", decimals=digits)
    show_table(
        frame,
        key="judged_pairs",
        columns={
            "first": Column("System", pinned=True),
            "second": Column("Minus"),
            "better": Column("Better", help=f"By the adjusted p, α = {study.alpha:g}"),
            "judge_says": Column("Judge alone says"),
            "corrected": difference("Corrected" if adds else "People"),
            "corrected_low": difference("From"),
            "corrected_high": difference("To"),
            "pvalue_adjusted": Column("Adjusted p", "pvalue", help="By Holm, over all pairs"),
            "human": difference("People alone", shown=adds),
            "human_pvalue": Column("p of people alone", "pvalue", shown=False),
            "judge": difference("Judge alone" if adds else "Judge"),
        },
        filename=f"pairs_by_{study.judge}",
        noun="pair",
    )


def pair_frame(study: JudgesStudy) -> pd.DataFrame:
    """Return a row per pair; those that are told apart and turned round by the judge first."""
    undecided = {"undecided": "cannot tell", "no comparison": "no comparison"}
    rows = []
    for row in study.pairs:
        names = {"first": row.first, "second": row.second}
        says = "" if math.isnan(row.judge) else "second" if row.judge < 0 else "first"
        says = "neither" if row.judge == 0 else says
        rows.append(
            {
                "first": row.first,
                "second": row.second,
                "better": undecided.get(row.better) or names[row.better],
                "judge_says": names.get(says, says),
                "decided": row.better in names,
                "misled": row.better in names and says in names and says != row.better,
                "corrected": row.corrected,
                "corrected_low": row.corrected_low,
                "corrected_high": row.corrected_high,
                "pvalue_adjusted": row.pvalue_adjusted,
                "human": row.human,
                "human_pvalue": row.human_pvalue,
                "judge": row.judge,
            }
        )
    frame = pd.DataFrame(rows)
    return frame.sort_values("misled", ascending=False, kind="stable", ignore_index=True)


def _places(low: pd.Series[float], high: pd.Series[float]) -> int:
    halves = ((high - low) / 2).to_numpy(dtype="float64")
    halves = halves[np.isfinite(halves) & (halves > 0)]
    half = float(np.median(halves)) if halves.size else None
    return max(2, min(4, numbers.decimals(half_width=half)))
