"""A judge's verdicts beside those of people, on the same units."""

from __future__ import annotations

import difflib
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from analysis.statistics._typing import FloatArray, IntArray
from analysis.studies.humans.judged_units import JudgedUnits, load_units, orders_of
from analysis.studies.humans.unit_metrics import item_scores, metric_choices
from analysis.studies.study import listed
from store.engine import Store
from store.errors import NotFoundError, StoreError
from store.judgments import CriterionRecord, list_criteria
from store.metrics import list_metrics
from store.natural_order import natural_key
from store.records import DatasetRecord, MetricRecord

JudgeKind = Literal["annotator", "criterion", "metric"]


@dataclass(frozen=True, slots=True, eq=False)
class Judged:
    """People and a judge on the same units."""

    judge: str
    judge_kind: JudgeKind
    """An annotator of the same criterion, the models' judgments of another one, or a metric."""
    units: JudgedUnits
    """Of everybody; `values` has one row per person, none where nobody judged."""
    human: FloatArray
    """Shape (n_units,): mean of people; NaN where nobody judged."""
    model: FloatArray
    """Shape (n_units,): the judge's."""
    model_criterion: CriterionRecord | None
    """Where the judge's own choices are, which may show a bias."""

    def orders(self) -> tuple[FloatArray, FloatArray, JudgedUnits]:
        """Return each person's choices, the judge's and the units, where outputs were compared.

        Values become orders of two outputs of an item.
        """
        if self.units.what == "choices":
            return self.units.values, self.model, self.units
        with_judge = replace(self.units, values=np.vstack([self.units.values, self.model]))
        orders, _ = orders_of(with_judge)
        return orders.values[:-1], orders.values[-1], orders


def load_judged(
    store: Store, dataset: DatasetRecord, criterion: CriterionRecord, judge: str | None
) -> Judged:
    """Return what people and a judge said.

    Parameters
    ----------
    store
        Where from.
    dataset, criterion
        What people judged.
    judge
        A model that judged the same criterion, by the annotator's name; or another criterion that
        models judged; or a metric. By default the only model that judged the criterion.

    Raises
    ------
    NotFoundError
        There is no such judge.
    StoreError
        Several models judged and none is named, labels were judged, or the judge is made of
        people's judgments.
    """
    units = load_units(store, criterion, whose="all")
    if units.what == "labels":
        raise StoreError(
            f"'{criterion.name}' holds labels, which no score of a judge can be held against. "
            "`tiebreak agreement --annotators all` compares models with people there."
        )
    models = [i for i, who in enumerate(units.annotators) if who.kind == "model"]
    names = [units.annotators[i].name for i in models]
    if judge is None:
        if not models:
            raise StoreError(
                f"No model judged '{criterion.name}' on '{dataset.label}'. Name the judge with "
                "`--judge`: another criterion, or a metric."
            )
        if len(models) > 1:
            raise StoreError(f"Several models judged: {listed(names)}. Name one with `--judge`.")
        judge = names[0]
    if judge in names:
        return _joined(
            units, judge, "annotator", units.values[models[names.index(judge)]], criterion
        )
    for other in list_criteria(store, dataset.uid):
        if judge in (other.uid, other.name) and other.uid != criterion.uid:
            return _of_criterion(store, units, other)
    metrics = list_metrics(store, dataset_uid=dataset.uid)
    others = [metric for metric in metrics if metric.source != "human"]
    for metric in others:
        if judge in (metric.uid, metric.name, metric.label):
            return _of_metric(store, units, metric)
    known = [*names, *(metric.label for metric in others)]
    if any(judge in (m.uid, m.name, m.label) for m in metrics):
        quoted = [f"'{name}'" for name in known]
        there = f" There are {listed(quoted)}." if known else ""
        raise StoreError(
            f"'{judge}' is made of people's judgments, which a judge is held against. Name a model "
            f"that judged, another criterion that a model judged, or a metric.{there}"
        )
    near = difflib.get_close_matches(judge, known, 3, 0.5)
    hint = listed([f"'{name}'" for name in near])
    raise NotFoundError(
        f"'{judge}' is no model that judged '{criterion.name}' on '{dataset.label}', no other "
        f"criterion and no metric there.{f' Did you mean {hint}?' if hint else ''}"
    )


def _joined(
    units: JudgedUnits,
    judge: str,
    kind: JudgeKind,
    said: FloatArray,
    model_criterion: CriterionRecord | None,
) -> Judged:
    people = [i for i, who in enumerate(units.annotators) if who.kind == "human"]
    values = units.values[people]
    given = ~np.isnan(values)
    human = np.full(units.n_units, np.nan)
    np.divide(
        np.where(given, values, 0.0).sum(axis=0),
        given.sum(axis=0),
        out=human,
        where=given.any(axis=0),
    )
    own = replace(units, values=values, annotators=tuple(units.annotators[i] for i in people))
    kept = ~np.isnan(human) | ~np.isnan(said)
    return Judged(judge, kind, own.of(kept), human[kept], said[kept], model_criterion)


def _of_criterion(store: Store, units: JudgedUnits, other: CriterionRecord) -> Judged:
    theirs = load_units(store, other, whose="model")
    if theirs.what != units.what:
        raise StoreError(
            f"'{other.name}' holds {theirs.what} and '{units.criterion.name}' {units.what}: they "
            "cannot be held against each other. Name a criterion of the same kind."
        )
    if len(theirs.annotators) > 1:
        names = [who.name for who in theirs.annotators]
        raise StoreError(f"Several models judged '{other.name}': {listed(names)}.")
    ours, places = _all_units(units, theirs)
    said = np.full(ours.n_units, np.nan)
    said[places] = theirs.values[0]
    return _joined(ours, other.name, "criterion", said, other)


def _all_units(units: JudgedUnits, theirs: JudgedUnits) -> tuple[JudgedUnits, IntArray]:
    """Return the units of either, and where those of the second are among them."""
    systems = list(dict.fromkeys([*units.system_uids, *theirs.system_uids]))
    names = dict(zip(theirs.system_uids, theirs.systems, strict=True))
    names |= dict(zip(units.system_uids, units.systems, strict=True))
    # By name, so that the first of a pair is the same on both sides.
    systems.sort(key=lambda uid: natural_key(names[uid]))
    ours, others = _keys(units, systems), _keys(theirs, systems)
    keys, place = np.unique(np.concatenate([ours, others]), axis=0, return_inverse=True)
    place = place.reshape(-1)
    values = np.full((len(units.annotators), len(keys)), np.nan)
    values[:, place[: len(ours)]] = units.values
    joined = replace(
        units,
        systems=tuple(names[uid] for uid in systems),
        system_uids=tuple(systems),
        values=values,
        item=keys[:, 0],
        first=keys[:, 1],
        second=keys[:, 2],
    )
    return joined, place[len(ours) :]


def _keys(units: JudgedUnits, systems: list[str]) -> IntArray:
    number = np.array([systems.index(uid) for uid in units.system_uids] + [-1])
    return np.stack([units.item, number[units.first], number[units.second]], axis=1)


def _of_metric(store: Store, units: JudgedUnits, metric: MetricRecord) -> Judged:
    scores = item_scores(store, units, metric)
    if units.what == "choices":
        return _joined(units, metric.label, "metric", metric_choices(scores, units, "half"), None)
    systems, items = np.nonzero(~np.isnan(scores))
    # Higher is better in `scores`; where both sides have one direction this is the metric's own.
    turn = 1 if units.criterion.higher_is_better else -1
    theirs = replace(
        units,
        values=turn * scores[systems, items][np.newaxis],
        annotators=units.annotators[:1],
        item=items,
        first=systems,
        second=np.full(len(items), -1),
    )
    ours, places = _all_units(units, theirs)
    said = np.full(ours.n_units, np.nan)
    said[places] = theirs.values[0]
    return _joined(ours, metric.label, "metric", said, None)
