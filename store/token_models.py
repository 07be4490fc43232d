"""The tables of programs that come over HTTP: their tokens, and answers they may ask for again."""

from __future__ import annotations

from datetime import datetime

import sqlalchemy as sa
from sqlalchemy.orm import Mapped, mapped_column

from store.model_base import NEVER_REUSE_IDS, Base, new_uid, one_of, utc_now


class Token(Base):
    """A token of a person or pipeline; the secret itself is nowhere."""

    __tablename__ = "token"
    __table_args__ = (one_of("scope", "read", "write"), NEVER_REUSE_IDS)

    id: Mapped[int] = mapped_column(primary_key=True)
    uid: Mapped[str] = mapped_column(sa.String(12), unique=True, default=new_uid)
    name: Mapped[str] = mapped_column(sa.String(200))
    """What it is for."""
    owner: Mapped[str] = mapped_column(sa.String(200))
    """Whose it is, as the audit trail names them."""
    digest: Mapped[str] = mapped_column(sa.String(64), unique=True)
    """SHA-256 of the secret, which has 256 random bits and so needs no slower one."""
    scope: Mapped[str] = mapped_column(sa.String(10))
    dataset: Mapped[str | None] = mapped_column(sa.String(400))
    """The only dataset that it is for; ``None``: all."""
    created_at: Mapped[datetime] = mapped_column(default=utc_now)
    expires_at: Mapped[datetime | None]
    revoked_at: Mapped[datetime | None]
    last_used_at: Mapped[datetime | None]
    owner_groups: Mapped[list[str] | None] = mapped_column(sa.JSON(none_as_null=True))
    """Groups that the owner was in at the last sign-in; ``None``: no sign-in said so."""
    groups_seen_at: Mapped[datetime | None]


class RequestAnswer(Base):
    """The answer to a request with an Idempotency-Key. No recorded change: results are elsewhere.

    Without a body the request is at work, or its server has ended.
    """

    __tablename__ = "kept_answer"
    __table_args__ = (NEVER_REUSE_IDS,)

    id: Mapped[int] = mapped_column(primary_key=True)
    place: Mapped[str] = mapped_column(sa.String(64), unique=True)
    """SHA-256 of the token's uid and the key."""
    digest: Mapped[str] = mapped_column(sa.String(64))
    """SHA-256 of the request."""
    body: Mapped[str | None] = mapped_column(sa.Text)
    worker: Mapped[str] = mapped_column(sa.String(200))
    """Which process answers it."""
    created_at: Mapped[datetime] = mapped_column(default=utc_now)
    checksum: Mapped[int | None] = mapped_column(sa.BigInteger)
    """Of the body."""
