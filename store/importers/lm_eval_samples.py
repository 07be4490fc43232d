"""The samples file of lm-evaluation-harness: one line for each item and filter."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from store.importers.bundle import BundleItem, FloatArray, RowProblems
from store.importers.cells import LARGEST, CellError, parse_number
from store.importers.lm_eval_results import TIMESTAMP, MetricKey
from store.importers.tables import read_json_objects
from store.importers.textfile import read_text

_NOT_METRICS = frozenset(
    {
        "doc_id", "doc", "target", "arguments", "resps", "filtered_resps", "filter", "metrics",
        "doc_hash", "prompt_hash", "target_hash", "task", "task_name", "schema_version",
    }
)  # fmt: skip


@dataclass(slots=True)
class Samples:
    """The items of one task and their scores."""

    task: str
    shown: str
    sha256: str
    items: list[BundleItem] = field(default_factory=list)
    vectors: dict[MetricKey, FloatArray] = field(default_factory=dict)
    """Shape (n_items, 1) each; only metrics with one number for each item."""
    outputs: list[str | None] = field(default_factory=list)
    not_numbers: list[MetricKey] = field(default_factory=list)
    """Metrics of the file whose values are lists: their score arises over the whole corpus."""
    ignored: list[str] = field(default_factory=list)


def is_sample(row: Any) -> bool:
    """Return whether a parsed line looks like a sample of the harness."""
    answers = {"arguments", "resps", "filtered_resps"}
    return isinstance(row, dict) and "doc_id" in row and bool(answers & set(row))


def task_of(path: Path) -> str:
    """Return the task that a file ``samples_<task>_<timestamp>.jsonl`` is named after."""
    match = TIMESTAMP.search(path.name)
    stem = path.name[: match.start()] if match else path.name.split(".jsonl")[0]
    return stem.partition("_")[2] or stem


def read_samples(
    path: Path,
    shown: str,
    problems: RowProblems,
    *,
    with_text: bool,
    filters: Mapping[str, Sequence[str]] | None = None,
) -> Samples:
    """Read a samples file; lines without an item or with one twice are reported.

    Until 0.4.5 no line names its filter: an item stands once for each of the task's `filters`.
    """
    text, sha256 = read_text(path, shown)
    rows, lines = read_json_objects(text, shown, problems)
    samples = Samples(task_of(path), shown, sha256)
    position: dict[str, int] = {}
    of_task = (filters or {}).get(samples.task) or ["none"]
    n_seen: Counter[str] = Counter()
    first_line: dict[tuple[str, str], int] = {}
    values: dict[MetricKey, dict[int, Any]] = {}
    declared: set[str] = set()
    for row, line in zip(rows, lines, strict=True):
        key, filter_name = _identity(row)
        if key is None:
            problems.report(shown, line, "doc_id", "the line names no item.")
            continue
        if "filter" not in row:
            filter_name = of_task[min(n_seen[key], len(of_task) - 1)]
            n_seen[key] += 1
        earlier = first_line.setdefault((key, filter_name), line)
        if earlier != line:
            reason = f"line {earlier} holds the same item and filter '{filter_name}'."
            problems.report(shown, line, "doc_id", reason)
            continue
        if key not in position:
            position[key] = len(samples.items)
            samples.items.append(_item(key, row, with_text=with_text))
            samples.outputs.append(_output(row) if with_text else None)
        elif _hash(row) != samples.items[position[key]].content_hash:
            reason = "another filter of the same item states another doc_hash."
            problems.report(shown, line, "doc_hash", reason)
            continue
        declared.update(map(str, row.get("metrics") or ()))
        for name, value in row.items():
            if name not in _NOT_METRICS:
                values.setdefault(MetricKey(name, filter_name), {})[position[key]] = value
    _sort_metrics(samples, values, declared)
    return samples


def _sort_metrics(
    samples: Samples, values: Mapping[MetricKey, Mapping[int, Any]], declared: set[str]
) -> None:
    for key, found in values.items():
        vector = _vector(found, len(samples.items))
        if vector is not None:
            samples.vectors[key] = vector
        elif key.name in declared or any(isinstance(value, list) for value in found.values()):
            samples.not_numbers.append(key)
        else:
            samples.ignored.append(key.name)


def _vector(values: Mapping[int, Any], n_items: int) -> FloatArray | None:
    """Return one number for each item, or ``None`` when the values are not single numbers."""
    vector = np.full((n_items, 1), np.nan)
    for position, value in values.items():
        number = _number(value)
        if number is None:
            return None
        vector[position, 0] = number
    return (
        None if np.isnan(vector).all() and any(v is not None for v in values.values()) else vector
    )


def _number(value: Any) -> float | None:
    """Return a number, NaN for nothing, ``None`` for anything else."""
    if value is None:
        return math.nan
    if isinstance(value, str):
        try:
            return parse_number(value)[0]
        except CellError:
            return None
    if isinstance(value, (int, float)) and not abs(value) > LARGEST:  # NaN is taken
        return float(value)
    return None


def _identity(row: Mapping[str, Any]) -> tuple[str | None, str]:
    doc_id = row.get("doc_id")
    is_key = isinstance(doc_id, (int, str)) and not isinstance(doc_id, bool) and doc_id != ""
    return str(doc_id) if is_key else None, str(row.get("filter") or "none")


def _item(key: str, row: Mapping[str, Any], *, with_text: bool) -> BundleItem:
    if not with_text:
        return BundleItem(key, content_hash=_hash(row))
    doc, target = row.get("doc"), row.get("target")
    return BundleItem(
        key,
        content_hash=_hash(row),
        input_text=None if doc is None else _text(doc),
        reference_text=None if target is None else _text(target),
    )


def _hash(row: Mapping[str, Any]) -> str | None:
    value = row.get("doc_hash")
    return value if isinstance(value, str) and value else None


def _output(row: Mapping[str, Any]) -> str | None:
    answers = row.get("filtered_resps", row.get("resps"))
    while isinstance(answers, Sequence) and not isinstance(answers, str) and len(answers) == 1:
        answers = answers[0]
    return None if answers is None else _text(answers)


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
