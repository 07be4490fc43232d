"""What is changed of a dataset alone: closed for good, and how it overlaps with others."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import streamlit as st

from dashboard import data
from dashboard.ui.changing import change, folded_form
from store.console import current_actor
from store.dataset_relations import declare_overlap
from store.importers.kinds import OverlapKind
from store.lifecycle import seal_dataset
from store.records import DatasetRecord

_KINDS: Final[dict[OverlapKind, str]] = {
    "shared-items": "share items",
    "contains": "one contains the other",
    "transform": "one is made from the other",
    "independent": "are independent",
}
"""What can be declared of two datasets, and how a page says it."""


def show_dataset_editing(dataset: DatasetRecord, others: Sequence[str]) -> None:
    """Show what seals a dataset and declares its overlaps; `others` are the labels of the rest."""
    if data.is_read_only():
        return
    with st.container(horizontal=True, gap="small"):
        if not dataset.sealed:
            _seal(dataset)
        if others:
            _overlap(dataset, others)


def _seal(dataset: DatasetRecord) -> None:
    with folded_form("Seal", f"seal_{dataset.uid}"):
        st.markdown("No item can be added any more. This is not taken back.")
        why = st.text_input("Why", key=f"why_seal_{dataset.uid}")
        if st.form_submit_button("Seal"):
            change(
                lambda store: seal_dataset(store, dataset.uid, actor=current_actor()),
                f"'{dataset.label}' is sealed.",
                why,
            )
            st.rerun()


def _overlap(dataset: DatasetRecord, others: Sequence[str]) -> None:
    with folded_form("Overlap", f"overlap_{dataset.uid}"):
        other = st.selectbox("This dataset and", others, index=None)
        kind = st.selectbox(
            "What holds",
            list(_KINDS),
            format_func=lambda one: _KINDS[one],
            help="Datasets that are not independent count as one in tests over datasets. "
            "What is declared takes the place of what was.",
        )
        note = st.text_input("In your words", key=f"note_overlap_{dataset.uid}")
        if st.form_submit_button("Declare") and other is not None:
            change(
                lambda store: declare_overlap(
                    store, dataset.uid, other, kind, note=note, actor=current_actor()
                ),
                f"Declared: '{dataset.label}' and '{other}' {_KINDS[kind]}.",
                note,
            )
            st.rerun()
