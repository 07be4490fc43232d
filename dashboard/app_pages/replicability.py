"""All pairs of systems across datasets: on how many is one better than the other, at least?

URL parameters: the settings of `AcrossDatasets` for all pairs, and `order` (wins, name).
"""

import numpy as np
import streamlit as st

from analysis.setting import parameters as parameters_of
from analysis.studies.across_datasets import AcrossDatasets
from analysis.studies.dependence import ESTIMATOR_NAMES
from analysis.studies.replicability_matrix import ReplicabilityMatrixStudy
from analysis.studies.replicability_matrix_histogram import histogram
from analysis.studies.replicability_matrix_report import decimals, pairs
from dashboard import data
from dashboard.charts import count_histogram
from dashboard.components import count_heatmap
from dashboard.ui import ask, filters, over_datasets, replicability_matrix, states
from dashboard.ui.answers import answer
from dashboard.ui.links import Link, page_url, page_urls, plain, show_link, show_permalink
from dashboard.ui.notes import show_warnings
from dashboard.ui.pictures import kept, show_picture
from dashboard.ui.progress import with_progress
from dashboard.ui.reports import show_report
from dashboard.ui.tables import show_answer

st.title("Replicability matrix", anchor=False)
if not data.datasets():
    states.empty_store()
    st.stop()
cells = over_datasets.scored("items")
if not cells and over_datasets.scored("reported"):
    states.no_item_scores(
        "two systems on several datasets", [Link("Ranking across datasets", "ranking", {})]
    )
    st.stop()
if not cells:
    over_datasets.nothing_in_common("compare")
    st.stop()

with filters.filter_row("replicability_filters"):
    choice = over_datasets.choose_cells(cells)
    order = str(filters.choose_one("Order by", replicability_matrix.ORDERS, key="order", width=120))
    question = ask.choose(
        AcrossDatasets,
        {
            "a": None,
            "b": None,
            "metric": choice.metric,
            "datasets": choice.dataset_uids,
            "systems": choice.systems,
        },
        hidden=("reported", "family", "margin", "clusters"),
    )

study = with_progress(
    "Comparing all pairs on every dataset",
    lambda progress: data.ask(question, progress),
)
assert isinstance(study, ReplicabilityMatrixStudy)  # of all pairs
answer(plain(study.sentence))
show_warnings(study.warnings)
if len(study.systems) < 2:
    st.stop()

parameters = parameters_of(question, whole=True) | choice.as_parameters()
of_pair = {k: v for k, v in parameters.items() if k not in ("systems", "pairs")}
of_pair["reported"] = "no"
positions = replicability_matrix.ordered(study, order)
at = np.ix_(positions, positions)
count_heatmap(
    [study.systems[i] for i in positions],
    study.k[at],
    study.n_shared[at],
    estimator=[
        [ESTIMATOR_NAMES.get(study.estimators[i][j], "") for j in positions] for i in positions
    ],
    difference=study.mean_difference[at],
    n_datasets=len(study.datasets),
    quantity=study.metric.label,
    decimals=decimals(study),
    leads_to=page_url("across_datasets", **of_pair),
    key="counts",
)
told = pairs(study)
show_answer(
    told,
    filename=f"replicability_{study.metric.name}",
    links={"a": page_urls("across_datasets", of_pair, a=told.values("a"), b=told.values("b"))},
    is_main=True,
)
counts = histogram(study)
with st.expander("How many pairs have which k̂"):
    show_picture(
        kept(count_histogram, counts.frame()),
        key="histogram",
        filename="histogram_of_counts",
        alt="Pairs of systems, in each direction, by the datasets on which one is shown better.",
    )
    show_answer(counts, filename=f"histogram_{study.metric.name}")
show_report(study.report, "replicability_matrix", signature=study.signature)
show_link(Link("Ranking across datasets", "ranking", choice.as_parameters()))
show_permalink("replicability", **{**parameters, "order": order})
