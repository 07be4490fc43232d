"""What a process of its own can be asked: a question, or one of the longer lists of pages."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, cast

from analysis.question import Progress, Question
from analysis.studies.claims.audit import study_changes
from analysis.studies.comparable import find_comparables
from analysis.studies.item_changes import study_item_changes
from analysis.studies.kept_answers import kept_answer
from analysis.studies.leads import find_leads
from analysis.workers.on_dask import described
from store.damage import Found, blamed, found_so_far, seen_anywhere
from store.engine import Store, open_store
from store.errors import StoreError

LISTS: Final[Mapping[str, Callable[..., Any]]] = {
    "leads": find_leads,
    "comparables": find_comparables,
    "item changes": lambda store, a, b, dataset, metric: study_item_changes(
        store, a, b, dataset=dataset, metric=metric
    ),
    "claim changes": study_changes,
    "workers of Dask": lambda _store, address: described(address),
}
"""Name -> what answers it, given a store and arguments."""


@dataclass(frozen=True, slots=True)
class Task:
    """Work on a store: a question, or the name of a list with its arguments."""

    asked: Question[Any] | str
    arguments: tuple[Any, ...] = ()
    location: str | None = None
    """Of the store; ``None`` for a question that needs none."""
    read_only: bool = False

    def run(self, progress: Progress | None) -> tuple[Any, Found]:
        """Open the store, answer, and return the answer with what was found damaged."""
        if self.location is None:
            return self.answer(None, progress), {}
        with open_store(self.location, read_only=self.read_only) as store:
            try:
                return self.answer(store, progress), found_so_far()
            except StoreError:
                raise
            except Exception as error:
                raise blamed(seen_anywhere()) or error from error

    def answer(self, store: Store | None, progress: Progress | None) -> Any:
        """Return the answer."""
        if isinstance(self.asked, str):
            return LISTS[self.asked](store, *self.arguments)
        if store is None:
            return self.asked.answer(cast("Store", None), progress)
        return kept_answer(self.asked, store, progress)
