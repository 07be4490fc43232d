"""What every importer returns: the contents of one or more files, free of any database.

An importer is a pure function from files to an `ImportBundle`. It never opens the store; the
store's `ingest` checks the bundle against what is already there and writes it in one transaction.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from store.errors import ImportFormatError
from store.importers.kinds import COMPONENTS as COMPONENTS
from store.importers.kinds import ONE_SCORE as ONE_SCORE
from store.importers.kinds import Aggregation as Aggregation
from store.importers.kinds import AnnotatorKind as AnnotatorKind
from store.importers.kinds import Choice as Choice
from store.importers.kinds import CriterionKind as CriterionKind
from store.importers.kinds import FloatArray as FloatArray
from store.importers.kinds import MetricSource as MetricSource
from store.importers.kinds import OverlapKind as OverlapKind
from store.importers.kinds import ScaleLevel as ScaleLevel
from store.importers.kinds import Sidedness as Sidedness
from store.importers.kinds import Status as Status
from store.importers.kinds import StatusArray as StatusArray
from store.importers.kinds import Unit as Unit
from store.importers.problems import HINT, SkippedRow, in_words


@dataclass(frozen=True, slots=True)
class SourceFile:
    """One file that was read."""

    path: str
    sha256: str


@dataclass(frozen=True, slots=True)
class BundleItem:
    """One item of a dataset."""

    key: str
    """The source's own identifier."""
    group: str | None = None
    """Cluster the item belongs to: document, passage, repository."""
    content_hash: str | None = None
    """SHA-256 (hex) of the item's content, when the source shows it."""
    input_text: str | None = None
    reference_text: str | None = None
    metadata: Mapping[str, Any] | None = None
    """Item properties that the source states: language, domain, difficulty."""


@dataclass(frozen=True, slots=True)
class BundleDataset:
    """A dataset as the source knows it; `items` fixes the order of every vector in the bundle."""

    name: str
    version: str = ""
    items: Sequence[BundleItem] = ()
    task: str | None = None
    language: str | None = None
    domain: str | None = None
    n_items_stated: int | None = None
    """Size the source states for the whole dataset; more than `items` when a part was run."""


@dataclass(frozen=True, slots=True)
class BundleMetric:
    """A metric. `name` and `signature` together identify it."""

    name: str
    signature: str = ""
    higher_is_better: bool | None = None
    """``None``: the source does not say; ingest asks the store, then the table of known metrics,
    then the person."""
    aggregation: Aggregation = "mean"
    unit: str = ""
    lower: float | None = None
    upper: float | None = None
    source: MetricSource = "automatic"
    """Who gives the scores: a program, people, or a model that judges."""


@dataclass(frozen=True, slots=True)
class Provenance:
    """Where a run comes from. Everything is optional; nothing is guessed."""

    evaluated_on: datetime | None = None
    """Aware datetime. See `tz_assumed`."""
    tz_assumed: bool = False
    """True when the source gave no offset and UTC was assumed."""
    seed: int | None = None
    command: str | None = None
    harness: str | None = None
    harness_version: str | None = None
    git_origin: str | None = None
    git_commit: str | None = None
    git_dirty: bool | None = None
    source_url: str | None = None
    packages: Mapping[str, str] | None = None
    config: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True, eq=False)
class BundleScores:
    """The scores of one run on one metric in one trial."""

    metric: int
    """Index into `ImportBundle.metrics`."""
    values: FloatArray
    """Shape (n_items, n_components) in the order of the bundle's dataset; NaN = missing."""
    trial: int = 0


@dataclass(frozen=True, slots=True, eq=False)
class BundleRun:
    """One execution of a system on a dataset."""

    system: str
    dataset: int
    """Index into `ImportBundle.datasets`."""
    label: str = ""
    """Tells several runs of one system on one dataset apart: a seed, a date, a run id."""
    scores: Sequence[BundleScores] = ()
    statuses: Mapping[int, StatusArray] = field(default_factory=dict)
    """Per trial one byte per item (`Status`). A missing trial is derived from the scores:
    an item with any finite score is OK, all others are NOT_ATTEMPTED."""
    outputs: Mapping[int, Sequence[str | None]] = field(default_factory=dict)
    """Per trial the system's output for each item, where the source shows it."""
    complete: bool = True
    """False when the source says that the run did not finish."""
    provenance: Provenance = Provenance()
    rest_failed: bool = False
    """Only successes are listed: every other item of the dataset in the store was tried and failed.
    The run is refused where the store does not have the dataset."""


@dataclass(frozen=True, slots=True)
class BundleReportedScore:
    """An aggregate that a file or a paper states."""

    system: str
    dataset: int
    metric: int
    value: float
    stderr: float | None = None
    n_items: int | None = None
    reported_on: datetime | None = None
    source: str = ""
    """Citation a reader can follow, such as ``"Dror et al. 2017, Table 3"``."""
    source_url: str | None = None
    printed: str = ""
    """The cell as it stands in the source."""
    run: int | None = None
    """Index into `ImportBundle.runs` when the aggregate belongs to a run in the same bundle;
    it is then compared with the value recomputed from the items."""


@dataclass(frozen=True, slots=True)
class BundleReportedComparison:
    """A p-value that a file or a paper states for system A against system B on a dataset."""

    system_a: str
    system_b: str
    dataset: int
    metric: int
    pvalue: float
    test: str = ""
    """Name of the test as the source gives it."""
    sidedness: Sidedness = "unstated"
    source: str = ""
    source_url: str | None = None
    printed: str = ""


@dataclass(frozen=True, slots=True)
class BundleCriterion:
    """What annotators judged on a dataset, and on which scale."""

    name: str
    dataset: int
    """Index into `ImportBundle.datasets`."""
    kind: CriterionKind = "rating"
    """"error-spans": a rating is the sum of the weights of the errors that were marked."""
    level: ScaleLevel = "interval"
    """What the values of ratings mean; "nominal" values are positions in `labels`."""
    higher_is_better: bool = True
    lower: float | None = None
    upper: float | None = None
    labels: Sequence[str] = ()
    """Names of the values of a nominal scale."""
    weights: Mapping[str, float] | None = None
    """Of errors: severity, or ``"severity category-prefix"``, to its weight; the longest that
    fits counts, and an error that none fits is refused."""
    question: str = ""
    """What the annotators were asked, as the source states it."""


@dataclass(frozen=True, slots=True)
class BundleErrorSpan:
    """One error that an annotator marked in an output."""

    severity: str
    category: str = ""
    start: int | None = None
    """Of the marked text, in characters of the output; ``None`` where the source does not say."""
    end: int | None = None
    text: str = ""
    """The marked text."""
    in_source: bool = False
    """Whether the input is marked and not the output."""
    note: str = ""


@dataclass(frozen=True, slots=True)
class BundleRating:
    """One annotator's value for the output of a system on an item, or for the item itself."""

    criterion: int
    """Index into `ImportBundle.criteria`."""
    annotator: str
    item: int
    """Index into the items of the criterion's dataset."""
    system: str | None
    """``None``: the item itself was judged, as in labelling."""
    value: float
    """On the scale of the criterion. Error spans: ignored, the weights give it."""
    replicate: int = 0
    """Tells several ratings of the same by the same annotator apart."""
    judged_at: datetime | None = None
    spans: Sequence[BundleErrorSpan] = ()
    """Errors that were marked; none means that the output was judged to have none."""
    line: int | None = field(default=None, compare=False)
    """Where it stands in the file, for messages."""


@dataclass(frozen=True, slots=True)
class BundlePreference:
    """One annotator's choice between the outputs of two systems on an item."""

    criterion: int
    annotator: str
    item: int
    first: str
    """System whose output was shown first, where `order_known`."""
    second: str
    choice: Choice
    strength: float | None = None
    """Probability that the second is better, where the annotator gives one."""
    order_known: bool = False
    """Whether `first` was really shown first; else the order says nothing."""
    first_length: int | None = None
    """Characters of the output, where the source shows them."""
    second_length: int | None = None
    replicate: int = 0
    judged_at: datetime | None = None
    line: int | None = field(default=None, compare=False)
    """Where it stands in the file, for messages."""


@dataclass(frozen=True, slots=True)
class BundleOverlap:
    """What is declared of the items of two datasets: how they overlap, or that they do not."""

    dataset_a: str
    dataset_b: str
    kind: OverlapKind = "shared-items"
    note: str = ""


@dataclass(frozen=True, slots=True)
class Guess:
    """What an importer took for granted, so that a person can see it and say otherwise."""

    subject: str
    """What it is about, such as ``"metric acc: direction"`` or ``"dataset"``."""
    value: str
    """What was taken, such as ``"higher"``."""
    because: str
    """What it rests on, such as ``"its name"`` or ``"the name of the folder"``."""


@dataclass(frozen=True, slots=True)
class Question:
    """What only a person can say; the guess is taken until somebody does."""

    subject: str
    """What is asked, as in `Guess.subject`: the answer is remembered under it."""
    guess: str
    """The choice that is taken without an answer."""
    choices: Sequence[str] = ()
    """What may be answered; empty: any text."""
    because: str = ""
    """Why it is asked and what the guess rests on."""


@dataclass(frozen=True, slots=True)
class PathNames:
    """What the path of a file says, seen beside the paths of the files of its kind."""

    system: str | None
    dataset: str | None
    run_label: str
    """Tells repeats apart, as ``seed=3``; empty where there are none."""
    seed: int | None
    because: str
    questions: Sequence[Question] = ()


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A file, or a part of one, that brings nothing, and why that is no fault."""

    path: str
    reason: str


@dataclass(frozen=True, slots=True, eq=False)
class ImportBundle:
    """Everything that one import brings."""

    format: str
    files: Sequence[SourceFile] = ()
    datasets: Sequence[BundleDataset] = ()
    metrics: Sequence[BundleMetric] = ()
    runs: Sequence[BundleRun] = ()
    reported_scores: Sequence[BundleReportedScore] = ()
    reported_comparisons: Sequence[BundleReportedComparison] = ()
    criteria: Sequence[BundleCriterion] = ()
    annotators: Mapping[str, AnnotatorKind] = field(default_factory=dict)
    """Who judged, by name; an annotator of the judgments who is not named here is human."""
    ratings: Sequence[BundleRating] = ()
    preferences: Sequence[BundlePreference] = ()
    overlaps: Sequence[BundleOverlap] = ()
    identities: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """System -> its model, revision, adapter, precision, back-end and prompt, where stated."""
    aliases: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """Other spellings of a system's name."""
    skipped: Sequence[SkippedRow] = ()
    understood: Sequence[str] = ()
    """What the importer made of the file, one plain sentence each."""
    warnings: Sequence[str] = ()
    guesses: Sequence[Guess] = ()
    """What was taken for granted; taken without being asked, named in the plan and the report."""
    questions: Sequence[Question] = ()
    """What a person should say; `ReadOptions.answers` has what was said, by subject."""
    left_out: Sequence[LeftOut] = ()
    """Files of the group without results, such as a configuration beside a log."""
    said: Mapping[str, str] = field(default_factory=dict)
    """What flags say of the columns of its tables, as answers for later tables of this shape."""


@dataclass(frozen=True, slots=True)
class ReadOptions:
    """What a person may say about a file before it is read. Every importer takes this."""

    system: str | None = None
    dataset: str | None = None
    dataset_version: str | None = None
    metric: str | None = None
    higher_is_better: bool | None = None
    directions: Mapping[str, bool] = field(default_factory=dict)
    """Metric -> whether higher is better, as ``--direction NAME=lower`` says."""
    run_label: str | None = None
    date: datetime | None = None
    columns: Mapping[str, str] = field(default_factory=dict)
    """Role -> column name, such as ``{"item": "question_id", "score": "acc"}``."""
    layout: str | None = None
    """Pattern of wide column names, such as ``"{system}_{metric}"``."""
    choices: Mapping[str, str] = field(default_factory=dict)
    """What a format lets a person choose (``--option NAME=VALUE``), such as
    ``{"punctuation": "keep"}``; each importer says which names it knows."""
    answers: Mapping[str, str] = field(default_factory=dict)
    """What a person said to the questions of an importer: `Question.subject` to the choice."""
    names: Mapping[Path, PathNames] = field(default_factory=dict)
    """What the paths of the files of one import say of those that name no system."""
    recipes: Path | None = None
    """Folder of recipes that hold for every file, beside the store."""
    gold: Path | None = None
    """File with what is right, for predictions that are scored (``--gold``)."""
    score: Sequence[str] = ()
    """Metrics that are computed from predictions (``--score``); empty: those that fit them."""
    lenient: bool = False
    with_text: bool = False


_MOST_PROBLEMS = 100_000
"""After which a strict import reads no further."""


class RowProblems:
    """Collects what is wrong with the rows of a file.

    Strict: `raise_if_any` raises one error that tells all of them, those of one kind together.
    Lenient: the problems become the bundle's `skipped` rows.
    """

    def __init__(self, lenient: bool) -> None:
        self._lenient = lenient
        self._rows: list[SkippedRow] = []

    def report(self, path: str, line: int | None, field: str | None, reason: str) -> None:
        """Note that a row cannot be used."""
        self._rows.append(SkippedRow(path, line, field, reason))
        if len(self._rows) >= _MOST_PROBLEMS and not self._lenient:
            self.raise_if_any()

    def raise_if_any(self) -> tuple[SkippedRow, ...]:
        """Return the skipped rows, or raise `ImportFormatError` when the import is strict."""
        order = {path: i for i, path in enumerate(dict.fromkeys(row.path for row in self._rows))}
        rows = sorted(self._rows, key=lambda row: (order[row.path], row.line or math.inf))
        if rows and not self._lenient:
            first, told = rows[0], in_words(rows)
            if len(self._rows) >= _MOST_PROBLEMS:
                told += " Reading stopped there."
            hint = ("\n" if "\n" in told else " ") + HINT
            raise ImportFormatError(
                told + hint, path=first.path, line=first.line, field=first.field
            )
        return tuple(rows)
