"""Tags and notes, put on something from its page."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import streamlit as st

from dashboard.ui.changing import change, emptied, folded_form
from dashboard.ui.links import plain
from store import tags
from store.console import current_actor
from store.tags import PIN

BASELINE: Final = "baseline"
"""The tag of a system that others are compared with."""


def show_attaching(
    kind: tags.Attachable, given: str, own_tags: Sequence[str], what: str = ""
) -> None:
    """Show what puts tags and a note on something; `what` says in the labels on what."""
    actor = current_actor()
    key = f"{kind}_{given}"
    shown = [tag for tag in own_tags if tag not in (PIN, BASELINE)]
    with folded_form(plain(f"Tag {what}".strip()), f"tags_{key}"):
        chosen = st.multiselect("Tags", shown, default=shown, accept_new_options=True)
        why = st.text_input("Why", key=f"why_tags_{key}")
        if st.form_submit_button("Save the tags"):
            change(
                lambda store: tags.set_tags(store, kind, given, shown, chosen, actor=actor),
                "Tagged.",
                why,
            )
            st.rerun()
    with folded_form(plain(f"Note on {what}") if what else "Note", emptied(f"note_{key}")):
        text = st.text_area("Note" if kind == "item" else "Note in Markdown")
        why = st.text_input("Why", key=f"why_note_{key}")
        if st.form_submit_button("Add the note"):
            change(
                lambda store: tags.add_note(store, kind, given, text, actor=actor), "Noted.", why
            )
            st.rerun()
