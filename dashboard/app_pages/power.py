"""What test sets can find: those of the store, one of them, and one that is planned.

URL parameters: `view` (all test sets, one of them, a plan; without it what the others are about);
`alpha` and `target` (power asked for); `every` (one metric for all test sets); `dataset`,
`metric`, `a`, `b` (systems), `effect` (true gain of A, on the metric's own scale) and `by` (where
power by items comes from) about one. Those of a plan stand in `dashboard.ui.power_plan`.
"""

import streamlit as st

from dashboard import data
from dashboard.ui import power_store, states
from dashboard.ui.links import plain, show_permalink
from dashboard.ui.power_plan import show_plan
from dashboard.ui.power_view import ALL, ONE, PLAN, VIEWS, choose_view
from store.errors import NotFoundError

st.title("Power", anchor=False)
try:
    is_empty = not data.datasets()
except NotFoundError:  # no store at all: a plan needs none
    is_empty = True
if not is_empty:
    view = choose_view()
else:
    view = PLAN
    states.empty_store()
    st.header("Plan a test set", anchor=False)

shown: dict[str, str | list[str] | None] = {"view": VIEWS[view]}
try:
    if view == ALL:
        shown |= power_store.show_all()
    elif view == ONE:
        shown |= power_store.show_one()
    else:
        shown |= show_plan()
except NotFoundError as error:
    st.subheader("There are no two systems to judge a test set by yet.", anchor=False)
    st.markdown(plain(str(error)))
show_permalink("power", **{name: value for name, value in shown.items() if value is not None})
