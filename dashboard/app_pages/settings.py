"""Settings: what holds in the store where nobody says otherwise, and who may write what.

URL parameters: none.
"""

import streamlit as st

from analysis import numbers
from analysis.choices import LEVELS
from analysis.store_defaults import FIELDS, set_setting, usual
from dashboard import data
from dashboard.ui.answers import answer
from dashboard.ui.editing import change
from store.console import current_actor
from store.engine import Store
from store.kept_settings import NAMES
from store.people import current_person
from store.settings import store_settings

st.title("Settings", anchor=False)
told = store_settings(data.current_store())
answer(
    f"{numbers.counted(len(told), 'setting')} of this store.",
    "They hold where nobody chooses otherwise. A copied link keeps what was seen.",
)
may_change = not data.is_frozen() and current_person().may("admin")
if not may_change:
    st.caption("Changing a setting takes the role admin.")


def choices_of(name: str, now: str) -> dict[str, str]:
    """Return what a setting can be -> its words."""
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
