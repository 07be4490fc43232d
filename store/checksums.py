"""Whether vectors are what was written: by SHA-256 when first read, by a quick sum when read again.

The sum of a vector is that of its 64-bit words, each times an odd weight of its own, modulo 2^64
(multilinear hashing: Lemire and Kaser 2014, "Strongly universal string hashing is fast"). The upper
half of a word is mixed into its lower half first: an odd weight hardly moves the uppermost bits. A
change within one word always changes the sum; another change goes unseen once in about 2^31. It is
compared with the sum of bytes that had this digest: all else is held against the digest itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from store import vectors

_WORD = 8
_HALF = np.uint64(32)
_AT_ONCE = 1 << 20
"""Bytes that are put side by side: as many as stay near the processor."""
_MOST_KNOWN = 1 << 18
_known: dict[str, int] = {}
"""Digest -> sum of the bytes that had it."""


def are_written(stored: Sequence[bytes], digests: Sequence[str]) -> list[bool]:
    """Return which vectors have their digests."""
    sums = [total for part in _parts(stored) for total in _sums(part)]
    return [
        _known.get(digest) == total or _has_digest(data, digest, total)
        for data, digest, total in zip(stored, digests, sums, strict=True)
    ]


def _has_digest(data: bytes, digest: str, total: int) -> bool:
    if vectors.digest(data) != digest:
        return False
    if len(_known) >= _MOST_KNOWN:
        _known.clear()
    _known[digest] = total
    return True


def _parts(stored: Sequence[bytes]) -> list[Sequence[bytes]]:
    """Cut vectors into runs of equal length that fit side by side."""
    parts, start = [], 0
    for end in range(1, len(stored) + 1):
        size = len(stored[start])
        full = (end - start + 1) * size > _AT_ONCE
        if end == len(stored) or full or len(stored[end]) != size:
            parts.append(stored[start:end])
            start = end
    return parts


def _sums(part: Sequence[bytes]) -> list[int]:
    """Return the sum of each of some vectors of equal length."""
    n_words, rest = divmod(len(part[0]), _WORD)
    if rest:  # no vector has such a length
        return [-1] * len(part)
    words = np.frombuffer(part[0] if len(part) == 1 else b"".join(part), "<u8")
    mixed = (words ^ (words >> _HALF)).reshape(len(part), n_words)
    totals: list[int] = np.einsum("ij,j->i", mixed, _weights(n_words)).tolist()
    return totals


def _weights(n_words: int) -> npt.NDArray[np.uint64]:
    return _many_weights(1 << max(n_words - 1, 0).bit_length())[:n_words]


@lru_cache(maxsize=4)
def _many_weights(n_words: int) -> npt.NDArray[np.uint64]:
    """Return odd weights; the first are the same however many there are."""
    return np.random.default_rng(20_140).integers(0, 1 << 64, n_words, np.uint64) | np.uint64(1)
