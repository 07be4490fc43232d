"""All pairs of systems on a dataset: which differences are real, in one picture.

URL parameters: the settings of `Pairs`, and `order` (score, name, likeness).
"""

import numpy as np
import streamlit as st

from analysis.setting import parameters as parameters_of
from analysis.studies.pairs import Pairs
from dashboard import data
from dashboard.components import significance_heatmap
from dashboard.ui import all_pairs, ask, filters, settings, states
from dashboard.ui.answers import answer
from dashboard.ui.links import Link, page_url, page_urls, plain, show_link, show_permalink
from dashboard.ui.notes import show_warnings
from dashboard.ui.progress import with_progress
from dashboard.ui.reports import show_report
from dashboard.ui.tables import show_answer

st.title("All pairs", anchor=False)
datasets = [d for d in data.datasets() if d.n_runs]
if not datasets:
    if data.datasets():
        states.no_item_scores("any dataset of this store")
    else:
        states.empty_store()
    st.stop()

states.stop_without({d.label for d in datasets}, "has no item scores")
with filters.filter_row("pairs_filters"):
    dataset, metric = settings.choose_cell(datasets)
    order = filters.choose_one("Order by", all_pairs.ORDERS, key="order", width=120)
    question = ask.choose(
        Pairs,
        {"dataset": dataset.uid, "metric": metric},
        hidden=("systems",),
        lead=("correction",),
    )

study = with_progress(
    "Comparing all pairs",
    lambda progress: data.ask(question, progress),
)
answer(plain(study.sentence))
show_warnings(study.warnings)
if len(study.systems) < 2:
    st.stop()

where = {"dataset": dataset.label, "metric": study.metric.label}
of_pair = parameters_of(question) | where
positions = all_pairs.ordered(study, str(order))
at = np.ix_(positions, positions)
names = [study.systems[i] for i in positions]
significance_heatmap(
    names,
    *(
        matrix[at]
        for matrix in (
            study.difference,
            study.shown_low,
            study.shown_high,
            study.pvalue,
            study.pvalue_adjusted,
            study.n_items,
            study.verdicts,
        )
    ),
    quantity=study.metric.label,
    decimals=study.decimals,
    alpha=study.settings.alpha,
    higher_is_better=study.metric.higher_is_better,
    rule=f"p ≤ {study.settings.alpha:g}" if study.correction == "none" else "",
    noun="unit" if study.settings.unit_size > 1 else "item",
    leads_to=page_url("compare", **of_pair),
    key="heatmap",
)
told = study.table()
show_answer(
    told,
    filename=f"pairs_{dataset.name}",
    links={"a": page_urls("compare", of_pair, a=told.values("a"), b=told.values("b"))},
    is_main=True,
)
show_report(study.report, "pairs", signature=study.signature)
show_link(Link("Items of this dataset", "items", where))
show_link(Link("Leaderboard", "leaderboard", where))
show_permalink("pairs", **{**parameters_of(question, whole=True), **where, "order": str(order)})
