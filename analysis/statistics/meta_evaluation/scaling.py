"""Metrics on one scale, so that they can exchange values."""

import numpy as np
import numpy.typing as npt

from analysis.statistics._typing import BoolArray, FloatArray

Places = npt.NDArray[np.intp]


_ROUNDINGS = 8 * float(np.finfo(np.float64).eps)
_MOST_ROUNDING = 1e-6


def usual_scale(level: str, test: str) -> str:
    """Return what `compare_metrics` puts metrics on by default."""
    return "system means" if (level, test) == ("system", "perm-systems") else "standardised"


def standardised(values: FloatArray, scale: str) -> FloatArray:
    """Return metrics on one scale, or as they are ("as given").

    Parameters
    ----------
    values : ndarray, shape (n_metrics, n_systems, n_items)
        NaN: no cell, in all metrics alike.
    scale : {"standardised", "system means", "as given"}
        "standardised": cells with mean 0 and variance 1; "system means": see `scale_of_means`.

    Returns
    -------
    ndarray, same shape
        0 where all values, or all means, are equal.

    Notes
    -----
    Moments are sums of sorted values, and do not depend on where a value stands: metrics that
    have the same values, in whatever places, keep them equal.
    """
    return values if scale == "as given" else _standardised(values, scale)[0]


def _standardised(values: FloatArray, scale: str) -> tuple[FloatArray, FloatArray]:
    """Return standardised metrics, and those of their sorted cells or means."""
    flat = values.reshape(len(values), -1)
    low = np.nanmin(flat, axis=1, keepdims=True)
    # Centred and in units of the range first: squares of very large or small numbers are none.
    reach = np.nanmax(flat, axis=1, keepdims=True) - low
    varies = reach > 0
    middle = (flat - low) / np.where(varies, reach, 1.0)
    if scale == "system means":
        with_cells = ~np.isnan(values[0]).all(axis=1)
        cells = np.sort(middle.reshape(values.shape)[:, with_cells], axis=2)
        counted = np.sort(np.nanmean(cells, axis=2), axis=1)
        moments = np.array([scale_of_means(means) for means in counted])
        centre, spread = moments[:, :1], moments[:, 1:]
        middle, counted = middle - centre, counted - centre
    else:
        counted = np.sort(middle, axis=1)
        centre = np.nanmean(counted, axis=1, keepdims=True)
        middle, counted = middle - centre, counted - centre
        spread = np.sqrt(np.nanmean(counted * counted, axis=1, keepdims=True))
    varies &= spread > _ROUNDINGS
    spread = np.where(varies, spread, 1.0)
    scaled, ascending = (np.where(varies, side / spread, 0.0 * side) for side in (middle, counted))
    return np.asarray(scaled).reshape(values.shape), np.asarray(ascending)


def scale_of_means(means: FloatArray) -> tuple[float, float]:
    """Return what is 0 and what is 1 on the scale "system means": mean, and median distance.

    The distance is the median one between two systems; the standard deviation where half of the
    systems' pairs are tied.

    Notes
    -----
    Not the standard deviation everywhere: it follows the very systems that make a correlation
    high or low, and a test that trades means on its scale alarms too often, see `compare_metrics`.
    """
    ordered = np.sort(means)
    centre = float(np.mean(ordered))
    first, second = np.triu_indices(ordered.size, 1)
    distances = ordered[second] - ordered[first]
    spread = float(np.median(distances)) if distances.size else 0.0
    if not spread > _ROUNDINGS * float(np.max(np.abs(ordered), initial=0.0)):
        spread = float(np.std(ordered))
    return centre, spread


def standardised_for_ranks(values: FloatArray, scale: str) -> FloatArray:
    """Return `standardised` values, those of two metrics equal where only rounding parts them.

    A metric and a shifted or stretched copy of it come out alike but for the last bits, by which
    ranks would tell them apart. Different values of one metric stay different.
    """
    if scale == "as given":
        return values
    scaled, ascending = _standardised(values, scale)
    flat = scaled.reshape(len(scaled), -1)
    slack = _slack(values, flat)
    if scale == "standardised":
        # Rows in order already: a stable sort merges them.
        gaps = np.diff(np.sort(ascending, axis=None, kind="stable"))
        if not np.any((gaps > 0) & (gaps <= 2 * np.max(slack))):
            return scaled
    order = np.argsort(flat, axis=None, kind="stable")
    order = order[: int(np.count_nonzero(~np.isnan(flat)))]
    ascending = flat.reshape(-1)[order]
    owners = order // flat.shape[1]
    near = np.diff(ascending) <= slack[owners[1:]] + slack[owners[:-1]]
    first = np.concatenate([[True], ~near])
    cluster = np.cumsum(first) - 1
    mixed = _mixes_values(owners, cluster, ascending)
    merged = ascending[first][cluster]
    joined = flat.reshape(-1).copy()
    joined[order] = np.where(mixed[cluster], ascending, merged)
    return np.asarray(joined.reshape(values.shape))


def _slack(values: FloatArray, scaled: FloatArray) -> FloatArray:
    """Return how far rounding can move a standardised value of each metric."""
    flat = values.reshape(len(values), -1)
    reach = np.nanmax(flat, axis=1) - np.nanmin(flat, axis=1)
    digits_lost = np.ones(len(flat))
    np.divide(np.nanmax(np.abs(flat), axis=1), reach, out=digits_lost, where=reach > 0)
    width = np.nanmax(scaled, axis=1) - np.nanmin(scaled, axis=1)
    return np.asarray(np.minimum(_ROUNDINGS * width * (1.0 + digits_lost), _MOST_ROUNDING))


def _mixes_values(owners: Places, cluster: Places, ascending: FloatArray) -> BoolArray:
    """Return which clusters hold two different values of one metric."""
    by_owner = np.lexsort((ascending, owners, cluster))
    same = (np.diff(owners[by_owner]) == 0) & (np.diff(cluster[by_owner]) == 0)
    differ = same & (np.diff(ascending[by_owner]) > 0)
    mixed = np.zeros(int(cluster[-1]) + 1, dtype=np.bool_)
    mixed[cluster[by_owner][1:][differ]] = True
    return mixed
