"""The texts of single items and what systems answered on them, for reading side by side."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import InstrumentedAttribute

from store.engine import Store
from store.lookup import find_id, find_ids
from store.models import Item, ItemText, Output, Run, System
from store.natural_order import natural_key
from store.records import OutputRecord, TextRecord
from store.text_checks import only_whole

MOST_ITEMS = 200
"""Items whose texts can be asked for at once: a list of items shows none."""
MOST_CHARACTERS = 20_000
"""Characters of each text that are read unless more are asked for."""


def load_texts(
    store: Store,
    dataset: str,
    positions: Collection[int],
    *,
    max_characters: int = MOST_CHARACTERS,
) -> dict[int, TextRecord]:
    """Return position -> text for those of the items whose text is stored.

    A text that is not what was written is left out and told (`store.damage`).

    Raises
    ------
    ValueError
        More than 200 items are asked for, or no character of them.
    """
    _require_bounded(positions, max_characters)
    input_text, input_is_cut = _beginning(ItemText.input_text, max_characters)
    reference_text, reference_is_cut = _beginning(ItemText.reference_text, max_characters)
    with store.read() as connection:
        wanted = _items(find_id(connection, "dataset", dataset), positions)
        query = (
            sa.select(
                Item.position,
                Item.key,
                input_text,
                reference_text,
                sa.or_(input_is_cut, reference_is_cut),
            )
            .join(ItemText, ItemText.item_id == Item.id)
            .where(Item.id.in_(wanted))
            .where(only_whole(connection, ItemText, ItemText.item_id.in_(wanted)))
            .order_by(Item.position)
        )
        return {row.position: TextRecord(*row) for row in connection.execute(query)}


def load_outputs(
    store: Store,
    dataset: str,
    positions: Collection[int],
    *,
    systems: Sequence[str] | None = None,
    max_characters: int = MOST_CHARACTERS,
) -> list[OutputRecord]:
    """Return what the systems answered on some items, by item, system, run and trial.

    An output that is not what was written is left out and told (`store.damage`).

    Parameters
    ----------
    store
        Where from.
    dataset
        Uid or name.
    positions
        Places of the items in the dataset, from 0.
    systems
        Uids or names; by default all.
    max_characters
        How much is read of each output.

    Raises
    ------
    ValueError
        More than 200 items are asked for, or no character of them.
    """
    _require_bounded(positions, max_characters)
    text, is_cut = _beginning(Output.text, max_characters)
    with store.read() as connection:
        ids = _items(find_id(connection, "dataset", dataset), positions)
        query = (
            sa.select(
                Item.position, System.name, System.uid, Run.uid, Run.label, Output.trial, text,
                is_cut,
            )
            .select_from(Item)
            .join(Output, Output.item_id == Item.id)
            .join(Run, Run.id == Output.run_id)
            .join(System, System.id == Run.system_id)
            .where(
                Item.id.in_(ids),
                only_whole(connection, Output, Output.item_id.in_(ids)),
                Run.deleted_at.is_(None),
                System.deleted_at.is_(None),
            )
            .order_by(Item.position, Run.id, Output.trial)
        )  # fmt: skip
        if systems is not None:
            wanted = find_ids(connection, "system", systems)
            query = query.where(System.id.in_(wanted))
        found = [OutputRecord(*row) for row in connection.execute(query)]
    return sorted(found, key=lambda one: (one.position, natural_key(one.system)))


def _items(dataset_id: int, positions: Collection[int]) -> sa.Select[int]:
    """Return the query of their ids."""
    return sa.select(Item.id).where(Item.dataset_id == dataset_id, Item.position.in_(positions))


def _beginning(
    column: InstrumentedAttribute[Any], n_characters: int
) -> tuple[sa.ColumnElement[str], sa.ColumnElement[bool]]:
    """Return the first characters of a text, and whether there are more."""
    is_cut = sa.func.coalesce(sa.func.length(column), 0) > n_characters
    return sa.func.substr(column, 1, n_characters), is_cut


def _require_bounded(positions: Collection[int], max_characters: int) -> None:
    if len(positions) > MOST_ITEMS:
        raise ValueError(
            f"`positions` names {len(positions):,} items; read the texts of at most {MOST_ITEMS} "
            "at once."
        )
    if max_characters < 1:
        raise ValueError(f"`max_characters` must be at least 1, got {max_characters}.")
