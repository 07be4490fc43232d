import numpy as np
import pytest

from analysis.statistics.boards.rank_intervals import probability_best
from analysis.statistics.random_streams import (
    BLOCK_ROWS,
    Stream,
    random_bits,
    random_uniforms,
    raw_words,
)
from analysis.statistics.resampling import plan
from analysis.statistics.resampling.plan import count_block, counted_in_turn


def test_raw_words_are_pinned():
    # A change here changes every Monte Carlo p-value: raise METHOD_VERSION with it.
    words = raw_words(0, Stream.SIGN_FLIPS, 0, 2)
    assert words.tolist() == [14792033046678356020, 4531164398720605174]


def test_streams_blocks_and_seeds_do_not_share_numbers():
    keys = [(seed, stream, block) for seed in (0, 1) for stream in Stream for block in (0, 1)]
    firsts = [int(raw_words(*key, 1)[0]) for key in keys]
    assert len(set(firsts)) == len(keys)


def test_random_bits_are_fair_and_independent_of_neighbours():
    bits = random_bits(3, Stream.SIGN_FLIPS, 0, 500).astype(float)
    assert bits.shape == (BLOCK_ROWS, 500)
    assert set(np.unique(bits)) == {0, 1}
    assert abs(bits.mean() - 0.5) < 5 * 0.5 / np.sqrt(bits.size)
    signs = 2 * bits - 1
    assert abs(np.mean(signs[:, 1:] * signs[:, :-1])) < 5 / np.sqrt(bits.size)


def test_random_uniforms_stay_inside():
    values = random_uniforms(0, Stream.OVERCLAIMING, 7, 300)
    assert values.shape == (BLOCK_ROWS, 300)
    assert 0 < values.min() < 0.001
    assert 0.999 < values.max() < 1
    assert abs(values.mean() - 0.5) < 5 / np.sqrt(12 * values.size)


@pytest.mark.parametrize("rows", [1, 100, 256])
def test_counts_in_pieces_are_those_of_the_block(rows: int) -> None:
    whole = count_block(5, 2, 7, np.float32)
    pieces = list(counted_in_turn(5, 2, 7, np.float32, rows=rows))
    assert max(map(len, pieces)) == rows
    np.testing.assert_array_equal(np.concatenate(pieces), whole)


def test_who_is_best_does_not_hang_on_the_memory_that_is_taken(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    scores = np.random.default_rng(0).normal(size=(5, 40)).round(2)
    expected = probability_best(scores, n_resamples=300, rng=1)
    monkeypatch.setattr(plan, "_CELLS", 400)
    np.testing.assert_array_equal(probability_best(scores, n_resamples=300, rng=1), expected)
