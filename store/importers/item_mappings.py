"""Mappings of JSON by item: truth values, records with one, or numbers of several systems."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from types import NoneType
from typing import Any

from store.importers.known_metrics import is_quality, lookup, normal_metric
from store.importers.known_names import is_like_dataset, share_of_systems
from store.importers.metric_registry import words_of

_OF_ITEM = re.compile(
    r"[^/]+__[^/]+-\d{3,}|"
    r"(?P<kind>\w+/|(q|question|item|sample|example|problem|case|query)[-_ #]?)\d+",
    re.IGNORECASE,
)
"""Keys that number items: an issue of SWE-bench, ``HumanEval/0``, ``question_7``."""
_FEWEST_SOLVED = 10
_FEWEST_OUTCOMES = 3
_FEWEST_NUMBERED = 50
"""Keys from which mere numbers are those of items, not of layers or folds."""
_MOSTLY = 0.8
_FEWEST_SYSTEMS = 2
_OF_ONE = words_of("system system_name model model_name model_id method approach classifier agent")
"""Entries that name the system of a record."""
_OF_PARTS = words_of(
    "per by class classes label labels category categories report language languages"
)
"""Words in the names of entries that hold a part of a result each."""
_OF_ANYTHING = words_of(
    "score rating similarity quality correct match success passed pass valid grade relevance"
)
"""Metrics that each criterion of one answer may have."""


def flat(record: Mapping[str, Any]) -> dict[str, Any]:
    """Return a record with mappings within it as entries ``name.key``."""
    row: dict[str, Any] = {}
    for name, value in record.items():
        if isinstance(value, dict):
            row |= {f"{name}.{key}": below for key, below in value.items()}
        else:
            row[name] = value
    return row


def are_solved_or_not(content: Mapping[str, Any]) -> bool:
    """Return whether items have truth values: keys with numbers in them, unlike those of flags."""
    if len(content) < _FEWEST_SOLVED or not all(isinstance(v, bool) for v in content.values()):
        return False
    return sum(any(map(str.isdigit, key)) for key in content) >= _MOSTLY * len(content)


def are_outcomes(content: Any) -> bool:
    """Return whether items have records with a truth value of a known metric in each.

    ``{"q1": {"passed": true, "seconds": 3}, …}``: systems have shares of items instead. Where the
    keys are numbered as items are, any number of a known metric will do.
    """
    if not isinstance(content, dict) or len(content) < _FEWEST_OUTCOMES:
        return False
    kinds = (bool, int, float) if _are_numbered(content) else (bool,)
    return all(
        isinstance(record, dict)
        and any(
            isinstance(value, kinds) and (is_quality(name) if len(kinds) < 2 else lookup(name))
            for name, value in flat(record).items()
        )
        for record in content.values()
    )


def _are_numbered(keys: Collection[str]) -> bool:
    """Return whether keys number the items of one dataset."""
    found = [_OF_ITEM.fullmatch(key) for key in keys]
    if len(found) >= _FEWEST_NUMBERED and all(map(str.isdigit, keys)):
        return True
    return all(found) and len({one["kind"] for one in found if one}) == 1


def holds_outcomes(content: Any) -> bool:
    """Return whether JSON is of items with truth values, or holds one such mapping."""
    if not isinstance(content, dict):
        return False
    return are_outcomes(content) or sum(map(are_outcomes, content.values())) == 1


def numbers_by_item(content: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return a record for each number of ``{"systemA": {"q1": 1, …}, …}``, where it is that.

    Fewer systems have numbers for more items, of which most are the same. Mappings around them,
    as ``{"baseline": {"run1": {…}, …}, …}``, are part of the names of systems.
    """
    found = dict(_by_system(content, ()))
    if len(found) < 2 or not all(found.values()):
        return []
    first, *others = found.values()
    shared = set(first).intersection(*others)
    if min(map(len, found.values())) <= len(found) or 2 * len(shared) < max(
        map(len, found.values())
    ):
        return []
    values = (value for one in found.values() for value in one.values())
    are_numbers = all(isinstance(value, (int, float, NoneType)) for value in values)
    if not are_numbers or any(map(lookup, first)) or any(map(is_like_dataset, first)):
        return []
    return [
        {"system": system, "item": item, "score": score}
        for system, scores in found.items()
        for item, score in scores.items()
    ]


def _by_system(
    content: Mapping[str, Any], names: tuple[str, ...]
) -> Iterator[tuple[str, Mapping[str, Any]]]:
    for name, value in content.items():
        if not isinstance(value, dict):
            yield "/".join((*names, name)), {}  # not of this kind
        elif not names and value and all(isinstance(one, dict) for one in value.values()):
            yield from _by_system(value, (name,))
        else:
            yield "/".join((*names, name)), value


def spread_systems(records: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return a record for each item and system of ``[{"id": 1, "models": {"a": {"wer": 0.1}}}]``.

    One entry of all records holds several mappings by name, each with a known metric. Records that
    name a system or have a metric of their own are its results, and such mappings parts of these.
    """
    is_of_one = any(
        key in _OF_ONE or (isinstance(value, (int, float)) and is_quality(key))
        for one in records
        for key, value in one.items()
    )
    for name in records[0] if records and not is_of_one else ():
        if _OF_PARTS.isdisjoint(normal_metric(name).split("_")) and all(
            _are_of_systems(one.get(name)) for one in records
        ):
            return [
                {**{k: v for k, v in one.items() if k != name}, "system": system, **result}
                for one in records
                for system, result in one[name].items()
            ]
    return [dict(one) for one in records]


def _are_of_systems(value: Any) -> bool:
    """Return whether mappings are of systems, called so or with a metric that is no criterion's.

    ``{"clarity": {"score": 4}, "depth": {"score": 3}}`` are criteria of one answer.
    """
    if not isinstance(value, dict) or len(value) < _FEWEST_SYSTEMS or any(map(lookup, value)):
        return False
    are_called = share_of_systems(list(value)) == 1
    return all(
        isinstance(one, dict)
        and any(
            isinstance(n, (int, float)) and (is_specific(key) or (are_called and is_quality(key)))
            for key, n in one.items()
        )
        for one in value.values()
    )


def is_specific(key: str) -> bool:
    """Return whether a word of a name is a metric of one kind of task: ``cer_diac``."""
    words = normal_metric(key).split("_")
    return any(is_quality(word) and word not in _OF_ANYTHING for word in words)
