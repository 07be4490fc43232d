"""What is in the store, how complete it is, and what changed last."""

from __future__ import annotations

from dataclasses import dataclass

from analysis.studies.study import Study, count, listed
from store.datasets import list_datasets
from store.engine import Store
from store.history import list_events
from store.records import CoverageCell, EventRecord
from store.runs import list_coverage, list_runs
from store.systems import list_systems


@dataclass(frozen=True, slots=True, eq=False)
class Overview(Study):
    """Counts, coverage of systems × datasets, the latest changes."""

    n_systems: int
    n_datasets: int
    n_runs: int
    n_items: int
    n_reported: int
    coverage: tuple[CoverageCell, ...]
    events: tuple[EventRecord, ...]

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to look at yet."""
        return not (self.n_systems or self.n_datasets)


def study_overview(store: Store) -> Overview:
    """Return what the store holds."""
    systems, datasets = list_systems(store), list_datasets(store)
    runs, coverage = list_runs(store), list_coverage(store)
    partial = [cell for cell in coverage if 0 < cell.n_scored < cell.n_items]
    scored = [run for run in runs if run.vectors]
    unfinished = [run for run in runs if not run.complete]
    warnings = []
    if partial:
        named = listed([f"{cell.system} on {cell.dataset}" for cell in partial], most=4)
        warnings.append(f"Only partly scored: {named}.")
    if unfinished:
        warnings.append(f"{count(len(unfinished), 'run')} did not finish.")
    n_items = sum(dataset.n_items for dataset in datasets)
    return Overview(
        sentence=(
            f"{count(len(systems), 'system')} on {count(len(datasets), 'dataset')}. "
            f"{count(len(scored), 'run')} with item scores, over {count(n_items, 'item')} in all; "
            f"{count(sum(d.n_reported for d in datasets), 'score')} as reported."
        ),
        signature=f"overview|store:{store.revision()}",
        warnings=tuple(warnings),
        store_revision=store.revision(),
        n_systems=len(systems),
        n_datasets=len(datasets),
        n_runs=len(runs),
        n_items=n_items,
        n_reported=sum(dataset.n_reported for dataset in datasets),
        coverage=tuple(coverage),
        events=tuple(list_events(store, limit=20)),
    )
