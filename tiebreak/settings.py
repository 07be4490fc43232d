"""Settings of the questions, checked as the commands check them."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from typing import Any, Literal, ParamSpec, TypedDict, TypeVar, get_args, get_origin, get_type_hints

from analysis.statistics import Alternative
from analysis.statistics.description.evaluation_units import UnitStatistic
from analysis.studies.claims.settings import Counting, Order, Rule
from analysis.studies.leaderboard_standing import ScoreIntervalName
from analysis.studies.pair_analysis import Zeros
from analysis.studies.pairs_words import Correction
from analysis.studies.test_names import PairsTestName, TestName, in_public_words
from store.errors import StoreError

P = ParamSpec("P")
R = TypeVar("R")


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


class LeaderboardOptions(PairsOptions, total=False):
    """Settings of `leaderboard`."""

    interval: ScoreIntervalName


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


def in_words(question: Callable[P, R]) -> Callable[P, R]:
    """Turn what the statistics refuse into a `StoreError` with the names of our settings."""

    @functools.wraps(question)
    def ask(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return question(*args, **kwargs)
        except ValueError as error:
            raise StoreError(in_public_words(str(error))) from error

    return ask


def checked(options: Mapping[str, Any], known: type) -> dict[str, Any]:
    """Return settings by name; one that is not known, or has no such choice, is refused."""
    hints = get_type_hints(known)
    for name, given in options.items():
        if name not in hints:
            raise StoreError(f"there is no setting `{name}`; there are {', '.join(hints)}.")
        if get_origin(hints[name]) is Literal and given not in get_args(hints[name]):
            choices = ", ".join(map(str, get_args(hints[name])))
            raise StoreError(f"`{name}` must be one of {choices}; got {given!r}.")
    return dict(options)
