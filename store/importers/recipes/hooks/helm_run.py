"""A run folder of HELM: item scores joined with texts; which stated means the items give."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from store.errors import ImportFormatError, NoResultsError
from store.importers.recipes.documents import Document


def prepare(document: Document, path: Path, with_text: bool) -> dict[str, Any]:
    """Return the parts, with a name of the dataset, items with texts, and aggregates to compare."""
    parts = document.content
    spec, rows = parts["spec"], parts["instances"] or []
    if not rows and not parts["stats"]:
        raise NoResultsError("the run has neither scores nor aggregates.", path=document.shown)
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise ImportFormatError(
            "per_instance_stats.json must be a list of objects.", path=document.shown
        )
    texts = _texts(parts["state"]) if parts["state"] else {}
    items = [{**row, **texts.get(_key(row), {}), "split": _split(row)} for row in rows]
    splits = {item["split"] for item in items}
    stated = [
        one
        for one in parts["stats"] or []
        if not one["name"].get("perturbation") and len(splits) < 2 and one.get("count")
    ]
    return {
        "spec": spec,
        "dataset": _dataset(spec, parts["scenario"] or {}),
        "host": (spec["adapter_spec"].get("model_deployment") or "").partition("/")[0],
        "items": items,
        "aggregates": stated,
    }


def _dataset(spec: Mapping[str, Any], scenario: Mapping[str, Any]) -> str:
    """Return the scenario with its own arguments; how it is asked is no part of it."""
    name = scenario.get("name") or next(iter(spec.get("groups") or []), None)
    name = name or spec["name"].partition(":")[0]
    arguments = (spec.get("scenario_spec") or {}).get("args") or {}
    told = ",".join(
        f"{key}={value}"
        for key, value in arguments.items()
        if isinstance(value, (str, int, float)) and "/" not in str(value)
    )
    return f"{name}:{told}" if told else str(name)


def _key(row: Mapping[str, Any]) -> tuple[Any, Any, bool]:
    return row.get("instance_id"), row.get("train_trial_index", 0), bool(row.get("perturbation"))


def _split(row: Mapping[str, Any]) -> str | None:
    return next((one["name"].get("split") for one in row.get("stats") or []), None)


def _texts(state: Mapping[str, Any]) -> dict[tuple[Any, Any, bool], dict[str, Any]]:
    found = {}
    for request in state.get("request_states") or []:
        instance = request.get("instance") or {}
        key = (
            instance.get("id"),
            request.get("train_trial_index", 0),
            bool(instance.get("perturbation")),
        )
        right = [
            (one.get("output") or {}).get("text")
            for one in instance.get("references") or []
            if "correct" in (one.get("tags") or [])
        ]
        answers = (request.get("result") or {}).get("completions") or [{}]
        found[key] = {
            "input": (instance.get("input") or {}).get("text"),
            "reference": "\n".join(text for text in right if text),
            "output": answers[0].get("text"),
        }
    return found
