"""To which system, dataset, item, metric, run and trial each row of a table belongs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from store.errors import ImportFormatError
from store.importers.bundle import RowProblems
from store.importers.generic_forms import Plan
from store.importers.key_columns import SETTINGS, IntArray, KeyReader
from store.importers.settings import Settings
from store.importers.tables import Table

_VERSION_MARK = "\0"
"""Stands between name and version of a dataset; no text file can hold it."""


@dataclass(slots=True)
class Names:
    """Distinct names in order of first appearance, and their numbers."""

    index: dict[str, int] = field(default_factory=dict)

    def number(self, name: str) -> int:
        """Return the number of a name, a new one for a new name."""
        return self.index.setdefault(name, len(self.index))

    def numbers(self, names: Sequence[str]) -> IntArray:
        """Return the number of each name."""
        for name in dict.fromkeys(names):
            self.number(name)
        return np.fromiter(map(self.index.__getitem__, names), np.int64, len(names))

    def __getitem__(self, number: int) -> str:
        return list(self.index)[number]

    def __iter__(self) -> Any:
        return iter(self.index)

    def __len__(self) -> int:
        return len(self.index)


@dataclass(frozen=True, slots=True, eq=False)
class RowKeys:
    """What the usable rows of a table belong to; all arrays have one entry per usable row."""

    rows: IntArray
    """Index of the row in the table."""
    system: IntArray | None
    """``None`` when each column belongs to one system."""
    dataset: IntArray
    item: IntArray
    """Position of the item in its dataset."""
    metric: IntArray | None
    """``None`` when each column belongs to one metric."""
    run: IntArray
    trial: IntArray
    systems: Names
    datasets: Names
    """Read an entry with `dataset_identity`."""
    items: tuple[Names, ...]
    """Per dataset the item keys in order."""
    metrics: Names
    runs: Names
    n_trials: int
    understood: tuple[str, ...]
    identities: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """System -> what a revision, a back-end and such columns state of it."""


def read_keys(table: Table, plan: Plan, settings: Settings, problems: RowProblems) -> RowKeys:
    """Find out what each row belongs to; rows that do not say are reported and left out."""
    reader = KeyReader(table, plan.roles, settings, problems)
    is_long = plan.scores[0].metric is None
    by_row = plan.scores[0].system is None
    texts: dict[str, Sequence[str]] = {}
    for role in ("system", "dataset", "metric", "run"):
        if (role == "system" and not by_row) or (role == "metric" and not is_long):
            continue
        texts[role] = reader.named(role, getattr(settings, SETTINGS[role]) or "")
    if "system" in texts:
        texts["system"] = reader.identified(texts["system"])
    if "run" not in plan.roles and "seed" in plan.roles:
        texts["run"] = [f"seed={s}" if s else "" for s in reader.column("seed")]
    if "dataset_version" in plan.roles:
        versions = reader.column("dataset_version")
        pairs = zip(texts["dataset"], versions, strict=True)
        texts["dataset"] = [name + _VERSION_MARK + version for name, version in pairs]
    texts["item"] = reader.column("item")
    trials, n_trials = reader.trials()

    rows = np.flatnonzero(reader.is_usable)
    if len(rows) == 0:
        problems.raise_if_any()
        raise ImportFormatError(
            "no row can be used: the table has a header only.", path=table.shown
        )

    def usable(values: Sequence[str]) -> Sequence[str]:
        return values if len(rows) == len(values) else [values[i] for i in rows.tolist()]

    systems, datasets, metrics, runs = Names(), Names(), Names(), Names()
    dataset = datasets.numbers(usable(texts["dataset"]))
    items = tuple(Names() for _ in datasets)
    item = _item_positions(items, dataset, usable(texts["item"]))
    return RowKeys(
        rows,
        systems.numbers(usable(texts["system"])) if by_row else None,
        dataset,
        item,
        metrics.numbers(usable(texts["metric"])) if is_long else None,
        runs.numbers(usable(texts["run"])),
        trials[rows],
        systems,
        datasets,
        items,
        metrics,
        runs,
        n_trials,
        tuple(reader.understood),
        reader.identities,
    )


def dataset_identity(key: str) -> tuple[str, str]:
    """Return name and version of an entry of `RowKeys.datasets`."""
    name, _, version = key.partition(_VERSION_MARK)
    return name, version


def _item_positions(items: Sequence[Names], dataset: IntArray, keys: Sequence[str]) -> IntArray:
    if len(items) == 1:
        return items[0].numbers(keys)
    pairs = zip(dataset.tolist(), keys, strict=True)
    return np.fromiter((items[d].number(key) for d, key in pairs), np.int64, len(keys))
