"""Results of UniEval: the items are numbered, as nothing but their texts names them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from store.importers.recipes.documents import Document


def prepare(document: Document, path: Path, with_text: bool) -> list[dict[str, Any]]:
    """Return the records with the number of their source and context, or their own id."""
    numbers: dict[tuple[Any, ...], str] = {}
    found = []
    for record in document.content:
        content = (record.get("doc_id"), record.get("source"), record.get("context"))
        own = record.get("doc_id")
        key = numbers.setdefault(content, str(own or len(numbers) + 1))
        found.append({**record, "item": key})
    return found
