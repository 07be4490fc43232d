"""Which cells two metrics exchange in each replicate.

A cell is one system's output on one item. A sign belongs to each cell and replicate: where it is
-1 the two metrics have exchanged their values. The signs of 256 replicates are columns of a
Hadamard matrix (`resampling.plan.sign_codes`), so that the sums of all replicates come from one
fast transform; listing every exchange has the same form.
"""

import itertools
from typing import NamedTuple

import numpy as np

from analysis.statistics._typing import ByteArray, FloatArray, IntArray
from analysis.statistics.random_streams import Stream
from analysis.statistics.resampling.plan import SignCodes, sign_codes, signed_sums

SWAPS = ("perm-inputs", "perm-systems", "perm-both", "cell-swap")
MOST_LISTED_BITS = 15
"""All exchanges are listed where at most two to this power of them differ in more than order."""
_ROW_BITS = 8


class SwapBlock(NamedTuple):
    """The signs of one block: of every cell the product of its row's, column's and own sign.

    None stands for signs that are all +1.
    """

    rows: SignCodes | None
    """Of systems, shape (n_systems,)."""
    columns: SignCodes | None
    """Of items, shape (n_items,)."""
    cells: SignCodes | None
    """Of cells, shape (n_systems * n_items,)."""


class SwapPlan(NamedTuple):
    """Which exchanges are made."""

    kind: str
    n_systems: int
    n_items: int
    n_replicates: int
    """Exchanges made; where they are listed, each stands for itself and its opposite."""
    exact: bool
    seed: int
    codes: IntArray | None
    """Group of every item; the items of a group are exchanged together."""

    @property
    def n_groups(self) -> int:
        """Items, or groups of items, that are exchanged by themselves."""
        return self.n_items if self.codes is None else int(self.codes.max(initial=-1)) + 1

    @property
    def floor(self) -> float:
        """Smallest two-sided p-value possible."""
        return 1 / self.n_replicates if self.exact else 1 / (self.n_replicates + 1)

    def block(self, number: int) -> SwapBlock:
        """Return the signs of one block of 256 replicates; the last may use fewer."""
        rows, columns, cells = _shape(self)
        n_units = rows + columns + cells
        draw = _listed(self.kind, rows, n_units, number) if self.exact else None
        signs = draw or sign_codes(self.seed, number, n_units, stream=Stream.METRIC_SWAPS)
        stops = (0, rows, rows + columns, n_units)
        of_rows, of_columns, of_cells = (
            signs.of(slice(start, stop)) if stop > start else None
            for start, stop in itertools.pairwise(stops)
        )
        if self.codes is not None and of_columns is not None:
            of_columns = of_columns.of(self.codes)
        if self.codes is not None and of_cells is not None:
            of_cells = SignCodes(*(self._spread(side) for side in of_cells))
        return SwapBlock(of_rows, of_columns, of_cells)

    def _spread(self, of_groups: ByteArray) -> ByteArray:
        """Return what belongs to each cell from what belongs to each system and group."""
        by_system = of_groups.reshape(self.n_systems, -1)
        return np.asarray(by_system[:, self.codes].reshape(-1))


def plan_swaps(
    kind: str,
    n_systems: int,
    n_items: int,
    *,
    n_resamples: int,
    seed: int,
    listing: bool = True,
    codes: IntArray | None = None,
) -> SwapPlan:
    """Decide whether all exchanges are listed or some are drawn.

    Parameters
    ----------
    kind : str
        One of `SWAPS`.
    n_systems, n_items : int
        Rows and columns that have cells.
    n_resamples, seed : int
        For exchanges that are drawn.
    listing : bool
        False draws also where all could be listed.
    codes : ndarray of int, shape (n_items,), optional
        Number of every item's group, from 0.
    """
    plan = SwapPlan(kind, n_systems, n_items, n_resamples, False, seed, codes)
    bits = _listed_bits(plan)
    if listing and bits <= MOST_LISTED_BITS:
        return plan._replace(n_replicates=1 << bits, exact=True)
    return plan


def cell_codes(block: SwapBlock, n_systems: int, n_items: int) -> SignCodes:
    """Return the signs of all cells, row by row."""
    if block.cells is not None:
        return block.cells
    positions = np.zeros((n_systems, n_items), dtype=np.uint8)
    minus = np.zeros((n_systems, n_items), dtype=np.uint8)
    if block.rows is not None:
        positions ^= block.rows.positions[:, np.newaxis]
        minus ^= block.rows.minus[:, np.newaxis]
    if block.columns is not None:
        # A product of two columns of a Hadamard matrix is the column whose number is their XOR.
        positions ^= block.columns.positions
        minus ^= block.columns.minus
    return SignCodes(positions.reshape(-1), minus.reshape(-1))


def signed_cell_sums(values: FloatArray, kind: str, block: SwapBlock) -> FloatArray:
    """Return the sums over cells of sign times value.

    Parameters
    ----------
    values : ndarray, shape (n_systems, n_items, n_columns)
        0 where a cell is missing.
    kind : str
    block : SwapBlock

    Returns
    -------
    ndarray, shape (256, n_columns)
    """
    if kind == "perm-systems":
        assert block.rows is not None
        return signed_sums(values.sum(axis=1), block.rows)
    if kind == "perm-inputs":
        assert block.columns is not None
        return signed_sums(values.sum(axis=0), block.columns)
    codes = cell_codes(block, *values.shape[:2])
    return signed_sums(values.reshape(-1, values.shape[2]), codes)


def _shape(plan: SwapPlan) -> tuple[int, int, int]:
    """Return how many signs rows, columns and cells have."""
    n, m = plan.n_systems, plan.n_groups
    return {
        "perm-systems": (n, 0, 0),
        "perm-inputs": (0, m, 0),
        "perm-both": (n, m, 0),
        "cell-swap": (0, 0, n * m),
    }[plan.kind]


def _listed_bits(plan: SwapPlan) -> int:
    """Return the bits that tell exchanges apart, an exchange and its opposite counting as one."""
    # Rows and columns both turned are as they were: "perm-both" has one sign too many.
    return max(0, sum(_shape(plan)) - 1 - (plan.kind == "perm-both"))


def _listed(kind: str, n_rows: int, n_units: int, number: int) -> SignCodes:
    """Return the exchanges from 256 · number on: bit j of the exchange's number is unit j's sign.

    The last unit keeps its sign, as does the last row for "perm-both".
    """
    fixed = {n_units - 1} | ({n_rows - 1} if kind == "perm-both" else set())
    positions, minus = np.zeros(n_units, np.uint8), np.zeros(n_units, np.uint8)
    free = [unit for unit in range(n_units) if unit not in fixed]
    for bit, unit in enumerate(free):
        if bit < _ROW_BITS:
            positions[unit] = 1 << bit
        else:
            minus[unit] = number >> (bit - _ROW_BITS) & 1
    return SignCodes(positions, minus)
