"""Logs of OpenAI's evals: several events of one sample, each with a part of what came out."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from store.importers.recipes.documents import Document

_SCORED: Final = ("match", "metrics")


def prepare(document: Document, path: Path, with_text: bool) -> dict[str, Any]:
    """Return ``{spec, reports, rows}``: a row for each sample, scored or not.

    An event of a kind that the sample has already begins another row.
    """
    first, *events = document.content
    rows: dict[str, list[dict[str, Any]]] = {}
    for event in events:
        sample, kind, data = (event.get(name) for name in ("sample_id", "type", "data"))
        if sample is None or not isinstance(data, Mapping):
            continue
        own = rows.setdefault(str(sample), [{"sample_id": sample, "kinds": set(), "data": {}}])
        if kind not in _SCORED:
            continue
        if kind in own[-1]["kinds"]:
            own.append({"sample_id": sample, "kinds": set(), "data": {}})
        own[-1]["kinds"].add(kind)
        own[-1]["data"] |= data
    return {
        "spec": first["spec"],
        "reports": [one["final_report"] for one in events if "final_report" in one],
        "rows": [row for own in rows.values() for row in own],
    }
