"""Averages of correlations over datasets: languages, domains, test sets."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from analysis.statistics._typing import FloatArray, Seed
from analysis.statistics.meta_evaluation.cells import as_metrics, check_choices
from analysis.statistics.meta_evaluation.coefficients import as_finite
from analysis.statistics.meta_evaluation.intervals import percentiles, resampled_correlations
from analysis.statistics.meta_evaluation.levels import Correlation, correlation
from analysis.statistics.meta_evaluation.resamples import BOOTSTRAPS
from analysis.statistics.results import Result, read_only
from analysis.statistics.signature import build_signature
from analysis.statistics.validation import as_choice, as_count, as_level, as_seed

WEIGHTINGS = ("macro", "micro")
_BLOCKS_APART = 1 << 32


@dataclass(frozen=True, slots=True, eq=False)
class AveragedCorrelations(Result):
    """Correlations of metrics with gold, averaged over datasets.

    Attributes
    ----------
    value : ndarray, shape (n_metrics,)
        Weighted mean over the datasets where the metric's correlation is defined.
    low, high : ndarray, same shape
        Ends of the interval; NaN where there is none.
    values : ndarray, shape (n_metrics, n_datasets)
        Of each dataset; NaN where not defined.
    weights : ndarray, same shape
        What each dataset counts; 0 where there is no value. Rows add up to 1.
    n_datasets : ndarray of int, shape (n_metrics,)
        Datasets in the average. Metrics with different datasets should not be compared.
    weighting : str
        "macro", "micro" or "given".
    level, coefficient, method : str
    confidence_level : float
    n_resamples : int
    seed : int
    """

    value: FloatArray
    low: FloatArray
    high: FloatArray
    values: FloatArray
    weights: FloatArray
    n_datasets: npt.NDArray[np.int64]
    weighting: str
    level: str
    coefficient: str
    method: str
    confidence_level: float
    n_resamples: int
    seed: int

    @property
    def signature(self) -> str:
        """One line from which the averages can be repeated."""
        return build_signature(
            "average_correlations",
            datasets=self.values.shape[1],
            weighting=self.weighting,
            level=self.level,
            coefficient=self.coefficient,
            interval=self.method,
            confidence=self.confidence_level,
            n_resamples=self.n_resamples,
            seed=self.seed,
        )


def weighted_average(values: npt.ArrayLike, weights: npt.ArrayLike | None = None) -> FloatArray:
    """Return means over the last axis; what is NaN is left out with its weight.

    Parameters
    ----------
    values : array_like, shape (..., n_datasets)
    weights : array_like, shape (n_datasets,) or that of `values`, optional
        Not negative; by default all equal. Only their proportions matter.

    Returns
    -------
    ndarray, shape (...)
        NaN where nothing with a positive weight is left.

    Raises
    ------
    TypeError, ValueError
        If values or weights are no finite numbers or do not fit, or a weight is negative.

    Examples
    --------
    >>> weighted_average([[0.5, 0.8], [0.2, float("nan")]], [1, 2])
    array([0.7, 0.2])
    """
    given = as_finite(values, "values")
    if given.ndim < 1:
        raise ValueError("`values` must have a value per dataset, got a single number.")
    shares = _shares(given, np.ones(given.shape[-1]) if weights is None else weights)
    average = np.sum(np.where(shares > 0, given, 0.0) * shares, axis=-1)
    return np.where(np.any(shares > 0, axis=-1), average, np.nan)


def average_correlations(
    metrics: Sequence[npt.ArrayLike],
    golds: Sequence[npt.ArrayLike],
    *,
    level: str,
    coefficient: str,
    weights: str | npt.ArrayLike = "macro",
    method: str = "boot-both",
    confidence_level: float = 0.95,
    n_resamples: int = 1_999,
    rng: Seed = 0,
    n_threads: int | None = None,
) -> AveragedCorrelations:
    """Average the correlations of metrics with gold over datasets.

    Parameters
    ----------
    metrics : sequence of array_like, shapes (n_metrics, n_systems, n_items)
        One per dataset, with the same metrics in the same order; a metric that a dataset does
        not have is NaN there.
    golds : sequence of array_like, shapes (n_systems, n_items)
    level, coefficient : str
        As for `levels.correlation`.
    weights : {"macro", "micro"} or array_like, shape (n_datasets,)
        "macro": every dataset alike. "micro": a dataset counts as many times as it has units
        for the metric: systems ("system"), items ("item"), systems ("per-system"), cells
        ("global").
    method : {"boot-both", "boot-systems", "boot-inputs"}
        Datasets are resampled each by itself: the interval speaks of these datasets.
    confidence_level : float
    n_resamples : int
    rng : int, Generator or None
        Seed; 0 is a seed. A dataset's resamples depend on its place in the list.
    n_threads : int, optional

    Returns
    -------
    AveragedCorrelations
        Resamples that leave a dataset undefined are averaged over the others.

    Raises
    ------
    TypeError, ValueError
        As for `levels.correlation`; if datasets do not fit or there are none.
    """
    check_choices(level, coefficient, None)
    as_choice(method, "method", BOOTSTRAPS)
    confidence = as_level(confidence_level, name="confidence_level")
    resamples, seed = as_count(n_resamples, "n_resamples"), as_seed(rng)
    datasets = _as_datasets(metrics, golds)
    found = [
        [correlation(x, y, level=level, coefficient=coefficient, rng=seed) for x in several]
        for several, y in datasets
    ]
    values = np.array([[one.value for one in dataset] for dataset in found]).T
    shares = _shares(values, _weights(weights, found, level))
    draws = [
        resampled_correlations(
            several,
            y,
            level=level,
            coefficient=coefficient,
            method=method,
            n_resamples=resamples,
            epsilon=_thresholds(of, coefficient),
            rng=seed,
            first_block=place * _BLOCKS_APART,
            n_threads=n_threads,
        )
        for place, ((several, y), of) in enumerate(zip(datasets, found, strict=True))
    ]
    averages = weighted_average(np.stack(draws, axis=-1), shares[:, np.newaxis])
    low, high = _ends(averages, confidence)
    return AveragedCorrelations(
        value=read_only(weighted_average(values, shares)),
        low=read_only(low),
        high=read_only(high),
        values=read_only(values),
        weights=read_only(shares),
        n_datasets=read_only(np.count_nonzero(shares > 0, axis=1)),
        weighting=weights if isinstance(weights, str) else "given",
        level=level,
        coefficient=coefficient,
        method=method,
        confidence_level=confidence,
        n_resamples=resamples,
        seed=seed,
    )


def _as_datasets(
    metrics: Sequence[npt.ArrayLike], golds: Sequence[npt.ArrayLike]
) -> list[tuple[FloatArray, FloatArray]]:
    if not len(golds) or len(metrics) != len(golds):
        raise ValueError(
            "`metrics` and `golds` must hold one entry per dataset, and at least one, got "
            f"{len(metrics)} and {len(golds)}."
        )
    datasets = [as_metrics(several, y) for several, y in zip(metrics, golds, strict=True)]
    sizes = {len(several) for several, _ in datasets}
    if len(sizes) > 1:
        raise ValueError(
            "`metrics` must hold the same metrics for every dataset (NaN where one has none), "
            f"got between {min(sizes)} and {max(sizes)}."
        )
    return datasets


def _weights(
    weights: str | npt.ArrayLike, found: list[list[Correlation]], level: str
) -> FloatArray:
    """Return what each dataset counts, shape (n_datasets,) or (n_metrics, n_datasets)."""
    if not isinstance(weights, str):
        given = as_finite(weights, "weights")
        if given.shape != (len(found),):
            raise ValueError(
                f"`weights` must hold one number per dataset ({len(found)}), got shape "
                f"{given.shape}."
            )
        return given
    if as_choice(weights, "weights", WEIGHTINGS) == "macro":
        return np.ones(len(found))
    sizes = [[_n_units(one, level) for one in dataset] for dataset in found]
    return np.array(sizes, dtype=np.float64).T


def _thresholds(found: list[Correlation], coefficient: str) -> list[float] | None:
    """Return the tie thresholds that were used, to be kept in all resamples."""
    return [one.epsilon for one in found] if coefficient == "pairwise-accuracy" else None


def _ends(values: FloatArray, confidence: float) -> tuple[FloatArray, FloatArray]:
    """Return the ends of the interval of each row."""
    ends = [percentiles(row[~np.isnan(row)], confidence) for row in values]
    return np.array([low for low, _ in ends]), np.array([high for _, high in ends])


def _n_units(found: Correlation, level: str) -> int:
    if level == "global":
        return found.n_cells
    return found.n_systems if level == "system" else found.n_units


def _shares(values: FloatArray, weights: npt.ArrayLike) -> FloatArray:
    """Return weights that add up to 1 over the values there are, else 0; shape of `values`."""
    given = as_finite(weights, "weights")
    try:
        given = np.broadcast_to(given, values.shape)
    except ValueError:
        raise ValueError(
            f"`weights` must hold one number per dataset, shape {values.shape[-1:]}, "
            f"got shape {given.shape}."
        ) from None
    if np.isnan(given).any() or (given < 0).any():
        raise ValueError("`weights` must not be negative or NaN.")
    used = np.where(np.isnan(values), 0.0, given)
    total = np.sum(used, axis=-1, keepdims=True)
    shares = np.zeros_like(used)
    np.divide(used, total, out=shares, where=total > 0)
    return shares
