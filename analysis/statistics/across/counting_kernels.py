"""Compiled counts: datasets that one system wins against another, and scores above thresholds."""

import numpy as np

from analysis.statistics._typing import BoolArray, IntArray, RankArray
from analysis.statistics.resampling.kernels import called_with, compiled


@called_with("(Array(i2, 3, 'C', True), i8, b1[:, ::1], b1[::1], i8[:, ::1])")
@compiled
def count_points(
    ranks: RankArray, system: int, counted: BoolArray, has_gaps: BoolArray, times: IntArray
) -> None:
    """Count in how many replicates one system has so many points against each later one.

    A point for each dataset on which its rank is lower, and one less where it is higher.

    `ranks` has shape (n_systems, n_datasets, n_replicates), 0 where a score is not defined;
    `counted` (n_systems, n_datasets) says which datasets it shares with each; `has_gaps`
    (n_systems,) who has a rank of 0; `times` (n_systems, 2 · n_datasets + 1) is added to, 0 points
    in the middle. Replicates in which either has a rank of 0 do not count.
    """
    n_systems, n_datasets, n_replicates = ranks.shape
    points = np.empty(n_replicates, np.int16)
    gap = np.empty(n_replicates, np.bool_)
    for other in range(system + 1, n_systems):
        points[:] = 0
        gap[:] = False
        with_gaps = has_gaps[system] or has_gaps[other]
        for dataset in range(n_datasets):
            if not counted[other, dataset]:
                continue
            mine, theirs = ranks[system, dataset], ranks[other, dataset]
            for k in range(n_replicates):
                points[k] += np.int16(mine[k] < theirs[k]) - np.int16(mine[k] > theirs[k])
            if with_gaps:
                for k in range(n_replicates):
                    gap[k] |= (mine[k] == 0) | (theirs[k] == 0)
        for k in range(n_replicates):
            if not gap[k]:
                times[other, n_datasets + points[k]] += 1


@called_with("(i8[:, ::1], i8[:, ::1])")
@compiled
def add_columns(place: IntArray, times: IntArray) -> None:
    """Count in how many rows of `place` so many places lie beyond each threshold.

    `place` has shape (n_rows, n_scores), a score counting for the thresholds before its place;
    `times` (n_thresholds, n_scores + 1) is added to.
    """
    n_thresholds = len(times)
    begins = np.empty(n_thresholds + 1, np.int64)
    for row in range(len(place)):
        begins[:] = 0
        for score in range(place.shape[1]):
            begins[place[row, score]] += 1
        above = 0
        for threshold in range(n_thresholds - 1, -1, -1):
            above += begins[threshold + 1]
            times[threshold, above] += 1
