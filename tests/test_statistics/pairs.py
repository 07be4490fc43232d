"""Tests and inferences of a pair by their names, as the tests of them call them."""

from functools import partial
from typing import Any

from analysis.statistics.intervals.bootstrap import BOOTSTRAP_INTERVALS, bootstrap_interval
from analysis.statistics.intervals.interval import Interval
from analysis.statistics.paired.equivalence import Equivalence
from analysis.statistics.paired.inference import infer_pair
from analysis.statistics.paired.tests import paired_test

signflip = partial(paired_test, test="signflip")
bootstrap = partial(paired_test, test="bootstrap")


def tost(a: Any, b: Any, margin: Any, **options: Any) -> Equivalence:
    """Return two one-sided tests against a margin."""
    found = infer_pair(a, b, margin=margin, **options).equivalence
    assert found is not None
    return found


def difference_interval(
    a: Any, b: Any, *, method: str = "auto", confidence_level: float = 0.95, **options: Any
) -> Interval:
    """Return the interval of a difference: that of the pair, or one of a single bootstrap."""
    if method in BOOTSTRAP_INTERVALS:
        return bootstrap_interval(a, b, method=method, confidence_level=confidence_level, **options)
    return infer_pair(a, b, interval=method, alpha=1 - confidence_level, **options).interval
