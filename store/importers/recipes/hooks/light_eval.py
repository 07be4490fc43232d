"""Results and details of LightEval, of the layouts of 2024 and today."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from store.importers.recipes.documents import Document

_TIME = re.compile(r"_(\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d(?:\.\d+)?)")
_STDERR = "_stderr"


def prepare(document: Document, path: Path, with_text: bool) -> dict[str, Any]:
    """Return ``{system, aggregates}`` of results, ``{system, items}`` of details."""
    found = _TIME.search(path.name)
    moment = found[1] if found else ""
    if document.kind == "json":
        return {**_header(document.content, moment), "aggregates": _aggregates(document.content)}
    task = _TIME.sub("", path.name.removeprefix("details_")).removesuffix(".parquet")
    results, system = _results_of(path, moment)
    header = _header(results, moment) if results else {"system": system, "moment": moment}
    told = _task(results or {}, task)
    directions = _directions(results or {}, task)
    items = [_item(row, number, directions) for number, row in enumerate(document.content)]
    return {**header, "items": [{**told, **item} for item in items]}


def _header(results: Mapping[str, Any], moment: str) -> dict[str, Any]:
    general = results.get("config_general") or {}
    config = general.get("model_config") or {}
    return {
        "system": general.get("model_name") or config.get("model_name"),
        "revision": general.get("model_sha") or config.get("revision"),
        "precision": general.get("model_dtype") or config.get("dtype"),
        "moment": moment,
        "config": config,
        "version": general.get("lighteval_sha"),
    }


def _task(results: Mapping[str, Any], task: str) -> dict[str, Any]:
    """Return dataset, version and shots of a task such as ``community|quiz|0``.

    The version is the fingerprint of the items, where all of them were asked.
    """
    parts = task.split("|")
    shots = parts[2] if len(parts) > 2 else parts[1] if len(parts) == 2 else ""
    summary = (results.get("summary_tasks") or {}).get(task) or {}
    is_whole = (results.get("config_general") or {}).get("max_samples") is None
    digest = (summary.get("hashes") or {}).get("hash_examples") if is_whole else None
    name = parts[1] if len(parts) > 2 else parts[0]
    return {"dataset": name, "shots": shots, "digest": digest[:8] if digest else None}


def _directions(results: Mapping[str, Any], task: str) -> dict[str, Any]:
    found: dict[str, Any] = {}
    tasks = results.get("config_tasks") or {}
    config = tasks.get(task) or tasks.get(task.rpartition("|")[0]) or {}  # some leave shots out
    for metric in config.get("metrics") or config.get("metric") or []:
        if not isinstance(metric, dict):
            continue
        better = metric.get("higher_is_better")
        names = metric.get("metric_name")
        if isinstance(better, dict):
            found |= better
        elif isinstance(names, str):
            found[names] = better
    return found


def _aggregates(results: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the figures of each task; averages over several tasks are none."""
    return [
        {
            **_task(results, task),
            "metric": name,
            "value": value,
            "stderr": figures.get(name + _STDERR),
            "better": _directions(results, task).get(name),
        }
        for task, figures in results["results"].items()
        if task != "all" and "_average" not in task
        for name, value in figures.items()
        if not name.endswith(_STDERR)
    ]


def _results_of(path: Path, moment: str) -> tuple[dict[str, Any] | None, str | None]:
    """Return the results that a file of details belongs to, and the model as its folders say."""
    parts = path.parent.parts
    if "details" not in parts:
        return None, None
    at = len(parts) - 1 - parts[::-1].index("details")
    model = [part for part in parts[at + 1 :] if not _TIME.search("_" + part)]
    beside = Path(*parts[:at], "results", *model, f"results_{moment}.json")
    try:
        content = json.loads(beside.read_text("utf-8"))
    except (OSError, ValueError, RecursionError):
        content = None
    return content if isinstance(content, dict) else None, "/".join(model) or None


def _item(row: Mapping[str, Any], number: int, better: Mapping[str, Any]) -> dict[str, Any]:
    doc = row.get("doc") or {}
    answer = row.get("model_response") or {}
    metrics = row.get("metric") or row.get("metrics") or {}
    texts = answer.get("text") if isinstance(answer, dict) else None
    gold = doc.get("gold_index")
    choices = doc.get("choices") or []
    gold = gold[0] if isinstance(gold, list) and gold else gold
    return {
        "item": doc.get("id") or row.get("id") or number,
        "input": doc.get("query") or row.get("example") or row.get("full_prompt"),
        "reference": choices[gold] if isinstance(gold, int) and 0 <= gold < len(choices) else None,
        "output": texts[0] if isinstance(texts, list) and texts else row.get("predictions"),
        "scores": [
            {"metric": name, "value": value, "better": better.get(name)}
            for name, value in metrics.items()
        ],
    }
