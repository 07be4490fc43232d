"""Dependency trees as SVG: words in a row, arcs above them, what two trees have apart marked.

Colours come from `reading.css` by the classes set here. No sign is a colour alone: an arc that the
other tree lacks is thick; beside a gold tree a wrong one is dashed and its label ends in ✗, and one
that is right where the other tree is wrong ends in ✓.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from html import escape
from typing import Final, Literal, NamedTuple

Sign = Literal["", "own", "right", "wrong"]

_WORD, _LABEL, _BOLD = 7.8, 6.4, 7.6
"""Width of a character of a word and of a label, in px; a wide one counts twice."""
_GAP, _PAD, _LEVEL, _ARROW = 14.0, 14.0, 23.0, 5.0
_TOP: Final = 20.0
_BELOW: Final = 46.0
"""Room for the words and their parts of speech."""
_NEAR: Final = 110.0
"""A label is no further from the word that it speaks of, however long the arc is."""
_PORT: Final = 5.0
"""Between two arcs that leave a word on the same side."""


class Tree(NamedTuple):
    """One analysis of a sentence; a head is the place of a word, from 1, or 0 for the root."""

    words: tuple[str, ...]
    tags: tuple[str, ...]
    heads: tuple[int, ...]
    labels: tuple[str, ...]


class Arc(NamedTuple):
    """An arc as it is drawn: `head` and `word` from 0, `head` None at the root."""

    head: int | None
    word: int
    label: str
    level: int
    sign: Sign
    moved: bool
    """Whether the head is another one than in the other (or gold) tree; else only the label is."""

    @property
    def ends(self) -> tuple[int, int]:
        """The first and the last word under the arc."""
        other = self.word if self.head is None else self.head
        return min(self.word, other), max(self.word, other)


def signs_of(tree: Tree, other: Tree | None, gold: Tree | None) -> tuple[Sign, ...]:
    """Return a sign for every word's arc.

    Without a gold tree an arc (head or label) that `other` lacks is the tree's "own". With one an
    arc that it lacks is "wrong", and one that it has and `other` lacks is "right".
    """

    def has(beside: Tree | None, word: int) -> bool:
        if beside is None:
            return True
        mine = (tree.heads[word], tree.labels[word])
        return mine == (beside.heads[word], beside.labels[word])

    places = range(len(tree.heads))
    if gold is None:
        return tuple("" if has(other, word) else "own" for word in places)
    return tuple(
        "wrong" if not has(gold, word) else "" if has(other, word) else "right" for word in places
    )


def arcs_of(tree: Tree, other: Tree | None = None, gold: Tree | None = None) -> list[Arc]:
    """Return the arcs with the lowest levels at which no two lie on each other."""
    signs = signs_of(tree, other, gold)

    def is_moved(word: int) -> bool:
        beside = gold if signs[word] == "wrong" else other
        return bool(signs[word]) and beside is not None and beside.heads[word] != tree.heads[word]

    arcs = [
        Arc(head - 1 if head else None, word, tree.labels[word], 0, signs[word], is_moved(word))
        for word, head in enumerate(tree.heads)
    ]
    placed: list[Arc] = []
    short_first = sorted(arcs, key=lambda arc: (arc.head is None, arc.ends[1] - arc.ends[0]))
    for arc in short_first:
        low, high = arc.ends
        if arc.head is None:  # above all that touches its word
            under = [a.level for a in placed if a.ends[0] <= low <= a.ends[1]]
        else:
            under = [a.level for a in placed if a.ends[0] < high and low < a.ends[1]]
        placed.append(arc._replace(level=1 + max(under, default=0)))
    return sorted(placed, key=lambda arc: arc.word)


def places_of(trees: Sequence[Tree]) -> list[float]:
    """Return the middle of each word's column, and the width of the picture at the end.

    All `trees` are of one sentence: in equal columns they can be compared by eye.
    """
    words = trees[0].words
    wide = [
        max(_width(word, _WORD), *(_width(tree.tags[k], _LABEL) for tree in trees))
        for k, word in enumerate(words)
    ]
    places: list[float] = []
    at = _PAD
    for k, width in enumerate(wide):
        middle = at + width / 2
        if k:
            middle = max(middle, places[-1] + _needed(trees, k - 1))
        places.append(middle)
        at = middle + width / 2 + _GAP
    return [*places, at - _GAP + _PAD]


def tree_svg(
    tree: Tree,
    *,
    title: str,
    key: str,
    other: Tree | None = None,
    gold: Tree | None = None,
    places: Sequence[float] | None = None,
    levels: int = 0,
) -> str:
    """Draw a tree.

    Parameters
    ----------
    tree
        What is drawn.
    title
        Whose tree it is, for readers who hear it.
    key
        Unique on the page: the SVG's ids begin with it.
    other
        The tree it is compared with.
    gold
        The right one, where it is shown; then arcs are right or wrong.
    places
        As `places_of` gives them for all trees of the sentence.
    levels
        At least so many levels high, so that words of several trees stand in one row.

    Raises
    ------
    ValueError
        `other` or `gold` has another number of words.
    """
    for name, beside in (("other", other), ("gold", gold)):
        if beside is not None and len(beside.heads) != len(tree.heads):
            raise ValueError(
                f"`{name}` has {len(beside.heads)} words, `tree` has {len(tree.heads)}"
            )
    xs = list(places_of([tree]) if places is None else places)
    arcs = arcs_of(tree, other, gold)
    base = _TOP + _LEVEL * max([levels, *(arc.level for arc in arcs)])
    width, height = xs[-1], base + _BELOW
    starts = _starts(arcs, xs)
    drawn = "".join(_arc(arc, xs, starts, base) for arc in sorted(arcs, key=_late_if_marked))
    words = "".join(
        f'<text class="word{_marked(arc)}" x="{x:.1f}" y="{base + 18:.1f}">{escape(word)}</text>'
        f'<text class="tag" x="{x:.1f}" y="{base + 35:.1f}">{escape(tag)}</text>'
        for word, tag, x, arc in zip(tree.words, tree.tags, xs, arcs, strict=False)
    )
    return (
        f'<svg class="tree" role="img" aria-labelledby="{escape(key)}-t {escape(key)}-d" '
        f'width="{width:.0f}" height="{height:.0f}" viewBox="0 0 {width:.0f} {height:.0f}">'
        f'<title id="{escape(key)}-t">{escape(title)}</title>'
        f'<desc id="{escape(key)}-d">{escape(told(tree, arcs))}</desc>{drawn}{words}</svg>'
    )


def told(tree: Tree, arcs: Sequence[Arc]) -> str:
    """Say the arcs in words, those with a sign marked."""
    also = {
        "": "",
        "own": " (only here)",
        "right": " (right, wrong in the other)",
        "wrong": " (wrong)",
    }
    parts = []
    for arc in arcs:
        head = "the root" if arc.head is None else f"under {tree.words[arc.head]}"
        parts.append(f"{tree.words[arc.word]}: {head}, {arc.label}{also[arc.sign]}")
    return "; ".join(parts) + "."


def _needed(trees: Sequence[Tree], left: int) -> float:
    """Return how far a word's middle is from that of the next, so that their arc has its label."""
    labels = [
        tree.labels[word]
        for tree in trees
        for word, head in ((left, left + 2), (left + 1, left + 1))
        if tree.heads[word] == head
    ]
    return max((_width(label, _LABEL) + 44 for label in labels), default=0.0)


def _width(text: str, per_character: float) -> float:
    wide = sum(unicodedata.east_asian_width(character) in "WF" for character in text)
    return (len(text) + wide) * per_character


def _starts(arcs: Sequence[Arc], xs: Sequence[float]) -> dict[int, float]:
    """Return by the dependent word where an arc leaves its head: beside those that end there."""
    starts: dict[int, float] = {}
    for head in {arc.head for arc in arcs if arc.head is not None}:
        for side in (-1, 1):
            own = [a for a in arcs if a.head == head and (a.word - head) * side > 0]
            for k, arc in enumerate(sorted(own, key=lambda a: -abs(a.word - head))):
                starts[arc.word] = xs[head] + side * min(_PORT * (k + 1), 3 * _PORT)
    return starts


def _arc(arc: Arc, xs: Sequence[float], starts: dict[int, float], base: float) -> str:
    end, top = xs[arc.word], base - _LEVEL * arc.level
    kind = f"arc {arc.sign}" + (" moved" if arc.moved else "")
    foot = base + 2 - _ARROW
    if arc.head is None:
        line, middle = f"M{end:.1f} {top:.1f}V{foot:.1f}", end
    else:
        start = starts[arc.word]
        bend = min(9.0, _LEVEL / 2) * (1 if end > start else -1)
        line = (
            f"M{start:.1f} {base + 2:.1f}V{top + abs(bend):.1f}q0 {-abs(bend):.1f} {bend:.1f} "
            f"{-abs(bend):.1f}H{end - bend:.1f}q{bend:.1f} 0 {bend:.1f} {abs(bend):.1f}V{foot:.1f}"
        )
        side = 1 if start > end else -1
        middle = end + side * min(abs(start - end) / 2, _NEAR)
    sign = {"right": " ✓", "wrong": " ✗"}.get(arc.sign, "")
    label = arc.label + sign
    half = (_width(label, _BOLD) / 2 + 5) if _marked(arc) else (_width(label, _LABEL) / 2 + 2)
    return (
        f'<g class="{kind}"><path class="line" d="{line}"/>'
        f'<path class="tip" d="M{end:.1f} {base + 3:.1f}l-3.5 -7h7z"/>'
        f'<rect x="{middle - half:.1f}" y="{top - 8:.1f}" width="{2 * half:.1f}" height="13"/>'
        f'<text class="label" x="{middle:.1f}" y="{top + 2.5:.1f}">{escape(label)}</text></g>'
    )


def _late_if_marked(arc: Arc) -> tuple[bool, int]:
    """Draw what is marked last, so that it lies on top."""
    return arc.sign in ("own", "wrong"), -arc.level


def _marked(arc: Arc) -> str:
    return " marked" if arc.sign in ("own", "wrong") else ""
