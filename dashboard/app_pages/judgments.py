"""What annotators saw on one item and how they judged it: trees or texts side by side.

URL parameters: `dataset`, `criterion` (what was judged), `item` (its key; by default the worst
disagreement), `a`, `b` (rated systems to show), `pair` (of those compared), `reference_tree`.
"""

import streamlit as st

from dashboard import data, human_data
from dashboard.ui import annotators, filters, judged_outputs, judgments, states
from dashboard.ui.answers import answer
from dashboard.ui.links import Link, plain, show_link, show_permalink
from dashboard.ui.reports import show_report

st.title("Judgments of an item", anchor=False)
if not data.datasets():
    states.empty_store()
    st.stop()
criteria = human_data.criteria()
if not criteria:
    states.no_judgments(len({gold.dataset for gold in human_data.golds()}))
    st.stop()

with filters.filter_row("judgments_filters"):
    criterion = annotators.choose_criterion(criteria)
    found = judgments.find_disagreements(criterion)
    item = judgments.choose_item(criterion, found)
if item is None:
    st.subheader("This dataset has no items.", anchor=False)
    st.stop()
position, key = item
judged = human_data.item_judgments(criterion.dataset_uid, key)
answer(plain(judgments.sentence(judged, criterion, found.about(key))))
judgments.show_steps(key, found)
if criterion.question:
    st.markdown(plain(f"Asked: “{criterion.question}”"))

shown = judged_outputs.show_outputs(judged, criterion, position, found.about(key))
st.header("Judgments", anchor=False)
judgments.show_who_said_what(judged, criterion.name, [*shown.values()])
where = {"dataset": criterion.dataset}
show_link(Link("All annotators", "annotators", {**where, "criterion": criterion.name}))
if shown:
    show_link(Link("This item among all systems", "items", {**where, "item": key}))
if found.study:
    show_report(
        found.study.report,
        "agreement",
        signature=found.study.signature,
        how="Disagreements stand in the order of their spread. That is the share of pairs of "
        "annotators who say different things; of ratings, their standard deviation. All of this "
        "comes from the agreement of the annotators:",
    )
parameters = {**where, "criterion": criterion.name, "item": key, **shown}
show_permalink("judgments", **parameters)
