"""Which items of a dataset are looked at, and in which order."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, NamedTuple, cast

import numpy as np
import streamlit as st

from analysis import numbers
from analysis.studies.item_pairs import FACETS, Facet, ItemPair, thirds
from analysis.studies.items import ItemsStudy
from dashboard import data
from dashboard.ui import filters
from dashboard.ui.items import properties_of
from store.tags import OnItem
from store.text_search import find_in_texts

SORTS: Final = {
    "position": "as in the dataset",
    "hardest": "hardest first",
    "dividing": "those that divide the systems",
    "suspicious": "those that good systems fail on",
}
KEYS: Final = ("part", "find", "group", "length", "changed", "has", "tagged")
"""Parameters that leave items out."""
MOST_PROPERTIES: Final = 400


class Chosen(NamedTuple):
    """The items in view."""

    order: tuple[int, ...]
    """Their positions in the dataset."""
    against: str
    """What words are marked against: the other "output", or the "reference"."""
    parameters: dict[str, str | list[str]]
    """Of the address."""


def choose(study: ItemsStudy, pair: ItemPair, names: Sequence[str]) -> Chosen:
    """Draw what can be chosen; `names` are the one or two systems whose outputs are shown."""
    uid = study.dataset.uid
    items, on_items, lengths = data.items(uid), data.on_items(uid), data.text_lengths(uid)
    part = _choose_part(study, pair, *names) if len(names) == 2 else None
    with filters.filter_row("items_more"):
        words = filters.search("Find in texts", key="find", width=260)
        with st.popover("More filters"):
            sort = str(
                filters.choose_one(
                    "Order", list(SORTS), key="sort", name=SORTS.__getitem__, width=260
                )
            )
            groups = sorted({group for group in study.groups if group})
            wanted = filters.choose_some("Group", groups, key="group") if groups else []
            length = str(
                filters.choose_one(
                    "Length of the input", ["any", "short", "medium", "long"], key="length"
                )
            )
            changed = str(
                filters.choose_one(
                    "Output of A and B",
                    ["any", "true", "false"],
                    key="changed",
                    name={"any": "any", "true": "differ", "false": "are equal"}.__getitem__,
                )
            )
            known = {
                f"{n}={v}" for item in items for n, v in properties_of(item).items() if n != "group"
            }
            has = filters.choose_any(
                "Property", sorted(known)[:MOST_PROPERTIES], key="has", width=260
            )
            tags = sorted({tag for on_item in on_items.values() for tag in on_item.tags})
            tagged = filters.choose_any("Tag", tags, key="tagged", width=260)
            against = filters.choose_one(
                "Mark words that differ from",
                ["output", "reference"],
                key="against",
                name={"output": "the other output", "reference": "the reference"}.__getitem__,
            )
    keeps: list[Callable[[int], bool]] = []
    if part:
        keeps.append(lambda i: pair.facets[i] == part)
    if words:
        found = find_in_texts(data.current_store(), uid, words, tuple(names))
        keeps.append(lambda i: i in found)
    if len(wanted) < len(groups):
        keeps.append(lambda i: study.groups[i] in wanted)
    if length != "any" and lengths:
        low, high = thirds(list(lengths.values()))
        span = {"short": (-1.0, low), "medium": (low, high), "long": (high, np.inf)}[length]
        keeps.append(lambda i: i in lengths and span[0] < lengths[i] <= span[1])
    if changed != "any":
        keeps.append(lambda i: pair.changed[i] is (changed == "true"))
    if has:
        asked = [(name, value) for name, _, value in (one.partition("=") for one in has)]
        keeps.append(lambda i: all(properties_of(items[i]).get(n) == value for n, value in asked))
    if tagged:
        keeps.append(lambda i: {*tagged} <= {*on_items.get(study.keys[i], OnItem()).tags})
    order = {
        "position": tuple(range(len(study.keys))),
        "hardest": study.hardest,
        "dividing": study.dividing,
        "suspicious": study.suspicious,
    }[sort]
    parameters: dict[str, str | list[str]] = {
        **{"sort": sort, "part": part or "", "find": words, "has": has, "tagged": tagged},
        **{"group": wanted if len(wanted) < len(groups) else [], "against": str(against)},
        **{"length": length, "changed": changed},
    }
    kept = tuple(i for i in order if all(keep(i) for keep in keeps))
    return Chosen(kept, str(against), parameters)


def _choose_part(study: ItemsStudy, pair: ItemPair, a: str, b: str) -> Facet | None:
    words: dict[Facet, str] = {
        "a": f"{a} right, {b} wrong" if study.is_binary else f"{a} better",
        "b": f"{b} right, {a} wrong" if study.is_binary else f"{b} better",
        "neither": "both wrong",
        "both": "both right",
        "equal": "equal",
        "missing": "missing",
    }
    names = {"all": "all"} | {
        facet: f"{words[facet]}, {numbers.count(pair.count(facet))}"
        for facet in FACETS
        if pair.count(facet)
    }
    chosen = filters.choose_part("Items", list(names), key="part", name=names.__getitem__)
    return None if chosen == "all" else cast(Facet, chosen)
