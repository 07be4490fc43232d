"""The cards of a dataset's metrics: each fact with who states it, and a form to state another."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from analysis.columns import Column
from dashboard import data
from dashboard.ui.changing import change, folded_form
from dashboard.ui.tables import show_table
from store.console import current_actor
from store.metric_cards import FACTS, KINDS, KNOWN_METRICS, NONE, MetricCard, set_metric


def show_metric_cards(dataset_uid: str) -> None:
    """Show what is known of each metric that a dataset has scores on, and by whom."""
    cards = data.cards_of(dataset_uid)
    if not cards:
        return
    st.header("Metrics", anchor=False)
    frame = pd.DataFrame([_row(card) for card in cards])
    columns = {name: Column(name.capitalize()) for name in ("metric", *FACTS, "stated by")}
    show_table(frame, key="cards", columns=columns, filename="metrics", noun="metric")
    if not data.is_read_only():
        _edit({card.metric.label: card for card in cards}, dataset_uid)


def _row(card: MetricCard) -> dict[str, str]:
    facts = {fact.name: fact.value for fact in card.facts}
    stated: dict[str, list[str]] = {}
    for fact in card.facts:
        if fact.by:
            at = "" if fact.by == KNOWN_METRICS else fact.at
            stated.setdefault(f"{fact.by} {at}".strip(), []).append(fact.name)
    told = "; ".join(f"{', '.join(names)}: {by}" for by, names in stated.items())
    return {"metric": card.metric.label, **facts, "stated by": told}


def _edit(cards: dict[str, MetricCard], dataset_uid: str) -> None:
    with folded_form("Change a metric", f"card_{dataset_uid}"):
        label = st.selectbox("Metric", list(cards))
        fact = st.selectbox("Fact", list(FACTS))
        value = st.text_input(
            "What it is",
            key=f"card_value_{dataset_uid}",
            help=f"A number or {NONE} for a range; higher or lower for the direction; "
            f"{', '.join(KINDS)} for the kind.",
        )
        why = st.text_input("Why", key=f"why_card_{dataset_uid}")
        if st.form_submit_button("Change") and value.strip():
            uid = cards[label].metric.uid
            change(
                lambda store: set_metric(store, uid, {fact: value}, actor=current_actor()),
                f"'{label}': {fact} is {value.strip()}.",
                why,
            )
            st.rerun()
