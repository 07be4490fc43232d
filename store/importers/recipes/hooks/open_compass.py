"""Results of OpenCompass: figures of a dataset, with its items where they are kept."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from store.importers.recipes.documents import Document

_CORRECT: Final = ("correct", "is_correct", "cascade_correct", "exact_match")
_CLASSES: Final = re.compile(r"opencompass\.models\.(?:[a-z0-9_]+\.)*[A-Z][A-Za-z0-9]*_")


def prepare(document: Document, path: Path, with_text: bool) -> dict[str, Any]:
    """Return ``{system, figures, items}``; of predictions by perplexity the choice is judged."""
    content = document.content
    system = _CLASSES.sub("", path.resolve().parent.name)
    if "details" not in content and all(map(_is_choice, content.values())):
        rows = [
            {
                "item": key,
                "accuracy": 100.0 * (row["prediction"] == row["gold"]),
                "output": row["prediction"],
                "reference": row["gold"],
            }
            for key, row in content.items()
        ]
        return {"system": system, "items": rows}
    figures = {
        name: value
        for name, value in content.items()
        if isinstance(value, (int, float)) and not isinstance(value, bool)
    }
    return {"system": system, "figures": figures, "items": list(_items(content.get("details")))}


def _is_choice(row: Any) -> bool:
    """Return whether a prediction is a choice among labels by perplexity, with the right one."""
    return (
        isinstance(row, dict)
        and any(str(key).startswith("label: ") for key in row)
        and isinstance(row.get("gold"), (str, int))
        and "prediction" in row
    )


def _items(details: Any) -> Iterator[dict[str, Any]]:
    if isinstance(details, dict):
        details = [{"item": key, **row} for key, row in details.items() if isinstance(row, dict)]
    for number, row in enumerate(details if isinstance(details, list) else []):
        if not isinstance(row, dict):
            continue
        verdict = next((row[name] for name in _CORRECT if row.get(name) is not None), None)
        replicas = verdict if isinstance(verdict, list) else [verdict]
        for trial, right in enumerate(replicas):
            yield {
                "item": row.get("example_abbr") or row.get("item") or number,
                "trial": trial,
                "accuracy": 100.0 * right if isinstance(right, (bool, int, float)) else None,
                "input": _text(row, "origin_prompt", "prompt"),
                "output": _text(row, "pred", "prediction", "predictions"),
                "reference": _text(row, "answer", "gold", "references", "reference"),
            }


def _text(row: Mapping[str, Any], *names: str) -> Any:
    return next((row[name] for name in names if row.get(name) is not None), None)
