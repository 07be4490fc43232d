"""Logs of OpenAI's evals: several events of one sample, each with a part of what came out."""

from __future__ import annotations

from collections.abc import Mapping
from fnmatch import fnmatch
from pathlib import Path
from typing import Any, Final

from store.importers.known_metrics import lookup
from store.importers.recipes.documents import Document

_SCORED: Final = ("match", "metrics")
_BY_NAME: Final = ("correct", "*score*", "*accuracy*", "f1*", "*match*")
"""What the recipe takes by itself."""


def prepare(document: Document, path: Path, with_text: bool) -> dict[str, Any]:
    """Return ``{spec, reports, rows}``: a row for each sample, scored or not.

    An event of a kind that the sample has already begins another row. `recorded` has what an eval
    of one's own measured, where the metric is a known one or the report states it too.
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
    reports = [one["final_report"] for one in events if "final_report" in one]
    named = {name for one in reports if isinstance(one, Mapping) for name in one}
    for row in (row for own in rows.values() for row in own):
        row["recorded"] = _recorded(row["data"], named)
    return {
        "spec": first["spec"],
        "reports": reports,
        "rows": [row for own in rows.values() for row in own],
    }


def _recorded(data: Mapping[str, Any], named: set[str]) -> dict[str, Any]:
    """Return the numbers of an event that are metrics and that the recipe does not name."""
    return {
        name: value
        for name, value in data.items()
        if isinstance(value, (bool, int, float))
        and not any(fnmatch(name, pattern) for pattern in _BY_NAME)
        and (name in named or lookup(name) is not None)
    }
