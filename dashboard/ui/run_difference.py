"""A run's settings beside another's: only what differs."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pandas as pd
import streamlit as st

from analysis import numbers
from analysis.columns import Column
from dashboard.ui import filters
from dashboard.ui.tables import show_table
from store.records import RunRecord

_FACTS = (
    *("evaluated_on", "seed", "command", "harness", "harness_version", "git_origin"),
    *("git_commit", "git_dirty", "source_url", "label"),
)


def differences(one: RunRecord, other: RunRecord) -> list[tuple[str, str, str]]:
    """Return each setting that two runs do not have in common, with both values."""
    values = [settings_of(run) for run in (one, other)]
    names = dict.fromkeys([*values[0], *values[1]])
    rows = [(name, *(each.get(name, numbers.MISSING) for each in values)) for name in names]
    return [(name, a, b) for name, a, b in rows if a != b]


def settings_of(run: RunRecord) -> dict[str, str]:
    """Return provenance, configuration and packages of a run by dotted name."""
    facts = {name: getattr(run, name) for name in _FACTS}
    told = {name: str(value) for name, value in facts.items() if value not in (None, "")}
    for prefix, content in (("config", run.config), ("packages", run.packages)):
        told |= dict(_flat(prefix, content or {}))
    return told


def _flat(prefix: str, value: Any) -> Iterator[tuple[str, str]]:
    if isinstance(value, Mapping) and value:
        for name, inner in value.items():
            yield from _flat(f"{prefix}.{name}", inner)
    elif not isinstance(value, Mapping):
        text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        yield prefix, text


def show_beside(run: RunRecord, runs: Sequence[RunRecord]) -> None:
    """Let the reader choose another run, those on the same dataset first."""
    others = {other.uid: other for other in runs if other.uid != run.uid}
    if not others:
        return
    near = sorted(others.values(), key=lambda o: (o.dataset_uid != run.dataset_uid, o.system))
    names = {o.uid: f"{o.system} on {o.dataset} {o.label}".strip() for o in near}
    st.header("Beside another run", anchor=False)
    beside = str(
        filters.choose_one(
            "Another run", list(names), key="beside", name=names.__getitem__, width=420
        )
    )
    rows = differences(run, others[beside])
    if not rows:
        st.markdown("Both were made with the same settings, as far as they are stored.")
        return
    show_table(
        pd.DataFrame(rows, columns=["setting", "this", "other"]),
        key="beside_table",
        columns={
            "setting": Column("Setting", pinned=True),
            "this": Column("This run"),
            "other": Column("The other"),
        },
        filename="settings",
        noun="difference",
    )
