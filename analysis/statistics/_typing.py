"""Type aliases that the statistics share."""

from typing import Literal, TypeAlias

import numpy as np
import numpy.typing as npt

FloatArray: TypeAlias = npt.NDArray[np.float64]
BoolArray: TypeAlias = npt.NDArray[np.bool_]
WordArray: TypeAlias = npt.NDArray[np.uint64]

Alternative: TypeAlias = Literal["two-sided", "greater", "less"]
Seed: TypeAlias = np.random.Generator | int | None
