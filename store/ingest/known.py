"""What an import has found of names so far: the store is asked once, not again for each file."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar, cast

import sqlalchemy as sa

from store.engine import Change
from store.importers.bundle import BundleMetric
from store.lookup import names_of
from store.models import Dataset, Metric
from store.spelling import BySpelling, composed

T = TypeVar("T")
_NAMES = "names that an import knows"


@dataclass(frozen=True, slots=True)
class KnownSystems:
    """How the systems of the store can be called."""

    ids: BySpelling[int]
    by_case: dict[str, str]
    """A name without capitals -> as it is written."""

    def add(self, name: str, system_id: int) -> None:
        """Take in a new name or alias."""
        self.ids.add(name, system_id)
        self.by_case[composed(name).casefold()] = name


def known_systems(change: Change) -> KnownSystems:
    """Return the names and aliases of the living systems; a name goes before an alias."""

    def read() -> KnownSystems:
        names, aliases = names_of(change.session.connection(), "system")
        found = BySpelling({name.typed: name.id for name in names})
        for alias in aliases:
            if found.get(alias.typed) is None:
                found.add(alias.typed, alias.id)
        by_case = {composed(name.typed).casefold(): name.typed for name in (*names, *aliases)}
        return KnownSystems(found, by_case)

    return _held(change, "systems", read)


def known_metrics(change: Change) -> BySpelling[Metric]:
    """Return the metrics of the store by `label_of`."""

    def read() -> BySpelling[Metric]:
        return BySpelling({label_of(m): m for m in change.session.scalars(sa.select(Metric))})

    return _held(change, "metrics", read)


def known_datasets(change: Change) -> dict[tuple[str, str], Dataset]:
    """Return the datasets, by name and version as written, that the import came across."""
    return _held(change, "datasets", dict)


def forget(change: Change) -> None:
    """Ask the store again, since a part of the import was taken back."""
    change.session.info.pop(_NAMES, None)


def label_of(metric: BundleMetric | Metric) -> str:
    """Return name and signature, which together say which metric it is, as one text."""
    return f"{metric.name}\0{metric.signature}"


def _held(change: Change, what: str, read: Callable[[], T]) -> T:
    held: dict[str, Any] = change.session.info.setdefault(_NAMES, {})
    if what not in held:
        held[what] = read()
    return cast(T, held[what])
