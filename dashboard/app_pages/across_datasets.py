"""Two systems across datasets: on how many is one better, on which, and how sure is that?

URL parameters: `a`, `b` (systems), `basis` (reported, items), `metric`, `alpha`, `direction`,
`dependence`.
"""

import streamlit as st

from analysis import numbers
from analysis.studies.replicability import ESTIMATOR_NAMES
from dashboard import data
from dashboard.charts import difference_dots, partial_conjunction_curve
from dashboard.ui import filters, states
from dashboard.ui.across import count_table, evidence_frame, evidence_table
from dashboard.ui.answers import answer
from dashboard.ui.links import plain, show_permalink
from dashboard.ui.notes import show_notes, show_warnings
from dashboard.ui.pictures import show_picture

BASIS_NAMES = {"items": "tested here", "reported": "as reported"}

st.title("Across datasets", anchor=False)
comparables = data.comparables()
names = comparables.systems()
if not names:
    states.empty_store()
    st.stop()

first = (comparables.reported_pairs or ((names[0], comparables.partners(names[0])[0]),))[0]
with filters.filter_row("across_filters"):
    a = str(filters.choose_one("System A", names, key="a", default=first[0], width=230))
    partners = comparables.partners(a)
    b = str(filters.choose_one("System B", partners, key="b", default=first[1], width=230))
    bases = comparables.bases(a, b)
    basis = filters.choose_one(
        "p-values", bases, key="basis", name=BASIS_NAMES.__getitem__, width=150
    )
    metrics = comparables.metrics(a, b, basis or "items")
    metric = filters.choose_one("Metric", metrics, key="metric", width=200)
    alpha = filters.choose_one("α", [0.05, 0.01, 0.1, 0.001], key="alpha", width=90)
    dependence = filters.choose_one(
        "Datasets are",
        ["as overlaps say", "dependent", "independent"],
        key="dependence",
        width=170,
        help="By default the overlaps that the store knows decide",
    )

study = data.replicability(
    a,
    b,
    metric=metric,
    reported=basis == "reported",
    alpha=alpha,
    dependent={"dependent": True, "independent": False}.get(str(dependence)),
)
answer(plain(study.sentence), plain(study.recommended.because))
show_warnings(study.warnings)

directions = {
    f"{a} better": study.a_over_b,
    f"{b} better": study.b_over_a,
    "without direction": study.undirected,
}
st.header("How many", anchor=False)
count_table(study, directions)
st.caption(
    f"Of {numbers.counted(study.undirected.n_datasets, 'dataset')}. Each number is a lower bound "
    f"with confidence {1 - study.alpha:g}, except the plain count of p ≤ {study.alpha:g}, which "
    "promises nothing. Without direction a dataset counts whoever is better, as in Dror et al. "
    "2017; with direction only evidence for the named system counts."
)

st.header("Where", anchor=False)
frame = evidence_frame(study)
show_picture(
    difference_dots(
        frame.assign(difference=study.metric.sign * frame["difference"]),
        a=a,
        b=b,
        quantity=f"difference in {study.metric.label}",
    ),
    key="differences",
    alt=f"Difference between {a} and {b} on each of {len(frame)} datasets. {study.sentence}",
)
evidence_table(study, frame)

st.header("Partial conjunction", anchor=False)
direction = st.segmented_control(
    "Direction",
    list(directions),
    default=next(iter(directions)),
    required=True,
    key="direction",
    bind="query-params",
    label_visibility="collapsed",
)
result = directions[str(direction)]
if result.n_datasets:
    titles = {"bonferroni": "Bonferroni", "fisher": "Fisher", "simes": "Simes"}
    titles["stouffer"] = "Stouffer"
    show_picture(
        partial_conjunction_curve(
            {titles[name]: list(curve) for name, curve in result.partial_conjunction.items()},
            k_hat={titles[name]: getattr(result, f"k_{name}") for name in titles},
            recommended=ESTIMATOR_NAMES[study.recommended.estimator],
            alpha=study.alpha,
        ),
        key="curve",
        alt=f"p-value of 'fewer than u datasets' against u, {direction}.",
    )
    st.caption(
        "How to read it: at u, the curve is the p-value of 'fewer than u of the datasets show a "
        "difference'. The count is the last u at which it is not above α."
    )
show_notes(study.notes)
sources = sorted({e.source for e in study.datasets if e.source})
if sources:
    st.caption(plain("Source: " + "; ".join(sources)))
show_permalink(
    "across_datasets",
    a=a,
    b=b,
    basis=BASIS_NAMES[basis or "items"],
    metric=study.metric.label,
    alpha=f"{study.alpha:g}",
    dependence=str(dependence),
)
st.caption(plain(study.signature))
