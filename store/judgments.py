"""What people and models said of outputs: criteria, annotators, ratings, preferences.

Judgments come in with `store.ingest`. What they amount to for each system and item is a metric
whose source is human or model (`store.gold`).
"""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa

from store.change_weights import ChangedWeights, change_weights, weights_with
from store.engine import Store
from store.error_weights import checked_weights, weight_of
from store.errors import NotFoundError, StoreError
from store.importers.kinds import AnnotatorKind
from store.judgment_queries import (
    FIRST,
    SECOND,
    annotator_records,
    criterion_records,
    in_order,
    living_preferences,
    living_ratings,
    preferences_of,
    ratings_of,
)
from store.judgment_records import (
    AnnotatorRecord,
    CriterionRecord,
    ItemJudgments,
    ItemPreference,
    ItemRating,
    Preferences,
    Ratings,
    SpanRecord,
    Weights,
)
from store.lookup import find_criterion_id, find_id
from store.models import Annotator, Criterion, ErrorSpan, Item, Preference, Rating, System

__all__ = [
    "AnnotatorRecord",
    "ChangedWeights",
    "CriterionRecord",
    "ItemJudgments",
    "ItemPreference",
    "ItemRating",
    "Preferences",
    "Ratings",
    "SpanRecord",
    "change_weights",
    "get_criterion",
    "list_annotators",
    "list_criteria",
    "load_item_judgments",
    "load_item_properties",
    "load_preferences",
    "load_ratings",
    "weights_with",
]


def list_criteria(store: Store, dataset: str | None = None) -> list[CriterionRecord]:
    """Return what was judged, by dataset; on one dataset (uid or name) if asked."""
    with store.read() as connection:
        dataset_id = None if dataset is None else find_id(connection, "dataset", dataset)
        return criterion_records(connection, dataset_id=dataset_id)


def get_criterion(store: Store, dataset: str, criterion: str) -> CriterionRecord:
    """Return a criterion of a dataset by uid or name.

    Raises
    ------
    NotFoundError
        There is none; the message lists the nearest names.
    """
    with store.read() as connection:
        dataset_id = find_id(connection, "dataset", dataset)
        criterion_id = find_criterion_id(connection, dataset_id, criterion)
        return criterion_records(connection, criterion_id=criterion_id)[0]


def list_annotators(store: Store, dataset: str | None = None) -> list[AnnotatorRecord]:
    """Return who judged, by dataset; on one dataset (uid or name) if asked."""
    with store.read() as connection:
        dataset_id = None if dataset is None else find_id(connection, "dataset", dataset)
        return list(annotator_records(connection, dataset_id=dataset_id).values())


def load_ratings(
    store: Store,
    dataset: str,
    criterion: str,
    *,
    kind: AnnotatorKind | None = None,
    weights: Weights | None = None,
) -> Ratings:
    """Return all ratings on a criterion.

    Parameters
    ----------
    store
        Where from.
    dataset, criterion
        Uid or name.
    kind
        Only those by people, or only those by models.
    weights
        Marked errors are weighed by these and not by the criterion's own weights.

    Raises
    ------
    NotFoundError
        There is no such dataset or criterion.
    StoreError
        The criterion is a preference; `weights` for a criterion without marked errors, or none of
        them fits an error.
    """
    with store.read() as connection:
        row = _criterion(connection, dataset, criterion)
        if row.kind == "preference":
            raise StoreError(
                f"'{row.name}' on '{dataset}' holds preferences, not ratings. Name a criterion "
                "with ratings; `tiebreak ls criteria` lists them."
            )
        if weights is not None and row.kind != "error-spans":
            raise StoreError(f"`weights`: '{row.name}' holds values as given, not marked errors.")
        checked = None if weights is None else checked_weights(weights)
        return ratings_of(connection, row, kind=kind, weights=checked)


def load_preferences(
    store: Store, dataset: str, criterion: str, *, kind: AnnotatorKind | None = None
) -> Preferences:
    """Return all preferences on a criterion, or only those by people or by models.

    Raises
    ------
    NotFoundError
        There is no such dataset or criterion.
    StoreError
        The criterion has ratings.
    """
    with store.read() as connection:
        row = _criterion(connection, dataset, criterion)
        if row.kind != "preference":
            raise StoreError(
                f"'{row.name}' on '{dataset}' holds ratings, not preferences. Name a criterion "
                "with preferences; `tiebreak ls criteria` lists them."
            )
        return preferences_of(connection, row, kind=kind)


def load_item_judgments(store: Store, dataset: str, item_key: str) -> ItemJudgments:
    """Return everything that was judged on one item: by criterion, system and annotator.

    Raises
    ------
    NotFoundError
        There is no such dataset, or no such item in it.
    """
    with store.read() as connection:
        dataset_id = find_id(connection, "dataset", dataset)
        item_id = connection.scalar(
            sa.select(Item.id).where(Item.dataset_id == dataset_id, Item.key == item_key)
        )
        if item_id is None:
            raise NotFoundError(f"There is no item '{item_key}' in the dataset '{dataset}'.")
        ratings = _item_ratings(connection, item_id)
        return ItemJudgments(item_key, ratings, _item_preferences(connection, item_id))


def load_item_properties(store: Store, dataset: str) -> dict[str, tuple[Any, ...]]:
    """Return what the sources say of the items of a dataset.

    Returns
    -------
    dict
        Name of a property -> its value for each item, in item order; ``None`` where none is
        stated. ``"group"`` comes last, where any item has a group.
    """
    with store.read() as connection:
        dataset_id = find_id(connection, "dataset", dataset)
        rows = connection.execute(
            sa.select(Item.metadata_, Item.group_key)
            .where(Item.dataset_id == dataset_id)
            .order_by(Item.position)
        ).all()
    said = [row[0] or {} for row in rows]
    names = dict.fromkeys(name for stated in said for name in stated)
    found = {name: tuple(stated.get(name) for stated in said) for name in names}
    if any(row.group_key for row in rows):
        found["group"] = tuple(row.group_key for row in rows)
    return found


def _criterion(connection: sa.Connection, dataset: str, criterion: str) -> sa.Row[Any]:
    criterion_id = find_criterion_id(connection, find_id(connection, "dataset", dataset), criterion)
    return connection.execute(sa.select(Criterion).where(Criterion.id == criterion_id)).one()


def _item_ratings(connection: sa.Connection, item_id: int) -> tuple[ItemRating, ...]:
    query = (
        living_ratings(
            *(Rating.id, Rating.value, Rating.replicate, Rating.judged_at),
            *(Criterion.id.label("of"), Criterion.name.label("criterion")),
            *(Criterion.labels, Criterion.weights),
            *(Annotator.name.label("annotator"), Annotator.kind, System.name.label("system")),
        )
        .join(Criterion, Criterion.id == Rating.criterion_id)
        .join(Annotator, Annotator.id == Rating.annotator_id)
        .where(Rating.item_id == item_id)
    )
    rows = in_order(connection.execute(query), "of", "system")
    spans: dict[int, list[sa.Row[Any]]] = {}
    marked = sa.select(ErrorSpan).where(ErrorSpan.rating_id.in_([row.id for row in rows]))
    for span in connection.execute(marked.order_by(ErrorSpan.id)):
        spans.setdefault(span.rating_id, []).append(span)
    return tuple(
        ItemRating(
            criterion=row.criterion,
            annotator=row.annotator,
            annotator_kind=row.kind,
            system=row.system,
            value=float("nan") if row.value is None else row.value,
            label=_label(row.value, row.labels),
            replicate=row.replicate,
            judged_at=row.judged_at,
            spans=tuple(_span(span, row.weights) for span in spans.get(row.id, ())),
        )
        for row in rows
    )


def _label(value: float | None, labels: list[str]) -> str:
    return labels[int(value)] if labels and value is not None and value < len(labels) else ""


def _span(row: sa.Row[Any], weights: dict[str, float] | None) -> SpanRecord:
    return SpanRecord(
        severity=row.severity,
        category=row.category,
        start=row.start,
        end=row.end,
        text=row.text,
        in_source=row.in_source,
        note=row.note,
        weight=None if weights is None else weight_of(weights, row.severity, row.category),
    )


def _item_preferences(connection: sa.Connection, item_id: int) -> tuple[ItemPreference, ...]:
    query = (
        living_preferences(
            *(Criterion.id.label("of"), Criterion.name, Annotator.name.label("annotator")),
            *(Annotator.kind, FIRST.name.label("first"), SECOND.name.label("second")),
            *(Preference.choice, Preference.strength, Preference.order_known),
            *(Preference.replicate, Preference.judged_at),
        )
        .join(Criterion, Criterion.id == Preference.criterion_id)
        .join(Annotator, Annotator.id == Preference.annotator_id)
        .where(Preference.item_id == item_id)
    )
    rows = in_order(connection.execute(query), "of", "first", "second")
    return tuple(ItemPreference(*row[1:]) for row in rows)
