"""The one rule by which what an import brings meets what is known under the same identity.

Nothing known: it is added. The same: it stays. What is known lacks something: that is filled in.
What decides is stated otherwise: it is replaced where the person allowed it, else refused.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

import numpy as np

from store import vectors
from store.errors import StoreError
from store.importers.bundle import FloatArray
from store.importers.cells import BoolArray

What = Literal["added", "unchanged", "replaced"]


@dataclass(frozen=True, slots=True)
class Policy:
    """What happens where an import contradicts what is known."""

    refuse: Callable[[str, Any, Any], StoreError]
    """Field, what is known, what is brought -> the error that says so."""
    replace: bool = False
    """What is brought takes the place of what is known."""
    same: Callable[[Any, Any], bool] = lambda known, brought: bool(known == brought)


@dataclass(frozen=True, slots=True)
class Reconciled:
    """What becomes of one thing that an import brings."""

    what: What
    missing: Mapping[str, Any] = field(default_factory=dict)
    """What is known lacks this, and the import has it; only where the rest is unchanged."""


def reconcile(
    known: Mapping[str, Any] | None,
    content: Mapping[str, Any],
    decides: Sequence[str] = (),
    policy: Policy | None = None,
) -> Reconciled:
    """Return what becomes of `content`.

    Parameters
    ----------
    known
        What is held under the identity of `content`; ``None``: nothing.
    content
        What the import states; ``None`` as a value says nothing.
    decides
        Fields that must not be stated in two ways; of all others what is known stays.
    policy
        What happens where they are; not needed where nothing decides.

    Raises
    ------
    StoreError
        A field that decides is stated otherwise, and the policy does not replace.
    """
    if known is None:
        return Reconciled("added")
    for name in decides:
        old, new = known[name], content[name]
        if policy is None or old is None or new is None or policy.same(old, new):
            continue
        if not policy.replace:
            raise policy.refuse(name, old, new)
        return Reconciled("replaced")
    return Reconciled(
        "unchanged",
        {
            name: value
            for name, value in content.items()
            if value is not None and known[name] is None
        },
    )


class ReconciledScores(NamedTuple):
    """How two vectors of scores of one run, metric and trial meet, item by item."""

    contradicted: BoolArray
    """Scored on both sides, and not alike."""
    gained: BoolArray
    """Scored by the import only."""
    lacking: BoolArray
    """Scored in what is known only, although the import has the item."""
    values: FloatArray
    """Shape (n_items, n_components): what is known with what is gained."""


def reconcile_scores(
    known: FloatArray, brought: FloatArray, has_item: BoolArray
) -> ReconciledScores:
    """Return `reconcile` for every item of two vectors; the shorter one is lengthened.

    Parameters
    ----------
    known, brought
        Shape (n_items, n_components); NaN says nothing.
    has_item
        Shape (n_items,): whether the import holds the item at all.
    """
    n_items = max(len(known), len(brought))
    known, brought = vectors.pad(known, n_items), vectors.pad(brought, n_items)
    has_item = fitted(has_item, n_items)
    is_known, is_brought = vectors.scored(known), vectors.scored(brought)
    is_alike = ((known == brought) | (np.isnan(known) & np.isnan(brought))).all(axis=1)
    gained = is_brought & ~is_known
    return ReconciledScores(
        is_known & is_brought & ~is_alike,
        gained,
        is_known & ~is_brought & has_item,
        np.where(gained[:, None], brought, known),
    )


def fitted(has_item: BoolArray, n_items: int) -> BoolArray:
    """Return shape (n_items,), False beyond the end: metrics of a run reach differently far."""
    return np.pad(has_item[:n_items], (0, max(0, n_items - len(has_item))))
