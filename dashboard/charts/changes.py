"""How many items changed, and by how much."""

from typing import Final

import altair as alt
import numpy as np
import numpy.typing as npt
import pandas as pd

from dashboard.charts.names import shorten
from dashboard.charts.palette import (
    BETTER,
    EM,
    INK,
    SMALLEST,
    UNCLEAR,
    WORSE,
    ink,
    key,
    layered,
    require,
)

MOST_BINS: Final = 300
"""Above this many items, a bar stands for several neighbours."""

_KINDS: Final = ("improved", "equal", "regressed")


def change_strip(
    frame: pd.DataFrame, *, a: str, b: str, quantity: str = "change", height: int = 260
) -> alt.LayerChart:
    """Draw all items from the largest gain of A over B to the largest loss.

    Column: `change`, one row per item; positive says that A did better, whichever way the metric
    runs; missing items are left out and counted in the key. Neighbours of one kind are drawn
    together when there are more than `MOST_BINS` items.
    """
    require(frame, ("change",))
    values = frame["change"].to_numpy(dtype=np.float64)
    bins = change_bins(values)
    counts = {kind: int(bins.loc[bins["kind"] == kind, "items"].sum()) for kind in _KINDS}
    n = sum(counts.values())
    x = alt.X(
        "start:Q",
        title=f"items, those that {shorten(a)} gains on first",
        scale=alt.Scale(domain=[0, max(n, 1)], nice=False),
        axis=alt.Axis(tickCount=5, tickMinStep=1, format=",d", grid=False),
    )
    color = alt.Color(
        "kind:N",
        scale=alt.Scale(domain=list(_KINDS), range=[BETTER, UNCLEAR, WORSE]),
        legend=None,
    )
    tooltip = [
        alt.Tooltip("kind:N", title="items that"),
        alt.Tooltip("items:Q", format=","),
        alt.Tooltip("mean:Q", title=quantity, format="+.4~f"),
        alt.Tooltip("smallest:Q", format="+.4~f"),
        alt.Tooltip("largest:Q", format="+.4~f"),
    ]
    steps_of = _steps(bins)
    flat = steps_of["mean"].abs().max() < SMALLEST
    scale = alt.Scale(domain=[-1, 1]) if flat else alt.Undefined  # no ticks fit between such
    y = alt.Y("mean:Q", title="change", scale=scale, axis=alt.Axis(tickCount=4))
    steps = alt.Chart(steps_of).mark_area(interpolate="step-after", opacity=1)
    equal = alt.Chart(bins[bins["kind"] == "equal"]).mark_rule(strokeWidth=4)
    zero = alt.Chart(pd.DataFrame({"mean": [0.0]})).mark_rule(strokeWidth=1)
    # Areas show no seams between neighbours but have no tooltip of their own.
    catcher = alt.Chart(bins).mark_rect(opacity=0).encode(x=x, x2=alt.X2("stop:Q"), tooltip=tooltip)
    layers = [
        zero.encode(y=alt.Y("mean:Q"), color=ink(INK)),
        steps.encode(x=x, y=y, y2=alt.Y2Datum(0), color=color),
        catcher,
    ]
    if counts["equal"]:
        layers.insert(2, equal.encode(x=x, x2=alt.X2("stop:Q"), y=alt.Y("mean:Q"), color=color))
    missing = len(values) - n
    first = f"▲ {counts['improved']:,} gain{EM}▼ {counts['regressed']:,} lose"
    second = f"= {counts['equal']:,} equal" + (f"{EM}{missing:,} missing" if missing else "")
    return layered(
        *layers,
        title=key(f"{shorten(a)} against {shorten(b)}", first, second),
        height=height,
    )


def _steps(bins: pd.DataFrame) -> pd.DataFrame:
    """Return the outline of the bins of each kind: a step begins at each row."""
    changed = bins[bins["kind"] != "equal"]
    ends = changed.groupby("kind").tail(1)
    return pd.concat([changed, ends.assign(start=ends["stop"])])[["kind", "start", "mean"]]


def change_bins(values: npt.NDArray[np.float64]) -> pd.DataFrame:
    """Sort changes from gain to loss and join neighbours of one kind into at most `MOST_BINS`.

    Returns the columns `kind`, `start` and `stop` (ranks), `items`, `mean`, `smallest`,
    `largest`. Items that are equal are one bin.
    """
    known = np.sort(values[~np.isnan(values)])[::-1]
    parts = {
        "improved": known[known > 0],
        "equal": known[known == 0],
        "regressed": known[known < 0],
    }
    changed = len(parts["improved"]) + len(parts["regressed"])
    rows = []
    start = 0
    for kind, part in parts.items():
        share = 1 if kind == "equal" else round((MOST_BINS - 3) * len(part) / max(changed, 1))
        for block in np.array_split(part, max(1, min(len(part), share))):
            if block.size:
                stop = start + block.size
                rows.append((kind, start, stop, block.size, block.mean(), block[-1], block[0]))
                start = stop
    columns = ["kind", "start", "stop", "items", "mean", "smallest", "largest"]
    return pd.DataFrame(rows, columns=columns)
