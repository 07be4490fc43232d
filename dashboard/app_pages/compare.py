"""Two systems on one dataset: is one better, by how much, and on which items?

URL parameters: the settings of `Compare`, and `change` (improved, regressed, equal, missing).
"""

import streamlit as st

from analysis.setting import parameters as parameters_of
from analysis.studies.comparison import Compare
from analysis.studies.items import Items
from analysis.studies.pair_analysis import decimals_of
from dashboard import address, data
from dashboard.ui import ask, filters, pair, states
from dashboard.ui.answers import answer
from dashboard.ui.badges import badge
from dashboard.ui.best_two import best_two
from dashboard.ui.cards import show_card
from dashboard.ui.items import show_changes
from dashboard.ui.links import Link, plain, show_link, show_permalink
from dashboard.ui.notes import show_warnings
from dashboard.ui.onward import show_power_link
from dashboard.ui.reports import show_report

st.title("Compare two", anchor=False)
comparables = data.comparables()
names = comparables.systems_with_items()
if not names:
    if comparables.cells:
        states.no_pair(comparables.cells)
    elif data.datasets():
        states.no_item_scores("any dataset of this store")
    else:
        states.empty_store()
    st.stop()

pair.renew_family()
at, lead = best_two(address.value("dataset")) or ("", None)
first, second = (lead.first, lead.second) if lead else ("", "")
with filters.filter_row("compare_filters"):
    a = str(filters.choose_one("System A", names, key="a", default=first, width=155))
    partners = comparables.partners_on_items(a)
    other = first if a == second else second
    b = str(filters.choose_one("System B", partners, key="b", default=other, width=155))
    datasets = comparables.datasets(a, b)
    dataset = str(filters.choose_one("Dataset", datasets, key="dataset", default=at, width=175))
    metrics = comparables.metrics_on(a, b, dataset)
    primary = next((one.label for one in data.metrics_of(dataset)), None)
    metric = lead.metric if lead and dataset == at else primary
    metric = str(filters.choose_one("Metric", metrics, key="metric", default=metric, width=185))
    given = {"a": a, "b": b, "dataset": dataset, "metric": metric}
    question = ask.choose(Compare, given, lead=("margin",))

study = data.ask(question)
analysis = study.analysis
answer(plain(study.sentence))
told = f"{plain(a)} against {plain(b)}: alone {badge(study.verdict)}"
if study.family is not None:
    told += f" · among {study.family.name} {badge(study.family.verdict)}"
st.markdown(told)
show_warnings(study.warnings)

pair.show_difference(analysis, question.settings, a, b, study.metric)
left, right = st.columns([4, 5], gap="medium")
with left:
    pair.show_test(analysis)
with right:
    pair.show_effects(analysis)
pair.show_data(analysis, a, b, study.metric)
pair.show_groups(study)

st.header("Item by item", anchor=False)
changes = data.item_changes(
    study.system_a_uid, study.system_b_uid, study.dataset.uid, study.metric.uid
)
outputs = data.item_pair(Items(study.dataset.uid, study.metric.uid), a, b).sentence_of_outputs
if outputs:
    st.markdown(plain(outputs))
show_changes(changes, decimals_of(analysis))

show_report(study.report, "comparison", signature=study.signature)
show_card(study, parameters_of(question, whole=True))
where = {"dataset": dataset, "metric": metric}
show_link(Link("All pairs of this dataset", "pairs", where))
show_link(Link("The two across datasets", "across_datasets", {"a": a, "b": b, "metric": metric}))
show_power_link(**where, pair={"a": a, "b": b})
show_permalink("compare", **{**parameters_of(question, whole=True), **where})
