"""The peers' side: `python theirs.py CASE DATA.npz` prints processor seconds and figures as JSON.

It runs in the environment of `requirements.txt` and imports nothing of this product.
"""

from __future__ import annotations

import contextlib
import importlib
import io
import json
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np

Figures = Iterable[float]
"""What both sides must agree on."""
Work = Callable[[Any], Figures]


def _wilcoxon(scores: Any) -> Figures:
    wilcoxon = importlib.import_module("scipy.stats").wilcoxon
    found: list[float] = []
    for first in range(len(scores) - 1):
        others = scores[first + 1 :]
        one = np.broadcast_to(scores[first], others.shape)
        found += wilcoxon(one, others, axis=1, method="asymptotic").pvalue.tolist()
    return found


def _mcnemar(scores: Any) -> Figures:
    mcnemar = importlib.import_module("statsmodels.stats.contingency_tables").mcnemar
    right, found = scores == 1, []
    for first, second in zip(*np.triu_indices(len(scores), 1), strict=True):
        a, b = right[first], right[second]
        table = [[np.sum(a & b), np.sum(a & ~b)], [np.sum(~a & b), np.sum(~a & ~b)]]
        found.append(float(mcnemar(table, exact=True).pvalue))
    return found


def _evalstats(scores: Any) -> Figures:
    labels = [f"{number:03d}" for number in range(len(scores))]
    whole = importlib.import_module("evalstats").all_pairwise(
        scores, labels, rng=np.random.default_rng(0)
    )
    return [whole.results[a, b].point_diff for i, a in enumerate(labels) for b in labels[i + 1 :]]


def _nlpstats(scores: Any) -> Figures:
    permutation = importlib.import_module("nlpstats.correlations.permutation")
    *metrics, gold = scores
    return [
        permutation.permutation_test(
            first, second, gold, "system", "pearson", "both", n_resamples=999
        ).pvalue
        for number, first in enumerate(metrics)
        for second in metrics[number + 1 :]
    ]


def _autorank(scores: Any) -> Figures:
    frame = importlib.import_module("pandas").DataFrame(scores.T)
    found = importlib.import_module("autorank").autorank(
        frame, alpha=0.05, verbose=False, force_mode="nonparametric"
    )
    # Ours gives 1 to the best, as does autorank; in the order of the systems.
    return [*found.rankdf["meanrank"].sort_index().tolist(), float(found.pvalue), float(found.cd)]


def _posthocs(scores: Any) -> Figures:
    table = importlib.import_module("scikit_posthocs").posthoc_nemenyi_friedman(scores.T)
    found: list[float] = table.to_numpy()[np.triu_indices(len(scores), 1)].tolist()
    return found


def _rliable(scores: Any) -> Figures:
    library = importlib.import_module("rliable.library")
    metrics = importlib.import_module("rliable.metrics")
    runs = {f"{number:03d}": one.T for number, one in enumerate(scores)}  # runs × tasks
    points, ends = library.get_interval_estimates(
        runs, lambda x: np.array([metrics.aggregate_mean(x)]), reps=2_000
    )
    return [float(v) for name in runs for v in (points[name][0], *ends[name][:, 0])]


def _mlflow(scores: Any) -> Figures:
    mlflow = importlib.import_module("mlflow")
    metric = importlib.import_module("mlflow.entities").Metric
    with tempfile.TemporaryDirectory() as folder:
        client = mlflow.MlflowClient(f"sqlite:///{folder}/mlflow.db")
        experiment = client.create_experiment("qa")
        means = []
        for row in scores:
            run = client.create_run(experiment).info.run_id
            values = [metric("score", value, 0, step) for step, value in enumerate(row.tolist())]
            for start in range(0, len(values), 1_000):
                client.log_batch(run, metrics=values[start : start + 1_000])
            read = client.get_metric_history(run, "score")
            means.append(float(np.mean([one.value for one in read])))
        return means


CASES: dict[str, Work] = {
    "wilcoxon": _wilcoxon,
    "mcnemar": _mcnemar,
    "evalstats": _evalstats,
    "nlpstats": _nlpstats,
    "autorank": _autorank,
    "posthocs": _posthocs,
    "rliable": _rliable,
    "mlflow": _mlflow,
}


def timed(work: Work, scores: Any, repeats: int) -> tuple[list[float], list[float]]:
    """Return processor seconds of each run, after one of a small part, and the figures."""
    work(scores[:4])
    seconds, figures = [], []
    for _ in range(repeats):
        began = time.process_time()
        figures = list(work(scores))
        seconds.append(time.process_time() - began)
    return seconds, figures


def main() -> None:
    """Run one case on the data of a file, and print what it took and gave."""
    case, path, repeats = sys.argv[1:]
    np.random.seed(0)  # noqa: NPY002  nlpstats draws from the old global stream
    warnings.simplefilter("ignore")
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        seconds, figures = timed(CASES[case], np.load(Path(path)), int(repeats))
    print(json.dumps({"seconds": seconds, "figures": figures}))


if __name__ == "__main__":
    main()
