"""The resampling plans that all statistics share: fair signs, and how often a unit is drawn.

One matrix of signs, or of multiplicities, serves every system: the resampled sums of S systems
are one transform or matrix product per block of 256 replicates, and those of all pairs their
differences.
"""

import functools
from collections.abc import Callable, Iterator
from typing import NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from analysis.statistics._typing import ByteArray, FloatArray, IntArray
from analysis.statistics.random_streams import BLOCK_ROWS, Stream, raw_words, words_in_turn

BLOCK = BLOCK_ROWS
"""Replicates per block; a part of what a seed means."""
_FEW_UNITS = 4_096
"""Up to here the codes of a block are kept: one pair after the other asks for the same ones."""
_SMALL = 1 << 15
"""Items times systems: with fewer, single steps cost more than the sums."""
_COLUMNS_AT_ONCE = 64
_CELLS = 1 << 24
"""Counts in memory at once, where rows are taken in pieces."""

_Float = TypeVar("_Float", bound=np.floating)


class SignCodes(NamedTuple):
    """The signs of one block in short: sign r of a unit is ±1 times Hadamard entry (r, position).

    The Hadamard matrix is Sylvester's, of order 256.
    """

    positions: ByteArray
    """Shape (n_units,)."""
    minus: ByteArray
    """1 where the column is turned, shape (n_units,)."""

    def of(self, units: IntArray | slice | int) -> "SignCodes":
        """Return the signs of some units."""
        return SignCodes(self.positions[units], self.minus[units])


def sign_codes(
    seed: int, block: int, n_units: int, *, stream: Stream = Stream.SIGN_FLIPS
) -> SignCodes:
    """Draw the signs of one block: 9 fair bits per unit stand for its 256 signs.

    Notes
    -----
    A column of signs is a random code word of the first-order Reed-Muller code RM(1, 8), an
    orthogonal array of strength 3: every replicate is a vector of independent fair signs, and any
    three replicates of a block are independent of each other. The number of replicates that
    exceed a threshold has therefore exactly the mean, variance and skewness that it has for
    wholly independent signs, so p-values and their Monte Carlo error are the same. The sums of
    all replicates come from one fast Hadamard transform instead of a matrix product: 8 additions
    per replicate whatever the number of items.

    References
    ----------
    Hedayat, Sloane, Stufken (1999), Orthogonal Arrays, chapter 4 (strength = dual distance - 1).
    """
    if n_units > _FEW_UNITS:
        return _drawn_codes(seed, block, n_units, stream)
    return _kept_codes(seed, block, n_units, stream)


def _drawn_codes(seed: int, block: int, n_units: int, stream: Stream) -> SignCodes:
    words = raw_words(seed, stream, block, -(-n_units // 4))
    codes = words.astype("<u8", copy=False).view("<u2")[:n_units]
    return SignCodes(codes.astype(np.uint8), ((codes >> 8) & 1).astype(np.uint8))


_kept_codes = functools.lru_cache(maxsize=1024)(_drawn_codes)


def all_codes(seed: int, n_resamples: int, n_units: int) -> list[SignCodes]:
    """Draw the signs of all blocks of a plan."""
    return [sign_codes(seed, block, n_units) for block in range(-(-n_resamples // BLOCK))]


def stacked_codes(seed: int, n_resamples: int, n_units: int) -> SignCodes:
    """Draw what `all_codes` does as one plan, both arrays of shape (n_blocks, n_units)."""
    n_blocks = -(-n_resamples // BLOCK)
    stacked = SignCodes(*np.empty((2, n_blocks, n_units), np.uint8))
    for block in range(n_blocks):
        stacked.positions[block], stacked.minus[block] = sign_codes(seed, block, n_units)
    return stacked


def blocks_at_once(n_units: int, n_columns: int) -> int:
    """Return of how many blocks sums should be taken at once."""
    if n_units * n_columns > _SMALL:
        return 1
    return max(1, _COLUMNS_AT_ONCE // max(1, n_columns))


def signs_of(codes: SignCodes) -> FloatArray:
    """Return the signs ±1 of one block of replicates, shape (256, n_units).

    ``signs_of(codes) @ x`` is `signed_sums` of x, which is far quicker.
    """
    replicates = np.arange(BLOCK, dtype=np.uint8)[:, np.newaxis]
    odd = np.bitwise_count(replicates & codes.positions) & 1 ^ codes.minus
    return np.asarray(1.0 - 2.0 * odd)


def signed_sums(columns: npt.NDArray[_Float], codes: SignCodes) -> npt.NDArray[_Float]:
    """Return the sums over units of sign times value, for all replicates of a block.

    Parameters
    ----------
    columns : ndarray, shape (n_units, n_columns)
        float32 or float64; systems, or components of systems.
    codes : SignCodes
        Of the units.

    Returns
    -------
    ndarray, shape (256, n_columns)
        Exact where `columns` holds whole numbers whose absolute sum stays exact.
    """
    from analysis.statistics.resampling import kernels

    columns = np.ascontiguousarray(columns)
    sums = np.zeros((BLOCK, columns.shape[1]), columns.dtype)
    kernels.add_rows(columns, 0, np.arange(len(columns)), codes.positions, codes.minus, sums)
    kernels.hadamard(sums)
    return sums


def signed_sums_of(columns: npt.NDArray[_Float], blocks: SignCodes) -> npt.NDArray[_Float]:
    """Return the `signed_sums` of several blocks at once, shape (n_blocks, n_columns, 256).

    The same to the last digit; for few columns much quicker than one block after the other. The
    codes of the blocks are stacked, (n_blocks, n_units).
    """
    from analysis.statistics.resampling import kernels

    columns = np.ascontiguousarray(columns)
    n_blocks = len(blocks.positions)
    sums = np.zeros((BLOCK, n_blocks, columns.shape[1]), columns.dtype)
    kernels.add_blocks(columns, blocks.positions, blocks.minus, sums)
    flat = sums.reshape(BLOCK, -1)
    kernels.hadamard(flat)
    turned = np.empty(flat.shape[::-1], columns.dtype)
    kernels.turn(flat, turned)
    return turned.reshape(n_blocks, columns.shape[1], BLOCK)


def count_block(
    seed: int,
    block: int,
    n_units: int,
    dtype: type[_Float],
    *,
    stream: Stream = Stream.BOOTSTRAP,
) -> npt.NDArray[_Float]:
    """Return how often each unit is drawn, with replacement, in one block of replicates.

    Parameters
    ----------
    seed, block : int
        Which block of which plan.
    n_units : int
        Items, or groups that are drawn as a whole.
    dtype : float32 or float64
    stream : Stream
        What for.

    Returns
    -------
    ndarray, shape (256, n_units)
        Multiplicities, C-contiguous; each row sums to `n_units`.

    Notes
    -----
    A unit is a 32-bit number times n, shifted right by 32: its chance is off by less than 2^-32,
    one part in a hundred thousand for 40,000 units.
    """
    return next(counted_in_turn(seed, block, n_units, dtype, rows=BLOCK, stream=stream))


def counted_in_turn(
    seed: int,
    block: int,
    n_units: int,
    dtype: type[_Float],
    *,
    rows: int = 0,
    stream: Stream = Stream.BOOTSTRAP,
) -> Iterator[npt.NDArray[_Float]]:
    """Yield the rows of `count_block` in pieces of so many rows, by default as memory allows.

    For sums that are exact: another product's last bit may depend on how many rows it has.
    """
    from analysis.statistics.resampling.kernels import scatter_counts

    per_row = -(-n_units // 2)
    rows = rows or max(1, min(BLOCK, _CELLS // max(1, n_units)))
    pieces = [min(rows, BLOCK - begin) for begin in range(0, BLOCK, rows)]
    drawn = words_in_turn(seed, stream, block, [n_rows * per_row for n_rows in pieces])
    for n_rows, words in zip(pieces, drawn, strict=True):
        counts = np.empty((n_rows, n_units), dtype)
        scatter_counts(words.reshape(n_rows, per_row), counts)
        yield counts


def replicates(
    statistic: Callable[[FloatArray], FloatArray], n_units: int, n_resamples: int, seed: int
) -> FloatArray:
    """Return a statistic of units drawn with replacement, shape (n_resamples, …).

    Parameters
    ----------
    statistic : callable
        From how often each unit is drawn, (256, n_units), to the statistic of each row, (256, …).
    n_units, n_resamples, seed : int
    """
    # All rows of a block, also where fewer count: a product's last bit may depend on them.
    blocks = range(-(-n_resamples // BLOCK))
    parts = [statistic(count_block(seed, block, n_units, np.float64)) for block in blocks]
    return np.concatenate(parts)[:n_resamples]
