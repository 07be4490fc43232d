"""All pairs of systems on one cell, each in both directions: is the row better than the column?"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from analysis.statistics._typing import Alternative, FloatArray
from analysis.statistics.across.unseen_losses import Tails, guard_unseen, largest_losses
from analysis.statistics.all_pairs.closed_forms import (
    fair_coin_all_pairs,
    group_codes,
    wins_all_pairs,
)
from analysis.statistics.all_pairs.pairwise import pairwise
from analysis.statistics.all_pairs.result import Pairwise
from analysis.statistics.results import DegenerateDataWarning, Result, read_only
from analysis.statistics.signature import build_signature
from analysis.statistics.validity import guard_counts
from analysis.statistics.validity_bounds import Reason
from analysis.studies.cells import Cell, CellKey, load_cell
from analysis.studies.kept_results import kept
from analysis.studies.test_names import PairsTestName, to_public, to_statistics
from store.engine import Store
from store.results_cache import data_fingerprint

N_TAILS = len(Tails._fields) - 1
"""Figures that are kept of each ordered pair: the gain of one is the loss of the other."""


@dataclass(frozen=True, slots=True)
class TestSettings:
    """How the pairs of a cell are tested."""

    test: PairsTestName = "auto"
    n_resamples: int = 9_999
    seed: int = 0
    clusters: bool | None = None


@dataclass(frozen=True, slots=True, eq=False)
class DirectedPairs(Result):
    """One-sided p-values of all ordered pairs on one cell."""

    pvalue: FloatArray
    """``[i, j]``: system i is better than system j; NaN where that cannot be tested."""
    reason: npt.NDArray[np.int8]
    """What was done to the p-value where the differences are skewed: a `validity.Reason`."""
    tails: FloatArray
    """``[:, i, j]``: what system i gains over j, as `Tails` but for the gain; NaN = not guarded."""
    difference: FloatArray
    """Row minus column on the metric's own scale."""
    n_items: npt.NDArray[np.int64]
    test: str

    @property
    def signature(self) -> str:
        """One line from which the p-values can be repeated."""
        return build_signature("directed-pairs", test=self.test, systems=len(self.pvalue))


def directed_pairs(
    store: Store, key: CellKey, systems: Sequence[str], settings: TestSettings
) -> DirectedPairs:
    """Return the one-sided p-values of all pairs of systems on a cell, kept in the store.

    Parameters
    ----------
    store
        Where scores are, and where the answer is kept.
    key
        Which cell.
    systems
        Uids, in the order of rows and columns.
    settings
        How pairs are tested.

    Raises
    ------
    ValueError
        If the test does not suit the scores; the message says which does.
    """

    def compute() -> DirectedPairs:
        cell = load_cell(
            store, key, systems=systems, clusters=settings.clusters, test=settings.test
        )
        found = compare_pairs(cell, settings, directed=True)
        counted = to_count(cell, found, settings)
        return DirectedPairs(
            pvalue=read_only(counted.pvalue),
            reason=read_only(counted.reason),
            tails=read_only(counted.tails),
            difference=read_only(found.difference.copy()),
            n_items=read_only(found.n_items.copy()),
            test=to_public(found.test),
        )

    arguments = {name: getattr(settings, name) for name in settings.__slots__}
    fingerprint = data_fingerprint(store, *key, systems=systems)
    return kept(store, "directed pairs", arguments, fingerprint, DirectedPairs, compute)


def compare_pairs(
    cell: Cell,
    settings: TestSettings,
    *,
    directed: bool,
    alpha: float = 0.05,
) -> Pairwise:
    """Test all pairs of a cell's systems, in both directions or two-sided with intervals.

    The p-values of a pair do not depend on which other systems are compared, and are those of the
    page of all pairs for the same seed; `to_count` makes them fit to be counted over datasets.
    """
    matrix = cell.matrix
    better: Alternative = "greater" if matrix.metric.higher_is_better else "less"
    with warnings.catch_warnings():
        # A pair without spread is NaN or 1 here; the study says so in its own words.
        warnings.simplefilter("ignore", DegenerateDataWarning)
        return pairwise(
            matrix.scores,
            aggregation=matrix.metric.aggregation,
            test=to_statistics(settings.test),
            correction="none",
            alternative=better if directed else "two-sided",
            alpha=alpha,
            groups=cell.clusters.groups,
            runs=cell.runs,
            interval="none" if directed else "auto",
            bounds=matrix.metric.bounds,
            n_resamples=settings.n_resamples,
            rng=settings.seed,
        )


class ToCount(NamedTuple):
    """P-values of one dataset for a count over several."""

    pvalue: FloatArray
    reason: npt.NDArray[np.int8]
    tails: FloatArray
    """As those of `DirectedPairs`."""


def to_count(cell: Cell, found: Pairwise, settings: TestSettings) -> ToCount:
    """Return the p-values as careful as a count over datasets asks for.

    Only default tests are guarded, and only those of means: a test asked for by name answers as it
    does. Sign flips go by `guard_counts`; a score test of shares by the exact McNemar test where
    that says more against a difference, since at small levels it errs the other way.
    """
    pvalue, reason = found.pvalue.copy(), np.zeros(found.pvalue.shape, dtype=np.int8)
    tails = np.full((N_TAILS, *pvalue.shape), np.nan)
    scores = cell.matrix.scores[:, :, 0]
    if settings.test != "auto" or found.aggregation != "mean":
        return ToCount(pvalue, reason, tails)
    if "score" in found.tests:
        of_shares = found.test_code == found.tests.index("score")
        exact = fair_coin_all_pairs(
            wins_all_pairs(scores), found.n_items, alternative=found.alternative
        ).pvalue
        pvalue[of_shares] = np.fmax(pvalue, exact)[of_shares]
    if "signflip" not in found.tests:
        return ToCount(pvalue, reason, tails)
    by_flips = found.test_code == found.tests.index("signflip")
    first, second = np.triu_indices(len(scores), 1)
    first, second = first[by_flips[first, second]], second[by_flips[first, second]]
    from analysis.statistics.all_pairs.difference_facts import difference_facts  # compiles

    facts = difference_facts(
        scores, first, second, codes=group_codes(cell.clusters.groups, scores.shape[1])
    )
    sign = cell.matrix.metric.sign
    losses = largest_losses(scores, sign)
    for rows, columns, turn in ((first, second, sign), (second, first, -sign)):
        n, mean, sd = facts.units.n, turn * facts.items.mean, facts.items.sd
        tails[:, rows, columns] = n, mean, sd, losses[rows, columns]
    turned: dict[str, Alternative] = {"greater": "less", "less": "greater"}
    asked: dict[str, Alternative] = {"greater": "greater", "less": "less"}
    for rows, columns, names in ((first, second, asked), (second, first, turned)):
        alternative = names.get(found.alternative, "two-sided")
        guarded = guard_counts(facts, pvalue[rows, columns], alternative=alternative)
        pvalue[rows, columns], reason[rows, columns] = guarded
    return ToCount(pvalue, reason, tails)


def allow_for_others(of_each: Sequence[ToCount], *, directed: bool) -> list[ToCount]:
    """Return p-values of several datasets and one metric that allow for losses seen elsewhere.

    All datasets have the same systems, in the same order.
    """
    pvalue = np.stack([one.pvalue for one in of_each])
    n, mean, sd, loss = np.moveaxis(np.stack([one.tails for one in of_each]), 1, 0)
    tails = Tails(n, mean, sd, loss, np.swapaxes(loss, -1, -2))
    raised = guard_unseen(tails, pvalue)
    if not directed:
        raised = guard_unseen(tails.turned, raised)
    return [
        ToCount(p, np.where(p > one.pvalue, Reason.UNSEEN, one.reason).astype(np.int8), one.tails)
        for p, one in zip(raised, of_each, strict=True)
    ]
