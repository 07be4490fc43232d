"""Large matrices: the picture is one byte a pair, and numbers come when somebody points at them.

A thousand systems have half a million pairs with six numbers each, and a reader looks at a few.
The picture says who is better and by how much, in shades. The numbers lie on the server in tiles of
some rows. The browser fetches a tile when a row of it is pointed at, or is large enough to show
numbers.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import numpy as np
import numpy.typing as npt
from streamlit import runtime

from dashboard.components.canvas import Plane, upper
from dashboard.components.marks import Mark

MOST_WHOLE: Final = 150
"""Systems up to which all numbers are sent at once."""
LEVELS: Final = 40
"""The strongest shade of a colour, as in `paint.js`."""
_TILE_BYTES: Final = 200_000
_BANDED: Final = 3
"""Codes from here on are bands of shades: row better, row worse, undecided for it, against it."""
_NO_SIDE: Final = {Mark.NOT_COMPARABLE: 0, Mark.EQUIVALENT: 1}
"""Marks without a side, and their codes. 2 is an undecided difference of 0, or none."""

Codes = npt.NDArray[np.uint8]


def looks(
    marks: npt.NDArray[Any], difference: npt.NDArray[np.float64], limit: float, sign: int
) -> Codes:
    """Return how each pair looks: mark, side and shade in one code, which `tiles.js` reads.

    Parameters
    ----------
    marks, difference
        Shape (S, S): codes of `Mark`, and row minus column; NaN is none.
    limit
        The difference that has full colour.
    sign
        1 where higher is better, -1 where lower is.
    """
    gain = sign * np.nan_to_num(difference, nan=0.0)
    level = np.rint(LEVELS * np.minimum(1.0, np.abs(gain) / limit)).astype(np.uint8)
    bands = [marks == Mark.BETTER, marks == Mark.WORSE, gain > 0, gain < 0]
    band = np.select(bands, range(len(bands)), -1)
    found = np.where(band < 0, _BANDED - 1, _BANDED + band * (LEVELS + 1) + level).astype(np.uint8)
    for mark, code in _NO_SIDE.items():
        found[marks == mark] = code
    return found


def picture(codes: Codes) -> Plane:
    """Return the plane to send: the upper triangle where the lower one is its mirror image."""
    sides = np.arange(256)
    band, level = np.divmod(sides - _BANDED, LEVELS + 1)
    turned = np.where(sides < _BANDED, sides, _BANDED + (band ^ 1) * (LEVELS + 1) + level)
    if np.array_equal(turned.astype(np.uint8)[codes], codes.T):
        return upper(codes), "mirrored", ""
    return codes, "full", ""


def served(planes: Mapping[str, npt.NDArray[Any]], *, key: str) -> dict[str, Any]:
    """Lay the numbers out for the browser, and return where they lie, for the header.

    Parameters
    ----------
    planes
        Name -> values, shape (S, S). One that is equal off the diagonal is sent at once.
    key
        Of the component: what it left in an earlier run of the page goes.
    """
    off = ~np.eye(len(next(iter(planes.values()))), dtype=bool)
    same = {}
    for name, values in planes.items():
        pairs = values[off]
        if np.isfinite(pairs[0]) and (pairs == pairs[0]).all():  # JSON has no infinity
            same[name] = pairs[0].item()
    laid = {name: values for name, values in planes.items() if name not in same}
    wide = any(values.dtype == np.float64 for values in laid.values())
    kind = "<f8" if wide else "<f4"
    if not laid:
        return {"rows": 1, "urls": [], "type": kind[1:], "planes": [], "same": same}
    block = np.stack([values.astype(kind) for values in laid.values()], axis=1)
    rows = max(1, _TILE_BYTES // block[0].nbytes)
    files = runtime.get_instance().media_file_mgr
    urls = [
        files.add(block[begin : begin + rows].tobytes(), "application/octet-stream", f"{key}.{at}")
        for at, begin in enumerate(range(0, len(block), rows))
    ]
    return {"rows": rows, "urls": urls, "type": kind[1:], "planes": list(laid), "same": same}
