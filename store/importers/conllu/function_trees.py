"""Tree edit distance between function trees, after Tsarfaty et al. (2011, 2012).

A token with dependents becomes a node with the token's label over all words below it, and among its
daughters a node "hd" over the token alone; any other token becomes a node with its label. Words
stay, nodes are deleted and inserted at a cost of 1 each. Since all words stay, a node can be kept
if and only if the other tree has one with the same label over the same words, so that the distance
is the number of nodes that only one of the trees has.

The original's code is not public, so that this is our reading of it. The words of a node need not
stand together (heads may cross), and the predicted tree is compared with the gold tree alone, not
with a generalisation over several annotation schemes.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from store.importers.bundle import FloatArray
from store.importers.conllu.corpus import Aligned
from store.importers.conllu.tree_edit import scored_heads

_ROOT = -1
_HEAD_DAUGHTER = "hd"
Node = tuple[str, int]
"""A label, and the words as bits."""


def function_tree_scores(aligned: Aligned) -> FloatArray:
    """Return ``|G| + |P| − TED`` and ``|G| + |P|`` of each sentence, in nodes of function trees.

    Tokens that are not scored and circles are treated as in `tree_edit.tree_edit_scores`.

    Returns
    -------
    Shape (n_sentences, 2).
    """
    scores = np.zeros((len(aligned.gold.start) - 1, 2))
    for sentence in range(len(scores)):
        nodes = []
        for trees in (aligned.gold, aligned.predicted):
            heads, kept = scored_heads(aligned, trees, sentence)
            nodes.append(function_tree(heads, trees.label[kept].tolist()))
        scores[sentence] = 2 * len(nodes[0] & nodes[1]), len(nodes[0]) + len(nodes[1])
    return scores


def function_tree(heads: Sequence[int], labels: Sequence[str]) -> set[Node]:
    """Return the nodes of the function tree; heads count from 0, -1 is the root, no circles."""
    words = [1 << token for token in range(len(heads))]
    for token in range(len(heads)):
        above = heads[token]
        while above != _ROOT:
            words[above] |= 1 << token
            above = heads[above]
    nodes = set(zip(labels, words, strict=True))
    has_dependents = {head for head in heads if head != _ROOT}
    return nodes | {(_HEAD_DAUGHTER, 1 << token) for token in has_dependents}
