"""Items of a dataset against its systems: the hardest, those that divide, errors in common.

URL parameters: `dataset`, `metric`, `sort` (hardest, dividing, suspicious, position), `group`,
`item` (its key).
"""

import numpy as np
import pandas as pd
import streamlit as st

from analysis import numbers
from analysis.studies.items import Items
from dashboard import address, data
from dashboard.components import item_grid
from dashboard.ui import filters, settings, states
from dashboard.ui.answers import answer
from dashboard.ui.items import show_item
from dashboard.ui.links import Link, plain, show_link, show_permalink
from dashboard.ui.notes import show_warnings
from dashboard.ui.tables import Column, show_table

SORTS = {
    "hardest": "hardest first",
    "dividing": "those that divide the systems",
    "suspicious": "those that good systems fail on",
    "position": "as in the dataset",
}

st.title("Items", anchor=False)
datasets = [d for d in data.datasets() if d.n_runs]
if not datasets:
    states.empty_store()
    st.stop()

with filters.filter_row("items_filters"):
    dataset, metric = settings.choose_cell(datasets)
    sort = filters.choose_one("Items", list(SORTS), key="sort", name=SORTS.__getitem__, width=260)

study = data.ask(Items(dataset.uid, metric))
answer(plain(study.sentence))
show_warnings(study.warnings)

order = {
    "hardest": study.hardest,
    "dividing": study.dividing,
    "suspicious": study.suspicious,
    "position": tuple(range(len(study.keys))),
}[str(sort)]
groups = sorted({group for group in study.groups if group})
if groups:
    wanted = filters.choose_some("Group", groups, key="group")
    if len(wanted) < len(groups):
        order = tuple(i for i in order if study.groups[i] in wanted)
if not order:
    st.subheader("No item is of this kind here.", anchor=False)
    st.stop()

span = 100.0 if np.nanmax(np.abs(study.scores)) > 1.5 else 1.0
places = 0 if study.is_binary else numbers.decimals(n=len(study.systems) * 10, span=span)
picked = item_grid(
    [study.keys[i] for i in order],
    list(study.systems),
    study.scores[list(order)],
    quantity=study.metric.label,
    decimals=places,
    key="grid",
)
frame = pd.DataFrame(
    {
        "position": order,
        "item": [study.keys[i] for i in order],
        "group": [study.groups[i] for i in order],
        "mean": study.mean[list(order)],
        "spread": study.spread[list(order)],
        "discrimination": study.discrimination[list(order)],
        "n_scored": [study.n_scored[i] for i in order],
    }
)
row = show_table(
    frame,
    key="items",
    columns={
        "item": Column("Item", pinned=True),
        "group": Column("Group", shown=bool(groups)),
        "mean": Column("Mean", "number", decimals=max(places, 2), help="Over all systems"),
        "spread": Column(
            "Spread", "number", decimals=max(places, 2), help="Standard deviation over systems"
        ),
        "discrimination": Column(
            "Discrimination",
            "number",
            decimals=2,
            help="Correlation with the systems' mean on the other items; negative: good systems "
            "fail on it, so look at its reference",
        ),
        "n_scored": Column("Systems", "count"),
    },
    filename=f"items_{dataset.name}",
    noun="item",
    select="single-row",
)
asked = address.value("item") or ""
position = None
if row is not None:
    position = int(row["position"])
elif picked is not None:
    position = order[picked.start]
elif asked in study.keys:
    position = study.keys.index(asked)
elif asked:
    st.warning(plain(f"The link asks for item '{asked}', which {dataset.label} does not have."))
if position is not None:
    best = [s for s, v in zip(study.systems, study.scores[position], strict=True) if v == v]
    show_item(dataset.uid, position, study.keys[position], best[:1] + best[-1:] * (len(best) > 1))

if len(study.systems) > 1:
    st.header("Do systems fail on the same items?", anchor=False)
    st.markdown(
        "Correlation of the item scores of two systems. Near 1 they fail on the same items, near "
        "0 on different ones: then an ensemble would gain."
    )
    item_grid(
        list(study.systems),
        list(study.systems),
        study.agreement,
        quantity="correlation",
        decimals=2,
        key="agreement",
        low=min(0.0, float(np.nanmin(study.agreement, initial=0.0))),
        high=1.0,
        caption="Shade: correlation of two systems' item scores",
    )
where = {"dataset": dataset.label, "metric": study.metric.label}
show_link(Link("All pairs of this dataset", "pairs", where))
show_permalink("items", **where, sort=str(sort))
st.caption(plain(study.signature))
