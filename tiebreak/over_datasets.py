"""Questions over several datasets: the same studies as the commands, of a store or of plain scores.

`data` is a store, its file or address (``None``: ``$TIEBREAK_STORE``, else ``tiebreak.db``), or
scores that nobody stores; see `tiebreak.data.AnyData`. All settings are those of the command of
that name. Everything that is wrong with them is a `StoreError`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any, Literal

from analysis.studies.ranking import RankingStudy, study_ranking
from analysis.studies.replicability import (
    ReplicabilitySettings,
    ReplicabilityStudy,
    study_replicability,
)
from analysis.studies.replicability_matrix import (
    ReplicabilityMatrixStudy,
    study_replicability_matrix,
)
from analysis.studies.replicability_matrix_report import pairs as rows_of_pairs
from store.kept_settings import Failures
from tiebreak.answers import Answer
from tiebreak.data import AnyData, as_store
from tiebreak.settings import in_words


@in_words
def rank(
    data: AnyData = None,
    *,
    metric: str | None = None,
    higher_is_better: bool | None = None,
    failures: Failures | None = None,
    datasets: Sequence[str] | None = None,
    systems: Sequence[str] | None = None,
    reported: bool | None = None,
    alpha: float = 0.05,
    target: float | None = None,
    n_resamples: int = 1_999,
    seed: int = 0,
) -> Answer[RankingStudy]:
    """Rank systems over datasets: mean ranks, tests, aggregates with intervals."""
    with as_store(
        data, metric=metric, higher_is_better=higher_is_better, failures=failures
    ) as store:
        study = study_ranking(
            store,
            metric=metric,
            datasets=datasets,
            systems=systems,
            reported=reported,
            alpha=alpha,
            target=target,
            n_resamples=n_resamples,
            seed=seed,
        )
    return Answer(study, "of_ranks", lambda: _ranks(study))


@in_words
def replicability(
    a: str,
    b: str,
    data: AnyData = None,
    *,
    metric: str | Sequence[str] | None = None,
    higher_is_better: bool | None = None,
    failures: Failures | None = None,
    datasets: Sequence[str] | None = None,
    alpha: float = 0.05,
    reported: bool = False,
    dependent: bool | None = None,
    margin: float | None = None,
    n_resamples: int = 9_999,
    seed: int = 0,
) -> Answer[ReplicabilityStudy]:
    """Say on how many datasets, and on which, A is better than B.

    `dependent` says whether datasets share items or sources; by default what is known of their
    items decides, and unknown counts as dependent.
    """
    chosen = ReplicabilitySettings(
        metric=metric if metric is None or isinstance(metric, str) else tuple(metric),
        datasets=None if datasets is None else tuple(datasets),
        alpha=alpha,
        reported=reported,
        dependent=dependent,
        margin=margin,
        n_resamples=n_resamples,
        seed=seed,
    )
    name = metric if isinstance(metric, str) else None
    with as_store(data, metric=name, higher_is_better=higher_is_better, failures=failures) as store:
        study = study_replicability(store, a, b, chosen)
    return Answer(study, "of_datasets", lambda: list(map(asdict, study.datasets)))


@in_words
def replicability_matrix(
    data: AnyData = None,
    *,
    metric: str | None = None,
    higher_is_better: bool | None = None,
    failures: Failures | None = None,
    datasets: Sequence[str] | None = None,
    systems: Sequence[str] | None = None,
    alpha: float = 0.05,
    dependent: bool | None = None,
    pairs: Literal["together", "alone"] = "together",
    n_resamples: int = 9_999,
    seed: int = 0,
) -> Answer[ReplicabilityMatrixStudy]:
    """Say on how many datasets each system is better than each other one."""
    with as_store(
        data, metric=metric, higher_is_better=higher_is_better, failures=failures
    ) as store:
        study = study_replicability_matrix(
            store,
            metric=metric,
            datasets=datasets,
            systems=systems,
            alpha=alpha,
            dependent=dependent,
            pairs=pairs,
            n_resamples=n_resamples,
            seed=seed,
        )
    return Answer(study, "of_matrix", lambda: rows_of_pairs(study).rows)


def _ranks(study: RankingStudy) -> list[dict[str, Any]]:
    columns = zip(
        study.systems,
        study.mean_ranks.tolist(),
        study.rank_low.tolist(),
        study.rank_high.tolist(),
        study.n_datasets.tolist(),
        strict=True,
    )
    names = ("system", "mean_rank", "ci_low", "ci_high", "n_datasets")
    return [dict(zip(names, row, strict=True)) for row in columns]
