"""Records of Every Eval Ever: what a metric is called, here and in the lines of its items."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from store.importers.cells import LARGEST
from store.importers.recipes.documents import Document

_ITEMS = "_samples"


def prepare(document: Document, path: Path, with_text: bool) -> Any:
    """Return a record with a name for each metric, or lines with the name from their record."""
    if document.kind == "json":
        return _record(document.content)
    named = _names_beside(path)
    return [{**row, **_score(row, named)} for row in document.content]


def _record(record: Mapping[str, Any]) -> dict[str, Any]:
    results = [one for one in record["evaluation_results"] if isinstance(one, dict)]
    library = record.get("eval_library") or {}
    known = library.get("name") not in (None, "unknown")
    platform = (record.get("model_info") or {}).get("inference_platform")
    return {
        **record,
        "host": None if platform == "unknown" else platform,
        "harness": library.get("name") if known else None,
        "evaluation_results": [
            {
                **one,
                "metric": _metric(one),
                "version": _version(one),
                "lower": _bound(one, "min_score"),
                "upper": _bound(one, "max_score"),
            }
            for one in results
        ],
    }


def _metric(result: Mapping[str, Any]) -> str:
    """Return what is measured; older records name only what is evaluated."""
    config = result.get("metric_config") or {}
    names = (config.get("metric_name"), config.get("metric_kind"), config.get("metric_id"))
    evaluation = result.get("evaluation_name")
    return next((str(name) for name in names if name and name != evaluation), "score")


def _version(result: Mapping[str, Any]) -> str | None:
    """Return the version of the dataset, as our own export states it."""
    details = (result.get("source_data") or {}).get("additional_details")
    return details.get("dataset_version") if isinstance(details, dict) else None


def _bound(result: Mapping[str, Any], name: str) -> float | None:
    value = (result.get("metric_config") or {}).get(name)
    if not isinstance(value, (int, float)) or isinstance(value, bool):
        return None
    return float(value) if abs(value) <= LARGEST else None


def _names_beside(path: Path) -> dict[str, Mapping[str, Any]]:
    """Return what the record beside a file of items says of each evaluation."""
    beside = path.with_name(path.name.replace(_ITEMS, "").partition(".")[0] + ".json")
    try:
        record = json.loads(beside.read_text("utf-8"))
        results = record["evaluation_results"]
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return {}
    return {
        str(one[key]): one
        for key in ("evaluation_name", "evaluation_result_id")
        for one in results
        if isinstance(one, dict) and one.get(key)
    }


def _score(row: Mapping[str, Any], named: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    result = named.get(str(row.get("evaluation_result_id"))) or named.get(
        str(row.get("evaluation_name")), {}
    )
    graded = row.get("evaluation") or {}
    score = graded.get("score")
    lower = (result.get("metric_config") or {}).get("lower_is_better")
    return {
        "metric": _metric(result),
        "version": _version(result),
        "score": graded.get("is_correct") if score is None else score,
        "better": not lower if isinstance(lower, bool) else None,
        "trial": row.get("trial", row.get("epoch", 0)),
    }
