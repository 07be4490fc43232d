"""Tests and inferences of a pair by their names, as the tests of them call them."""

from functools import partial
from typing import Any

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
