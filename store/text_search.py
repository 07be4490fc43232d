"""What can be told of all items of a dataset from their texts, without handing the texts out."""

from __future__ import annotations

from collections.abc import Sequence

import sqlalchemy as sa

from store.engine import Store
from store.lookup import find_id, find_ids
from store.models import Dataset, Item, ItemText, Output, Run, System
from store.records import dataset_label
from store.text_checks import only_whole


def text_lengths(store: Store, dataset: str) -> dict[int, int]:
    """Return position -> characters of the input, for the items whose text is stored."""
    with store.read() as connection:
        dataset_id = find_id(connection, "dataset", dataset)
        own = Item.dataset_id == dataset_id
        query = (
            sa.select(Item.position, sa.func.length(ItemText.input_text))
            .join(ItemText, ItemText.item_id == Item.id)
            .where(own, ItemText.input_text.is_not(None), _whole_texts(connection, dataset_id))
        )
        return {row[0]: row[1] for row in connection.execute(query)}


def find_in_texts(store: Store, dataset: str, words: str, systems: tuple[str, ...]) -> set[int]:
    """Return the positions of items with these words in key, input, reference or an output.

    Capitals do not matter, as far as the database knows them.

    Parameters
    ----------
    store, dataset
        Where to look.
    words
        Looked for as they stand.
    systems
        Uids or names of those whose outputs are looked through.
    """
    with store.read() as connection:
        dataset_id = find_id(connection, "dataset", dataset)
        known = find_ids(connection, "system", systems)
        own = Item.dataset_id == dataset_id
        said = (
            sa.select(Item.position)
            .join(Output, Output.item_id == Item.id)
            .join(Run, Run.id == Output.run_id)
            .where(own, Run.system_id.in_(known), Run.deleted_at.is_(None))
            .where(_whole_outputs(connection, dataset_id, known))
            .where(Output.text.icontains(words, autoescape=True))
        )
        written = (
            sa.select(Item.position)
            .outerjoin(
                ItemText,
                sa.and_(ItemText.item_id == Item.id, _whole_texts(connection, dataset_id)),
            )
            .where(own)
            .where(
                sa.or_(
                    *(
                        text.icontains(words, autoescape=True)
                        for text in (Item.key, ItemText.input_text, ItemText.reference_text)
                    )
                )
            )
        )
        return set(connection.scalars(sa.union(said, written)))


def equal_outputs(store: Store, dataset: str, a: str, b: str) -> dict[int, bool]:
    """Return position -> whether two systems gave the same output, where both are stored.

    Of several runs the last one with outputs counts; of several trials the first.
    """
    with store.read() as connection:
        dataset_id = find_id(connection, "dataset", dataset)
        texts = []
        known = find_ids(connection, "system", (a, b))
        whole = _whole_outputs(connection, dataset_id, known)
        for system_id in known:
            run = (
                sa.select(sa.func.max(Run.id))
                .where(
                    Run.dataset_id == dataset_id,
                    Run.system_id == system_id,
                    Run.deleted_at.is_(None),
                    sa.exists().where(Output.run_id == Run.id),
                )
                .scalar_subquery()
            )
            first = (
                sa.select(sa.func.min(Output.trial)).where(Output.run_id == run).scalar_subquery()
            )
            texts.append(
                sa.select(Output.item_id, Output.text)
                .where(Output.run_id == run, Output.trial == first, whole)
                .subquery()
            )
        one, other = texts
        query = (
            sa.select(Item.position, one.c.text == other.c.text)
            .join(one, one.c.item_id == Item.id)
            .join(other, other.c.item_id == Item.id)
        )
        return {row[0]: bool(row[1]) for row in connection.execute(query)}


def _whole_texts(connection: sa.Connection, dataset_id: int) -> sa.ColumnElement[bool]:
    items = sa.select(Item.id).where(Item.dataset_id == dataset_id)
    return only_whole(connection, ItemText, ItemText.item_id.in_(items))


def _whole_outputs(
    connection: sa.Connection, dataset_id: int, systems: Sequence[int]
) -> sa.ColumnElement[bool]:
    runs = sa.select(Run.id).where(
        Run.dataset_id == dataset_id, Run.system_id.in_(systems), Run.deleted_at.is_(None)
    )
    return only_whole(connection, Output, Output.run_id.in_(runs))


def find_items(store: Store, words: str, *, limit: int) -> list[tuple[str, str]]:
    """Return label of the dataset and key of the first items whose key has these words.

    Only datasets with runs count: an item is looked at beside what systems answered.
    """
    has_runs = (
        sa.select(Run.dataset_id)
        .join(System, System.id == Run.system_id)
        .where(Run.deleted_at.is_(None), System.deleted_at.is_(None))
    )
    query = (
        sa.select(Dataset.name, Dataset.version, Item.key)
        .join(Dataset, Dataset.id == Item.dataset_id)
        .where(Item.key.icontains(words, autoescape=True), Dataset.deleted_at.is_(None))
        .where(Dataset.id.in_(has_runs))
        .order_by(sa.func.length(Item.key), Item.id)
        .limit(limit)
    )
    with store.read() as connection:
        return [(dataset_label(n, v), key) for n, v, key in connection.execute(query)]
