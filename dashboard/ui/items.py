"""The items of a comparison: what changed, and what the systems answered."""

from __future__ import annotations

from typing import Final

import pandas as pd
import streamlit as st

from analysis import numbers
from analysis.studies.item_changes import Change, ItemChanges
from dashboard import data
from dashboard.charts import change_strip
from dashboard.ui import filters
from dashboard.ui.links import Link, plain, show_link
from dashboard.ui.pictures import show_picture
from dashboard.ui.tables import Column, show_table

CHANGES: Final[dict[Change, str]] = {
    "improved": "A better",
    "regressed": "B better",
    "equal": "equal",
    "missing": "missing",
}


def show_changes(changes: ItemChanges, digits: int) -> None:
    """Show which items changed how much; a row that is chosen opens its texts."""
    a, b = changes.system_a, changes.system_b
    counts = {kind: changes.count(kind) for kind in CHANGES}
    if counts["missing"] == len(changes.keys):
        st.markdown("The metric has no value per item: there is nothing to list.")
        return
    show_picture(
        change_strip(pd.DataFrame({"change": changes.gain}), a=a, b=b, quantity=f"gain of {a}"),
        key="changes_picture",
        alt=f"{a} does better on {counts['improved']:,} items, {b} on {counts['regressed']:,}, "
        f"{counts['equal']:,} are equal.",
    )
    kinds = [kind for kind, n in counts.items() if n]
    kind = filters.choose_part(
        "Items",
        kinds,
        key="change",
        name=lambda kind: f"{CHANGES[kind]}, {numbers.count(counts[kind])}",
    )
    frame = pd.DataFrame(
        {
            "position": changes.positions,
            "item": changes.keys,
            "group": changes.groups,
            "score_a": changes.score_a,
            "score_b": changes.score_b,
            "gain": changes.gain,
        }
    )[[change == kind for change in changes.changes]]
    if kind == "regressed":
        frame = frame.iloc[::-1]  # the largest loss first
    picked = show_table(
        frame,
        key="changes",
        columns={
            "item": Column("Item", pinned=True),
            "group": Column("Group", shown=bool(frame["group"].notna().any())),
            "score_a": Column(a, "number", decimals=digits),
            "score_b": Column(b, "number", decimals=digits),
            "gain": Column(f"Gain of {a}", "difference", decimals=digits),
        },
        filename=f"items_{kind}",
        noun="item",
        select="single-row",
    )
    if picked is None:
        st.caption("Choose a row to see the item's text and what the systems answered.")
        return
    show_item(changes.dataset.uid, int(picked["position"]), str(picked["item"]), [a, b])
    show_link(
        Link(
            "This item among all systems",
            "items",
            {
                "dataset": changes.dataset.label,
                "metric": changes.metric.label,
                "item": str(picked["item"]),
            },
        )
    )


def show_item(dataset_uid: str, position: int, key: str, systems: list[str]) -> None:
    """Show an item's text, its reference and the systems' outputs side by side."""
    st.subheader(f"Item {plain(key)}", anchor=False)
    text = data.item_text(dataset_uid, position)
    outputs = data.outputs(dataset_uid, position, tuple(systems))
    if text is None and not outputs:
        st.markdown(
            "No text is stored for this item. Import the file again without `--no-text` to see "
            "inputs and outputs here."
        )
        return
    if text is not None:
        for title, words in (("Input", text.input_text), ("Reference", text.reference_text)):
            if words:
                st.markdown(f"**{title}**")
                st.code(words, language=None, wrap_lines=True)
    for column, system in zip(st.columns(len(systems)), systems, strict=True):
        with column:
            st.markdown(f"**{plain(system)}**")
            own = [output for output in outputs if output.system == system]
            for output in own:
                if len(own) > 1:
                    st.caption(plain(f"run {output.run_label or output.run_uid}, {output.trial}"))
                st.code(
                    output.text + ("…" if output.is_cut else ""), language=None, wrap_lines=True
                )
            if not own:
                st.markdown("No output is stored.")
