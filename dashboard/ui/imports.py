"""Imports as a table whose rows open them."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from analysis.columns import Column
from dashboard.ui.links import page_urls
from dashboard.ui.tables import show_table
from store.import_lists import ImportRecord


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
            "uid": Column("Id", muted=True, least=True, help="As `tiebreak undo` takes it"),
            "state": Column("State", muted=True),
        },
        filename="imports",
        noun="import",
        links={"import": page_urls("import_object", {}, uid=[one.uid for one in imports])},
        order="-when",
        label="Imports",
        is_main=True,
    )


def named(one: ImportRecord) -> str:
    """Return the first file of an import, and how many more there are."""
    if not one.files:
        return one.uid
    first = one.files[0].rpartition("/")[2]
    return first if len(one.files) == 1 else f"{first} and {len(one.files) - 1:,} more"
