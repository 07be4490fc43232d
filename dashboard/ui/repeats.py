"""How often systems were tried on a dataset, and whether their trials are samples or seeds."""

from __future__ import annotations

from typing import Final

import pandas as pd
import streamlit as st

from analysis.columns import Column
from dashboard import data
from dashboard.ui.changing import change, folded_form
from dashboard.ui.tables import show_table
from store.console import current_actor
from store.repeats import set_repeats

_COLUMNS: Final = {
    "system": Column("System"),
    "n_runs": Column("Runs", "count"),
    "n_trials": Column("Trials", "count"),
    "trials_are": Column("Trials are"),
}


def show_repeats(dataset_uid: str) -> None:
    """Show the systems with repeats on a dataset; nothing where none has any."""
    found = data.repeats_of(dataset_uid)
    if not found:
        return
    st.header("Repeats", anchor=False)
    st.markdown(
        "Trials are samples of one system: their mean is its score of an item. Runs, and trials "
        "that are seeds, are trainings: what another training would change counts too."
    )
    frame = pd.DataFrame([one.to_dict() for one in found])
    show_table(frame, key="repeats", columns=_COLUMNS, filename="repeats", noun="system")
    if data.is_read_only() or max(one.n_trials for one in found) < 2:
        return
    with folded_form("Change what trials are", f"repeats_{dataset_uid}"):
        kind = st.selectbox("Trials are", ["samples", "seeds"])
        why = st.text_input("Why", key=f"why_repeats_{dataset_uid}")
        if st.form_submit_button("Change"):
            change(
                lambda store: set_repeats(store, dataset_uid, kind, actor=current_actor()),
                f"Trials are {kind}.",
                why,
            )
            st.rerun()
