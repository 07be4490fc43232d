"""Runs as other tools' files need them: scores by item, with texts and provenance."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
import sqlalchemy as sa

from store.datasets import get_dataset, list_items
from store.engine import Store
from store.errors import StoreError
from store.importers.kinds import COMPONENTS, FloatArray
from store.metrics import list_metrics
from store.models import Item, ItemText, Output, Run
from store.records import ItemRecord, MetricRecord, RunRecord
from store.run_scores import scores_in_turn
from store.runs import list_runs
from store.text_checks import only_whole


class ScoredMetric(NamedTuple):
    """The scores of a run on a metric."""

    metric: MetricRecord
    value: float
    """Over the items, as the store has it."""
    scores: FloatArray
    """Shape (n_items,); NaN where there is no score."""


@dataclass(frozen=True, slots=True, eq=False)
class ExportedRun:
    """One trial of a run with all that the store knows of its items."""

    run: RunRecord
    trial: int
    items: list[ItemRecord]
    scores: list[ScoredMetric]
    inputs: dict[int, str]
    """Position -> text, of items that have one."""
    references: dict[int, str]
    outputs: dict[int, str]

    @property
    def name(self) -> str:
        """What tells it apart among all runs, in words."""
        parts = [self.run.label or self.run.uid, *([f"trial {self.trial}"] * bool(self.trial))]
        return " ".join(parts)


def exported_runs(store: Store, dataset: str | None = None) -> Iterator[ExportedRun]:
    """Yield the trials of all runs with one score an item, the oldest run first.

    Metrics that are made of counts (BLEU, F1) have no such score and are left out.
    """
    wanted = None if dataset is None else get_dataset(store, dataset).uid
    metrics = {metric.uid: metric for metric in list_metrics(store)}
    items: dict[str, list[ItemRecord]] = {}
    runs = list(reversed(list_runs(store, dataset_uid=wanted)))
    for run, found in scores_in_turn(store, runs):
        of_dataset = items.setdefault(run.dataset_uid, [])
        of_dataset = of_dataset or list_items(store, run.dataset_uid)
        items[run.dataset_uid] = of_dataset
        values = {(one.metric_uid, one.trial): one.value for one in run.vectors}
        by_trial: dict[int, list[ScoredMetric]] = {}
        for vector in found:
            metric = metrics[vector.metric_uid]
            value = values.get((metric.uid, vector.trial))
            if len(COMPONENTS[metric.aggregation]) == 1 and value is not None:
                column = np.full(len(of_dataset), np.nan)
                column[: len(vector.scores)] = vector.scores[:, 0]
                by_trial.setdefault(vector.trial, []).append(ScoredMetric(metric, value, column))
        inputs, references = _texts(store, run)
        for trial, scores in sorted(by_trial.items()):
            outputs = _outputs(store, run, trial)
            yield ExportedRun(run, trial, of_dataset, scores, inputs, references, outputs)


def new_folder(store: Store, path: Path, dataset: str | None) -> None:
    """Make the folder of an export; it does not exist yet, or is empty.

    Raises
    ------
    NotFoundError
        There is no such dataset.
    StoreError
        There is something in the folder, or it is a file.
    """
    if dataset is not None:
        get_dataset(store, dataset)
    if path.exists() and (not path.is_dir() or any(path.iterdir())):
        raise StoreError(f"{path} exists already: name another folder with --out.")
    path.mkdir(parents=True, exist_ok=True)


def file_name(text: str) -> str:
    """Return a name as part of a path that every system takes."""
    return re.sub(r"[^\w.-]+", "_", text).strip("._")[:80] or "_"


def _texts(store: Store, run: RunRecord) -> tuple[dict[int, str], dict[int, str]]:
    query = (
        sa.select(Item.position, ItemText.input_text, ItemText.reference_text)
        .join(ItemText, ItemText.item_id == Item.id)
        .join(Run, Run.dataset_id == Item.dataset_id)
        .where(Run.uid == run.uid)
    )
    own = sa.select(Item.id).join(Run, Run.dataset_id == Item.dataset_id).where(Run.uid == run.uid)
    with store.read() as connection:
        whole = only_whole(connection, ItemText, ItemText.item_id.in_(own))
        rows = connection.execute(query.where(whole)).all()
    return (
        {row.position: row.input_text for row in rows if row.input_text is not None},
        {row.position: row.reference_text for row in rows if row.reference_text is not None},
    )


def _outputs(store: Store, run: RunRecord, trial: int) -> dict[int, str]:
    query = (
        sa.select(Item.position, Output.text)
        .join(Output, Output.item_id == Item.id)
        .join(Run, Run.id == Output.run_id)
        .where(Run.uid == run.uid, Output.trial == trial)
    )
    own = sa.select(Run.id).where(Run.uid == run.uid)
    with store.read() as connection:
        whole = only_whole(connection, Output, Output.run_id.in_(own))
        return {row.position: row.text for row in connection.execute(query.where(whole))}
