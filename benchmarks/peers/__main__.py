"""`make bench-peers`: every peer on the same data as ours, weak and strong effects.

    python -m benchmarks.peers PYTHON

PYTHON is that of the peers' environment. Of each case it prints how many times quicker ours is, in
processor seconds at one thread, with the least and the most of the runs, and how far the figures
are apart at most. It fails where figures are further apart than the case allows.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np
from threadpoolctl import threadpool_limits

from analysis.statistics._typing import FloatArray
from benchmarks.peers import ours, theirs

REPEATS = 3
WEAK, STRONG = 0.3, 2.0
"""Standard deviations of an item from the worst system to the best."""
_ONE_THREAD = dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"), "1")


class Case(NamedTuple):
    """What is compared, and how far the figures of both sides may be apart."""

    name: str
    words: str
    data: Callable[[float], FloatArray]
    """From the spread to what both sides get."""
    apart: float
    """Rounding, or the Monte Carlo error of what is drawn.

    Our Wilcoxon test is exact, scipy's normal; autorank's table has three decimals.
    """


def _graded(*shape: int) -> Callable[[float], FloatArray]:
    def data(spread: float) -> FloatArray:
        steps = np.linspace(0, spread, shape[0]).reshape(-1, *(1,) * (len(shape) - 1))
        return np.asarray(np.random.default_rng(0).normal(size=shape) + steps)

    return data


def _answers(spread: float) -> FloatArray:
    return (_graded(40, 500)(spread) > 0).astype(float)


def _metrics(spread: float) -> FloatArray:
    """Three metrics, each following the last row, the human scores, less than the one before."""
    rng = np.random.default_rng(0)
    gold = rng.normal(size=(12, 200)) + rng.normal(size=(12, 1))
    noise = 1 + spread * np.arange(3).reshape(-1, 1, 1)
    return np.concatenate([gold + noise * rng.normal(size=(3, 12, 200)), gold[np.newaxis]])


CASES = (
    Case("wilcoxon", "Wilcoxon of 60 × 500, scipy, axis=1", _graded(60, 500), 1e-3),
    Case("mcnemar", "McNemar of 40 × 500, statsmodels", _answers, 1e-9),
    Case("evalstats", "all pairs of 16 × 133 as by default, evalstats", _graded(16, 133), 1e-9),
    Case("nlpstats", "three metrics, 12 × 200, nlpstats, p", _metrics, 0.08),
    Case("autorank", "ranks of 20 × 30, autorank", _graded(20, 30), 1e-3),
    Case("posthocs", "Nemenyi of 20 × 30, scikit-posthocs, p", _graded(20, 30), 1e-6),
    Case("rliable", "mean of 5 over 20 tasks × 50, rliable", _graded(5, 20, 50), 0.02),
    Case("mlflow", "20 × 2,000 scores in and out, MLflow", _graded(20, 2_000), 1e-12),
)


def main(python: str) -> int:
    """Run every case; return 1 when figures are too far apart."""
    failed = 0
    with tempfile.TemporaryDirectory() as folder, threadpool_limits(1):
        for case in CASES:
            for spread in (WEAK, STRONG):
                path = Path(folder) / "data.npy"
                np.save(path, case.data(spread))
                failed += not _compared(case, spread, path, python)
    return int(failed > 0)


def _compared(case: Case, spread: float, path: Path, python: str) -> bool:
    data = np.load(path)
    peer_s, peer = _theirs(case.name, path, python)
    our_s, found = theirs.timed(ours.CASES[case.name], data, REPEATS)
    apart = float(np.max(np.abs(np.subtract(found, peer))))
    ratios = np.divide(sorted(peer_s), sorted(our_s, reverse=True))
    agrees = apart <= case.apart
    print(
        f"{case.words:<50} {spread:g} SD: {min(peer_s) / min(our_s):>10,.1f} × "
        f"({min(ratios):,.1f} to {max(ratios):,.1f}), apart by {apart:.1e}"
        f"{'' if agrees else f', MORE THAN {case.apart:g}'}"
    )
    sys.stdout.flush()
    return agrees


def _theirs(name: str, path: Path, python: str) -> tuple[list[float], list[float]]:
    command = [python, str(Path(theirs.__file__)), name, str(path), str(REPEATS)]
    environment = os.environ | _ONE_THREAD
    done = subprocess.run(command, env=environment, check=True, capture_output=True, text=True)
    answer = json.loads(done.stdout.splitlines()[-1])
    return answer["seconds"], answer["figures"]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
