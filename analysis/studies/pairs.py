"""Which of all pairs of systems on a dataset really differ?"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Final

import numpy as np
import numpy.typing as npt
import scipy

from analysis import numbers
from analysis.answer_table import AnswerTable, Rows
from analysis.choices import DatasetName, Failures, MetricName, SystemNames
from analysis.columns import Column
from analysis.question import Progress, Question
from analysis.report import Report
from analysis.statistics._typing import FloatArray
from analysis.statistics.all_pairs.pairwise import pairwise
from analysis.statistics.all_pairs.result import PairMethod, Pairwise
from analysis.statistics.all_pairs.simultaneous import SIMULTANEOUS
from analysis.statistics.description.evaluation_units import unit_scores
from analysis.statistics.results import read_only
from analysis.statistics.signature import build_signature
from analysis.studies.calibrated import guard_notes
from analysis.studies.chosen_metric import choose_metric
from analysis.studies.clusters import choose_clusters, has_groups
from analysis.studies.coverage import coverage_notes
from analysis.studies.kept_results import kept
from analysis.studies.leaderboard_comparable import find_comparable
from analysis.studies.opponents import opponents_note
from analysis.studies.pairs_caution import caution_about
from analysis.studies.pairs_words import (
    BETTER,
    CORRECTIONS_IN_WORDS,
    EQUIVALENT,
    METHODS_IN_WORDS,
    NOT_COMPARABLE,
    UNDECIDED,
    VERDICTS_IN_WORDS,
    WORSE,
    PairsSettings,
    sentence,
    warnings,
)
from analysis.studies.reading import read_matrix, state_of
from analysis.studies.run_spread import load_run_spread
from analysis.studies.study import Study, count
from analysis.studies.test_names import (
    IN_WORDS,
    INTERVALS_IN_WORDS,
    in_public_words,
    to_public,
    to_statistics,
)
from store import vectors
from store.arrays import load_groups
from store.datasets import get_dataset
from store.engine import Store
from store.errors import NotFoundError, StoreError
from store.records import DatasetRecord, MetricRecord, ScoreMatrix
from store.results_cache import data_fingerprint

_NUMBERS_OF_A_ROW: Final = (
    *("difference", "ci_low", "ci_high", "ci_simultaneous_low", "ci_simultaneous_high"),
    *("cohens_dz", "hedges_g", "pvalue", "pvalue_adjusted", "n_items"),
)


@dataclass(frozen=True, slots=True, eq=False)
class PairsStudy(Study):
    """All pairs of systems on one dataset and metric; matrices are row against column."""

    dataset: DatasetRecord
    metric: MetricRecord
    metrics: tuple[MetricRecord, ...]
    """All metrics with scores on this dataset, the most used first."""
    settings: PairsSettings
    systems: tuple[str, ...]
    """The best score first."""
    system_uids: tuple[str, ...]
    scores: tuple[float, ...]
    """What a leaderboard orders by: where items are missing, made comparable."""
    n_scored: tuple[int, ...]
    difference: FloatArray
    """Row minus column on the metric's own scale."""
    ci_low: FloatArray
    ci_high: FloatArray
    """Of each pair by itself."""
    ci_simultaneous_low: FloatArray
    ci_simultaneous_high: FloatArray
    """Of all pairs at once, for Bonferroni, single-step max-T and Tukey's HSD; NaN for others."""
    cohens_dz: FloatArray
    """Gain of the row over the standard deviation of the items' gains: above 0 where it is better,
    also where lower scores are; NaN for no mean."""
    hedges_g: FloatArray
    """The same without its bias in small samples."""
    pvalue: FloatArray
    pvalue_adjusted: FloatArray
    n_items: npt.NDArray[np.int64]
    """Items (or units) with a score from both."""
    standard_error: FloatArray
    """Of the mean difference, on the metric's own scale; NaN where the test has none."""
    guard: npt.NDArray[np.uint8]
    """What was done to p and interval where the test alone does not hold: a `Reason`; 3 = no
    valid test, so that the verdict is "undecided" without a p."""
    verdicts: npt.NDArray[np.uint8]
    """0 not comparable, 1 undecided, 2 row better, 3 row worse, 4 equivalent."""
    test: str
    why_this_test: str
    correction: str
    methods: dict[str, int]
    """How many p-values came about in which way."""
    interval_method: str
    n_pairs: int
    """Pairs that could be tested."""
    n_different: int
    n_units: int
    """Independent units that the dataset offers: items, evaluation units, or groups."""

    def to_dict(self) -> dict[str, Any]:
        """Return fields and orders as JSON-safe values; what only the orders are made of, not."""
        told = Study.to_dict(self)
        del told["standard_error"]
        return told | {
            "order_by_name": list(self.order_by_name),
            "order_by_cluster": list(self.order_by_cluster),
        }

    @property
    def order_by_name(self) -> tuple[int, ...]:
        """Positions of the systems by their names, whatever their capitals."""
        return tuple(sorted(range(len(self.systems)), key=lambda i: self.systems[i].casefold()))

    @property
    def order_by_cluster(self) -> tuple[int, ...]:
        """Positions of the systems; those that answer alike stand together."""
        return _order_by_likeness(self.standard_error, self.n_items)

    @property
    def has_simultaneous(self) -> bool:
        """Whether the correction has intervals that hold for all pairs at once."""
        return self.correction in SIMULTANEOUS

    @property
    def shown_low(self) -> FloatArray:
        """Lower ends that go with the verdicts: simultaneous ones where the correction has any."""
        return self.ci_simultaneous_low if self.has_simultaneous else self.ci_low

    @property
    def shown_high(self) -> FloatArray:
        """Upper ends, as `shown_low`."""
        return self.ci_simultaneous_high if self.has_simultaneous else self.ci_high

    @property
    def how(self) -> str:
        """How the p-values came about, in words."""
        name = IN_WORDS[to_statistics(self.test)]
        ways = [f"{n:,} {way}" for way, n in self.methods.items()]
        told = f"{name[0].upper()}{name[1:]}"
        if len(ways) == 1:
            told += f", p-values computed {next(iter(self.methods))}"
        elif ways:
            told += f", p-values computed: {', '.join(ways)}"
        correction = CORRECTIONS_IN_WORDS[self.correction]
        told += f"; {correction} over {count(self.n_pairs, 'pair')}, α = {self.settings.alpha:g}."
        if self.interval_method and self.interval_method != "none":
            level = f"{100 * (1 - self.settings.alpha):g} %"
            if self.has_simultaneous:
                told += f" The intervals hold for all pairs at once, at {level}."
            else:
                told += (
                    f" Intervals: {INTERVALS_IN_WORDS[self.interval_method]} at {level}, each pair "
                    "by itself, so an interval may exclude 0 where the corrected test does not."
                )
        return f"{told} {self.why_this_test}".strip()

    def report(self) -> Report:
        """Return what to write down: every pair, those that differ standing out."""
        return Report(
            title=f"All pairs on {self.dataset.label}",
            sentences=(self.sentence,),
            tables=(self.table().as_report(),),
            signature=self.signature,
            warnings=self.warnings,
        )

    def table(self) -> AnswerTable:
        """Return a row per pair, the system with the better score first."""
        rows, places = self.rows(), self.decimals
        ends = "ci_simultaneous" if self.has_simultaneous else "ci"
        together = "that holds for all pairs at once" if self.has_simultaneous else "of each alone"
        sides = {
            f"{name}_{end}": Column(f"{title}: {side}", "difference", decimals=places).when(False)
            for name, title in (("ci", "alone"), ("ci_simultaneous", "all at once"))
            for end, side in (("low", "from"), ("high", "to"))
        }
        verdicts = rows.values("verdict")
        differ = {k for k, verdict in enumerate(verdicts) if verdict in ("better", "worse")}
        is_corrected = self.correction != "none"
        return AnswerTable(
            name="pairs",
            noun="pair",
            columns={
                "a": Column("A", pinned=True),
                "b": Column("B"),
                "verdict": Column(
                    "A is", help="A has the better score", words={"undecided": "cannot tell"}
                ),
                "difference": Column(
                    "difference",
                    "difference",
                    decimals=places,
                    ends=(f"{ends}_low", f"{ends}_high"),
                    help=f"With the interval {together}",
                ),
                **sides,
                "hedges_g": Column("Hedges' g", "difference", decimals=2),
                "cohens_dz": Column("Cohen's d", "difference", decimals=2).when(False),
                "pvalue": Column("p", "pvalue", shown=not is_corrected),
                "pvalue_adjusted": Column("adjusted p", "pvalue").when(is_corrected),
                "n_items": Column("items", "count"),
            },
            rows=rows,
            caption=f"All pairs on {self.dataset.label}, {self.metric.label}, A minus B",
            notes=(self.how,),
            strong=f"the pair differs at α = {self.settings.alpha:g}",
            stands_out={"difference": differ},
        )

    @property
    def decimals(self) -> int:
        """Return the decimals that the intervals of the differences support."""
        widths = (self.ci_high - self.ci_low)[np.triu_indices(len(self.systems), 1)]
        widths = widths[np.isfinite(widths) & (widths > 0)]
        span = 100.0 if any(abs(score) > 1.5 for score in self.scores) else 1.0
        half_width = float(np.median(widths)) / 2 if widths.size else None
        return numbers.decimals(half_width=half_width, n=self.n_units or None, span=span)

    def rows(self) -> Rows:
        """Return a row per pair, the system with the better score first."""
        pairs = np.triu_indices(len(self.systems), 1)
        first, second = ([self.systems[i] for i in side.tolist()] for side in pairs)
        columns: dict[str, Any] = {
            "a": first,
            "b": second,
            "verdict": [VERDICTS_IN_WORDS[verdict] for verdict in self.verdicts[pairs].tolist()],
        }
        for name in _NUMBERS_OF_A_ROW:
            columns[name] = getattr(self, name)[pairs]
        return Rows(columns)


@dataclass(frozen=True)
class Pairs(Question[PairsStudy]):
    """Say which of all pairs of systems on a dataset differ."""

    name: ClassVar[str] = "pairs"
    is_kept_whole: ClassVar[bool] = False

    dataset: DatasetName
    metric: MetricName = None
    systems: SystemNames = None
    settings: PairsSettings = PairsSettings()  # noqa: RUF009 (frozen)
    failures: Failures = None

    def answer(self, store: Store, progress: Progress | None = None) -> PairsStudy:
        """Return all pairs: see `study_pairs`."""
        return study_pairs(
            store.counting(self.failures),
            self.dataset,
            metric=self.metric,
            systems=self.systems,
            settings=self.settings,
            progress=progress,
        )


def study_pairs(
    store: Store,
    dataset: str,
    *,
    metric: str | None = None,
    systems: Sequence[str] | None = None,
    settings: PairsSettings = PairsSettings(),  # noqa: B008 (frozen)
    progress: Progress | None = None,
) -> PairsStudy:
    """Compare all pairs of systems on a dataset.

    Parameters
    ----------
    store
        Where from; long results are kept there.
    dataset, metric, systems
        Uids or names; by default the metric with most scores, and all systems with item scores.
    settings
        Test, correction, α, seed, evaluation units.
    progress
        Called with (resamples done, of how many); what it raises cancels the work.

    Raises
    ------
    NotFoundError
        A name is unknown, or the dataset has no item scores for the metric.
    StoreError
        The settings do not go together with the scores.
    """
    chosen = get_dataset(store, dataset)
    measure, available = choose_metric(store, chosen, metric)
    matrix = read_matrix(store, chosen.uid, measure.uid, systems=systems)
    if not matrix.systems:
        raise NotFoundError(
            f"The store has no item scores on '{chosen.label}' for '{measure.label}': reported "
            "figures cannot be tested. Import the scores per item."
        )
    _refuse_repeats(matrix)
    result, note = compare_all(store, matrix, settings, progress=progress)
    return _study(store, matrix, tuple(available), result, note, settings)


def compare_all(
    store: Store,
    matrix: ScoreMatrix,
    settings: PairsSettings,
    *,
    progress: Progress | None = None,
) -> tuple[Pairwise, str]:
    """Return the comparison of all pairs, kept in the store, and a note on its units.

    Raises
    ------
    StoreError
        The settings do not go together with the scores.
    """
    in_units = settings.in_units
    if settings.margin is not None and not 0 < settings.margin < math.inf:
        raise StoreError(f"`margin` must be a number above 0, got {settings.margin}.")
    labels = load_groups(store, matrix.dataset.uid)
    clusters = choose_clusters(labels, settings.clusters, in_units=in_units, test=settings.test)

    def compute() -> Pairwise:
        return pairwise(
            _in_units(matrix, settings) if in_units else matrix.scores,
            aggregation=matrix.metric.aggregation,
            test=to_statistics(settings.test),
            correction=settings.correction,
            alpha=settings.alpha,
            groups=clusters.groups,
            runs=None if in_units else load_run_spread(store, matrix),
            n_resamples=settings.n_resamples,
            rng=settings.seed,
            margin=settings.margin,
            bounds=matrix.metric.bounds,
            progress=progress,
        )

    arguments = {name: getattr(settings, name) for name in settings.__slots__}
    fingerprint = data_fingerprint(
        store, matrix.dataset.uid, matrix.metric.uid, systems=matrix.system_uids
    )
    try:
        return kept(store, "pairs", arguments, fingerprint, Pairwise, compute), clusters.note
    except (ValueError, TypeError) as error:
        raise StoreError(in_public_words(str(error))) from error


def _refuse_repeats(matrix: ScoreMatrix) -> None:
    twice = [uid for uid, n in Counter(matrix.system_uids).items() if n > 1]
    if twice:
        name = matrix.systems[matrix.system_uids.index(twice[0])]
        raise StoreError(f"`systems` names '{name}' more than once. Name each system once.")


def _in_units(matrix: ScoreMatrix, settings: PairsSettings) -> FloatArray:
    if matrix.metric.aggregation != "mean":
        raise ValueError(
            "`unit_size` groups the scores of items into units, which a metric by "
            f"'{matrix.metric.aggregation}' does not have. Leave it at 1."
        )
    return unit_scores(
        matrix.scores[:, :, 0],
        size=settings.unit_size,
        statistic=settings.unit_statistic,
        shuffle_seed=settings.shuffle_seed,
    )


def _study(
    store: Store,
    matrix: ScoreMatrix,
    available: tuple[MetricRecord, ...],
    result: Pairwise,
    note: str,
    settings: PairsSettings,
) -> PairsStudy:
    metric = matrix.metric
    own = [vectors.aggregate(rows, metric.aggregation) for rows in matrix.scores]
    scored = np.asarray(~np.isnan(matrix.scores).any(axis=2))
    scores = find_comparable(store, matrix, scored, own, settings).scores
    order = sorted(
        range(len(scores)),
        key=lambda i: (
            math.isnan(scores[i]),
            0.0 if math.isnan(scores[i]) else -metric.sign * scores[i],
            matrix.systems[i].casefold(),
        ),
    )
    at = np.ix_(order, order)
    verdicts = verdicts_of(result, metric.sign)[at]
    upper = np.triu_indices(len(order), 1)
    n_pairs = int(np.count_nonzero(verdicts[upper] != NOT_COMPARABLE))
    n_different = int(np.count_nonzero(np.isin(verdicts[upper], (BETTER, WORSE))))
    methods = Counter(int(code) for code in result.method[upper])
    systems = tuple(matrix.systems[i] for i in order)
    n_items = result.n_items[at]
    return PairsStudy(
        sentence=caution_about(
            result,
            _in_units(matrix, settings) if settings.in_units else matrix.scores[:, :, 0],
            settings,
            clustered=result.n_groups is None
            and has_groups(load_groups(store, matrix.dataset.uid)),
        )
        + sentence(systems, verdicts, n_items, settings, matrix),
        signature=build_signature(
            "pairs",
            dataset=matrix.dataset.label,
            metric=metric.label,
            systems=len(systems),
            pairwise=result.signature.replace("|", " "),
            unit=f"{settings.unit_size} {settings.unit_statistic}",
            shuffle="none" if settings.shuffle_seed is None else settings.shuffle_seed,
            **state_of(store, matrix.dataset.uid),
        ),
        warnings=(
            *opponents_note(store, matrix.dataset.uid, metric),
            *coverage_notes(store, matrix),
            *warnings(n_items, n_pairs, result.floor_note, note, matrix, settings),
            *guard_notes(result.guard[at][upper]),
        ),
        store_revision=store.revision(),
        dataset=matrix.dataset,
        metric=metric,
        metrics=available,
        settings=settings,
        systems=systems,
        system_uids=tuple(matrix.system_uids[i] for i in order),
        scores=tuple(scores[i] for i in order),
        n_scored=tuple(int(vectors.scored(matrix.scores[i]).sum()) for i in order),
        difference=read_only(result.difference[at]),
        ci_low=read_only(result.ci_low[at]),
        ci_high=read_only(result.ci_high[at]),
        ci_simultaneous_low=read_only(result.ci_simultaneous_low[at]),
        ci_simultaneous_high=read_only(result.ci_simultaneous_high[at]),
        cohens_dz=read_only(metric.sign * result.cohens_dz[at]),
        hedges_g=read_only(metric.sign * result.hedges_g[at]),
        pvalue=read_only(result.pvalue[at]),
        pvalue_adjusted=read_only(result.pvalue_adjusted[at]),
        n_items=read_only(n_items),
        standard_error=read_only(result.standard_error[at]),
        guard=read_only(result.guard[at]),
        verdicts=read_only(verdicts),
        test=to_public(result.test),
        why_this_test=result.why,
        correction=result.correction,
        methods={
            METHODS_IN_WORDS[PairMethod(code)]: n
            for code, n in sorted(methods.items())
            if code != PairMethod.NOT_TESTABLE
        },
        interval_method=result.interval_method,
        n_pairs=n_pairs,
        n_different=n_different,
        n_units=int(n_items.max(initial=0)) if result.n_groups is None else result.n_groups,
    )


def verdicts_of(result: Pairwise, sign: int) -> npt.NDArray[np.uint8]:
    """Return a code per cell; equivalent where the interval at 1 - 2 alpha is inside the margin."""
    verdicts = np.full(result.difference.shape, UNDECIDED, np.uint8)
    verdicts[np.isnan(result.pvalue) & (result.refusal == 0)] = NOT_COMPARABLE
    verdicts[result.n_items == 0] = NOT_COMPARABLE
    # Two one-sided tests at alpha, by their interval; each pair's own, uncorrected.
    verdicts[result.equivalent & (verdicts == UNDECIDED)] = EQUIVALENT
    gain = sign * result.difference
    verdicts[result.different & (gain > 0)] = BETTER
    verdicts[result.different & (gain < 0)] = WORSE
    np.fill_diagonal(verdicts, UNDECIDED)
    return verdicts


def _order_by_likeness(
    standard_error: FloatArray, n_items: npt.NDArray[np.int64]
) -> tuple[int, ...]:
    """Return the leaves of an average-linkage tree over the spread of the item differences."""
    n_systems = len(standard_error)
    if n_systems < 3:
        return tuple(range(n_systems))
    spread = standard_error * np.sqrt(n_items)
    known = spread[np.isfinite(spread)]
    spread = np.where(np.isfinite(spread), spread, known.max(initial=0.0))
    np.fill_diagonal(spread, 0.0)
    distances = ((spread + spread.T) / 2)[np.triu_indices(n_systems, 1)]
    hierarchy = scipy.cluster.hierarchy
    tree = hierarchy.linkage(distances, "average", optimal_ordering=n_systems <= 200)
    return tuple(int(leaf) for leaf in hierarchy.leaves_list(tree))
