"""Counting datasets with the dependence that shared items really make."""

from __future__ import annotations

from analysis.statistics.across.joint.cells import JointCell
from analysis.statistics.across.joint.replicability import (
    JointReplicability,
    joint_replicability,
)
from analysis.studies.directed_pairs import TestSettings
from analysis.studies.evidence import PairEvidence
from analysis.studies.shared_units import load_units
from store.engine import Store


def count_jointly(
    store: Store, evidence: PairEvidence, settings: TestSettings, *, alpha: float
) -> JointReplicability | None:
    """Resample all cells of a pair at once; ``None`` where there are no item scores."""
    if not evidence.cells:
        return None
    units = load_units(store, evidence.cells)
    return joint_replicability(
        [
            JointCell(
                cell.matrix.scores, cell.matrix.metric.aggregation, unit, cell.matrix.metric.sign
            )
            for cell, unit in zip(evidence.cells, units, strict=True)
        ],
        alpha=alpha,
        n_resamples=settings.n_resamples,
        rng=settings.seed,
    )
