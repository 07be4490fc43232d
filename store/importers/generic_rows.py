"""To which system, dataset, item, metric, run and trial each row of a table belongs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from store.errors import ImportFormatError
from store.importers.bundle import RowProblems
from store.importers.columnar import Coded, Codes, combined, first_rows, smallest, together
from store.importers.generic_forms import Plan
from store.importers.key_columns import SETTINGS, IntArray, KeyReader
from store.importers.settings import Settings
from store.importers.tables import Table

_VERSION_MARK = "\0"
"""Stands between name and version of a dataset; no text file can hold it."""


class Names:
    """Distinct names in order of first appearance, and their numbers."""

    __slots__ = ("_index", "all")

    def __init__(self, names: Iterable[str] = ()) -> None:
        """`names`: distinct, numbered in their order."""
        self.all = list(names)
        self._index: dict[str, int] | None = None
        """Name -> number; made when it is asked for, since it takes as much as the names."""

    @property
    def index(self) -> Mapping[str, int]:
        """The number of each name."""
        return self._numbered()

    def _numbered(self) -> dict[str, int]:
        if self._index is None:
            self._index = {name: number for number, name in enumerate(self.all)}
        return self._index

    def number(self, name: str) -> int:
        """Return the number of a name, a new one for a new name."""
        number = self._numbered().setdefault(name, len(self.all))
        if number == len(self.all):
            self.all.append(name)
        return number

    def __getitem__(self, number: int) -> str:
        return self.all[number]

    def __iter__(self) -> Iterator[str]:
        return iter(self.all)

    def __len__(self) -> int:
        return len(self.all)


@dataclass(frozen=True, slots=True, eq=False)
class RowKeys:
    """What the usable rows of a table belong to; all arrays have one entry per usable row."""

    usable: IntArray | None
    """Index in the table of each usable row; ``None``: all are."""
    n_rows: int
    system: Codes | None
    """``None`` when each column belongs to one system."""
    dataset: Codes
    item: Codes
    """Position of the item in its dataset."""
    metric: Codes | None
    """``None`` when each column belongs to one metric."""
    run: Codes
    trial: Codes
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
    advice: str = ""
    """What helps against rows that score an item again."""

    def row(self, number: int) -> int:
        """Return where in the table a usable row stands."""
        return number if self.usable is None else int(self.usable[number])

    def of(self, column: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Return the usable rows of a column of the table."""
        return column if self.usable is None else column[self.usable]


def read_keys(table: Table, plan: Plan, settings: Settings, problems: RowProblems) -> RowKeys:
    """Find out what each row belongs to; rows that do not say are reported and left out."""
    reader = KeyReader(table, plan.roles, settings, problems)
    is_long = plan.scores[0].metric is None
    by_row = plan.scores[0].system is None
    texts: dict[str, Coded] = {}
    for role in ("system", "dataset", "metric", "run"):
        if (role == "system" and not by_row) or (role == "metric" and not is_long):
            continue
        texts[role] = reader.named(role, getattr(settings, SETTINGS[role]) or "")
    if "system" in texts:
        texts["system"] = reader.identified(texts["system"])
    if "run" not in plan.roles and "seed" in plan.roles:
        texts["run"] = reader.column("seed").map(lambda seed: f"seed={seed}" if seed else "")
    if "dataset_version" in plan.roles:
        versions = reader.column("dataset_version")
        texts["dataset"] = combined([texts["dataset"], versions]).map(_VERSION_MARK.join)
    texts["item"] = reader.column("item")
    trials, n_trials = reader.trials()

    if not reader.is_usable.any():
        problems.raise_if_any()
        raise ImportFormatError(
            "no row can be used: the table has a header only.", path=table.shown
        )
    is_whole = bool(reader.is_usable.all())
    found = {role: column.rows(reader.is_usable) for role, column in texts.items()}
    items, item = _item_positions(found["dataset"], found["item"])
    no_names = Coded([], np.empty(0, np.int8))
    return RowKeys(
        None if is_whole else np.flatnonzero(reader.is_usable),
        int(reader.is_usable.sum()),
        found["system"].codes if by_row else None,
        found["dataset"].codes,
        item,
        found["metric"].codes if is_long else None,
        found["run"].codes,
        trials if is_whole else trials[reader.is_usable],
        Names(found.get("system", no_names).values),
        Names(found["dataset"].values),
        items,
        Names(found.get("metric", no_names).values),
        Names(found["run"].values),
        n_trials,
        tuple(reader.understood),
        reader.identities,
    )


def dataset_identity(key: str) -> tuple[str, str]:
    """Return name and version of an entry of `RowKeys.datasets`."""
    name, _, version = key.partition(_VERSION_MARK)
    return name, version


def _item_positions(datasets: Coded, keys: Coded) -> tuple[tuple[Names, ...], Codes]:
    """Return the items of each dataset, and for each row the place of its item among them."""
    if len(datasets.values) == 1:
        return (Names(keys.values),), keys.codes
    (of_pair, key_of_pair), codes = together(
        [datasets.codes, keys.codes], [len(datasets.values), len(keys.values)]
    )
    order = np.argsort(first_rows(codes, len(of_pair)))
    order = order[np.argsort(of_pair[order], kind="stable")]  # by dataset, in order of appearance
    sizes = np.bincount(of_pair, minlength=len(datasets.values))
    begins = np.cumsum(sizes) - sizes
    place = np.empty(len(of_pair), smallest(int(sizes.max())))
    place[order] = np.arange(len(order)) - np.repeat(begins, sizes)
    names = list(map(keys.values.__getitem__, key_of_pair[order].tolist()))
    bounds = zip(begins.tolist(), sizes.tolist(), strict=True)
    return tuple(Names(names[begin : begin + size]) for begin, size in bounds), place[codes]
