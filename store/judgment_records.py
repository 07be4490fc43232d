"""Judgments as queries hand them out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

import numpy as np
import numpy.typing as npt

from store.importers.kinds import AnnotatorKind, Choice, CriterionKind, FloatArray, ScaleLevel
from store.records import Record

IntArray = npt.NDArray[np.int64]
ChoiceArray = npt.NDArray[np.int8]
BoolArray = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class CriterionRecord(Record):
    """What annotators judged on a dataset, on which scale, and how much the store holds of it."""

    uid: str
    name: str
    dataset: str
    """The label: name, and version where there is one."""
    dataset_uid: str
    kind: CriterionKind
    level: ScaleLevel
    higher_is_better: bool
    """Never for marked errors: their weights are penalties."""
    lower: float | None
    upper: float | None
    labels: tuple[str, ...]
    """Names of the values 0, 1, … of a nominal scale."""
    weights: dict[str, float] | None
    """Of errors: severity, or severity and category, to its weight."""
    question: str
    n_annotators: int
    n_judgments: int
    """Ratings and preferences, replicates counted, of living systems."""
    n_items: int
    """Items that were judged."""
    n_systems: int
    """0 where the items themselves were judged."""


@dataclass(frozen=True, slots=True)
class AnnotatorRecord(Record):
    """Who judged on a dataset, and how much."""

    uid: str
    name: str
    kind: AnnotatorKind
    dataset: str
    """The label: name, and version where there is one."""
    dataset_uid: str
    n_ratings: int
    n_preferences: int
    n_items: int


@dataclass(frozen=True, slots=True, eq=False)
class Ratings:
    """All ratings on a criterion, column by column; all arrays have shape (n_ratings,).

    They are in the order of item, system, annotator and replicate. The arrays are read-only.
    """

    criterion: CriterionRecord
    annotators: tuple[AnnotatorRecord, ...]
    """Those who rated on this criterion, by name."""
    systems: tuple[str, ...]
    """Those that were rated, by name as the rows of `store.arrays.load_matrix`."""
    system_uids: tuple[str, ...]
    item_keys: tuple[str, ...]
    """All items of the dataset in order, judged or not."""
    annotator: IntArray
    """Index into `annotators`."""
    item: IntArray
    """Index into `item_keys`."""
    system: IntArray
    """Index into `systems`; -1 = the item itself."""
    replicate: IntArray
    value: FloatArray
    """On the criterion's own scale; NaN = looked at, and no value given."""


@dataclass(frozen=True, slots=True, eq=False)
class Preferences:
    """All preferences on a criterion, column by column; all arrays have shape (n_preferences,).

    They are in the order of item, first and second system, annotator and replicate. The arrays are
    read-only.
    """

    criterion: CriterionRecord
    annotators: tuple[AnnotatorRecord, ...]
    """Those who compared on this criterion, by name."""
    systems: tuple[str, ...]
    """Those that were compared, by name as the rows of `store.arrays.load_matrix`."""
    system_uids: tuple[str, ...]
    item_keys: tuple[str, ...]
    """All items of the dataset in order, judged or not."""
    annotator: IntArray
    """Index into `annotators`."""
    item: IntArray
    """Index into `item_keys`."""
    first: IntArray
    """Index into `systems`."""
    second: IntArray
    """Index into `systems`."""
    replicate: IntArray
    choice: ChoiceArray
    """1 = the first, -1 = the second, 0 = tie."""
    strength: FloatArray
    """Probability that the second is better; NaN where the annotator gave none."""
    order_known: BoolArray
    """Whether the first was really shown first."""
    first_length: FloatArray
    """Characters of the output; NaN where the source does not show them."""
    second_length: FloatArray


@dataclass(frozen=True, slots=True)
class SpanRecord(Record):
    """One error that an annotator marked."""

    severity: str
    category: str
    start: int | None
    end: int | None
    text: str
    in_source: bool
    note: str
    weight: float | None
    """As the criterion weighs it; ``None`` where it weighs no errors."""


@dataclass(frozen=True, slots=True)
class ItemRating(Record):
    """One rating on an item."""

    criterion: str
    annotator: str
    annotator_kind: AnnotatorKind
    system: str | None
    """``None``: the item itself was judged."""
    value: float
    """NaN: looked at, and no value given."""
    label: str
    """Name of the value where the scale has names, else empty."""
    replicate: int
    judged_at: datetime | None
    spans: tuple[SpanRecord, ...]


@dataclass(frozen=True, slots=True)
class ItemPreference(Record):
    """One preference on an item."""

    criterion: str
    annotator: str
    annotator_kind: AnnotatorKind
    first: str
    second: str
    choice: Choice
    strength: float | None
    order_known: bool
    replicate: int
    judged_at: datetime | None


@dataclass(frozen=True, slots=True)
class ItemJudgments(Record):
    """Everything that was judged on one item."""

    item_key: str
    ratings: tuple[ItemRating, ...]
    preferences: tuple[ItemPreference, ...]


Weights = Mapping[str, float]
"""Severity, or ``"severity category-prefix"``, to the weight of such an error."""
