"""One metric, one scale: 0.74 and 74.4 must not meet under one name."""

from __future__ import annotations

import numpy as np
import sqlalchemy as sa

from store.engine import Change
from store.errors import ConflictError
from store.importers.bundle import ONE_SCORE, FloatArray
from store.importers.known_metrics import is_share
from store.models import Metric, Run, ScoreVector


class Scales:
    """The largest score of each metric so far, in the store and in the import under way."""

    def __init__(self, change: Change) -> None:
        self._change = change
        self._largest: dict[int, float] = {}

    def require_one(self, metric: Metric, values: FloatArray, system: str) -> None:
        """Raise `ConflictError` when a share comes in percent beside proportions, or the reverse.

        Only for shares without a declared unit: with one, the bounds decide.
        """
        if metric.unit or metric.aggregation not in ONE_SCORE or not is_share(metric.name):
            return
        if np.isnan(values).all():
            return
        here, known = float(np.nanmax(values)), self._known(metric)
        self._largest[metric.id] = max(here, known)
        if 0 < min(here, known) <= 1 < max(here, known):
            raise ConflictError(
                f"'{metric.name}' goes up to {here:g} for '{system}' and up to {known:g} for other "
                "runs: these look like two scales. Convert one of them, or declare unit: "
                "proportion or unit: percent for the metric in a YAML file."
            )

    def _known(self, metric: Metric) -> float:
        if metric.id not in self._largest:
            largest = self._change.session.scalar(
                sa.select(sa.func.max(ScoreVector.max))
                .join(Run, Run.id == ScoreVector.run_id)
                .where(ScoreVector.metric_id == metric.id, Run.deleted_at.is_(None))
            )
            self._largest[metric.id] = 0.0 if largest is None else float(largest)
        return self._largest[metric.id]
