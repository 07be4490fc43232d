"""Where a test or an interval is known not to keep its error rate, and what was done, in words.

What a default does where it would not hold is decided in `analysis.statistics.validity`; what was
asked for by name answers, and says first what is known of it.

The figures are those of docs/calibration.md; a test compares the two. By hand: a row is here if
somebody choosing a test should hear of it.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

from analysis.statistics.validity_bounds import BOUNDS, Reason
from analysis.studies.study import count
from analysis.studies.test_names import IN_WORDS, INTERVALS_IN_WORDS, to_statistics

STRONG_SKEWNESS = 1.0
"""From here on differences count as skewed; those simulated have a skewness of 2."""
GROUP_SIZE = 10
"""Items of a group in the simulation."""

FALSE_ALARMS: Mapping[str, Mapping[str, Mapping[int, str]]] = {
    "skewed": {
        "t": {20: "8 %", 50: "7 %"},
        "signflip": {20: "8 %", 50: "7 %"},
        "bootstrap": {20: "10 %", 50: "8 %"},
        "wilcoxon": {20: "13 %", 50: "23 %", 200: "63 %", 1_000: "100 %"},
        "sign": {20: "20 %", 50: "40 %", 200: "96 %", 1_000: "100 %"},
        "signflip-median": {20: "14 %", 50: "43 %", 200: "98 %", 1_000: "100 %"},
        "bootstrap-median": {20: "29 %", 50: "52 %", 200: "97 %", 1_000: "100 %"},
    },
    "clustered": {
        "t": {20: "34 %", 50: "31 %", 200: "30 %", 1_000: "27 %"},
        "signflip": {20: "34 %", 50: "31 %", 200: "30 %", 1_000: "28 %"},
        "bootstrap": {20: "38 %", 50: "32 %", 200: "30 %", 1_000: "29 %"},
        "wilcoxon": {20: "33 %", 50: "30 %", 200: "29 %", 1_000: "27 %"},
        "sign": {20: "25 %", 50: "21 %", 200: "22 %", 1_000: "21 %"},
        "signflip-median": {20: "28 %", 50: "25 %", 200: "25 %", 1_000: "23 %"},
        "bootstrap-median": {20: "27 %", 50: "23 %", 200: "23 %", 1_000: "21 %"},
    },
    "clustered-binary": {
        "t": {20: "18 %", 50: "27 %", 200: "31 %", 1_000: "31 %"},
        "signflip": {20: "12 %", 50: "20 %", 200: "26 %", 1_000: "30 %"},
        "bootstrap": {20: "18 %", 50: "26 %", 200: "28 %", 1_000: "29 %"},
        "wilcoxon": {20: "12 %", 50: "20 %", 200: "26 %", 1_000: "30 %"},
        "sign": {20: "12 %", 50: "20 %", 200: "26 %", 1_000: "30 %"},
        "mcnemar": {20: "12 %", 50: "20 %", 200: "26 %", 1_000: "30 %"},
        "mcnemar-midp": {20: "16 %", 50: "26 %", 200: "30 %", 1_000: "31 %"},
        "score": {20: "18 %", 50: "27 %", 200: "31 %", 1_000: "31 %"},
        "mcnemar-chi2": {20: "18 %", 50: "27 %", 200: "31 %", 1_000: "31 %"},
        "mcnemar-chi2-cc": {20: "12 %", 50: "20 %", 200: "25 %", 1_000: "30 %"},
    },
    "clustered by group": {
        "bootstrap": {20: "50 %", 50: "15 %", 200: "7 %"},
        "bootstrap-median": {20: "43 %", 50: "12 %"},
    },
    "gold-skewed": {
        "steiger": {20: "8 %", 50: "9 %", 200: "10 %", 1_000: "11 %"},
        "williams": {20: "8 %", 50: "9 %", 200: "10 %", 1_000: "11 %"},
    },
    "gold-binary": {
        "steiger": {20: "12 %", 50: "11 %", 200: "10 %", 1_000: "10 %"},
        "williams": {20: "12 %", 50: "11 %", 200: "10 %", 1_000: "10 %"},
    },
    "gold-clustered": {
        "steiger": {20: "10 %", 50: "10 %", 200: "13 %", 1_000: "14 %"},
        "williams": {20: "10 %", 50: "10 %", 200: "13 %", 1_000: "14 %"},
    },
}
"""By population and test: number of items, and false alarms at .05 where 6.5 % or more."""

MISSES: Mapping[str, Mapping[str, Mapping[int, str]]] = {
    "normal": {"percentile": {20: "8 %"}},
    "skewed": {
        "t": {20: "8 %", 50: "7 %"},
        "percentile": {20: "9 %", 50: "7 %", 1_000: "7 %"},
        "inverted": {20: "8 %", 50: "8 %"},
    },
    "binary": {"percentile": {20: "10 %"}},
    "clustered": {
        "t": {20: "30 %", 50: "32 %", 200: "30 %", 1_000: "31 %"},
        "percentile": {20: "35 %", 50: "34 %", 200: "31 %", 1_000: "32 %"},
        "inverted": {20: "31 %", 50: "30 %", 200: "31 %", 1_000: "32 %"},
    },
    "clustered-binary": {
        "t": {20: "21 %", 50: "32 %", 200: "31 %", 1_000: "33 %"},
        "percentile": {20: "42 %", 50: "32 %", 200: "30 %", 1_000: "33 %"},
        "inverted": {20: "25 %", 50: "34 %", 200: "32 %", 1_000: "38 %"},
        "tango": {20: "17 %", 50: "28 %", 200: "31 %", 1_000: "33 %"},
        "newcombe": {20: "15 %", 50: "28 %", 200: "30 %", 1_000: "33 %"},
    },
    "clustered by group": {"percentile": {20: "49 %", 50: "16 %", 200: "7 %"}},
    "clustered-binary by group": {
        "t": {50: "8 %", 200: "7 %"},
        "percentile": {20: "51 %", 50: "21 %", 200: "10 %", 1_000: "8 %"},
        "inverted": {200: "8 %", 1_000: "8 %"},
    },
}
"""By population and interval: number of items, and 95 % intervals that miss, 6.5 % or more."""

_GUARDED: Mapping[Reason, str] = {
    Reason.SKEWED: "The differences are skewed: p and interval are those of the skewness-adjusted "
    "t test where that is the more careful one.",
    Reason.UNSEEN: "The differences are small beside what an item could lose: p and interval allow "
    "for losses that no item here shows.",
    Reason.EXACT: "Where nearly all items tell the systems apart, the score test errs too often: "
    "p is at least that of the exact McNemar test.",
    Reason.UNEQUAL: "Groups of unequal sizes have fewer degrees of freedom than their number "
    "says: p and interval count that.",
    Reason.JACKKNIFE: "Of few items the bootstrap errs too often: p and interval are those of the "
    "jackknife where that is the more careful one.",
    Reason.RUNS: "Test and interval count what another run of the systems would change.",
}

_REFUSED = "No valid test for so few skewed groups; the verdict is not given."

_SIZES = (20, 50, 200, 1_000)
_OF_CORRELATIONS = {"steiger": "steiger pearson", "williams": "williams pearson"}
_NOT_OF_MEANS = ("wilcoxon", "sign", "signflip-median", "bootstrap-median")
_SEE = ": see docs/calibration.md."


def guarded(reason: Reason) -> str:
    """Say what was done to p and interval where the test alone does not hold; empty if nothing."""
    return _GUARDED.get(reason, "")


def guard_notes(reasons: npt.NDArray[np.uint8]) -> list[str]:
    """Say for how many of several pairs what was done."""
    found = Counter(Reason(int(reason)) for reason in reasons)
    words = {**_GUARDED, Reason.NO_VALID_TEST: _REFUSED}
    return [
        f"{count(found[reason], 'pair')}: {text[0].lower()}{text[1:]}"
        for reason, text in words.items()
        if found[reason]
    ]


def in_json(reason: int) -> str:
    """Return what was done as a word: "skewed", "unseen", "no-valid-test"; empty if nothing."""
    return "" if reason == Reason.KEPT else Reason(reason).name.lower().replace("_", "-")


def no_valid_test(n_units: int) -> str:
    """Say why nothing is answered about groups of items, after "cannot tell"."""
    skewed = "skewed " if 2 < n_units < BOUNDS["few-groups"].value else ""
    return f"no valid test for {n_units:,} {skewed}{'group' if n_units == 1 else 'groups'}."


def caution(test: str, *, n_units: int, skewness: float, clustered: bool, binary: bool) -> str:
    """Say that a test does not keep its error rate in such a situation, if that is known.

    Parameters
    ----------
    test : str
        As `paired_test` names it, or as a person asks for it ("permutation").
    n_units : int
        What the test takes as independent: items, or groups where it is told them.
    skewness : float
        Of the differences; NaN if it is not defined.
    clustered : bool
        Whether items come in groups that the test is not told.
    binary : bool
        Whether all scores are 0 or 1.

    Returns
    -------
    str
        Empty where nothing is known against the test. Between the sizes simulated the next
        smaller one stands in, below the smallest that one.

    Examples
    --------
    >>> caution("mcnemar", n_units=200, skewness=0.0, clustered=False, binary=True)
    ''
    """
    name = to_statistics(test)
    if name not in IN_WORDS:
        return ""
    words, of_gold = f"the {IN_WORDS[name].removeprefix('the ')}", name in _OF_CORRELATIONS
    if name.startswith(("steiger", "williams", "mcnemar-chi2")):
        words = IN_WORDS[name]
    for column, applies in (
        ("clustered-binary" if binary and not of_gold else "clustered", clustered),
        ("clustered by group", not of_gold),
        ("binary", binary),
        ("skewed", not math.isnan(skewness) and abs(skewness) >= STRONG_SKEWNESS and not binary),
    ):
        known = FALSE_ALARMS.get(f"gold-{column}" if of_gold else column, {}).get(name, {})
        n_items = _nearest(n_units * (GROUP_SIZE if column.endswith("by group") else 1))
        if applies and n_items in known:
            return _sentence(column, name, words, n_units, n_items, known[n_items])
    return ""


def interval_caution(
    interval: str, *, n_units: int, skewness: float, clustered: bool, binary: bool, grouped: bool
) -> str:
    """Say that an interval misses more often than stated in such a situation, if that is known.

    Parameters
    ----------
    interval : str
        As a person asks for it.
    n_units, skewness, clustered, binary
        As for `caution`.
    grouped : bool
        Whether units are groups of items.

    Returns
    -------
    str
        Empty where nothing is known against the interval. Sizes as in `caution`.

    Examples
    --------
    >>> interval_caution(
    ...     "tango", n_units=50, skewness=0.0, clustered=False, binary=True, grouped=False
    ... )
    ''
    """
    kind = "clustered-binary" if binary else "clustered"
    skewed = not math.isnan(skewness) and abs(skewness) >= STRONG_SKEWNESS
    columns = (
        (f"{kind} by group", grouped),
        (kind, clustered),
        ("binary", binary and not grouped),
        ("skewed", skewed and not binary and not grouped),
        ("normal", not binary and not grouped),
    )
    for column, applies in columns:
        known = MISSES[column].get(interval, {})
        n_items = _nearest(n_units * (GROUP_SIZE if grouped else 1))
        if applies and n_items in known:
            where = f"{n_items:,} {'right-or-wrong' if binary else column} items"
            if grouped:
                where = f"{n_items // GROUP_SIZE} groups"
            elif clustered:
                where = f"{n_items:,} items in groups of {GROUP_SIZE}, taken as independent"
            named = INTERVALS_IN_WORDS[interval].replace("Student's t", "Student's t interval")
            return (
                f"The interval ({named}) misses the true difference more often than stated "
                f"({known[n_items]} in simulation with {where}){_SEE}"
            )
    return ""


def _nearest(n_items: int) -> int:
    """Return the largest size simulated that is not above, or the smallest."""
    return max((size for size in _SIZES if size <= n_items), default=_SIZES[0])


def _sentence(column: str, test: str, words: str, n_units: int, n_items: int, rate: str) -> str:
    simulated = f"{rate} in simulation with {n_items:,} items"
    if column.endswith("by group"):
        return (
            f"With {count(n_units, 'independent unit')} {words} gives more false alarms "
            f"than stated ({rate} in simulation with {n_items // GROUP_SIZE} groups){_SEE}"
        )
    if column.startswith("clustered"):
        return (
            f"These items come in groups, and {words} takes them as independent: that gives more "
            f"false alarms than stated ({simulated} in groups of {GROUP_SIZE}){_SEE}"
        )
    if column == "skewed" and test in _NOT_OF_MEANS:
        return (
            f"With skewed differences {words} does not compare means: equal means are called "
            f"different more often than stated ({simulated}){_SEE}"
        )
    kind = "right-or-wrong" if column == "binary" else "skewed"
    return (
        f"With {count(n_units, f'{kind} item')} {words} gives more false alarms than stated "
        f"({simulated}){_SEE}"
    )
