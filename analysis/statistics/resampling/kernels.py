"""Compiled inner loops of the shared plan; only the modules named `…kernels` import numba.

They work on whole numbers, so that no result depends on the order of work or on the instruction
set, and release the interpreter lock, so that threads can take different blocks.

Machine code on disk is renewed when the file of a loop changes, not when a loop that it calls in
another file does: after changing `difference_kernels.sizes_of`, say, touch the files that use it.
"""

import functools
from collections.abc import Callable
from typing import Any, TypeVar, cast

import numpy as np
from numba import njit
from numba.core import event

from analysis.statistics._typing import ByteArray, Floats, IntArray, WordArray
from analysis.statistics.resampling.compiling import compiling

_Loop = TypeVar("_Loop", bound=Callable[..., object])

CALLED: list[tuple[Any, Any]] = []
"""Loops that Python calls, and numba's types of what it gives them; for `warm_up`."""


class _Compilations(event.Listener):
    """Hears of loops that are not on disk yet."""

    def on_start(self, event: object) -> None:
        compiling()

    def on_end(self, event: object) -> None:
        pass


event.register("numba:compile", _Compilations())  # type: ignore[no-untyped-call]  # numba has no types


def compiled(loop: _Loop) -> _Loop:
    """Compile on first call and keep the machine code on disk, where there is a place for it."""
    return _compiled(loop, frozenset())


def compiled_in_any_order(loop: _Loop) -> _Loop:
    """Compile as `compiled` does; sums that the loop itself takes may be in any order.

    Loops that are called from it keep the order in which they are written.
    """
    return _compiled(loop, frozenset({"reassoc", "nsz"}))


def _compiled(loop: _Loop, liberties: frozenset[str]) -> _Loop:
    # Said also where there are none: else a loop takes those of whoever calls it.
    compiling_with = functools.partial(
        njit, nogil=True, error_model="numpy", fastmath=set(liberties) or False
    )
    try:
        fast = compiling_with(cache=True)(loop)
    except RuntimeError:
        # Neither beside the source nor in the user's cache folder may files be written.
        fast = compiling_with()(loop)
    return cast(_Loop, fast)


def called_with(*types: object) -> Callable[[_Loop], _Loop]:
    """Declare what Python calls a compiled loop with, once for each set of types.

    A text such as ``"(floats[:, ::1], i8)"`` has numba's names; ``floats`` stands for ``f4`` and
    ``f8``. Loops that only loops call need none.
    """

    def declared(loop: _Loop) -> _Loop:
        for each in types:
            if isinstance(each, str) and "floats" in each:
                CALLED.extend((loop, each.replace("floats", f)) for f in ("f4", "f8"))
            else:
                CALLED.append((loop, each))
        return loop

    return declared


@called_with("(u8[:, ::1], floats[:, ::1])")
@compiled
def scatter_counts(words: WordArray, counts: Floats) -> None:
    """Draw ``counts.shape[1]`` units per row with replacement and count each.

    Every 64-bit word gives two lanes of 32 bits, the lower first; lane · n / 2^32 is the unit.
    """
    n_rows, n_units = counts.shape
    low, half, n = np.uint64(0xFFFFFFFF), np.uint64(32), np.uint64(n_units)
    for row in range(n_rows):
        for i in range(n_units):
            counts[row, i] = 0
        for i in range(n_units >> 1):
            word = words[row, i]
            counts[row, ((word & low) * n) >> half] += 1
            counts[row, ((word >> half) * n) >> half] += 1
        if n_units & 1:
            counts[row, ((words[row, n_units >> 1] & low) * n) >> half] += 1


@called_with("(floats[:, ::1], i8, i8[::1], u1[::1], u1[::1], floats[:, ::1])")
@compiled
def add_rows(
    columns: Floats,
    first: int,
    rows: IntArray,
    positions: ByteArray,
    minus: ByteArray,
    sums: Floats,
) -> None:
    """Add ± the chosen `rows` of `columns`, (n_items, n_systems), to their positions in `sums`.

    Positions and signs belong to items; `sums`, (256, n_chosen), takes the systems from `first`.
    """
    last = first + sums.shape[1]
    for i in rows:
        # Plain slices: computed column numbers would keep the loop from wide registers.
        source, target = columns[i, first:last], sums[positions[i]]
        if minus[i]:
            for s in range(target.size):
                target[s] -= source[s]
        else:
            for s in range(target.size):
                target[s] += source[s]


@called_with("(floats[:, ::1], u1[:, ::1], u1[:, ::1], floats[:, :, ::1])")
@compiled
def add_blocks(columns: Floats, positions: ByteArray, minus: ByteArray, sums: Floats) -> None:
    """Do as `add_rows` with all of `columns`, for several blocks.

    Positions and signs have shape (n_blocks, n_items), `sums` (256, n_blocks, n_systems).
    """
    for block in range(len(positions)):
        for i in range(len(columns)):
            source, target = columns[i], sums[positions[block, i], block]
            # No processor could foresee a fair sign: it multiplies, which is exact.
            sign = 1 - 2 * np.int64(minus[block, i])
            for s in range(target.size):
                target[s] += sign * source[s]


@called_with("(floats[:, ::1],)")
@compiled
def hadamard(sums: Floats) -> None:
    """Transform the first axis in place; its length must be a power of 4."""
    n_rows, n_columns = sums.shape
    h = 1
    while h < n_rows:
        for start in range(0, n_rows, 4 * h):
            for i in range(start, start + h):
                for s in range(n_columns):
                    a, b = sums[i, s], sums[i + h, s]
                    c, d = sums[i + 2 * h, s], sums[i + 3 * h, s]
                    p, q, u, v = a + b, a - b, c + d, c - d
                    sums[i, s], sums[i + h, s] = p + u, q + v
                    sums[i + 2 * h, s], sums[i + 3 * h, s] = p - u, q - v
        h *= 4


@called_with("(floats[:, ::1], floats[:, ::1])")
@compiled
def turn(sums: Floats, turned: Floats) -> None:
    """Write the transpose of `sums`, in squares that stay in cache."""
    n_rows, n_columns = sums.shape
    for column in range(0, n_columns, 16):
        for row in range(0, n_rows, 16):
            for s in range(column, min(n_columns, column + 16)):
                for r in range(row, min(n_rows, row + 16)):
                    turned[s, r] = sums[r, s]
