"""Metrics and the human side they are held against, as arrays over the same systems and items."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from analysis.statistics._typing import FloatArray
from analysis.statistics.meta_evaluation.signs import coded_signs
from analysis.studies.clusters import choose_clusters
from analysis.studies.humans.preference_units import PreferenceUnits, load_preference_units
from analysis.studies.reading import read_matrix
from analysis.studies.study import listed
from store import vectors
from store.arrays import load_groups
from store.datasets import get_dataset, list_items
from store.engine import Store
from store.errors import NotFoundError, StoreError
from store.importers.bundle import AnnotatorKind, MetricSource
from store.judgments import CriterionRecord, list_criteria
from store.metrics import get_metric, list_metrics
from store.records import DatasetRecord, MetricRecord, ScoreMatrix
from store.reported import list_reported_scores
from store.spelling import called
from store.systems import get_system

Kind = Literal["scores", "preferences", "reported"]
Ties = Literal["sign", "drop", "first", "second"]
Consensus = Literal["majority", "mace"]

Groups = list[str | None] | None
ENOUGH_CELLS = 0.9
"""Share of the cells of the metric with most of them that another needs to be ranked with it."""

TIES: tuple[Ties, ...] = ("sign", "drop", "first", "second")
CONSENSUS: tuple[Consensus, ...] = ("majority", "mace")
USUAL_TIES: Ties = "sign"
USUAL_CONSENSUS: Consensus = "majority"


@dataclass(frozen=True, slots=True, eq=False)
class Evidence:
    """Gold and metrics over the same cells; higher is better in all of them."""

    dataset: DatasetRecord
    gold_name: str
    gold_uid: str
    """Of the metric, or of the criterion of the preferences."""
    gold_source: MetricSource
    """Who made the gold: "human", "model" or "automatic"."""
    criterion: CriterionRecord | None
    """What was judged, where the gold comes from judgments in the store."""
    kind: Kind
    rule: str
    """How judgments became one number, in words."""
    systems: tuple[str, ...]
    """One per row; for preferences a row is a pair of systems."""
    system_uids: tuple[str, ...]
    metrics: tuple[MetricRecord, ...]
    gold: FloatArray
    """Shape (n_systems, n_items); NaN = not judged."""
    scores: FloatArray
    """Shape (n_metrics, n_systems, n_items); NaN = not scored."""
    item_keys: tuple[str, ...]
    """One per column."""
    item_positions: tuple[int, ...]
    """Position in the dataset of each column's item; empty where figures are only reported."""
    groups: Groups
    """Group of each column's item, where groups are the independent units; else ``None``."""
    notes: tuple[str, ...]
    """What was left out, and why."""
    units: PreferenceUnits | None = None
    """What the columns stand for, where the gold is a preference."""

    @property
    def n_judged(self) -> int:
        """Cells that were judged; pairs that stand there both ways count once."""
        n_cells = int((~np.isnan(self.gold)).sum())
        return n_cells // 2 if self.is_mirrored else n_cells

    @property
    def is_mirrored(self) -> bool:
        """Whether the second half of the rows is the first one turned round."""
        return self.units is not None and self.units.is_mirrored

    @property
    def names(self) -> tuple[str, ...]:
        """How the metrics are called: by name, with the signature where a name is not enough."""
        times = Counter(metric.name for metric in self.metrics)
        return tuple(m.name if times[m.name] == 1 else m.label for m in self.metrics)

    @property
    def annotator_kind(self) -> AnnotatorKind | None:
        """Whose judgments made the gold."""
        return None if self.gold_source == "automatic" else self.gold_source


def load_evidence(
    store: Store,
    dataset: str,
    gold: str,
    *,
    metrics: Sequence[str] | None = None,
    systems: Sequence[str] | None = None,
    without: Sequence[str] = (),
    ties: Ties | None = None,
    consensus: Consensus | None = None,
) -> Evidence:
    """Return a gold and the metrics to hold against it.

    Parameters
    ----------
    store
        Where from.
    dataset
        Uid or name.
    gold
        A criterion of the dataset that was judged, by name or uid, or a metric.
    metrics
        Uids, names or labels; by default all that no annotator made.
    systems, without
        Uids or names: only these, all but these.
    ties
        Preferences: what it means that a metric scores both outputs alike: 0 ("sign"), the unit is
        left out for that metric, and for all where people call it a tie ("drop"), or it prefers
        the first or second system of the pair, by name ("first", "second"). By default "sign".
    consensus
        Preferences: how the choices on one unit become one; by default "majority".

    Raises
    ------
    NotFoundError
        A name is unknown, or there is no metric to hold against the gold.
    StoreError
        The settings do not go together.
    """
    record = get_dataset(store, dataset)
    criterion = _criterion(store, record, gold)
    left_out = {get_system(store, name).uid for name in without}
    only = None if systems is None else {get_system(store, name).uid for name in systems}
    if criterion is not None and criterion.kind == "preference":
        units = load_preference_units(
            store, record, criterion, consensus or USUAL_CONSENSUS, only, left_out
        )
        return _from_preferences(store, record, criterion, units, metrics, ties or USUAL_TIES)
    for option, word in (("ties", ties), ("consensus", consensus)):
        if word is not None:
            raise StoreError(
                f"`{option}` is for preferences, and '{gold}' is none on '{record.label}'. Leave "
                "it out."
            )
    measure = _gold_metric(store, record, gold, criterion)
    chosen = _chosen_metrics(store, record, measure, metrics)
    found = _from_items(store, record, measure, criterion, chosen, only, left_out)
    if found is None:
        found = _from_figures(store, record, measure, criterion, chosen, only, left_out)
    return found


def cells_of(evidence: Evidence) -> list[int]:
    """Return on how many judged cells each metric has a score; mirrored ones count once."""
    present = ~np.isnan(evidence.scores) & ~np.isnan(evidence.gold)
    counts = present.sum(axis=(1, 2)) // (2 if evidence.is_mirrored else 1)
    return [int(n) for n in counts]


def is_partial(evidence: Evidence) -> list[bool]:
    """Return which metrics have so few of the cells that they are not ranked with the others."""
    counts = cells_of(evidence)
    return [n < ENOUGH_CELLS * max(counts) for n in counts]


def _groups(store: Store, dataset: DatasetRecord, positions: Sequence[int]) -> Groups:
    labels = load_groups(store, dataset.uid)
    return choose_clusters([labels[i] for i in positions], None).groups


def _criterion(store: Store, dataset: DatasetRecord, gold: str) -> CriterionRecord | None:
    """Return the criterion of the dataset that `gold` names or whose metric it is."""
    known = list_criteria(store, dataset.uid)
    named = called(gold, known)
    if named:
        return named[0]
    try:
        name = get_metric(store, gold).name
    except NotFoundError:
        return None
    return next((c for c in known if c.name == name and c.kind != "preference"), None)


def _gold_metric(
    store: Store, dataset: DatasetRecord, gold: str, criterion: CriterionRecord | None
) -> MetricRecord:
    used = list_metrics(store, dataset_uid=dataset.uid)
    if criterion is not None and gold in (criterion.uid, criterion.name):
        made = [m for m in used if m.name == criterion.name and m.source != "automatic"]
        if not made:
            raise NotFoundError(
                f"The judgments of '{criterion.name}' on '{dataset.label}' give no score for a "
                "system: they are of the items themselves. `tiebreak agreement` shows them."
            )
        by_rule = [m for m in made if ": mean of annotators" in m.signature]
        return min(by_rule or made, key=lambda m: (m.source != "human", m.signature))
    try:
        measure = get_metric(store, gold)
    except NotFoundError as error:
        names = [c.name for c in list_criteria(store, dataset.uid)]
        names += [m.label for m in used if m.source != "automatic" and m.name not in names]
        hint = f" Judged on '{dataset.label}': {listed(names)}." if names else ""
        raise NotFoundError(f"{error}{hint}") from error
    if measure.uid not in {m.uid for m in used}:
        raise NotFoundError(f"The store has no scores on '{dataset.label}' for '{measure.label}'.")
    return measure


def _chosen_metrics(
    store: Store, dataset: DatasetRecord, gold: MetricRecord | None, metrics: Sequence[str] | None
) -> list[MetricRecord]:
    """Return the metrics to hold against the gold, in order of their labels."""
    used = list_metrics(store, dataset_uid=dataset.uid)
    if metrics is None:
        chosen = [
            m for m in used if m.source == "automatic" and (gold is None or m.uid != gold.uid)
        ]
        return sorted(chosen, key=lambda m: m.label.casefold())
    wanted = [_metric_of(store, used, name) for name in metrics]
    missing = [m.label for m in wanted if m.uid not in {one.uid for one in used}]
    if missing:
        raise NotFoundError(f"The store has no scores on '{dataset.label}' for {listed(missing)}.")
    twice = {m.uid for m in wanted}
    if len(twice) < len(wanted):
        raise StoreError("`metrics` names a metric twice.")
    if gold is not None and gold.uid in twice:
        raise StoreError(f"'{gold.label}' is the gold: it cannot be held against itself.")
    return wanted


def _metric_of(store: Store, used: Sequence[MetricRecord], name: str) -> MetricRecord:
    """Return the metric of that name on the dataset, where others elsewhere have it too."""
    here = called(name, used)
    return here[0] if len(here) == 1 else get_metric(store, name)


def _from_items(
    store: Store,
    dataset: DatasetRecord,
    gold: MetricRecord,
    criterion: CriterionRecord | None,
    metrics: Sequence[MetricRecord],
    only: set[str] | None,
    left_out: set[str],
) -> Evidence | None:
    """Return the evidence of item scores; ``None`` where the gold or all metrics have none."""
    judged = read_matrix(store, dataset.uid, gold.uid)
    rows = [
        i
        for i, uid in enumerate(judged.system_uids)
        if uid not in left_out and (only is None or uid in only)
    ]
    uids = [judged.system_uids[i] for i in rows]
    if not rows:
        return None
    loaded: list[MetricRecord] = []
    scores: list[FloatArray] = []
    for metric in metrics:
        matrix = read_matrix(store, dataset.uid, metric.uid)
        values = _rows_of(matrix, uids)
        if not np.isnan(values).all():
            loaded.append(metric)
            scores.append(values)
    if not loaded:
        return None
    gold_values = _rows_of(judged, uids)
    used = ~np.isnan(gold_values).all(axis=0)
    keys = _item_keys(store, dataset.uid)
    positions = np.flatnonzero(used)
    return Evidence(
        dataset=dataset,
        gold_name=_short_name(gold, criterion),
        gold_uid=gold.uid,
        gold_source=gold.source,
        criterion=criterion,
        kind="scores",
        rule=(gold.signature if gold.source != "automatic" else "") or "as scored",
        systems=tuple(judged.systems[i] for i in rows),
        system_uids=tuple(uids),
        metrics=tuple(loaded),
        gold=gold_values[:, used],
        scores=np.stack(scores)[:, :, used],
        item_keys=tuple(keys[i] for i in positions),
        item_positions=tuple(int(i) for i in positions),
        groups=_groups(store, dataset, positions.tolist()),
        notes=tuple(_notes(dataset, gold, metrics, loaded, judged, rows)),
    )


def _short_name(gold: MetricRecord, criterion: CriterionRecord | None) -> str:
    """Return the name of the criterion where the gold is the usual one of its judgments."""
    usual = criterion is not None and gold.signature.startswith("human: mean of annotators")
    return gold.name if usual else gold.label


def _notes(
    dataset: DatasetRecord,
    gold: MetricRecord,
    metrics: Sequence[MetricRecord],
    loaded: Sequence[MetricRecord],
    judged: ScoreMatrix,
    rows: Sequence[int],
) -> list[str]:
    notes = []
    unused = [m.label for m in metrics if m not in loaded]
    if unused:
        notes.append(f"Without scores on the items and systems that were judged: {listed(unused)}.")
    gone = [judged.systems[i] for i in range(len(judged.systems)) if i not in rows]
    if gone:
        notes.append(f"Left out as asked: {listed(gone)}.")
    corpus = [m.label for m in loaded if m.aggregation not in ("mean", "median")]
    if corpus:
        notes.append(
            f"{listed(corpus)}: the score of a system is the mean of its items' own values here, "
            "not the corpus figure."
        )
    return notes


def _rows_of(matrix: ScoreMatrix, uids: Sequence[str]) -> FloatArray:
    """Return item values, shape (n_systems, n_items), higher is better; NaN for other systems."""
    values = np.full((len(uids), matrix.scores.shape[1]), np.nan)
    for row, uid in enumerate(uids):
        if uid in matrix.system_uids:
            scores = matrix.scores[matrix.system_uids.index(uid)]
            values[row] = vectors.item_values(scores, matrix.metric.aggregation)
    return matrix.metric.sign * values


def _item_keys(store: Store, dataset_uid: str) -> tuple[str, ...]:
    return tuple(item.key for item in list_items(store, dataset_uid))


def _from_figures(
    store: Store,
    dataset: DatasetRecord,
    gold: MetricRecord,
    criterion: CriterionRecord | None,
    metrics: Sequence[MetricRecord],
    only: set[str] | None,
    left_out: set[str],
) -> Evidence:
    """Return the evidence of reported figures: one column, a value per system.

    Raises
    ------
    NotFoundError
        No metric has figures of the systems that have a gold.
    """
    stated: dict[str, dict[str, float]] = {}
    names: dict[str, str] = {}
    for record in list_reported_scores(store, dataset_uid=dataset.uid):
        stated.setdefault(record.metric_uid, {})[record.system_uid] = record.value
        names[record.system_uid] = record.system
    uids = [
        uid
        for uid in sorted(stated.get(gold.uid, {}), key=lambda uid: names[uid].casefold())
        if uid not in left_out and (only is None or uid in only)
    ]
    loaded = [m for m in metrics if any(uid in stated.get(m.uid, {}) for uid in uids)]
    if not loaded:
        raise NotFoundError(
            f"No metric has scores on '{dataset.label}' of the systems that '{gold.label}' judges: "
            "there is nothing to hold against it. Ingest the metrics' scores of the same systems."
            + _models_hint(store, dataset, gold)
        )

    def column(metric: MetricRecord) -> FloatArray:
        values = [stated[metric.uid].get(uid, np.nan) for uid in uids]
        return metric.sign * np.array(values, dtype=float)[:, None]

    return Evidence(
        dataset=dataset,
        gold_name=gold.label,
        gold_uid=gold.uid,
        gold_source=gold.source,
        criterion=criterion,
        kind="reported",
        rule="as reported",
        systems=tuple(names[uid] for uid in uids),
        system_uids=tuple(uids),
        metrics=tuple(loaded),
        gold=column(gold),
        scores=np.stack([column(m) for m in loaded]),
        item_keys=("",),
        item_positions=(),
        groups=None,
        notes=(),
    )


def _models_hint(store: Store, dataset: DatasetRecord, gold: MetricRecord) -> str:
    """Say that models judged, too: what they gave is no metric unless it is named."""
    models = [
        metric.label
        for metric in list_metrics(store, dataset_uid=dataset.uid)
        if metric.source == "model" and metric.uid != gold.uid
    ]
    if not models:
        return ""
    names = listed(models)
    return f" Models judged as well ({names}): name one in `metrics`, or see `tiebreak judges`."


def _from_preferences(
    store: Store,
    dataset: DatasetRecord,
    criterion: CriterionRecord,
    units: PreferenceUnits,
    metrics: Sequence[str] | None,
    ties: Ties,
) -> Evidence:
    """Return a row for each pair: the consensus, and the signs of each metric's differences."""
    if units.is_mirrored and ties in ("first", "second"):
        raise StoreError(
            f"`ties` '{ties}' prefers a system by its place in the pair, which means something "
            "for two systems only. Use 'sign' or 'drop'."
        )
    chosen = _chosen_metrics(store, dataset, None, metrics)
    loaded, differences = [], []
    for metric in chosen:
        values = _rows_of(read_matrix(store, dataset.uid, metric.uid), units.system_uids)
        difference = values[units.first, units.item] - values[units.second, units.item]
        if not np.isnan(difference).all():
            loaded.append(metric)
            differences.append(difference)
    if not loaded:
        raise NotFoundError(
            f"No metric has scores on '{dataset.label}' of both systems of a pair that was judged: "
            "there is nothing to hold against the preferences."
        )
    keys = _item_keys(store, dataset.uid)
    coded, human = coded_signs(np.stack(differences), units.consensus, ties=ties)
    gold = np.where(np.isnan(human).all(axis=0), np.nan, units.consensus)
    told = []
    for metric, difference in zip(loaded, differences, strict=True):
        n_tied, n_scored = int((difference == 0).sum()), int((~np.isnan(difference)).sum())
        if n_tied:
            told.append(f"{metric.name} {n_tied:,} of {n_scored:,}")
    notes = list(units.notes)
    if told:
        how = {"sign": "count as 0", "drop": "are left out"}.get(ties, f"prefer the {ties}")
        notes.append(f"Pairs of outputs that a metric scores alike {how}: {listed(told, most=12)}.")
    return Evidence(
        dataset=dataset,
        gold_name=criterion.name,
        gold_uid=criterion.uid,
        gold_source=units.source,
        criterion=criterion,
        kind="preferences",
        rule=units.rule,
        systems=tuple(f"{units.systems[a]} or {units.systems[b]}" for a, b in units.pairs),
        system_uids=tuple("" for _ in units.pairs),
        metrics=tuple(loaded),
        gold=units.as_cells(gold),
        scores=units.as_cells(coded),
        item_keys=tuple(keys[i] for i in units.items),
        item_positions=tuple(units.items.tolist()),
        groups=_groups(store, dataset, units.items.tolist()),
        notes=tuple(notes),
        units=units,
    )
