"""What a reader must know before believing an answer, and what happened."""

import re
from collections.abc import Sequence
from typing import Final

import streamlit as st

from analysis import numbers
from dashboard.ui.links import plain
from store.records import EventRecord

MOST_WARNINGS: Final = 4
"""Above the answer's picture; the others are folded."""
_SENTENCES: Final = re.compile(r"(?<=[.:;]) (?=[A-Z`])")
_COMMAND: Final = re.compile(r"`tiebreak |(?<![\w-])--[a-z]")


def show_warnings(warnings: Sequence[str]) -> None:
    """Show warnings as a plain list right under the answer."""
    told = [f"- {plain(without_commands(text))}" for text in warnings]
    if told:
        st.markdown("\n".join(told[:MOST_WARNINGS]))
    if more := told[MOST_WARNINGS:]:
        with st.expander(numbers.counted(len(more), "more remark")):
            st.markdown("\n".join(more))


def without_commands(text: str) -> str:
    """Leave out the sentences that name a command: whoever reads a page has its filters."""
    sentences = _SENTENCES.split(text)
    kept = [one for one in sentences if not _COMMAND.search(one)]
    return " ".join(kept) if kept else text


def show_history(events: Sequence[EventRecord]) -> None:
    """Show what happened, the latest first, folded away."""
    with st.expander(f"History, {numbers.counted(len(events), 'change')}"):
        for event in events:
            why = f". Why: {event.detail['why']}" if event.detail.get("why") else ""
            said = f"{event.at:%Y-%m-%d %H:%M} UTC, {event.actor}: {event.action} {event.told}{why}"
            st.markdown(f"- {plain(said)}")


def show_facts(facts: Sequence[tuple[str, str]]) -> None:
    """Show what is known as label and value; what is not known is left out."""
    known = [(label, value) for label, value in facts if value]
    if known:
        rows = "\n".join(f"| {plain(label)} | {plain(value)} |" for label, value in known)
        st.markdown(f"| What | Value |\n|---|---|\n{rows}")
