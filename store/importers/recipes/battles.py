"""Battles of two models before a judge: MT-bench's pairs, and those of an arena.

A verdict is one column, or one for each outcome with a 1 in it. They are judgments; what the table
of judgments needs to be told is known of these files.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from store.importers.bundle import Guess, ImportBundle, ReadOptions
from store.importers.columns import ROLE_NAMES, normal_name
from store.importers.judgments import importer as judgments
from store.importers.judgments.sheet import OUTCOMES
from store.importers.mapping import load_mapping
from store.importers.recipes.documents import peek
from store.importers.recipes.hooks.mt_bench import bench_of

NAME: Final = "battles"
DESCRIPTION: Final = "pairs of MT-bench and battles of an arena"
_SIDES: Final = frozenset({"model_a", "model_b"})
_ITEMS: Final = ("question_id", "id", "conversation_id", "prompt_id", "battle_id", "pair_id")
_JUDGES: Final = ("judge_id", "judge")
_PEOPLE: Final = "people"


def sniff(path: Path, options: ReadOptions) -> bool:
    """Return whether a file holds battles, judged by its columns or its first record."""
    names = _names(path)
    has_verdict = "winner" in names or names >= OUTCOMES.keys()
    return names >= _SIDES and has_verdict and any(name in names for name in _ITEMS)


def _names(path: Path) -> frozenset[str]:
    document = peek(path)
    if document is None or document.kind not in ("json", "lines", "table"):
        return frozenset()
    content = document.content
    first = content[0] if isinstance(content, list) and content else content
    return frozenset(first if isinstance(first, dict) else document.columns)


def read(paths: Sequence[Path], options: ReadOptions, shown: Mapping[Path, str]) -> ImportBundle:
    """Read battles as judgments; see `judgments.read` for what is raised.

    A judge of MT-bench whose two verdicts contradict each other ("inconsistent") says a tie.
    """
    (path,) = paths
    names = _names(path)
    by_model = "judge_id" in names
    dataset = options.dataset or load_mapping(path, shown[path]).dataset
    guesses = []
    if dataset is None:
        dataset = f"{bench_of(path)} pairs" if by_model else "arena"
        guesses = [Guess("dataset", dataset, "the shape of the file")]
    annotator = next((name for name in _JUDGES if name in names), None)
    item = next(name for name in _ITEMS if name in names)
    columns: dict[str, str] = {}
    if item != "question_id" or "turn" not in names:  # the reader knows a question's turns
        columns["item"] = item
    kind = {"kind": "model"} if by_model else {}
    if annotator is not None:
        columns = {**columns, "annotator": annotator}
    elif "annotator" not in {*options.columns, *options.choices} and not any(
        normal_name(name) in ROLE_NAMES["annotator"] for name in names
    ):
        kind["annotator"] = _PEOPLE
        guesses.append(Guess("annotator", _PEOPLE, "no column that says who judged"))
    bundle = judgments.read(
        paths,
        replace(
            options,
            dataset=dataset,
            columns={**columns, **options.columns},
            choices={**kind, **options.choices},
        ),
        shown,
    )
    return replace(bundle, format=NAME, guesses=[*guesses, *bundle.guesses])
