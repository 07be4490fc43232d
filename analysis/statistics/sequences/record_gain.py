"""How much the gain of a record is exaggerated, because only gains are called records."""

from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
import numpy.typing as npt
import scipy

from analysis.statistics._typing import Alternative, BoolArray, FloatArray
from analysis.statistics.results import Result, read_only
from analysis.statistics.signature import build_signature
from analysis.statistics.validation import as_choice, as_floats, as_level

Selection: TypeAlias = Literal["record", "significant"]

SELECTIONS: tuple[Selection, ...] = ("record", "significant")
_ALTERNATIVES = ("two-sided", "greater")
_FARTHEST = -1e12


@dataclass(frozen=True, slots=True, eq=False)
class CorrectedGain(Result):
    """Gains with the selection taken out.

    Attributes
    ----------
    gain, standard_error : ndarray of float, shape (n,)
        As given.
    gain_corrected : ndarray of float, shape (n,)
        Median-unbiased: among gains that are reported at all, the observed one would be exceeded
        half of the time. NaN where the gain would not have been reported.
    low, high : ndarray of float, shape (n,)
        Interval for the true gain, given that it was reported.
    exaggeration : ndarray of float, shape (n,)
        ``gain / gain_corrected`` (Type M); inf where the corrected gain is not above 0.
    confidence : float
    selection : str
        "record" or "significant".
    alternative : str
    """

    gain: FloatArray
    standard_error: FloatArray
    gain_corrected: FloatArray
    low: FloatArray
    high: FloatArray
    exaggeration: FloatArray
    confidence: float
    selection: str
    alternative: str

    @property
    def signature(self) -> str:
        """One line from which the correction can be repeated."""
        return build_signature(
            "corrected-gain",
            n=self.gain.size,
            selection=self.selection,
            alt=self.alternative,
            confidence=self.confidence,
        )


def correct_gain(
    gain: npt.ArrayLike,
    standard_error: npt.ArrayLike,
    *,
    selection: Selection = "record",
    alpha: npt.ArrayLike = 0.05,
    alternative: Alternative = "two-sided",
    confidence: float = 0.95,
) -> CorrectedGain:
    """Estimate the true gains of records, given that only gains are reported.

    Parameters
    ----------
    gain : array_like, shape (n,)
        Observed gains over the best before; NaN where unknown.
    standard_error : array_like, shape (n,) or a number
        Above 0; NaN where unknown.
    selection : {"record", "significant"}
        What was reported: every gain above 0, or the gains that a test finds.
    alpha : float or array_like, shape (n,)
        Level of that test, with "significant" only; the levels of a `ClaimSequence` fit here. With
        a level of 0 nothing is reported.
    alternative : {"two-sided", "greater"}
        Of that test.
    confidence : float
        Of the interval, strictly between 0 and 1.

    Returns
    -------
    CorrectedGain

    Raises
    ------
    TypeError, ValueError
        If an argument is out of range or shapes do not fit.

    Notes
    -----
    The observed gain is taken for normal around the true one with a known standard error, cut off
    where it would not have been reported. A gain close to the cut says next to nothing about how
    low the true one may be: the corrected gain and `low` can be far below 0.

    It is about one selection, of the gain. That the earlier best was itself picked for being high
    works the other way and is not taken out.

    References
    ----------
    .. [1] Zhong and Prentice (2008), Bias-reduced estimators and confidence intervals for odds
       ratios in genome-wide association studies (the conditional likelihood and its interval).
    .. [2] Gelman and Carlin (2014), Beyond power calculations (Type M).

    Examples
    --------
    >>> found = correct_gain([0.5, 3.0], 1.0)
    >>> found.gain_corrected.round(3), found.exaggeration.round(2)
    (array([-0.573,  2.998]), array([inf,  1.]))
    """
    observed, error = _as_pairs(gain, standard_error, "gain")
    level = as_level(confidence, name="confidence")
    cut = _cut(selection, alpha, alternative, observed.shape)
    ratio = observed / error
    middle, low, high = (
        error * _solve(ratio, cut, tail) for tail in (0.5, (1 - level) / 2, (1 + level) / 2)
    )
    with np.errstate(divide="ignore", invalid="ignore"):
        factor = np.where(middle > 0, observed / middle, np.inf)
    factor[np.isnan(middle)] = np.nan
    return CorrectedGain(
        gain=read_only(observed),
        standard_error=read_only(error),
        gain_corrected=read_only(middle),
        low=read_only(low),
        high=read_only(high),
        exaggeration=read_only(factor),
        confidence=level,
        selection=selection,
        alternative=alternative,
    )


def _cut(
    selection: str, alpha: npt.ArrayLike, alternative: str, shape: tuple[int, ...]
) -> FloatArray:
    """Return the gain over its standard error from which on it is reported."""
    as_choice(selection, "selection", SELECTIONS)
    as_choice(alternative, "alternative", _ALTERNATIVES)
    levels = as_floats(alpha, "alpha")
    if levels.shape not in ((), shape):
        raise ValueError(f"`alpha` must be a number or have shape {shape}, got {levels.shape}.")
    if np.any(~((levels >= 0) & (levels < 1))):
        raise ValueError("`alpha` must be at least 0 and below 1.")
    if selection == "record":
        return np.zeros(shape)
    tails = levels / 2 if alternative == "two-sided" else levels
    return np.broadcast_to(-scipy.special.ndtri(tails), shape)


def _solve(observed: FloatArray, cut: FloatArray, tail: float) -> FloatArray:
    """Return the true gains for which a reported one exceeds the observed with chance `tail`."""
    reported = observed > cut
    x, c = np.where(reported, observed, 1.0), np.where(reported, cut, 0.0)
    high = x + scipy.special.ndtri(tail)  # without the selection; with it the chance is larger
    reach = np.ones(x.shape)
    low = high - reach
    while np.any(above := _above(x, c, low, tail) & (low > _FARTHEST)):
        reach = np.where(above, 2 * reach, reach)
        low = high - reach
    while np.any((low < (middle := (low + high) / 2)) & (middle < high)):
        above = _above(x, c, middle, tail)
        low, high = np.where(above, low, middle), np.where(above, middle, high)
    found = np.where(low > _FARTHEST, (low + high) / 2, -np.inf)
    return np.where(reported, found, np.nan)


def _above(x: FloatArray, cut: FloatArray, truth: FloatArray, tail: float) -> BoolArray:
    """Return where P(observed > x | observed > cut, truth) is above `tail`."""
    near, far = cut - truth, x - truth
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        plain = scipy.special.log_ndtr(-far) - scipy.special.log_ndtr(-near)
        # Both far in the tail: the squares cancel before they are taken.
        steep = np.log(
            scipy.special.erfcx(far / np.sqrt(2)) / scipy.special.erfcx(near / np.sqrt(2))
        )
        steep -= 0.5 * (x - cut) * (far + near)
    return np.asarray(np.where(near > 0, steep, plain) > np.log(tail))


def _as_pairs(
    gain: npt.ArrayLike, standard_error: npt.ArrayLike, name: str
) -> tuple[FloatArray, FloatArray]:
    gains = as_floats(gain, name)
    if gains.ndim != 1:
        raise ValueError(f"`{name}` must be 1-D (one per record), got shape {gains.shape}.")
    errors = as_floats(standard_error, "standard_error")
    if errors.shape not in ((), gains.shape):
        raise ValueError(
            f"`standard_error` must be a number or have shape {gains.shape}, got {errors.shape}."
        )
    if np.isinf(gains).any() or np.any((errors <= 0) | np.isinf(errors)):
        raise ValueError(
            f"`{name}` must be finite and `standard_error` finite and above 0 (NaN = unknown)."
        )
    return gains, np.array(np.broadcast_to(errors, gains.shape))
