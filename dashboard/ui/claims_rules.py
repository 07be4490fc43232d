"""Every rule side by side on the page *Claims*, and what a Ladder board would have shown."""

from __future__ import annotations

import streamlit as st

from analysis import numbers
from analysis.studies.claims import tables
from analysis.studies.claims.study import ClaimsStudy
from dashboard.ui.links import plain
from dashboard.ui.tables import show_answer


def show_rules(study: ClaimsStudy) -> None:
    """Show every rule side by side, and what a Ladder board would have shown."""
    looks = numbers.counted(study.n_looks, "look")
    records = numbers.counted(study.n_records, "record")
    st.markdown(
        plain(
            f"{looks} at this test set, {records}, {study.n_tested:,} tested. The rules differ in "
            "what they keep low and in what they take for granted; claims on one test set are "
            "not independent."
        )
    )
    show_answer(tables.rules(study), filename=f"rules_{study.dataset.name}")
    if not study.ladder:
        st.markdown(plain(f"No Ladder board: {study.ladder_note}"))
    else:
        last = study.ladder[-1]
        moves = numbers.counted(len(study.ladder) - 1, "time")
        st.markdown(
            plain(
                f"A Ladder board, which moves for more than one standard error, would have moved "
                f"{moves} and would show {last.system} with "
                f"{numbers.fixed(last.score, tables.places(study))}. That is no test of a gain."
            )
        )
