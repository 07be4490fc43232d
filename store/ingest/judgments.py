"""Judgments of a bundle into the store."""

from __future__ import annotations

from collections.abc import Sequence

import sqlalchemy as sa

from store.engine import Change
from store.importers.bundle import BundlePreference, BundleRating, ImportBundle
from store.importers.named_items import keys_of
from store.ingest.criteria import ResolvedCriterion, resolve_annotators, resolve_criteria
from store.ingest.items import AlignedDataset
from store.ingest.preferences import put_preferences
from store.ingest.ratings import Judged, Outcome, put_ratings
from store.ingest.report import IngestReport
from store.models import Criterion, Item


def ingest_judgments(
    change: Change,
    bundle: ImportBundle,
    systems: dict[str, int],
    datasets: Sequence[AlignedDataset],
    ingest_id: int,
    *,
    replace: bool,
    report: IngestReport,
) -> dict[int, set[int]]:
    """Write criteria, annotators, ratings and preferences.

    Returns
    -------
    dict
        Dataset -> its criteria whose gold is due, by their ids.

    Raises
    ------
    ConflictError
        The store holds another judgment or another scale, and `replace` is False.
    ImportFormatError
        A judgment does not fit its scale.
    """
    if not bundle.criteria:
        return {}
    criteria = resolve_criteria(change, bundle, datasets, replace=replace, report=report)
    annotators, turned = resolve_annotators(
        change, bundle, criteria, replace=replace, report=report
    )
    ratings: list[list[BundleRating]] = [[] for _ in criteria]
    for rating in bundle.ratings:
        ratings[rating.criterion].append(rating)
    preferences: list[list[BundlePreference]] = [[] for _ in criteria]
    for preference in bundle.preferences:
        preferences[preference.criterion].append(preference)
    item_ids = [_item_ids(change, aligned) for aligned in datasets]
    changed: dict[int, set[int]] = {}
    for number, criterion in enumerate(criteria):
        dataset = bundle.criteria[number].dataset
        judged = Judged(
            criterion=criterion,
            annotators=annotators[number],
            systems=systems,
            items=item_ids[dataset],
            item_keys=keys_of(bundle.datasets[dataset].items),
            dataset=datasets[dataset].row.name,
            path=bundle.files[0].path if bundle.files else "",
            ingest_id=ingest_id,
        )
        if criterion.row.kind == "preference":
            outcome = put_preferences(change, judged, preferences[number], replace=replace)
        else:
            outcome = put_ratings(change, judged, ratings[number], replace=replace)
        outcome.tell(report)
        _record(change, criterion, outcome)
        if outcome.changed or criterion.is_changed:
            changed.setdefault(criterion.row.dataset_id, set()).add(criterion.row.id)
    for dataset_id in turned:
        query = sa.select(Criterion.id).where(Criterion.dataset_id == dataset_id)
        changed.setdefault(dataset_id, set()).update(change.session.scalars(query))
    return changed


def _item_ids(change: Change, aligned: AlignedDataset) -> list[int]:
    """Return the id of each item of the bundle's dataset."""
    query = sa.select(Item.position, Item.id).where(Item.dataset_id == aligned.row.id)
    ids = {position: id_ for position, id_ in change.session.connection().execute(query)}
    return [ids[position] for position in aligned.positions.tolist()]


def _record(change: Change, criterion: ResolvedCriterion, outcome: Outcome) -> None:
    uid = criterion.row.uid
    if outcome.added or outcome.n_details:
        change.record(
            *("judge", "criterion", uid), added=outcome.added, filled_in=outcome.n_details
        )
    if outcome.replaced:
        change.record("replace", "criterion", uid, judgments=outcome.replaced)
