"""What was made lately and is made anew in the same way: answers, columns, pictures."""

from __future__ import annotations

import pickle
import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Any, Generic, TypeVar

T = TypeVar("T")


class Shelf(Generic[T]):
    """The latest things by their keys; the oldest leave when all weigh more than `most`.

    All sessions share it, so what stands in it must never be changed.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._weight = 0
        self._things: OrderedDict[Hashable, tuple[T, int]] = OrderedDict()
        self._lock = threading.Lock()

    def take(self, key: Hashable) -> T | None:
        """Return a thing, None where it is not there."""
        with self._lock:
            if key not in self._things:
                return None
            self._things.move_to_end(key)
            return self._things[key][0]

    def put(self, key: Hashable, thing: T, weight: int = 1) -> None:
        """Keep a thing."""
        with self._lock:
            self._weight += weight - self._things.get(key, (None, 0))[1]
            self._things[key] = thing, weight
            self._things.move_to_end(key)
            while self._weight > self._most:
                self._weight -= self._things.popitem(last=False)[1][1]

    def made(self, made_of: Any, make: Callable[[], T]) -> T:
        """Return what `make` makes of something, kept by all bytes of that: never of a sample.

        What cannot be written as bytes is made anew each time.
        """
        try:
            key = pickle.dumps(made_of, pickle.HIGHEST_PROTOCOL)
        except (TypeError, AttributeError, pickle.PicklingError):
            return make()
        if (found := self.take(key)) is None:
            self.put(key, found := make(), len(key))
        return found
