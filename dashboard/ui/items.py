"""The items of a comparison: what changed, and what the systems answered."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

import pandas as pd
import streamlit as st

from analysis import numbers
from analysis.columns import Column
from analysis.studies.item_changes import Change, ItemChanges
from analysis.studies.items import ItemsStudy
from dashboard import data
from dashboard.charts import change_strip
from dashboard.components.workbench import Answered, Sheet
from dashboard.ui import filters
from dashboard.ui.links import page_urls
from dashboard.ui.pictures import show_picture
from dashboard.ui.tables import show_table
from store.records import ItemRecord

CHANGES: Final[dict[Change, str]] = {
    "improved": "A better",
    "regressed": "B better",
    "equal": "equal",
    "missing": "missing",
}


def show_changes(changes: ItemChanges, digits: int) -> None:
    """Show which items changed how much; a row opens its texts."""
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
    where = {"dataset": changes.dataset.label, "metric": changes.metric.label, "a": a, "b": b}
    show_table(
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
        links={"item": page_urls("items", where, item=frame["item"])},
    )


def sheets(
    dataset_uid: str,
    positions: Sequence[int],
    systems: Sequence[str],
    scores: Mapping[str, Mapping[int, str]] | None = None,
) -> dict[int, Sheet]:
    """Return position -> what is shown of an item: its texts, and what some systems answered.

    Parameters
    ----------
    dataset_uid, positions
        The items, at most 200.
    systems
        Whose outputs are shown, by name.
    scores
        System -> position -> its score, as printed.
    """
    asked = tuple(sorted(positions))
    texts = data.item_texts(dataset_uid, asked)
    outputs = data.item_outputs(dataset_uid, asked, tuple(systems))
    told: dict[int, Sheet] = {}
    for position in asked:
        text = texts.get(position)
        answers = []
        for system in systems:
            own = [o for o in outputs if o.position == position and o.system == system]
            score = scores[system][position] if scores else ""
            shown = tuple(dict.fromkeys(o.text + ("…" if o.is_cut else "") for o in own))
            answers.append(Answered(system, score, shown))
        told[position] = Sheet(
            text.input_text if text else None,
            text.reference_text if text else None,
            tuple(answers),
        )
    return told


def properties_of(item: ItemRecord) -> dict[str, str]:
    """Return an item's group and metadata as text."""
    group = {"group": item.group} if item.group else {}
    return group | {name: str(value) for name, value in (item.metadata or {}).items()}


def marks_of(study: ItemsStudy, position: int, digits: int, systems: Sequence[str]) -> list[str]:
    """Return the scores of some systems on an item: ✔ and ✘ where there is right and wrong."""
    best = 1.0 if study.metric.higher_is_better else 0.0
    told = []
    for system in systems:
        score = float(study.scores[position, study.systems.index(system)])
        if score != score:
            told.append(numbers.MISSING)
        elif study.is_binary:
            told.append("✔" if score == best else "✘")
        else:
            told.append(numbers.fixed(score, digits))
    return told
