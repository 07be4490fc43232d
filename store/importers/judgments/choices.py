"""Preferences: which of two systems a cell names, and how sure the annotator was."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from store.errors import ImportFormatError
from store.importers.bundle import (
    BundleCriterion,
    BundlePreference,
    Choice,
    RowProblems,
)
from store.importers.cells import (
    TRUTH_WORDS,
    CellError,
    as_text,
    is_missing,
    parse_number,
)
from store.importers.columns import normal_name, role_cells
from store.importers.judgments.forms import Layout
from store.importers.judgments.options import JudgmentOptions, require_known
from store.importers.judgments.roles import BASELINES
from store.importers.judgments.rows import MOST_DIGITS, NOT_PLAIN, Judged, Row, is_plain
from store.importers.settings import Settings

CRITERION = "preference"
"""What was judged, where nothing names it."""

_WON = ("win", "wins", "won", "winner", "better")
_LOST = ("loss", "lose", "loses", "lost", "loser", "worse")

_Value = TypeVar("_Value")

_CHOICES: tuple[Choice, ...] = ("first", "second", "tie")
_WORDS: Mapping[str, Choice] = {
    **dict.fromkeys(("first", "1", "a", "left", "system a", "model a"), "first"),
    **dict.fromkeys(("second", "2", "b", "right", "system b", "model b"), "second"),
    **dict.fromkeys(
        (
            "tie", "tied", "draw", "equal", "same", "both", "neither", "no preference", "both bad",
            "bothbad", "tie bothbad", "tie both bad", "inconsistent",
        ),
        "tie",
    ),
}  # fmt: skip


@dataclass(slots=True)
class Preferences:
    """The criteria and preferences of a table."""

    criteria: list[BundleCriterion] = field(default_factory=list)
    preferences: list[BundlePreference] = field(default_factory=list)
    understood: list[str] = field(default_factory=list)
    n_empty: int = 0
    """Lines without a choice."""
    n_with_itself: int = 0
    """Lines that compare a system with itself."""


@dataclass(frozen=True, slots=True)
class _Pair:
    first: str
    second: str
    names: Mapping[str, Choice]
    """Names of the columns and what else stands for a choice in this table."""


class _RoleError(CellError):
    """A cell cannot be read that is not the choice itself."""

    def __init__(self, role: str, reason: str) -> None:
        super().__init__(reason)
        self.role = role


def are_choices(options: JudgmentOptions) -> bool:
    """Return whether the cells of a table of workers and items choose between two systems."""
    return bool((options.first and options.second) or _systems_of(options))


def read_cell_choices(
    judged: Iterable[Judged],
    layout: Layout,
    settings: Settings,
    options: JudgmentOptions,
    problems: RowProblems,
) -> Preferences:
    """Read the cells of a table of workers and items as choices between two systems.

    Raises
    ------
    ImportFormatError
        The options do not name two systems, or name a word that no cell holds.
    """
    cells = list(judged)
    words = {as_text(one.cell) for one in cells if is_plain(one.cell)}
    require_known(options.words, words.__contains__, settings.shown)
    named = [one for one in (options.first, options.second) if one]
    systems = named or [settings.canonical(name) for name in _systems_of(options)]
    if len(set(systems)) != 2:
        raise ImportFormatError(
            f"a choice is between two systems, but the options name {len(set(systems))}: "
            f"{', '.join(systems)}.",
            path=settings.shown,
        )
    reader = _Reader(layout, settings, options, problems)
    for one in cells:
        if not is_missing(one.cell):
            pair = _Pair(systems[0], systems[1], {})
            reader.add(one.row, one.annotator, pair, one.cell, one.column, None, {})
    reader.result.understood.append(
        f"The cells choose between '{systems[0]}' and '{systems[1]}'; the order in which they were "
        "shown is not known."
    )
    return reader.result


def read_pairs(
    rows: Sequence[Row],
    layout: Layout,
    settings: Settings,
    options: JudgmentOptions,
    problems: RowProblems,
) -> Preferences:
    """Read a table with one comparison in each line."""
    table, roles = layout.table, layout.roles
    columns = {
        role: role_cells(table, roles[role])
        for role in ("first", "second", "choice", "strength", *_DETAILS)
        if role in roles
    }
    words = {as_text(cell) for cell in columns.get("choice", ()) if is_plain(cell)}
    require_known(options.words, words.__contains__, settings.shown)
    names: dict[str, Choice] = {}
    for role in ("first", "second"):
        names[normal_name(roles.get(role, role))] = role
    if normal_name(roles.get("second", "")) in BASELINES:  # the outcome is that of the system
        names |= {**dict.fromkeys(_WON, "first"), **dict.fromkeys(_LOST, "second")}
    reader = _Reader(layout, settings, options, problems)
    for row in rows:
        cells = {role: column[row.number] for role, column in columns.items()}
        sides = []
        for role in ("first", "second"):
            cell = cells.get(role)
            if not is_plain(cell):
                problems.report(table.shown, row.line, roles[role], f"{NOT_PLAIN}.")
                break
            sides.append(settings.canonical(as_text(cell) or getattr(options, role)))
        if len(sides) < 2:
            continue
        pair = _Pair(sides[0], sides[1], names)
        if sides[0] and sides[0] == sides[1]:
            reader.result.n_with_itself += 1
            continue
        column = roles.get("choice") or roles["strength"]
        strength = cells.get("strength")
        if is_missing(strength) and _says_nothing(cells.get("choice"), options, sides):
            reader.result.n_empty += 1
            continue
        reader.add(row, row.annotator, pair, cells.get("choice"), column, strength, cells)
    reader.tell()
    return reader.result


def _says_nothing(choice: Any, options: JudgmentOptions, sides: Sequence[str]) -> bool:
    """Return whether a cell is empty, or says that the judge gave no verdict."""
    if is_missing(choice):
        return True
    text = _plain(choice) if is_plain(choice) else ""
    return _spoken(text) in _FAILED and text not in options.words and text not in sides


_FAILED = ("error", "parse error", "judge error")
"""What stands for the choice where the judge failed, as MT-bench writes it."""
_DETAILS = ("order_known", "first_length", "second_length")


@dataclass(slots=True)
class _Reader:
    layout: Layout
    settings: Settings
    options: JudgmentOptions
    problems: RowProblems
    result: Preferences = field(default_factory=Preferences)
    _criteria: dict[tuple[int, str], int] = field(default_factory=dict)
    _seen: dict[tuple[Any, ...], tuple[int, int]] = field(default_factory=dict)
    """Judgment -> its first line, and how often it was given."""

    def add(
        self,
        row: Row,
        annotator: str,
        pair: _Pair,
        cell: Any,
        column: str,
        strength: Any,
        details: Mapping[str, Any],
    ) -> None:
        """Add one comparison, or report why it cannot be used."""
        try:
            self._require_pair(pair)
            sure = _read("strength", _share, strength)
            choice = self._choice(pair, cell, sure)
            _require_agreement(choice, sure)
            made = BundlePreference(
                self._criterion(row),
                annotator,
                row.item,
                pair.first,
                pair.second,
                choice,
                sure,
                _read("order_known", self._order, details.get("order_known")),
                _read("first_length", _length, details.get("first_length")),
                _read("second_length", _length, details.get("second_length")),
                self._replicate(row, annotator, pair),
                row.judged_at,
                row.line,
            )
        except CellError as error:
            role = error.role if isinstance(error, _RoleError) else ""
            field, reason = self.layout.roles.get(role, column), f"{str(error).rstrip('.')}."
            self.problems.report(self.layout.table.shown, row.line, field, reason)
            return
        self.result.preferences.append(made)

    def tell(self) -> None:
        """Add what was made of the table as a whole."""
        told = self.result.understood
        if "choice" not in self.layout.roles:
            told.append(
                f"'{self.layout.roles['strength']}' is read as the probability that the second "
                "is better: above one half it is chosen, at one half it is a tie."
            )
        if n := self.result.n_empty:
            holds = "1 line holds" if n == 1 else f"{n:,} lines hold"
            told.append(f"{holds} no choice: nothing was judged there.")
        if n := self.result.n_with_itself:
            compare = "1 line compares" if n == 1 else f"{n:,} lines compare"
            are = "is" if n == 1 else "are"
            told.append(f"{compare} a system with itself and {are} left out.")
        if any(one.order_known for one in self.result.preferences):
            told.append("The first of a pair was shown first.")
        else:
            told.append(
                "The order in which the outputs were shown is not known; --option order=shown says "
                "that the first was shown first."
            )

    def _choice(self, pair: _Pair, cell: Any, strength: float | None) -> Choice:
        if is_missing(cell):
            assert strength is not None  # a line without both was left out
            return "tie" if strength == 0.5 else ("second" if strength > 0.5 else "first")
        text = _plain(cell)
        stated = self.options.words.get(text)
        if stated is not None:
            return self._side(pair, self.settings.canonical(stated), text)
        name = self.settings.canonical(text)
        by_name = _side_named(pair, name)
        by_word = pair.names.get(normal_name(text)) or _WORDS.get(_spoken(text))
        if by_name is not None and by_word is not None and by_name != by_word:
            raise CellError(
                f"'{text}' is the name of a system and may also mean the {by_word} one. Say what "
                f"it means: --option {text}={name} or --option {text}={by_word}."
            )
        found = by_name or by_word
        if found is None:
            raise CellError(
                f"'{text}' is no choice between '{pair.first}' and '{pair.second}'. Write first, "
                f'second or tie, or say what it stands for: --option "{text}"=SYSTEM.'
            )
        return found

    def _side(self, pair: _Pair, stated: str, text: str) -> Choice:
        if stated in _CHOICES:
            return stated
        found = _side_named(pair, stated)
        if found is None:
            raise CellError(
                f"'{text}' stands for '{stated}', which is neither '{pair.first}' nor "
                f"'{pair.second}'."
            )
        return found

    def _require_pair(self, pair: _Pair) -> None:
        for role, name in (("first", pair.first), ("second", pair.second)):
            if not name:
                raise _RoleError(role, "one of the two systems is not named.")

    def _criterion(self, row: Row) -> int:
        name = row.criterion or self.options.criterion or CRITERION
        key = (row.dataset, name)
        if key not in self._criteria:
            self._criteria[key] = len(self.result.criteria)
            self.result.criteria.append(
                BundleCriterion(name, row.dataset, "preference", question=self.options.question)
            )
        return self._criteria[key]

    def _order(self, cell: Any) -> bool:
        if is_missing(cell):
            return self.options.order_shown
        if isinstance(cell, bool):
            return cell
        word = _plain(cell).lower()
        if word in ("0", "1"):
            return word == "1"
        if word not in TRUTH_WORDS:
            raise CellError(f"'{word}' does not say whether the order is known; write yes or no.")
        return bool(TRUTH_WORDS[word])

    def _replicate(self, row: Row, annotator: str, pair: _Pair) -> int:
        """Return the number of the repeat, and refuse what stands in the file twice."""
        names = frozenset((pair.first, pair.second))
        key = (self._criterion(row), annotator, row.item, names, row.replicate)
        line, count = self._seen.get(key, (row.line, 0))
        self._seen[key] = (line, count + 1)
        if count == 0:
            return row.replicate
        if self.options.count_repeats and "replicate" not in self.layout.roles:
            return count
        raise CellError(
            f"'{annotator}' has compared these two in line {line} already. If it was judged twice, "
            "say --column replicate=NAME or --option repeats=count."
        )


def _read(role: str, read: Callable[[Any], _Value], cell: Any) -> _Value:
    """Return what a cell of that role says; a complaint names its column, not the choice's."""
    try:
        return read(cell)
    except CellError as error:
        raise _RoleError(role, str(error)) from None


def _systems_of(options: JudgmentOptions) -> list[str]:
    """Return the systems that the words of the options stand for, in their order."""
    return [name for name in dict.fromkeys(options.words.values()) if name not in _CHOICES]


def _side_named(pair: _Pair, name: str) -> Choice | None:
    if name == pair.first:
        return "first"
    return "second" if name == pair.second else None


def _plain(cell: Any) -> str:
    return as_text(cell).removesuffix(".0")


def _spoken(text: str) -> str:
    """Return a word in lower case, marks as blanks: ``"tie (bothbad)"`` -> ``"tie bothbad"``."""
    return normal_name(text).replace("_", " ")


def _share(cell: Any) -> float | None:
    if is_missing(cell):
        return None
    try:
        value = parse_number(as_text(cell))[0]
    except CellError as error:
        raise CellError(f"{error}.") from None
    if math.isnan(value) or not 0.0 <= value <= 1.0:
        raise CellError(f"the strength {as_text(cell)} is no probability between 0 and 1.")
    return value


def _require_agreement(choice: Choice, strength: float | None) -> None:
    """Refuse a choice of the one side with a strength that says the other is better."""
    against = {"first": "second", "second": "first"}.get(choice)
    if strength is None or against is None or strength == 0.5:
        return
    if (strength > 0.5) != (choice == "second"):
        raise CellError(
            f"the {choice} is chosen, but the strength {strength:g} says that the {against} is "
            "better: it is the probability that the second is better. Mend the one or the other, "
            "or leave the column out with --column strength=."
        )


def _length(cell: Any) -> int | None:
    if is_missing(cell):
        return None
    text = _plain(cell)
    if not text.isdecimal() or len(text) > MOST_DIGITS:
        raise CellError(f"the length '{text[:40]}' is no number of characters.")
    return int(text)
