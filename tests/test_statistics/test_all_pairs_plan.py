import itertools
import threading
import time
from types import SimpleNamespace

import numpy as np
import pytest
from threadpoolctl import threadpool_info, threadpool_limits

from analysis.statistics.all_pairs import inversion, missing
from analysis.statistics.all_pairs.pairwise import pairwise
from analysis.statistics.random_streams import Stream, raw_words
from analysis.statistics.resampling import kernels, threads
from analysis.statistics.resampling.plan import (
    BLOCK,
    SignCodes,
    count_block,
    sign_codes,
    signed_sums,
    signed_sums_of,
    signs_of,
    stacked_codes,
)
from analysis.statistics.resampling.threads import (
    blas_on_one_thread,
    on_one_thread,
    run_blocks,
    run_tiles,
)


@pytest.mark.parametrize("n_units", [0, 1, 3, 64, 133])
def test_signs_are_fair_and_belong_to_seed_and_block(n_units):
    signs = signs_of(sign_codes(3, 7, n_units))
    assert signs.shape == (BLOCK, n_units)
    assert signs.flags.c_contiguous
    assert np.array_equal(np.abs(signs), np.ones_like(signs))
    if n_units > 60:
        assert not np.array_equal(signs, signs_of(sign_codes(4, 7, n_units)))
        assert not np.array_equal(signs, signs_of(sign_codes(3, 8, n_units)))


def test_units_keep_their_signs_when_others_join():
    np.testing.assert_array_equal(
        signs_of(sign_codes(0, 0, 50)), signs_of(sign_codes(0, 0, 80))[:, :50]
    )


def all_code_words():
    positions = np.tile(np.arange(BLOCK, dtype=np.uint8), 2)
    minus = np.repeat(np.array([0, 1], np.uint8), BLOCK)
    # Every unit by itself: column u holds the 256 signs of code word u.
    return signed_sums(np.eye(2 * BLOCK), SignCodes(positions, minus))


def test_any_three_replicates_are_independent():
    words = all_code_words()
    assert np.array_equal(np.abs(words), np.ones_like(words))
    rng = np.random.default_rng(0)
    triples = {tuple(sorted(rng.choice(BLOCK, 3, replace=False))) for _ in range(200)}
    for chosen in [(0, 1, 2), (5, 6, 255), *triples]:
        patterns = ((1 + words[list(chosen)]) / 2).astype(int)
        seen = np.bincount(patterns.T @ [4, 2, 1], minlength=8)
        assert seen.tolist() == [64] * 8


def test_transform_equals_the_matrix_product():
    rng = np.random.default_rng(1)
    for n_units, n_columns in itertools.product((1, 2, 21, 300), (1, 3, 17)):
        values = rng.integers(-1_000, 1_000, (n_units, n_columns)).astype(float)
        expected = signs_of(sign_codes(5, 2, n_units)) @ values
        codes = sign_codes(5, 2, n_units)
        np.testing.assert_array_equal(signed_sums(values, codes), expected)
        single = signed_sums(values.astype(np.float32), codes)
        assert single.dtype == np.float32
        np.testing.assert_array_equal(single, expected)


@pytest.mark.parametrize("n_units", [1, 2, 7, 500])
def test_multiplicities_are_counts_of_the_raw_lanes(n_units):
    counts = count_block(11, 4, n_units, np.float64)
    assert counts.shape == (BLOCK, n_units)
    assert np.all(counts.sum(axis=1) == n_units)
    words = raw_words(11, Stream.BOOTSTRAP, 4, BLOCK * -(-n_units // 2)).reshape(BLOCK, -1)
    lanes = np.stack([words & np.uint64(0xFFFFFFFF), words >> np.uint64(32)], axis=2)
    units = (lanes.reshape(BLOCK, -1)[:, :n_units] * np.uint64(n_units)) >> np.uint64(32)
    for row in (0, 100, 255):
        expected = np.bincount(units[row].astype(int), minlength=n_units)
        np.testing.assert_array_equal(counts[row], expected)
    np.testing.assert_array_equal(count_block(11, 4, n_units, np.float32), counts)


@pytest.mark.parametrize("n_threads", [1, 3, None])
def test_blocks_come_back_in_order_and_progress_is_told_by_the_caller(n_threads):
    told = []

    def progress(done, total):
        told.append((done, total, threading.current_thread()))

    results = run_blocks(
        lambda block, rows: (block, rows), 600, n_threads=n_threads, progress=progress
    )
    assert results == [(0, 256), (1, 256), (2, 88)]
    here = threading.current_thread()
    assert told == [(256, 600, here), (512, 600, here), (600, 600, here)]


@pytest.mark.parametrize("n_threads", [1, 2])
def test_an_exception_in_progress_cancels_the_rest(n_threads):
    begun = []

    def stop(done, total):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_blocks(
            lambda block, rows: begun.append(block), 256 * 4_000, n_threads=n_threads, progress=stop
        )
    assert len(begun) < 4_000


@pytest.mark.parametrize("n_threads", [1, 2])
def test_an_exception_in_work_is_passed_on(n_threads):
    def work(block, rows):
        raise RuntimeError("block failed")

    with pytest.raises(RuntimeError, match="block failed"):
        run_blocks(work, 1_000, n_threads=n_threads)


def test_sums_of_several_blocks_are_those_of_each():
    rng = np.random.default_rng(1)
    values = rng.normal(size=(57, 3))
    blocks = [sign_codes(2, block, 57) for block in range(5)]
    one_by_one = np.stack([signed_sums(values, codes).T for codes in blocks])
    stacked = stacked_codes(2, 5 * BLOCK, 57)
    np.testing.assert_array_equal(signed_sums_of(values, stacked), one_by_one)


@pytest.mark.parametrize("two_sided", [True, False])
def test_blocks_at_once_count_as_single_blocks_do(two_sided, monkeypatch):
    scores = np.random.default_rng(5).normal(size=(3, 80)).round(3)
    scores[1] += 0.1
    alternative = "two-sided" if two_sided else "greater"

    def found():
        result = pairwise(scores, alternative=alternative, n_resamples=5_000)
        return result.pvalue, result.ci_low, result.ci_high

    at_once = found()
    for module in (missing, inversion):
        monkeypatch.setattr(module, "blocks_at_once", lambda n_units, n_columns: 1)
    np.testing.assert_array_equal(at_once, found())


def blas_threads():
    info = [entry for entry in threadpool_info() if entry["user_api"] == "blas"]
    return sorted(entry["num_threads"] for entry in info)


def test_the_matrix_library_gets_its_threads_back_after_the_last_user():
    with threadpool_limits(2, user_api="blas"):
        before = blas_threads()
        assert set(before) == {2}
        first, second = blas_on_one_thread(), blas_on_one_thread()
        first.__enter__()
        second.__enter__()
        first.__exit__(None, None, None)
        assert set(blas_threads()) == {1}
        second.__exit__(None, None, None)
        assert blas_threads() == before


def test_no_more_threads_than_processors_unasked():
    assert 1 <= threads.usable_threads() <= threads.MAX_THREADS


def test_many_small_comparisons_take_no_threads(monkeypatch):
    monkeypatch.setattr(threads.os, "sched_getaffinity", lambda _: range(4), raising=False)
    here = threading.get_ident()
    with on_one_thread():
        assert threads.usable_threads() == 1
        assert set(run_blocks(lambda *_: threading.get_ident(), 1_000)) == {here}
    assert threads.usable_threads() == 4
    assert here not in run_blocks(lambda *_: threading.get_ident(), 1_000)


def test_threads_come_where_work_for_them_is_left(monkeypatch):
    monkeypatch.setattr(threads.os, "sched_getaffinity", lambda _: range(4), raising=False)
    here, now = threading.get_ident(), [0.0]
    # A clock of its own: on a crowded machine no work at all can take long.
    monkeypatch.setattr(threads, "time", SimpleNamespace(perf_counter=lambda: now[0]))

    def workers(seconds):
        def work(_):
            time.sleep(seconds)
            now[0] += seconds
            return threading.get_ident()

        return set(run_tiles(work, 8))

    assert workers(0) == {here}
    assert len(workers(0.01)) > 1


def test_loops_compile_where_nothing_can_be_kept(monkeypatch):
    compile_for_real = kernels.njit

    def no_place(**options):
        if options.get("cache"):
            raise RuntimeError("cannot cache function: no locator available")
        return compile_for_real(**options)

    monkeypatch.setattr(kernels, "njit", no_place)

    @kernels.compiled
    def double(x):
        return 2 * x

    assert double(4) == 8
