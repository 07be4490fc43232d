"""One value per unit from several annotators' values."""

from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from analysis.statistics._typing import FloatArray, IntArray, Seed
from analysis.statistics.annotation.both_ways import mace_both_ways
from analysis.statistics.annotation.judged import as_judgments, as_labels
from analysis.statistics.annotation.kappa import label_counts
from analysis.statistics.annotation.mace import Mace, MaceMethod, mace
from analysis.statistics.results import Result, read_only
from analysis.statistics.signature import build_signature
from analysis.statistics.standard_error import exact_mean, exact_std
from analysis.statistics.validation import as_choice, as_floats

ConsensusRule: TypeAlias = Literal["mean", "median", "majority", "z-score", "mace", "mace-em"]

CONSENSUS_RULES: Final[tuple[ConsensusRule, ...]] = (
    "mean",
    "median",
    "majority",
    "z-score",
    "mace",
    "mace-em",
)
_SAME = 1e-12


@dataclass(frozen=True, slots=True, eq=False)
class Consensus(Result):
    """One value per unit.

    Attributes
    ----------
    values : ndarray, shape (n_units,)
        NaN where nobody judged, or the rule leaves it open.
    rule : str
    n_undecided : int
        Units that were judged and have no value: several labels are equally common, or the label
        is too uncertain.
    n_left_out : ndarray of int, shape (n_annotators,)
        Judgments that the rule cannot use: those of an annotator without spread, for "z-score".
    model : Mace or None
        For "mace" and "mace-em".
    """

    values: FloatArray
    rule: ConsensusRule
    n_undecided: int
    n_left_out: IntArray
    model: Mace | None

    @property
    def signature(self) -> str:
        """One line from which the values can be computed again."""
        if self.model is not None:
            return self.model.signature
        return build_signature(
            "consensus", rule=self.rule, units=len(self.values), annotators=len(self.n_left_out)
        )


def consensus(
    judgments: npt.ArrayLike,
    *,
    rule: ConsensusRule = "mean",
    tie_value: float | None = None,
    turned: bool = False,
    controls: npt.ArrayLike | None = None,
    threshold: float = 1.0,
    rng: Seed = 0,
) -> Consensus:
    """Return one value per unit.

    Parameters
    ----------
    judgments : array_like, shape (n_annotators, n_units)
        NaN = not judged.
    rule : {"mean", "median", "majority", "z-score", "mace", "mace-em"}
        "majority": the commonest value. "z-score": every annotator's values less their mean, over
        their standard deviation (with n - 1), then the mean; an annotator whose values are all
        the same says nothing and is left out. "mace": the likeliest label under `mace`, by
        variational Bayes or maximum likelihood.
    tie_value : float, optional
        What "majority" gives where several values are equally common: 0 for choices between two
        systems, which then tie. By default none (NaN).
    turned : bool
        Values are choices 1, 0 and -1 between outputs of more than two systems: "mace" takes them
        both ways, see `mace_both_ways`. Other rules do not ask which comes first.
    controls : array_like, shape (n_units,), optional
        Known labels for "mace"; NaN = not known.
    threshold : float
        For "mace": the share of units that keep their label, the least uncertain ones.
    rng : int, Generator or None
        Seed, for "mace".

    Raises
    ------
    TypeError, ValueError
        If judgments are no finite numbers or not 2-D, the rule is unknown or does not take
        `controls` or `threshold`, or one of these is wrong.

    Examples
    --------
    >>> consensus([[1, 0, 5], [1, 4, 2], [0, 5, 2]], rule="majority").values.tolist()
    [1.0, nan, 2.0]
    """
    judged = as_judgments(judgments)
    as_choice(rule, "rule", CONSENSUS_RULES)
    if not rule.startswith("mace") and (controls is not None or threshold != 1):
        raise ValueError(f"`controls` and `threshold` are for 'mace', not for '{rule}'.")
    left_out = np.zeros(len(judged), dtype=np.int64)
    model = None
    if rule == "z-score":
        judged, left_out = z_scores(judged)
    if rule in ("mean", "z-score"):
        values = _mean(judged)
    elif rule == "median":
        values = _median(judged)
    elif rule == "majority":
        values = _majority(judged, np.nan if tie_value is None else float(tie_value))
    else:
        method: MaceMethod = "em" if rule == "mace-em" else "vb"
        if turned:
            known = None if controls is None else as_floats(controls, "controls")
            model = mace_both_ways(judged, method=method, controls=known, rng=rng)
        else:
            model = mace(judged, method=method, controls=controls, rng=rng)
        values = np.where(model.certain(threshold), model.labels, np.nan)
    any_judgment = np.any(~np.isnan(judged), axis=0)
    return Consensus(
        values=read_only(values),
        rule=rule,
        n_undecided=int(np.count_nonzero(any_judgment & np.isnan(values))),
        n_left_out=read_only(left_out),
        model=model,
    )


def z_scores(judged: FloatArray) -> tuple[FloatArray, IntArray]:
    """Return values as distances from their annotator's mean in his standard deviations.

    Annotators with one value, or with equal ones, get NaN; the second result counts theirs.
    """
    scaled = np.full_like(judged, np.nan)
    left_out = np.zeros(len(judged), dtype=np.int64)
    for row, own in enumerate(judged):
        present = ~np.isnan(own)
        spread = exact_std(own[present])
        if spread > _SAME * max(1.0, float(np.max(np.abs(own[present]), initial=0.0))):
            scaled[row, present] = (own[present] - exact_mean(own[present])) / spread
        else:
            left_out[row] = np.count_nonzero(present)
    return scaled, left_out


def _mean(judged: FloatArray) -> FloatArray:
    n = np.count_nonzero(~np.isnan(judged), axis=0)
    # Sorted, so that the mean does not depend on the order of annotators.
    total = np.sort(np.where(np.isnan(judged), 0.0, judged), axis=0).sum(axis=0)
    mean = np.full(judged.shape[1], np.nan)
    np.divide(total, n, out=mean, where=n > 0)
    return mean


def _median(judged: FloatArray) -> FloatArray:
    median = np.full(judged.shape[1], np.nan)
    known = np.any(~np.isnan(judged), axis=0)
    if known.any():
        median[known] = np.nanmedian(judged[:, known], axis=0)
    return median


def _majority(judged: FloatArray, tie_value: float) -> FloatArray:
    labels = as_labels(judged)
    majority = np.full(judged.shape[1], np.nan)
    if not labels.values.size:
        return majority
    counts = label_counts(labels.codes)
    most = counts.max(axis=1, keepdims=True)
    n_top = np.count_nonzero(counts == most, axis=1)
    known = most[:, 0] > 0
    majority[known] = labels.values[np.argmax(counts, axis=1)][known]
    majority[known & (n_top > 1)] = tie_value
    return majority
