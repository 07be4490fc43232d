"""The names by which a person asks for a test, and what the statistics call them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

TestName = Literal[
    "auto",
    "t",
    "wilcoxon",
    "sign",
    "permutation",
    "permutation-median",
    "bootstrap",
    "bootstrap-median",
    "mcnemar",
    "mcnemar-midp",
    "mcnemar-chi2",
    "mcnemar-chi2-cc",
    "steiger",
    "williams",
]
"""Tests for a pair of systems with item scores."""

PairsTestName = Literal[
    "auto", "t", "wilcoxon", "sign", "permutation", "bootstrap", "mcnemar", "steiger"
]
"""Tests that all pairs of a dataset can be put to at once."""

IN_WORDS: Mapping[str, str] = {
    "t": "paired t test",
    "wilcoxon": "Wilcoxon signed-rank test",
    "sign": "sign test",
    "signflip": "sign-flip permutation test",
    "signflip-median": "sign-flip permutation test on the median",
    "bootstrap": "paired bootstrap test",
    "bootstrap-median": "paired bootstrap test on the median",
    "mcnemar": "exact McNemar test",
    "mcnemar-midp": "mid-p McNemar test",
    "mcnemar-chi2": "McNemar's chi-squared test",
    "mcnemar-chi2-cc": "McNemar's chi-squared test with continuity correction",
    "steiger": "Steiger's test of dependent correlations",
    "williams": "Williams' test of dependent correlations",
}


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
