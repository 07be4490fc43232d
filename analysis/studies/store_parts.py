"""Parts of a study that each read the store: worked on here, or by workers that open it too."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, TypeVar

from analysis.workers.parts import Progress, UnfitWorkerError, each
from store.engine import Store, open_store
from store.errors import StoreError
from store.kept_settings import Failures

Part = TypeVar("Part")
Found = TypeVar("Found")


def each_in_store(
    store: Store,
    work: Callable[[Store, Part], Found],
    parts: Sequence[Part],
    progress: Progress | None = None,
) -> Iterator[Found]:
    """Yield ``work(store, part)`` for each part, in order: see `each`.

    `work` is a function of a module, or a `partial` of one, so that it can be sent.
    """
    sent = _Opened(work, store.address, store.read_only, store.keeps_results, store.failures)
    yield from each(partial(work, store), parts, progress=progress, sent=sent)


@dataclass(frozen=True, slots=True)
class _Opened:
    """The same work in another process, which opens the store for it."""

    work: Callable[[Store, Any], Any]
    address: str = field(repr=False)
    read_only: bool
    keeps_results: bool
    failures: Failures | None

    def __call__(self, part: Any) -> Any:
        try:
            opened = open_store(
                self.address, read_only=self.read_only, keeps_results=self.keeps_results
            )
        except StoreError as error:
            raise UnfitWorkerError(f"a worker does not reach the store: {error}") from None
        with opened as store:
            return self.work(store.counting(self.failures), part)
