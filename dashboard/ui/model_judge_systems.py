"""Systems by people and by a model that judges beside them, put right where it judged more."""

from __future__ import annotations

import streamlit as st

from analysis import numbers
from analysis.studies.humans.judges import tables
from analysis.studies.humans.judges.study import JudgesStudy
from dashboard.charts import judged_dots
from dashboard.ui.links import plain
from dashboard.ui.pictures import show_picture
from dashboard.ui.tables import show_answer


def show_systems(study: JudgesStudy, confidence: float) -> None:
    """Show each system by people, by the judge, and by the judge put right by people.

    Where the judge judged nothing that people did not, the last of these is people alone: it is
    left out.
    """
    adds = study.judged_more
    st.subheader(
        "Systems, put right by people's judgments" if adds else "Systems, by people and the judge",
        anchor=False,
    )
    told = tables.systems(study)
    frame = told.frame()
    digits = told.columns["corrected"].decimals or 0
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
    show_answer(told, filename=f"systems_by_{judge}")


def show_pairs(study: JudgesStudy) -> None:
    """Show which systems are told apart, and where the judge alone would mislead."""
    if not study.pairs:
        return
    adds = study.judged_more
    told = tables.pairs(study)
    frame = told.frame()
    decided, misled = int(frame["decided"].sum()), int(frame["misled"].sum())
    who = "people and the judge together tell" if adds else "people tell"
    if decided:
        turned = f"{misled:,} of these" if misled else "none of these"
        text = f"Of {numbers.counted(len(frame), 'pair')} {who} {decided:,} apart; the judge alone "
        text += f"has {turned} the other way round" + (", first in the table." if misled else ".")
        st.markdown(plain(text))
    show_answer(told, filename=f"pairs_by_{study.judge}")
