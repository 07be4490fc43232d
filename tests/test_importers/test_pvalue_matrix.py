"""Matrices of p-values, in files of our own making."""

import pytest

from store.importers.bundle import ReadOptions
from store.importers.pvalue_matrix import sniff


def pairs(bundle):
    return {(c.system_a, c.system_b): c.pvalue for c in bundle.reported_comparisons}


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("A,1,.5,.1\nB,.5,1,.2\nC,.1,.2,1\n", {("A", "B"): 0.5, ("A", "C"): 0.1, ("B", "C"): 0.2}),
        ("A,,.5,.1\nB,,,.2\nC,,,\n", {("A", "B"): 0.5, ("A", "C"): 0.1, ("B", "C"): 0.2}),
        ("A,-,-,-\nB,.5,-,-\nC,,.2,-\n", {("B", "A"): 0.5, ("C", "B"): 0.2}),
        ("A,,.9,\nB,.1,,\nC,,,\n", {("A", "B"): 0.9, ("B", "A"): 0.1}),
    ],
)
def test_each_pair_is_read_once_unless_its_halves_differ(read, body, expected):
    bundle = read(f",A,B,C\n{body}", "wmt/pvalues.csv")
    assert bundle.format == "pvalue_matrix"
    assert pairs(bundle) == expected
    assert {guess.subject for guess in bundle.guesses} >= {"dataset", "metric"}


@pytest.mark.parametrize("body", ["A,1,7\nB,7,1\n", "A,1,.5\nC,.5,1\n", "A,1,x\nB,.5,1\n"])
def test_other_squares_are_no_matrix_of_p_values(write, body):
    assert not sniff(write(f"item,A,B\n{body}", "t.csv"), ReadOptions())
