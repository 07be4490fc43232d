"""Battles of two models before a judge: MT-bench's pairs, and those of an arena.

They are judgments; what the table of judgments needs to be told is known of these files.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from store.importers.bundle import Guess, ImportBundle, ReadOptions
from store.importers.judgments import importer as judgments
from store.importers.mapping import load_mapping
from store.importers.recipes.documents import peek

NAME: Final = "battles"
DESCRIPTION: Final = "pairs of MT-bench and battles of an arena, as JSON or JSON lines"
_NEEDED: Final = frozenset({"question_id", "model_a", "model_b", "winner"})
_JUDGES: Final = ("judge_id", "judge")


def sniff(path: Path, options: ReadOptions) -> bool:
    """Return whether a file holds battles, judged by its first record."""
    return _first(path).keys() >= _NEEDED


def _first(path: Path) -> Mapping[str, object]:
    document = peek(path)
    if document is None or document.kind not in ("json", "lines"):
        return {}
    content = document.content
    first = content[0] if isinstance(content, list) and content else content
    return first if isinstance(first, dict) else {}


def read(paths: Sequence[Path], options: ReadOptions, shown: Mapping[Path, str]) -> ImportBundle:
    """Read battles as judgments; see `judgments.read` for what is raised.

    A judge whose two verdicts contradict each other ("inconsistent", MT-bench) says a tie.
    """
    (path,) = paths
    first = _first(path)
    by_model = "judge_id" in first
    dataset = options.dataset or load_mapping(path, shown[path]).dataset
    guesses = []
    if dataset is None:
        dataset = "MT-bench pairs" if by_model else "arena"
        guesses = [Guess("dataset", dataset, "the shape of the file")]
    annotator = next((name for name in _JUDGES if name in first), None)
    columns = {"annotator": annotator} if annotator else {}
    choices = {"inconsistent": "tie"} if by_model else {}
    kind = {"kind": "model"} if by_model else {}
    bundle = judgments.read(
        paths,
        replace(
            options,
            dataset=dataset,
            columns={**columns, **options.columns},
            choices={**choices, **kind, **options.choices},
        ),
        shown,
    )
    return replace(bundle, format=NAME, guesses=[*guesses, *bundle.guesses])
