"""Is system A better than system B on a dataset, by how much, and how sure is that?"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Literal

import numpy as np

from analysis import numbers
from analysis.answer_table import AnswerTable, fields_of
from analysis.choices import Clusters, MetricName, SystemName
from analysis.columns import Column, with_interval
from analysis.question import Progress, Question
from analysis.report import Report
from analysis.setting import Setting
from analysis.statistics._typing import FloatArray
from analysis.statistics.description.variance_components import (
    VarianceComponents,
    variance_components,
)
from analysis.statistics.multiplicity import adjust
from analysis.statistics.paired.equivalence import Verdict
from analysis.statistics.paired.inference import infer_pair
from analysis.statistics.signature import build_signature
from analysis.statistics.validity_bounds import Reason, RunSpread
from analysis.studies.calibrated import guarded, in_json
from analysis.studies.clusters import choose_clusters, has_groups
from analysis.studies.coverage import coverage_notes
from analysis.studies.family import Family, board_family
from analysis.studies.opponents import opponents_note
from analysis.studies.pair_analysis import (
    PairAnalysis,
    PairSettings,
    analyse_pair,
    caution_about,
    decimals_of,
)
from analysis.studies.pair_report import pair_tables
from analysis.studies.pairs_words import Correction, CorrectionChoice
from analysis.studies.run_spread import load_run_spread, side_by_side, spread_of
from analysis.studies.study import Study, count, listed
from analysis.studies.test_names import in_public_words, to_public
from store import vectors
from store.arrays import load_groups, load_matrix, load_run_matrix
from store.datasets import get_dataset
from store.engine import Store
from store.errors import NotFoundError, StoreError
from store.importers.known_metrics import is_cost
from store.metrics import get_metric
from store.records import DatasetRecord, MetricRecord, ScoreMatrix, SystemRecord
from store.runs import list_runs
from store.settings import settings_of_dataset
from store.systems import get_system


@dataclass(frozen=True, slots=True, eq=False)
class GroupRow:
    """Two systems on one group of items."""

    group: str
    n_items: int
    score_a: float
    score_b: float
    difference: float
    """A minus B on the metric's own scale."""
    ci: tuple[float, float]
    pvalue: float
    pvalue_adjusted: float
    """By Holm over the groups."""
    better: int
    """Items on which A is better; for a metric without item values 0, like the next."""
    worse: int


@dataclass(frozen=True, slots=True, eq=False)
class Comparison(Study):
    """Systems A and B on one dataset and metric."""

    system_a: str
    system_b: str
    system_a_uid: str
    system_b_uid: str
    dataset: DatasetRecord
    metric: MetricRecord
    settings: PairSettings
    analysis: PairAnalysis
    clustered: bool
    """Whether whole groups of items are the units."""
    groups: tuple[GroupRow, ...]
    """The groups that the dataset declares, the largest first."""
    family: Family | None
    """What the board says of the pair; ``None`` where it is compared by itself."""
    variance: VarianceComponents | None
    """Where the uncertainty comes from, items or runs; ``None`` where no system has two runs."""

    @property
    def verdict(self) -> Verdict:
        """A against B."""
        return self.analysis.verdict

    @property
    def verdict_shown(self) -> Verdict:
        """The verdict that stands first: the board's, for a pair that is seen as one of it."""
        return self.verdict if self.family is None else self.family.verdict

    def report(self, *, by_group: bool = True) -> Report:
        """Return what to write down about the comparison, with a row per group of items or not."""
        tables = pair_tables(self.analysis, self.settings, self.system_a, self.system_b)
        if by_group and self.groups:
            tables = (*tables, groups_table(self).as_report())
        return Report(
            title=f"{self.system_a} against {self.system_b} on {self.dataset.label}",
            sentences=(self.sentence,),
            tables=tables,
            signature=self.signature,
            warnings=self.warnings,
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the comparison as JSON-safe values, the analysis' fields at the top."""
        return flatten(Study.to_dict(self))  # not super(): with slots this is a new class


def groups_table(study: Comparison) -> AnswerTable:
    """Return a row per group of items that the dataset declares."""
    digits = decimals_of(study.analysis)
    difference = Column("difference", "difference", decimals=digits)
    alpha = study.analysis.alpha
    differ = [k for k, row in enumerate(study.groups) if row.pvalue_adjusted <= alpha]
    return AnswerTable(
        name="groups",
        noun="group",
        columns={
            "group": Column("group", pinned=True),
            "n_items": Column("items", "count"),
            "score_a": Column(study.system_a, "number", decimals=digits, is_name=True),
            "score_b": Column(study.system_b, "number", decimals=digits, is_name=True),
            **with_interval("difference", difference, "low", "high"),
            "pvalue": Column("p", "pvalue", shown=False),
            "pvalue_adjusted": Column("p (Holm)", "pvalue", help="Over all groups"),
        },
        rows=[
            {
                **fields_of(row, "group n_items score_a score_b difference pvalue pvalue_adjusted"),
                "low": row.ci[0],
                "high": row.ci[1],
            }
            for row in study.groups
        ],
        caption="By group of items",
        strong=f"differs at {alpha:g}, by Holm over the groups",
        stands_out={"difference": differ},
    )


def flatten(plain: dict[str, Any]) -> dict[str, Any]:
    """Return a study's plain fields with those of its analysis and test at the top."""
    analysis: dict[str, Any] = plain.pop("analysis")
    test: dict[str, Any] = analysis.pop("test")
    return (
        plain
        | analysis
        | {
            "test": to_public(test["test"]),
            "why_this_test": test["why"],
            "pvalue": test["pvalue"],
            "statistic": test["statistic"],
            "statistic_name": test["statistic_name"],
            "tests_that": test["tests_that"],
            "exact": test["exact"],
            "n_resamples": test["n_resamples"],
            "pvalue_floor": test["pvalue_floor"],
            "guard": in_json(analysis["guard"]),
        }
    )


@dataclass(frozen=True)
class Compare(Question[Comparison]):
    """Say whether A is better than B on a dataset, by how much, and how sure that is."""

    name: ClassVar[str] = "compare"

    a: SystemName
    b: SystemName
    dataset: Annotated[str | None, Setting("By default the one with most shared items.")] = None
    metric: MetricName = None
    settings: PairSettings = PairSettings()  # noqa: RUF009 (frozen)
    clusters: Clusters = None
    family: Annotated[
        Literal["none", "board"],
        Setting(
            "board: also as one of all pairs of the board, with their correction.",
            label="Seen",
            words={"none": "by itself", "board": "as one of the board"},
            main=True,
        ),
    ] = "none"
    correction: CorrectionChoice = "holm"
    """For the number of pairs of the board."""

    def answer(self, store: Store, progress: Progress | None = None) -> Comparison:
        """Return the comparison: see `study_comparison`."""
        return study_comparison(
            store,
            self.a,
            self.b,
            dataset=self.dataset,
            metric=self.metric,
            settings=self.settings,
            clusters=self.clusters,
            correction=self.correction if self.family == "board" else None,
        )


def study_comparison(
    store: Store,
    a: str,
    b: str,
    *,
    dataset: str | None = None,
    metric: str | None = None,
    settings: PairSettings = PairSettings(),  # noqa: B008 (frozen)
    clusters: bool | None = None,
    correction: Correction | None = None,
) -> Comparison:
    """Compare two systems on the items of one dataset.

    Parameters
    ----------
    store
        Where from.
    a, b, dataset, metric
        Uids or names; by default the dataset and metric with most items scored for both, what
        an output took (time, money) after what it is worth.
    settings
        Test, direction, hypothesised difference, α, margin, seed, evaluation units.
    clusters
        Whether the dataset's groups of items are the units; by default where they join items.
    correction
        For the number of pairs on the board, if the pair is to be seen as one of them.

    Raises
    ------
    NotFoundError
        A name is unknown, or the two share no dataset with item scores.
    StoreError
        The settings do not go together with the scores.
    """
    system_a, system_b = get_system(store, a), get_system(store, b)
    if system_a.uid == system_b.uid:
        raise StoreError(f"'{a}' and '{b}' are the same system. Name two different ones.")
    chosen, notes = choose_cell(store, (system_a, system_b), dataset, metric)
    matrix = load_matrix(store, *chosen, systems=[system_a.uid, system_b.uid])
    labels = load_groups(store, matrix.dataset.uid)
    clustering = choose_clusters(labels, clusters, in_units=settings.in_units, test=settings.test)
    groups = clustering.groups
    scores_a, scores_b = matrix.scores
    try:
        analysis = analyse_pair(
            scores_a,
            scores_b,
            settings,
            aggregation=matrix.metric.aggregation,
            sign=matrix.metric.sign,
            groups=groups,
            runs=load_run_spread(store, matrix),
            bounds=matrix.metric.bounds,
        )
    except (ValueError, TypeError) as error:
        raise StoreError(in_public_words(str(error))) from error
    repeats = _repeats(store, matrix)
    variance = variance_components(*repeats) if repeats else None
    family = None
    if correction is not None:
        family = board_family(
            store,
            (system_a.uid, system_b.uid),
            dataset=matrix.dataset.uid,
            metric=matrix.metric.uid,
            settings=settings,
            clusters=clusters,
            correction=correction,
        )
    first = caution_about(
        analysis, settings, clustered=clustering.groups is None and has_groups(labels)
    )
    told = sentence(
        analysis, settings, system_a.name, system_b.name, matrix.metric, matrix.dataset.label
    )
    if family is not None:
        told = f"{family.sentence} By itself: {told}"
    return Comparison(
        sentence=f"{first} {told}".strip(),
        signature=build_signature(
            "compare",
            a=system_a.name,
            b=system_b.name,
            dataset=matrix.dataset.label,
            metric=matrix.metric.label,
            units="groups" if groups is not None else "items",
            test=analysis.test.signature.replace("|", " "),
            store=store.revision(),
        ),
        warnings=tuple(
            filter(
                None,
                [
                    *opponents_note(store, matrix.dataset.uid, matrix.metric),
                    *coverage_notes(store, matrix),
                    *notes,
                    *_warnings(analysis, matrix),
                    *analysis.notes,
                    guarded(analysis.guard) if analysis.guard != Reason.RUNS else "",
                    clustering.note,
                    *_about_runs(variance, by_name=settings.test != "auto"),
                ],
            )
        ),
        store_revision=store.revision(),
        system_a=system_a.name,
        system_b=system_b.name,
        system_a_uid=system_a.uid,
        system_b_uid=system_b.uid,
        dataset=matrix.dataset,
        metric=matrix.metric,
        settings=settings,
        analysis=analysis,
        clustered=groups is not None,
        groups=_by_group(matrix, labels, repeats, settings),
        family=family,
        variance=variance,
    )


def choose_cell(
    store: Store,
    systems: Sequence[SystemRecord],
    dataset: str | None,
    metric: str | None,
) -> tuple[tuple[str, str], list[str]]:
    """Return (dataset uid, metric uid) to compare systems on, and what to say about the choice.

    Raises
    ------
    NotFoundError
        A name is unknown, or the systems share nothing there.
    """
    wanted_dataset = None if dataset is None else get_dataset(store, dataset)
    wanted_metric = None if metric is None else get_metric(store, metric)
    scored: list[Counter[tuple[str, str]]] = []
    names: dict[str, str] = {}
    for system in systems:
        found: Counter[tuple[str, str]] = Counter()
        for run in reversed(list_runs(store, system_uid=system.uid)):  # the oldest first
            for vector in run.vectors:
                names[run.dataset_uid], names[vector.metric_uid] = run.dataset, vector.metric
                cell = (run.dataset_uid, vector.metric_uid)
                found[cell] = max(found[cell], vector.n_scored)
        scored.append(found)
    shared = [
        cell
        for cell in scored[0]
        if all(found[cell] for found in scored)
        and (wanted_dataset is None or cell[0] == wanted_dataset.uid)
        and (wanted_metric is None or cell[1] == wanted_metric.uid)
    ]
    if not shared:
        where = f" on '{wanted_dataset.label}'" if wanted_dataset else ""
        where += f" for the metric '{wanted_metric.label}'" if wanted_metric else ""
        raise NotFoundError(
            f"{listed([repr(system.name) for system in systems])} have no item scores in "
            f"common{where}. Compare systems that were scored on the same dataset, or import the "
            "scores per item."
        )
    best = max(
        shared,
        key=lambda cell: (not is_cost(names[cell[1]]), min(found[cell] for found in scored)),
    )
    primary = (best[0], settings_of_dataset(store, best[0]).get("metric", ""))
    best = primary if primary in shared else best
    others = sorted({names[cell[0]] for cell in shared if cell[0] != best[0]})
    notes = []
    if others:
        notes.append(
            f"Compared on {names[best[0]]}, the dataset with most items scored for both. They "
            f"also share {listed(others)}."
        )
    metrics = sorted({names[cell[1]] for cell in shared if cell[0] == best[0]} - {names[best[1]]})
    if metrics:
        notes.append(f"Metric: {names[best[1]]}. The store also has {listed(metrics)}.")
    return best, notes


def sentence(
    analysis: PairAnalysis,
    settings: PairSettings,
    a: str,
    b: str,
    metric: MetricRecord | None,
    where: str,
) -> str:
    """Return the answer in words: verdict first, then the figures it rests on."""
    low, high = analysis.ci
    places = numbers.decimals(
        half_width=(high - low) / 2 if math.isfinite(high - low) else None,
        n=analysis.n_items or None,
        span=100.0 if max(abs(analysis.score_a), abs(analysis.score_b)) > 1.5 else 1.0,
    )
    on = f" on {where}" if where else ""
    quantity = metric.label if metric else "score"
    lower = " (lower is better)" if metric and not metric.higher_is_better else ""
    units = count(analysis.n_items, "item")
    if analysis.n_units != analysis.n_items:
        units += f" in {count(analysis.n_units, 'unit')}"
    if analysis.why:
        return f"Cannot tell {a} and {b} apart{on}: {analysis.not_testable}"
    if analysis.not_testable:
        return f"Nothing can be tested between {a} and {b}{on}: {analysis.not_testable}"
    figures = (
        f"{quantity}{lower} {numbers.fixed(analysis.score_a, places)} against "
        f"{numbers.fixed(analysis.score_b, places)}, a difference of "
        f"{numbers.fixed(analysis.difference, places, signed=True)}"
    )
    if math.isfinite(low):
        ends = " to ".join(numbers.fixed(end, places, signed=True) for end in (low, high))
        figures += f" ({100 * (1 - settings.alpha):g} % interval {ends})"
    tested = f"p {numbers.relation(analysis.test.pvalue)}, {analysis.test_in_words}"
    if settings.alternative != "two-sided":
        tested += ", one-sided"
    if settings.delta and analysis.side:
        than = "above" if analysis.side > 0 else "below"
        return (
            f"The difference {a} minus {b}{on} is {than} {settings.delta:+g} with {units}: "
            f"{figures}; {tested}."
        )
    if analysis.verdict in ("better", "worse"):
        told = f"{a} is {analysis.verdict} than {b}{on} with {units}: {figures}; {tested}."
        if analysis.equivalence is not None and analysis.equivalence.equivalent:
            told += f" The difference is real, but within the margin of ±{settings.margin:g}."
        return told
    if analysis.verdict == "equivalent":
        return (
            f"{a} and {b} are equivalent{on} within ±{settings.margin:g} with {units}: "
            f"{figures}; {tested}."
        )
    if settings.delta:
        return (
            f"Cannot tell whether the difference {a} minus {b}{on} is other than "
            f"{settings.delta:+g} with {units}: {figures}; {tested}."
        )
    told = f"Cannot tell {a} and {b} apart{on} with {units}: {figures}; {tested}."
    if math.isfinite(analysis.mde):
        told += (
            f" A difference of {numbers.fixed(analysis.mde, places)} would have been found with "
            "80 % probability."
        )
    return told


def _by_group(
    matrix: ScoreMatrix,
    labels: Sequence[str | None],
    repeats: Sequence[FloatArray],
    settings: PairSettings,
) -> tuple[GroupRow, ...]:
    """Return a row per declared group that has items with a score from both systems."""
    scores_a, scores_b = matrix.scores
    aggregation, sign = matrix.metric.aggregation, matrix.metric.sign
    both = vectors.scored(scores_a) & vectors.scored(scores_b)
    members: dict[str, list[int]] = {}
    for position in np.flatnonzero(both):
        label = labels[int(position)]
        if label is not None:
            members.setdefault(label, []).append(int(position))
    if not members or max(map(len, members.values())) == 1:
        return ()
    rows = [
        _group_row(
            name,
            scores_a[at],
            scores_b[at],
            aggregation,
            sign,
            side_by_side(*(spread_of(runs[:, at]) for runs in repeats[::sign]))
            if repeats
            else None,
            matrix.metric.bounds,
            settings,
        )
        for name, at in sorted(members.items(), key=lambda entry: (-len(entry[1]), entry[0]))
    ]
    adjusted = adjust([row.pvalue for row in rows], "holm").pvalues_adjusted
    return tuple(
        GroupRow(
            row.group,
            row.n_items,
            row.score_a,
            row.score_b,
            row.difference,
            row.ci,
            row.pvalue,
            float(p),
            row.better,
            row.worse,
        )
        for row, p in zip(rows, adjusted, strict=True)
    )


def _group_row(
    name: str,
    scores_a: FloatArray,
    scores_b: FloatArray,
    aggregation: Any,
    sign: int,
    runs: RunSpread | None,
    bounds: tuple[float, float] | None,
    settings: PairSettings,
) -> GroupRow:
    first, second = (scores_a, scores_b) if sign > 0 else (scores_b, scores_a)
    inferred = infer_pair(
        first,
        second,
        aggregation=aggregation,
        runs=runs,
        alpha=settings.alpha,
        bounds=bounds,
        n_resamples=settings.n_resamples,
        rng=settings.seed,
    )
    result, interval = inferred.test, inferred.interval
    gains = vectors.item_values(first, aggregation) - vectors.item_values(second, aggregation)
    return GroupRow(
        group=name,
        n_items=len(scores_a),
        score_a=vectors.aggregate(scores_a, aggregation),
        score_b=vectors.aggregate(scores_b, aggregation),
        difference=sign * result.difference,
        ci=(interval.low, interval.high) if sign > 0 else (-interval.high, -interval.low),
        pvalue=result.pvalue,
        pvalue_adjusted=math.nan,
        better=int(np.count_nonzero(gains > 0)),
        worse=int(np.count_nonzero(gains < 0)),
    )


def _repeats(store: Store, matrix: ScoreMatrix) -> list[FloatArray]:
    """Return each system's repeats, shape (n_runs, n_items); empty where neither has several."""
    if max(matrix.n_vectors) < 2 or matrix.metric.aggregation != "mean":
        return []
    return [
        load_run_matrix(store, matrix.dataset.uid, matrix.metric.uid, uid).scores[:, :, 0]
        for uid in matrix.system_uids
    ]


def _about_runs(variance: VarianceComponents | None, *, by_name: bool) -> list[str]:
    """Say what the verdict leaves out where there are several runs, and what would help most."""
    if variance is None:
        return []
    told = [
        "The verdict is about the runs that were made: test and interval take the mean over runs "
        "and count the chance in the items, not that in the seeds."
        if by_name
        else "Test and interval count the chance in the items and that in the seeds."
    ]
    if variance.n_incomplete > variance.n_items:
        return [
            *told,
            f"Only {count(variance.n_items, 'item')} were scored by every run: too few to tell the "
            "part of the seeds.",
        ]
    return [*told, variance.sentence]


def _warnings(analysis: PairAnalysis, matrix: ScoreMatrix) -> list[str]:
    warnings = []
    if analysis.n_missing:
        warnings.append(
            f"{count(analysis.n_missing, 'item')} of {matrix.dataset.n_items:,} "
            f"{'has' if analysis.n_missing == 1 else 'have'} a score from only one of the two, or "
            "from none, and are left out. If hard items are the ones that fail, this favours the "
            "system that failed on them."
        )
    test = analysis.test
    floor = test.pvalue_floor
    if floor is None or math.isnan(test.pvalue):
        return warnings
    if test.exact and floor > analysis.alpha:
        warnings.append(
            f"With so few differing items no p-value below {floor:.2g} is possible: no difference "
            "could be shown here."
        )
    if not test.exact and test.pvalue <= floor * (1 + 1e-9):
        warnings.append(
            f"p is at the floor of {test.n_resamples:,} resamples: it says at most "
            f"{floor:.2g}. More resamples would make it smaller."
        )
    return warnings
