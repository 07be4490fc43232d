"""Summaries of OpenCompass: a row for each dataset and metric, a column for each model."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, Final

from store.importers.recipes.documents import Document

_ABOUT: Final = ("dataset", "version", "metric", "mode", "total_count")
_CELL: Final = re.compile(r"(-?\d+(?:\.\d+)?)(?: \(\d+/(\d+)\))?")
"""A figure, with "(right/all)" behind it in some releases."""
_PERCENT: Final = re.compile(
    r"accuracy|naive_average|weighted_average|score|em|exact_match|f1|.*pass@\d+", re.IGNORECASE
)


def prepare(document: Document, path: Path, with_text: bool) -> dict[str, Any]:
    """Return ``{percents, others}``: figures that are shares times 100, and all others."""
    found: dict[str, list[dict[str, Any]]] = {"percents": [], "others": []}
    for row in document.content:
        version = str(row.get("version") or "").strip()
        for model, cell in row.items():
            figure = _CELL.fullmatch(str(cell).strip())
            if model in _ABOUT or figure is None:
                continue
            kind = "percents" if _PERCENT.fullmatch(str(row["metric"])) else "others"
            found[kind].append(
                {
                    "model": model,
                    "dataset": row["dataset"],
                    "version": None if version == "-" else version,
                    "metric": row["metric"],
                    "value": figure[1],
                    "n_items": figure[2],
                }
            )
    return found
