"""The tables of the ledger of claims; `store.models` has all others and names these too."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import Mapped, mapped_column

from store.model_base import NEVER_REUSE_IDS, Base, new_uid, one_of, utc_now


class Claim(Base):
    """A dated statement that a system reaches a value. Append-only: no row is ever changed."""

    __tablename__ = "claim"
    __table_args__ = (
        sa.UniqueConstraint(
            *("system_id", "dataset_id", "metric_id", "claimed_on", "source", "value"),
            name="uq_claim_identity",
        ),
        one_of("origin", "hand", "file", "found"),
        one_of("tier", "reported", "reproduced", "contradicted"),
        NEVER_REUSE_IDS,
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    uid: Mapped[str] = mapped_column(sa.String(12), unique=True, default=new_uid)
    system_id: Mapped[int] = mapped_column(sa.ForeignKey("system.id", ondelete="CASCADE"))
    dataset_id: Mapped[int] = mapped_column(
        sa.ForeignKey("dataset.id", ondelete="CASCADE"), index=True
    )
    metric_id: Mapped[int] = mapped_column(sa.ForeignKey("metric.id"), index=True)
    run_id: Mapped[int | None] = mapped_column(
        sa.ForeignKey("run.id", ondelete="SET NULL"), index=True
    )
    """The run that the claim is about, where there is one; the claim outlives it."""
    claimed_on: Mapped[datetime]
    value: Mapped[float]
    printed: Mapped[str] = mapped_column(sa.String(200), default="")
    source: Mapped[str] = mapped_column(sa.String(1000))
    source_url: Mapped[str | None] = mapped_column(sa.String(2000))
    quote: Mapped[str] = mapped_column(sa.Text, default="")
    origin: Mapped[str] = mapped_column(sa.String(20))
    tier: Mapped[str] = mapped_column(sa.String(20))
    """As it was when the claim was made; evidence may move it."""
    ingest_id: Mapped[int | None] = mapped_column(sa.ForeignKey("ingest.id"), index=True)
    actor: Mapped[str] = mapped_column(sa.String(200))
    created_at: Mapped[datetime] = mapped_column(default=utc_now)


class ClaimEvidence(Base):
    """What one audit made of a claim. Append-only; the largest id is the verdict of today."""

    __tablename__ = "claim_evidence"
    __table_args__ = (
        one_of(
            *("verdict", "supported", "within-noise", "underpowered", "unverifiable"),
            "contradicted",
        ),
        one_of("tier", "reported", "reproduced", "contradicted"),
        NEVER_REUSE_IDS,
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    claim_id: Mapped[int] = mapped_column(sa.ForeignKey("claim.id", ondelete="CASCADE"), index=True)
    verdict: Mapped[str] = mapped_column(sa.String(20))
    tier: Mapped[str | None] = mapped_column(sa.String(20))
    """``None``: the audit says nothing about it."""
    figures: Mapped[dict[str, Any]]
    signature: Mapped[str] = mapped_column(sa.Text, default="")
    """One line from which the figures can be repeated."""
    fingerprint: Mapped[str] = mapped_column(sa.String(64), default="")
    """Of the data that were looked at; see `store.results_cache.system_fingerprints`."""
    actor: Mapped[str] = mapped_column(sa.String(200))
    created_at: Mapped[datetime] = mapped_column(default=utc_now)
    method_version: Mapped[str] = mapped_column(
        sa.String(20), default="", server_default=sa.text("''")
    )
    """Of the statistics that gave the figures; empty where they did not say."""
