"""Messages of the store name flags of the command line; here they name arguments instead."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable
from typing import Final, ParamSpec, TypeVar

from store.errors import ImportFormatError, StoreError

P = ParamSpec("P")
R = TypeVar("R")

_MAPPINGS: Final = {"column": "columns", "option": "options", "direction": "directions"}
"""Flags that are given several times -> the argument that takes all of them."""
_SWITCHES: Final = {
    "higher-is-better": "higher_is_better=True",
    "lower-is-better": "higher_is_better=False",
    "case-matters": "case_matters=True",
    "lenient": "lenient=True",
    "missing": "missing_as_zero=True",
    "replace": "replace=True",
    "no-text": "with_text=False",
    "with-text": "with_text=True",
    "yes": "take_guesses=True",
}
_VALUES: Final = frozenset(
    ("system", "dataset", "dataset-version", "metric", "date", "run", "layout", "gold", "score",
     "format", "answers")
)  # fmt: skip
_FLAG: Final = re.compile(
    r"(?<![\w-])--(?P<flag>[a-z]+(?:-[a-z]+)*)"
    r"(?:[ =](?P<key>'[^']*'|[\w-]+)=(?P<value>'[^']*'|[\w-]*)"
    r"|[ =](?P<word>zero\b|'[^']*'|[A-Z]+\b))?"
)


def with_arguments(text: str) -> str:
    """Return a message whose flags are written as arguments of the library.

    >>> with_arguments("give --column item=NAME, or --dataset-version NAME")
    "give columns={'item': NAME}, or dataset_version=NAME"
    """
    return _FLAG.sub(_argument, text)


def _argument(found: re.Match[str]) -> str:
    flag, key, value, word = found.group("flag", "key", "value", "word")
    if flag in _SWITCHES:
        return _SWITCHES[flag]
    if flag in _MAPPINGS:
        argument = _MAPPINGS[flag]
        if key is None:
            return argument + (f" {word}" if word else "")
        name = key if key.startswith("'") or key.isupper() else repr(key)
        if flag == "direction":
            return f"{argument}={{{name}: {value == 'higher'}}}"
        shown = value if value.isupper() or value.startswith("'") else repr(value)
        return f"{argument}={{{name}: {shown}}}"
    if flag in _VALUES:
        argument = flag.replace("-", "_")
        return f"{argument}={word}" if word else argument
    return found[0]


def names_arguments(function: Callable[P, R]) -> Callable[P, R]:
    """Let the errors of a function name its arguments."""

    @functools.wraps(function)
    def run(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return function(*args, **kwargs)
        except StoreError as error:
            error.args = tuple(with_arguments(str(one)) for one in error.args)
            if isinstance(error, ImportFormatError):
                error.reason = with_arguments(error.reason)
            raise

    return run
