"""Settings: what holds in the store where nobody says otherwise, and who may write what.

URL parameters: none.
"""

import streamlit as st

from analysis import numbers
from analysis.choices import LEVELS
from analysis.store_defaults import FIELDS, set_setting, usual
from dashboard import data
from dashboard.ui.answers import answer
from dashboard.ui.changing import change
from dashboard.ui.links import plain
from store.console import current_actor
from store.engine import Store
from store.kept_settings import AS_SOURCE, FAILURES, FOREVER, NAMES, RETENTION
from store.lookup import Kind
from store.people import current_person
from store.settings import dataset_settings, store_settings
from store.tags import PIN, add_tag, list_tagged, remove_tag

KEPT_DAYS = ("30", "90", "180", "365", "730")

st.title("Settings", anchor=False)
store_now = data.current_store()
told = store_settings(store_now)
answer(
    f"{numbers.counted(len(told), 'setting')} of this store.",
    "They hold where nobody chooses otherwise. A copied link keeps what was seen.",
)
may_change = not data.is_frozen() and current_person().may("admin")
if not may_change:
    st.caption("Changing a setting takes the role admin.")


def choices_of(name: str, now: str) -> dict[str, str]:
    """Return what a setting can be -> its words."""
    if name == RETENTION:
        days = dict.fromkeys([FOREVER, *KEPT_DAYS, now])
        return {one: one if one == FOREVER else f"{one} days" for one in days}
    if name not in FIELDS:
        return {"contributor": "contributors and admins", "admin": "admins only"}
    field = FIELDS[name]
    values = [field.write(one) for one in field.choices or LEVELS]
    return {one: field.in_words(field.read(one)) for one in dict.fromkeys([*values, now])}


chosen: dict[str, str] = {}
with st.form("settings", border=False, width=420):
    for name in NAMES:
        now = told.get(name, usual(name))
        words = choices_of(name, now)
        chosen[name] = st.selectbox(
            FIELDS[name].label if name in FIELDS else name.capitalize(),
            list(words),
            index=list(words).index(now),
            format_func=words.__getitem__,
            help=f"Without a setting: {words[usual(name)]}.",
            disabled=not may_change,
        )
    is_saved = st.form_submit_button("Save", disabled=not may_change)


def save(store: Store) -> None:
    """Change what is chosen otherwise; the usual value of what is not set is no setting."""
    for name, value in chosen.items():
        if value != told.get(name, usual(name)):
            set_setting(store, name, value, actor=current_actor())


if is_saved:
    change(save, "The settings are saved.")
    st.rerun()

st.subheader("Pinned", anchor=False)
by_place = {(one.kind, one.uid): one.name for one in list_tagged(store_now, PIN)}
pins: dict[tuple[Kind, str], str] = dict(by_place)
pins |= {("system", one.uid): one.name for one in data.systems()}
pins |= {("dataset", one.uid): one.label for one in data.datasets()}
if not pins:
    st.caption("There is nothing to pin, and no dataset to set anything of, yet.")
    st.stop()
with st.form("pins", border=False, width=420):
    pinned = st.multiselect(
        "Stands first in lists and on the first page",
        list(pins),
        default=list(by_place),
        format_func=lambda one: f"{one[0]} {pins[one]}",
        disabled=data.is_read_only(),
    )
    is_pinned = st.form_submit_button("Save the pins", disabled=data.is_read_only())


def save_pins(store: Store) -> None:
    """Pin what is chosen, and unpin the rest."""
    for kind, uid in by_place.keys() - set(pinned):
        remove_tag(store, kind, uid, PIN, actor=current_actor())
    for kind, uid in set(pinned) - by_place.keys():
        add_tag(store, kind, uid, PIN, actor=current_actor())


if is_pinned:
    change(save_pins, "The pins are saved.")
    st.rerun()

st.subheader("Of a dataset", anchor=False)
labels = {one.uid: one.label for one in data.datasets()}
of_datasets = {uid: own for uid, own in dataset_settings(store_now).items() if uid in labels}
measures = {one.uid: one.label for one in data.all_metrics()}
for uid, own in of_datasets.items():
    said = [f"metric {measures[own['metric']]}"] if "metric" in own else []
    said += [f"a difference of {own['difference']} matters"] if "difference" in own else []
    said += [f"failed attempts are {own['failures']}"] if "failures" in own else []
    st.markdown(plain(f"{labels[uid]}: {', '.join(said)}."))
if not labels:
    st.stop()
chosen_uid = st.selectbox("Dataset", list(labels), format_func=labels.__getitem__, width=420)
own = of_datasets.get(chosen_uid, {})
with st.form(f"settings_{chosen_uid}", border=False, width=420):
    there = [one.uid for one in data.metrics_of(chosen_uid)]
    metric = st.selectbox(
        "Metric",
        ["", *there],
        index=(["", *there].index(own["metric"]) if own.get("metric") in there else 0),
        format_func=lambda uid: measures[uid] if uid else "the most used",
        help="Pages, commands and programs show it where nobody chooses another.",
        disabled=not may_change,
    )
    difference = st.number_input(
        "Difference that matters",
        min_value=0.0,
        value=float(own.get("difference", 0)),
        format="%g",
        help="On that metric's own scale. Margin, effect and gain begin with it. 0: none.",
        disabled=not may_change,
    )
    failures = st.selectbox(
        "Failed attempts",
        FAILURES,
        index=FAILURES.index(own.get("failures", AS_SOURCE)),
        format_func=lambda how: "as the source scores them" if how == AS_SOURCE else how,
        help="What crashed, timed out, was not judged or not scored. Wrong: the worst score there "
        "is. The scores in the store stay.",
        disabled=not may_change,
    )
    is_saved = st.form_submit_button("Save for this dataset", disabled=not may_change)


def save_dataset(store: Store) -> None:
    """Change what the dataset's form says otherwise."""
    told = {
        "metric": metric or None,
        "difference": f"{difference:g}" if difference else None,
        "failures": None if failures == AS_SOURCE else failures,
    }
    for name, value in told.items():
        if value != own.get(name):
            set_setting(store, name, value, actor=current_actor(), dataset=chosen_uid)


if is_saved:
    change(save_dataset, f"The settings of {labels[chosen_uid]} are saved.")
    st.rerun()
