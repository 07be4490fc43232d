"""Claims, scores and figures with days, for the tests of claims."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

from analysis.studies.claims.records import ClaimRow
from store.claim_records import NewClaim
from store.claims import add_claim
from store.engine import Store
from store.importers.bundle import (
    BundleDataset,
    BundleMetric,
    BundleReportedScore,
    ImportBundle,
)
from store.ingest import ingest

START = datetime(2020, 1, 1, tzinfo=UTC)
AddDated = Callable[..., None]


def right(n_right: int, n_items: int = 200, *, shift: int = 0) -> list[float]:
    """Return scores of a system that is right on `n_right` neighbouring items."""
    return [float((k - shift) % n_items < n_right) for k in range(n_items)]


def report(
    store: Store,
    figures: list[tuple[str, float, int]],
    *,
    metric: str = "accuracy",
    n_items: int | None = None,
) -> None:
    """Store figures: system, accuracy, day."""
    ingest(
        store,
        ImportBundle(
            format="test",
            datasets=[BundleDataset("qa", n_items_stated=n_items)],
            metrics=[
                BundleMetric(metric, higher_is_better="error" not in metric, unit="proportion")
            ],
            reported_scores=[
                BundleReportedScore(
                    name,
                    0,
                    0,
                    value,
                    reported_on=START + timedelta(days=day),
                    source=f"board of day {day}",
                )
                for name, value, day in figures
            ],
        ),
        actor="tests",
    )


def claim(store: Store, system: str, value: float, day: int, **more: str) -> str:
    made = NewClaim(
        system=system,
        dataset="qa",
        metric="accuracy",
        value=value,
        claimed_on=START + timedelta(days=day),
        source=more.pop("source", "a paper"),
        **more,  # type: ignore[arg-type]
    )
    return add_claim(store, made, actor="tests").uid


def by_system(rows: tuple[ClaimRow, ...]) -> dict[str, ClaimRow]:
    return {row.system: row for row in rows}
