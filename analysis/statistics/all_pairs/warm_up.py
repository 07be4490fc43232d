"""Compile the loops before somebody waits for them."""

import numpy as np

from analysis.statistics.all_pairs.max_t import max_t_all_pairs, single_step_max_t
from analysis.statistics.all_pairs.signflip import signflip_all_pairs
from analysis.statistics.resampling.plan import count_block


def compile_loops() -> None:
    """Run every loop of the sign-flip test and max-T once, on all types of numbers.

    Some ten seconds of one processor the first time; afterwards the machine code is read from
    disk in about a second, where a folder for it can be written: beside the source, in the user's
    cache, or in ``NUMBA_CACHE_DIR``. Nothing else depends on having called this.
    """
    scores = np.random.default_rng(0).normal(size=(4, 40)) + 2.0 * np.arange(4)[:, np.newaxis]
    for values in (scores, np.rint(20 * scores), np.rint(1e3 * scores)):
        signflip_all_pairs(values, n_resamples=1, n_threads=1)
        signflip_all_pairs(values, n_resamples=1, n_threads=1, alternative="greater")
        max_t_all_pairs(values, n_resamples=1, n_threads=1)
        single_step_max_t(values, alpha=0.05, n_resamples=1, n_threads=1)
    for dtype in (np.float32, np.float64):
        count_block(0, 0, 3, dtype)
