"""What test sets can find: those of the store, one of them, and one that is planned.

URL parameters: `alpha`, `target` (power asked for) and `every` (one metric for all test sets) are
about all test sets; `dataset`, `metric`, `a`, `b` (systems), `effect` (true gain of A, on the
metric's own scale) and `by` (where power by items comes from) about one. Those of the section
"Plan a test set" stand in `dashboard.ui.power_plan`.
"""

import streamlit as st

from dashboard import data
from dashboard.ui import filters, power_store, settings, states
from dashboard.ui.answers import answer
from dashboard.ui.links import plain, show_permalink
from dashboard.ui.notes import show_warnings
from dashboard.ui.power_plan import show_plan
from dashboard.ui.reports import show_report
from store.errors import NotFoundError

MOST_USED = "the most used"

st.title("Power", anchor=False)
parameters: dict[str, str | list[str]] = {}
if data.datasets():
    with filters.filter_row("power_filters"):
        alpha = settings.choose_alpha()
        target = filters.choose_one(
            "Power asked for", (0.8, 0.9, 0.95, 0.5), key="target", name=lambda p: f"{100 * p:g} %"
        )
        every = filters.choose_one(
            "Metric of all",
            [MOST_USED, *(m.label for m in data.all_metrics())],
            key="every",
            width=220,
        )
    try:
        study = data.resolution(None if every == MOST_USED else every, alpha, target or 0.8)
    except NotFoundError as error:
        st.subheader("There are no two systems to judge a test set by yet.", anchor=False)
        st.markdown(plain(str(error)))
    else:
        answer(plain(study.sentence))
        show_warnings(study.warnings)
        power_store.show_resolution(study)
        with st.expander("Report on all test sets"):
            show_report(study.report(), "test_sets", key="report_all")
        st.header("One test set", anchor=False)
        parameters = {
            "alpha": f"{alpha:g}",
            "target": f"{100 * (target or 0.8):g} %",
            "every": str(every),
            **power_store.show_test_set(study),
        }
else:
    states.empty_store()

st.header("Plan a test set", anchor=False)
planned = show_plan()
parameters |= {name: value for name, value in planned.items() if value is not None}
show_permalink("power", **parameters)
