"""Metrics against humans over several datasets, in sentences."""

from __future__ import annotations

import math

import numpy as np

from analysis import numbers
from analysis.studies.humans.correlations.settings import COEFFICIENTS_IN_WORDS, TESTS_IN_WORDS
from analysis.studies.humans.over_datasets.marks import BETTER, WORSE
from analysis.studies.humans.over_datasets.result import OverResult
from analysis.studies.study import count, listed


def over_datasets_sentence(study: OverResult) -> str:
    """Say which metric has the best mean, who shares its place, and where others differ."""
    value, low, high = (float(x[0]) for x in (study.mean, study.mean_low, study.mean_high))
    text = (
        f"Over {len(study.dataset_labels)} datasets {study.metrics[0]} follows '{study.gold}' "
        f"best: mean {COEFFICIENTS_IN_WORDS[study.coefficient]} "
        f"{numbers.score(value, low=low, high=high)}"
    )
    if not math.isnan(low):
        text += f" ({numbers.interval(low, high)})"
    return f"{text}. {_on_the_mean(study)}{_on_datasets(study)}"


def mean_test_in_words(study: OverResult) -> str:
    """Say how the means are made and compared."""
    alike = bool(np.allclose(study.weights, study.weights[0]))
    text = "Every dataset counts the same in the mean" if alike else "Datasets are weighted"
    if study.mean_test is None:
        return f"{text}. Fewer than two metrics are on every dataset: no means are compared."
    tests = [TESTS_IN_WORDS[test] for test in study.mean_test.split(" ")]
    return f"{text}; means are compared by {listed(tests)}, drawn on each dataset by itself."


def _on_the_mean(study: OverResult) -> str:
    """Say which metrics cannot be told from the best one on the mean."""
    of = {
        word: [
            name
            for name, standing in zip(study.metrics, study.versus_best, strict=True)
            if standing == word
        ]
        for word in ("undecided", "worse", "better")
    }
    if of["better"]:
        return f"On what both scored the mean of {listed(of['better'])} is higher. "
    if of["undecided"]:
        return f"On the mean {listed(of['undecided'])} cannot be separated from it. "
    if of["worse"]:
        n = len(of["worse"])
        others = "the other metric that is" if n == 1 else f"the {n} other metrics that are"
        return f"On the mean it is better than {others} on every dataset. "
    return ""


def _on_datasets(study: OverResult) -> str:
    """Say where metrics differ from the reference, and how much of that chance can do."""
    n = len(study.dataset_labels)
    worse = int((study.differs == WORSE).any(axis=1).sum())
    better = int((study.differs == BETTER).any(axis=1).sum())
    if not worse and not better:
        return f"On no single dataset can another metric be separated from {study.reference}."
    told = [
        f"{count(number, 'metric')} {'is' if number == 1 else 'are'} {word}"
        for number, word in ((worse, "worse"), (better, "better"))
        if number
    ]
    chance = numbers.fixed(100 * (1 - (1 - study.alpha) ** n), 0, unit="%")
    return (
        f"{' and '.join(told)} than {study.reference} on at least one dataset; each dataset is "
        f"corrected by itself, so that chance alone can show this in up to {chance} of cases."
    )
