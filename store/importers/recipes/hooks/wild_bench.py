"""Grades of WildBench by a judge, and the board made of them.

A file of grades lies in a folder ``eval=JUDGE``. The board is a mapping of models; what it says by
category is on the adjusted scale, (score − 5) × 2.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from store.importers.recipes.documents import Document

_FIGURES: Final = ("score", "adjusted_score", "task_macro_score", "adjusted_task_macro_score")


def prepare(document: Document, path: Path, with_text: bool) -> dict[str, Any]:
    """Return ``{signature, version, rows}`` of grades, ``{cells}`` of a board."""
    if isinstance(document.content, dict):
        return {"cells": [one for row in document.content.values() for one in _figures(row)]}
    folders = path.resolve().parent.parts
    judge = next((name[5:] for name in reversed(folders) if name.startswith("eval=")), "")
    version = next((name for name in reversed(folders) if name.startswith("v2.")), None)
    return {
        "signature": f"judge:{judge}" if judge else "",
        "version": version,
        "rows": document.content,
    }


def _figures(row: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    about = {"model": row.get("model"), "n_items": row.get("total")}
    for metric in _FIGURES:
        yield {**about, "metric": metric, "dataset": "WildBench", "value": row.get(metric)}
    for category, value in (row.get("task_categorized_scores") or {}).items():
        dataset = f"WildBench {category}"
        figure = {"metric": "adjusted_score", "dataset": dataset, "value": value}
        yield {"model": row.get("model"), **figure}
