"""Items of which a source tells nothing but their names: a list of names, no object for each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from operator import eq
from typing import overload

from store.importers.bundle import BundleItem


class NamedItems(Sequence[BundleItem]):
    """Items that are made one by one as they are asked for."""

    __slots__ = ("keys", "last_link")

    def __init__(self, keys: Sequence[str]) -> None:
        self.keys = keys
        self.last_link = ""
        """Chain hash of the last of them, once it is worked out."""

    def __len__(self) -> int:
        return len(self.keys)

    @overload
    def __getitem__(self, place: int) -> BundleItem: ...
    @overload
    def __getitem__(self, place: slice) -> NamedItems: ...
    def __getitem__(self, place: int | slice) -> BundleItem | NamedItems:
        if isinstance(place, slice):
            return NamedItems(self.keys[place])
        return BundleItem(self.keys[place])

    def __iter__(self) -> Iterator[BundleItem]:
        return map(BundleItem, self.keys)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, NamedItems):
            return len(self) == len(other) and all(map(eq, self.keys, other.keys))
        return isinstance(other, Sequence) and list(self) == list(other)

    __hash__ = None  # type: ignore[assignment]


def keys_of(items: Sequence[BundleItem]) -> Sequence[str]:
    """Return the key of each item."""
    return items.keys if isinstance(items, NamedItems) else [item.key for item in items]


def told_of(items: Sequence[BundleItem]) -> Sequence[BundleItem]:
    """Return the items of which more than a key may be known."""
    return () if isinstance(items, NamedItems) else items
