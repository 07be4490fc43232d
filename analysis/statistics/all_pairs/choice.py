"""Which test each pair of systems gets, by its own scores and by nothing else on the board."""

from typing import NamedTuple

import numpy as np

from analysis.statistics._typing import BoolArray, ByteArray, IntArray
from analysis.statistics.aggregate import CORRELATIONS
from analysis.statistics.validity_bounds import BOUNDS

FEW_GROUPS = 10
"""Below this many groups exchanging whole groups has next to no power."""
FEW_GROUPS_OF_MEDIANS = 15
"""Below this many groups a bootstrap of medians by group errs in 7 to 8 % of cases at 5 %."""
FEWEST_GROUPS = 3
"""With fewer groups nothing says how much groups differ."""

_WHY = {
    "score": "All scores are 0 or 1: the score test of paired shares, which Tango's interval "
    "inverts.",
    "mcnemar": "Fewer than 10 items with scores of 0 or 1: McNemar's exact test.",
    "signflip": "Graded scores: exchanging systems needs no assumption about their distribution.",
    "groups": "Items of one group depend on each other: whole groups are exchanged.",
    "t": "Items of few groups depend on each other: a t test with as many values as groups.",
    "bootstrap-percentile": "The metric is computed again on items drawn anew; the interval comes "
    "from the same draws.",
    "jackknife": "Both correlations share gold and items: items are left out one at a time.",
    "": "",
}


class Choice(NamedTuple):
    """Tests of all pairs."""

    tests: tuple[str, ...]
    """The tests in use; the most frequent first."""
    code: ByteArray
    """Test of each pair as a place in `tests`, shape (n_systems, n_systems)."""
    why: str
    """Why the most frequent test was taken."""
    refused: tuple[str, ...]
    """Why pairs get no test; the first is empty."""
    refusal: ByteArray
    """Reason of each pair as a place in `refused`, 0 where it is tested."""

    def uses(self, test: str) -> BoolArray:
        """Return which pairs get a test."""
        if test not in self.tests:
            return np.zeros(self.code.shape, dtype=np.bool_)
        return np.asarray((self.code == self.tests.index(test)) & (self.refusal == 0))


def named_test(test: str, n_systems: int) -> Choice:
    """Return the choice of somebody who asked for one test by name."""
    nothing = np.zeros((n_systems, n_systems), np.uint8)
    return Choice((test,), nothing, "Asked for by name.", ("",), nothing)


def choose_tests(
    aggregation: str,
    binary: BoolArray,
    n_items: IntArray,
    n_units: IntArray,
    delta: float = 0.0,
) -> Choice:
    """Return the test that suits each pair.

    Parameters
    ----------
    aggregation : str
        One of `AGGREGATIONS`.
    binary : ndarray of bool, shape (n_systems,)
        Systems whose scores are all 0 or 1.
    n_items, n_units : ndarray of int, shape (n_systems, n_systems)
        Items that both have scores for, and groups among them.
    delta : float
        The difference under the null hypothesis.
    """
    shape = n_items.shape
    grouped = n_units < n_items
    few_groups = grouped & (n_units < FEW_GROUPS)
    names = np.full(shape, "", dtype=object)
    if aggregation == "mean":
        of_shares = np.logical_and.outer(binary, binary) & ~grouped
        names[...] = "signflip"
        names[grouped] = "groups"
        names[of_shares] = "score"
        if not delta:
            names[of_shares & (n_items < BOUNDS["binary-units"].value)] = "mcnemar"
        names[few_groups] = "t"
    elif aggregation in CORRELATIONS:
        names[...] = "jackknife"
    else:
        names[...] = "bootstrap-percentile"
    refused = ["", "no-valid-test"]
    too_few = grouped & (n_units < FEWEST_GROUPS)
    if aggregation not in ("mean", *CORRELATIONS):
        too_few = few_groups
    if aggregation == "median":
        too_few = grouped & (n_units < FEW_GROUPS_OF_MEDIANS)
    tests_of = {"groups": "signflip"}
    found = {name: tests_of.get(name, name) for name in set(names.reshape(-1).tolist())}
    upper = np.triu_indices(len(names), 1)
    listed = names[upper].tolist() or names.reshape(-1).tolist()
    order = sorted(set(listed), key=lambda name: (-listed.count(name), name))
    tests = tuple(dict.fromkeys(found[name] for name in order))
    code = np.zeros(shape, np.uint8)
    for name, test in found.items():
        code[names == name] = tests.index(test) if test in tests else 0
    return Choice(tests, code, _WHY[order[0]], tuple(refused), too_few.astype(np.uint8))
