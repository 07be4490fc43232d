"""Questions about judgments and claims, which only a store holds; the same as the commands.

Everything that is wrong with a setting is a `StoreError`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, Unpack

from analysis.studies.claims.settings import ClaimSettings
from analysis.studies.claims.study import ClaimsStudy, study_claims
from analysis.studies.humans.agreement.study import AgreementStudy, study_agreement
from analysis.studies.humans.correlations.settings import CorrelationSettings, with_words
from analysis.studies.humans.correlations.study import CorrelationsStudy, study_correlations
from tiebreak.answers import Answer
from tiebreak.data import AnyData, as_store
from tiebreak.settings import ClaimsOptions, checked, in_words


@in_words
def claims(
    data: AnyData,
    dataset: str,
    *,
    metric: str | None = None,
    **settings: Unpack[ClaimsOptions],
) -> Answer[ClaimsStudy]:
    """Say which claims on a dataset hold. Claims have dates, so `data` is a store."""
    chosen = ClaimSettings(**checked(settings, ClaimsOptions))
    with as_store(data) as store:
        return Answer(study_claims(store, dataset, metric=metric, settings=chosen))


@in_words
def correlate(
    data: AnyData,
    dataset: str,
    gold: str,
    *,
    metrics: Sequence[str] | None = None,
    systems: Sequence[str] | None = None,
    without: Sequence[str] = (),
    level: str | None = None,
    coefficient: str | None = None,
    test: str | None = None,
    interval: str | None = None,
    correction: str = "holm",
    reference: str | None = None,
    by: str | None = None,
    alpha: float = 0.05,
    n_resamples: int | None = None,
    seed: int = 0,
) -> Answer[CorrelationsStudy]:
    """Hold metrics against what people judged: which follows it best, which are alike."""
    chosen = with_words(
        CorrelationSettings(
            correction=correction,
            reference=reference,
            alpha=alpha,
            by=by,
            n_resamples=n_resamples,
            seed=seed,
        ),
        level=level,
        coefficient=coefficient,
        test=test,
        interval=interval,
    )
    with as_store(data) as store:
        study = study_correlations(
            store,
            dataset,
            gold,
            metrics=metrics,
            systems=systems,
            without=without,
            settings=chosen,
        )
    return Answer(study)


@in_words
def agreement(
    data: AnyData,
    dataset: str,
    *,
    gold: str | None = None,
    metrics: Sequence[str] | None = None,
    annotators: Literal["human", "model", "all"] | None = None,
    ties: Literal["half", "drop", "first", "second"] = "half",
    alpha: float = 0.05,
    n_resamples: int = 1_999,
    seed: int = 0,
) -> Answer[AgreementStudy]:
    """Say how far annotators agree, and whether more with each other than with a metric."""
    with as_store(data) as store:
        study = study_agreement(
            store,
            dataset,
            gold=gold,
            metrics=metrics,
            annotators=annotators,
            ties=ties,
            alpha=alpha,
            n_resamples=n_resamples,
            seed=seed,
        )
    return Answer(study)
