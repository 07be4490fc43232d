"""Systems and items drawn with replacement: how often each one counts in a resample."""

from collections.abc import Hashable, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from analysis.statistics._typing import FloatArray, IntArray
from analysis.statistics.item_groups import as_group_codes
from analysis.statistics.random_streams import BLOCK_ROWS, Stream
from analysis.statistics.resampling.plan import count_block
from analysis.statistics.validation import as_choice

BOOTSTRAPS = ("boot-both", "boot-systems", "boot-inputs")


class Drawn(NamedTuple):
    """One block of 256 resamples."""

    systems: FloatArray
    """Shape (256, n_systems)."""
    items: FloatArray
    """Shape (256, n_items)."""


class ResamplePlan(NamedTuple):
    """What is drawn, and from which seed.

    The same seed draws the same systems and items for every metric, method, level and
    coefficient. What a method does not draw counts once; so does a single system or item.
    """

    method: str
    n_systems: int
    n_items: int
    seed: int
    codes: IntArray | None
    """Group of every item; whole groups are drawn."""
    first_block: int = 0

    @property
    def n_groups(self) -> int:
        """Items, or groups of items, that can be drawn."""
        return self.n_items if self.codes is None else int(np.max(self.codes, initial=-1)) + 1

    @property
    def draws_systems(self) -> bool:
        """Whether systems are drawn."""
        return self.method != "boot-inputs" and self.n_systems > 1

    @property
    def draws_items(self) -> bool:
        """Whether items are drawn."""
        return self.method != "boot-systems" and self.n_groups > 1

    @property
    def most_items(self) -> int:
        """No resample counts more items, copies included."""
        if self.codes is None or not self.codes.size:
            return self.n_items
        return int(np.max(np.bincount(self.codes))) * self.n_groups

    def block(self, number: int) -> Drawn:
        """Draw one block of 256 resamples."""
        place = self.first_block + number
        systems = np.ones((BLOCK_ROWS, self.n_systems))
        items = np.ones((BLOCK_ROWS, self.n_items))
        if self.draws_systems:
            systems = count_block(
                self.seed, place, self.n_systems, np.float64, stream=Stream.RESAMPLED_SYSTEMS
            )
        if self.draws_items:
            items = count_block(self.seed, place, self.n_groups, np.float64)
            items = items if self.codes is None else np.ascontiguousarray(items[:, self.codes])
        return Drawn(systems, items)


def plan_resamples(
    method: str,
    n_systems: int,
    n_items: int,
    *,
    seed: int,
    groups: Sequence[Hashable] | npt.NDArray[np.generic] | None = None,
    first_block: int = 0,
) -> ResamplePlan:
    """Return the plan of a bootstrap.

    Parameters
    ----------
    method : {"boot-both", "boot-systems", "boot-inputs"}
    n_systems, n_items : int
    seed : int
    groups : sequence, shape (n_items,), optional
        Label per item; the items of a group are drawn together. None: a group of its own.
    first_block : int
        Plans with the same seed whose blocks do not overlap are independent.
    """
    as_choice(method, "method", BOOTSTRAPS)
    codes = None if groups is None else as_group_codes(groups, n_items)
    return ResamplePlan(method, n_systems, n_items, seed, codes, first_block)
