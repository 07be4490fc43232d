"""Vectors are held against their digests, also where only their sums are computed again."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from store import checksums, vectors


@pytest.fixture(autouse=True)
def _nothing_known_yet(monkeypatch):
    monkeypatch.setattr(checksums, "_known", {})


def _written(*lengths: int) -> tuple[list[bytes], list[str]]:
    rng = np.random.default_rng(0)
    stored = [vectors.encode(rng.random(length)) for length in lengths]
    return stored, [vectors.digest(data) for data in stored]


def test_the_digest_is_computed_once(monkeypatch) -> None:
    stored, digests = _written(7, 7, 0, 200_000, 7)
    assert checksums.are_written(stored, digests) == [True] * 5
    monkeypatch.setattr(vectors, "digest", lambda _: pytest.fail("computed again"))
    assert checksums.are_written(stored, digests) == [True] * 5
    assert checksums.are_written([], []) == []


@pytest.mark.parametrize("read_before", [False, True])
@pytest.mark.parametrize("places", [[(0, 7)], [(0, 7), (8, 7)], [(3, 0), (16, 5)]])
def test_flipped_bits_are_seen(places, read_before) -> None:
    stored, digests = _written(7, 7)
    if read_before:
        checksums.are_written(stored, digests)
    spoiled = bytearray(stored[1])
    for byte, bit in places:  # byte 7 of a word is the uppermost
        spoiled[byte + 7 * (bit == 7)] ^= 1 << bit
    assert checksums.are_written([stored[0], bytes(spoiled)], digests) == [True, False]


def test_words_that_changed_places_and_a_cut_are_seen() -> None:
    stored, digests = _written(4)
    checksums.are_written(stored, digests)
    for spoiled in (stored[0][8:] + stored[0][:8], stored[0][:-8], stored[0][:-3], b""):
        assert checksums.are_written([spoiled], digests) == [False]


@given(st.binary(min_size=8, max_size=64), st.integers(min_value=0, max_value=511))
def test_any_one_bit_changes_the_sum(data, bit) -> None:
    data = data[: len(data) // 8 * 8]
    byte, bit = bit // 8 % len(data), bit % 8
    spoiled = bytearray(data)
    spoiled[byte] ^= 1 << bit
    assert checksums._sums([data]) != checksums._sums([bytes(spoiled)])


def test_what_is_known_stays_small(monkeypatch) -> None:
    monkeypatch.setattr(checksums, "_MOST_KNOWN", 2)
    stored, digests = _written(1, 2, 3)
    assert checksums.are_written(stored, digests) == [True] * 3
    assert len(checksums._known) == 1
