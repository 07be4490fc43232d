"""HELM's tables of a group of scenarios: a row for each model, a column for each figure."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from store.importers.known_metrics import lookup
from store.importers.recipes.documents import Document


def prepare(document: Document, path: Path, with_text: bool) -> dict[str, Any]:
    """Return ``{figures}``: those of one metric on one scenario, each once.

    A column such as the mean win rate goes by the models of the table, and belongs to no scenario.
    """
    figures: dict[tuple[str, ...], dict[str, Any]] = {}
    for table in document.content:
        for row in table["rows"]:
            model = str(row[0].get("value") or "").strip()
            for header, cell in zip(table["header"][1:], row[1:], strict=False):
                about = header.get("metadata") or {}
                dataset, metric = about.get("run_group"), about.get("metric")
                value, is_lower = cell.get("value"), header.get("lower_is_better")
                if is_lower is None and lookup(str(metric)) is None:
                    continue  # counts items, or says how they were asked
                if model and dataset and metric and isinstance(value, (int, float)):
                    found = {"model": model, "dataset": dataset, "metric": metric, "value": value}
                    found["higher_is_better"] = None if is_lower is None else not is_lower
                    figures.setdefault((model, dataset, metric), found)
    return {"figures": list(figures.values())}
