"""Golds that follow from the judgments of an import: made once, when all of these have come in."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import sqlalchemy as sa

from store.engine import Change
from store.gold import recompute_gold
from store.ingest.report import IngestReport
from store.models import Criterion, Ingest
from store.stale_golds import stale_golds


class _Due(NamedTuple):
    """The criteria of a dataset that were judged, and what judged it last."""

    criteria: frozenset[int]
    ingest: Ingest
    report: IngestReport


class GoldsDue:
    """Remembers which criteria of which dataset were judged."""

    def __init__(self, change: Change) -> None:
        self._change = change
        self._due: dict[int, _Due] = {}
        """By dataset."""

    def add(
        self, dataset_id: int, criteria: Iterable[int], ingest: Ingest, report: IngestReport
    ) -> None:
        """Note criteria of a dataset that an ingest judged; its report tells what comes of it."""
        known = self._due[dataset_id].criteria if dataset_id in self._due else frozenset()
        self._due[dataset_id] = _Due(known.union(criteria), ingest, report)

    def state(self) -> dict[int, _Due]:
        """Return what is due now, for `go_back`."""
        return dict(self._due)

    def go_back(self, state: dict[int, _Due]) -> None:
        """Forget what was noted since: it was taken back."""
        self._due = dict(state)

    def make(self) -> None:
        """Compute what is due; golds by other rules, which do not follow, are warned of."""
        for due in self._due.values():
            query = sa.select(Criterion).where(Criterion.id.in_(due.criteria))
            rows = list(self._change.session.scalars(query.order_by(Criterion.id)))
            report, told = due.report, recompute_gold(self._change, rows)
            stale = stale_golds(self._change.session.connection(), rows)
            warned = [gold.after("these judgments came in") for gold in stale]
            # New lists: what the session holds of the ingest has those that were.
            report.understood = [*report.understood, *told]
            report.warnings = [*report.warnings, *warned]
            if report.changed:  # else nothing is kept of the ingest
                due.ingest.report = report.to_dict()
        self._due = {}
