"""Scores that are missing in single trials, and scores that a rule gave."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from analysis.studies.study import listed
from store.engine import Store
from store.records import RunRecord, ScoreMatrix
from store.runs import list_runs


class Coverage(NamedTuple):
    """How the scores of a system came about, counted over its runs and trials."""

    n_lost: int
    """Scores that are missing in single runs or trials, of items that others of them scored."""
    n_by_rule: int
    """Scores that a rule gave where there was no answer to score."""


def coverage_of(matrix: ScoreMatrix, n_scored: int, runs: Sequence[RunRecord]) -> Coverage:
    """Return the coverage of one system.

    Parameters
    ----------
    matrix
        The scores of its dataset and metric.
    n_scored
        Items that any of its runs scored.
    runs
        Its runs on the dataset.
    """
    n_vectors = n_given = n_by_rule = 0
    for run in runs:
        by_rule = {status.trial: status.n_by_rule for status in run.statuses}
        for vector in run.vectors:
            if vector.metric_uid == matrix.metric.uid:
                n_vectors += 1
                n_given += vector.n_scored
                n_by_rule += by_rule.get(vector.trial, 0)
    return Coverage(n_scored * n_vectors - n_given, n_by_rule)


def runs_by_system(runs: Sequence[RunRecord]) -> Mapping[str, list[RunRecord]]:
    """Return uid of the system -> its runs, in their order; empty for others."""
    found: defaultdict[str, list[RunRecord]] = defaultdict(list)
    for run in runs:
        found[run.system_uid].append(run)
    return found


def coverage_notes(store: Store, matrix: ScoreMatrix) -> list[str]:
    """Say of which systems of a matrix scores were given by a rule or lost in single trials."""
    runs = runs_by_system(list_runs(store, dataset_uid=matrix.dataset.uid))
    n_scored = (~np.isnan(matrix.scores).any(axis=2)).sum(axis=1).tolist()
    of_system = {
        system: coverage_of(matrix, n, runs[uid])
        for system, uid, n in zip(matrix.systems, matrix.system_uids, n_scored, strict=True)
    }
    told = []
    by_rule = [f"{name} ({one.n_by_rule:,})" for name, one in of_system.items() if one.n_by_rule]
    if by_rule:
        told.append(
            f"Scored by rule, since there was no answer to score: {listed(by_rule, most=4)}. "
            "Such scores stand in for what was lost and are no measurement."
        )
    lost = [f"{name} ({one.n_lost:,})" for name, one in of_system.items() if one.n_lost]
    if lost:
        told.append(
            f"Missing in single runs or trials: {listed(lost, most=4)}. The score of such an item "
            "is the mean over its other ones."
        )
    return told
