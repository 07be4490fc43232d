import numpy as np

from analysis.statistics.random_streams import (
    BLOCK_ROWS,
    Stream,
    random_bits,
    random_uniforms,
    raw_words,
)


def test_raw_words_are_pinned():
    # A change here changes every Monte Carlo p-value: raise STATISTICS_VERSION with it.
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
