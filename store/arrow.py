"""Arrow arrays of Python's texts and NumPy's numbers, and back.

`pyarrow.array`, `pyarrow.scalar` and `to_numpy` import pandas: a fifth of a second, 50 MB.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    import pyarrow as pa


def as_texts(cells: Sequence[str | None]) -> pa.StringArray:
    """Return texts, at most 2 GB, as Arrow has them; null for ``None``."""
    import pyarrow as pa

    parts = [b"" if cell is None else cell.encode() for cell in cells]
    ends = np.zeros(len(parts) + 1, np.int32)
    np.cumsum(list(map(len, parts)), out=ends[1:])
    is_there = np.fromiter((cell is not None for cell in cells), np.bool_, len(parts))
    buffers = [_bits(is_there), pa.py_buffer(ends), pa.py_buffer(b"".join(parts))]
    return pa.Array.from_buffers(pa.string(), len(parts), buffers)


def as_numbers(values: npt.NDArray[Any], is_there: npt.NDArray[np.bool_] | None = None) -> pa.Array:
    """Return numbers of shape (n,) as Arrow has them; null where none is there."""
    import pyarrow as pa

    kind = pa.from_numpy_dtype(values.dtype)
    buffers = [_bits(is_there), pa.py_buffer(np.ascontiguousarray(values))]
    return pa.Array.from_buffers(kind, len(values), buffers)


def repeated(text: str | None, n_rows: int) -> pa.StringArray:
    """Return one text for all rows."""
    return as_texts([text]).take(as_numbers(np.zeros(n_rows, np.int8)))


def numbers_of(array: pa.Array, missing: float = 0) -> npt.NDArray[Any]:
    """Return the numbers of an Arrow array, `missing` for null."""
    kind = np.dtype(str(array.type).replace("double", "float64"))
    begin, end = array.offset, array.offset + len(array)
    bits, data = array.buffers()
    values: npt.NDArray[Any] = np.frombuffer(data, kind)[begin:end]
    if not array.null_count:
        return values
    is_there = np.unpackbits(np.frombuffer(bits, np.uint8), bitorder="little")[begin:end]
    return np.where(is_there.view(np.bool_), values, np.array(missing, kind))


def _bits(is_there: npt.NDArray[np.bool_] | None) -> pa.Buffer | None:
    import pyarrow as pa

    if is_there is None or is_there.all():
        return None
    return pa.py_buffer(np.packbits(is_there, bitorder="little"))
