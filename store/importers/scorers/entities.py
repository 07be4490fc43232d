"""Named entities out of tags, and the counts of span F1, by the rules of conlleval and seqeval."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal, TypeVar

import numpy as np

from store.errors import ImportFormatError
from store.importers.bundle import COMPONENTS, Aggregation, BundleMetric, FloatArray
from store.importers.scorers.metric import Outputs, Prepared, References

Entity = tuple[str, int, int]
"""Type, first word, word after the last."""
Scheme = Literal["IOB2", "IOBES"]
Parts = TypeVar("Parts")

_SAME = {"U": "S", "L": "E", "M": "I"}
"""Letters of BILOU and BMES that mean what those of IOBES do."""


def _split(tag: str) -> tuple[str, str]:
    """Return letter and type of a tag."""
    letter, kind = tag[0], tag[2:]
    return ("O", "") if tag == "O" else (_SAME.get(letter, letter), kind)


def lenient_entities(tags: Sequence[str]) -> set[Entity]:
    """Return the entities as conlleval finds them; an inside without a begin begins one.

    Source: Tjong Kim Sang's conlleval.pl; ``seqeval.metrics`` without ``mode="strict"``.
    """
    found: set[Entity] = set()
    begin, letter, kind = 0, "O", ""
    for i, tag in enumerate([*tags, "O"]):
        next_letter, next_kind = _split(tag)
        changes = next_kind != kind
        if letter != "O" and (letter in "ES" or next_letter in "BSO" or changes):
            found.add((kind, begin, i))
        if next_letter != "O" and (next_letter in "BS" or letter in "ESO" or changes):
            begin = i
        letter, kind = next_letter, next_kind
    return found


def strict_entities(tags: Sequence[str], scheme: Scheme) -> set[Entity]:
    """Return the entities that are written without fault: ``seqeval`` with ``mode="strict"``.

    IOB2: a begin and what is inside of the same type. IOBES: a single, or begin, inside, end.
    """
    found: set[Entity] = set()
    begin, kind = -1, ""
    for i, tag in enumerate([*tags, "O"]):
        letter, next_kind = _split(tag)
        goes_on = begin >= 0 and letter in "IE" and next_kind == kind
        if scheme == "IOB2":
            goes_on = goes_on and letter == "I"
            if begin >= 0 and not goes_on:
                found.add((kind, begin, i))
        elif goes_on and letter == "E":
            found.add((kind, begin, i + 1))
            goes_on = False
        if letter == "S" and scheme == "IOBES":
            found.add((next_kind, i, i + 1))
        if not goes_on:
            begin = i if letter == "B" else -1
            kind = next_kind
    return found


def scheme_of(references: References) -> Scheme | None:
    """Return how the gold is written; ``None`` where its entities need no begin (IOB1)."""
    tags = [text.split(" ") for rights in references for text in rights]
    if any(tag[0] in "ESUL" for each in tags for tag in each):
        return "IOBES"
    is_begun = all(strict_entities(each, "IOB2") == lenient_entities(each) for each in tags)
    return "IOB2" if is_begun else None


def _prepared(
    metric: BundleMetric,
    references: References,
    read: Callable[[Sequence[str]], Parts],
    compare: Callable[[Parts, Parts], tuple[int, ...]],
) -> Prepared:
    """Return a metric on tags, a blank between them: `read` both, `compare` given and right."""
    gold = [read(rights[0].split(" ")) for rights in references]
    missing = (np.nan,) * len(COMPONENTS[metric.aggregation])

    def values(outputs: Outputs) -> FloatArray:
        counts = [
            missing if text is None else compare(read(text.split(" ")), right)
            for text, right in zip(outputs, gold, strict=True)
        ]
        return np.array(counts, float).reshape(-1, len(missing))

    return Prepared(metric, values)


def _metric(name: str, signature: str, aggregation: Aggregation) -> BundleMetric:
    return BundleMetric(
        name,
        signature,
        higher_is_better=True,
        aggregation=aggregation,
        unit="proportion",
        lower=0.0,
        upper=1.0,
    )


def _overlap(given: set[Entity], right: set[Entity]) -> tuple[int, ...]:
    n_both = len(given & right)
    return n_both, len(given) - n_both, len(right) - n_both


def _agreement(given: Sequence[str], right: Sequence[str]) -> tuple[int, ...]:
    return sum(a == b for a, b in zip(given, right, strict=True)), len(right)


def span_f1(references: References, language: str) -> Prepared:
    """Prepare F1 of entities, found leniently."""
    metric = _metric("span_f1", "entities as conlleval finds them", "f1")
    return _prepared(metric, references, lenient_entities, _overlap)


def span_f1_strict(references: References, language: str) -> Prepared:
    """Prepare F1 of the entities that are written without fault in the gold's scheme."""
    scheme = scheme_of(references)
    if scheme is None:
        reason = "the gold has entities without a B- tag, so that none is at fault; leave "
        raise ImportFormatError(reason + "span_f1_strict out.", field="span_f1_strict")
    metric = _metric("span_f1_strict", f"entities without fault in {scheme}", "f1")
    return _prepared(metric, references, lambda tags: strict_entities(tags, scheme), _overlap)


def tag_accuracy(references: References, language: str) -> Prepared:
    """Prepare the share of words with the right tag."""
    metric = _metric("tag_accuracy", "words", "ratio")
    return _prepared(metric, references, lambda tags: tags, _agreement)
