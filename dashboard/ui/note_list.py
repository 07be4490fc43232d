"""Notes that people made, with what changes or removes one's own."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from dashboard import data
from dashboard.ui.changing import change, folded_form
from dashboard.ui.links import plain
from store import tags
from store.console import current_actor
from store.people import current_person
from store.records import NoteRecord


def show_notes(notes: Sequence[NoteRecord]) -> None:
    """Show notes with who wrote them and when; one's own can be edited and removed."""
    for note in notes:
        st.markdown(note.text)
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            st.caption(plain(told_of(note)), width="content")
            _show_change(note, "Edit this note")


def show_note_changes(notes: Sequence[NoteRecord]) -> None:
    """Show only what changes one's own notes, where the notes stand elsewhere."""
    for number, note in enumerate(notes, start=1):
        _show_change(note, f"Edit note {number}" if len(notes) > 1 else "Edit the note")


def told_of(note: NoteRecord) -> str:
    """Return who made a note and when."""
    return f"Note by {note.actor}, {note.created_at:%Y-%m-%d}"


def _may_change(note: NoteRecord) -> bool:
    if not note.id or data.is_read_only():
        return False
    return note.actor == current_actor() or current_person().may("admin")


def _show_change(note: NoteRecord, label: str) -> None:
    if not _may_change(note):
        return
    actor = current_actor()
    with folded_form(label, f"edit_note_{note.id}", is_small=True):
        text = st.text_area("Note in Markdown", value=note.text)
        why = st.text_input("Why", key=f"why_edit_note_{note.id}")
        with st.container(horizontal=True, gap="small"):
            is_saved = st.form_submit_button("Save")
            is_removed = st.form_submit_button("Remove the note")
        if is_removed:
            change(
                lambda store: tags.remove_note(store, note.id, actor=actor),
                "The note is removed; the audit log keeps its text.",
                why,
            )
            st.rerun()
        if is_saved:
            change(
                lambda store: tags.edit_note(store, note.id, text, actor=actor),
                "The note is changed.",
                why,
            )
            st.rerun()
