"""Imports as a table whose rows open them."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from analysis.columns import Column
from dashboard import data
from dashboard.ui.attaching import show_attaching
from dashboard.ui.changing import change, folded_form
from dashboard.ui.links import page_urls
from dashboard.ui.tables import show_table
from store.console import current_actor
from store.import_lists import ImportRecord
from store.imports import undo
from store.tags import list_tags


def show_imports(imports: Sequence[ImportRecord]) -> None:
    """Show imports, the newest first; names lead to them."""
    frame = pd.DataFrame(
        {
            "import": [named(one) for one in imports],
            "when": [one.created_at for one in imports],
            "who": [one.actor for one in imports],
            "did": [str(one.summary.get("did") or "nothing new") for one in imports],
            "uid": [one.uid for one in imports],
            "state": ["undone" if one.undone_at else "" for one in imports],
        }
    )
    show_table(
        frame,
        key="imports",
        columns={
            "import": Column("Import", pinned=True),
            "when": Column("When", "moment"),
            "who": Column("Who", least=True),
            "did": Column("What came in", least=True),
            "uid": Column("Id", muted=True, least=True, help="Its name in commands and addresses"),
            "state": Column("State", muted=True),
        },
        filename="imports",
        noun="import",
        links={"import": page_urls("import_object", {}, uid=[one.uid for one in imports])},
        order="-when",
        label="Imports",
        is_main=True,
    )


def show_import_actions(one: ImportRecord) -> None:
    """Show what can be done with an import: tag it, note on it, undo it."""
    if data.is_read_only():
        return
    with st.container(horizontal=True, gap="small"):
        show_attaching("import", one.uid, list_tags(data.current_store(), "import", one.uid))
        if not one.undone_at:
            with folded_form("Undo this import", f"undo_{one.uid}"):
                st.markdown("What it added goes, what it changed is as before.")
                why = st.text_input("Why", key=f"why_undo_{one.uid}")
                if st.form_submit_button("Undo"):
                    change(
                        lambda s: undo(s, one.uid, actor=current_actor()),
                        "The import is undone.",
                        why,
                    )
                    st.rerun()


def named(one: ImportRecord) -> str:
    """Return the first file of an import, and how many more there are."""
    if not one.files:
        return one.uid
    first = one.files[0].rpartition("/")[2]
    return first if len(one.files) == 1 else f"{first} and {len(one.files) - 1:,} more"
