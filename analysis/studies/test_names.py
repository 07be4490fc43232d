"""The names by which a person asks for a test, and what the statistics call them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Final, Literal

from analysis.setting import Setting
from analysis.statistics.registry import TESTS

TestName = Literal[
    "auto",
    "t",
    "wilcoxon",
    "sign",
    "permutation",
    "permutation-median",
    "bootstrap",
    "bootstrap-percentile",
    "bootstrap-median",
    "score",
    "mcnemar",
    "mcnemar-midp",
    "mcnemar-chi2",
    "mcnemar-chi2-cc",
    "jackknife",
    "steiger",
    "williams",
]
"""Tests for a pair of systems with item scores."""

PairsTestName = Literal[
    "auto",
    "t",
    "wilcoxon",
    "sign",
    "permutation",
    "bootstrap",
    "bootstrap-percentile",
    "score",
    "mcnemar",
    "jackknife",
    "steiger",
]
"""Tests that all pairs of a dataset can be put to at once."""

INTERVALS_IN_WORDS: Mapping[str, str] = {
    "t": "Student's t",
    "inverted": "by the sign-flip test",
    "tango": "Tango's score interval",
    "newcombe": "Newcombe's score interval",
    "wilson": "Wilson's score interval",
    "clopper-pearson": "Clopper and Pearson's interval",
    "percentile": "bootstrap percentiles",
    "jackknife": "jackknife",
    "no-spread": "bound without spread",
    "none": "none",
}
"""How an interval of a difference came about."""

IN_WORDS: Mapping[str, str] = {row.name: row.words for row in TESTS.values()}


TEST: Final = Setting(
    "auto: the test that suits the scores.",
    label="Test",
    words={"auto": "what suits the scores"}
    | {name.replace("signflip", "permutation"): words for name, words in IN_WORDS.items()},
    main=True,
)
Test = Annotated[TestName, TEST]
"""The choice of a test for a pair."""
PairsTest = Annotated[PairsTestName, TEST]
"""The choice of a test for all pairs."""


def test_in_words(test: str) -> str:
    """Return what a page calls a test, by its public name or that of the statistics."""
    return TEST.words[to_public(test)]


def to_statistics(test: str) -> str:
    """Return what the statistics call a test: there "permutation" is "signflip"."""
    return test.replace("permutation", "signflip")


def to_public(test: str) -> str:
    """Return the name by which a person asks for a test of the statistics."""
    return test.replace("signflip", "permutation")


def in_public_words(message: str) -> str:
    """Return a complaint of the statistics with the names of settings that a person knows."""
    for theirs, ours in _PUBLIC.items():
        message = message.replace(theirs, ours)
    return message


_PUBLIC = {
    "`rng`": "`seed`",
    "`size`": "`unit_size`",
    "'signflip'": "'permutation'",
    "'signflip-median'": "'permutation-median'",
    "`n_iterations`": "`iterations`",
}
