"""How scores came about: attempts that failed, scores that a rule gave or single trials lack."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

import numpy as np

from analysis.studies.reading import failures_count, read_runs
from analysis.studies.study import count, listed
from store.engine import Store
from store.failures import scored_failures
from store.importers.kinds import COUNTED, OUTCOME_WORDS, Status
from store.records import RunRecord, ScoreMatrix

FAILURES: Final = {
    "n_crashed": Status.ERROR,
    "n_timed_out": Status.TIMED_OUT,
    "n_judge_failed": Status.JUDGE_FAILED,
    "n_unscored": Status.UNSCORED,
}
"""Field of `Coverage`, and of a leaderboard's row -> the outcome that it counts."""


class Coverage(NamedTuple):
    """How the scores of a system came about, counted over its runs and trials."""

    n_lost: int
    """Scores that are missing in single runs or trials, of items that others of them scored."""
    n_by_rule: int
    """Scores that a rule gave where there was no answer to score."""
    n_crashed: int
    n_timed_out: int
    n_judge_failed: int
    n_unscored: int

    @property
    def failures(self) -> str:
        """How many attempts failed how: ``"4 crashed, 1 timed out"``; empty for none."""
        counts = {OUTCOME_WORDS[one]: getattr(self, name) for name, one in FAILURES.items()}
        return ", ".join(f"{n:,} {word}" for word, n in counts.items() if n)


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
    n_vectors = n_given = 0
    counted = {"n_by_rule": Status.SCORED_BY_RULE, **FAILURES}
    totals = dict.fromkeys(counted, 0)
    for run in runs:
        of_trial = {status.trial: status for status in run.statuses}
        for vector in run.vectors:
            if vector.metric_uid == matrix.metric.uid:
                n_vectors += 1
                n_given += vector.n_scored
                if vector.trial in of_trial:
                    for name, one in counted.items():
                        totals[name] += getattr(of_trial[vector.trial], COUNTED[one])
    return Coverage(n_scored * n_vectors - n_given, **totals)


def runs_by_system(runs: Sequence[RunRecord]) -> Mapping[str, list[RunRecord]]:
    """Return uid of the system -> its runs, in their order; empty for others."""
    found: defaultdict[str, list[RunRecord]] = defaultdict(list)
    for run in runs:
        found[run.system_uid].append(run)
    return found


def coverage_notes(store: Store, matrix: ScoreMatrix) -> list[str]:
    """Say of which systems of a matrix attempts failed and count, or scores are by rule or lost."""
    runs = runs_by_system(read_runs(store, matrix.dataset.uid, matrix.metric))
    n_scored = (~np.isnan(matrix.scores).any(axis=2)).sum(axis=1).tolist()
    of_system = {
        system: coverage_of(matrix, n, runs[uid])
        for system, uid, n in zip(matrix.systems, matrix.system_uids, n_scored, strict=True)
    }
    told = _on_failures(store, matrix, of_system)
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


def _on_failures(store: Store, matrix: ScoreMatrix, of_system: Mapping[str, Coverage]) -> list[str]:
    """Say which systems' failures count as scores, and who has nothing but zeros."""
    failed = {name: one.failures for name, one in of_system.items() if one.failures}
    if not failed:
        return []
    told = []
    with_scores = scored_failures(store, matrix.dataset.uid, matrix.metric.uid)
    how = failures_count(store, matrix.dataset.uid)
    names = [
        f"{name} ({failed[name]})"
        for name, uid in zip(matrix.systems, matrix.system_uids, strict=True)
        if name in failed and (uid in with_scores or how == "wrong")
    ]
    n = sum(with_scores[uid] for uid in matrix.system_uids if uid in with_scores)
    if names:
        who = f"{listed(names, most=4)}."
        counted = f"{count(n, 'score')} {'is' if n == 1 else 'are'} of such attempts"
        leave_out = f"tiebreak settings set failures missing --dataset {matrix.dataset.label}"
        told.append(
            {
                "source": f"Failed attempts count, as the source scores them: {who} {counted}. "
                f"`{leave_out}` leaves them out.",
                "missing": f"Failed attempts are missing here: {who} In the source {counted}.",
                "wrong": f"Failed attempts count as wrong here: {who}",
            }[how]
        )
    zeros = [
        name
        for name, values in zip(matrix.systems, matrix.scores[:, :, 0], strict=True)
        if name in failed and not np.nan_to_num(values).any() and not np.isnan(values).all()
    ]
    if zeros:
        told.append(
            f"Every score of {listed(zeros, most=4)} is 0, and attempts failed: look at the run "
            "before you believe that the system is worse."
        )
    return told
