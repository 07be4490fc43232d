"""On what share of items two systems are both right or both wrong: possible, expected, observed.

The power of a paired comparison of accuracies depends on it as much as on the gap: items on which
the systems agree say nothing.
"""

import math
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from analysis.statistics._typing import FloatArray, IntArray
from analysis.statistics.planning.arguments import as_finite, as_share
from analysis.statistics.results import Result, read_only
from analysis.statistics.signature import build_signature
from analysis.statistics.validation import as_choice, as_floats

AGREEMENT_BOUNDS = ("least", "middle", "most")
SLACK: Final = 1e-12
"""Shares are sums of decimals: 1 - 0.9 is a little below 0.1."""
_COEFFICIENTS = 3


@dataclass(frozen=True, slots=True, eq=False)
class AgreementRange(Result):
    """What agreement two systems of known accuracies can have.

    Attributes
    ----------
    baseline, gap : float
        Accuracy of the one, and by how much the other's is higher.
    least, middle, most : float
        Least where the systems err on different items as far as possible, most where the items
        of the worse are all among those of the better; `middle` is halfway.
    """

    baseline: float
    gap: float
    least: float
    middle: float
    most: float

    @property
    def signature(self) -> str:
        """One line from which the range can be computed again."""
        return build_signature("agreement-range", baseline=self.baseline, gap=self.gap)


@dataclass(frozen=True, slots=True, eq=False)
class AgreementModel(Result):
    """Agreement as a straight-line function of baseline accuracy and gap.

    Attributes
    ----------
    intercept, baseline_slope, gap_slope : float
        Accuracies, gap and agreement as shares, not percentages.
    n_pairs : int
        Pairs of systems that it was fitted to; 0 where that is not known.
    r_squared, residual_std : float
        NaN where not known.
    standard_errors : ndarray, shape (3,)
        Of the three coefficients in their order, as if pairs were independent; pairs that share
        a system are not, so they are too small. NaN where not known.
    source : str
        Where the figures come from.
    """

    intercept: float
    baseline_slope: float
    gap_slope: float
    n_pairs: int
    r_squared: float
    residual_std: float
    standard_errors: FloatArray
    source: str

    @property
    def signature(self) -> str:
        """One line from which the model can be used again."""
        return build_signature(
            "agreement-model",
            intercept=self.intercept,
            baseline=self.baseline_slope,
            gap=self.gap_slope,
            pairs=self.n_pairs,
            source=self.source,
        )

    def expected(self, baseline: float, gap: float, *, clip: bool = True) -> float:
        """Return the expected agreement.

        Parameters
        ----------
        baseline, gap : float
            Shares.
        clip : bool
            Whether a value that no two systems of these accuracies can have is replaced by the
            nearest that they can.

        Returns
        -------
        float

        Raises
        ------
        TypeError, ValueError
            If `clip` and an accuracy is outside [0, 1].
        """
        line = self.intercept + self.baseline_slope * baseline + self.gap_slope * gap
        if not clip:
            return line
        possible = agreement_range(baseline, gap)
        return min(max(line, possible.least), possible.most)


Agreement: TypeAlias = float | AgreementModel | Literal["least", "middle", "most"]

CARD_2020_GLUE: Final = AgreementModel(
    intercept=0.41422307,
    baseline_slope=0.58187475,
    gap_slope=-0.46624237,
    n_pairs=0,
    r_squared=math.nan,
    residual_std=math.nan,
    standard_errors=read_only(np.full(_COEFFICIENTS, np.nan)),
    source="Card et al. 2020, GLUE",
)
"""Card et al. (2020), appendix E: fitted to pairs of systems on the GLUE leaderboard."""


@dataclass(frozen=True, slots=True, eq=False)
class ObservedAgreement(Result):
    """Baseline, gap and agreement of all pairs of systems.

    Attributes
    ----------
    baseline, gap, agreement : ndarray, shape (n_pairs,)
        `baseline` is the lower accuracy of the two, so no gap is negative. NaN for a pair
        without shared items.
    n_items : ndarray of int, shape (n_pairs,)
        Items that both have a score for.
    first, second : ndarray of int, shape (n_pairs,)
        Rows of the two systems, `first` < `second`.
    """

    baseline: FloatArray
    gap: FloatArray
    agreement: FloatArray
    n_items: IntArray
    first: IntArray
    second: IntArray

    @property
    def signature(self) -> str:
        """One line that says what was computed."""
        return build_signature("observed-agreement", pairs=self.gap.size)


def agreement_range(baseline: float, gap: float) -> AgreementRange:
    """Return the agreement that systems of these accuracies can have.

    Parameters
    ----------
    baseline : float
        Accuracy of one system, a share.
    gap : float
        By how much the other's accuracy is higher; may be negative.

    Returns
    -------
    AgreementRange

    Raises
    ------
    TypeError, ValueError
        If an accuracy is outside [0, 1].

    References
    ----------
    Lachenbruch (1992), On the sample size for studies based upon McNemar's test.

    Examples
    --------
    >>> found = agreement_range(0.7, 0.02)
    >>> round(found.least, 10), round(found.middle, 10), round(found.most, 10)
    (0.42, 0.7, 0.98)
    """
    first = as_share(baseline, "baseline")
    difference = as_finite(gap, "gap")
    second = first + difference
    if not -SLACK <= second <= 1 + SLACK:
        raise ValueError(
            f"`gap` of {difference:g} takes the accuracy from {first:g} to {second:g}. "
            "Give shares (0.02, not 2) that leave it between 0 and 1."
        )
    least, most = abs(first + second - 1), 1 - abs(difference)
    least = min(least, most)  # equal on paper where an accuracy is 0 or 1
    return AgreementRange(first, difference, least, (least + most) / 2, most)


def agreement_for(
    agreement: Agreement, baseline: float | None, gap: float, *, clip: bool = True
) -> float:
    """Return the share that `agreement` stands for at this baseline and gap.

    Without a baseline `agreement` must be a number. `clip`: whether what a model predicts is kept
    within what is possible. Raises where no two systems of these accuracies can have it.
    """
    if isinstance(agreement, str):
        as_choice(agreement, "agreement", AGREEMENT_BOUNDS)
    if isinstance(agreement, str | AgreementModel):
        if baseline is None:
            raise ValueError(
                "`baseline` must be given where `agreement` is not a number: it depends on it."
            )
        if isinstance(agreement, AgreementModel):
            return agreement.expected(as_share(baseline, "baseline"), gap, clip=clip)
        possible = agreement_range(baseline, gap)
        return {"least": possible.least, "middle": possible.middle, "most": possible.most}[
            agreement
        ]
    share = as_share(agreement, "agreement")
    least, most = 0.0, 1 - abs(gap)
    if baseline is not None:
        possible = agreement_range(baseline, gap)
        least, most = possible.least, possible.most
    if not least - SLACK <= share <= most + SLACK:
        who = "systems" if baseline is None else f"systems at {baseline:g} and {baseline + gap:g}"
        raise ValueError(
            f"`agreement` of {share:g} cannot be: {who} with a gap of {gap:g} agree on "
            f"{least:g} to {most:g} of the items. Give a share in that range."
        )
    return share


def observed_agreement(scores: npt.ArrayLike) -> ObservedAgreement:
    """Return baseline, gap and agreement of every pair of systems.

    Parameters
    ----------
    scores : array_like, shape (n_systems, n_items)
        1 right, 0 wrong, NaN missing: a pair uses the items that both have.

    Returns
    -------
    ObservedAgreement

    Raises
    ------
    TypeError, ValueError
        If a score is none of 0, 1 and NaN, or there are fewer than two systems.

    Examples
    --------
    >>> found = observed_agreement([[1, 1, 1, 0], [1, 0, 0, 0]])
    >>> found.baseline, found.gap, found.agreement
    (array([0.25]), array([0.5]), array([0.5]))
    """
    values = as_floats(scores, "scores")
    if values.ndim != 2 or values.shape[0] < 2:
        raise ValueError(
            f"`scores` must be 2-D (systems × items) with two systems or more, "
            f"got shape {values.shape}."
        )
    present = ~np.isnan(values)
    right = values == 1
    wrong = present & ~right
    if np.any(values[wrong] != 0):
        raise ValueError(
            "`scores` must hold only 0, 1 and NaN: graded scores have no agreement, "
            f"got {values[wrong][values[wrong] != 0][0]:g}."
        )
    has, is_right, is_wrong = (part.astype(np.float64) for part in (present, right, wrong))
    shared, both_right, both_wrong = has @ has.T, is_right @ is_right.T, is_wrong @ is_wrong.T
    right_here = is_right @ has.T  # [i, j]: items that i gets right among those of both
    first, second = np.triu_indices(values.shape[0], 1)
    n_items = shared[first, second]
    with np.errstate(invalid="ignore"):
        of_first = right_here[first, second] / n_items
        of_second = right_here[second, first] / n_items
        agreement = (both_right + both_wrong)[first, second] / n_items
    return ObservedAgreement(
        baseline=read_only(np.minimum(of_first, of_second)),
        gap=read_only(np.abs(of_first - of_second)),
        agreement=read_only(agreement),
        n_items=read_only(n_items.astype(np.int64)),
        first=read_only(first.astype(np.int64)),
        second=read_only(second.astype(np.int64)),
    )


def fit_agreement(
    baseline: npt.ArrayLike,
    gap: npt.ArrayLike,
    agreement: npt.ArrayLike,
    *,
    source: str = "fitted",
) -> AgreementModel:
    """Fit expected agreement to pairs of systems by least squares.

    Parameters
    ----------
    baseline, gap, agreement : array_like, shape (n_pairs,)
        Shares, as `observed_agreement` returns them; a pair with a NaN is left out.
    source : str
        Goes into the signature of everything that uses the model.

    Returns
    -------
    AgreementModel

    Raises
    ------
    TypeError, ValueError
        If shapes differ, a value is no share, or there are fewer than four pairs or too little
        variation to tell the slopes apart.

    References
    ----------
    Card et al. (2020), With little power comes great responsibility, appendix E.

    Examples
    --------
    >>> model = fit_agreement([0.5, 0.6, 0.7, 0.9], [0.1, 0.02, 0.05, 0.03], [0.7, 0.8, 0.82, 0.95])
    >>> round(model.expected(0.8, 0.02), 4)
    0.9003
    """
    columns = [
        _as_column(values, name)
        for values, name in ((baseline, "baseline"), (gap, "gap"), (agreement, "agreement"))
    ]
    if len({column.size for column in columns}) > 1:
        sizes = ", ".join(str(column.size) for column in columns)
        raise ValueError(f"`baseline`, `gap` and `agreement` must be equally long, got {sizes}.")
    table = np.stack(columns)
    table = table[:, ~np.isnan(table).any(axis=0)]
    n_pairs = table.shape[1]
    design = np.stack([np.ones(n_pairs), table[0], table[1]], axis=1)
    if n_pairs <= _COEFFICIENTS or np.linalg.matrix_rank(design) < _COEFFICIENTS:
        raise ValueError(
            f"`baseline` and `gap` of {n_pairs} pairs cannot tell the slopes apart. Give at least "
            "4 pairs that vary in both."
        )
    q, r = np.linalg.qr(design)
    coefficients = np.linalg.solve(r, q.T @ table[2])
    residuals = table[2] - design @ coefficients
    squares = float(residuals @ residuals)
    total = float(np.sum((table[2] - np.mean(table[2])) ** 2))
    std = math.sqrt(squares / (n_pairs - _COEFFICIENTS))
    inverse = np.linalg.inv(r)
    return AgreementModel(
        intercept=float(coefficients[0]),
        baseline_slope=float(coefficients[1]),
        gap_slope=float(coefficients[2]),
        n_pairs=n_pairs,
        r_squared=1 - squares / total if total > 0 else math.nan,
        residual_std=std,
        standard_errors=read_only(std * np.sqrt(np.sum(inverse**2, axis=1))),
        source=source,
    )


def _as_column(values: npt.ArrayLike, name: str) -> FloatArray:
    column = as_floats(values, name)
    if column.ndim != 1:
        raise ValueError(f"`{name}` must be 1-D (one per pair), got shape {column.shape}.")
    wrong = column[(np.abs(column) > 1) | (column < 0) & (name != "gap")]
    if wrong.size:
        raise ValueError(f"`{name}` must hold shares (0.02, not 2), got {wrong[0]:g}.")
    return column
