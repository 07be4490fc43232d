"""Is system A better than system B on a dataset, by how much, and how sure is that?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Literal

from analysis.answer_table import AnswerTable
from analysis.choices import Clusters, Failures, MetricName, SystemName
from analysis.question import Progress, Question
from analysis.report import Report
from analysis.setting import Setting
from analysis.statistics._typing import FloatArray
from analysis.statistics.description.variance_components import (
    VarianceComponents,
    variance_components,
)
from analysis.statistics.paired.equivalence import Verdict
from analysis.statistics.signature import build_signature
from analysis.statistics.validity_bounds import Reason
from analysis.studies.calibrated import guarded, in_json
from analysis.studies.clusters import choose_clusters, has_groups
from analysis.studies.compared_cell import choose_cell
from analysis.studies.compared_groups import GroupRow, groups_table, rows_by_group
from analysis.studies.comparison_words import about_runs, sentence, warnings_of
from analysis.studies.coverage import coverage_notes
from analysis.studies.family import Family, board_family, both_in_words
from analysis.studies.opponents import opponents_note
from analysis.studies.pair_analysis import (
    PairAnalysis,
    PairSettings,
    analyse_pair,
    caution_about,
)
from analysis.studies.pair_report import pair_tables
from analysis.studies.pairs_words import Correction, CorrectionChoice
from analysis.studies.reading import read_matrix, state_of
from analysis.studies.run_spread import load_run_spread
from analysis.studies.study import Study
from analysis.studies.test_names import in_public_words, to_public
from store.arrays import load_groups, load_run_matrix, load_seeds
from store.engine import Store
from store.errors import StoreError
from store.records import DatasetRecord, MetricRecord, ScoreMatrix
from store.systems import get_system


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
    """What all pairs of the board say of it; ``None`` where it is one of no others."""
    variance: VarianceComponents | None
    """Where the uncertainty comes from, items or runs; ``None`` where no system has two runs."""

    @property
    def verdict(self) -> Verdict:
        """A against B."""
        return self.analysis.verdict

    @property
    def verdict_shown(self) -> Verdict:
        """The verdict that stands first: the board's, for a pair that is one of others."""
        return self.verdict if self.family is None else self.family.verdict

    @property
    def verdicts(self) -> str:
        """Both: "alone: better · among the 6 pairs of this board: cannot tell"."""
        return both_in_words(self.verdict, self.family)

    def report(self, *, by_group: bool = True) -> Report:
        """Return what to write down about the comparison, with a row per group of items or not."""
        tables = pair_tables(
            self.analysis, self.settings, self.system_a, self.system_b, self.family
        )
        if by_group and self.groups:
            tables = (
                *tables,
                groups_table(self.groups, self.analysis, self.system_a, self.system_b).as_report(),
            )
        return Report(
            title=f"{self.system_a} against {self.system_b} on {self.dataset.label}",
            sentences=(self.sentence,),
            tables=tables,
            signature=self.signature,
            warnings=self.warnings,
        )

    def groups_table(self) -> AnswerTable:
        """Return a row per group of items that the dataset declares."""
        return groups_table(self.groups, self.analysis, self.system_a, self.system_b)

    def to_dict(self) -> dict[str, Any]:
        """Return the comparison as JSON-safe values, the analysis' fields at the top."""
        return flatten(Study.to_dict(self))  # not super(): with slots this is a new class


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
            "board: also among all pairs of the board, with their correction; none: alone.",
            label="Seen",
            words={"none": "alone", "board": "alone and on the board"},
            main=True,
        ),
    ] = "board"
    correction: CorrectionChoice = "holm"
    """For the number of pairs of the board."""
    failures: Failures = None

    def answer(self, store: Store, progress: Progress | None = None) -> Comparison:
        """Return the comparison: see `study_comparison`."""
        return study_comparison(
            store.counting(self.failures),
            self.a,
            self.b,
            dataset=self.dataset,
            metric=self.metric,
            settings=self.settings,
            clusters=self.clusters,
            correction=self.correction if self.family == "board" else "none",
            progress=progress,
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
    correction: Correction = "none",
    progress: Progress | None = None,
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
        For the number of pairs on the board; "none": what the board says is not asked.
    progress
        Called with (resamples done, of how many) while all pairs of the board are compared.

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
    matrix = read_matrix(store, *chosen, systems=[system_a.uid, system_b.uid])
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
    seeds = _seeds(store, matrix)
    family = None
    if correction != "none":
        try:
            family = board_family(
                store,
                matrix,
                analysis,
                settings=settings,
                clusters=clusters,
                correction=correction,
                progress=progress,
            )
        except StoreError as error:
            notes.append(f"Alone, not among the pairs of its board: {error}")
    first = caution_about(
        analysis, settings, clustered=clustering.groups is None and has_groups(labels)
    )
    told = sentence(
        analysis, settings, system_a.name, system_b.name, matrix.metric, matrix.dataset.label
    )
    if family is not None:
        told = f"{family.sentence} Alone: {told}"
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
            **state_of(store, matrix.dataset.uid),
        ),
        warnings=tuple(
            filter(
                None,
                [
                    *opponents_note(store, matrix.dataset.uid, matrix.metric),
                    *coverage_notes(store, matrix),
                    *notes,
                    *warnings_of(analysis, matrix),
                    *analysis.notes,
                    guarded(analysis.guard) if analysis.guard != Reason.RUNS else "",
                    clustering.note,
                    *about_runs(
                        variance,
                        by_name=settings.test != "auto",
                        has_seeds=any(len(one) > 1 for one in seeds),
                    ),
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
        groups=rows_by_group(matrix, labels, seeds, settings),
        family=family,
        variance=variance,
    )


def _seeds(store: Store, matrix: ScoreMatrix) -> list[FloatArray]:
    """Return each system's trainings, shape (n_seeds, n_items); empty where both have one."""
    if max(matrix.n_vectors) < 2 or matrix.metric.aggregation != "mean":
        return []
    seeds = load_seeds(store, matrix.dataset.uid, matrix.metric.uid, matrix.system_uids)
    return [seeds[uid][:, :, 0] for uid in matrix.system_uids]


def _repeats(store: Store, matrix: ScoreMatrix) -> list[FloatArray]:
    """Return each system's repeats, shape (n_runs, n_items); empty where neither has several."""
    if max(matrix.n_vectors) < 2 or matrix.metric.aggregation != "mean":
        return []
    return [
        load_run_matrix(store, matrix.dataset.uid, matrix.metric.uid, uid).scores[:, :, 0]
        for uid in matrix.system_uids
    ]
