"""What can a test set find: how small a difference, with how many items, and how surely?

From two stored systems, whose items say how much comparisons like theirs vary. The power for the
difference that the two were seen to have is refused: it is their p-value in another guise.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal

from analysis.report import Report
from analysis.statistics._typing import Alternative
from analysis.statistics.paired.inference import infer_pair
from analysis.statistics.signature import build_signature
from analysis.studies.cells import refuse_all_metrics, scored_cells
from analysis.studies.checked_numbers import check_numbers
from analysis.studies.power.cell_scores import CellScores, judged_cells, load_scores
from analysis.studies.power.checks import check_effect, check_target
from analysis.studies.power.chosen_model import model_of
from analysis.studies.power.dataset_curves import By
from analysis.studies.power.dataset_figures import Asked, figures_of
from analysis.studies.power.dataset_result import DatasetPowerResult
from analysis.studies.power.dataset_words import (
    dataset_report,
    observed_refused,
    sentence,
    warnings,
)
from analysis.studies.power.pair_facts import agreement_facts, design_of
from analysis.studies.power.pair_models import Target
from analysis.studies.power.pair_scores import PairScores, column
from analysis.studies.reading import state_of
from analysis.studies.study import listed
from analysis.studies.test_names import in_public_words
from store.datasets import get_dataset
from store.engine import Store
from store.errors import NotFoundError, StoreError
from store.metrics import get_metric, list_metrics
from store.records import DatasetRecord
from store.systems import get_system

_SAME = 1e-9
"""Relative distance below which a stated difference is the observed one."""
_INTERVAL_RESAMPLES = 1_999


@dataclass(frozen=True, slots=True, eq=False)
class DatasetPower(DatasetPowerResult):
    """What a test set can find, judged by two systems on it, with what to write down."""

    def report(self) -> Report:
        """Return what to write down."""
        return dataset_report(self)


def study_dataset_power(
    store: Store,
    dataset: str,
    *,
    metric: str | None = None,
    a: str | None = None,
    b: str | None = None,
    effect: float | Literal["observed"] | None = None,
    alpha: float = 0.05,
    power: float = 0.8,
    alternative: Alternative = "two-sided",
    by: By = "model",
    clusters: bool | None = None,
    seed: int = 0,
) -> DatasetPower:
    """Say what a test set can find, judged by two systems with item scores.

    Parameters
    ----------
    store
        Where from.
    dataset, metric
        Uid or name; by default the metric with item scores of most systems.
    a, b
        Uids or names; by default the first two of the leaderboard with item scores.
    effect
        True gain of A over B that matters, on the metric's own scale; negative: A is worse.
        "observed" is refused, and so is the observed difference itself.
    alpha
        Level of the test, below 0.5.
    power
        Probability with which a difference is to be found, above `alpha`.
    alternative
        "greater" looks for A being better only.
    by
        How the curve over numbers of items is made: "model", what suits the scores; "normal", as
        if differences were normal; "bootstrap", drawing the stored items anew.
    clusters
        Whether groups of items are the units; by default where they join items.
    seed
        Of the bootstrap.

    Raises
    ------
    NotFoundError
        A name is unknown, or no two systems have item scores there.
    StoreError
        A number is out of range, or the power of the observed difference is asked for.
    """
    check_numbers(alpha=alpha, n_resamples=1, seed=seed)
    check_target(alpha, power)
    target = Target(alpha, power, "two-sided" if alternative == "two-sided" else "greater")
    chosen = get_dataset(store, dataset)
    key, metrics = _choose_cell(store, chosen, metric)
    cell = load_scores(store, key, clusters=clusters)
    check_effect(effect, alternative, cell.matrix.metric)
    first, second = _choose_pair(store, cell, a, b)
    pair = cell.pair(first, second)
    if not pair.n_items:
        raise NotFoundError(
            f"'{cell.systems[first]}' and '{cell.systems[second]}' have no item in common on "
            f"'{chosen.label}'. Name two others with `a` and `b`: {listed(cell.systems)}."
        )
    asked = Asked(target, alternative, effect, by, seed)
    try:
        return _study(store, cell, metrics, (first, second), pair, asked)
    except (ValueError, TypeError) as error:
        raise StoreError(in_public_words(str(error)).replace("`gap`", "`effect`")) from error


def _choose_cell(
    store: Store, dataset: DatasetRecord, metric: str | None
) -> tuple[tuple[str, str], tuple[str, ...]]:
    """Return the dataset's cell to judge, and the labels of all metrics that could be."""
    refuse_all_metrics(metric)
    found = {
        key: systems
        for key, systems in scored_cells(store).items()
        if key[0] == dataset.uid and len(systems) > 1
    }
    known = {record.uid: record.label for record in list_metrics(store)}
    labels = tuple(known[key[1]] for key in sorted(found, key=lambda key: -len(found[key])))
    if metric is not None:
        asked = get_metric(store, metric)
        found = {key: systems for key, systems in found.items() if key[1] == asked.uid}
    if not found:
        on = "" if metric is None else f" for the metric '{metric}'"
        there = f" It has them for {listed(labels)}." if labels else ""
        raise NotFoundError(
            f"'{dataset.label}' has no item scores of two systems{on}: how much a comparison "
            f"varies is in the items.{there or ' Import them, or plan from numbers alone: '}"
            + ("" if there else "`tiebreak power mde --n N --accuracy P`.")
        )
    return judged_cells(store, found)[dataset.uid], labels


def _choose_pair(store: Store, cell: CellScores, a: str | None, b: str | None) -> tuple[int, int]:
    """Return the places of A and B in the order of the scores."""
    places = {uid: place for place, uid in enumerate(cell.system_uids)}

    def place_of(name: str, option: str) -> int:
        uid = get_system(store, name).uid
        if uid not in places:
            raise NotFoundError(
                f"`{option}`: '{name}' has no item scores on '{cell.matrix.dataset.label}' for "
                f"{cell.matrix.metric.label}. There are those of {listed(cell.systems)}."
            )
        return places[uid]

    if len(places) < 2:
        raise NotFoundError(f"'{cell.matrix.dataset.label}' has a score of one system only.")
    first = None if a is None else place_of(a, "a")
    second = None if b is None else place_of(b, "b")
    if first is not None and first == second:
        raise StoreError(f"`a` and `b` are both '{cell.systems[first]}'. Name two systems.")
    if first is None:
        first = 0 if second != 0 else cell.rival()
    if second is None:
        second = 0 if first != 0 else cell.rival()
    return first, second


def _study(
    store: Store,
    cell: CellScores,
    metrics: tuple[str, ...],
    places: tuple[int, int],
    pair: PairScores,
    asked: Asked,
) -> DatasetPower:
    names = cell.systems[places[0]], cell.systems[places[1]]
    ci = _interval(pair, asked)
    refused = observed_refused(names, pair.difference, ci, asked.target)
    if asked.effect == "observed" or _is_observed(asked.effect, pair.difference):
        raise StoreError(refused)
    effect = None if asked.effect is None else float(asked.effect)
    expected = cell.expected_agreement()
    model = model_of(pair, asked.target, expected=expected, seed=asked.seed)
    said = None if isinstance(model, str) else model
    metric = cell.matrix.metric
    study = DatasetPower(
        sentence="",
        signature=build_signature(
            "power-dataset",
            dataset=cell.matrix.dataset.label,
            metric=metric.label,
            a=names[0],
            b=names[1],
            units="items" if pair.groups is None else "groups",
            effect="none" if effect is None else effect,
            alpha=asked.target.alpha,
            power=asked.target.power,
            alt=asked.alternative,
            by=asked.by,
            seed=asked.seed,
            **state_of(store, cell.matrix.dataset.uid),
        ),
        warnings=(),
        store_revision=store.revision(),
        metrics=metrics,
        not_said=model if isinstance(model, str) else "",
        ci=ci,
        refused=refused,
        effect=effect,
        design=design_of(pair),
        agreement=agreement_facts(pair, expected, asked.target),
        **_of_cell(cell, places),
        **_of_pair(pair),
        **_of_asked(asked),
        **figures_of(pair, said, expected, asked, effect),
    )
    return replace(study, sentence=sentence(study), warnings=tuple(warnings(study, cell.clusters)))


def _of_cell(cell: CellScores, places: tuple[int, int]) -> dict[str, Any]:
    first, second = places
    return {
        "dataset": cell.matrix.dataset,
        "metric": cell.matrix.metric,
        "systems": cell.systems,
        "system_a": cell.systems[first],
        "system_b": cell.systems[second],
        "system_a_uid": cell.system_uids[first],
        "system_b_uid": cell.system_uids[second],
        "score_a": cell.scores[first],
        "score_b": cell.scores[second],
    }


def _of_pair(pair: PairScores) -> dict[str, Any]:
    return {
        "n_items": pair.n_items,
        "n_missing": pair.n_missing,
        "n_units": pair.n_units,
        "difference": pair.difference,
    }


def _of_asked(asked: Asked) -> dict[str, Any]:
    return {
        "alpha": asked.target.alpha,
        "target_power": asked.target.power,
        "alternative": asked.alternative,
        "by": asked.by,
        "seed": asked.seed,
    }


def _interval(pair: PairScores, asked: Asked) -> tuple[float, float]:
    """Return the interval of the observed difference; NaN where there is none."""
    bounds = infer_pair(
        column(pair.first),
        column(pair.second),
        aggregation=pair.aggregation,
        groups=pair.groups,
        alpha=asked.target.alpha,
        n_resamples=_INTERVAL_RESAMPLES,
        rng=asked.seed,
    ).interval
    return bounds.low, bounds.high


def _is_observed(effect: float | str | None, difference: float) -> bool:
    return (
        isinstance(effect, float | int)
        and effect != 0
        and abs(effect - difference) <= _SAME * abs(difference)
    )
