"""Entries of a plan that say the same of many files, shown as one."""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import replace

from store.importers.bundle import Guess
from store.importers.key_columns import OF_WHOLE_FILE
from store.importers.plan import PlanEntry, PlannedDataset, PlannedMetric

_QUOTED = re.compile("'[^']*'")
_FEWEST = 10
"""Entries that are put together; fewer are read sooner one by one."""


def put_together(entries: Sequence[PlanEntry], most_names: int) -> list[PlanEntry]:
    """Return entries with those as one that differ in names and figures alone, in their order.

    What is asked, answered or left out stays by itself. Of the values of a guess the first
    `most_names` are kept.
    """
    groups: dict[Hashable, list[PlanEntry]] = {}
    for number, entry in enumerate(entries):
        groups.setdefault(_kind(entry) or number, []).append(entry)
    found: list[PlanEntry] = []
    for alike in groups.values():
        found += [_joined(alike, most_names)] if len(alike) >= _FEWEST else alike
    return found


def _kind(entry: PlanEntry) -> Hashable:
    """Return what entries that are alike have in common; ``None``: it stays by itself."""
    if entry.questions or entry.answered or entry.reason or not entry.read_as:
        return None
    return (
        entry.read_as,
        entry.state,
        tuple((one.name, one.higher_is_better) for one in entry.metrics),
        tuple(_QUOTED.sub("…", sentence) for sentence in entry.understood),
        tuple((one.subject, one.because) for one in entry.guesses),
    )


def _joined(alike: Sequence[PlanEntry], most_names: int) -> PlanEntry:
    largest: dict[tuple[str, str], PlannedDataset] = {}
    for dataset in (one for entry in alike for one in entry.datasets):
        key = dataset.name, dataset.version
        largest[key] = max(largest.get(key, dataset), dataset, key=_size)
    return replace(
        alike[0],
        files=[file for entry in alike for file in entry.files],
        systems=list(dict.fromkeys(name for entry in alike for name in entry.systems)),
        datasets=list(largest.values()),
        metrics=[_range(of_all) for of_all in zip(*(e.metrics for e in alike), strict=True)],
        understood=list(_sentences(alike)),
        text_bytes=sum(entry.text_bytes for entry in alike),
        guesses=[_named(one, most_names) for one in zip(*(e.guesses for e in alike), strict=True)],
    )


def _size(dataset: PlannedDataset) -> tuple[int, int]:
    """Return the new items and all items of a dataset: what brings most stands for all."""
    return dataset.n_items - (dataset.n_known or 0), dataset.n_items


def _sentences(alike: Sequence[PlanEntry]) -> Iterator[str]:
    """Yield what was made of the files; of sentences that differ in names the first, as one.

    The system and the dataset of a whole file stand in the plan by themselves.
    """
    for same in zip(*(entry.understood for entry in alike), strict=True):
        if len(set(same)) == 1:
            yield same[0]
        elif not same[0].startswith(OF_WHOLE_FILE):
            yield f"{same[0]} So the others, with other names."


def _range(metrics: Sequence[PlannedMetric]) -> PlannedMetric:
    return replace(
        metrics[0],
        lowest=min((one.lowest for one in metrics if one.lowest is not None), default=None),
        highest=max((one.highest for one in metrics if one.highest is not None), default=None),
    )


def _named(guesses: Sequence[Guess], most_names: int) -> Guess:
    values = list(dict.fromkeys(one.value for one in guesses))
    more = len(values) - most_names
    named = ", ".join(values[:most_names]) + (f" and {more:,} more" if more > 0 else "")
    return replace(guesses[0], value=named)
