"""Friedman, Nemenyi and Wilcoxon–Holm: 60 systems on 30 datasets.

The peers are a loop of scipy's tests, and the whole report of autorank where it is installed. What
is compared is processor time, which other work on the machine does not change.
"""

from __future__ import annotations

import contextlib
import importlib
import importlib.util
import io
import itertools
import time
import warnings
from collections.abc import Callable

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy import stats

from analysis.statistics.across.friedman import friedman_test
from analysis.statistics.across.nemenyi import nemenyi
from analysis.statistics.across.over_datasets import pairs_over_datasets

SYSTEMS, DATASETS = 60, 30
_WHAT = f"ranks and pairs over datasets, S{SYSTEMS} N{DATASETS}"


def run() -> list[tuple[str, float, float]]:
    """Return (name, share of the peer's time, largest share)."""
    rng = np.random.default_rng(0)
    scores = rng.normal(0.7, 0.1, (SYSTEMS, DATASETS)) + rng.normal(0, 0.03, (SYSTEMS, 1))
    took = seconds(lambda: ours(scores))
    rows = [(f"{_WHAT}, against scipy", took / seconds(lambda: _scipy(scores)), 0.1)]
    if importlib.util.find_spec("autorank") is not None:
        peer = seconds(lambda: _autorank(scores))
        rows.append((f"{_WHAT}, against autorank's report", took / peer, 1.0))
    return rows


def ours(scores: npt.NDArray[np.float64]) -> None:
    """Test all systems at once, and each pair of them, over datasets."""
    friedman_test(scores)
    nemenyi(scores)
    pairs_over_datasets(scores)


def _scipy(scores: npt.NDArray[np.float64]) -> None:
    stats.friedmanchisquare(*scores)
    for first, second in itertools.combinations(scores, 2):
        stats.wilcoxon(first, second)


def _autorank(scores: npt.NDArray[np.float64]) -> None:
    autorank = importlib.import_module("autorank")
    frame = pd.DataFrame(scores.T, columns=[f"system {i}" for i in range(SYSTEMS)])
    with contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = autorank.autorank(frame, alpha=0.05, verbose=False, force_mode="nonparametric")
        autorank.create_report(found)


def seconds(work: Callable[[], None], times: int = 3) -> float:
    """Return the least processor seconds of several runs, after one that warms up."""
    work()
    taken = []
    for _ in range(times):
        started = time.process_time()
        work()
        taken.append(time.process_time() - started)
    return min(taken)
