"""What a person can choose, declared once: commands, pages, addresses and docs read it from here.

A setting is a field of a frozen dataclass, with its facts beside its type::

    @dataclass(frozen=True, slots=True)
    class PairsSettings:
        correction: Annotated[Correction, Setting("For testing many pairs at once.")] = "holm"
        alpha: Level = 0.05

`fields_of` lists them. Its type says which values there are: a `Literal` is a choice, ``bool`` a
flag, ``bool | None`` a flag that may be left to the product, ``tuple[str, ...] | None`` names.
"""

from __future__ import annotations

import csv
import dataclasses
import difflib
import math
import types
import typing
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, Final, Literal, TypeVar, get_args, get_origin

from store.errors import StoreError

T = TypeVar("T")

Kind = Literal["choice", "flag", "whole", "number", "text", "names"]

LEFT_OPEN: Final = "auto"
"""What stands in an address for ``None``: the product decides."""


def names(given: str | None) -> list[str] | None:
    """Return the names in a list separated by commas; ``None`` where nothing is given.

    A name that holds a comma stands in double quotes.

    Raises
    ------
    StoreError
        The list has a line break.
    """
    if given is None:
        return None
    if len(given.splitlines()) > 1:
        raise StoreError("Names stand on one line, separated by commas; got a line break.")
    (row,) = csv.reader([given], skipinitialspace=True) if given.strip() else ([],)
    return [name.strip() for name in row if name.strip()]


@dataclass(frozen=True, slots=True)
class Setting:
    """Facts about a setting that its type does not say."""

    help: str
    """One sentence: what it is for. Of the command's option and of the page's widget."""
    label: str = ""
    """What a page calls it."""
    words: Mapping[Any, str] = field(default_factory=dict)
    """Machine value -> what a page calls it."""
    low: float = -math.inf
    high: float = math.inf
    open_ends: bool = False
    """Whether `low` and `high` themselves are out of range."""
    offered: tuple[Any, ...] = ()
    """Numbers that a page lists, the usual one first; an address may have others."""
    aliases: Mapping[str, str] = field(default_factory=dict)
    """What may be typed besides -> machine value."""
    flags: str = ""
    """Spelling of the option where its name is not it, such as ``--clusters/--no-clusters``."""
    formerly: str = ""
    """Its name in addresses of earlier releases."""
    place: bool = False
    """Whether a command takes it by its place, although it may be left out."""
    main: bool = False
    """Whether it stands in the row of a page, and not behind "More settings"."""

    def but(self, help: str, **facts: Any) -> Setting:
        """Return the same setting with another sentence, and other facts."""
        return dataclasses.replace(self, help=help, **facts)


@dataclass(frozen=True, slots=True)
class Field:
    """A setting of a question: name, kind of values, default."""

    name: str
    kind: Kind
    type: Any
    """Without ``None`` and without facts: ``float``, ``Literal["a", "b"]``."""
    optional: bool
    """Whether ``None`` is a value: the product decides, or there is none."""
    required: bool
    default: Any
    setting: Setting

    @property
    def label(self) -> str:
        """What a page calls it."""
        return self.setting.label or self.name.replace("_", " ").capitalize()

    @property
    def choices(self) -> tuple[Any, ...]:
        """Every value that can be chosen, where these can be listed."""
        listed: tuple[Any, ...] = ()
        if self.kind == "choice":
            listed = get_args(self.type)
        elif self.kind == "flag":
            listed = (False, True)
        return (None, *listed) if self.optional and listed else listed

    def write(self, value: Any) -> str:
        """Return the machine value, as an address has it. Names are written one by one."""
        if value is None:
            return LEFT_OPEN
        if isinstance(value, bool):
            return "yes" if value else "no"
        return f"{value:.12g}" if isinstance(value, float) else str(value)

    def in_words(self, value: Any) -> str:
        """Return what a page calls a value."""
        text = self.write(value)
        if self.kind == "whole" and value is not None:
            text = f"{value:,}"
        return self.setting.words.get(self.write(value), text)

    def read(self, text: str) -> Any:
        """Return the value that an address means, checked.

        Words of the page are read too: addresses of earlier releases have them.

        Raises
        ------
        StoreError
            There is no such value; the message names those there are, or the nearest.
        """
        if self.optional and text in (LEFT_OPEN, ""):
            return None
        by_words = {words: value for value, words in self.setting.words.items()}
        text = self.setting.aliases.get(text, by_words.get(text, text))
        if text == LEFT_OPEN and self.optional:
            return None
        if self.kind in ("choice", "flag"):
            values = {self.write(value): value for value in self.choices}
            if text not in values:
                raise StoreError(self._no_such(text, list(values)))
            return values[text]
        if self.kind in ("text", "names"):
            return text
        try:
            plain = text.replace(",", "")
            value = int(plain) if self.kind == "whole" else float(plain)
        except ValueError:
            noun = "a whole number" if self.kind == "whole" else "a number"
            raise StoreError(f"`{self.name}` must be {noun}, got '{text[:60]}'.") from None
        return self.check(value)

    def check(self, value: T) -> T:
        """Return a value that is allowed.

        Raises
        ------
        StoreError
            It is not among the choices, or out of range.
        """
        if value is None and self.optional:
            return value
        if self.kind == "choice":
            value = typing.cast("Any", self.setting.aliases.get(str(value), value))
            if value not in self.choices:
                raise StoreError(self._no_such(str(value), [str(c) for c in self.choices if c]))
        if self.kind in ("whole", "number"):
            self._check_range(typing.cast("float", value))
        return value

    def _check_range(self, value: float) -> None:
        low, high = self.setting.low, self.setting.high
        inside = low < value < high if self.setting.open_ends else low <= value <= high
        if inside and not (math.isinf(value) or math.isnan(value)):
            return
        if math.isnan(value) or (math.isinf(low) and math.isinf(high)):
            wanted = "a finite number"
        elif math.isinf(high):
            wanted = f"above {low:g}" if self.setting.open_ends else f"at least {low:g}"
        else:
            wanted = f"between {low:g} and {high:,.12g}"
        verb = "lie" if wanted.startswith("between") else "be"
        raise StoreError(f"`{self.name}` must {verb} {wanted}, got {value:,.12g}.")

    def _no_such(self, text: str, known: Sequence[str]) -> str:
        near = difflib.get_close_matches(text, known, n=1)
        hint = f" Did you mean '{near[0]}'?" if near else ""
        shown = text if len(text) <= 60 else f"{text[:60]}…"
        return f"`{self.name}` must be one of {', '.join(known)}, got '{shown}'.{hint}"


def fields_of(question: type[Any]) -> tuple[Field, ...]:
    """Return the settings of a dataclass in order; those of a dataclass inside it in its place."""
    if question not in _KNOWN:
        _KNOWN[question] = _fields_of(question)
    return _KNOWN[question]


_KNOWN: Final[dict[type[Any], tuple[Field, ...]]] = {}


def _fields_of(question: type[Any]) -> tuple[Field, ...]:
    hints = typing.get_type_hints(question, include_extras=True)
    found: list[Field] = []
    for each in dataclasses.fields(question):
        hint = hints[each.name]
        setting = _setting(hint)
        if setting is not None:
            found.append(_field(each, hint, setting))
        elif isinstance(hint, type) and dataclasses.is_dataclass(hint):
            found += fields_of(hint)
    return tuple(found)


def build(question: type[T], values: Mapping[str, Any]) -> T:
    """Return a question with these values, by the names of its fields; the rest by default.

    Raises
    ------
    StoreError
        A value is out of range, or not among the choices.
    """
    known = {each.name: each for each in fields_of(question)}
    return _built(question, {name: known[name].check(value) for name, value in values.items()})


def values_of(question: Any) -> dict[str, Any]:
    """Return the value of each setting by name: what `build` takes."""
    found: dict[str, Any] = {}
    names = {each.name for each in fields_of(type(question))}
    for each in dataclasses.fields(question):
        value = getattr(question, each.name)
        if each.name in names:
            found[each.name] = value
        elif dataclasses.is_dataclass(value) and not isinstance(value, type):
            found |= values_of(value)
    return found


def parameters(question: Any, *, whole: bool = False) -> dict[str, str | list[str]]:
    """Return what an address needs to ask the same: all that is not the default.

    The `whole` of it stays true when a default becomes another one.
    """
    values = values_of(question)
    return {
        each.name: [each.write(v) for v in values[each.name]]
        if each.kind == "names" and values[each.name] is not None
        else each.write(values[each.name])
        for each in fields_of(type(question))
        if (whole or values[each.name] != each.default)
        and (values[each.name] is not None or each.kind not in ("text", "names"))
    }


def _built(question: type[T], values: Mapping[str, Any]) -> T:
    hints = typing.get_type_hints(question, include_extras=True)
    arguments: dict[str, Any] = {}
    for each in dataclasses.fields(typing.cast("Any", question)):
        hint = hints[each.name]
        if each.name in values:
            arguments[each.name] = values[each.name]
        elif isinstance(hint, type) and dataclasses.is_dataclass(hint):
            arguments[each.name] = _built(hint, values)
    return question(**arguments)


def _setting(hint: Any) -> Setting | None:
    """Return the facts beside a type; the outermost count."""
    facts = [fact for fact in getattr(hint, "__metadata__", ()) if isinstance(fact, Setting)]
    return facts[-1] if facts else None


def _field(each: dataclasses.Field[Any], hint: Any, setting: Setting) -> Field:
    bare = get_args(hint)[0] if get_origin(hint) is Annotated else hint
    parts = get_args(bare) if get_origin(bare) in (typing.Union, types.UnionType) else (bare,)
    of_value = [part for part in parts if part is not types.NoneType]
    assert len(of_value) == 1, f"{each.name}: one type, and None"
    (value_type,) = of_value
    required = each.default is dataclasses.MISSING and each.default_factory is dataclasses.MISSING
    return Field(
        name=each.name,
        kind=_kind(value_type),
        type=value_type,
        optional=types.NoneType in parts,
        required=required,
        default=None if required else each.default,
        setting=setting,
    )


def _kind(value_type: Any) -> Kind:
    if get_origin(value_type) is Literal:
        return "choice"
    if get_origin(value_type) is tuple:
        return "names"
    kinds: dict[Any, Kind] = {bool: "flag", int: "whole", float: "number", str: "text"}
    return kinds[value_type]
