"""Changes by hand, on the page of what is changed: who does it is known, why is asked for."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from dashboard import data
from dashboard.ui.attaching import BASELINE, show_attaching
from dashboard.ui.changing import change, closing, folded_form
from dashboard.ui.links import plain
from store import lifecycle, naming, tags
from store.console import current_actor
from store.dataset_merging import merge_datasets
from store.engine import Store
from store.lookup import Kind
from store.tags import PIN


def show_editing(
    kind: Kind,
    uid: str,
    name: str,
    own_tags: Sequence[str],
    *,
    aliases: Sequence[str] = (),
    others: Sequence[str] = (),
) -> None:
    """Show what can be changed of a system, dataset or run.

    Parameters
    ----------
    kind, uid, name
        What it is.
    own_tags, aliases
        What it has.
    others
        The systems or datasets that it could be one with.
    """
    if data.is_read_only():
        return
    actor = current_actor()
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        _toggle(kind, uid, PIN, "Unpin" if PIN in own_tags else "Pin", own_tags)
        if kind == "system":
            is_base = BASELINE in own_tags
            label = "No longer the baseline" if is_base else "Mark as baseline"
            _toggle(kind, uid, BASELINE, label, own_tags)
        show_attaching(kind, uid, own_tags)
        with folded_form("Rename", f"rename_{uid}"):
            new = st.text_input("Label of the run" if kind == "run" else "Name", value=name)
            why = st.text_input("Why", key=f"why_rename_{uid}")
            if st.form_submit_button("Rename"):
                change(
                    lambda store: naming.rename(store, kind, uid, new, actor=actor),
                    f"Called '{new}' now.",
                    why,
                )
                st.rerun()
            if kind == "dataset":
                st.caption(
                    "Links with the old name lead here. A later file with it makes a new dataset."
                )
        if kind == "dataset" and others:
            with st.popover("Merge", key=closing(f"merge_{uid}_fold")):
                _merge_dataset(uid, name, others)
        if kind == "system":
            with st.popover("Other names", key=closing(f"names_{uid}_fold")):
                _aliases(uid, name, aliases, others)
        with folded_form("Delete", f"delete_{uid}"):
            st.markdown("It is hidden everywhere and lies in the trash, from where it comes back.")
            why = st.text_input("Why", key=f"why_delete_{uid}")
            if st.form_submit_button("Delete"):
                change(
                    lambda store: lifecycle.delete(store, kind, uid, actor=actor),
                    f"'{name or uid}' lies in the trash.",
                    why,
                )
                st.rerun()
    st.caption(plain(f"Changes are recorded as made by {actor}."))


def _toggle(kind: Kind, uid: str, tag: str, label: str, own: Sequence[str]) -> None:
    do = tags.remove_tag if tag in own else tags.add_tag
    with folded_form(label, f"{tag}_{uid}"):
        why = st.text_input("Why", key=f"why_{tag}_{uid}")
        if st.form_submit_button(label, key=f"{tag}_{uid}_go"):
            change(
                lambda store: do(store, kind, uid, tag, actor=current_actor()),
                f"{label}: done.",
                why,
            )
            st.rerun()


def _aliases(uid: str, name: str, aliases: Sequence[str], others: Sequence[str]) -> None:
    actor = current_actor()
    with st.form(f"alias_{uid}", border=False, clear_on_submit=True):
        st.markdown(plain("Also called: " + ", ".join(aliases)) if aliases else "No other names.")
        new = st.text_input("Another name", help="Files with this name are read as this system.")
        gone = st.selectbox("Take away", aliases, index=None) if aliases else None
        if st.form_submit_button("Save the names"):

            def save(store: Store) -> None:
                if gone:
                    naming.remove_alias(store, uid, gone, actor=actor)
                if new.strip():
                    naming.add_alias(store, uid, new, actor=actor)

            change(save, "Names saved.")
            st.rerun()
    with st.form(f"merge_{uid}", border=False):
        into = st.selectbox(
            "The same system as",
            [other for other in others if other != name],
            index=None,
            help="Its runs, figures and claims go there. This can be taken back in the trash.",
        )
        why = st.text_input("Why", key=f"why_merge_{uid}")
        if st.form_submit_button("Merge") and into is not None:
            change(
                lambda store: naming.merge_systems(store, uid, into, actor=actor),
                f"'{name}' is '{into}' now.",
                why,
            )
            st.rerun()


def _merge_dataset(uid: str, name: str, others: Sequence[str]) -> None:
    with st.form(f"merge_{uid}", border=False):
        into = st.selectbox(
            "The same test set as",
            others,
            index=None,
            help="All that is about it goes there. This can be taken back in the trash.",
        )
        why = st.text_input("Why", key=f"why_merge_{uid}")
        if st.form_submit_button("Merge") and into is not None:
            change(
                lambda store: merge_datasets(store, uid, into, actor=current_actor()),
                f"'{name}' is '{into}' now.",
                why,
            )
            st.rerun()
