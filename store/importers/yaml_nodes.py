"""Strict reading of YAML: values keep their line, and scalars the text they were written as.

PyYAML's own loader turns ``version: 1.0`` into a number, ``no`` into False, and lets the second of
two equal keys win. Here a name stays the text it is, and a key that stands twice is an error.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import date
from difflib import get_close_matches
from typing import Any

import yaml

from store.errors import ImportFormatError

_LONGEST = 10_000_000
"""Characters: a megabyte takes some three seconds."""
_MOST_NODES = 5_000_000
"""Values of a text with its aliases written out; few lines can stand for billions."""


def nearest(name: str, known: Sequence[str]) -> str:
    """Return ``" Did you mean 'metric'?"`` or, when nothing is near, the known names."""
    close = get_close_matches(name.lower(), [k.lower() for k in known], n=1, cutoff=0.6)
    if close:
        match = next(k for k in known if k.lower() == close[0])
        return f" Did you mean '{match}'?"
    return f" Known: {', '.join(known)}." if known else ""


class YamlValue:
    """A value of a YAML file, with its place for error messages."""

    def __init__(self, node: yaml.Node, shown: str, name: str) -> None:
        self._node = node
        self._shown = shown
        self.name = name

    def error(self, reason: str) -> ImportFormatError:
        """Return an error that names this value's line and key."""
        return ImportFormatError(reason, path=self._shown, line=self.line, field=self.name or None)

    @property
    def line(self) -> int:
        """The line of the file, counted from 1."""
        return int(self._node.start_mark.line) + 1

    @property
    def is_mapping(self) -> bool:
        """Whether the value is a mapping of keys to values."""
        return isinstance(self._node, yaml.MappingNode)

    @property
    def is_list(self) -> bool:
        """Whether the value is a list."""
        return isinstance(self._node, yaml.SequenceNode)

    def text(self) -> str:
        """Return a scalar exactly as written, without quotes."""
        if not isinstance(self._node, yaml.ScalarNode):
            raise self.error("must be one plain value.")
        value = str(self._node.value).strip()
        if not value or self._node.tag == "tag:yaml.org,2002:null":
            raise self.error("has no value. Give one or remove the key.")
        return value

    def text_or_empty(self) -> str:
        """Return a scalar as written; ``""`` when it is empty or null."""
        is_null = self._node.tag == "tag:yaml.org,2002:null"
        is_scalar = isinstance(self._node, yaml.ScalarNode)
        return "" if is_null or (is_scalar and not self._node.value) else self.text()

    def number(self) -> float:
        """Return a finite number."""
        value = self.plain()
        if not isinstance(value, (int, float)) or isinstance(value, bool):
            raise self.error(f"must be a number, is {value!r}.")
        if not math.isfinite(value):
            raise self.error("must be a finite number.")
        return float(value)

    def integer(self) -> int:
        """Return a whole number."""
        value = self.plain()
        if isinstance(value, bool) or not isinstance(value, int):
            raise self.error(f"must be a whole number, is {value!r}.")
        if not -(2**63) <= value < 2**63:
            raise self.error(f"must fit into 64 bits, is {value!r}.")
        return value

    def flag(self) -> bool:
        """Return true or false."""
        value = self.plain()
        if not isinstance(value, bool):
            raise self.error(f"must be true or false, is {value!r}.")
        return value

    def choice(self, allowed: Sequence[str]) -> str:
        """Return one of the allowed words."""
        value = self.text()
        if value not in allowed:
            raise self.error(f"must be one of {', '.join(a for a in allowed if a)}; is '{value}'.")
        return value

    def entries(
        self, allowed: Sequence[str] | None = None, *, last_wins: bool = False
    ) -> dict[str, YamlValue]:
        """Return the values of a mapping by key; `allowed` names the keys that may stand.

        A key that stands twice is an error, or with `last_wins` what it says last.
        """
        if not isinstance(self._node, yaml.MappingNode):
            raise self.error("must be a mapping of keys to values.")
        found: dict[str, YamlValue] = {}
        for key_node, value_node in self._node.value:
            key = str(key_node.value)
            below = YamlValue(value_node, self._shown, f"{self.name}.{key}" if self.name else key)
            place = YamlValue(key_node, self._shown, below.name)
            if key in found and not last_wins:
                raise place.error("the key stands twice.")
            if allowed is not None and key not in allowed:
                raise place.error(f"unknown key.{nearest(key, allowed)}")
            found[key] = below
        return found

    def lines(self) -> dict[str, int]:
        """Return the line of every key below this mapping, by its name with dots."""
        found: dict[str, int] = {}
        if isinstance(self._node, yaml.MappingNode):
            for key_node, _ in self._node.value:
                key = str(key_node.value)
                name = f"{self.name}.{key}" if self.name else key
                found[name] = YamlValue(key_node, self._shown, name).line
            for value in self.entries().values():
                found |= value.lines()
        return found

    def values(self) -> list[YamlValue]:
        """Return the values of a list."""
        if not isinstance(self._node, yaml.SequenceNode):
            raise self.error("must be a list, such as [a, b].")
        return [
            YamlValue(node, self._shown, f"{self.name}[{i}]")
            for i, node in enumerate(self._node.value)
        ]

    def plain(self) -> Any:
        """Return the value as JSON could hold it; dates become text."""
        if isinstance(self._node, yaml.MappingNode):
            return {key: value.plain() for key, value in self.entries().items()}
        if isinstance(self._node, yaml.SequenceNode):
            return [value.plain() for value in self.values()]
        try:
            value = yaml.constructor.SafeConstructor().construct_object(self._node)
        except yaml.YAMLError as error:
            raise self.error(f"cannot be read: {error}.") from None
        except ValueError:  # such as the date 2026-13-45, or a number of 5,000 digits
            return self._node.value
        return self._node.value if isinstance(value, (date, bytes)) else value


_OWN_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
"""A tenth of the time; its errors have other words, so files of people are not read by it."""


def parse_yaml(text: str, shown: str, *, is_own: bool = False) -> YamlValue | None:
    """Return the root value of a YAML text; ``None`` when there is nothing in it.

    `is_own`: it comes with Tiebreak, and has no faults.

    Raises
    ------
    ImportFormatError
        Not YAML; the line is named.
    """
    if len(text) > _LONGEST:
        reason = f"more than {_LONGEST // 1_000_000} MB of YAML takes too long. Write it as JSON."
        raise ImportFormatError(reason, path=shown)
    try:
        node = yaml.compose(text, Loader=_OWN_LOADER if is_own else yaml.SafeLoader)
    except RecursionError:
        raise ImportFormatError("nested too deeply to be a mapping.", path=shown) from None
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        raise ImportFormatError(
            f"not YAML: {error.problem}.", path=shown, line=mark.line + 1 if mark else None
        ) from None
    except yaml.YAMLError as error:
        raise ImportFormatError(f"not YAML: {error}.", path=shown) from None
    if node is not None and _size(node) > _MOST_NODES:
        reason = f"aliases (*name) make more than {_MOST_NODES:,} values of it. Write them out."
        raise ImportFormatError(reason, path=shown)
    return None if node is None else YamlValue(node, shown, "")


def _size(root: yaml.Node) -> int:
    """Return how many values a text has with its aliases written out; a loop has very many."""
    sizes: dict[int, int] = {}
    waiting = [(root, False)]
    open_now: set[int] = set()
    while waiting:
        node, is_done = waiting.pop()
        below = _below(node)
        if is_done:
            open_now.discard(id(node))
            sizes[id(node)] = 1 + sum(sizes.get(id(one), _MOST_NODES + 1) for one in below)
        elif id(node) not in sizes and id(node) not in open_now:
            open_now.add(id(node))
            waiting.append((node, True))
            waiting += [(one, False) for one in below]
    return sizes[id(root)]


def _below(node: yaml.Node) -> list[yaml.Node]:
    if isinstance(node, yaml.MappingNode):
        return [one for pair in node.value for one in pair]
    return list(node.value) if isinstance(node, yaml.SequenceNode) else []
