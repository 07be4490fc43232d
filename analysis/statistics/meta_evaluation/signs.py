"""Preferences: which of two outputs a metric prefers, and what a tie is taken as."""

import numpy as np
import numpy.typing as npt

from analysis.statistics._typing import FloatArray
from analysis.statistics.meta_evaluation.coefficients import as_finite
from analysis.statistics.validation import as_choice

TIE_RULES = ("sign", "drop", "half", "first", "second")


def coded_signs(
    differences: npt.ArrayLike, gold: npt.ArrayLike, *, ties: str = "sign"
) -> tuple[FloatArray, FloatArray]:
    """Return a metric's preferences and the human ones, coded so that they can be correlated.

    Parameters
    ----------
    differences : array_like, shape (..., n_units)
        What the metric gives the first output minus what it gives the second, higher being
        better; NaN: not scored.
    gold : array_like, shape (n_units,)
        Positive where the first output was preferred, negative for the second, 0 for a tie;
        NaN: not judged.
    ties : {"sign", "drop", "half", "first", "second"}
        - "sign": first 1, tie 0, second -1, on both sides;
        - "drop": as "sign", and a unit with a tie on either side is left out for that metric;
        - "half": a tie is half a win: first 1, tie ½, second 0, on both sides. A mean is then a
          share of wins; every coefficient is as under "sign";
        - "first", "second": a tie of the metric counts as preferring that output; a human tie
          stays 0.

    Returns
    -------
    tuple of ndarray
        Metric, shape (..., n_units), and gold of the same shape. What is left out is NaN in both.

    Raises
    ------
    TypeError, ValueError
        If the values are no finite numbers or do not fit, or the rule is unknown.

    Notes
    -----
    No rule draws lots: the result does not depend on chance. Between two-valued sides Pearson's
    correlation, Spearman's and Kendall's tau-b are the same number, phi.

    Examples
    --------
    >>> metric, human = coded_signs([0.2, 0.0, -0.1], [1, -1, 1], ties="drop")
    >>> metric, human
    (array([ 1., nan, -1.]), array([ 1., nan,  1.]))
    """
    as_choice(ties, "ties", TIE_RULES)
    metric, human = as_finite(differences, "differences"), as_finite(gold, "gold")
    if human.ndim != 1 or metric.ndim < 1 or metric.shape[-1:] != human.shape:
        raise ValueError(
            "`differences` and `gold` must be about the same units, got shapes "
            f"{metric.shape} and {human.shape}."
        )
    metric = np.sign(metric)
    human = np.broadcast_to(np.sign(human), metric.shape).copy()
    left_out = np.isnan(metric) | np.isnan(human)
    if ties == "drop":
        left_out |= (metric == 0) | (human == 0)
    elif ties in ("first", "second"):
        metric[metric == 0] = 1.0 if ties == "first" else -1.0
    elif ties == "half":
        metric, human = (metric + 1) / 2, (human + 1) / 2
    metric[left_out] = human[left_out] = np.nan
    return metric, human
