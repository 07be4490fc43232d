"""Random numbers that belong to (seed, stream, block), whoever draws them and in what order.

A block is always 256 rows, also when fewer are used: the first replicates of a long and of a
short run are the same, and no result depends on memory limits or on the number of threads. The
raw words of PCG64DXSM are mapped to bits and uniforms here because numpy promises stable streams
for its bit generators only.
"""

from collections.abc import Iterable, Iterator
from enum import IntEnum

import numpy as np
from numpy.random import PCG64DXSM, SeedSequence

from analysis.statistics._typing import ByteArray, FloatArray, WordArray

BLOCK_ROWS = 256


class Stream(IntEnum):
    """Purposes that must never share random numbers; the numbers are part of every result."""

    SIGN_FLIPS = 1
    OVERCLAIMING = 2
    BOOTSTRAP = 3
    SIMULATED_SCORES = 4
    RESAMPLED_SCORES = 5
    OVER_DATASETS = 6
    SIMPLEX = 7
    ORDER = 8
    RANKS = 9
    POWER = 10
    RATINGS = 11
    ANNOTATORS = 20
    ANNOTATOR_SWAPS = 21
    METRIC_SWAPS = 12
    METRIC_POWER = 13
    RESAMPLED_SYSTEMS = 14
    TAILS = 15


def raw_words(seed: int, stream: Stream, block: int, n_words: int) -> WordArray:
    """Return `n_words` random 64-bit words of one block."""
    return next(words_in_turn(seed, stream, block, [n_words]))


def words_in_turn(
    seed: int, stream: Stream, block: int, numbers: Iterable[int]
) -> Iterator[WordArray]:
    """Yield the same words of one block in pieces of so many words."""
    drawn = PCG64DXSM(SeedSequence(seed, spawn_key=(int(stream), block)))
    for n_words in numbers:
        yield np.asarray(drawn.random_raw(n_words), dtype=np.uint64)


def random_bits(seed: int, stream: Stream, block: int, n_columns: int) -> ByteArray:
    """Return fair 0/1 values, shape (256, n_columns)."""
    words_per_row = -(-n_columns // 64)
    words = raw_words(seed, stream, block, BLOCK_ROWS * words_per_row)
    octets = words.astype("<u8").view(np.uint8).reshape(BLOCK_ROWS, 8 * words_per_row)
    return np.unpackbits(octets, axis=1, count=n_columns, bitorder="little")


def random_uniforms(seed: int, stream: Stream, block: int, n_columns: int) -> FloatArray:
    """Return uniforms strictly between 0 and 1, shape (256, n_columns)."""
    words = raw_words(seed, stream, block, BLOCK_ROWS * n_columns)
    # 52 bits and a half step: symmetric around 1/2, and neither 0 nor 1 can come out.
    uniforms = ((words >> np.uint64(12)).astype(np.float64) + 0.5) * 2.0**-52
    return uniforms.reshape(BLOCK_ROWS, n_columns)
