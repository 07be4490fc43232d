"""Files of one import that call the questions of one dataset by other names: texts tell them alike.

A table of Ragas names items by their question, beside a file of answers that numbers them: each
system would miss all items of the other file.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from store.importers.bundle import BundleDataset, BundleItem, Guess, ImportBundle
from store.importers.named_items import told_of
from store.spelling import composed

_ENOUGH = 0.8
"""Share of the items of a file whose texts another one has, from which they are the same."""
_FEWEST = 3
_QUESTIONS = ("query", "question", "user_input", "prompt", "input", "instruction")
"""Properties of items that hold what was asked."""


class _Known(NamedTuple):
    """The items of a dataset as files before call them."""

    items: dict[str, BundleItem]
    """By text; several of one text are left out."""
    keys: set[str]


def with_same_questions(bundles: Sequence[ImportBundle]) -> list[ImportBundle]:
    """Return the bundles, items called as in the first file that asks the same.

    Only guessed datasets of one name are compared, and only files without a common item.
    """
    found = list(bundles)
    order = sorted(range(len(bundles)), key=lambda n: _are_texts(bundles[n]))
    known: dict[str, _Known] = {}
    for number in order:
        bundle = bundles[number]
        for place, dataset in _guessed(bundle):
            before = known.setdefault(composed(dataset.name), _Known({}, set()))
            renamed = _renamed(dataset, before)
            if renamed is not None:
                datasets = [*found[number].datasets]
                datasets[place] = replace(dataset, items=renamed)
                told = Guess("items", f"those of {dataset.name}", "the same texts in other files")
                found[number] = replace(
                    found[number], datasets=datasets, guesses=[*found[number].guesses, told]
                )
            _remember(renamed or told_of(dataset.items), before)
    return found


def _guessed(bundle: ImportBundle) -> Iterator[tuple[int, BundleDataset]]:
    guessed = {one.value for one in bundle.guesses if one.subject == "dataset"}
    for place, dataset in enumerate(bundle.datasets if bundle.files else ()):
        if dataset.name in guessed and not dataset.version:
            yield place, dataset


def _are_texts(bundle: ImportBundle) -> bool:
    """Return whether items are called by their texts; ids of other files go before them."""
    items = [item for one in bundle.datasets for item in told_of(one.items)]
    return bool(items) and 2 * sum(" " in item.key for item in items) > len(items)


def _text_of(item: BundleItem) -> str:
    told: Mapping[str, object] = item.metadata or {}
    asked = (told.get(name) for name in _QUESTIONS)
    texts = (item.input_text, *asked, item.content_hash, item.key)
    return " ".join(next(text for text in texts if isinstance(text, str) and text).split())


def _remember(items: Sequence[BundleItem], known: _Known) -> None:
    counts: dict[str, int] = {}
    for item in items:
        text = _text_of(item)
        counts[text] = counts.get(text, 0) + 1
        if text != item.key:
            known.items.setdefault(text, item)
    for text, count in counts.items():
        if count > 1:
            known.items.pop(text, None)
    known.keys.update(item.key for item in items)


def _renamed(dataset: BundleDataset, known: _Known) -> list[BundleItem] | None:
    """Return the items called as before; ``None`` where they are others, or called so already."""
    items = told_of(dataset.items)
    if len(items) < _FEWEST or not known.items or any(item.key in known.keys for item in items):
        return None
    before = [known.items.get(_text_of(item)) for item in items]
    keys = [item.key for item in before if item is not None]
    if len(keys) < _ENOUGH * len(items) or len(set(keys)) < len(keys):
        return None
    return [
        item if one is None else replace(item, key=one.key, content_hash=one.content_hash)
        for item, one in zip(items, before, strict=True)
    ]
