"""Texts that are not what was written: seen when they are read, left out, and told.

Beside each text of an item and each output stands a checksum. Files only: a database server has
checksums of its own.
"""

from __future__ import annotations

from typing import Any, Final

import sqlalchemy as sa

from store import damage
from store.damage import DamagedText
from store.models import Dataset, Ingest, Item, ItemText, Output, RequestAnswer, Run, System
from store.text_checksum import TEXT_CHECKSUM

_MOST_TOLD: Final = 20
"""Damaged texts that are named, of those that one question would have read."""
_TEXTS: Final[dict[Any, tuple[Any, ...]]] = {
    ItemText: (ItemText.input_text, ItemText.reference_text),
    Output: (Output.text,),
    RequestAnswer: (RequestAnswer.body,),
}
"""Table -> the columns that its checksum is of."""


def only_whole(
    connection: sa.Connection, table: type[Output | ItemText], within: sa.ColumnElement[bool]
) -> sa.ColumnElement[bool]:
    """Return the condition that leaves damaged texts out; remember those that there are.

    Parameters
    ----------
    connection
        Of who reads.
    table
        Whose texts are read.
    within
        Which of them, as a condition on this table alone.
    """
    if connection.dialect.name != "sqlite":
        return sa.true()
    wrong = _is_wrong(table)
    key = Output.id if table is Output else ItemText.item_id
    found = connection.scalars(sa.select(key).where(within, wrong).limit(_MOST_TOLD)).all()
    for row_id in found:
        damage.remember_text(
            connection, f"{table.__tablename__} {row_id}", _described(connection, table, row_id)
        )
    return sa.not_(wrong) if found else sa.true()


def wrong(connection: sa.Connection) -> list[str]:
    """Return what is damaged, one sentence for each table."""
    if connection.dialect.name != "sqlite":
        return []
    counts = {
        table.__tablename__: connection.scalar(
            sa.select(sa.func.count()).select_from(table).where(_is_wrong(table))
        )
        for table in _TEXTS
    }
    return [f"{n:,} texts of '{name}' are not what was written." for name, n in counts.items() if n]


def _is_wrong(table: type[Output | ItemText | RequestAnswer]) -> sa.ColumnElement[bool]:
    # As bytes: a damaged text may be none.
    texts = (sa.cast(one, sa.LargeBinary) for one in _TEXTS[table])
    computed = getattr(sa.func, TEXT_CHECKSUM)(*texts)
    return sa.and_(table.checksum.is_not(None), table.checksum != computed)


def _described(
    connection: sa.Connection, table: type[Output | ItemText], row_id: int
) -> DamagedText:
    """Return where a text belongs, as far as the rows about it can still be read."""
    if table is Output:
        query = (
            sa.select(Dataset.name, Item.key, System.name, Ingest.files)
            .select_from(Output)
            .join(Run, Run.id == Output.run_id)
            .join(System, System.id == Run.system_id)
            .outerjoin(Ingest, Ingest.id == Run.ingest_id)
            .join(Item, Item.id == Output.item_id)
            .where(Output.id == row_id)
        )
    else:
        query = sa.select(Dataset.name, Item.key, sa.null(), sa.null()).where(Item.id == row_id)
    found = connection.execute(query.join(Dataset, Dataset.id == Item.dataset_id)).first()
    dataset, item, system, files = found or ("?", "?", None, None)
    return DamagedText(table.__tablename__, dataset, item, system, tuple(files or ()))
