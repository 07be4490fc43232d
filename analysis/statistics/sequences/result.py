"""What the rules for a sequence of claims share: the looks, the levels, the result."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from analysis.statistics._typing import BoolArray, FloatArray, IntArray
from analysis.statistics.results import Result, read_only, read_only_mapping
from analysis.statistics.signature import build_signature
from analysis.statistics.validation import as_floats

MOST_LOOKS = 10**6
"""Looks at one test set above which a number is taken for a mistake."""


@dataclass(frozen=True, slots=True, eq=False)
class ClaimSequence(Result):
    """A sequence of claims with the level that each had to meet.

    Attributes
    ----------
    rule : str
        How the levels were set.
    pvalues : ndarray of float, shape (n_claims,)
        As given, in order of time; NaN where a claim could not be tested.
    looks : ndarray of int, shape (n_claims,)
        Which look at the test set each claim was; the first look is 1.
    levels : ndarray of float, shape (n_claims,)
        Level of each claim. It depends on earlier claims only, so no later claim changes it.
    pvalues_sequential : ndarray of float, shape (n_claims,)
        The p-values on the scale of `alpha`: ``min(1, alpha * pvalues / levels)``, at most
        `alpha` exactly where rejected. NaN where the p-value is NaN.
    rejected : ndarray of bool, shape (n_claims,)
        Where the claim holds: ``pvalues <= levels``. False where the p-value is NaN.
    wealth : ndarray of float, shape (n_claims,)
        Error rate left to spend after each claim. Alpha spending only loses it; the online rules
        earn some with each claim that holds.
    alpha : float
        Level of the whole sequence.
    n_looks : int
        Looks up to the last claim, claims or not.
    n_untestable : int
        Number of NaN p-values. Their levels are spent as if each were 1.
    controls : str
        The error that is kept at `alpha`: "family-wise error" or "false discovery rate".
    assumes : str
        What must hold between the claims for that.
    settings : mapping of str to str, int or float
        The rule's own constants.

    Notes
    -----
    Every rule takes each p-value for valid. No rule makes up for systems that were tuned on the
    items of the test set.
    """

    rule: str
    pvalues: FloatArray
    looks: IntArray
    levels: FloatArray
    pvalues_sequential: FloatArray
    rejected: BoolArray
    wealth: FloatArray
    alpha: float
    n_looks: int
    n_untestable: int
    controls: str
    assumes: str
    settings: Mapping[str, str | int | float]

    @property
    def signature(self) -> str:
        """One line from which the levels can be computed again."""
        return build_signature(
            self.rule,
            m=self.pvalues.size,
            looks=self.n_looks,
            untestable=self.n_untestable,
            **self.settings,
            alpha=self.alpha,
        )

    def __str__(self) -> str:
        lines = [f"{'look':>6}  {'p':>10}  {'level':>10}  holds"]
        for look, p, level, rejected in zip(
            self.looks, self.pvalues, self.levels, self.rejected, strict=True
        ):
            verdict = "not testable" if np.isnan(p) else "yes" if rejected else "no"
            lines.append(f"{look:>6}  {p:>10.4g}  {level:>10.4g}  {verdict}")
        return "\n".join([*lines, self.signature])


def as_looks(looks: npt.ArrayLike | None, n_claims: int) -> IntArray:
    """Return the number of the look that each claim was; 1, 2, ... where none are given."""
    if looks is None:
        return np.arange(1, n_claims + 1, dtype=np.int64)
    given = as_floats(looks, "looks")
    if given.shape != (n_claims,):
        raise ValueError(
            f"`looks` must hold one number per p-value, shape {(n_claims,)}, got {given.shape}."
        )
    counts = np.concatenate([[0.0], given])
    if not (np.all(np.diff(counts) > 0) and np.all(given == np.floor(given))):
        raise ValueError(
            "`looks` must be whole numbers from 1 that grow from claim to claim; number the "
            "looks at the test set in order of time, and give each claim the number of its look."
        )
    if n_claims and given[-1] > MOST_LOOKS:
        raise ValueError(f"`looks` must not be above {MOST_LOOKS}, got {given[-1]:.0f}.")
    return given.astype(np.int64)


def spread_over_looks(pvalues: FloatArray, looks: IntArray) -> FloatArray:
    """Return a p-value for every look up to the last claim: 1 where nothing was tested."""
    spread = np.ones(int(looks[-1]) if looks.size else 0)
    spread[looks - 1] = np.where(np.isnan(pvalues), 1.0, pvalues)
    return spread


def build_sequence(
    rule: str,
    pvalues: FloatArray,
    looks: IntArray,
    levels: FloatArray,
    wealth: FloatArray,
    *,
    alpha: float,
    controls: str,
    assumes: str,
    settings: Mapping[str, str | int | float],
) -> ClaimSequence:
    """Pick the claims out of the looks; `levels` and `wealth` have one entry per look."""
    own = levels[looks - 1]
    rejected = np.asarray((pvalues <= own) & (own > 0))
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        scaled = np.where(own > 0, np.minimum(alpha * (pvalues / own), 1.0), 1.0)
    # To the last bit on the right side of alpha, however the division was rounded.
    scaled = np.where(
        rejected, np.minimum(scaled, alpha), np.maximum(scaled, np.nextafter(alpha, 1.0))
    )
    scaled[np.isnan(pvalues)] = np.nan
    return ClaimSequence(
        rule=rule,
        pvalues=read_only(pvalues),
        looks=read_only(looks),
        levels=read_only(own),
        pvalues_sequential=read_only(scaled),
        rejected=read_only(rejected),
        wealth=read_only(wealth[looks - 1]),
        alpha=alpha,
        n_looks=levels.size,
        n_untestable=int(np.isnan(pvalues).sum()),
        controls=controls,
        assumes=assumes,
        settings=read_only_mapping(settings),
    )
