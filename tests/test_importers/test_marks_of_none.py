"""-1 among scores that are never below 0: a mark of a missing one, where nothing else fits."""

import numpy as np
import pytest

from store.importers.detect import read_paths
from store.importers.marks_of_none import marks_of_none

ALL = np.ones(3, np.bool_)


def test_a_score_below_0_that_cannot_be_is_none(write) -> None:
    path = write("model,item,f1,kappa\nA,a,0.5,-1\nA,b,-1,0.2\nA,c,0.25,0.3\n", "qa.csv")
    (bundle,) = read_paths(path).bundles
    values = [one.values[:, 0] for one in bundle.runs[0].scores]
    np.testing.assert_array_equal(values, [[0.5, np.nan, 0.25], [-1, 0.2, 0.3]])
    told = [(one.subject, one.value) for one in bundle.guesses]
    assert ("-1 of f1", "no score in 1 row") in told


def test_a_metric_that_is_declared_is_read_as_it_stands(write) -> None:
    write("metrics: {f1: {higher_is_better: true}}\n", "qa.tiebreak.yaml")
    path = write("model,item,f1\nA,a,0.5\nA,b,-1\n", "qa.csv")
    (bundle,) = read_paths(path).bundles
    assert bundle.runs[0].scores[0].values[:, 0].tolist() == [0.5, -1]


@pytest.mark.parametrize(
    ("metric", "scores", "n_marks", "is_warned"),
    [
        ("accuracy", [1, 0, -1], 0, True), ("latency", [2.5, -2, -1], 0, True),
        ("latency", [2.5, -1, -1], 2, False), ("zork", [2.5, -1, 3], 0, False),
        ("zork", [0.5, -1, 0.2], 0, True), ("zork", [0.5, -0.5, 0.2], 0, False),
        ("zork", [1, -1, 0], 0, False), ("accuracy", [0.5, 0.2, 0], 0, False),
        ("accuracy", [-1, -1, -1], 0, True), ("kappa", [0.5, -1, 0.2], 0, False),
    ],
)  # fmt: skip
def test_where_it_may_be_a_verdict_it_is_warned_about(metric, scores, n_marks, is_warned) -> None:
    found = marks_of_none(metric, np.array(scores, np.float64), ALL)
    assert (found.is_mark.sum(), bool(found.warnings)) == (n_marks, is_warned)


def test_a_plain_list_of_scores_has_marks_of_none_too(write) -> None:
    path = write("\n".join(["0.5", "-1", "0.25", "1", "0.75", "0", "0.1", "0.9"]), "A/f1.txt")
    (bundle,) = read_paths(path).bundles
    np.testing.assert_array_equal(
        bundle.runs[0].scores[0].values[:, 0], [0.5, np.nan, 0.25, 1, 0.75, 0, 0.1, 0.9]
    )
    assert ("-1 of f1", "no score in 1 row") in [(g.subject, g.value) for g in bundle.guesses]
    write("metrics: {f1: {higher_is_better: true}}\n", "A/f1.tiebreak.yaml")
    (bundle,) = read_paths(path).bundles
    assert bundle.runs[0].scores[0].values[1, 0] == -1


def test_a_list_of_scores_of_an_unknown_metric_is_warned_about(write) -> None:
    path = write("\n".join(["0.5", "-1", "0.25", "1", "0.75", "0", "0.1", "0.9"]), "A/zork.txt")
    (bundle,) = read_paths(path).bundles
    assert bundle.runs[0].scores[0].values[1, 0] == -1
    assert any("is -1 in 1 of 8 rows" in told for told in bundle.warnings)
