"""Which systems can be compared across datasets, on what, and with which evidence."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from itertools import permutations
from typing import Literal

from store.engine import Store
from store.reported import list_reported_comparisons
from store.runs import list_runs

Basis = Literal["items", "reported"]


@dataclass(frozen=True, slots=True, eq=False)
class Comparables:
    """For each ordered pair of systems the number of shared datasets, by basis and metric."""

    shared: dict[tuple[str, str], dict[tuple[Basis, str], int]]
    reported_pairs: tuple[tuple[str, str], ...]
    """Pairs for which some source states p-values, in the order of the sources."""

    def systems(self) -> list[str]:
        """Return every system that can be compared with another one, by name."""
        return sorted({a for a, _ in self.shared}, key=str.casefold)

    def partners(self, system: str) -> list[str]:
        """Return the systems that `system` can be compared with, by name."""
        return sorted((b for a, b in self.shared if a == system), key=str.casefold)

    def bases(self, a: str, b: str) -> list[Basis]:
        """Return the kinds of evidence there are on a pair, item scores first."""
        return sorted({basis for basis, _ in self.shared.get((a, b), {})})

    def metrics(self, a: str, b: str, basis: Basis) -> list[str]:
        """Return the labels of the metrics for a pair, that on most datasets first."""
        found = self.shared.get((a, b), {})
        counts = {metric: n for (kind, metric), n in found.items() if kind == basis}
        return sorted(counts, key=lambda metric: -counts[metric])  # then as first stored


def find_comparables(store: Store) -> Comparables:
    """Return all pairs of systems that share a dataset with item scores or a reported p-value."""
    scored: dict[tuple[str, str], set[str]] = defaultdict(set)
    for run in reversed(list_runs(store)):  # the oldest first
        for vector in run.vectors:
            if vector.n_scored:
                scored[run.dataset_uid, vector.metric].add(run.system)
    shared: dict[tuple[str, str], dict[tuple[Basis, str], int]] = defaultdict(
        lambda: defaultdict(int)
    )
    for (_, metric), systems in scored.items():
        for pair in permutations(systems, 2):
            shared[pair]["items", metric] += 1
    stated = list_reported_comparisons(store)
    for comparison in stated:
        for pair in permutations((comparison.system_a, comparison.system_b), 2):
            shared[pair]["reported", comparison.metric] += 1
    return Comparables(
        shared={pair: dict(found) for pair, found in shared.items()},
        reported_pairs=tuple(dict.fromkeys((c.system_a, c.system_b) for c in stated)),
    )
