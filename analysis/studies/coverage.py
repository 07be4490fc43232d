"""How scores came about: attempts that failed, scores that a rule gave or single trials lack."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

import numpy as np

from analysis.studies.reading import failures_count, read_runs
from analysis.studies.study import count, listed
from store.engine import Store
from store.failures import scored_failures
from store.importers.kinds import COUNTED, OUTCOME_WORDS, Status
from store.records import RunRecord, ScoreMatrix
from store.runs import list_runs

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
    for run in runs:
        for vector in run.vectors:
            if vector.metric_uid == matrix.metric.uid:
                n_vectors += 1
                n_given += vector.n_scored
    outcomes = _outcomes(matrix.metric.uid, runs, {"n_by_rule": Status.SCORED_BY_RULE, **FAILURES})
    return Coverage(n_scored * n_vectors - n_given, **outcomes)


def _outcomes(
    metric_uid: str, runs: Sequence[RunRecord], counted: Mapping[str, Status] = FAILURES
) -> Counter[str]:
    """Return how many attempts at a metric came out how: name -> count, for all in `counted`."""
    totals = Counter(dict.fromkeys(counted, 0))
    for run in runs:
        of_trial = {status.trial: status for status in run.statuses}
        for vector in run.vectors:
            if vector.metric_uid == metric_uid and vector.trial in of_trial:
                for name, one in counted.items():
                    totals[name] += getattr(of_trial[vector.trial], COUNTED[one])
    return totals


def _in_words(outcomes: Mapping[str, int]) -> str:
    """Return how many attempts failed how: ``"4 crashed, 1 timed out"``."""
    words = {name: OUTCOME_WORDS[one] for name, one in FAILURES.items()}
    return ", ".join(f"{n:,} {word}" for name, word in words.items() if (n := outcomes[name]))


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
    told = failure_notes(
        store,
        {(matrix.dataset.uid, matrix.metric.uid): matrix.dataset.label},
        dict(zip(matrix.system_uids, matrix.systems, strict=True)),
    )
    told += _zeros(matrix, of_system)
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


def failure_notes(
    store: Store, cells: Mapping[tuple[str, str], str], systems: Mapping[str, str]
) -> list[str]:
    """Say whose attempts failed and count, with how many; one sentence for each way to count.

    Parameters
    ----------
    store
        Where from.
    cells
        Uids of dataset and metric -> the dataset as it is called.
    systems
        Uid -> name, in the order in which they are told.
    """
    failed: dict[str, dict[str, dict[str, Counter[str]]]] = {}
    n_scores: Counter[str] = Counter()
    for dataset, metric in cells:
        with_scores = scored_failures(store, dataset, metric)
        how = failures_count(store, dataset)
        if how != "wrong" and not with_scores:
            continue
        runs = runs_by_system(list_runs(store, dataset_uid=dataset))
        for uid in systems:
            outcomes = _outcomes(metric, runs[uid])
            if sum(outcomes.values()) and (uid in with_scores or how == "wrong"):
                failed.setdefault(how, {}).setdefault(uid, {})[dataset] = outcomes
                n_scores[how] += with_scores.get(uid, 0)
    called = {dataset: label for (dataset, _), label in cells.items()}
    told = []
    for how, found in failed.items():
        who = [
            f"{name} ({_in_words(sum(found[uid].values(), Counter()))})"
            for uid, name in systems.items()
            if uid in found
        ]
        where = ""
        if len(called) > 1:
            there = {dataset for each in found.values() for dataset in each}
            names = listed([label for uid, label in called.items() if uid in there], most=4)
            where = f" on {names}"
        n = n_scores[how]
        counted = f"{count(n, 'score')} {'is' if n == 1 else 'are'} of such attempts"
        told.append(
            {
                "source": f"Failed attempts count{where}, as the source scores them: "
                f"{listed(who, most=4)}. {counted}. `--failures missing` leaves them out.",
                "missing": f"Failed attempts are missing here{where}: {listed(who, most=4)}. "
                f"In the source {counted}.",
                "wrong": f"Failed attempts count as wrong here{where}: {listed(who, most=4)}.",
            }[how]
        )
    return told


def _zeros(matrix: ScoreMatrix, of_system: Mapping[str, Coverage]) -> list[str]:
    """Say which systems have nothing but zeros, and attempts that failed."""
    zeros = [
        name
        for name, values in zip(matrix.systems, matrix.scores[:, :, 0], strict=True)
        if any(getattr(of_system[name], one) for one in FAILURES)
        and not np.nan_to_num(values).any()
        and not np.isnan(values).all()
    ]
    if not zeros:
        return []
    return [
        f"Every score of {listed(zeros, most=4)} is 0, and attempts failed: look at the run "
        "before you believe how the system compares."
    ]
