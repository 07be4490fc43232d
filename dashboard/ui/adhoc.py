"""What only the Ad hoc page has: sizes of evaluation units, and tests with their reasons."""

from __future__ import annotations

import math

import pandas as pd
import streamlit as st

from analysis import numbers
from analysis.studies.adhoc import AdhocStudy
from analysis.studies.test_names import IN_WORDS, to_statistics
from dashboard.charts import unit_size_curve
from dashboard.ui.links import plain
from dashboard.ui.pictures import show_picture


def show_unit_sizes(study: AdhocStudy) -> None:
    """Show how the variance of unit scores goes with the size of the unit."""
    found = study.unit_sizes
    if found is None or len(found.sizes) < 2:
        return
    with st.expander(f"Evaluation units: {numbers.counted(found.recommended, 'item')} recommended"):
        show_picture(
            unit_size_curve(
                pd.DataFrame({"size": found.sizes, "variance": found.variance}),
                recommended=found.recommended,
            ),
            key="unit_sizes",
            alt="Variance of the unit scores against the number of items in a unit.",
        )


def show_tests(study: AdhocStudy) -> None:
    """Show every test with the reason for or against it; only one of them is the answer."""
    if not study.tests:
        return
    st.header("Tests for these scores", anchor=False)
    lines = []
    for row in study.tests:
        name = IN_WORDS[to_statistics(row.test)]
        p = "" if math.isnan(row.pvalue) else f", p {numbers.pvalue(row.pvalue)}"
        lines.append(f"- **{plain(name)}**: {row.advice}{plain(p)}. {plain(row.reason)}")
    st.markdown("\n".join(lines))
    st.caption(
        "Choose the test before you look: taking the smallest of these p-values finds differences "
        "that are not there."
    )
