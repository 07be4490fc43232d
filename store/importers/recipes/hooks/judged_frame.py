"""Tables and test runs of DeepEval and Ragas: one row an item, one column or entry a metric."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from store.importers.cells import is_missing, looks_numeric
from store.importers.known_metrics import lookup, normal_metric
from store.importers.no_metrics import no_metric, no_metric_by_name
from store.importers.recipes.documents import Document
from store.importers.recipes.paths import as_words
from store.importers.summary_rows import end_of_items

_SCORE: Final = "_score"
_LONGEST: Final = 80
"""Characters of an item's name."""
_LOWER: Final = ("bias", "toxicity", "hallucination")
_INPUT: Final = ("user_input", "question", "input")
_OUTPUT: Final = ("response", "answer", "actual_output", "output")
_REFERENCE: Final = ("reference", "ground_truth", "expected_output")


def prepare(document: Document, path: Path, with_text: bool) -> list[dict[str, Any]]:
    """Return a row for each item with its scores as a list."""
    content = document.content
    if isinstance(content, dict):
        rows = _of_run(content)
    else:
        columns = document.columns or list(dict.fromkeys(name for row in content for name in row))
        named = {name: metric for name in columns if (metric := _metric(name))}
        named |= {
            name: name for name in columns if name not in named and _holds_scores(name, content)
        }
        rows = [_row(row, named, number) for number, row in enumerate(content, start=1)]
        columns_of_scores = [[row.get(name) for row in content] for name in named]
        rows = rows[: end_of_items([row["item"] for row in rows], columns_of_scores)]
    times: dict[str, int] = {}
    for row in rows:
        key = str(row["item"])
        times[key] = times.get(key, 0) + 1
        row["item"] = key if times[key] == 1 else f"{key} ({times[key]})"
    return rows


def _of_run(content: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the rows of a test run, as any release of DeepEval writes it."""
    run = content.get("testRunData", content)
    kinds = ("testCases", "conversationalTestCases", "test_results")
    cases = [case for kind in kinds for case in run.get(kind) or []]
    model = (run.get("hyperparameters") or {}).get("model")
    rows = [_case(case, number) for number, case in enumerate(cases, start=1)]
    return [{"system": model, **row} for row in rows]


def _key(text: str | None, number: int) -> str:
    """Return what an item is called: its text, which is the same in other files too."""
    if text is None:
        return f"row {number}"
    if len(text) <= _LONGEST:
        return text
    return f"{text[: _LONGEST - 11]}… {hashlib.sha256(text.encode()).hexdigest()[:8]}"


def _metric(column: str) -> str | None:
    """Return the metric that a column holds: ``X_score`` of DeepEval, or one of Ragas's names."""
    if column.endswith(_SCORE):
        return column.removesuffix(_SCORE)
    known = lookup(column)
    texts = (*_INPUT, *_OUTPUT, *_REFERENCE)
    return column if known is not None and normal_metric(column) not in texts else None


def _holds_scores(column: str, rows: Sequence[Mapping[str, Any]]) -> bool:
    """Return whether a column of another name holds numbers that may be scores."""
    if no_metric_by_name(column) is not None or lookup(column) is not None:
        return False
    cells = [row[column] for row in rows if not is_missing(row.get(column))]
    return bool(cells) and looks_numeric(cells) and no_metric(column, cells) is None


def _better(metric: str) -> bool:
    """Return whether higher is better: what DeepEval and Ragas call a metric says it."""
    return not any(word in metric.lower() for word in _LOWER)


def _row(row: Mapping[str, Any], named: Mapping[str, str], number: int) -> dict[str, Any]:
    def first(names: tuple[str, ...]) -> Any:
        return next((as_words(row[name]) for name in names if row.get(name)), None)

    return {
        "item": _key(first(_INPUT), number),
        "input": first(_INPUT),
        "output": first(_OUTPUT),
        "reference": first(_REFERENCE),
        "category": row.get("category"),
        "scores": [
            {
                "metric": metric,
                "value": row[name],
                "better": None if metric == name and lookup(name) is None else _better(metric),
            }
            for name, metric in named.items()
        ],
    }


def _case(case: Mapping[str, Any], number: int) -> dict[str, Any]:
    def stated(one: Mapping[str, Any], name: str) -> Any:
        first, *rest = name.split("_")
        return one.get(name, one.get(first + "".join(word.title() for word in rest)))

    metrics = [one for one in stated(case, "metrics_data") or [] if isinstance(one, dict)]
    text = as_words(case.get("input"))
    return {
        "item": _key(text or as_words(case.get("name")), number),
        "input": text,
        "output": as_words(stated(case, "actual_output")),
        "reference": as_words(stated(case, "expected_output")),
        "cost": stated(case, "evaluation_cost"),
        "scores": [
            {
                "metric": str(one.get("name")).removesuffix(" [GEval]"),
                "value": None if one.get("error") else one.get("score"),
                "better": _better(str(one.get("name"))),
                "judge": stated(one, "evaluation_model"),
            }
            for one in metrics
        ],
    }
