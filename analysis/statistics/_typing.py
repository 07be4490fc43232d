"""Type aliases that the statistics share."""

from collections.abc import Callable, Hashable, Sequence
from typing import Literal, TypeAlias

import numpy as np
import numpy.typing as npt

FloatArray: TypeAlias = npt.NDArray[np.float64]
Floats: TypeAlias = npt.NDArray[np.floating]
"""Of either precision."""
BoolArray: TypeAlias = npt.NDArray[np.bool_]
IntArray: TypeAlias = npt.NDArray[np.int64]
CodeArray: TypeAlias = npt.NDArray[np.int32]
"""Numbers of distinct values."""
RankArray: TypeAlias = npt.NDArray[np.int16] | npt.NDArray[np.int32]
"""Twice a middle rank, so that it is a whole number."""
ByteArray: TypeAlias = npt.NDArray[np.uint8]
WordArray: TypeAlias = npt.NDArray[np.uint64]

Alternative: TypeAlias = Literal["two-sided", "greater", "less"]
Seed: TypeAlias = np.random.Generator | int | None
Groups: TypeAlias = Sequence[Hashable] | npt.NDArray[np.generic] | None
"""A label per item; items with equal labels depend on each other."""
Progress: TypeAlias = Callable[[int, int], None]
"""Called as ``progress(done, total)``; an exception that it raises cancels."""
