"""Compiled inner loops over the ranks of differences.

All work on whole numbers, so that neither the order of work nor the instruction set matters, and
release the interpreter lock, so that threads can take different pairs.
"""

import math

import numpy as np
import numpy.typing as npt

from analysis.statistics._typing import FloatArray, IntArray
from analysis.statistics.all_pairs.pair_kernels import binary_grid
from analysis.statistics.paired.rank_tests import MAX_EXACT_RANKS
from analysis.statistics.resampling.kernels import called_with, compiled

Keys = npt.NDArray[np.unsignedinteger]

MISSING_STEP = -(2**31)
"""Stands for a missing score in int32 steps."""
MAX_EXACT_TIED = 128
"""Up to this many differences, some tied, their rank sum gets its exact distribution."""
MAX_COMBINATIONS = 16_384
"""Up to this many ways to divide tie groups, but for the largest, more differences do as well."""
_MOVES_PER_KEY = 8


@called_with("(i4[:, ::1], i8, i8, i8[::1], i8[:, ::1], f8[:, ::1])")
@compiled
def rank_by_counting(
    steps: IntArray,
    a: int,
    reach: int,
    counts: IntArray,
    sums: IntArray,
    tails: FloatArray,
) -> None:
    """Signed ranks of system `a` against every later one, by counting each difference.

    For differences that take few values, at most `reach` in size. A row of `sums` per later
    system: non-zero differences, twice the sum of ranks of the positive ones, sum of t^3 - t over
    ties. A row of `tails`: exact chances of a sum at least and at most as large, where there are
    ties and `tied_tails` can tell; else it is left alone. `counts` is room for ``2 * reach + 1``
    zeros, and left zero.
    """
    n_systems, n_items = steps.shape
    missing = np.int32(MISSING_STEP)
    groups = np.empty(MAX_EXACT_TIED, np.int64)
    for b in range(a + 1, n_systems):
        for i in range(n_items):
            x, y = steps[a, i], steps[b, i]
            if x != missing and y != missing:
                counts[reach + x - y] += 1
        below, doubled, ties, n_groups = 0, 0, 0, 0
        for size in range(1, reach + 1):
            positive, negative = counts[reach + size], counts[reach - size]
            tied = positive + negative
            if tied:
                if n_groups < MAX_EXACT_TIED:
                    groups[n_groups] = tied
                n_groups += 1
                doubled += positive * (2 * below + tied + 1)
                ties += tied * (tied * tied - 1)
                below += tied
                counts[reach + size] = 0
                counts[reach - size] = 0
        counts[reach] = 0
        sums[b, 0], sums[b, 1], sums[b, 2] = below, doubled, ties
        if ties and n_groups <= MAX_EXACT_TIED:
            tied_tails(groups[:n_groups], doubled, tails[b])


@called_with(
    "(i4[:, ::1], i8, i8, u4[:, ::1], i8[:, ::1], f8[:, ::1])",
    "(i8[:, ::1], i8, i8, u8[:, ::1], i8[:, ::1], f8[:, ::1])",
)
@compiled
def rank_steps(
    steps: IntArray,
    a: int,
    missing: int,
    room: Keys,
    sums: IntArray,
    tails: FloatArray,
) -> None:
    """Signed ranks of system `a` against every later one, by sorting differences in whole steps.

    `room` is two rows of unsigned keys, one bit wider than any difference. `sums` and `tails` as
    in `rank_by_counting`.
    """
    n_systems, n_items = steps.shape
    for b in range(a + 1, n_systems):
        keys, n = room[0], 0
        for i in range(n_items):
            x, y = int(steps[a, i]), int(steps[b, i])
            keys[n] = (abs(x - y) << 1) | int(x > y)
            n += int((x != y) & (x != missing) & (y != missing))
        _rank_keys(room, n, 0, sums[b], tails[b])


@called_with("(f8[:, ::1], f8[::1], i8, u8[:, ::1], i8[:, ::1], f8[:, ::1])")
@compiled
def rank_floats(
    scores: FloatArray,
    near: FloatArray,
    a: int,
    room: Keys,
    sums: IntArray,
    tails: FloatArray,
) -> None:
    """Signed ranks as `rank_steps` gives, of differences on each pair's finest binary grid.

    Sizes are tied that follow each other by no more than the `near` of either row.
    """
    n_systems, n_items = scores.shape
    for b in range(a + 1, n_systems):
        grid, least = binary_grid(scores[a], scores[b]), max(near[a], near[b])
        keys, n = room[0], 0
        for i in range(n_items):
            d = scores[a, i] - scores[b, i]
            differs = abs(d) > least
            keys[n] = (int(np.rint(abs(d) * grid)) << 1 if differs else 0) | int(d > 0)
            n += int(differs)
        # Where it is no smaller than all differences, no key is left.
        _rank_keys(room, n, int(np.ceil(least * grid)) if n else 0, sums[b], tails[b])


@compiled
def _rank_keys(room: Keys, n: int, near: int, sums: IntArray, tails: FloatArray) -> None:
    """Rank the first n keys of the first row of `room`: size of difference, then 1 if positive.

    Sizes at most `near` above the next smaller one are tied with it.
    """
    row, apart = _sorted(room, n), np.uint64(near)
    weighted, equal = 0, 0
    for i in range(n):
        weighted += int(row[i] & 1) * (i + 1)
    for i in range(1, n):
        equal += int(np.uint64(row[i] >> 1) - np.uint64(row[i - 1] >> 1) <= apart)
    sums[0], sums[1], sums[2] = n, 2 * weighted, 0
    if equal:
        _rank_ties(row, n, near, sums, tails)


@compiled
def _sorted(room: Keys, n: int) -> Keys:
    """Sort the first n keys by what is above their lowest bit; one of the two rows of `room`.

    Two passes over the highest digits nearly sort them, and moving the rest into place finishes;
    where the highest digits tell too little, all digits are gone through.
    """
    seen = np.uint64(0)
    for i in range(n):
        seen |= np.uint64(room[0, i])
    n_bits = 0
    while seen >> np.uint64(n_bits + 1):
        n_bits += 1
    width = 11 if n > 1024 else 8
    low = max(0, n_bits - 2 * width)
    row = _by_digits(room, n, low, n_bits)
    if low == 0:
        return row
    moves = _MOVES_PER_KEY * n
    for i in range(1, n):
        key, place = row[i], i
        while place > 0 and row[place - 1] >> 1 > key >> 1:
            row[place] = row[place - 1]
            place -= 1
            moves -= 1
        row[place] = key
        if moves < 0:
            room[0, :n] = row[:n].copy()
            return _by_digits(room, n, 0, n_bits)
    return row


@compiled
def _by_digits(room: Keys, n: int, low: int, high: int) -> Keys:
    """Sort the first row of `room` by the bits from `low` to `high` above the lowest bit."""
    widest = 11 if n > 1024 else 8
    n_digits = max(1, (high - low + widest - 1) // widest)
    width = (high - low + n_digits - 1) // n_digits
    counts = np.zeros((n_digits, 1 << width), np.int64)
    mask = np.uint64((1 << width) - 1)
    for i in range(n):
        rest = np.uint64(room[0, i]) >> np.uint64(1 + low)
        for digit in range(n_digits):
            counts[digit, rest & mask] += 1
            rest >>= np.uint64(width)
    source: Keys = room[0]
    target: Keys = room[1]
    for digit in range(n_digits):
        places, before = counts[digit], 0
        for value in range(places.size):
            size = places[value]
            places[value] = before
            before += size
        shift = np.uint64(1 + low + digit * width)
        for i in range(n):
            here = (np.uint64(source[i]) >> shift) & mask
            target[places[here]] = source[i]
            places[here] += 1
        source, target = target, source
    return source


@compiled
def _rank_ties(row: Keys, n: int, near: int, sums: IntArray, tails: FloatArray) -> None:
    """Rank sorted keys of which some are tied: no step between them is larger than `near`."""
    groups = np.empty(MAX_EXACT_TIED, np.int64)
    doubled, ties, n_groups = 0, 0, 0
    apart, i = np.uint64(near), 0
    while i < n:
        stop, positive = i + 1, int(row[i] & 1)
        while stop < n and np.uint64(row[stop] >> 1) - np.uint64(row[stop - 1] >> 1) <= apart:
            positive += int(row[stop] & 1)
            stop += 1
        tied = int(stop - i)
        if n_groups < MAX_EXACT_TIED:
            groups[n_groups] = tied
        n_groups += 1
        doubled += positive * (2 * i + tied + 1)
        ties += tied * (tied * tied - 1)
        i = stop
    sums[1], sums[2] = doubled, ties
    if n_groups <= MAX_EXACT_TIED:
        tied_tails(groups[:n_groups], doubled, tails)


@compiled
def tied_tails(groups: IntArray, doubled: int, tails: FloatArray) -> None:
    """Chances of a rank sum, under fair coins, of at least and at most half of `doubled`.

    `groups` holds the sizes of groups of tied differences, the smallest differences first. Few
    groups are divided in all ways; few differences are added up; `tails` is left alone where
    there are many of both.
    """
    n = int(np.sum(groups))
    if n > MAX_EXACT_RANKS:
        return
    largest, combinations = np.argmax(groups), 1
    for g in range(groups.size):
        if g != largest and combinations <= MAX_COMBINATIONS:
            combinations *= groups[g] + 1
    if combinations <= MAX_COMBINATIONS:
        _tails_by_groups(groups, int(largest), int(combinations), doubled, tails)
    elif n <= MAX_EXACT_TIED:
        ranks, below = np.empty(n, np.int64), 0
        for tied in groups:
            ranks[below : below + tied] = 2 * below + tied + 1
            below += tied
        # The distribution is symmetric: the end that is nearer is added up.
        nearer = min(doubled, n * (n + 1) - doubled)
        chances = _lowest_chances(ranks, nearer)
        reached = 0.0
        for value in range(nearer):
            reached += chances[value]
        beyond = 1.0 - reached
        reached += chances[nearer]
        if nearer == doubled:
            tails[0], tails[1] = beyond, reached
        else:
            tails[0], tails[1] = reached, beyond


@compiled
def _lowest_chances(ranks: IntArray, most: int) -> FloatArray:
    """Return the chances of sums of `ranks` up to `most`, each with a fair coin."""
    # Numbers of ways: 2^n of them stay well within float64.
    ways, before = np.zeros(most + 1), np.zeros(most + 1)
    ways[0] = 1.0
    filled = 0
    for rank in ranks:
        ways, before = before, ways
        filled = min(filled + rank, most)
        for value in range(min(rank, filled + 1)):
            ways[value] = before[value]
        for value in range(rank, filled + 1):
            ways[value] = before[value] + before[value - rank]
    return ways * math.ldexp(1.0, -ranks.size)


@compiled
def _tails_by_groups(
    groups: IntArray, largest: int, combinations: int, doubled: int, tails: FloatArray
) -> None:
    """Divide all groups but the largest in every way; that one's binomial tail does the rest."""
    sums, chances = np.zeros(combinations, np.int64), np.zeros(combinations)
    chances[0] = 1.0
    filled, below, rank_of_largest = 1, 0, 0
    for g in range(groups.size):
        rank = 2 * below + groups[g] + 1
        below += groups[g]
        if g == largest:
            rank_of_largest = rank
            continue
        binomial = _binomial(groups[g])
        for k in range(groups[g], -1, -1):
            for c in range(filled):
                sums[k * filled + c] = sums[c] + k * rank
                chances[k * filled + c] = chances[c] * binomial[k]
        filled *= groups[g] + 1
    binomial = _binomial(groups[largest])
    upper, lower = binomial.copy(), binomial.copy()
    for k in range(1, binomial.size):
        lower[k] += lower[k - 1]
        upper[binomial.size - 1 - k] += upper[binomial.size - k]
    at_least, at_most = 0.0, 0.0
    for c in range(filled):
        rest = doubled - sums[c]
        # How many of the largest group it takes to reach the sum, and how many stay within it.
        needed, allowed = -(-rest // rank_of_largest), rest // rank_of_largest
        if needed < binomial.size:
            at_least += chances[c] * upper[max(needed, 0)]
        if allowed >= 0:
            at_most += chances[c] * lower[min(allowed, binomial.size - 1)]
    tails[0], tails[1] = at_least, at_most


@compiled
def _binomial(n: int) -> FloatArray:
    """Chances of 0 to n heads of n fair coins."""
    chances = np.empty(n + 1)
    chances[0] = math.ldexp(1.0, -n)
    for k in range(n):
        chances[k + 1] = chances[k] * (n - k) / (k + 1)
    return chances


@called_with("(i8[::1],)")
@compiled
def rank_sum_chances(ranks: IntArray) -> FloatArray:
    """Distribution of the sum of `ranks`, each with a fair coin; entry k is the chance of k."""
    chances, before = np.zeros(np.sum(ranks) + 1), np.empty(np.sum(ranks) + 1)
    chances[0] = 1.0
    filled = 1
    for rank in ranks:
        for value in range(filled):
            before[value] = 0.5 * chances[value]
            chances[value] = before[value]
        for value in range(filled):
            chances[value + rank] += before[value]
        filled += rank
    return chances
