"""The result of a paired test, and the items that two systems share."""

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from analysis.statistics._typing import FloatArray
from analysis.statistics.aggregate import aggregate_sums
from analysis.statistics.results import Result
from analysis.statistics.signature import build_signature
from analysis.statistics.validation import as_floats

_LARGEST_SCORE = 1e100

NULL_HYPOTHESES = {
    "t": {
        "two-sided": "Null hypothesis: the mean difference per item is zero.",
        "greater": "Null hypothesis: the mean difference per item is zero or below.",
        "less": "Null hypothesis: the mean difference per item is zero or above.",
    },
    "mcnemar": {
        "two-sided": "Null hypothesis: an item that only one system gets right is as likely to "
        "be a's as b's.",
        "greater": "Null hypothesis: an item that only one system gets right is at most as "
        "likely to be a's as b's.",
        "less": "Null hypothesis: an item that only one system gets right is at least as "
        "likely to be a's as b's.",
    },
    "signflip": {
        "two-sided": "Null hypothesis: on every item the two systems' scores could be exchanged.",
        "greater": "Null hypothesis: on every item the two systems' scores could be exchanged; "
        "only a larger metric of a counts against it.",
        "less": "Null hypothesis: on every item the two systems' scores could be exchanged; "
        "only a smaller metric of a counts against it.",
    },
}


@dataclass(frozen=True, slots=True, eq=False)
class PairedTest(Result):
    """Result of a test of two systems on the same items.

    Attributes
    ----------
    test : str
        "t", "mcnemar" or "signflip".
    aggregation : str
        The metric that `difference` compares: "mean", "ratio" or "f1".
    statistic : float
        t for "t", the number of items that only a gets right for "mcnemar", the difference
        for "signflip".
    pvalue : float
        NaN where nothing can be tested.
    difference : float
        Metric of a minus metric of b on the items tested; NaN where it is not defined.
    n_items : int
        Items that both systems have scores for.
    n_missing : int
        Items left out because either score is NaN.
    alternative : str
        "two-sided", "greater" (a above b) or "less".
    exact : bool
        Whether the p-value comes from the full null distribution, without approximation or
        Monte Carlo.
    n_resamples : int
        Random patterns drawn; 0 if none.
    seed : int or None
        Seed of the random patterns; None if none were drawn.
    pvalue_floor : float or None
        Smallest p-value that this test could give on these data; None for the t test, which has
        none.
    tests_that : str
        The null hypothesis in words.
    why : str
        Why this test was used.
    """

    test: str
    aggregation: str
    statistic: float
    pvalue: float
    difference: float
    n_items: int
    n_missing: int
    alternative: str
    exact: bool
    n_resamples: int
    seed: int | None
    pvalue_floor: float | None
    tests_that: str
    why: str = "Asked for by name."

    @property
    def signature(self) -> str:
        """One line from which the test can be repeated."""
        settings: dict[str, str | int] = {}
        if self.test == "signflip":
            settings["agg"] = self.aggregation
        settings |= {"alt": self.alternative, "n": self.n_items, "missing": self.n_missing}
        if self.test == "signflip":
            settings["m"] = "exact" if self.seed is None else self.n_resamples
        if self.seed is not None:
            settings["seed"] = self.seed
        return build_signature(self.test, **settings)

    def __str__(self) -> str:
        return (
            f"difference {self.difference:.6g}, p = {self.pvalue:.4g} ({self.alternative}), "
            f"{self.n_items} items, {self.n_missing} left out\n{self.tests_that}\n{self.signature}"
        )


class CompletePair(NamedTuple):
    """Scores of the items that both systems have, shape (n_items, n_components) each."""

    a: FloatArray
    b: FloatArray
    n_missing: int


def complete_pair(
    a: npt.ArrayLike, b: npt.ArrayLike, *, n_components: int, aggregation: str = "mean"
) -> CompletePair:
    """Check both systems' scores and leave out items with a NaN in either."""
    scores = []
    for name, given in (("a", a), ("b", b)):
        values = as_floats(given, name)
        if values.ndim == 1:
            values = values[:, np.newaxis]
        if values.ndim != 2 or values.shape[1] != n_components:
            wanted = "(n_items,)" if n_components == 1 else f"(n_items, {n_components})"
            raise ValueError(
                f"`{name}` must have shape {wanted} for aggregation '{aggregation}', "
                f"got {np.shape(given)}."
            )
        too_large = values[np.abs(values) > _LARGEST_SCORE]
        if too_large.size:
            raise ValueError(
                f"`{name}` must be finite and at most 1e100 in size (NaN = missing), "
                f"got {too_large[0]}."
            )
        scores.append(values)
    first, second = scores
    if first.shape != second.shape:
        raise ValueError(
            f"`a` and `b` must hold the same items, got {len(first)} and {len(second)}."
        )
    complete = ~np.any(np.isnan(first) | np.isnan(second), axis=1)
    n_missing = int(np.count_nonzero(~complete))
    return CompletePair(first[complete], second[complete], n_missing)


def metric_difference(pair: CompletePair, aggregation: str) -> float:
    """Return the metric of a minus the metric of b; NaN without items or over a denominator 0."""
    n_items = len(pair.a)
    if n_items == 0:
        return math.nan
    if aggregation == "mean":
        return math.fsum(pair.a[:, 0] - pair.b[:, 0]) / n_items
    sums = np.array([[math.fsum(column) for column in side.T] for side in (pair.a, pair.b)])
    metrics = aggregate_sums(sums, aggregation, n_items)
    return float(metrics[0] - metrics[1])
