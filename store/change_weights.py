"""Other weights for marked errors."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import NamedTuple

import sqlalchemy as sa

from store.engine import Change, Store
from store.error_weights import checked_weights, merged_weights, no_weight, weight_of
from store.errors import StoreError
from store.gold import recompute_gold
from store.judgment_queries import criterion_records
from store.judgment_records import CriterionRecord
from store.lookup import find_criterion_id, find_id
from store.models import Criterion, ErrorSpan, Rating
from store.stale_golds import StaleGold, stale_golds


class ChangedWeights(NamedTuple):
    """What other weights led to."""

    criterion: CriterionRecord
    n_changed: int
    """Ratings that have another value now."""
    stale: list[StaleGold]
    """Golds by other rules: they are what they were."""


def change_weights(
    store: Store, dataset: str, criterion: str, weights: Mapping[str, float], *, actor: str
) -> ChangedWeights:
    """Weigh marked errors otherwise: every rating and its mean over annotators are computed anew.

    Golds by other rules are not: what they are made by is above the store.

    Parameters
    ----------
    store
        Where.
    dataset, criterion
        Uid or name.
    weights
        All of them: severity, or ``"severity category-prefix"``, to its weight.
    actor
        Who does it, for the audit trail.

    Raises
    ------
    NotFoundError
        There is no such dataset or criterion.
    StoreError
        No errors were marked for the criterion, a weight is negative, or none fits an error.
    """
    with store.write(actor) as change:
        connection = change.session.connection()
        dataset_id = find_id(connection, "dataset", dataset)
        row = change.session.get_one(
            Criterion, find_criterion_id(connection, dataset_id, criterion)
        )
        n_changed = reweigh(change, row, weights)
        recompute_gold(change, [row])
        change.session.flush()
        stale = stale_golds(connection, [row], by_weights=True) if n_changed else []
        return ChangedWeights(
            criterion_records(connection, criterion_id=row.id)[0], n_changed, stale
        )


def parse_weights(given: list[str]) -> dict[str, float]:
    """Return severity -> weight from what was typed, as ``Major=5``.

    Raises
    ------
    StoreError
        One of them is no severity with a number.
    """
    weights = {}
    for text in given:
        name, separator, number = text.rpartition("=")
        try:
            weight = float(number)
        except ValueError:
            weight = float("nan")
        if not separator or not name.strip() or weight != weight:
            raise StoreError(f"'{text}': write it as SEVERITY=WEIGHT, as Major=5.")
        weights[name.strip()] = weight
    return weights


def weights_with(
    store: Store, dataset: str, criterion: str, changed: Mapping[str, float]
) -> dict[str, float]:
    """Return the weights of a criterion with some of them changed; nothing is written.

    Raises
    ------
    NotFoundError
        There is no such dataset or criterion.
    StoreError
        It has no marked errors, or no error is called so; see `merged_weights`.
    """
    with store.read() as connection:
        dataset_id = find_id(connection, "dataset", dataset)
        criterion_id = find_criterion_id(connection, dataset_id, criterion)
        row = connection.execute(
            sa.select(Criterion.name, Criterion.kind, Criterion.weights).where(
                Criterion.id == criterion_id
            )
        ).one()
        if row.kind != "error-spans":
            raise StoreError(_no_errors(row.name))
        query = (
            sa.select(ErrorSpan.severity)
            .join(Rating, Rating.id == ErrorSpan.rating_id)
            .where(Rating.criterion_id == criterion_id)
            .distinct()
            .order_by(ErrorSpan.severity)
        )
        severities = connection.scalars(query).all()
    return merged_weights(row.weights, changed, severities)


def _no_errors(name: str) -> str:
    return f"'{name}' holds values as given, not marked errors to weigh."


def reweigh(change: Change, criterion: Criterion, weights: Mapping[str, float]) -> int:
    """Give a criterion other weights and its ratings the values that follow; see `change_weights`.

    Returns
    -------
    int
        How many ratings have another value now.
    """
    if criterion.kind != "error-spans":
        raise StoreError(_no_errors(criterion.name))
    checked = checked_weights(weights)
    if checked == criterion.weights:
        return 0
    connection = change.session.connection()
    old, criterion.weights = criterion.weights, checked
    query = (
        sa.select(Rating.id, Rating.value, ErrorSpan.severity, ErrorSpan.category)
        .outerjoin(ErrorSpan, ErrorSpan.rating_id == Rating.id)
        .where(Rating.criterion_id == criterion.id)
    )
    marked: dict[int, list[float]] = {}
    values: dict[int, float | None] = {}
    known: dict[tuple[str, str], float] = {}
    for id_, value, severity, category in connection.execute(query):
        values[id_] = value
        found = marked.setdefault(id_, [])
        if severity is None:  # no error at all
            continue
        if (severity, category) not in known:
            weight = weight_of(checked, severity, category)
            if weight is None:
                raise StoreError(f"`weights`: {no_weight(checked, severity, category)}")
            known[severity, category] = weight
        found.append(known[severity, category])
    changed = [
        {"id": id_, "value": new}
        for id_, weights_of in marked.items()
        if (new := math.fsum(weights_of)) != values[id_]
    ]
    if changed:
        change.session.execute(sa.update(Rating), changed)
    change.record(
        "weights", "criterion", criterion.uid, old=old, new=checked, n_changed=len(changed)
    )
    return len(changed)
