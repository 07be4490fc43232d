"""Tree edit distance between two dependency trees over the same words.

No code of the distance that Plank et al. (2015) used (Tsarfaty et al. 2011, 2012) is public. What
is computed here is defined here.

A tree is ordered: all tokens without a head hang from one virtual root, and dependents stand in the
order of the sentence, on whichever side of their head. A node is a token with its label. To delete
a node, its dependents taking its place, costs 1; to insert one costs 1; a node is never renamed,
since that would cost as much as both. The virtual root stays and is not counted. With |G| and |P|
nodes the score is ``1 − TED / (|G| + |P|)``: 1 for equal trees, 0 when no node can be kept.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from store.importers.bundle import FloatArray
from store.importers.conllu.corpus import Aligned, IntArray, Trees

_ROOT = -1


@dataclass(frozen=True, slots=True)
class _Order:
    """Where the nodes of an ordered tree stand when it is walked from the root."""

    first: list[int]
    """Place of the node in the walk."""
    after: list[int]
    """Place after the last node below it."""


def tree_edit_scores(aligned: Aligned) -> FloatArray:
    """Return ``|G| + |P| − TED`` and ``|G| + |P|`` of each sentence.

    Tokens that are not scored are deleted from both trees beforehand; what hangs from them hangs
    from the nearest token above that is scored. Heads in a circle are opened, see `opened`.

    Returns
    -------
    Shape (n_sentences, 2).
    """
    gold, predicted = aligned.gold, aligned.predicted
    scores = np.zeros((len(gold.start) - 1, 2))
    for sentence in range(len(scores)):
        first, kept = scored_heads(aligned, gold, sentence)
        second, _ = scored_heads(aligned, predicted, sentence)
        can_match = (gold.label[kept] == predicted.label[kept]).tolist()
        scores[sentence] = 2 * _n_kept(first, second, can_match), 2 * len(first)
    return scores


def scored_heads(aligned: Aligned, trees: Trees, sentence: int) -> tuple[list[int], IntArray]:
    """Return the tree that the scored tokens of a sentence form when all others are deleted.

    Returns
    -------
    The head of each scored token, from 0 among them, -1 for the root; and the tokens' numbers among
    all tokens of the file.
    """
    low, high = int(trees.start[sentence]), int(trees.start[sentence + 1])
    is_kept = aligned.is_scored[low:high]
    heads = _without(opened(trees.local_heads(sentence)), is_kept.tolist())
    return heads, low + np.flatnonzero(is_kept)


def tree_edit_distance(
    first: Sequence[int],
    second: Sequence[int],
    first_labels: Sequence[str],
    second_labels: Sequence[str],
) -> int:
    """Return how many deletions and insertions turn one tree into the other.

    Parameters
    ----------
    first, second
        Head of each token, from 0; -1 is the root. Without circles.
    first_labels, second_labels
        Label of each token.

    Raises
    ------
    ValueError
        The `first` and `second` tree are not over the same number of tokens.
    """
    lengths = {len(first), len(second), len(first_labels), len(second_labels)}
    if len(lengths) != 1:
        raise ValueError("`first`, `second` and their labels must be equally long")
    can_match = [one == other for one, other in zip(first_labels, second_labels, strict=True)]
    return len(first) + len(second) - 2 * _n_kept(first, second, can_match)


def opened(heads: Sequence[int]) -> list[int]:
    """Return heads without circles: the first token of each circle hangs from the root instead."""
    result = list(heads)
    reached = [0] * len(result)  # by the walk of that number
    for start in range(len(result)):
        node = start
        while node != _ROOT and not reached[node]:
            reached[node] = start + 1
            node = result[node]
        if node != _ROOT and reached[node] == start + 1:
            circle = [node]
            while result[circle[-1]] != node:
                circle.append(result[circle[-1]])
            result[min(circle)] = _ROOT
    return result


def depth(heads: Sequence[int]) -> int:
    """Return how many tokens the longest way from the root passes; heads without circles."""
    depths = [0] * len(heads)
    for start in range(len(heads)):
        way = [start]
        while not depths[way[-1]] and heads[way[-1]] != _ROOT:
            way.append(heads[way[-1]])
        for node in reversed(way):
            depths[node] = 1 + (depths[heads[node]] if heads[node] != _ROOT else 0)
    return max(depths, default=0)


def _without(heads: Sequence[int], is_kept: Sequence[bool]) -> list[int]:
    """Return the heads of the tokens that are kept, numbered anew."""
    number = {_ROOT: _ROOT}
    for token, kept in enumerate(is_kept):
        if kept:
            number[token] = len(number) - 1
    result = []
    for token in number:
        if token != _ROOT:
            head = heads[token]
            while head not in number:
                head = heads[head]
            result.append(number[head])
    return result


def _n_kept(first: Sequence[int], second: Sequence[int], can_match: Sequence[bool]) -> int:
    """Return how many nodes of two trees an edit of least cost keeps.

    A set of nodes can be kept if and only if each two of them are above, below, left or right of
    each other alike in both trees (Tai 1979). Since a token matches itself alone, the largest set
    with a node at its top is that node and the best row of such sets below it, each left of the
    next in both trees. Nodes are taken from below; O(m log m) for the m nodes below one.
    """
    one, other = _walk(first), _walk(second)
    best = [0] * len(first)
    for node in sorted(range(len(first)), key=lambda n: one.first[n], reverse=True):
        if can_match[node]:
            low, high = one.first[node], one.after[node]
            start, end = other.first[node], other.after[node]
            below = [
                n
                for n in range(len(first))
                if low < one.first[n] < high and start < other.first[n] < end and can_match[n]
            ]
            best[node] = 1 + _best_row(below, best, one, other)
    return _best_row([n for n in range(len(first)) if can_match[n]], best, one, other)


def _best_row(nodes: Sequence[int], best: Sequence[int], one: _Order, other: _Order) -> int:
    """Return the largest sum of `best` over nodes each of which is left of the next."""
    opening = sorted(nodes, key=lambda n: one.first[n])
    closing = sorted(nodes, key=lambda n: one.after[n])
    row: dict[int, int] = {}
    ends, sums = [0], [0]  # the best row that ends at or before a place of the other tree
    closed = 0
    for node in opening:
        while closed < len(closing) and one.after[closing[closed]] <= one.first[node]:
            _enter(ends, sums, other.after[closing[closed]], row[closing[closed]])
            closed += 1
        row[node] = best[node] + sums[bisect_right(ends, other.first[node]) - 1]
    return max(row.values(), default=0)


def _enter(ends: list[int], sums: list[int], end: int, total: int) -> None:
    """Note that a row with that sum ends there; both lists stay strictly increasing."""
    place = bisect_right(ends, end)
    if sums[place - 1] >= total:
        return
    beaten = bisect_right(sums, total, lo=place)
    start = bisect_left(ends, end)
    ends[start:beaten] = [end]
    sums[start:beaten] = [total]


def _walk(heads: Sequence[int]) -> _Order:
    """Return the order of a tree's nodes: each before those below it, these in the sentence's."""
    below: list[list[int]] = [[] for _ in range(len(heads) + 1)]
    for node in reversed(range(len(heads))):
        below[heads[node]].append(node)  # the root's are in the last list
    first, after = [0] * len(heads), [0] * len(heads)
    size = [1] * len(heads)
    walked: list[int] = []
    waiting = list(below[_ROOT])
    while waiting:
        node = waiting.pop()
        first[node] = len(walked)
        walked.append(node)
        waiting.extend(below[node])
    for node in reversed(walked):
        after[node] = first[node] + size[node]
        if heads[node] != _ROOT:
            size[heads[node]] += size[node]
    return _Order(first, after)
