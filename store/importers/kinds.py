"""The words that importers and the store have in common: aggregations, units, kinds, statuses.

Apart from the bundle, since opening a store needs these and nothing else of the importers.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import IntEnum
from typing import TYPE_CHECKING, Literal, TypeAlias

if TYPE_CHECKING:  # a list of names needs no arrays
    import numpy as np
    import numpy.typing as npt

FloatArray: TypeAlias = "npt.NDArray[np.float64]"
StatusArray: TypeAlias = "npt.NDArray[np.uint8]"

Aggregation = Literal["mean", "median", "ratio", "f1", "bleu", "chrf", "pearson", "spearman"]
"""How per-item values become the metric's value over a dataset."""

COMPONENTS: Mapping[Aggregation, tuple[str, ...]] = {
    "mean": ("score",),
    "median": ("score",),
    "ratio": ("numerator", "denominator"),
    "f1": ("tp", "fp", "fn"),
    "bleu": (
        "sys_len", "ref_len", "correct_1", "correct_2", "correct_3", "correct_4",
        "total_1", "total_2", "total_3", "total_4",
    ),
    "chrf": (
        "hyp_1", "ref_1", "match_1", "hyp_2", "ref_2", "match_2", "hyp_3", "ref_3", "match_3",
        "hyp_4", "ref_4", "match_4", "hyp_5", "ref_5", "match_5", "hyp_6", "ref_6", "match_6",
    ),
    "pearson": ("prediction", "gold"),
    "spearman": ("prediction", "gold"),
}  # fmt: skip
"""The columns of a score vector for each aggregation, in order. Those of BLEU and chrF are the
counts that sacrebleu keeps for a sentence."""

ONE_SCORE: frozenset[Aggregation] = frozenset({"mean", "median"})
"""Aggregations whose single column is the item's own score, so that its bounds can be checked."""

Unit = Literal["", "proportion", "percent", "points"]
Sidedness = Literal["two-sided", "greater", "less", "unstated"]
OverlapKind = Literal["shared-items", "contains", "transform", "independent"]
"""What can be declared of two datasets; "independent" is that they share no item."""
CriterionKind = Literal["rating", "preference", "error-spans"]
ScaleLevel = Literal["nominal", "ordinal", "interval"]
AnnotatorKind = Literal["human", "model"]
MetricKind = Literal["", "right-wrong", "rating", "bounded", "unbounded", "count", "time", "money"]
"""What the values of a metric are; empty where nobody has said."""
RepeatKind = Literal["samples", "seeds"]
"""What the trials of a run are: answers that one system drew again, or trainings of it."""
MetricSource = Literal["automatic", "human", "model"]
Choice = Literal["first", "second", "tie"]


class Status(IntEnum):
    """The outcome of an attempt at an item (one byte per item and trial)."""

    OK = 0
    """The system answered. A NaN score under this outcome means: answered, but not scored."""
    NOT_ATTEMPTED = 1
    """The run did not include the item."""
    ERROR = 2
    """The system or the harness failed on the item: it crashed, and nobody says how."""
    SCORED_BY_RULE = 3
    """Nobody looked at an answer; a stated rule gave the score (absent counts as failure)."""
    UNSCORED = 4
    """The system answered, and its answer could not be scored."""
    JUDGE_FAILED = 5
    """The system answered, and whoever was to judge failed."""
    TIMED_OUT = 6
    """The system did not answer within its time."""


COUNTED: Mapping[Status, str] = {
    Status.ERROR: "n_error",
    Status.NOT_ATTEMPTED: "n_not_attempted",
    Status.SCORED_BY_RULE: "n_by_rule",
    Status.UNSCORED: "n_unscored",
    Status.JUDGE_FAILED: "n_judge_failed",
    Status.TIMED_OUT: "n_timed_out",
}
"""Outcome -> the field that counts it, of a run's trial."""
OUTCOME_WORDS: Mapping[Status, str] = {
    Status.OK: "answered",
    Status.NOT_ATTEMPTED: "never ran",
    Status.ERROR: "crashed",
    Status.SCORED_BY_RULE: "wrong by rule",
    Status.UNSCORED: "unscored",
    Status.JUDGE_FAILED: "judge failed",
    Status.TIMED_OUT: "timed out",
}
FAILED = (Status.ERROR, Status.UNSCORED, Status.JUDGE_FAILED, Status.TIMED_OUT)
"""Outcomes of attempts that gave no answer to score."""
