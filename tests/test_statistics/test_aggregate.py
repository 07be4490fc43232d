import numpy as np
import pytest

from analysis.statistics import aggregate_sums
from analysis.statistics.aggregate import as_aggregation


def test_aggregate_sums_known_values():
    assert aggregate_sums(np.array([6.0]), "mean", 4) == 1.5
    assert aggregate_sums(np.array([3.0, 4.0]), "ratio", 9) == 0.75
    assert aggregate_sums(np.array([6.0, 2.0, 4.0]), "f1", 9) == pytest.approx(12 / 18)


def test_aggregate_sums_works_along_the_last_axis():
    sums = np.array([[[1.0, 2.0], [3.0, 4.0]], [[0.0, 0.0], [5.0, 5.0]]])
    np.testing.assert_array_equal(aggregate_sums(sums, "ratio", 1), [[0.5, 0.75], [np.nan, 1.0]])


def test_aggregate_sums_without_denominator_is_nan():
    assert np.isnan(aggregate_sums(np.zeros(3), "f1", 5))


def test_as_aggregation_explains_correlations():
    with pytest.raises(ValueError, match="`aggregation` 'spearman' is a correlation"):
        as_aggregation("spearman")
    with pytest.raises(ValueError, match="`aggregation` must be one of 'mean', 'ratio', 'f1'"):
        as_aggregation("bleu")
