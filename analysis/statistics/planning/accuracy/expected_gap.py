"""How large a gap to expect, from the gaps that were claimed before."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from analysis.statistics.planning.arguments import as_share
from analysis.statistics.results import Result, read_only_mapping
from analysis.statistics.signature import build_signature
from analysis.statistics.validation import as_floats


@dataclass(frozen=True, slots=True, eq=False)
class GapModel(Result):
    """Gap as a straight-line function of baseline accuracy, with a level for each dataset.

    Attributes
    ----------
    baseline_slope : float
        Usually negative: the better the baseline, the less is left to gain.
    levels : mapping of str to float
        Gap at a baseline of 0, by dataset.
    n_claims : int
        Claims that it was fitted to.
    r_squared, residual_std : float
        `residual_std` is NaN without degrees of freedom.
    """

    baseline_slope: float
    levels: Mapping[str, float]
    n_claims: int
    r_squared: float
    residual_std: float

    @property
    def signature(self) -> str:
        """One line that says what was fitted."""
        return build_signature(
            "gap-model",
            slope=self.baseline_slope,
            levels=" ".join(f"{name}={value}" for name, value in self.levels.items()),
            claims=self.n_claims,
        )

    def expected(self, baseline: float, dataset: str) -> float:
        """Return the expected gap over a baseline; it may be negative."""
        if dataset not in self.levels:
            known = ", ".join(f"'{name}'" for name in self.levels)
            raise ValueError(f"`dataset` must be one that has claims: {known}; got {dataset!r}.")
        return self.levels[dataset] + self.baseline_slope * as_share(baseline, "baseline")


def fit_expected_gap(
    baseline: npt.ArrayLike, gap: npt.ArrayLike, datasets: Sequence[str]
) -> GapModel:
    """Fit expected gaps to claims by least squares.

    Claims that were published are those that came out well: what is expected from them is too
    large for the next one.

    Parameters
    ----------
    baseline, gap : array_like, shape (n_claims,)
        Accuracy before and by how much the claim is higher, as shares; a NaN leaves the claim out.
    datasets : sequence of str, shape (n_claims,)

    Returns
    -------
    GapModel

    Raises
    ------
    TypeError, ValueError
        If lengths differ, or no dataset has two claims over different baselines.

    References
    ----------
    Card et al. (2020), tables 7 and 9.

    Examples
    --------
    >>> model = fit_expected_gap([0.8, 0.9, 0.7], [0.03, 0.01, 0.02], ["a", "a", "b"])
    >>> round(model.expected(0.85, "a"), 4)
    0.02
    """
    before, gain = as_floats(baseline, "baseline"), as_floats(gap, "gap")
    labels = np.array([str(name) for name in datasets])
    if before.ndim != 1 or before.shape != gain.shape or labels.shape != before.shape:
        raise ValueError(
            "`baseline`, `gap` and `datasets` must be equally long, got shapes "
            f"{before.shape}, {gain.shape} and {labels.shape}."
        )
    known = ~(np.isnan(before) | np.isnan(gain))
    before, gain, labels = before[known], gain[known], labels[known]
    wrong = before[(before < 0) | (before > 1)]
    if wrong.size:
        raise ValueError(f"`baseline` must hold shares (0.9, not 90), got {wrong[0]:g}.")
    names, codes = np.unique(labels, return_inverse=True)
    counts = np.bincount(codes, minlength=names.size)
    means = np.bincount(codes, before, names.size) / counts
    gains = np.bincount(codes, gain, names.size) / counts
    # With a level for each dataset the slope is that of the differences from its means.
    x, y = before - means[codes], gain - gains[codes]
    spread = float(x @ x)
    if spread <= np.finfo(np.float64).eps * before.size:
        raise ValueError(
            "`baseline` must vary within a dataset. Give two claims over different baselines."
        )
    slope = float(x @ y) / spread
    squares = float(np.sum((y - slope * x) ** 2))
    total = float(np.sum((gain - np.mean(gain)) ** 2))
    free = before.size - names.size - 1
    return GapModel(
        baseline_slope=slope,
        levels=read_only_mapping(
            {
                str(name): float(level)
                for name, level in zip(names, gains - slope * means, strict=True)
            }
        ),
        n_claims=before.size,
        r_squared=1 - squares / total if total > 0 else math.nan,
        residual_std=math.sqrt(squares / free) if free > 0 else math.nan,
    )
