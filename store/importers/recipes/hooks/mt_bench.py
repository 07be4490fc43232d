"""Grades of MT-bench: one line a turn, or one a question with a column for each turn."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from store.importers.recipes.documents import Document

_JUDGED = "model_judgment"
_OF_MT_BENCH = re.compile(r"mt[-_ ]?bench", re.IGNORECASE)
_TURN = re.compile(r"score_turn_?(\d+)")


def prepare(document: Document, path: Path, with_text: bool) -> list[dict[str, Any]]:
    """Return a row for each turn; grades that saw a reference are a metric of their own."""
    folder = path.resolve().parent.name.lower()
    with_reference = ", with reference" if re.search(r"(^|_)ref(erence)?($|_)", folder) else ""
    bench = bench_of(path)
    return [
        {
            "bench": bench,
            "question": row.get("question_id"),
            "model": row.get("model_id") or row.get("model"),
            "signature": f"judge:{_judge(row)}{with_reference}",
            "category": row.get("category"),
            "turn": turn,
            "score": None if score is None or score < 0 else score,
        }
        for row in document.content
        for turn, score in _turns(row)
    ]


def bench_of(path: Path) -> str:
    """Return what was asked: FastChat's folder of a bench, around that of the judgments.

    Translations and benches after the model of MT-bench have questions of their own.
    """
    folders = path.resolve().parent.parts
    place = folders.index(_JUDGED) if _JUDGED in folders else 0
    around = folders[place - 1] if place else ""
    return "MT-bench" if not around or _OF_MT_BENCH.fullmatch(around) else around


def _judge(row: Mapping[str, Any]) -> str:
    judge = row.get("judge_id") or row.get("judge")
    return str(judge[0] if isinstance(judge, list) and judge else judge or "unknown")


def _turns(row: Mapping[str, Any]) -> Iterator[tuple[int, Any]]:
    """Yield turn and grade; a grade below 0 says that the judge gave none."""
    if "score" in row:
        yield row.get("turn") or 1, row["score"]
    for name, score in row.items():
        if match := _TURN.fullmatch(name):
            yield int(match[1]), score
