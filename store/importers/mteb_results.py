"""One results file of MTEB in either layout.

Today ``scores`` maps each split to a list of subsets, each with its ``main_score``. Before, the
splits stood at the top, the subsets in them by name, and often no main score.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from store.errors import ImportFormatError
from store.importers.bundle import RowProblems
from store.importers.cells import LARGEST
from store.importers.textfile import data_stem, read_json

MAIN_SCORE = "main_score"
_NOT_SPLITS = frozenset({"dataset_revision", "mteb_dataset_name", "mteb_version", "task_name"})
_NOT_FIGURES = frozenset({"evaluation_time", "hf_subset", "languages", "kg_co2_emissions"})
_SIMILARITIES = {
    "cos_sim": "cosine", "cosine": "cosine", "euclidean": "euclidean", "manhattan": "manhattan",
    "dot": "dot", "max": "max", "similarity": "similarity",
}  # fmt: skip
"""Names of the groups of figures in the old layout -> how the figures are called today."""
_MAIN_SCORES = ("cosine_spearman", "cosine_ap", "ndcg_at_10", "v_measure", "map", "accuracy")
"""What the main score was before files stated it: similarity, pairs, retrieval, clustering,
reranking, classification; the first that a file has."""


@dataclass(frozen=True, slots=True)
class Stated:
    """The figures of one split and subset."""

    split: str
    subset: str
    figures: Mapping[str, float | None]
    languages: tuple[str, ...] = ()
    main_from: str = ""
    """Figure that stands for a main score that is not stated."""


@dataclass(frozen=True, slots=True)
class Task:
    """The content of one results file."""

    shown: str
    sha256: str
    name: str
    revision: str
    """Of the data; empty where the file does not say."""
    mteb_version: str
    stated: tuple[Stated, ...]


def is_results(content: Any) -> bool:
    """Return whether parsed JSON looks like the results of a task in either layout."""
    if not isinstance(content, dict):
        return False
    scores = content.get("scores")
    if "task_name" in content and isinstance(scores, dict):
        return all(isinstance(subsets, (list, dict)) for subsets in scores.values())
    is_old = "mteb_version" in content or "mteb_dataset_name" in content
    return is_old and any(isinstance(value, dict) for value in content.values())


def is_model_meta(content: Any) -> bool:
    """Return whether parsed JSON looks like MTEB's description of a model."""
    return isinstance(content, dict) and {"name", "revision", "release_date"} <= content.keys()


def read_task(path: Path, shown: str, problems: RowProblems) -> Task:
    """Read one results file.

    Raises
    ------
    ImportFormatError
        Not JSON, or not of this format.
    """
    content, sha256 = read_json(path, shown)
    if not is_results(content):
        raise ImportFormatError(
            "no results of MTEB: they hold 'task_name' and 'scores', or 'mteb_version' and splits.",
            path=shown,
        )
    is_new = "task_name" in content and isinstance(content.get("scores"), dict)
    name = content.get("task_name") or content.get("mteb_dataset_name") or data_stem(path.name)
    stated = _read_new if is_new else _read_old
    return Task(
        shown,
        sha256,
        str(name),
        str(content.get("dataset_revision") or ""),
        str(content.get("mteb_version") or ""),
        tuple(stated(content, shown, problems)),
    )


def _read_new(content: Mapping[str, Any], shown: str, problems: RowProblems) -> Iterator[Stated]:
    for split, subsets in content["scores"].items():
        for one in [subsets] if isinstance(subsets, dict) else subsets:
            if not isinstance(one, dict):
                problems.report(shown, None, f"scores/{split}", "a subset is no object.")
                continue
            subset = str(one.get("hf_subset") or "default")
            languages = one.get("languages")
            yield Stated(
                split,
                subset,
                dict(_figures(one, shown, f"{split}/{subset}", problems)),
                tuple(map(str, languages)) if isinstance(languages, list) else (),
            )


def _read_old(content: Mapping[str, Any], shown: str, problems: RowProblems) -> Iterator[Stated]:
    for split, found in content.items():
        if split in _NOT_SPLITS or not isinstance(found, dict):
            continue
        named = {
            name: inside
            for name, inside in found.items()
            if isinstance(inside, dict) and name not in _SIMILARITIES
        }
        plain = {name: inside for name, inside in found.items() if name not in named}
        if plain.keys() - _NOT_FIGURES:
            named["default"] = plain
        for subset, inside in named.items():
            figures = dict(_figures(inside, shown, f"{split}/{subset}", problems))
            main = "" if figures.get(MAIN_SCORE) is not None else _main_of(figures)
            if main:
                figures[MAIN_SCORE] = figures[main]
            yield Stated(split, subset, figures, main_from=main)


def _main_of(figures: Mapping[str, float | None]) -> str:
    if {"f1", "precision", "recall"} <= figures.keys():
        return "f1"  # mining of bitexts, which states the accuracy too
    return next((name for name in _MAIN_SCORES if figures.get(name) is not None), "")


def _figures(
    given: Mapping[str, Any], shown: str, place: str, problems: RowProblems
) -> Iterator[tuple[str, float | None]]:
    """Yield the single numbers under their present names; `None` is kept, lists are left out."""
    for name, value in given.items():
        if isinstance(value, dict) and name in _SIMILARITIES:
            for inner, number in _figures(value, shown, f"{place}/{name}", problems):
                yield f"{_SIMILARITIES[name]}_{inner}", number
        elif name not in _NOT_FIGURES and not isinstance(value, (dict, list)):
            if value is None:
                yield name, None
            elif isinstance(value, (int, float)) and not isinstance(value, bool):
                yield name, float(value) if abs(value) <= LARGEST else None
            elif name == MAIN_SCORE:
                problems.report(shown, None, f"{place}/{name}", f"{value!r} is no number.")
