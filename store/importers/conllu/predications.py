"""Complete predications: has a verb the dependents that it has in the gold tree, and no others?"""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

from store.importers.bundle import FloatArray
from store.importers.conllu.corpus import Aligned, BoolArray, IntArray, Trees


def predication_scores(aligned: Aligned, verbs: Collection[str]) -> dict[str, FloatArray]:
    """Return UCP and LCP, the unlabelled and labelled complete predications (Plank et al. 2015).

    A verb counts when the gold tree gives it a dependent that is not punctuation. It is right
    when its dependents in both trees are the same tokens; for LCP each must have its gold label.
    Punctuation is never a dependent here.

    Parameters
    ----------
    aligned
        The trees.
    verbs
        Gold parts of speech that are verbs.

    Returns
    -------
    By name, shape (n_sentences, 2): verbs that are right, and verbs that count.
    """
    gold, predicted = aligned.gold, aligned.predicted
    is_dependent = ~aligned.is_punctuation
    is_verb = np.isin(aligned.tag, list(verbs)) & (_dependents(gold, is_dependent) > 0)
    is_moved = is_dependent & (gold.head != predicted.head)
    is_renamed = is_dependent & (gold.label != predicted.label)
    is_same = (_dependents(gold, is_moved) == 0) & (_dependents(predicted, is_moved) == 0)
    is_labelled = is_same & (_dependents(gold, is_renamed) == 0)
    return {
        "UCP": aligned.per_sentence(is_same, is_verb),
        "LCP": aligned.per_sentence(is_labelled, is_verb),
    }


def _dependents(trees: Trees, counted: BoolArray) -> IntArray:
    """Return how many of the tokens that count hang from each token."""
    found: IntArray = np.bincount(trees.head[counted], minlength=trees.n_tokens + 1)
    return found[:-1]
