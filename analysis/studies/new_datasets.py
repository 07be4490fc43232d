"""What two systems' differences on some datasets say about a dataset nobody has seen."""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from analysis.statistics._typing import BoolArray, FloatArray
from analysis.statistics.across.bayesian import BayesianSignedRank, bayesian_signed_rank
from analysis.statistics.across.hierarchical import RandomEffects, random_effects
from analysis.statistics.across.over_datasets import OverDatasets, compare_over_datasets
from analysis.statistics.across.resampled_datasets import DatasetScores
from analysis.statistics.item_groups import as_group_codes, keep_groups
from analysis.statistics.results import DegenerateDataWarning
from analysis.studies.cells import Cell
from analysis.studies.dependent_datasets import (
    DatasetSample,
    pool_shared_items,
    sample_datasets,
    sample_scores,
)
from analysis.studies.directed_pairs import TestSettings, compare_pairs
from analysis.studies.evidence import PairEvidence
from store import vectors
from store.datasets import DatasetRelations
from store.engine import Store


@dataclass(frozen=True, slots=True, eq=False)
class NewDatasets:
    """The datasets as a sample of datasets; all differences are A minus B, higher is better."""

    blocks: tuple[tuple[int, ...], ...]
    """Places in the evidence of the datasets that count, and of those that count as one. An item
    that several share counts on the first of them only."""
    over_datasets: OverDatasets
    """Tests with the dataset as the unit (Demšar 2006; Søgaard 2013)."""
    random_effects: RandomEffects | None
    """Mean and spread of the difference over datasets, and each one shrunk towards the mean, in
    the order of `blocks`; ``None`` without item scores."""
    bayesian: BayesianSignedRank
    """Probability that A or B is better on average, or that it does not matter."""
    margin: float
    """Half the width of the region of differences that do not matter."""

    def shrunken(self, position: int) -> float:
        """Return the difference on a dataset of the evidence, shrunk; NaN where there is none."""
        if self.random_effects is None or (position,) not in self.blocks:
            return math.nan
        return float(self.random_effects.shrunken[self.blocks.index((position,))])


def sample_of(
    store: Store, evidence: PairEvidence, relations: DatasetRelations, dependent: bool | None
) -> tuple[tuple[DatasetScores, ...], DatasetSample]:
    """Return the scores of both systems on each dataset, and which of it is a sample of datasets.

    Parameters
    ----------
    store, evidence, relations
        Of one metric.
    dependent
        What was declared of the datasets.
    """
    sign = evidence.metrics[0].sign
    uids = [e.dataset_uid for e in evidence.datasets]
    if not evidence.cells:
        figures = tuple(
            DatasetScores(np.empty((2, 0, 1)), "mean", sign, point=np.array([e.score_a, e.score_b]))
            for e in evidence.datasets
        )
        return figures, sample_datasets(figures, uids, relations, dependent)
    counted = [_both(cell) for cell in evidence.cells]
    scores = tuple(_pair_scores(*pair) for pair in zip(evidence.cells, counted, strict=True))
    if dependent is not False:
        scores = pool_shared_items(store, uids, scores, counted, relations.overlaps)
    return scores, sample_datasets(scores, uids, relations, dependent)


def compare_on_new_datasets(
    evidence: PairEvidence,
    scores: Sequence[DatasetScores],
    sample: DatasetSample,
    *,
    tests: TestSettings,
    alpha: float,
    margin: float | None,
    seed: int,
) -> NewDatasets | None:
    """Take the datasets as a sample; ``None`` where fewer than two have a difference.

    Parameters
    ----------
    evidence, scores, sample
        As `sample_of` takes and returns them.
    tests
        How item scores are tested, which gives standard errors.
    alpha, margin, seed
        Intervals have 1 - alpha; differences below the margin do not matter.
    """
    sign = evidence.metrics[0].sign
    if sample.is_whole:
        a = sign * np.array([e.score_a for e in evidence.datasets])
        b = sign * np.array([e.score_b for e in evidence.datasets])
        errors = np.array([e.standard_error for e in evidence.datasets])
    else:
        a, b = sample_scores(scores, sample)
        errors = _block_errors(evidence, sample, tests, alpha)
    gains = a - b
    known = np.isfinite(gains)
    if np.count_nonzero(known) < 2:
        return None
    measured = known & np.isfinite(errors)
    return NewDatasets(
        blocks=sample.blocks,
        over_datasets=compare_over_datasets(a, b, alpha=alpha),
        random_effects=_random_effects(gains, errors, alpha)
        if np.count_nonzero(measured) >= 2
        else None,
        bayesian=bayesian_signed_rank(gains[known], rope=margin or 0.0, rng=seed),
        margin=margin or 0.0,
    )


def _both(cell: Cell) -> BoolArray:
    """Return which items have a score of both systems."""
    a, b = cell.matrix.scores
    return np.asarray(vectors.scored(a) & vectors.scored(b))


def _pair_scores(cell: Cell, both: BoolArray) -> DatasetScores:
    labels = cell.clusters.groups
    return DatasetScores(
        cell.matrix.scores[:, both],
        cell.matrix.metric.aggregation,
        cell.matrix.metric.sign,
        None if labels is None else keep_groups(as_group_codes(labels, len(both)), both),
    )


def _block_errors(
    evidence: PairEvidence, sample: DatasetSample, tests: TestSettings, alpha: float
) -> FloatArray:
    """Return the standard error of each block's difference, shape (n_blocks,).

    That of a mean over datasets that share nobody knows what is at most the mean of theirs.
    """
    errors = [
        found.standard_error if own is None else _error_of(evidence.cells[place], own, tests, alpha)
        for place, (found, own) in enumerate(zip(evidence.datasets, sample.own, strict=True))
    ]
    return np.array([np.mean([errors[place] for place in block]) for block in sample.blocks])


def _error_of(cell: Cell, own: BoolArray, tests: TestSettings, alpha: float) -> float:
    """Return the standard error of the difference over the items of a dataset that count."""
    scores = np.array(cell.matrix.scores)
    scores[:, np.flatnonzero(_both(cell))[~own]] = np.nan
    kept = replace(cell, matrix=replace(cell.matrix, scores=scores))
    try:
        found = compare_pairs(kept, tests, directed=False, alpha=alpha)
    except ValueError:  # too few items are left
        return math.nan
    return float(found.standard_error[0, 1])


def _random_effects(gains: FloatArray, errors: FloatArray, alpha: float) -> RandomEffects:
    with warnings.catch_warnings():
        # `n_without_error` tells of datasets on which all items differ by the same amount.
        warnings.simplefilter("ignore", DegenerateDataWarning)
        return random_effects(gains, errors, confidence_level=1 - alpha)
