"""The item scores of a test set: who scores best, and on what items systems tend to agree."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from analysis.statistics.planning.accuracy.agreement import CARD_2020_GLUE, AgreementModel
from analysis.studies.agreement_line import line_of_agreement
from analysis.studies.cells import CellKey
from analysis.studies.clusters import Clusters, choose_clusters
from analysis.studies.leaderboard_comparable import find_comparable
from analysis.studies.pairs_words import PairsSettings
from analysis.studies.power.pair_scores import PairScores, shared_scores
from analysis.studies.reading import read_matrix
from store import vectors
from store.arrays import load_groups
from store.engine import Store
from store.importers.known_metrics import is_cost
from store.metrics import list_metrics
from store.records import ScoreMatrix
from store.settings import dataset_settings


class CellScores(NamedTuple):
    """The systems of a dataset and metric that have item scores, the best first."""

    matrix: ScoreMatrix
    order: tuple[int, ...]
    """Rows of the matrix."""
    scores: tuple[float, ...]
    """Of each in `order`: as on the leaderboard, comparable where systems have other items."""
    labels: list[str | None]
    """Group of each item, as the dataset declares it."""
    clusters: Clusters

    @property
    def systems(self) -> tuple[str, ...]:
        """Return names, the best first."""
        return tuple(self.matrix.systems[i] for i in self.order)

    @property
    def system_uids(self) -> tuple[str, ...]:
        """Return uids, the best first."""
        return tuple(self.matrix.system_uids[i] for i in self.order)

    def pair(self, first: int, second: int) -> PairScores:
        """Return the shared items of the systems at two places of the order."""
        return shared_scores(
            self.matrix.scores[self.order[first]],
            self.matrix.scores[self.order[second]],
            aggregation=self.matrix.metric.aggregation,
            sign=self.matrix.metric.sign,
            labels=self.labels,
            clustered=self.clusters.groups is not None,
        )

    def rival(self) -> int:
        """Return the place of the best system that is not the first one under another name.

        Two releases may answer alike on every item: how much comparisons vary shows in others.
        """
        best = self.matrix.scores[self.order[0]]
        for place, row in enumerate(self.order[1:], start=1):
            other = self.matrix.scores[row]
            if not np.array_equal(best, other, equal_nan=True):
                return place
        return 1

    def expected_agreement(self) -> AgreementModel:
        """Return the line of agreement of these systems; that of GLUE where they are too few."""
        if self.matrix.metric.aggregation != "mean":
            return CARD_2020_GLUE
        return line_of_agreement(self.matrix.scores[:, :, 0], self.matrix.dataset.label)


def load_scores(store: Store, key: CellKey, *, clusters: bool | None = None) -> CellScores:
    """Return the systems of a dataset and metric, the best first."""
    matrix = read_matrix(store, *key)
    metric = matrix.metric
    own = [vectors.aggregate(row, metric.aggregation) for row in matrix.scores]
    scored = np.asarray(~np.isnan(matrix.scores).any(axis=2))
    settings = PairsSettings(clusters=clusters)
    scores = find_comparable(store, matrix, scored, own, settings).scores
    order = sorted(
        (i for i, score in enumerate(scores) if not math.isnan(score)),
        key=lambda i: (-metric.sign * scores[i], matrix.systems[i].casefold()),
    )
    labels = load_groups(store, matrix.dataset.uid)
    return CellScores(
        matrix,
        tuple(order),
        tuple(scores[i] for i in order),
        labels,
        choose_clusters(labels, clusters),
    )


def judged_cells(store: Store, cells: Mapping[CellKey, Mapping[str, object]]) -> dict[str, CellKey]:
    """Return, by dataset, the cell by which it is judged; it has at least two systems.

    Its metric is the one of the store's settings, else the one of most systems. What an output
    took (time, money, tokens) comes after what it is worth.
    """
    primary = {uid: own.get("metric") for uid, own in dataset_settings(store).items()}
    costs = {metric.uid for metric in list_metrics(store) if is_cost(metric.name)}

    def worth(key: CellKey) -> tuple[bool, bool, int]:
        dataset_uid, metric_uid = key
        return metric_uid == primary.get(dataset_uid), metric_uid not in costs, len(cells[key])

    best: dict[str, CellKey] = {}
    for key, systems in cells.items():
        if len(systems) < 2:
            continue
        kept = best.get(key[0])
        if kept is None or worth(key) > worth(kept):
            best[key[0]] = key
    return best
