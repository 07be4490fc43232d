"""Measures of a ranking against judgments of relevance, as trec_eval defines them.

A document counts as relevant from 1 on; gains are the judgments themselves, and unjudged documents
are not relevant.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Final

_DEEP: Final = 10
_WIDE: Final = 100
MEASURES: Final = ("map", f"ndcg_cut_{_DEEP}", "recip_rank", f"P_{_DEEP}", f"recall_{_WIDE}")
"""Called as trec_eval calls them; higher is better, 0 to 1."""


def measured(ranked: Sequence[str], relevance: Mapping[str, int]) -> dict[str, float]:
    """Return measure -> value for one topic.

    Parameters
    ----------
    ranked
        Documents, the best first.
    relevance
        Document -> how relevant it was judged.
    """
    gains = [max(relevance.get(document, 0), 0) for document in ranked]
    n_relevant = sum(judged > 0 for judged in relevance.values())
    n_found, precisions, first = 0, 0.0, 0
    for rank, gain in enumerate(gains, 1):
        if gain > 0:
            n_found += 1
            precisions += n_found / rank
            first = first or rank
    best = sorted((judged for judged in relevance.values() if judged > 0), reverse=True)
    ideal = _discounted(best[:_DEEP])
    values = (
        precisions / n_relevant if n_relevant else 0.0,
        _discounted(gains[:_DEEP]) / ideal if ideal else 0.0,
        1 / first if first else 0.0,
        sum(gain > 0 for gain in gains[:_DEEP]) / _DEEP,
        sum(gain > 0 for gain in gains[:_WIDE]) / n_relevant if n_relevant else 0.0,
    )
    return dict(zip(MEASURES, values, strict=True))


def _discounted(gains: Sequence[int]) -> float:
    return math.fsum(gain / math.log2(rank + 1) for rank, gain in enumerate(gains, 1))
