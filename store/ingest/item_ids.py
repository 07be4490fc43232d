"""Items that come under ids which a person calls the same: `7`, `007` and `7.0`."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, NamedTuple

import sqlalchemy as sa

from store.engine import Store
from store.importers.bundle import BundleDataset, BundleItem, ImportBundle, Question
from store.importers.named_items import NamedItems, keys_of
from store.ingest.items import last_link
from store.lookup import merged_dataset
from store.models import Dataset, Item
from store.spelling import BySpelling, composed

_WHOLE = re.compile(r"0*([0-9]+)(?:\.0+)?")
_CAPITALS: Final = "capitals"
_SAME: Final = "same"
_OTHER: Final = "other"


class _Stored(NamedTuple):
    id: int
    n_items: int
    chain_hash: str


_DATASETS: Final = sa.select(
    Dataset.name, Dataset.version, Dataset.id, Dataset.n_items, Dataset.chain_hash
).where(Dataset.deleted_at.is_(None))


def _plain_number(key: str) -> str:
    found = _WHOLE.fullmatch(key)
    return key if found is None else found[1]


_STEPS: Final[Mapping[str, Callable[[str], str]]] = {
    "spellings of accents": composed,
    "blanks": lambda key: " ".join(key.split()),
    _CAPITALS: str.casefold,
    "zeros in front and .0": _plain_number,
}
"""What a looser reading ignores -> what makes it so."""


@dataclass(slots=True)
class _Known:
    """Ids of a dataset that were there before a file."""

    stored: set[str]
    come: set[str] = field(default_factory=set)
    """With earlier files of the import; none of them is stored."""

    def lacks(self, keys: Iterable[str]) -> set[str]:
        if self.stored.issuperset(keys):
            return set()
        return set(keys).difference(self.stored, self.come)


class Recognised(NamedTuple):
    """A bundle whose items are called as they were before, where somebody said so."""

    bundle: ImportBundle
    n_known: Sequence[int | None]
    """Items of each dataset that the store has; ``None``: it has none of the dataset."""


class ItemIds:
    """Ids of items in the store and in the files that were seen so far.

    Parameters
    ----------
    store
        ``None``: there is none yet.
    case_matters
        Ids that differ in capitals are different without a question.
    """

    def __init__(self, store: Store | None, *, case_matters: bool = False) -> None:
        self._store = store
        self._steps = {k: v for k, v in _STEPS.items() if not (case_matters and k == _CAPITALS)}
        self._known: dict[str, _Known] = {}
        self._datasets: BySpelling[_Stored] = BySpelling({})
        if store is not None:
            with store.read() as connection:
                rows = connection.execute(_DATASETS).all()
            stored = {f"{row.name}\0{row.version}": _Stored(*row[2:]) for row in rows}
            self._datasets = BySpelling(stored)

    def recognise(
        self, bundle: ImportBundle, answers: Mapping[str, str], *, take_guesses: bool
    ) -> Recognised:
        """Compare ids of a bundle with those before it; ask where a looser reading joins more.

        A looser reading that makes two ids of one side the same is told and not taken.
        """
        datasets, questions, told = list(bundle.datasets), [], []
        n_known: list[int | None] = []
        for place, dataset in enumerate(datasets):
            if not dataset.items or self._is_stored(dataset):
                n_known.append(len(dataset.items) or None)
                continue
            known, keys = self._before(dataset), keys_of(dataset.items)
            name, version = composed(dataset.name), composed(dataset.version)
            label = f"{name}@{version}" if version else name
            subject = f"dataset {label}: items whose ids look alike"
            said = answers.get(subject, _SAME if take_guesses else None)
            lacking = known.lacks(keys)
            pairs, doubt = self._pairs(keys, lacking, known)
            if doubt and said != _OTHER:
                told.append(f"Dataset '{dataset.name}': {doubt}, so no ids were joined.")
            if pairs:
                because = self._because(pairs, len(keys), len(keys) - len(lacking))
                questions.append(Question(subject, _SAME, (_SAME, _OTHER), because))
            if pairs and said == _SAME:
                keys = [pairs.get(key, key) for key in keys]
                datasets[place] = replace(dataset, items=_called(dataset.items, keys))
                lacking = known.lacks(keys)
            new = lacking | known.come.intersection(keys)
            n_known.append(len(keys) - len(new) if known.stored else None)
            if said is not None or not pairs:
                known.come |= lacking
        if questions or told:
            bundle = replace(
                bundle,
                datasets=datasets,
                understood=[*bundle.understood, *told],
                questions=[*bundle.questions, *questions],
            )
        return Recognised(bundle, n_known)

    def _is_stored(self, dataset: BundleDataset) -> bool:
        """Return whether the items are those of the store, in its order: no id is read for that."""
        row, items = self._datasets.get(f"{dataset.name}\0{dataset.version}"), dataset.items
        if row is None or row.n_items != len(items) or not isinstance(items, NamedItems):
            return False
        return row.chain_hash == last_link(items)

    def _before(self, dataset: BundleDataset) -> _Known:
        label = f"{dataset.name}\0{dataset.version}"
        known = self._known.get(composed(label))
        if known is None:
            known = self._known[composed(label)] = _Known(self._stored(dataset, label))
        return known

    def _stored(self, dataset: BundleDataset, label: str) -> set[str]:
        if self._store is None:
            return set()
        with self._store.read() as connection:
            row = self._datasets.get(label)
            name, version = composed(dataset.name), composed(dataset.version)
            found = row.id if row else merged_dataset(connection, name, version)
            if found is None:
                return set()
            keys = sa.select(Item.key).where(Item.dataset_id == found)
            return set(connection.scalars(keys).all())

    def _loose(self, key: str, without: str = "") -> str:
        for name, step in self._steps.items():
            if name != without:
                key = step(key)
        return key

    def _alike(self, keys: Iterable[str], wanted: Collection[str]) -> dict[str, list[str]]:
        """Return loose id -> the keys that are read so, of those that are wanted."""
        found: dict[str, list[str]] = {}
        for key in keys:
            loose = self._loose(key)
            if loose in wanted:
                found.setdefault(loose, []).append(key)
        return found

    def _pairs(
        self, keys: Sequence[str], lacking: Collection[str], known: _Known
    ) -> tuple[dict[str, str], str]:
        """Return new id -> the id before it that is meant, or none and what is in doubt."""
        if not lacking or not (known.stored or known.come):
            return {}, ""
        before = self._alike(known.stored | known.come, set(map(self._loose, lacking)))
        coming = self._alike(keys if before else (), before)
        for ids, where in ((coming, "in the file"), (before, "before it")):
            if doubts := [sorted(alike) for alike in ids.values() if len(alike) > 1]:
                first, second, *_ = min(doubts)
                return {}, f"'{first}' and '{second}' {where} look like one id"
        return {alike[0]: before[loose][0] for loose, alike in coming.items()}, ""

    def _because(self, pairs: Mapping[str, str], n_items: int, n_known: int) -> str:
        """Say how many items are known, and how many a looser reading would know."""
        ignored = [
            name
            for name in self._steps
            if any(self._loose(a, name) != self._loose(b, name) for a, b in pairs.items())
        ]
        what = " and ".join([", ".join(ignored[:-1]), ignored[-1]] if ignored[1:] else ignored)
        alike = ", ".join(f"'{a}' is '{b}'" for a, b in list(pairs.items())[:1])
        return (
            f"{n_known:,} of {n_items:,} items are known; {n_known + len(pairs):,} if {what} are "
            f"ignored, so that {alike}"
        )


def _called(items: Sequence[BundleItem], keys: Sequence[str]) -> Sequence[BundleItem]:
    if isinstance(items, NamedItems):
        return NamedItems(keys)
    return [replace(item, key=key) for item, key in zip(items, keys, strict=True)]
