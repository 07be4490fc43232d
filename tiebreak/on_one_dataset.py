"""Questions about one dataset: the same studies as the commands, of a store or of plain scores.

`data` is a store, its file or address (``None``: ``$TIEBREAK_STORE``, else ``tiebreak.db``), or
scores that nobody stores; see `tiebreak.data.AnyData`. All settings are those of the command of
that name. Everything that is wrong with them is a `StoreError`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any, Literal, Unpack

from analysis.commands.leaderboard import leaderboard_rows
from analysis.statistics._typing import Alternative
from analysis.studies.comparison import Comparison, study_comparison
from analysis.studies.leaderboard import Leaderboard, study_leaderboard
from analysis.studies.leaderboard_standing import ScoreIntervalName
from analysis.studies.pair_analysis import PairSettings
from analysis.studies.pairs import PairsStudy, study_pairs
from analysis.studies.pairs_words import Correction, PairsSettings
from analysis.studies.power.dataset import DatasetPower, study_dataset_power
from store.errors import StoreError
from store.kept_settings import Failures
from tiebreak.answers import Answer
from tiebreak.data import AnyData, as_store, only_dataset
from tiebreak.score_inputs import one_column
from tiebreak.settings import CompareOptions, PairsOptions, in_words


@in_words
def compare(
    a: Any,
    b: Any,
    data: AnyData = None,
    *,
    dataset: str | None = None,
    metric: str | None = None,
    higher_is_better: bool | None = None,
    failures: Failures | None = None,
    names: tuple[str, str] = ("A", "B"),
    clusters: bool | None = None,
    correction: Correction = "holm",
    **settings: Unpack[CompareOptions],
) -> Answer[Comparison]:
    """Say whether A is better than B, by how much, and how sure that is.

    Parameters
    ----------
    a, b
        Names of systems in `data`; or their scores, ``{item: score}``, arrays or series.
    data
        A store or scores; not needed where `a` and `b` are scores.
    names
        What to call two sets of scores.
    failures
        What attempts that failed count as: "source" (as it scores them), "missing" or "wrong"; by
        default as the dataset's setting says.
    clusters
        Whether groups of items are the units; by default where they join items.
    correction
        With which the pair is also seen among all pairs of its board; "none": alone.

    Examples
    --------
    >>> answer = compare([1, 1, 0, 1, 1, 1], [0, 1, 0, 0, 0, 1])
    >>> answer.study.verdict, round(answer.study.analysis.difference, 3)
    ('undecided', 0.5)
    """
    chosen = PairSettings(**settings)
    if not isinstance(a, str) or not isinstance(b, str):
        if isinstance(a, str) or isinstance(b, str) or data is not None:
            raise StoreError("give two names and `data`, or two sets of scores.")
        if names[0] == names[1]:
            raise StoreError(f"`names` must be two different names; got {names}.")
        data, (a, b) = {names[0]: one_column(a), names[1]: one_column(b)}, names
    with as_store(
        data, metric=metric, higher_is_better=higher_is_better, failures=failures
    ) as store:
        study = study_comparison(
            store,
            a,
            b,
            dataset=dataset,
            metric=metric,
            settings=chosen,
            clusters=clusters,
            correction=correction,
        )
    return Answer(study, "of_pair", lambda: [_pair_row(study)])


@in_words
def pairs(
    data: AnyData = None,
    dataset: str | None = None,
    *,
    metric: str | None = None,
    higher_is_better: bool | None = None,
    failures: Failures | None = None,
    systems: Sequence[str] | None = None,
    **settings: Unpack[PairsOptions],
) -> Answer[PairsStudy]:
    """Say which of all pairs of systems on a dataset differ; a row for each pair."""
    chosen = PairsSettings(**settings)
    with as_store(
        data, metric=metric, higher_is_better=higher_is_better, failures=failures
    ) as store:
        name = only_dataset(store, dataset)
        study = study_pairs(store, name, metric=metric, systems=systems, settings=chosen)
    return Answer(study, "of_pairs", study.rows)


@in_words
def leaderboard(
    data: AnyData = None,
    dataset: str | None = None,
    *,
    metric: str | None = None,
    higher_is_better: bool | None = None,
    failures: Failures | None = None,
    interval: ScoreIntervalName = "auto",
    **settings: Unpack[PairsOptions],
) -> Answer[Leaderboard]:
    """Return the systems of a dataset by score, with intervals and who cannot be separated."""
    chosen = PairsSettings(**settings)
    with as_store(
        data, metric=metric, higher_is_better=higher_is_better, failures=failures
    ) as store:
        name = only_dataset(store, dataset)
        study = study_leaderboard(store, name, metric=metric, settings=chosen, interval=interval)
    return Answer(study, "of_board", lambda: leaderboard_rows(study))


@in_words
def power(
    data: AnyData = None,
    dataset: str | None = None,
    *,
    metric: str | None = None,
    higher_is_better: bool | None = None,
    failures: Failures | None = None,
    a: str | None = None,
    b: str | None = None,
    effect: float | Literal["observed"] | None = None,
    alpha: float = 0.05,
    power: float = 0.8,
    alternative: Alternative = "two-sided",
    seed: int = 0,
) -> Answer[DatasetPower]:
    """Say how small a difference a test set finds, and how many items others take."""
    with as_store(
        data, metric=metric, higher_is_better=higher_is_better, failures=failures
    ) as store:
        study = study_dataset_power(
            store,
            only_dataset(store, dataset),
            metric=metric,
            a=a,
            b=b,
            effect=effect,
            alpha=alpha,
            power=power,
            alternative=alternative,
            seed=seed,
        )
    return Answer(study, "of_power", lambda: list(map(asdict, study.by_size)))


def _pair_row(study: Comparison) -> dict[str, Any]:
    found, family = study.analysis, study.family
    return {
        "a": study.system_a,
        "b": study.system_b,
        "dataset": study.dataset.label,
        "metric": study.metric.name,
        "verdict": found.verdict,
        "difference": found.difference,
        "ci_low": found.ci[0],
        "ci_high": found.ci[1],
        "pvalue": found.test.pvalue,
        "score_a": found.score_a,
        "score_b": found.score_b,
        "n_items": found.n_items,
        "n_missing": found.n_missing,
        "mde": found.mde,
        "test": found.test_in_words,
        "pvalue_adjusted": math.nan if family is None else family.pvalue_adjusted,
        "verdict_on_board": None if family is None else family.verdict,
    }
