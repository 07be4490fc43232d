"""The tests of paired scores: a row each, which everybody who offers or chooses a test reads."""

from typing import NamedTuple


class PairedTestRow(NamedTuple):
    """What is known of a test before any score is looked at."""

    name: str
    words: str
    """What a reader is told it is."""
    of: str
    """What it compares: "means", "shares" (scores of 0 and 1), "correlations" with one gold, or
    "any" metric, computed again from the items."""
    groups: bool
    """Whether it takes groups of dependent items as units."""
    delta: bool
    """Whether its null hypothesis can state a difference other than 0."""
    together: bool
    """Whether it runs on all pairs of systems at once."""
    interval: str = ""
    """The interval that inverts it; empty where none is known or it is about something else."""
    max_t: bool = False
    """Whether the step-down max-T correction goes with it."""


_ROWS = (
    PairedTestRow("t", "paired t test", "means", True, True, True, "t", True),
    PairedTestRow("wilcoxon", "Wilcoxon signed-rank test", "means", False, True, True),
    PairedTestRow("sign", "sign test", "means", False, True, True),
    PairedTestRow(
        "signflip",
        "sign-flip permutation test",
        "any",
        True,
        True,
        True,
        "inverted",
        True,
    ),
    PairedTestRow(
        "signflip-median",
        "sign-flip permutation test on the median",
        "means",
        True,
        True,
        False,
    ),
    PairedTestRow("bootstrap", "paired bootstrap test", "any", True, True, True),
    PairedTestRow(
        "bootstrap-percentile",
        "bootstrap test by percentiles",
        "any",
        True,
        True,
        True,
        "percentile",
    ),
    PairedTestRow(
        "bootstrap-median",
        "paired bootstrap test on the median",
        "means",
        True,
        True,
        False,
    ),
    PairedTestRow(
        "score", "score test of paired shares", "shares", False, True, True, "tango", True
    ),
    PairedTestRow("mcnemar", "exact McNemar test", "shares", False, False, True, "tango", True),
    PairedTestRow("mcnemar-midp", "mid-p McNemar test", "shares", False, False, False),
    PairedTestRow("mcnemar-chi2", "McNemar's chi-squared test", "shares", False, False, False),
    PairedTestRow(
        "mcnemar-chi2-cc",
        "McNemar's chi-squared test with continuity correction",
        "shares",
        False,
        False,
        False,
    ),
    PairedTestRow(
        "jackknife",
        "jackknife t test of dependent correlations",
        "correlations",
        True,
        True,
        True,
        "jackknife",
    ),
    PairedTestRow(
        "steiger",
        "Steiger's test of dependent correlations",
        "correlations",
        False,
        False,
        True,
    ),
    PairedTestRow(
        "williams",
        "Williams' test of dependent correlations",
        "correlations",
        False,
        False,
        False,
    ),
)
TESTS = {row.name: row for row in _ROWS}
"""By name; "auto" is none of them."""
