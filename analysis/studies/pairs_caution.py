"""Where a test or a correction of all pairs, asked for by name, does not keep its level alone."""

from __future__ import annotations

from collections import Counter

import numpy as np

from analysis.statistics._typing import FloatArray
from analysis.statistics.aggregate import CORRELATIONS
from analysis.statistics.all_pairs.result import Pairwise
from analysis.statistics.all_pairs.tukey import own_errors
from analysis.studies.calibrated import STRONG_SKEWNESS, caution
from analysis.studies.pairs_words import PairsSettings


def caution_about(
    result: Pairwise, scores: FloatArray, settings: PairsSettings, *, clustered: bool
) -> str:
    """Say where what was asked for by name is known not to keep its level, else nothing.

    `scores`: of items, or of units of several; `clustered`: items come in groups, and the test
    was not told.
    """
    told = [_of_test(result, scores, clustered=clustered)] if settings.test != "auto" else []
    return "".join(f"{words} " for words in (*told, _of_tukey(result, scores)) if words)


def _of_test(result: Pairwise, scores: FloatArray, *, clustered: bool) -> str:
    """Say what most of the pairs concerned have to be told."""
    first, second = np.triu_indices(result.n_systems, 1)
    skewness = np.full(first.size, np.nan)
    binary = np.zeros(first.size, np.bool_)
    if result.aggregation == "mean":
        from analysis.statistics.all_pairs.difference_facts import difference_facts  # compiles

        skewness = difference_facts(scores, first, second).items.skewness
        shares = np.array([np.isin(row[~np.isnan(row)], (0.0, 1.0)).all() for row in scores])
        binary = shares[first] & shares[second]
    elif result.aggregation not in CORRELATIONS:
        return ""
    units = result.n_units[first, second]
    strong = np.abs(np.nan_to_num(skewness)) >= STRONG_SKEWNESS
    found = Counter(
        caution(
            result.test,
            n_units=int(n),
            skewness=STRONG_SKEWNESS if skewed else 0.0,
            clustered=clustered,
            binary=bool(shares_only),
        )
        for n, skewed, shares_only in zip(units, strong, binary, strict=True)
    )
    n_told = found.total() - found.pop("", 0)
    if not n_told:
        return ""
    words = found.most_common(1)[0][0]
    if n_told == first.size:
        return words
    return f"On {n_told:,} of {first.size:,} pairs: {words[0].lower()}{words[1:]}"


def _of_tukey(result: Pairwise, scores: FloatArray) -> str:
    """Say where Tukey's HSD is made more careful, else nothing."""
    if result.correction != "tukey" or own_errors(scores) is None:
        return ""
    return (
        "Tukey's HSD takes all pairs to scatter alike, and these do not: each pair also goes by "
        "its own standard error, and the larger p counts. Single-step max-T does not need that."
    )
