"""Groups of items that depend on each other: a document, a passage, a repository."""

from collections.abc import Hashable, Sequence

import numpy as np
import numpy.typing as npt

from analysis.statistics._typing import BoolArray, IntArray


def as_group_codes(groups: Sequence[Hashable] | npt.NDArray[np.generic], n_items: int) -> IntArray:
    """Number the groups of items.

    Parameters
    ----------
    groups : sequence, shape (n_items,)
        A label per item; items with equal labels depend on each other. None or NaN: a group of
        its own.
    n_items : int
        Number of items that are to have a label.

    Returns
    -------
    ndarray of int, shape (n_items,)
        Numbers from 0 in order of first appearance.

    Raises
    ------
    TypeError, ValueError
        If `groups` is one string, has a label that cannot be hashed, or the wrong length.

    Examples
    --------
    >>> as_group_codes(["x", None, "y", "x", None], 5)
    array([0, 1, 2, 0, 3])
    """
    if isinstance(groups, str | bytes) or not hasattr(groups, "__len__"):
        raise TypeError(
            f"`groups` must be a sequence with a label per item, got {type(groups).__name__}."
        )
    labels = groups.tolist() if isinstance(groups, np.ndarray) else list(groups)
    if len(labels) != n_items:
        raise ValueError(
            f"`groups` must have a label for each of {n_items} items, got {len(labels)}."
        )
    numbers: dict[Hashable, int] = {}
    codes = np.empty(n_items, dtype=np.int64)
    alone = 0
    for i, label in enumerate(labels):
        # NaN is not equal to itself, as None of two items is not: both mean "no group".
        if label is None or label != label:
            codes[i] = len(numbers) + alone
            alone += 1
            continue
        try:
            known = numbers.get(label)
        except TypeError:
            raise TypeError(
                f"`groups` must hold labels that can be hashed, got {type(label).__name__} "
                f"at index {i}."
            ) from None
        if known is None:
            known = numbers[label] = len(numbers) + alone
        codes[i] = known
    return codes


def keep_groups(codes: IntArray, kept: BoolArray) -> IntArray:
    """Number the groups again after leaving items out, in order of first appearance."""
    return renumber(codes[kept])


def renumber(codes: IntArray) -> IntArray:
    """Return the same groups numbered from 0 in order of first appearance."""
    _, first, inverse = np.unique(codes, return_index=True, return_inverse=True)
    order = np.empty(first.size, dtype=np.int64)
    order[np.argsort(first)] = np.arange(first.size)
    return order[inverse.reshape(-1)]
