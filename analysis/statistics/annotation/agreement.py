"""Do annotators agree? Mean agreement over pairs of annotators, beside what chance would give."""

from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from analysis.statistics._typing import FloatArray, Groups, IntArray
from analysis.statistics.annotation.judged import (
    CoJudged,
    Statistic,
    as_judgments,
    co_judged,
    group_codes,
    sums_by_group,
)
from analysis.statistics.annotation.made_up import SAME_OR_NOT, TWO_EACH, made_up_interval
from analysis.statistics.intervals.interval import Interval
from analysis.statistics.results import Result, read_only
from analysis.statistics.signature import build_signature
from analysis.statistics.validation import as_choice, as_level

TieCredit: TypeAlias = Literal["half", "strict"]

TIE_CREDITS: Final[tuple[TieCredit, ...]] = ("half", "strict")


@dataclass(frozen=True, slots=True, eq=False)
class PairwiseAgreement(Result):
    """How often two annotators say the same.

    Attributes
    ----------
    mean : float
        Mean over pairs of annotators of their agreement on what both judged; NaN where no two
        judged the same unit.
    interval : Interval
        For other units, or groups of them; the annotators are taken as they are. With four made-up
        units, see `made_up`.
    expected : float
        The same mean if each annotator kept his own shares of the values but gave them without
        looking. Of choices taken both ways: his own share of ties, and else either side alike.
    majority_share : float
        Share of judgments that have the commonest value: what one reaches by always giving it.
        Of choices taken both ways either side has half of those that are no tie.
    pairs : ndarray, shape (n_annotators, n_annotators)
        Agreement of each pair; NaN on the diagonal, and where two share no unit.
    n_shared : ndarray of int, shape (n_annotators, n_annotators)
        Units that both judged; on the diagonal those that one did.
    with_others : ndarray, shape (n_annotators,)
        Mean agreement of each with the others.
    n_pairs : int
        Pairs of annotators who share units.
    n_units : int
        Units judged by at least two.
    tie_credit : str
    """

    mean: float
    interval: Interval
    expected: float
    majority_share: float
    pairs: FloatArray
    n_shared: IntArray
    with_others: FloatArray
    n_pairs: int
    n_units: int
    tie_credit: TieCredit

    @property
    def signature(self) -> str:
        """One line from which the agreement can be computed again."""
        return build_signature(
            "pairwise-agreement",
            units=self.n_units,
            pairs=self.n_pairs,
            ties=self.tie_credit,
            conf=self.interval.confidence_level,
        )


def credit(a: FloatArray, b: FloatArray, tie_credit: TieCredit) -> FloatArray:
    """Return how far values agree: 1 for the same value, else 0.

    With "half" a value of 0 is a tie between two systems, and meets a choice for either of them
    half way.
    """
    same: FloatArray = np.equal(a, b).astype(np.float64)
    if tie_credit == "half":
        same[(a == 0) != (b == 0)] = 0.5
    return same


def pairwise_agreement(
    judgments: npt.ArrayLike,
    *,
    tie_credit: TieCredit = "strict",
    turned: bool = False,
    groups: Groups = None,
    confidence_level: float = 0.95,
) -> PairwiseAgreement:
    """Return the mean agreement over pairs of annotators.

    Parameters
    ----------
    judgments : array_like, shape (n_annotators, n_units)
        Labels or choices as numbers; NaN = not judged. Pairs of annotators are compared on what
        both judged, and every pair that shares a unit counts the same.
    tie_credit : {"strict", "half"}
        "half": values are 1, 0 and -1, first, tie and second, and a tie agrees half with a
        choice. "strict": only equal values agree.
    turned : bool
        Values are choices 1, 0 and -1 between outputs of more than two systems: `expected` and
        `majority_share` are those of all units taken both ways, see `both_ways`.
    groups : sequence, shape (n_units,), optional
        Units that go together, such as all pairs of outputs of an item.
    confidence_level : float

    Raises
    ------
    TypeError, ValueError
        If judgments are no finite numbers or not 2-D, or settings are out of range.

    References
    ----------
    Plank et al. (2015), Do dependency parsing metrics correlate with human judgments?, table 5.

    Examples
    --------
    >>> found = pairwise_agreement([[1, 1, -1, 1], [1, -1, -1, float("nan")], [1, 1, 1, 1]])
    >>> round(found.mean, 4), found.n_shared[0].tolist()
    (0.5833, [4, 3, 4])
    """
    judged = as_judgments(judgments)
    as_choice(tie_credit, "tie_credit", TIE_CREDITS)
    level = as_level(confidence_level, name="confidence_level")
    codes = group_codes(groups, judged.shape[1])
    shared = co_judged(judged)
    agreed = credit(shared.a, shared.b, tie_credit)
    pairs, n_shared = _matrices(judged, shared, tie_credit)
    met = ~np.isnan(pairs)
    totals = np.where(met, pairs, 0.0).sum(axis=1)
    with_others = np.full(len(judged), np.nan)
    np.divide(totals, met.sum(axis=1), out=with_others, where=met.any(axis=1))
    given = judged[~np.isnan(judged)]
    given = np.concatenate([given, 0.0 - given]) if turned else given
    counts = np.unique(given, return_counts=True)[1]
    return PairwiseAgreement(
        mean=mean_over_pairs(shared, agreed),
        interval=interval_over_pairs(shared, codes, agreed, SAME_OR_NOT, level),
        expected=_expected(judged, shared, tie_credit, turned),
        majority_share=float(counts.max() / counts.sum()) if counts.size else float("nan"),
        pairs=read_only(pairs),
        n_shared=read_only(n_shared),
        with_others=read_only(with_others),
        n_pairs=len(shared.first),
        n_units=int(np.count_nonzero((~np.isnan(judged)).sum(axis=0) > 1)),
        tie_credit=tie_credit,
    )


def mean_over_pairs(shared: CoJudged, agreed: FloatArray) -> float:
    """Return the mean over pairs of the mean of `agreed`, one value per entry of `shared`."""
    if not shared.pair.size:
        return float("nan")
    totals = np.bincount(shared.pair)
    return float(np.mean(np.bincount(shared.pair, weights=agreed) / totals))


def interval_over_pairs(
    shared: CoJudged,
    groups: IntArray,
    agreed: FloatArray,
    made_up: FloatArray,
    confidence_level: float,
    *,
    counted: FloatArray = TWO_EACH,
    least: float = 0.0,
) -> Interval:
    """Return the interval of `mean_over_pairs`.

    `made_up` has the values of the made-up units. They are divided among pairs by how many of all
    units a pair shares.
    """
    n_pairs, n_groups = len(shared.first), int(groups.max(initial=-1)) + 1
    share = np.bincount(shared.pair, minlength=n_pairs) / max(1, np.unique(shared.unit).size)
    rows = np.repeat(np.arange(n_groups, n_groups + made_up.size), n_pairs)
    group = np.append(groups[shared.unit], rows)
    pair = np.append(shared.pair, np.tile(np.arange(n_pairs), made_up.size))
    values = np.append(agreed, np.multiply.outer(made_up, share))
    judged = np.append(np.ones(agreed.size), np.tile(share, made_up.size))
    hits = sums_by_group(group, pair, values, max(n_pairs, 1)).T.tocsr()
    both = sums_by_group(group, pair, judged, max(n_pairs, 1)).T.tocsr()

    def mean(counts: FloatArray) -> FloatArray:
        return mean_of_shares(np.asarray(hits @ counts.T), np.asarray(both @ counts.T))

    statistic: Statistic = mean
    n_judged = np.unique(groups[shared.unit]).size
    return made_up_interval(
        statistic, n_groups, counted, confidence_level, n_judged=n_judged, least=least
    )


def mean_of_shares(hits: FloatArray, totals: FloatArray) -> FloatArray:
    """Return, per column, the mean of hits / totals over the rows that have a total."""
    shares = np.zeros_like(hits)
    np.divide(hits, totals, out=shares, where=totals > 0)
    defined = np.count_nonzero(totals > 0, axis=0)
    mean = np.full(hits.shape[1], np.nan)
    np.divide(shares.sum(axis=0), defined, out=mean, where=defined > 0)
    return mean


def _matrices(
    judged: FloatArray, shared: CoJudged, tie_credit: TieCredit
) -> tuple[FloatArray, IntArray]:
    n_annotators, n_pairs = len(judged), len(shared.first)
    totals = np.bincount(shared.pair, minlength=n_pairs)
    agreed = credit(shared.a, shared.b, tie_credit)
    hits = np.bincount(shared.pair, weights=agreed, minlength=n_pairs)
    pairs = np.full((n_annotators, n_annotators), np.nan)
    n_shared = np.diag(np.count_nonzero(~np.isnan(judged), axis=1)).astype(np.int64)
    for row, column in ((shared.first, shared.second), (shared.second, shared.first)):
        pairs[row, column] = hits / totals
        n_shared[row, column] = totals
    return pairs, n_shared


def _expected(judged: FloatArray, shared: CoJudged, tie_credit: TieCredit, turned: bool) -> float:
    """Return the mean over pairs of the agreement that their own shares of values would give."""
    if not shared.pair.size:
        return float("nan")
    values = np.unique(judged[~np.isnan(judged)])
    if turned:
        values = np.unique(np.concatenate([values, 0.0 - values]))
    shares = np.zeros((len(judged), values.size))
    for row, own in enumerate(judged):
        own = own[~np.isnan(own)]
        if own.size:
            shares[row] = np.bincount(np.searchsorted(values, own), minlength=values.size)
            shares[row] /= own.size
    if turned:  # values are in order, each with its opposite: from the other end it is turned
        shares = (shares + shares[:, ::-1]) / 2
    if tie_credit == "strict":
        expected = np.einsum("pv,pv->p", shares[shared.first], shares[shared.second])
    else:
        grid = credit(*np.meshgrid(values, values, indexing="ij"), tie_credit)
        expected = np.einsum("pv,vw,pw->p", shares[shared.first], grid, shares[shared.second])
    return float(expected.mean())
