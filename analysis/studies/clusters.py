"""Which items hang together, so that they are drawn or exchanged together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from analysis.statistics.registry import TESTS
from analysis.studies.study import count
from analysis.studies.test_names import to_statistics
from store.errors import StoreError


class Clusters(NamedTuple):
    """The groups that an analysis treats as its independent units."""

    groups: list[str | None] | None
    """Group of each item; ``None`` = every item stands for itself."""
    n_groups: int
    note: str
    """What a reader must know about it; empty when there are no groups."""


def choose_clusters(
    labels: Sequence[str | None],
    wanted: bool | None,
    *,
    in_units: bool = False,
    test: str = "auto",
) -> Clusters:
    """Return the clusters of a dataset's items.

    Parameters
    ----------
    labels
        Group of each item as the dataset declares it; ``None`` = no group.
    wanted
        ``True`` and ``False`` decide; by default groups are clusters wherever they join items.
    in_units
        Whether items are cut into evaluation units, which groups cannot be at once.
    test
        As a person asks for it. One that takes items as independent and was asked for by name is
        answered so, unless clusters are asked for, too.

    Raises
    ------
    StoreError
        Groups and evaluation units are both asked for.
    """
    if in_units and wanted:
        raise StoreError(
            "`--clusters` and `--unit-size` (or `--shuffle-seed`) exclude each other: units are "
            "cut across groups. Leave one of them out."
        )
    declared = {label for label in labels if label is not None}
    n_groups = len(declared) + sum(label is None for label in labels)
    if not declared or n_groups == len(labels):
        return Clusters(None, len(labels), "")
    if in_units:
        return Clusters(
            None,
            n_groups,
            f"Evaluation units are cut across the {count(n_groups, 'group')} of the items: if the "
            "items of a group depend on each other, the intervals are too narrow.",
        )
    name = to_statistics(test)
    alone = wanted is None and name in TESTS and not TESTS[name].groups
    if wanted is False or alone:
        why = f", as the {TESTS[name].words.removeprefix('the ')} does" if alone else ""
        return Clusters(
            None,
            n_groups,
            f"The {count(n_groups, 'group')} of the items are ignored{why}: if the items of a "
            "group depend on each other, the intervals are too narrow.",
        )
    return Clusters(
        list(labels),
        n_groups,
        f"The items come in {count(n_groups, 'group')}, and items of one group are not "
        "independent: whole groups are the units of test and interval.",
    )


def has_groups(labels: Sequence[str | None]) -> bool:
    """Return whether some items share a group."""
    declared = [label for label in labels if label is not None]
    return len(set(declared)) < len(declared)
