"""Score files and boards of BFCL: a line with the accuracy, then the calls that failed.

The items of a category are numbered from 0, so that those that passed are known too. A board calls
its models otherwise than the folders of score files beside it: what fits takes the folder's name.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from store.importers.recipes.documents import Document
from store.importers.recipes.values import finite_or_none
from store.importers.textfile import data_stem

_NAME: Final = re.compile(r"(?:BFCL_(v\d+)_)?(.+)_score")
_DATE: Final = re.compile(r"(?<!\d)(20\d\d)[-_]?([01]\d)(?:[-_]?([0-3]\d))?(?!\d)")
_OF_GROUP: Final = re.compile(r"(.+) Overall Acc")
_MOST: Final = 100_000
"""Items that a header may state: a file of two lines must not fill the memory."""
_MODE: Final = re.compile(r"\(([^()]*)\)")
"""How a board says that a model was called, ``(FC)``, or what ran it."""
_MOST_FOLDERS: Final = 2_000
_GROUPS: Final = frozenset({"agentic", "format_sensitivity", "live", "multi_turn", "non_live"})
"""Folders between that of the model and its files."""


def prepare(document: Document, path: Path, with_text: bool) -> dict[str, Any]:
    """Return ``{header, category, version, system, rows}``, or ``{cells, version}`` of a board.

    The board changes with its questions: its version is the date that its file or folder names.
    """
    if document.kind == "table":
        names = _names_of_folders(document.content, path.resolve().parent)
        cells = [cell for row in document.content for cell in _cells(row, names)]
        return {"cells": cells, "version": _snapshot(path)}
    first, *failed = document.content if document.kind == "lines" else [document.content]
    named = _NAME.fullmatch(data_stem(path.name))
    category = named[2] if named else str((failed or [{}])[0].get("test_category", "all"))
    of_folder = _model_folder(path.resolve()).name
    return {
        "header": [first],
        "category": category,
        "version": named[1] if named else None,
        "system": of_folder if named else data_stem(path.name),
        "rows": _rows(category, first, failed),
    }


def _snapshot(path: Path) -> str | None:
    full = path.resolve()
    dates = (_DATE.search(name) for name in (data_stem(full.name), full.parent.name))
    return next(("-".join(filter(None, one.groups())) for one in dates if one), None)


def _rows(
    category: str, header: Mapping[str, Any], failed: Sequence[Mapping[str, Any]]
) -> list[dict[str, Any]]:
    """Return a row for each item, none where the numbers do not tell which ones passed."""
    total, n_passed = header.get("total_count"), header.get("correct_count")
    if not isinstance(total, int) or total > _MOST or category.startswith("live_"):
        return []
    wrong = {_number(category, one.get("id")): one for one in failed}
    is_known = all(number is not None and 0 <= number < total for number in wrong)
    if not is_known or len(wrong) != len(failed) or total - len(wrong) != n_passed:
        return []
    return [
        {
            "item": f"{category}_{number}",
            "correct": number not in wrong,
            "output": wrong.get(number, {}).get("model_result_raw")
            or wrong.get(number, {}).get("model_result"),
        }
        for number in range(total)
    ]


def _number(category: str, stated: Any) -> int | None:
    """Return the place of an item from 0; at first they were counted from 1."""
    if isinstance(stated, int):
        return stated - 1
    number = str(stated).removeprefix(f"{category}_")
    return int(number) if number.isdecimal() else None


def _group(row: Mapping[str, Any]) -> str:
    """Return the group of categories that a board is about; empty for the one over all."""
    named = (_OF_GROUP.fullmatch(name) for name in row)
    group = "" if "Overall Acc" in row else next((one[1] for one in named if one), "")
    return group.replace("_", "-")


def _names_of_folders(rows: Sequence[Mapping[str, Any]], beside: Path) -> dict[str, str]:
    """Return the folder of score files for each model of a board that has one beside it.

    ``GPT-4o (FC)`` is ``gpt-4o-FC``, or ``gpt-4o`` where no other row is; the organisation before
    the model (``org_model``) may lack. Of one row and one folder that are left the figures tell.
    """
    models = [str(row.get("Model", "")) for row in rows]
    folders = [one for one in beside.iterdir() if one.is_dir()][:_MOST_FOLDERS]
    folders = [one for one in folders if _is_of_model(one)]
    by_key: dict[str, str] = {}
    for one in folders:
        _, _, bare = one.name.partition("_")
        by_key |= {key: one.name for key in (_key(bare), _key(one.name)) if key}
    found: dict[str, str] = {}
    for is_loose in (False, True):
        for model in models:
            key = _key(_MODE.sub("", model))
            if not is_loose and "fc" in map(_key, _MODE.findall(model)):
                key += "fc"
            if model not in found and by_key.get(key, "") not in {"", *found.values()}:
                found[model] = by_key[key]
    rest = [row for row in rows if str(row.get("Model", "")) not in found]
    alone = [one for one in folders if one.name not in found.values()]
    if len(rest) == len(alone) == 1 and not _accuracies(alone[0]).isdisjoint(rest[0].values()):
        found[str(rest[0].get("Model", ""))] = alone[0].name
    return found


def _is_of_model(folder: Path) -> bool:
    """Return whether a folder is called after a model: score files lie in it, or in its groups."""
    first = next(folder.rglob("*_score.json*"), None)
    return first is not None and _model_folder(first) == folder


def _model_folder(path: Path) -> Path:
    return next(one for one in path.parents if one.name not in _GROUPS)


def _key(name: str) -> str:
    return "".join(filter(str.isalnum, name.lower()))


def _accuracies(folder: Path) -> set[str]:
    """Return what the score files below a folder state, as a board prints it."""
    found = set()
    for path in folder.rglob("*_score.json*"):
        try:
            with path.open(encoding="utf-8") as file:
                stated = json.loads(file.readline(_MOST)).get("accuracy")
        except (OSError, ValueError, AttributeError):
            continue
        if isinstance(stated, float) and 0 < stated < 1:
            found.add(f"{stated:.2%}")
    return found


def _cells(row: Mapping[str, Any], names: Mapping[str, str]) -> list[dict[str, Any]]:
    """Return a figure for each share in a row of the board; costs and latencies are metrics."""
    found = []
    group = _group(row)
    for name, value in row.items():
        text = str(value).strip()
        is_share = text.endswith("%")
        number = finite_or_none(text.removesuffix("%"))
        if number is None or not (is_share or re.search("cost|latency mean", name, re.IGNORECASE)):
            continue
        metric = "accuracy" if is_share else name
        dataset = re.sub(r"\s+Acc(uracy)?$", "", name).replace("_", "-") if is_share else "Overall"
        if group:
            dataset = group if dataset == f"{group} Overall" else f"{group} {dataset}"
        model = row.get("Model")
        figure = {"model": names.get(str(model), model), "dataset": dataset, "metric": metric}
        found.append({**figure, "value": number / (100 if is_share else 1), "better": is_share})
    return found
