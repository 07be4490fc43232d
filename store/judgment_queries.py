"""Queries about judgments on an open connection; `store.judgments` has those with a store.

Judgments of deleted systems are hidden, as their scores are.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from itertools import groupby
from typing import Any, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt
import sqlalchemy as sa
from sqlalchemy.orm import aliased

from store.error_weights import no_weight, weight_of
from store.errors import StoreError
from store.importers.kinds import AnnotatorKind, FloatArray
from store.judgment_records import (
    AnnotatorRecord,
    CriterionRecord,
    IntArray,
    Preferences,
    Ratings,
    Weights,
)
from store.models import (
    Annotator,
    Criterion,
    Dataset,
    ErrorSpan,
    Item,
    Preference,
    Rating,
    System,
)
from store.natural_order import natural_key
from store.records import dataset_label

T = TypeVar("T", bound=np.generic)

FIRST, SECOND = aliased(System), aliased(System)
"""The two systems of a preference."""
CHOICES = {"first": 1, "second": -1, "tie": 0}


def living_ratings(*columns: Any) -> sa.Select[Any]:
    """Return a query of ratings of systems that are not deleted, and of items themselves."""
    return (
        sa.select(*columns)
        .select_from(Rating)
        .outerjoin(System, System.id == Rating.system_id)
        .where(System.deleted_at.is_(None))
    )


def living_preferences(*columns: Any) -> sa.Select[Any]:
    """Return a query of preferences between two systems that are not deleted."""
    return (
        sa.select(*columns)
        .select_from(Preference)
        .join(FIRST, FIRST.id == Preference.first_id)
        .join(SECOND, SECOND.id == Preference.second_id)
        .where(FIRST.deleted_at.is_(None), SECOND.deleted_at.is_(None))
    )


def in_order(rows: Iterable[Any], number: str, *systems: str) -> list[Any]:
    """Return judgments by a number, names of systems and of annotators, and replicate.

    Parameters
    ----------
    rows
        With ``annotator`` and ``replicate``.
    number, systems
        What the columns of the number and of the systems are called.
    """
    key = cache(natural_key)  # of few names on many rows

    def place(row: Any) -> tuple[Any, ...]:
        names = (*(getattr(row, system) or "" for system in systems), row.annotator)
        return getattr(row, number), *map(key, names), row.replicate

    return sorted(rows, key=place)


def criterion_records(
    connection: sa.Connection, *, dataset_id: int | None = None, criterion_id: int | None = None
) -> list[CriterionRecord]:
    """Return the criteria of living datasets, or those of one; in the order of their coming."""
    query = (
        sa.select(Criterion, Dataset.name.label("dataset"), Dataset.version, Dataset.uid.label("d"))
        .join(Dataset, Dataset.id == Criterion.dataset_id)
        .order_by(sa.func.lower(Dataset.name), Dataset.version, Criterion.id)
    )
    if criterion_id is not None:
        query = query.where(Criterion.id == criterion_id)
    elif dataset_id is not None:
        query = query.where(Criterion.dataset_id == dataset_id)
    else:
        query = query.where(Dataset.deleted_at.is_(None))
    rows = connection.execute(query).all()
    counts = _counted(connection, [row.id for row in rows])
    return [
        CriterionRecord(
            uid=row.uid,
            name=row.name,
            dataset=dataset_label(row.dataset, row.version),
            dataset_uid=row.d,
            kind=row.kind,
            level=row.level,
            higher_is_better=row.higher_is_better,
            lower=row.lower,
            upper=row.upper,
            labels=tuple(row.labels),
            weights=row.weights,
            question=row.question,
            **counts.get(row.id, _Counts())._asdict(),
        )
        for row in rows
    ]


class _Counts(NamedTuple):
    n_annotators: int = 0
    n_judgments: int = 0
    n_items: int = 0
    n_systems: int = 0


def _counted(connection: sa.Connection, criterion_ids: Sequence[int]) -> dict[int, _Counts]:
    """Return criterion -> how much was judged; a criterion has ratings or preferences."""

    def count(column: Any) -> Any:
        return sa.func.count(sa.distinct(column))

    rated = living_ratings(
        Rating.criterion_id,
        count(Rating.annotator_id),
        sa.func.count(),
        count(Rating.item_id),
        count(Rating.system_id),
    ).where(Rating.criterion_id.in_(criterion_ids))
    compared = living_preferences(
        Preference.criterion_id,
        count(Preference.annotator_id),
        sa.func.count(),
        count(Preference.item_id),
    ).where(Preference.criterion_id.in_(criterion_ids))
    sides = sa.union(
        *(
            living_preferences(Preference.criterion_id, side.label("system_id"))
            .where(Preference.criterion_id.in_(criterion_ids))
            .distinct()
            for side in (Preference.first_id, Preference.second_id)
        )
    ).subquery()
    systems = sa.select(sides.c.criterion_id, sa.func.count()).group_by(sides.c.criterion_id)
    n_systems = {id_: n for id_, n in connection.execute(systems)}
    counts = {
        id_: _Counts(*found)
        for id_, *found in connection.execute(rated.group_by(Rating.criterion_id))
    }
    for id_, *found in connection.execute(compared.group_by(Preference.criterion_id)):
        counts[id_] = _Counts(*found)._replace(n_systems=n_systems[id_])
    return counts


def annotator_records(
    connection: sa.Connection,
    *,
    dataset_id: int | None = None,
    annotator_ids: Iterable[int] | None = None,
) -> dict[int, AnnotatorRecord]:
    """Return id -> annotator on living datasets, or on one; each dataset's by name."""
    query = (
        sa.select(Annotator, Dataset.name.label("dataset"), Dataset.version, Dataset.uid.label("d"))
        .join(Dataset, Dataset.id == Annotator.dataset_id)
        .order_by(sa.func.lower(Dataset.name), Dataset.version, Dataset.id)
    )
    rated = living_ratings(Rating.annotator_id, Rating.item_id, sa.literal(1).label("is_rating"))
    compared = living_preferences(
        Preference.annotator_id, Preference.item_id, sa.literal(0).label("is_rating")
    )
    if dataset_id is not None:
        query = query.where(Annotator.dataset_id == dataset_id)
        own = sa.select(Annotator.id).where(Annotator.dataset_id == dataset_id)
        rated = rated.where(Rating.annotator_id.in_(own))
        compared = compared.where(Preference.annotator_id.in_(own))
    else:
        query = query.where(Dataset.deleted_at.is_(None))
    done = sa.union_all(rated, compared).subquery()
    counted = sa.select(
        done.c.annotator_id,
        sa.func.sum(done.c.is_rating),
        sa.func.count(),
        sa.func.count(sa.distinct(done.c.item_id)),
    ).group_by(done.c.annotator_id)
    counts = {id_: (int(n), total - int(n), k) for id_, n, total, k in connection.execute(counted)}
    wanted = None if annotator_ids is None else set(annotator_ids)
    found = {}
    for _, of_dataset in groupby(connection.execute(query), key=lambda row: row.d):
        for row in sorted(of_dataset, key=lambda row: natural_key(row.name)):
            if wanted is None or row.id in wanted:
                label = dataset_label(row.dataset, row.version)
                judged = counts.get(row.id, (0, 0, 0))
                found[row.id] = AnnotatorRecord(row.uid, row.name, row.kind, label, row.d, *judged)
    return found


def ratings_of(
    connection: sa.Connection,
    criterion: Criterion | sa.Row[Any],
    *,
    kind: AnnotatorKind | None = None,
    weights: Weights | None = None,
) -> Ratings:
    """Return the ratings on a criterion; see `store.judgments.load_ratings`."""
    query = living_ratings(
        *(Item.position, Rating.system_id, Rating.annotator_id, Rating.replicate),
        *(Rating.value, Rating.id),
    ).join(Item, Item.id == Rating.item_id)
    columns = _columns(connection, query, Rating, criterion.id, kind, 6)
    item, system, annotator, replicate, value, rating_id = columns
    systems = [-1 if id_ is None else id_ for id_ in system]
    names = _named(connection, criterion, systems, annotator)
    arrays = (
        _ints(item),
        names.systems(systems),
        names.annotators(annotator),
        _ints(replicate),
    )
    values = _floats(value)
    if weights is not None:
        values = _weighed(connection, criterion.id, weights, _ints(rating_id))
    order = np.lexsort(arrays[::-1])
    items, of, by, replicates = (_fixed(array[order]) for array in arrays)
    return Ratings(
        **names.heads, annotator=by, item=items, system=of, replicate=replicates,
        value=_fixed(values[order]),
    )  # fmt: skip


def preferences_of(
    connection: sa.Connection,
    criterion: Criterion | sa.Row[Any],
    *,
    kind: AnnotatorKind | None = None,
) -> Preferences:
    """Return the preferences on a criterion; see `store.judgments.load_preferences`."""
    query = living_preferences(
        *(Item.position, Preference.first_id, Preference.second_id, Preference.annotator_id),
        *(Preference.replicate, Preference.choice, Preference.strength, Preference.order_known),
        *(Preference.first_length, Preference.second_length),
    ).join(Item, Item.id == Preference.item_id)
    columns = _columns(connection, query, Preference, criterion.id, kind, 10)
    item, first, second, annotator, replicate, choice, strength, known, *lengths = columns
    names = _named(connection, criterion, [*first, *second], annotator)
    keys = (
        _ints(item),
        names.systems(first),
        names.systems(second),
        names.annotators(annotator),
        _ints(replicate),
    )
    order = np.lexsort(keys[::-1])
    items, firsts, seconds, by, replicates = (_fixed(array[order]) for array in keys)
    return Preferences(
        **names.heads,
        annotator=by,
        item=items,
        first=firsts,
        second=seconds,
        replicate=replicates,
        choice=_fixed(np.array([CHOICES[word] for word in choice], np.int8)[order]),
        strength=_fixed(_floats(strength)[order]),
        order_known=_fixed(np.array(known, np.bool_)[order]),
        first_length=_fixed(_floats(lengths[0])[order]),
        second_length=_fixed(_floats(lengths[1])[order]),
    )


class _Named(NamedTuple):
    """What stands before the columns, and how ids become indices into it."""

    heads: dict[str, Any]
    systems: Callable[[Sequence[int]], IntArray]
    annotators: Callable[[Sequence[int]], IntArray]


def _named(
    connection: sa.Connection,
    criterion: Criterion | sa.Row[Any],
    system_ids: Sequence[int],
    annotator_ids: Sequence[int],
) -> _Named:
    [record] = criterion_records(connection, criterion_id=criterion.id)
    annotators = annotator_records(
        connection, dataset_id=criterion.dataset_id, annotator_ids=annotator_ids
    )
    used = set(system_ids) - {-1}
    living = sa.select(System.id, System.name, System.uid).where(System.deleted_at.is_(None))
    systems = [row for row in connection.execute(living) if row.id in used]
    systems.sort(key=lambda row: natural_key(row.name))
    keys = sa.select(Item.key).where(Item.dataset_id == criterion.dataset_id)
    heads = {
        "criterion": record,
        "annotators": tuple(annotators.values()),
        "systems": tuple(row.name for row in systems),
        "system_uids": tuple(row.uid for row in systems),
        "item_keys": tuple(connection.scalars(keys.order_by(Item.position))),
    }
    return _Named(heads, _indexer([row.id for row in systems]), _indexer(list(annotators)))


def _indexer(ids: Sequence[int]) -> Callable[[Sequence[int]], IntArray]:
    index = {id_: number for number, id_ in enumerate(ids)}
    index[-1] = -1
    return lambda given: np.fromiter((index[id_] for id_ in given), np.int64, len(given))


def _columns(
    connection: sa.Connection,
    query: sa.Select[Any],
    table: type[Rating] | type[Preference],
    criterion_id: int,
    kind: AnnotatorKind | None,
    n_columns: int,
) -> list[tuple[Any, ...]]:
    query = query.where(table.criterion_id == criterion_id)
    if kind is not None:
        query = query.join(Annotator, Annotator.id == table.annotator_id)
        query = query.where(Annotator.kind == kind)
    rows = connection.execute(query).all()
    return list(zip(*rows, strict=True)) if rows else [()] * n_columns


def _weighed(
    connection: sa.Connection, criterion_id: int, weights: Weights, rating_ids: IntArray
) -> FloatArray:
    """Return the sum of the weights of each rating's errors."""
    query = (
        sa.select(ErrorSpan.rating_id, ErrorSpan.severity, ErrorSpan.category)
        .join(Rating, Rating.id == ErrorSpan.rating_id)
        .where(Rating.criterion_id == criterion_id)
    )
    index = {id_: number for number, id_ in enumerate(rating_ids.tolist())}
    marked: list[list[float]] = [[] for _ in index]
    known: dict[tuple[str, str], float] = {}
    for rating_id, *error in connection.execute(query):
        kind = (error[0], error[1])
        if kind not in known:
            weight = weight_of(weights, *kind)
            if weight is None:
                raise StoreError(f"`weights`: {no_weight(weights, *kind)}")
            known[kind] = weight
        if rating_id in index:  # else by others than were asked for
            marked[index[rating_id]].append(known[kind])
    return np.fromiter(map(math.fsum, marked), np.float64, len(marked))


def _ints(column: Sequence[int]) -> IntArray:
    return np.array(column, np.int64)


def _floats(column: Sequence[float | None]) -> FloatArray:
    return np.array(column, np.float64)  # None becomes NaN


def _fixed(array: npt.NDArray[T]) -> npt.NDArray[T]:
    array.setflags(write=False)
    return array
