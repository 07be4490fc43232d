"""Questions about people's judgments and about claims over time; the same as the commands.

`data` is a store or a long table, see `tiebreak.data.AnyData`. Everything that is wrong with it or
with a setting is a `StoreError`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Literal, Unpack

from analysis.setting import build
from analysis.studies.claims.settings import ClaimSettings
from analysis.studies.claims.study import ClaimsStudy, study_claims
from analysis.studies.humans.agreement.study import AgreementStudy, study_agreement
from analysis.studies.humans.correlations.settings import CorrelationSettings
from analysis.studies.humans.correlations.study import CorrelationsStudy, study_correlations
from store.errors import StoreError
from store.kept_settings import Failures
from tiebreak.answers import Answer
from tiebreak.data import AnyData, as_store, only_dataset
from tiebreak.settings import ClaimsOptions, in_words


@in_words
def claims(
    data: AnyData = None,
    dataset: str | None = None,
    *,
    metric: str | None = None,
    higher_is_better: bool | None = None,
    **settings: Unpack[ClaimsOptions],
) -> Answer[ClaimsStudy]:
    """Say which claims on a dataset hold. A table of scores has a column `date` for this."""
    chosen = ClaimSettings(**settings)
    with as_store(data, metric=metric, higher_is_better=higher_is_better) as store:
        name = only_dataset(store, dataset)
        study = study_claims(store, name, metric=metric, settings=chosen)
    return Answer(study, "of_history", lambda: list(map(asdict, study.rows)))


@in_words
def correlate(
    data: AnyData = None,
    dataset: str | None = None,
    gold: str | None = None,
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
    higher_is_better: bool | None = None,
    by: str | None = None,
    alpha: float = 0.05,
    n_resamples: int | None = None,
    seed: int = 0,
    failures: Failures | None = None,
) -> Answer[CorrelationsStudy]:
    """Hold metrics against what people judged: which follows it best, which are alike.

    `gold` is a metric that people gave; of a table of scores, the column with their scores.
    """
    if gold is None:
        raise StoreError("say which metric people gave: `gold='adequacy'`.")
    chosen = build(
        CorrelationSettings,
        {
            "level": level,
            "coefficient": coefficient,
            "test": test,
            "interval": interval,
            "correction": correction,
            "reference": reference,
            "alpha": alpha,
            "by": by,
            "n_resamples": n_resamples,
            "seed": seed,
        },
    )
    with as_store(data, higher_is_better=higher_is_better, gold=gold, failures=failures) as store:
        study = study_correlations(
            store,
            only_dataset(store, dataset),
            gold,
            metrics=metrics,
            systems=systems,
            without=without,
            settings=chosen,
        )
    return Answer(study, "of_correlations", lambda: list(map(asdict, study.rows)))


@in_words
def agreement(
    data: AnyData = None,
    dataset: str | None = None,
    *,
    gold: str | None = None,
    metrics: Sequence[str] | None = None,
    annotators: Literal["human", "model", "all"] | None = None,
    ties: Literal["half", "drop", "first", "second"] = "half",
    alpha: float = 0.05,
    n_resamples: int = 1_999,
    seed: int = 0,
) -> Answer[AgreementStudy]:
    """Say how far annotators agree, and whether more with each other than with a metric.

    A table has the columns `annotator` and `item`, and as far as needed `system`, `criterion` and
    `rating` or `label`.
    """
    with as_store(data) as store:
        study = study_agreement(
            store,
            only_dataset(store, dataset),
            gold=gold,
            metrics=metrics,
            annotators=annotators,
            ties=ties,
            alpha=alpha,
            n_resamples=n_resamples,
            seed=seed,
        )
    return Answer(study, "of_people", lambda: list(map(asdict, study.coefficients)))
