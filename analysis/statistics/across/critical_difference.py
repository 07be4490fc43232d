"""Which bars join systems that cannot be told apart in a critical-difference diagram?"""

import numpy as np
import numpy.typing as npt


def bars(order: npt.ArrayLike, different: npt.ArrayLike) -> tuple[tuple[int, int], ...]:
    """Return the longest runs of neighbouring systems in which no pair is different.

    Parameters
    ----------
    order : array_like of int, shape (n_systems,)
        Systems by mean rank, best first: a permutation of the rows of `different`.
    different : array_like of bool, shape (n_systems, n_systems)
        Whether a test told each pair apart; a pair counts if either triangle says so.

    Returns
    -------
    tuple of (int, int)
        First and last place in `order` of each bar, last above first, from best to worst. No bar
        lies within another.

    Raises
    ------
    TypeError, ValueError
        If `different` is not square or not boolean, or `order` is no permutation of its rows.

    Notes
    -----
    No bar ever covers a pair that was told apart. The converse does not hold: two systems that
    could not be told apart have no bar in common where a pair between them was. That happens with
    pairwise tests, such as Wilcoxon's, never with a critical difference of mean ranks.

    Examples
    --------
    >>> different = np.zeros((4, 4), dtype=bool)
    >>> different[0, 3] = True
    >>> bars([0, 1, 2, 3], different)
    ((0, 2), (1, 3))
    """
    told_apart = np.asarray(different)
    if told_apart.dtype != np.bool_:
        raise TypeError(f"`different` must hold booleans, got {told_apart.dtype} values.")
    if told_apart.ndim != 2 or told_apart.shape[0] != told_apart.shape[1]:
        raise ValueError(
            f"`different` must be square (systems × systems), got shape {told_apart.shape}."
        )
    n_systems = len(told_apart)
    places = np.asarray(order)
    if places.shape != (n_systems,) or not np.array_equal(np.sort(places), np.arange(n_systems)):
        raise ValueError(
            f"`order` must hold each of the {n_systems} systems of `different` once, best first."
        )
    if n_systems == 0:
        return ()
    places = places.astype(np.intp)
    apart = (told_apart | told_apart.T)[np.ix_(places, places)]
    later = np.triu(apart, 1)
    # Where each system's run must end, and so those of all better ones.
    ends = np.where(later.any(axis=1), np.argmax(later, axis=1), n_systems) - 1
    ends = np.minimum.accumulate(ends[::-1])[::-1]
    starts = np.arange(n_systems)
    new = np.diff(ends, prepend=-1) > 0
    return tuple(
        (int(first), int(last))
        for first, last in zip(starts[new], ends[new], strict=True)
        if last > first
    )
