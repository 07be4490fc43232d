"""Runs that list only what succeeded: the dataset in the store says what else was tried."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import sqlalchemy as sa

from store.engine import Change
from store.errors import ImportFormatError
from store.importers.bundle import BundleDataset, BundleItem, BundleRun, ImportBundle, Status
from store.models import Dataset, Item
from store.spelling import composed


def completed(change: Change, bundle: ImportBundle) -> ImportBundle:
    """Return a bundle whose runs with `rest_failed` hold every item that the store has.

    Raises
    ------
    ImportFormatError
        The store does not have the dataset, or not all items that the run lists.
    """
    short = sorted({run.dataset for run in bundle.runs if run.rest_failed})
    if not short:
        return bundle
    datasets = list(bundle.datasets)
    for number in short:
        wanted = datasets[number]
        keys = _keys_in_store(change, wanted)
        listed = {item.key for item in wanted.items}
        if not listed <= set(keys):
            raise ImportFormatError(
                f"lists only what succeeded, and the store does not know the items of "
                f"'{wanted.name}'. Import a run first that lists them all, or import this one with "
                "the predictions or logs that say what was run.",
                path=bundle.files[0].path if bundle.files else "",
            )
        new = [BundleItem(key) for key in keys if key not in listed]
        datasets[number] = replace(wanted, items=(*wanted.items, *new))
    runs = [_lengthened(run, bundle, len(datasets[run.dataset].items)) for run in bundle.runs]
    return replace(bundle, datasets=datasets, runs=runs)


def _keys_in_store(change: Change, wanted: BundleDataset) -> list[str]:
    rows = change.session.scalars(sa.select(Dataset).where(Dataset.deleted_at.is_(None)))
    names = composed(wanted.name), composed(wanted.version)
    found = (row.id for row in rows if (composed(row.name), composed(row.version)) == names)
    keys = sa.select(Item.key).where(Item.dataset_id == next(found, None)).order_by(Item.position)
    return list(change.session.scalars(keys))


def _lengthened(run: BundleRun, bundle: ImportBundle, n_items: int) -> BundleRun:
    """Return a run with the added items: failed where the rest failed, else not attempted."""
    scores = []
    for one in run.scores:
        metric = bundle.metrics[one.metric]
        is_share = metric.lower == 0 and metric.upper == 1
        rest = 0.0 if run.rest_failed and is_share else np.nan
        n_more = n_items - len(one.values)
        more = np.full((n_more, one.values.shape[1]), rest)
        scores.append(replace(one, values=np.concatenate([one.values, more])))
    status = Status.OK if run.rest_failed else Status.NOT_ATTEMPTED
    statuses = {
        trial: np.concatenate([known, np.full(n_items - len(known), status, np.uint8)])
        for trial, known in run.statuses.items()
    }
    return replace(run, scores=scores, statuses=statuses)
