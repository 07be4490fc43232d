"""The items of a dataset as two systems answered them: texts and outputs, one after the other.

URL parameters: `dataset`, `metric`, `a`, `b`, `part` (a, b, neither, both, equal, missing), `find`
(words in the texts), `sort` (position, hardest, dividing, suspicious), `group`, `length` (short,
medium, long), `changed` (true, false), `has` (name=value of a property), `tagged` (a tag),
`against` (output, reference), `item` (its key).
"""

import numpy as np
import streamlit as st

from analysis import numbers
from analysis.studies.items import Items
from dashboard import address, data
from dashboard.components import item_grid
from dashboard.components.workbench import workbench
from dashboard.ui import filters, items_choice, settings, states
from dashboard.ui.answers import answer
from dashboard.ui.attaching import show_attaching
from dashboard.ui.items import bench_sheets, marks_of, show_selection
from dashboard.ui.links import Link, plain, show_link, show_permalink
from dashboard.ui.note_list import show_note_changes
from dashboard.ui.notes import show_warnings
from store.errors import clipped
from store.tags import OnItem

AHEAD = 8
"""Neighbours on either side whose texts are sent ahead."""

st.title("Items", anchor=False)
datasets = [d for d in data.datasets() if d.n_runs]
if not datasets:
    states.empty_store()
    st.stop()

states.stop_without({d.label for d in datasets}, "has no item scores")
with filters.filter_row("items_filters"):
    named = [name for key in ("a", "b") for name in address.values(key)]
    both = data.comparables().datasets(*named) if len(named) == 2 else []
    dataset, metric = settings.choose_cell(datasets, both)
    question = Items(dataset.uid, metric)
    study = data.ask(question)
    a = str(filters.choose_one("System A", list(study.systems), key="a", width=220))
    rest = [name for name in study.systems if name != a]
    b = filters.choose_one("System B", rest, key="b", width=220) if rest else None

names = [a, b] if b else [a]
pair = data.item_pair(question, a, b or a)
answer(plain(pair.sentence if b else study.sentence))
if b and pair.sentence_of_outputs:
    st.markdown(plain(pair.sentence_of_outputs))
show_warnings(study.warnings)

on_items = data.on_items(dataset.uid)
digits = (
    0 if study.is_binary else numbers.decimals(n=10, span=float(np.nanmax(np.abs(study.scores))))
)
chosen = items_choice.choose(study, pair, names)
order = chosen.order
filters.show_count(len(order), len(study.keys), "item")

asked = address.value("item")
if asked is not None and asked not in study.keys:
    told = clipped(str(asked), 200)
    st.warning(plain(f"The link asks for item '{told}', which {dataset.label} does not have."))
    asked = None
if asked is not None and study.keys.index(asked) not in order:
    if address.is_ours():  # what was chosen since leaves it out
        asked = None
    else:
        order = (study.keys.index(asked), *order)
if not order:
    st.subheader("No item is of this kind here.", anchor=False)
    filters.show_all_button(*items_choice.KEYS)
    st.stop()

at = order.index(study.keys.index(asked)) if asked is not None else 0
where = {"dataset": dataset.label, "metric": study.metric.label}
near = range(max(0, at - AHEAD), min(len(order), at + AHEAD + 1))
found = bench_sheets(study, [order[k] for k in near], names, digits)
workbench(
    [study.keys[i] for i in order],
    [
        " ".join(
            [*marks_of(study, i, digits, names), *(["✎"] if study.keys[i] in on_items else [])]
        )
        for i in order
    ],
    {k: found[order[k]] for k in near},
    at=at,
    key="bench",
    with_reference=chosen.against == "reference",
)

key = study.keys[order[at]]
if not data.is_read_only():
    with st.container(horizontal=True, gap="small"):
        on_item = on_items.get(key, OnItem())
        show_attaching("item", f"{dataset.uid}/{key}", on_item.tags, f"item {key}")
        show_note_changes(on_item.notes)

with st.expander("All items of this selection as a table"):
    show_selection(study, pair, order, names, digits)
with st.expander("All items against all systems"):
    st.markdown(plain(study.sentence))
    picked = item_grid(
        [study.keys[i] for i in order],
        list(study.systems),
        study.scores[list(order)],
        quantity=study.metric.label,
        decimals=digits,
        key="grid",
    )
    if picked is not None:
        address.tell({"item": study.keys[order[picked.start]]})
        st.rerun()
if len(study.systems) > 1:
    with st.expander("Do systems fail on the same items?"):
        st.markdown(
            "Correlation of the item scores of two systems. Near 1 they fail on the same items, "
            "near 0 on different ones: then an ensemble would gain."
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
if b:
    show_link(
        Link(f"{a} against {b}: is the difference real?", "compare", {"a": a, "b": b, **where})
    )
show_permalink("items", **where, **{"a": a, "b": b or "", "item": key}, **chosen.parameters)
st.expander("How this was computed").caption(plain(study.signature))
