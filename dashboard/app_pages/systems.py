"""All systems: what the store holds of each.

URL parameters: `find` (words to search for), `tag`.
"""

import pandas as pd
import streamlit as st

from analysis import numbers
from analysis.columns import Column
from dashboard import data
from dashboard.ui import filters, states
from dashboard.ui.answers import answer
from dashboard.ui.links import page_urls
from dashboard.ui.tables import show_table

st.title("Systems", anchor=False)
systems = data.systems()
if not systems:
    states.empty_store()
    st.stop()

tested = sum(system.n_runs > 0 for system in systems)
answer(
    f"{numbers.counted(len(systems), 'system')}: {tested} with runs of their own, "
    f"{len(systems) - tested} known only from reported figures."
)
tags = sorted({tag for system in systems for tag in system.tags})
with filters.filter_row("systems_filters"):
    chosen = filters.choose_some("Tag", tags, key="tag") if tags else []
    if not tags:
        filters.tell_unknown("Tag", "tag", tags)

rows = [system for system in systems if len(chosen) == len(tags) or set(chosen) & set(system.tags)]
filters.show_count(len(rows), len(systems), "system")
if not rows:
    states.no_match("system", len(systems), "tag")
    st.stop()
show_table(
    pd.DataFrame([system.to_dict() for system in rows]).assign(
        last_evaluated_on=pd.to_datetime(
            pd.Series([system.last_evaluated_on for system in rows], dtype="object"), utc=True
        ),
        aliases=[", ".join(system.aliases) for system in rows],
        tags=[", ".join(system.tags) for system in rows],
    ),
    key="systems",
    columns={
        "name": Column("System", pinned=True),
        "n_runs": Column("Runs", "count"),
        "n_datasets": Column("Datasets", "count"),
        "n_reported": Column("Reported figures", "count"),
        "last_evaluated_on": Column("Last evaluated", "day", least=True),
        "tags": Column("Tags", shown=bool(tags)),
        "aliases": Column("Also called", shown=any(system.aliases for system in rows)),
        "uid": Column("Uid", shown=False),
    },
    filename="systems",
    noun="system",
    links={"name": page_urls("system", {}, uid=[system.uid for system in rows])},
    is_main=True,
)
