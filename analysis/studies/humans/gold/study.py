"""Gold by another rule: one value per item and system from several annotators' judgments."""

from __future__ import annotations

import math
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, ClassVar, Final, NamedTuple

import numpy as np

from analysis import numbers
from analysis.choices import DatasetName, Seed
from analysis.columns import Column
from analysis.question import Progress, Question
from analysis.report import Cell, Report, Table
from analysis.setting import Setting, names
from analysis.statistics._typing import FloatArray
from analysis.statistics.annotation.consensus import (
    CONSENSUS_RULES,
    Consensus,
    ConsensusRule,
    consensus,
)
from analysis.statistics.signature import build_signature
from analysis.studies.humans.gold.values import (
    GoldValue,
    gold_values,
    item_matrix,
    known_labels,
    labels_counted,
    values_as_csv,
)
from analysis.studies.humans.judged_units import (
    WHOSE,
    JudgedUnits,
    Whose,
    WhoseChoice,
    choose_criterion,
    load_units,
)
from analysis.studies.power.plans import told_in_words
from analysis.studies.study import Study, count, listed
from store.change_weights import parse_weights
from store.datasets import get_dataset
from store.engine import Store
from store.errors import StoreError
from store.gold import put_gold
from store.importers.bundle import AnnotatorKind
from store.judgments import CriterionRecord, weights_with
from store.records import DatasetRecord, MetricRecord

RULES_IN_WORDS: Final[Mapping[ConsensusRule, str]] = {
    "mean": "mean of annotators",
    "median": "median of annotators",
    "majority": "majority of annotators",
    "z-score": "mean of z-scores per annotator",
    "mace": "likeliest label by MACE (variational Bayes)",
    "mace-em": "likeliest label by MACE (EM)",
}
_OF_CHOICES: Final = ("majority", "mace", "mace-em")
_OF_LABELS: Final = ("majority", "mace", "mace-em")
_MOST_LABELS = 20
_RULE_OF_PAIRS: Final = "share of pairs won by "


@dataclass(frozen=True, slots=True, eq=False)
class GoldStudy(Study):
    """What was made of judgments, and whether the store has it now."""

    dataset: DatasetRecord
    criterion: CriterionRecord
    rule: ConsensusRule
    rule_in_words: str
    whose: Whose
    metric: MetricRecord | None
    """What was written; ``None`` where items themselves were judged, or labels of outputs."""
    systems: tuple[str, ...]
    means: tuple[float, ...]
    """Mean over items, per system; empty where nothing was written."""
    n_items: tuple[int, ...]
    """Items with a value, per system."""
    n_units: int
    n_undecided: int
    values: tuple[GoldValue, ...]

    def report(self) -> Report:
        """Return what to write down."""
        rows: list[list[Cell]]
        if self.metric is not None:
            sign = self.metric.sign
            told = zip(self.systems, self.means, self.n_items, strict=True)
            rows = [list(row) for row in sorted(told, key=lambda row: -sign * row[1])]
            table = Table(("system", Column("mean", decimals=3), "items"), rows)
        else:
            shares = labels_counted(self.values)
            rows = [[name, n] for name, n in shares.items()]
            table = Table(("label", "units"), rows)
        return Report(
            title=f"{self.criterion.name} on {self.dataset.label}: {self.rule_in_words}",
            sentences=(self.sentence,),
            tables=(table,),
            signature=self.signature,
            warnings=self.warnings,
        )

    def as_csv(self, *, raw: bool = False) -> str:
        """Return one line per unit; unless `raw` no text is one that a spreadsheet computes."""
        return values_as_csv(self.values, raw=raw)


@dataclass(frozen=True)
class Gold(Question[GoldStudy]):
    """Make one value of several annotators' judgments, as scores to hold metrics against."""

    name: ClassVar[str] = "gold"

    dataset: DatasetName
    rule: Annotated[
        ConsensusRule,
        Setting("mace: by variational Bayes; mace-em: by maximum likelihood.", flags="--rule"),
    ]
    criterion: Annotated[
        str | None,
        Setting("What was judged; by default the only criterion.", place=True),
    ] = None
    weights: Annotated[
        str | None,
        Setting("Of marked errors: 'Major=5,Minor=1'; by default the criterion's own."),
    ] = None
    annotators: WhoseChoice = None
    threshold: Annotated[float, Setting("Of mace: the share of units that keep their label.")] = 1.0
    seed: Seed = 0
    controls: Mapping[str, str] | None = None
    """Of mace: known labels by item."""
    actor: str = ""
    """Who asks: what comes out is written to the store."""

    def answer(self, store: Store, progress: Progress | None = None) -> GoldStudy:
        """Compute gold by the rule, and write it to the store where it is about systems.

        Raises
        ------
        NotFoundError
            A name is unknown, or nobody judged.
        StoreError
            The rule does not fit what was judged, or its result is in the store anyway.
        """
        return make_gold(
            store,
            self.dataset,
            self.criterion,
            rule=self.rule,
            weights=None if self.weights is None else parse_weights(names(self.weights) or []),
            annotators=self.annotators,
            threshold=self.threshold,
            controls=self.controls,
            seed=self.seed,
            actor=self.actor,
        )


def make_gold(
    store: Store,
    dataset: str,
    criterion: str | None = None,
    *,
    rule: ConsensusRule,
    weights: Mapping[str, float] | None = None,
    annotators: Whose | None = None,
    threshold: float = 1.0,
    controls: Mapping[str, str] | None = None,
    seed: int = 0,
    actor: str,
) -> GoldStudy:
    """Compute gold by a rule, and write it to the store where it is about systems.

    Parameters
    ----------
    store
        Where.
    dataset
        Uid or name.
    criterion
        What was judged: uid or name; by default the only criterion.
    rule
        "mean", "median", "majority", "z-score" for values; "majority", "mace", "mace-em" for
        choices and labels, and for values of at most 20 levels.
    weights
        Of marked errors, by severity, for some of the criterion's own.
    annotators
        "human", "model" or "all"; by default people, or models where no people judged.
    threshold
        Of MACE: the share of units that keep their label, the least uncertain ones.
    controls
        Of MACE: items whose label is known. Item to label; of choices, to the better system.
    seed
        Of MACE's starts.
    actor
        Who does it, for the audit trail.

    Raises
    ------
    NotFoundError
        A name is unknown, or nobody judged.
    StoreError
        The rule does not fit what was judged, or its result is in the store anyway.
    """
    _check(rule, annotators, seed)
    record = get_dataset(store, dataset)
    chosen = choose_criterion(store, record, criterion)
    if weights is not None and chosen.kind == "error-spans":  # what is not named keeps its weight
        weights = weights_with(store, record.uid, chosen.uid, weights)
    units = load_units(store, chosen, whose=annotators, weights=weights)
    kinds = {annotator.kind for annotator in units.annotators}
    whose: Whose = annotators or ("human" if "human" in kinds else "model")
    _require_fitting(units, rule)
    words = _in_words(units, rule, weights, kinds)
    words += "" if threshold == 1 else f"; the most certain {threshold:g}"
    words += "" if controls is None else f"; {count(len(controls), 'control item')}"
    if rule == "mean" and weights is None and len(kinds) == 1:
        raise StoreError(
            f"The mean of annotators is in the store whenever judgments are: "
            f"'{chosen.name} [{next(iter(kinds))}: mean of annotators]'. Nothing is to be done."
        )
    known = None if controls is None else known_labels(units, controls)
    tie = 0.0 if units.what == "choices" else None
    with told_in_words({}):
        found = consensus(
            units.values,
            rule=rule,
            tie_value=tie,
            turned=units.is_turned,
            controls=known,
            threshold=threshold,
            rng=seed,
        )
    matrix, metric = item_matrix(units, found.values), None
    if units.systems and units.what != "labels" and not np.isnan(matrix).all():
        metric = _write(store, units, rule, words, matrix, kinds, actor)
    settings = {"rule": rule, "annotators": whose, "weights": _weights(weights or {}) or "own"}
    return _study(store, _Made(record, units, words, metric, matrix, found), rule, settings, seed)


class _Made(NamedTuple):
    """What came out, and where it went."""

    dataset: DatasetRecord
    units: JudgedUnits
    words: str
    metric: MetricRecord | None
    matrix: FloatArray
    found: Consensus


def _study(
    store: Store, made: _Made, rule: ConsensusRule, settings: Mapping[str, str], seed: int
) -> GoldStudy:
    units, found = made.units, made.found
    rows = made.matrix if made.metric is not None else made.matrix[:0]
    counted = [int(np.count_nonzero(~np.isnan(row))) for row in rows]
    means = tuple(
        float(np.nanmean(row)) if n else math.nan for row, n in zip(rows, counted, strict=True)
    )
    values = gold_values(units, found)
    return GoldStudy(
        sentence=_sentence(made, means, values),
        signature=build_signature(
            "gold",
            dataset=made.dataset.label,
            gold=units.criterion.name,
            **settings,
            seed=seed,
            store=store.revision(),
        ),
        warnings=tuple(_warn(units, found, rule)),
        store_revision=store.revision(),
        dataset=made.dataset,
        criterion=units.criterion,
        rule=rule,
        rule_in_words=made.words,
        whose=settings["annotators"],  # type: ignore[arg-type]  # `_check` knows them
        metric=made.metric,
        systems=units.systems if made.metric is not None else (),
        means=means,
        n_items=tuple(counted),
        n_units=units.n_units,
        n_undecided=found.n_undecided,
        values=values,
    )


def _check(rule: str, annotators: str | None, seed: int) -> None:
    if rule not in CONSENSUS_RULES:
        raise StoreError(f"`rule` must be one of {listed(CONSENSUS_RULES)}, got '{rule}'.")
    if annotators is not None and annotators not in WHOSE:
        raise StoreError(f"`annotators` must be one of {listed(WHOSE)}, got '{annotators}'.")
    if seed < 0:
        raise StoreError(f"`seed` must not be negative, got {seed}.")


def _require_fitting(units: JudgedUnits, rule: ConsensusRule) -> None:
    name = units.criterion.name
    if units.what == "choices" and rule not in _OF_CHOICES:
        raise StoreError(
            f"`rule` '{rule}' does not fit choices between two outputs, which '{name}' holds: take "
            f"one of {listed(_OF_CHOICES)}. The share of comparisons won is in the store anyway."
        )
    if units.what == "labels" and rule not in _OF_LABELS:
        raise StoreError(
            f"`rule` '{rule}' does not fit labels, which '{name}' holds: take one of "
            f"{listed(_OF_LABELS)}."
        )
    n_values = np.unique(units.values[~np.isnan(units.values)]).size
    if units.what == "values" and rule in ("mace", "mace-em") and n_values > _MOST_LABELS:
        raise StoreError(
            f"`rule` '{rule}' takes every value as a label, and '{name}' has {n_values:,} of them. "
            "Take median or z-score."
        )
    if rule in ("mace", "mace-em") and len(units.annotators) < 2:
        raise StoreError(f"`rule` '{rule}' needs at least two annotators; '{name}' has one.")


def _in_words(
    units: JudgedUnits,
    rule: ConsensusRule,
    weights: Mapping[str, float] | None,
    kinds: set[AnnotatorKind],
) -> str:
    words = RULES_IN_WORDS[rule]
    if units.what == "choices":
        words = _RULE_OF_PAIRS + words
    if weights is not None:
        words += f"; weights {_weights(weights)}"
    return words + ("; people and models" if len(kinds) > 1 else "")


def _weights(weights: Mapping[str, float]) -> str:
    return ", ".join(f"{name}={weight:g}" for name, weight in weights.items())


def _write(
    store: Store,
    units: JudgedUnits,
    rule: ConsensusRule,
    words: str,
    matrix: FloatArray,
    kinds: set[AnnotatorKind],
    actor: str,
) -> MetricRecord:
    criterion = units.criterion
    lower, upper = criterion.lower, criterion.upper
    if units.what == "choices":
        lower, upper = 0.0, 1.0
    elif rule == "z-score":
        lower = upper = None
    rows = [i for i in range(len(matrix)) if not np.isnan(matrix[i]).all()]
    return put_gold(
        store,
        criterion.dataset_uid,
        criterion.uid,
        rule=words,
        source="human" if kinds == {"human"} else "model",
        systems=[units.system_uids[i] for i in rows],
        values=matrix[rows],
        lower=lower,
        upper=upper,
        actor=actor,
    )


def _sentence(made: _Made, means: Sequence[float], values: Sequence[GoldValue]) -> str:
    units, metric = made.units, made.metric
    where = f"'{units.criterion.name}' on {made.dataset.label}"
    if metric is None:
        told = [f"'{name}' {n:,}" for name, n in labels_counted(values).items()]
        why = "labels are no scores of a system" if units.systems else "no system was judged"
        return (
            f"{where}, {made.words}: {listed(told, most=8)}, of {count(units.n_units, 'unit')}. "
            f"Nothing is written to the store, since {why}; `--out` writes a file."
        )
    order = sorted(range(len(means)), key=lambda i: -metric.sign * np.nan_to_num(means[i]))
    told = [f"{units.systems[i]} {numbers.fixed(means[i], 3)}" for i in order]
    return (
        f"Written as '{metric.label}' on {made.dataset.label}: {count(len(means), 'system')}, "
        f"{listed(told, most=6)} on average. To hold metrics against it: `tiebreak correlate "
        f"{shlex.quote(made.dataset.label)} --gold {metric.uid}`."
    )


def _warn(units: JudgedUnits, found: Consensus, rule: ConsensusRule) -> list[str]:
    told = []
    if found.n_undecided:
        told.append(
            f"{count(found.n_undecided, 'unit')} left open: "
            + ("several answers are equally common." if found.model is None else "too uncertain.")
        )
    n_left_out = int(found.n_left_out.sum())
    if n_left_out:
        who = [a.name for a, n in zip(units.annotators, found.n_left_out, strict=True) if n]
        told.append(
            f"{count(n_left_out, 'judgment')} of {listed(who, most=4)} left out: with one value, "
            "or always the same, there is no spread to scale by."
        )
    if rule == "z-score":
        told.append("z-scores have no bounds and no unit; they tell systems apart, not how good.")
    if found.model is not None and not found.model.identified:
        told.append("MACE has several fits that are equally good: another may give other labels.")
    if found.model is not None and not found.model.converged:
        told.append("MACE did not come to rest: other starts may give other labels.")
    return told
