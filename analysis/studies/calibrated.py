"""Where a test is known not to keep its error rate, in a sentence for the reader.

The figures are those of docs/calibration.md; a test compares the two. By hand: a row is here if
somebody choosing a test should hear of it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

from analysis.studies.study import count
from analysis.studies.test_names import IN_WORDS, to_statistics

STRONG_SKEWNESS = 1.0
"""From here on differences count as skewed; those simulated have a skewness of 2."""
GROUP_SIZE = 10
"""Items of a group in the simulation."""

FALSE_ALARMS: Mapping[str, Mapping[str, Mapping[int, str]]] = {}
"""By population and test: number of items, and false alarms where there are too many."""

_SIZES = (20, 50, 200, 1_000)
_OF_CORRELATIONS = {"steiger": "steiger pearson", "williams": "williams pearson"}
_NOT_OF_MEANS = ("wilcoxon", "sign", "signflip-median", "bootstrap-median")
_SEE = ": see docs/calibration.md."


def caution(
    test: str, *, n_units: int, skewness: float, clustered: bool, binary: bool
) -> str:
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
    words = f"the {IN_WORDS[name]}" if name in IN_WORDS else ""
