"""Who leads on each dataset, and is the lead real?"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Final

from analysis import numbers
from analysis.studies.leaderboard import study_leaderboard
from analysis.studies.study import listed
from store.datasets import list_datasets
from store.engine import Store
from store.records import Record
from store.runs import list_coverage

MOST_BOARDS: Final = 30
MOST_WORK: Final = 100_000_000
"""Systems, squared, times items, of all boards together: a few seconds, the first time."""


@dataclass(frozen=True, slots=True)
class Lead(Record):
    """The first of a board, on the metric that most of its systems have."""

    dataset: str
    dataset_uid: str
    metric: str
    leader: str
    """The system in the first place; several that share it are listed."""
    score: str
    """With the decimals that it supports."""
    lead: str
    """"real", "tie of n" or "cannot tell", as on the board; empty where it cannot be tested."""
    n_systems: int
    """With item scores."""


@dataclass(frozen=True, slots=True)
class Leads(Record):
    """The leads of all boards with two systems or more, those with most systems first."""

    rows: tuple[Lead, ...]
    n_left_out: int
    """Further boards, for which there was no time here."""


def find_leads(store: Store) -> Leads:
    """Return who leads on each dataset that has item scores of two systems."""
    n_systems = Counter(cell.dataset_uid for cell in list_coverage(store) if cell.n_scored)
    boards = [dataset for dataset in list_datasets(store) if n_systems[dataset.uid] > 1]
    boards.sort(key=lambda d: (-n_systems[d.uid], d.label.casefold()))
    rows: list[Lead] = []
    work = 0
    for dataset in boards:
        this = n_systems[dataset.uid] ** 2 * dataset.n_items
        if work + this > MOST_WORK or len(rows) == MOST_BOARDS:
            continue
        work += this
        study = study_leaderboard(store, dataset.uid)
        first = [row for row in study.rows if row.rank == 1]
        rows.append(
            Lead(
                dataset=dataset.label,
                dataset_uid=dataset.uid,
                metric=study.metric.label,
                leader=listed([row.label for row in first], most=3),
                score=numbers.fixed(first[0].score, study.decimals),
                lead=study.lead,
                n_systems=n_systems[dataset.uid],
            )
        )
    return Leads(tuple(rows), len(boards) - len(rows))
