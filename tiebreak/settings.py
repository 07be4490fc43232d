"""Settings of the questions, checked as the commands check them."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Sequence
from numbers import Integral, Real
from types import NoneType, UnionType
from typing import (
    Any,
    Literal,
    ParamSpec,
    TypedDict,
    TypeVar,
    Union,
    Unpack,
    get_args,
    get_origin,
    get_type_hints,
)

from analysis.statistics._typing import Alternative
from analysis.statistics.description.evaluation_units import UnitStatistic
from analysis.studies.claims.settings import Counting, Order, Rule
from analysis.studies.pair_analysis import Zeros
from analysis.studies.pairs_words import Correction
from analysis.studies.test_names import PairsTestName, TestName, in_public_words
from store.errors import StoreError
from store.kept_settings import Failures

P = ParamSpec("P")
R = TypeVar("R")

_NAMES: Any = (Sequence[str], Sequence[str] | None)
_WORDS: dict[Any, str] = {
    bool: "True or False",
    int: "a whole number",
    float: "a number",
    str: "a text",
}


class CompareOptions(TypedDict, total=False):
    """Settings of `compare`."""

    test: TestName
    alternative: Alternative
    delta: float
    alpha: float
    margin: float | None
    n_resamples: int
    seed: int
    unit_size: int
    unit_statistic: UnitStatistic
    shuffle_seed: int | None
    zeros: Zeros


class PairsOptions(TypedDict, total=False):
    """Settings of `pairs`."""

    test: PairsTestName
    correction: Correction
    alpha: float
    margin: float | None
    n_resamples: int
    seed: int
    clusters: bool | None
    unit_size: int
    unit_statistic: UnitStatistic
    shuffle_seed: int | None


class ClaimsOptions(TypedDict, total=False):
    """Settings of `claims`."""

    alpha: float
    rule: Rule
    counting: Counting
    order: Order
    power: float
    gain: float | None
    n_resamples: int
    seed: int
    failures: Failures | None


def in_words(question: Callable[P, R]) -> Callable[P, R]:
    """Check settings by their types; turn what the statistics refuse into a `StoreError`."""

    @functools.wraps(question)
    def ask(*args: P.args, **kwargs: P.kwargs) -> R:
        known = _types(question)
        for name, given in kwargs.items():
            if name not in known:
                names = ", ".join(name for name in known if name != "return")
                raise StoreError(f"there is no setting `{name}`; there are {names}.")
            if not _fits(given, known[name]):
                wanted = " or ".join(_in_words(known[name]))
                raise StoreError(f"`{name}` must be {wanted}; got {given!r:.60}.")
            if isinstance(given, str) and known[name] in _NAMES:
                kwargs[name] = [given]
        try:
            return question(*args, **kwargs)
        except ValueError as error:
            raise StoreError(in_public_words(str(error))) from error

    return ask


@functools.cache
def _types(question: Callable[..., Any]) -> dict[str, Any]:
    """Return the settings of a question with their types."""
    found = get_type_hints(question)
    for name, hint in list(found.items()):
        if get_origin(hint) is Unpack:
            del found[name]
            found |= get_type_hints(get_args(hint)[0])
    return found


def _fits(given: Any, hint: Any) -> bool:
    origin, choices = get_origin(hint), get_args(hint)
    if origin in (Union, UnionType):
        return any(_fits(given, one) for one in choices)
    if origin is Literal:
        return isinstance(given, str) and given in choices
    if origin is tuple:
        return isinstance(given, list | tuple) and [*map(type, given)] == [*choices]
    if origin is Sequence:
        return isinstance(given, Iterable) and all(isinstance(one, str) for one in given)
    if hint in (int, float):
        kind = Integral if hint is int else Real
        return isinstance(given, kind) and not isinstance(given, bool)
    return hint not in (bool, str, NoneType) or isinstance(given, hint)


def _in_words(hint: Any) -> list[str]:
    """Return what a type takes, without `None`, which is what nobody gives."""
    if get_origin(hint) in (Union, UnionType):
        return [text for one in get_args(hint) for text in _in_words(one)]
    if get_origin(hint) is Literal:
        return [f"one of {', '.join(map(str, get_args(hint)))}"]
    if get_origin(hint) is tuple:
        return ["two names"]
    if get_origin(hint) is Sequence:
        return ["a list of names"]
    return [_WORDS[hint]] if hint in _WORDS else []
