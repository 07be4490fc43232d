"""Compile the loops of metrics against gold before somebody waits for them."""

from typing import Any

import numpy as np

from analysis.statistics.meta_evaluation.comparison import compare_all_metrics
from analysis.statistics.meta_evaluation.intervals import resampled_correlations
from analysis.statistics.meta_evaluation.levels import metric_correlations


def compile_loops() -> None:
    """Run the usual coefficients, tests and intervals once, on a few systems and items."""
    metrics = np.random.default_rng(0).normal(size=(2, 5, 6))
    gold = metrics[0] + metrics[1]
    for level, coefficient in (
        ("system", "pearson"),
        ("item", "kendall-b"),
        ("global", "spearman"),
    ):
        how: dict[str, Any] = {"level": level, "coefficient": coefficient}
        compare_all_metrics(metrics, gold, test="perm-both", n_resamples=1, n_threads=1, **how)
        resampled_correlations(metrics, gold, n_resamples=1, n_threads=1, **how)
        metric_correlations(metrics, **how)
