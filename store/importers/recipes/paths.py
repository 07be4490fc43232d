"""Where a recipe finds a value: ``provider.label | provider.id``, ``{model}@{step}``, ``@file``.

========================  =======================================================================
``a.b.0``                 below the record: by name, or by place in a list
``$.a``                   from the top of the file
``^.a``, ``^^.a``         from the list or mapping that the record stands in, or one further out
``.``                     the record itself
``a."b.c"``               a name with a dot, a bar or a brace
``a.*.b``                 every element of a list or mapping (in `records`, `from` and `has`)
``@key``, ``@key(1)``     the name or number that the last ``*`` stands for, or the one before it
``@file``, ``@folder``    name of the file without extension, of its folder, ``@folder(1)``: above
``@place``                the nearest folder whose name says more than "results" or "output"
``x | y``                 the first that says something
``{x} in {y}``            a text with values in it; nothing where one of them says nothing
``=text``                 that text
========================  =======================================================================
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from store.importers.textfile import data_stem

_STEP = re.compile(r'"([^"]*)"|([^.]+)')
_SPECIAL = re.compile(r"@(file|folder|place|key|number)(?:\((\d+)\))?")
_PLAIN_FOLDERS = frozenset(
    [
        "result",
        "results",
        "output",
        "outputs",
        "out",
        "log",
        "logs",
        "data",
        "eval",
        "evals",
        "evaluation",
        "evaluations",
        "run",
        "runs",
        "judgment",
        "judgments",
        "details",
        "predictions",
    ]
)
_BRACES = re.compile(r"\{([^{}]+)\}")


@dataclass(frozen=True, slots=True)
class Place:
    """A record and where it stands."""

    path: Path
    """Of the file."""
    stack: tuple[Any, ...]
    """The top of the file, …, the record."""
    keys: tuple[str, ...] = ()
    """What each ``*`` on the way stands for."""

    @property
    def record(self) -> Any:
        """The record itself."""
        return self.stack[-1]

    def down(self, path: str) -> Iterator[Place]:
        """Yield the places that a path with ``*`` leads to."""
        start, steps = _start(self, path)
        yield from _walk(start, steps)


Getter = Callable[[Place], Any]


@lru_cache(maxsize=2048)
def _steps(path: str) -> tuple[str, ...]:
    return tuple(quoted or plain for quoted, plain in _STEP.findall(path))


def _start(place: Place, path: str) -> tuple[Place, tuple[str, ...]]:
    steps = _steps(path)
    if steps and steps[0] == "$":
        return Place(place.path, place.stack[:1], place.keys), steps[1:]
    if steps and set(steps[0]) == {"^"}:
        outer = place.stack[: max(1, len(place.stack) - len(steps[0]))]
        return Place(place.path, outer, place.keys), steps[1:]
    return place, steps


def _walk(place: Place, steps: Sequence[str]) -> Iterator[Place]:
    value = place.record
    for n, step in enumerate(steps):
        if step == "*":
            found: Any = ()
            if isinstance(value, dict):
                found = value.items()
            elif isinstance(value, list):
                found = enumerate(value)
            for key, element in found:
                below = Place(place.path, (*place.stack, element), (*place.keys, str(key)))
                yield from _walk(below, steps[n + 1 :])
            return
        value = _below(value, step)
        if value is None:
            return
    if value is place.record:
        yield place
    else:
        yield Place(place.path, (*place.stack, value), place.keys)


def leads_somewhere(top: Any, path: str) -> bool:
    """Return whether a path leads to something from the top of a file."""
    steps = _steps(path)
    if steps and (steps[0] == "$" or set(steps[0]) == {"^"}):
        steps = steps[1:]
    return _leads(top, steps)


def _leads(value: Any, steps: Sequence[str]) -> bool:
    for n, step in enumerate(steps):
        if step == "*":
            elements: Any = value.values() if isinstance(value, dict) else value
            return isinstance(value, (dict, list)) and any(
                _leads(element, steps[n + 1 :]) for element in elements
            )
        value = _below(value, step)
        if value is None:
            return False
    return True


def _below(value: Any, step: str) -> Any:
    if isinstance(value, dict):
        return value.get(step)
    if isinstance(value, list) and step.isdigit() and int(step) < len(value):
        return value[int(step)]
    return None


def is_plain(folder: str) -> bool:
    """Return whether a folder is called "results", "output" and the like, which names nothing."""
    return folder.startswith(".") or folder.lower() in _PLAIN_FOLDERS


def says_something(value: Any) -> bool:
    """Return whether a value is none of null, an empty text, list or mapping."""
    return value is not None and not (isinstance(value, (str, list, dict)) and not value)


@lru_cache(maxsize=2048)
def getter(expression: str) -> Getter:
    """Return the function that finds an expression's value at a place; ``None``: nothing."""
    choices = [_single(one.strip()) for one in _alternatives(expression)]
    if len(choices) == 1:
        return choices[0]

    def first(place: Place) -> Any:
        return next((v for one in choices if says_something(v := one(place))), None)

    return first


def _alternatives(expression: str) -> list[str]:
    """Split at bars that stand outside quotation marks."""
    return re.split(r'\s\|\s(?=(?:[^"]*"[^"]*")*[^"]*$)', expression)


def _single(expression: str) -> Getter:
    if expression.startswith("="):
        return lambda place: expression[1:]
    if special := _SPECIAL.fullmatch(expression):
        return _of_place(special[1], int(special[2] or 0))
    if _BRACES.search(expression):
        return _template(expression)

    steps = _steps(expression)
    first = steps[0] if steps else ""
    if first == "$" or set(first) == {"^"}:
        steps = steps[1:]

    def find(place: Place) -> Any:
        if first == "$":
            value = place.stack[0]
        elif first.startswith("^"):
            value = place.stack[max(0, len(place.stack) - len(first) - 1)]
        else:
            value = place.stack[-1]
        for step in steps:
            value = _below(value, step)
            if value is None:
                return None
        return value

    return find


def _of_place(what: str, n: int) -> Getter:
    def find(place: Place) -> Any:
        if what == "key":
            return place.keys[-1 - n] if n < len(place.keys) else None
        if what == "number":
            return str(int(place.keys[-1]) + 1) if place.keys and place.keys[-1].isdigit() else None
        if what == "file":
            return data_stem(place.path.name)
        folders = place.path.resolve().parent.parts
        if what == "place":
            own = [name for name in folders[1:] if not is_plain(name)]
            return own[-1 - n] if n < len(own) else None
        return folders[-1 - n] if n < len(folders) - 1 else None

    return find


def _template(expression: str) -> Getter:
    parts = _BRACES.split(expression)
    values = [getter(part) for part in parts[1::2]]

    def fill(place: Place) -> Any:
        found = [value(place) for value in values]
        if not all(map(says_something, found)):
            return None
        texts = [as_words(value) or "" for value in found]
        return "".join(text + value for text, value in zip(parts[::2], [*texts, ""], strict=True))

    return fill


def as_words(value: Any) -> str | None:
    """Return a value as text: numbers as written, lists and mappings as JSON; nothing: ``None``."""
    if not says_something(value):
        return None
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    if isinstance(value, (list, dict)):
        return json.dumps(value, ensure_ascii=False, default=str)
    return str(value)
