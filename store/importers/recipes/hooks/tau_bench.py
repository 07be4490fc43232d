"""Trajectories of tau-bench: a list of attempts at tasks; the file's name says who made them."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path
from typing import Any, Final

from store.importers.recipes.documents import Document
from store.importers.textfile import data_stem

_NAME: Final = re.compile(r"(.+)-(\d+\.\d+)_range_.*?_user-(.+?)_\d+")
"""``tool-calling-gpt-4o-0.0_range_0-50_user-gpt-4o-llm_0517123456``."""
_WORDS: Final = {"airline": ("flight", "reservation"), "retail": ("order", "exchange", "return_")}
"""Domain -> what stands in the names of its actions."""


def prepare(document: Document, path: Path, with_text: bool) -> dict[str, Any]:
    """Return ``{system, domain, run, rows}``."""
    stem, rows = data_stem(path.name), document.content
    named = _NAME.fullmatch(stem)
    domain = next((one for one in _WORDS if one in stem.lower().split("-")), None)
    return {
        "system": named[1] if named else stem.removesuffix(f"-{domain}"),
        "run": f"temperature {named[2]}, user {named[3]}" if named else None,
        "domain": domain or _domain(rows),
        "rows": _with_own_trials(rows),
    }


def _with_own_trials(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the attempts with trials counted within each task.

    Some files count the attempts at all tasks in one row: then there are more trials than any
    task has attempts.
    """
    attempts = Counter(str(row.get("task_id")) for row in rows)
    trials = {str(row.get("trial")) for row in rows}
    if len(trials) <= max(attempts.values(), default=0):
        return rows
    seen: Counter[str] = Counter()
    numbered = []
    for row in rows:
        task = str(row.get("task_id"))
        numbered.append({**row, "trial": seen[task]})
        seen[task] += 1
    return numbered


def _domain(rows: list[dict[str, Any]]) -> str | None:
    """Return the domain that the names of the tasks' actions speak of."""
    tasks = [(row.get("info") or {}).get("task") or {} for row in rows]
    names = " ".join(str(one.get("name")) for task in tasks for one in task.get("actions") or [])
    counts = {domain: sum(names.count(w) for w in words) for domain, words in _WORDS.items()}
    best = max(counts, key=lambda domain: counts[domain])
    return best if counts[best] else None
