"""The sign-flip test of all pairs: exchange two systems item by item, one plan for all."""

from collections.abc import Hashable, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from analysis.statistics._typing import (
    Alternative,
    BoolArray,
    ByteArray,
    CodeArray,
    FloatArray,
    IntArray,
    Progress,
)
from analysis.statistics.all_pairs.complete_sets import triangle
from analysis.statistics.all_pairs.exact import (
    MAX_ENUMERATED,
    Pairs,
    Tails,
    by_binomial,
    by_enumeration,
    by_inversion,
    list_pairs,
    smallest_chance,
)
from analysis.statistics.all_pairs.kinds import NOT_WHOLE, kinds_of, two_valued
from analysis.statistics.all_pairs.missing import (
    Comparison,
    Scores,
    SharedSums,
    check,
    compare,
    steps_of,
)
from analysis.statistics.all_pairs.result import BOUND_PVALUE, PairMethod, PairPvalues
from analysis.statistics.all_pairs.saddlepoint import FEW_HITS, believable, by_saddlepoint
from analysis.statistics.all_pairs.scales import own_differences, too_fine
from analysis.statistics.fixed_point import on_row_grids, tie_tolerance, whole_at
from analysis.statistics.precision import SCALES, coarser, precision_of
from analysis.statistics.resampling.plan import BLOCK
from analysis.statistics.resampling.threads import count_blocks, part_of, run_blocks
from analysis.statistics.results import read_only
from analysis.statistics.validation import ALTERNATIVES, as_choice, as_count, as_seed

_HOPELESS = 1e-6
"""No patterns are drawn for a pair of which they are not expected to find so many hits."""
_HALF = 0.5
_NEAR = 16
_ALONE = 256
"""Pairs on scales of their own that are tested at once."""


def signflip_all_pairs(
    scores: npt.ArrayLike,
    *,
    groups: Sequence[Hashable] | npt.NDArray[np.generic] | None = None,
    alternative: Alternative = "two-sided",
    n_resamples: int = 9_999,
    seed: int = 0,
    n_threads: int | None = None,
    progress: Progress | None = None,
) -> PairPvalues:
    """Test the mean difference of all pairs of systems by exchanging them item by item.

    Assumes only that under the null hypothesis the two scores of an item could be exchanged, and
    that items, or groups of items, are independent of each other.

    Parameters
    ----------
    scores : array_like, shape (n_systems, n_items)
        Higher is better. NaN: missing; a pair is tested on the items that both systems have.
    groups : sequence, shape (n_items,), optional
        Label per item; the items of a group are exchanged together. None: its own group.
    alternative : {"two-sided", "greater", "less"}
        One-sided ``[i, j]`` tests whether system i is above ("greater") or below ("less") j.
        Two-sided counts patterns with ``|T| >= |t|``.
    n_resamples : int
        Random patterns, where exact p-values would take too long.
    seed : int
        Of the shared plan.
    n_threads : int, optional
        By default one per usable processor, at most 8. The result does not depend on it.
    progress : callable, optional
        Called as ``progress(done, total)``; an exception that it raises cancels.

    Returns
    -------
    PairPvalues
        The method of each pair is the first that fits:

        - CLOSED_FORM: its scores have one of two values; McNemar's exact test, a binomial.
        - ENUMERATED: it differs on at most 20 units; all patterns. Identical systems: p = 1.
        - EXACT: whole steps, if the exact distribution is estimated to take below 50 µs.
        - BOUND: Hoeffding's bound, or the tail below, says that p < 1e-30, which stands for it.
        - MONTE_CARLO: p = (count + 1) / (n_resamples + 1), at least 10 patterns as extreme.
        - TAIL: fewer than 10 were, or would be by Hoeffding's bound. The saddlepoint
          approximation takes the place of a p-value that the number of patterns would decide,
          unless the draws contradict it; steps by large differences are followed one by one.
        - NOT_TESTABLE: no shared items; NaN.

        A pair's p-value, method and floor depend on its own two rows, `groups`, `n_resamples`
        and `seed` only: they are the same to the last bit whichever other systems there are.

    Raises
    ------
    TypeError, ValueError
        If scores are no finite numbers or not 2-D, labels do not fit, or an option is unknown.

    Notes
    -----
    Drawn sums are exact: of whole steps where one scale makes all scores whole, else of scores
    rounded to a binary grid per system (`fixed_point.on_row_grids`); sums equal within that
    rounding and the precision of the scores are ties. A pair whose differences are lost in the
    rounding, below some 1e-8 of its scores, is drawn from its differences. So the result depends
    neither on threads nor on the matrix library.
    For S systems, n items and B patterns the time is S n B / 256 additions and S² B / 2
    comparisons. Peak memory: five float64 copies of the scores, twelve (S, S) matrices, and per
    thread 4 kB per system (at most 24 MiB more with missing items).

    References
    ----------
    Noreen (1989), Computer-Intensive Methods for Testing Hypotheses. Yeh (2000), More accurate
    tests for the statistical significance of result differences.

    Examples
    --------
    >>> result = signflip_all_pairs([[3, 2, 5, 4, 4], [1, 2, 2, 3, 1], [3, 2, 5, 4, 4]])
    >>> result.pvalue.round(3)
    array([[  nan, 0.125, 1.   ],
           [0.125,   nan, 0.125],
           [1.   , 0.125,   nan]])
    """
    as_choice(alternative, "alternative", ALTERNATIVES)
    resamples, plan = as_count(n_resamples, "n_resamples"), as_seed(seed)
    given = check(scores, groups)
    table = _Table(len(given.values), alternative)
    run = _Run(given, table, resamples, plan, n_threads)
    left, right = table.left, table.right
    todo = np.flatnonzero(_any_shared(given.values, left, right))
    if not given.units.size:
        todo = run.settle_two_valued(todo)
    if todo.size:
        run.settle_others(todo, progress)
    return table.finish()


def _any_shared(values: FloatArray, left: IntArray, right: IntArray) -> BoolArray:
    present = ~np.isnan(values)
    if present.all():
        return np.full(left.size, values.shape[1] > 0)
    numbers = present.astype(np.float32)
    return np.asarray((numbers @ numbers.T)[left, right] > 0)


class _Counts(NamedTuple):
    """How many random patterns were as extreme, for listed pairs i < j."""

    at_least: IntArray
    """``T >= t``; two-sided ``|T| >= |t|``."""
    at_most: IntArray


class _Open(NamedTuple):
    """Pairs that no exact way has settled."""

    ids: IntArray
    pairs: Pairs
    tolerance: FloatArray
    """How far drawn sums that are equal may lie apart by rounding."""

    def chosen(self, which: BoolArray) -> "_Open":
        return _Open(self.ids[which], self.pairs.chosen(which), self.tolerance[which])


class _Run(NamedTuple):
    """One call; `ids` are places in the list of all pairs i < j."""

    given: Scores
    table: "_Table"
    n_resamples: int
    seed: int
    n_threads: int | None

    def settle_two_valued(self, ids: IntArray) -> IntArray:
        """Settle the pairs whose scores have two values; return the others."""
        left, right = self.table.left[ids], self.table.right[ids]
        others = np.ones(ids.size, np.bool_)
        for some in two_valued(self.given.values, left, right):
            systems, at, other = _systems_of(left[some.pairs], right[some.pairs])
            part = self.given.values[systems]
            tails = by_binomial(part == some.high, ~np.isnan(part), at, other)
            self.table.enter(
                ids[some.pairs],
                PairMethod.CLOSED_FORM,
                tails.at_least,
                tails.at_most,
                tails.different,
            )
            others[some.pairs] = False
        return ids[others]

    def settle_others(self, ids: IntArray, progress: Progress | None) -> None:
        """Settle pairs exactly where that is quick, the others by random patterns and tails."""
        values, n_items = self.given.values, self.given.values.shape[1]
        left, right = self.table.left[ids], self.table.right[ids]
        # Pairs of a few systems after each other: their rows stay in cache.
        order = np.lexsort((right // _NEAR, left // _NEAR))
        ids, left, right = ids[order], left[order], right[order]
        kinds = kinds_of(values, left, right)
        one_scale = kinds.shared_scale != NOT_WHOLE
        n_parts = 1 + bool(np.any(kinds.scale != NOT_WHOLE))
        grids = None if one_scale else on_row_grids(values)
        rounding = tolerance = np.zeros(ids.size)
        if grids is not None:
            rounding = tie_tolerance(grids.steps[left], grids.steps[right], n_items)
            tolerance = rounding + coarser(precision_of(values), left, right)
        still_open = []
        for place in np.unique(kinds.scale):
            some = np.flatnonzero(kinds.scale == place)
            if place == NOT_WHOLE:
                assert grids is not None
                pairs = self._list(grids.values, left[some], right[some], tolerance[some])
                lost = too_fine(rounding[some], pairs.squares)
                self._settle_alone(ids[some[lost]])
                some, pairs = some[~lost], pairs.chosen(~lost)
            else:
                systems, at, other = _systems_of(left[some], right[some])
                pairs = self._list(np.rint(values[systems] * SCALES[place]), at, other)
            rest = _Open(ids[some], pairs, tolerance[some])
            rest = self._settle_exactly(rest, part_of(progress, 0, n_parts))
            if place != NOT_WHOLE:
                # Neighbouring values of T must stay apart on the grids of the rows.
                coarse = rest.tolerance * SCALES[place] >= _HALF
                self._draw_alone(rest.chosen(coarse))
                rest = rest.chosen(~coarse)
            if rest.ids.size:
                still_open.append(rest)
        if not still_open:
            return
        if grids is None:
            board = steps_of(whole_at(values, SCALES[kinds.shared_scale]))
        else:
            board = grids.values
        comparison = compare(board, self.given.units, self.given.n_units)
        report = part_of(progress, n_parts - 1, n_parts)
        self._draw(comparison, [(rest, rest.ids) for rest in still_open], report)

    def _settle_alone(self, ids: IntArray) -> None:
        """Settle pairs whose differences are lost in the rounding of their scores."""
        for start in range(0, ids.size, _ALONE):
            some = ids[start : start + _ALONE]
            values, left, right = self.given.values, self.table.left[some], self.table.right[some]
            near = coarser(precision_of(values), left, right)
            rows, near = own_differences(values, near, left, right)
            grids = on_row_grids(_with_zeros(rows))
            at, last = np.arange(some.size), np.full(some.size, some.size)
            tolerance = near + tie_tolerance(grids.steps[at], grids.steps[last], rows.shape[1])
            pairs = self._list(grids.values, at, last, tolerance)
            rest = self._settle_exactly(_Open(some, pairs, tolerance))
            self._draw_rows(grids.values, rest, rest.pairs.left)

    def _draw_alone(self, rest: _Open) -> None:
        """Draw patterns for pairs of whole numbers too large to stand beside other scores."""
        for start in range(0, rest.ids.size, _ALONE):
            some = rest.chosen(np.isin(np.arange(rest.ids.size) // _ALONE, start // _ALONE))
            rows = some.pairs.scores[some.pairs.left] - some.pairs.scores[some.pairs.right]
            some = some._replace(tolerance=np.zeros(some.ids.size))
            self._draw_rows(_with_zeros(rows), some, np.arange(some.ids.size))

    def _draw_rows(self, rows: FloatArray, rest: _Open, at: IntArray) -> None:
        """Draw patterns for rows of differences, the last of which is 0."""
        if rest.ids.size:
            last = len(rows) - 1
            # Places in the list of pairs of rows: those with the last one.
            places = at * last - at * (at + 1) // 2 + last - 1
            comparison = compare(rows, self.given.units, self.given.n_units)
            self._draw(comparison, [(rest, places)], None)

    def _list(
        self,
        scores: FloatArray,
        left: IntArray,
        right: IntArray,
        tolerance: FloatArray | None = None,
    ) -> Pairs:
        units, n_units = self.given.units, self.given.n_units
        return list_pairs(scores, units, n_units, left, right, tolerance, n_threads=self.n_threads)

    def _settle_exactly(self, rest: _Open, progress: Progress | None = None) -> _Open:
        """Settle pairs by all patterns, by their exact distribution or by a bound."""
        few = rest.pairs.different <= MAX_ENUMERATED
        if few.any():
            some = rest.chosen(few)
            tails = by_enumeration(some.pairs, n_threads=self.n_threads)
            self.table.enter_tails(some.ids, PairMethod.ENUMERATED, some.pairs, tails)
            rest = rest.chosen(~few)
        if rest.pairs.whole and rest.ids.size:
            tails, settled = by_inversion(rest.pairs, n_threads=self.n_threads, progress=progress)
            some = rest.chosen(settled)
            tails = Tails(tails.upper[settled], tails.point[settled])
            self.table.enter_tails(some.ids, PairMethod.EXACT, some.pairs, tails)
            rest = rest.chosen(~settled)
        beyond = self._at_most(rest.pairs) < BOUND_PVALUE
        if beyond.any():
            some = rest.chosen(beyond)
            self.table.enter_rare(some.ids, some.pairs, np.zeros(some.ids.size), None)
            rest = rest.chosen(~beyond)
        return rest

    def _at_most(self, pairs: Pairs) -> FloatArray:
        """Return a bound of the p-value (Hoeffding 1963, Theorem 2)."""
        with np.errstate(invalid="ignore"):
            exponent = np.nan_to_num(0.5 * pairs.observed**2 / pairs.squares)
        return np.asarray(self.table.sides * np.exp(-exponent))

    def _draw(
        self,
        comparison: Comparison,
        groups: list[tuple[_Open, IntArray]],
        progress: Progress | None,
    ) -> None:
        """Draw patterns for pairs, listed by their places in the comparison, and finish them."""
        hopeful = [self.n_resamples * self._at_most(rest.pairs) > _HOPELESS for rest, _ in groups]
        places = [at[some] for (_, at), some in zip(groups, hopeful, strict=True)]
        tolerance = [rest.tolerance[some] for (rest, _), some in zip(groups, hopeful, strict=True)]
        counts = self._count(
            comparison, np.concatenate(places), np.concatenate(tolerance), progress
        )
        first = 0
        for (rest, _), some in zip(groups, hopeful, strict=True):
            last = first + int(np.count_nonzero(some))
            self._conclude(
                rest, some, _Counts(counts.at_least[first:last], counts.at_most[first:last])
            )
            first = last

    def _count(
        self,
        comparison: Comparison,
        places: IntArray,
        tolerance: FloatArray,
        progress: Progress | None,
    ) -> _Counts:
        from analysis.statistics.all_pairs import kernels

        if not places.size:
            return _Counts(places, places)
        sums = SharedSums(comparison, self.seed)
        n_systems = comparison.n_systems
        left, right = sums.place[comparison.left[places]], sums.place[comparison.right[places]]
        # Tiles bring up every pair with the system first that the shared sums put first.
        turned = left > right
        left, right = np.where(turned, right, left), np.where(turned, left, right)
        observed = np.where(turned, -1.0, 1.0) * comparison.observed[places]
        two_sided = self.table.two_sided
        shape = (1 if two_sided else 2, n_systems, n_systems)
        targets = np.full(shape, np.nan, comparison.scores.dtype)
        if two_sided:
            targets[0, left, right] = np.abs(observed) - tolerance
        else:
            targets[0, left, right] = observed - tolerance
            targets[1, left, right] = observed + tolerance

        count_tile = kernels.count_two_sided if two_sided else kernels.count_one_sided

        def work(block: int, rows: int) -> CodeArray:
            found = np.zeros(shape, np.int32)
            for tile in sums.tiles(block):
                count_tile(
                    tile.first,
                    tile.second,
                    tile.first_pattern,
                    tile.second_pattern,
                    tile.rows.start,
                    tile.columns.start,
                    rows,
                    targets,
                    found,
                )
            return found

        def add_few(block: int, rows: int) -> None:
            found = np.zeros(shape, np.int32)
            own = sums.of_blocks(block, -(-rows // BLOCK))[:, np.newaxis]
            alike = np.zeros(n_systems, np.int64)
            count_tile(own, own, alike, alike, 0, 0, rows, targets, found)
            np.add(counts, found, out=counts)

        counts, n_all = np.zeros(shape, np.int64), self.n_resamples
        if sums.together > 1:
            run_blocks(add_few, n_all, together=sums.together, n_threads=1, progress=progress)
        else:
            count_blocks(work, counts, n_all, n_threads=self.n_threads, progress=progress)
        ahead, behind = counts[0, left, right], counts[-1, left, right]
        return _Counts(np.where(turned, behind, ahead), np.where(turned, ahead, behind))

    def _conclude(self, rest: _Open, drawn: BoolArray, counts: _Counts) -> None:
        """Enter Monte Carlo p-values, and tails where fewer than 10 patterns were as extreme."""
        self.table.enter_counts(rest.ids[drawn], counts, self.n_resamples)
        observed = rest.pairs.observed
        hits = np.zeros(rest.ids.size, np.int64)
        hits[drawn] = np.where(observed[drawn] > 0, counts.at_least, counts.at_most)
        rare = (hits < FEW_HITS) & (observed != 0)
        if not rare.any():
            return
        pairs, drawn, hits = rest.pairs.chosen(rare), drawn[rare], hits[rare]
        upper = by_saddlepoint(pairs, seed=self.seed, n_threads=self.n_threads)
        chances = np.minimum(1.0, self.table.sides * upper)
        believed = ~drawn | believable(hits, chances, self.n_resamples)
        self.table.enter_rare(
            rest.ids[rare][believed], pairs.chosen(believed), upper[believed], drawn[believed]
        )


def _systems_of(left: IntArray, right: IntArray) -> tuple[IntArray, IntArray, IntArray]:
    """Return which systems there are in the pairs, and the pairs as places among them."""
    systems, places = np.unique(np.concatenate([left, right]), return_inverse=True)
    places = places.reshape(-1).astype(np.int64)
    return systems, places[: left.size], places[left.size :]


def _with_zeros(rows: FloatArray) -> FloatArray:
    return np.concatenate([rows, np.zeros((1, rows.shape[1]))])


class _Table:
    """P-values, methods and floors of all pairs, filled method by method.

    ``[i, j]`` asks whether i is above j.
    """

    def __init__(self, n_systems: int, alternative: str) -> None:
        shape = (n_systems, n_systems)
        self.left, self.right = (side.copy() for side in triangle(n_systems))
        self.two_sided = alternative == "two-sided"
        self.sides = 2.0 if self.two_sided else 1.0
        self._turned = alternative == "less"
        self._pvalue = np.full(shape, np.nan)
        self._floor = np.full(shape, np.nan)
        self._method = np.full(shape, PairMethod.NOT_TESTABLE, np.uint8)

    def enter(
        self,
        ids: IntArray,
        method: PairMethod,
        at_least: FloatArray,
        at_most: FloatArray,
        different: IntArray,
    ) -> None:
        """Enter exact chances of ``T >= t`` and ``T <= t``."""
        floor = smallest_chance(different)
        if self.two_sided:
            floor = np.minimum(1.0, 2.0 * floor)
            at_least = at_most = 2.0 * np.minimum(at_least, at_most)
        self._write(ids, method, at_least, at_most, floor)

    def enter_tails(self, ids: IntArray, method: PairMethod, pairs: Pairs, tails: Tails) -> None:
        """Enter exact chances of ``T >= |t|`` and ``T = |t|``."""
        observed, upper = pairs.observed, tails.upper
        # Both tails hold the observed value itself; at t = 0 they are the same.
        lower = np.where(observed == 0, upper, 1.0 - upper + tails.point)
        at_least = np.where(observed >= 0, upper, lower)
        at_most = np.where(observed > 0, lower, upper)
        self.enter(ids, method, at_least, at_most, pairs.different)

    def enter_counts(self, ids: IntArray, counts: _Counts, n_resamples: int) -> None:
        """Enter Monte Carlo p-values."""
        total = n_resamples + 1
        floor = np.full(ids.size, 1 / total)
        at_least, at_most = (counts.at_least + 1) / total, (counts.at_most + 1) / total
        self._write(ids, PairMethod.MONTE_CARLO, at_least, at_most, floor)

    def enter_rare(
        self, ids: IntArray, pairs: Pairs, upper: FloatArray, drawn: BoolArray | None
    ) -> None:
        """Enter ``P(T >= |t|)`` where t is rare; the other side stays as it was, if drawn."""
        floor = smallest_chance(pairs.different)
        if self.two_sided:
            floor, upper = np.minimum(1.0, 2.0 * floor), 2.0 * upper
        beyond = upper < BOUND_PVALUE
        chance = np.where(beyond, BOUND_PVALUE, np.clip(upper, floor, 1.0))
        method = np.where(beyond, PairMethod.BOUND, PairMethod.TAIL).astype(np.uint8)
        if self.two_sided:
            self._write(ids, method, chance, chance, floor)
            return
        if drawn is None:
            drawn = np.zeros(ids.size, np.bool_)
        certain = np.ones(np.count_nonzero(~drawn))
        self._write(ids[~drawn], PairMethod.TAIL, certain, certain, floor[~drawn])
        ahead = pairs.observed > 0
        left, right = self.left[ids], self.right[ids]
        above, below = np.where(ahead, left, right), np.where(ahead, right, left)
        self._pvalue[above, below] = chance
        self._floor[above, below] = floor
        self._method[above, below] = method

    def _write(
        self,
        ids: IntArray,
        method: PairMethod | ByteArray,
        at_least: FloatArray,
        at_most: FloatArray,
        floor: FloatArray,
    ) -> None:
        left, right = self.left[ids], self.right[ids]
        # No exact p-value is 0, and rounding must not take one above 1.
        self._pvalue[left, right] = np.clip(at_least, floor, 1.0)
        self._pvalue[right, left] = np.clip(at_most, floor, 1.0)
        self._floor[left, right] = self._floor[right, left] = floor
        self._method[left, right] = self._method[right, left] = method

    def finish(self) -> PairPvalues:
        """Return the matrices, for "less" the other way round."""
        pvalue, method, floor = self._pvalue, self._method, self._floor
        if self._turned:
            pvalue, method, floor = pvalue.T.copy(), method.T.copy(), floor.T.copy()
        return PairPvalues(read_only(pvalue), read_only(method), read_only(floor))
