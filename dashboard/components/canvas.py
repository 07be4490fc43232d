"""The one canvas component: packs arrays for the browser and mounts the matrix.

The browser gets one block of bytes: the length of a JSON header, the header, and the planes (one
number per cell) as little-endian arrays. A plane that is equal everywhere is a value in the
header; one that its upper triangle determines is sent as that.
"""

import json
from collections.abc import Mapping
from importlib import resources
from typing import Any, Final, Literal

import numpy as np
import numpy.typing as npt
import streamlit as st

from analysis import numbers
from dashboard.ui.files import file_stem

Form = Literal["full", "symmetric", "antisymmetric", "mirrored", "complement"]
Plane = tuple[npt.NDArray[Any], Form, str]
"""Values of a plane (all cells, or the upper triangle row by row), its form, and the plane that
an antisymmetric one is minus the mirror image of, a complement the rest to 1. A mirrored one holds
codes of `tiles.looks`."""

_TYPES: Final = {"f8": "<f8", "f4": "<f4", "u4": "<u4", "u2": "<u2", "u1": "|u1"}
_EXACT: Final = 2.0**23
"""Single precision is closer to a number than its part by this."""
_SMALLEST_P: Final = 1e-30
_SCRIPTS: Final = (
    "paint.js",
    "tiles.js",
    "paint_counts.js",
    "paint_shares.js",
    "paint_correlations.js",
    "heatmap.js",
    "svg.js",
    "saving.js",
    "pointing.js",
)
_HTML: Final = """<div class="heatmap">
<div class="key"></div>
<div class="frame" tabindex="0" role="application">
<div class="space"><div class="panes"><canvas></canvas><canvas></canvas></div></div></div>
<div class="tools">
<button type="button" data-do="smaller" aria-label="Smaller cells">−</button>
<button type="button" data-do="larger" aria-label="Larger cells">+</button>
<button type="button" data-do="all" hidden>Show all</button>
<button type="button" data-do="svg" aria-label="This picture as SVG">SVG</button>
<button type="button" data-do="png" aria-label="This picture as PNG">PNG</button>
<span class="hint"></span></div>
<div class="tip" hidden></div>
<div class="live" aria-live="polite"></div>
</div>"""


def _read(name: str) -> str:
    return resources.files(__package__).joinpath(name).read_text(encoding="utf-8")


_mount: Final = st.components.v2.component(
    "tiebreak_matrix",
    html=_HTML,
    css=_read("heatmap.css"),
    js="\n".join(_read(name) for name in _SCRIPTS),
)


def show_matrix(
    header: Mapping[str, Any], planes: Mapping[str, Plane], *, key: str
) -> tuple[int, int] | None:
    """Mount a matrix; return row and column of the cell that was picked in this run, if any."""
    payload = pack({"file": file_stem(str(header["title"])), **header}, planes)
    result = _mount(key=key, data=payload, on_pair_change=_nothing)
    picked = result.pair
    n_rows = len(header["rows"])
    n_columns = len(header.get("columns", header["rows"]))
    try:
        row, column = int(picked["row"]), int(picked["column"])
    except (TypeError, KeyError, ValueError):
        return None
    # The cell was picked on the picture before this run, which may have been a larger one.
    return (row, column) if 0 <= row < n_rows and 0 <= column < n_columns else None


def pack(header: Mapping[str, Any], planes: Mapping[str, Plane]) -> bytes:
    """Put header and planes into one block of bytes; see the module's description."""
    told: dict[str, dict[str, Any]] = {}
    blocks: list[bytes] = []
    offset = 0
    for name, (values, form, mirror) in planes.items():
        has_mirror = form in ("antisymmetric", "complement")
        if values.size and (values == values.flat[0]).all() and not has_mirror:
            told[name] = {"value": values.flat[0].item()}
            continue
        kind = _kind(values)
        block = np.ascontiguousarray(values, dtype=_TYPES[kind]).tobytes()
        told[name] = {"type": kind, "offset": offset, "size": int(values.size), "form": form}
        if has_mirror:
            told[name]["mirror"] = mirror
        padding = -len(block) % 4
        blocks.append(block + bytes(padding))
        offset += len(block) + padding
    start, text = 0, b""
    while True:  # the offsets stand in the header whose length they count
        shifted = {k: v | {"offset": v["offset"] + start} if "offset" in v else v
                   for k, v in told.items()}  # fmt: skip
        text = json.dumps({**header, "planes": shifted}, ensure_ascii=False).encode()
        text += b" " * (-len(text) % 4)
        if 4 + len(text) == start:
            return len(text).to_bytes(4, "little") + text + b"".join(blocks)
        start = 4 + len(text)


def narrow(values: npt.NDArray[np.float64], places: int) -> npt.NDArray[Any]:
    """Return numbers in single precision that are printed as these are, or these themselves.

    What lies in the middle between two printed numbers, as 0.0225 with 3 decimals, may fall on the
    other side in single precision; of accuracies on 400 items half of all differences lie there.
    """
    sizes = np.abs(values[np.isfinite(values) & (values != 0)])
    power = 10.0**places
    if sizes.max(initial=0.0) * power * 2 > _EXACT:
        return values
    if places >= numbers.MOST_PLACES and sizes.min(initial=1.0) * power < 1:  # told as 8.4e−13
        return values
    return _single(values, np.broadcast_to(power, values.shape))


def narrow_pvalues(values: npt.NDArray[np.float64]) -> npt.NDArray[Any]:
    """Return p-values as `narrow` does; -1 is none. The browser prints 3 decimals from 0.1 on."""
    kept = np.where(values > 0, np.maximum(values, _SMALLEST_P), values)
    single = _single(kept, np.where(values >= 0.1, 1e3, 1e4))
    for edge in (0.0001, 0.1, np.nextafter(0.999, 1), 1.0):
        at = np.nonzero(single == np.float32(edge))  # rounded onto it, from either side
        above = values[at] >= edge
        towards = np.where(above, np.float32(np.inf), np.float32(-np.inf))
        is_moved = above != (single[at].astype(np.float64) >= edge)
        single[at] = np.where(is_moved, np.nextafter(single[at], towards), single[at])
    return single


def _single(
    values: npt.NDArray[np.float64], power: npt.NDArray[np.float64]
) -> npt.NDArray[np.float32]:
    """Round to single precision, but what lies near the middle to the number that is printed."""
    scaled = np.abs(values) * power
    with np.errstate(invalid="ignore"):
        near = np.abs(scaled % 1 - 0.5) <= scaled / _EXACT
    single = values.astype(np.float32)
    single[near] = _as_printed(values[near], power[near])
    return single


def _as_printed(
    values: npt.NDArray[np.float64], power: npt.NDArray[np.float64]
) -> npt.NDArray[np.float64]:
    """Round as Python prints: what the number is exactly decides, and the even one of two."""
    size = np.abs(values)
    scaled = size * power
    whole = np.floor(scaled)
    high = size.view(np.uint64) & np.uint64(0xFFFF_FFFF_F800_0000)  # 26 bits, and the rest
    top = high.view(np.float64)
    lost = (top * power - scaled) + (size - top) * power  # what the product was rounded by
    over = (scaled - whole - 0.5) + lost
    whole += (over > 0) | ((over == 0) & (whole % 2 == 1))
    # What is printed as 0 keeps its side.
    return np.copysign(np.maximum(whole, 0.4) / power, values)


def upper(values: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return the cells above the diagonal, row by row."""
    return values[np.triu_indices(values.shape[0], 1)]


def _kind(values: npt.NDArray[Any]) -> str:
    """Choose the smallest type that keeps the values."""
    if values.dtype.kind == "f":
        return "f8" if values.dtype == np.float64 else "f4"
    if values.dtype == np.uint8:
        return "u1"
    return "u2" if values.size == 0 or values.max() < 1 << 16 else "u4"


def _nothing() -> None:
    """Tell Streamlit that `pair` is a trigger."""
