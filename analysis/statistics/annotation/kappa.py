"""Agreement corrected for chance between two annotators (Cohen) and between many (Fleiss)."""

import math
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from analysis.statistics._typing import FloatArray, Seed
from analysis.statistics.annotation.judged import (
    Groups,
    IntArray,
    Statistic,
    as_judgments,
    as_labels,
    co_judged,
    group_codes,
    percentile_interval,
    resampled,
    sums_by_group,
)
from analysis.statistics.intervals.interval import Interval
from analysis.statistics.results import Result
from analysis.statistics.signature import build_signature
from analysis.statistics.validation import as_choice, as_count, as_level, as_seed

KappaWeights: TypeAlias = Literal["none", "linear", "quadratic"]

KappaSpacing: TypeAlias = Literal["ranks", "values"]

KAPPA_WEIGHTS: Final[tuple[KappaWeights, ...]] = ("none", "linear", "quadratic")
KAPPA_SPACINGS: Final[tuple[KappaSpacing, ...]] = ("ranks", "values")
_CELLS_AT_ONCE = 1 << 22
_MOST_SUMS = 1 << 24
_NONE_EXPECTED = 1e-12


@dataclass(frozen=True, slots=True, eq=False)
class ChanceCorrected(Result):
    """An agreement with what chance would give taken out: (observed - expected) / (1 - expected).

    Attributes
    ----------
    coefficient : str
        "cohen", "fleiss", or "alpha" with its level.
    value : float
        1 for perfect agreement, 0 for that of chance; NaN where there is nothing to compare, and
        where all judgments have one value: chance would agree as well.
    interval : Interval
        Units, or groups of them, drawn anew; the annotators are taken as they are.
    observed, expected : float
        Agreement, and that of chance. For "alpha" 1 less the disagreements on the scale of the
        expected one, so that `expected` is 0.
    n_annotators, n_units, n_judgments : int
        That count: of units with at least two judgments.
    n_pairs : int
        Pairs of annotators whose values were averaged; 1 for one value of all.
    n_undefined : int
        Pairs left out of the mean because chance would agree as well.
    n_values : int
        Distinct values.
    seed, n_resamples : int
    """

    coefficient: str
    value: float
    interval: Interval
    observed: float
    expected: float
    n_annotators: int
    n_units: int
    n_judgments: int
    n_pairs: int
    n_undefined: int
    n_values: int
    seed: int
    n_resamples: int

    @property
    def signature(self) -> str:
        """One line from which the coefficient can be computed again."""
        return build_signature(
            self.coefficient,
            units=self.n_units,
            annotators=self.n_annotators,
            conf=self.interval.confidence_level,
            n_resamples=self.n_resamples,
            seed=self.seed,
        )


def cohen_kappa(
    judgments: npt.ArrayLike,
    *,
    weights: KappaWeights = "none",
    spacing: KappaSpacing = "ranks",
    groups: Groups = None,
    confidence_level: float = 0.95,
    n_resamples: int = 1_999,
    rng: Seed = 0,
) -> ChanceCorrected:
    """Return Cohen's kappa of two annotators, or its mean over all pairs of several.

    Parameters
    ----------
    judgments : array_like, shape (n_annotators, n_units)
        NaN = not judged; a pair is compared on what both judged.
    weights : {"none", "linear", "quadratic"}
        Disagreement by distance of the values, or by its square.
    spacing : {"ranks", "values"}
        Where distances come from: from the ordered list of all values that occur, one step each,
        or from the values themselves, as on a scale from 1 to 5 on which nobody gave a 3.
    groups : sequence, shape (n_units,), optional
        Units that are drawn together.
    confidence_level, n_resamples, rng
        Of the bootstrap interval. It is left out (NaN) where the tables of all pairs and groups
        would take more than 16 million numbers.

    Raises
    ------
    TypeError, ValueError
        If judgments are no finite numbers or not 2-D, or settings are out of range.

    References
    ----------
    Cohen (1960), A coefficient of agreement for nominal scales; Cohen (1968), Weighted kappa.

    Examples
    --------
    >>> round(cohen_kappa([[1, 1, 0, 0, 1], [1, 0, 0, 0, 1]]).value, 4)
    0.6154
    """
    judged = as_judgments(judgments)
    as_choice(weights, "weights", KAPPA_WEIGHTS)
    as_choice(spacing, "spacing", KAPPA_SPACINGS)
    level = as_level(confidence_level, name="confidence_level")
    resamples, seed = as_count(n_resamples, "n_resamples"), as_seed(rng)
    codes, labels = group_codes(groups, judged.shape[1]), as_labels(judged)
    n_values = max(1, labels.values.size)
    shared = co_judged(labels_as_floats(labels.codes))
    n_pairs = len(shared.first)
    cell = (shared.pair * n_values + shared.a.astype(np.int64)) * n_values
    cell += shared.b.astype(np.int64)
    places = labels.values if spacing == "values" else np.arange(labels.values.size)
    distance = _distances(places, weights)
    tables = np.bincount(cell, minlength=n_pairs * n_values**2).astype(np.float64)
    observed, expected = _agreements(tables.reshape(n_pairs, n_values, n_values), distance)
    kappas = _corrected(observed, expected)
    defined = ~np.isnan(kappas)
    value = float(kappas[defined].mean()) if defined.any() else math.nan
    drawn, n_groups = np.empty(0), np.unique(codes[shared.unit]).size
    if n_groups > 1 and n_groups * n_pairs * n_values**2 <= _MOST_SUMS:
        statistic = _mean_kappa(codes, shared.unit, cell, n_pairs, distance)
        drawn = resampled(statistic, int(codes.max()) + 1, resamples, seed)
    counted = np.unique(shared.unit)
    return ChanceCorrected(
        coefficient="cohen" if weights == "none" else f"cohen-{weights}",
        value=value,
        interval=percentile_interval(drawn, value, n_groups, level),
        observed=float(observed.mean()) if n_pairs else math.nan,
        expected=float(expected.mean()) if n_pairs else math.nan,
        n_annotators=np.unique(np.concatenate([shared.first, shared.second])).size,
        n_units=counted.size,
        n_judgments=int(np.count_nonzero(~np.isnan(judged[:, counted]))),
        n_pairs=n_pairs,
        n_undefined=int(n_pairs - np.count_nonzero(defined)),
        n_values=labels.values.size,
        seed=seed,
        n_resamples=resamples,
    )


def fleiss_kappa(
    judgments: npt.ArrayLike,
    *,
    groups: Groups = None,
    confidence_level: float = 0.95,
    n_resamples: int = 1_999,
    rng: Seed = 0,
) -> ChanceCorrected:
    """Return Fleiss' kappa of many annotators' labels.

    Parameters
    ----------
    judgments : array_like, shape (n_annotators, n_units)
        NaN = not judged. Units with fewer than two judgments do not count; where the numbers of
        judgments differ, units count the same and judgments make up the shares of chance.
    groups, confidence_level, n_resamples, rng
        As for `cohen_kappa`.

    References
    ----------
    Fleiss (1971), Measuring nominal scale agreement among many raters.

    Examples
    --------
    >>> found = fleiss_kappa([[0, 0, 1, 1], [0, 1, 1, 1], [0, 0, 1, 0]])
    >>> round(found.value, 4), round(found.expected, 4)
    (0.3333, 0.5)
    """
    judged = as_judgments(judgments)
    level = as_level(confidence_level, name="confidence_level")
    resamples, seed = as_count(n_resamples, "n_resamples"), as_seed(rng)
    counts = label_counts(as_labels(judged).codes)
    codes = group_codes(groups, judged.shape[1])
    judges = counts.sum(axis=1)
    counted = judges > 1
    counts, codes, judges = counts[counted], codes[counted], judges[counted]
    codes = np.unique(codes, return_inverse=True)[1].reshape(-1)
    n_groups = int(codes.max(initial=-1)) + 1
    agreed = ((counts**2).sum(axis=1) - judges) / (judges * (judges - 1))
    columns = np.column_stack([np.ones(len(judges)), agreed, counts])
    sums = np.zeros((n_groups, columns.shape[1]))
    np.add.at(sums, codes, columns)

    def parts(totals: FloatArray) -> tuple[FloatArray, FloatArray]:
        with np.errstate(invalid="ignore"):
            observed = totals[:, 1] / totals[:, 0]
            shares = totals[:, 2:] / totals[:, 2:].sum(axis=1, keepdims=True)
        return observed, (shares**2).sum(axis=1)

    observed, expected = parts(sums.sum(axis=0, keepdims=True))
    value = float(_corrected(observed, expected)[0])
    drawn = np.empty(0)
    if n_groups > 1:
        drawn = resampled(lambda rows: _corrected(*parts(rows @ sums)), n_groups, resamples, seed)
    return ChanceCorrected(
        coefficient="fleiss",
        value=value,
        interval=percentile_interval(drawn, value, n_groups, level),
        observed=float(observed[0]),
        expected=float(expected[0]) if len(judges) else math.nan,
        n_annotators=int(np.count_nonzero((~np.isnan(judged[:, counted])).any(axis=1))),
        n_units=len(judges),
        n_judgments=int(judges.sum()),
        n_pairs=1,
        n_undefined=0,
        n_values=int(np.count_nonzero(counts.sum(axis=0))),
        seed=seed,
        n_resamples=resamples,
    )


def labels_as_floats(codes: IntArray) -> FloatArray:
    """Return codes with NaN where not judged."""
    return np.where(codes < 0, np.nan, codes.astype(np.float64))


def label_counts(codes: IntArray) -> FloatArray:
    """Return how often each unit has each label, shape (n_units, n_labels)."""
    n_labels, n_units = max(1, int(codes.max(initial=-1)) + 1), codes.shape[1]
    unit, label = np.broadcast_to(np.arange(n_units), codes.shape)[codes >= 0], codes[codes >= 0]
    counts = np.bincount(unit * n_labels + label, minlength=n_units * n_labels)
    return counts.reshape(n_units, n_labels).astype(np.float64)


def _distances(places: npt.ArrayLike, weights: KappaWeights) -> FloatArray:
    """Return the agreement between values at these places, 1 on the diagonal, 0 between ends."""
    at = np.asarray(places, dtype=np.float64)
    if weights == "none" or at.size < 2:
        return np.eye(max(1, at.size))
    apart = np.abs(np.subtract.outer(at, at))
    apart /= apart.max()
    return np.asarray(1 - (apart if weights == "linear" else apart**2))


def _agreements(tables: FloatArray, agreement: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return observed and expected agreement of tables of counts, shape (..., values, values)."""
    totals = tables.sum(axis=(-2, -1))
    with np.errstate(invalid="ignore"):
        observed = np.einsum("...vw,vw->...", tables, agreement) / totals
        rows, columns = tables.sum(axis=-1), tables.sum(axis=-2)
        expected = np.einsum("...v,vw,...w->...", rows, agreement, columns) / totals**2
    return observed, expected


def _corrected(observed: FloatArray, expected: FloatArray) -> FloatArray:
    kappa = np.full(np.shape(observed), np.nan)
    usable = 1 - expected > _NONE_EXPECTED
    np.divide(observed - expected, 1 - expected, out=kappa, where=usable)
    return kappa


def _mean_kappa(
    groups: IntArray, unit: IntArray, cell: IntArray, n_pairs: int, agreement: FloatArray
) -> Statistic:
    """Return the mean kappa over pairs as a function of how often groups are drawn."""
    n_values = len(agreement)
    per_pair = n_values**2
    padded, cells = np.append(groups[unit], groups.max()), np.append(cell, 0)
    weight = np.append(np.ones(cell.size), 0.0)
    sums = sums_by_group(padded, cells, weight, n_pairs * per_pair).T.tocsr()

    def mean(counts: FloatArray) -> FloatArray:
        total, defined = np.zeros(len(counts)), np.zeros(len(counts))
        step = max(1, _CELLS_AT_ONCE // (per_pair * len(counts)))
        for start in range(0, n_pairs, step):
            rows = sums[start * per_pair : (start + step) * per_pair] @ counts.T
            tables = rows.T.reshape(len(counts), -1, n_values, n_values)
            kappas = _corrected(*_agreements(tables, agreement))
            total += np.where(np.isnan(kappas), 0.0, kappas).sum(axis=1)
            defined += np.count_nonzero(~np.isnan(kappas), axis=1)
        out = np.full(len(counts), np.nan)
        np.divide(total, defined, out=out, where=defined > 0)
        return out

    return mean
