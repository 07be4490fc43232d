"""The tables of imports as a whole: what one added and changed, and what was answered."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import Mapped, mapped_column

from store.model_base import NEVER_REUSE_IDS, Base, new_uid, utc_now


class Import(Base):
    """One transaction that brought results; its groups of files are rows of `Ingest`."""

    __tablename__ = "import"
    __table_args__ = (NEVER_REUSE_IDS,)

    id: Mapped[int] = mapped_column(primary_key=True)
    uid: Mapped[str] = mapped_column(sa.String(12), unique=True, default=new_uid)
    actor: Mapped[str] = mapped_column(sa.String(200))
    added: Mapped[dict[str, Any]]
    """Table -> first and last id of the rows that were added."""
    summary: Mapped[dict[str, Any]]
    """Files, formats, what came in as counts, and guesses."""
    created_at: Mapped[datetime] = mapped_column(default=utc_now)
    undone_at: Mapped[datetime | None]


class ImportChange(Base):
    """A row that an import changed, removed or added beside the ids of `Import.added`."""

    __tablename__ = "import_change"
    __table_args__ = (NEVER_REUSE_IDS,)

    id: Mapped[int] = mapped_column(primary_key=True)
    import_id: Mapped[int] = mapped_column(sa.ForeignKey("import.id"), index=True)
    table_name: Mapped[str] = mapped_column(sa.String(60))
    row_id: Mapped[int]
    before: Mapped[dict[str, Any] | None] = mapped_column(deferred=True)
    """The row as it was; ``None`` where there was none."""
    after: Mapped[dict[str, Any] | None] = mapped_column(deferred=True)
    """The row as the import left it; ``None`` where it removed it."""


class ImportAnswer(Base):
    """What a person answered to a question of an import, for files that ask the same again."""

    __tablename__ = "import_answer"
    __table_args__ = (NEVER_REUSE_IDS,)

    id: Mapped[int] = mapped_column(primary_key=True)
    subject: Mapped[str] = mapped_column(sa.String(400), unique=True)
    answer: Mapped[str] = mapped_column(sa.String(400))
    actor: Mapped[str] = mapped_column(sa.String(200))
    created_at: Mapped[datetime] = mapped_column(default=utc_now)
