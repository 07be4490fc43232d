"""What a test set can find: power against its size, or against the size of a difference."""

from __future__ import annotations

import math
from typing import Final, Literal

import altair as alt
import pandas as pd

from dashboard.charts.palette import EM, INK, UNCLEAR, ink, key, layered, log_ticks, require

_COLUMNS: Final = ("x", "power", "low", "high")
_LEFT_OF: Final = 0.6
"""A mark beyond this share of the axis has its words at its left."""
_LOW: Final = 0.08
"""Below this power there is no room under the mark."""


def power_curve(
    frame: pd.DataFrame,
    *,
    label: str,
    scale: Literal["linear", "log"] = "linear",
    band: str = "",
    target: float | None = None,
    asked: tuple[float, float, str] | None = None,
    height: int = 320,
) -> alt.LayerChart:
    """Draw power against what can be changed, with the power asked for and the point asked about.

    Columns: `x`, `power`, `low`, `high`. `band` says what lies between the latter two; empty
    where there is nothing. `asked` is a point (x, power) and its words.
    """
    require(frame, _COLUMNS)
    rows = frame.loc[:, list(_COLUMNS)].astype("float64").dropna(subset=["x"])
    x = alt.X(
        "x:Q",
        title=label,
        scale=alt.Scale(type=scale, nice=False, zero=True if scale == "linear" else alt.Undefined),
        axis=alt.Axis(
            **({"values": log_ticks(rows["x"])} if scale == "log" else {"tickCount": 6}),
            format=",~g",
            grid=False,
            labelOverlap="greedy",
        ),
    )
    percent = alt.Scale(domain=[0, 1], nice=False)
    axis = alt.Axis(format="%", tickCount=5)
    y = alt.Y("power:Q", title=None, scale=percent, axis=axis)
    digits = ",d" if scale == "log" else ".3g"
    tooltip = [
        alt.Tooltip("x:Q", title=label, format=digits),
        alt.Tooltip("power:Q", title="power", format=".1%"),
    ]
    words = ["━ power"]
    layers: list[alt.Chart] = []
    if band:
        low = alt.Y("low:Q", title=None, scale=percent, axis=axis)
        layers.append(
            alt.Chart(rows)
            .mark_area(opacity=0.25)
            .encode(x=x, y=low, y2=alt.Y2("high:Q"), color=ink(UNCLEAR))
        )
        tooltip += [alt.Tooltip(f"{name}:Q", format=".1%") for name in ("low", "high")]
        words.append(f"band: {band}")
    line = alt.Chart(rows).encode(x=x, y=y, color=ink(INK), tooltip=tooltip)
    layers += [line.mark_line(strokeWidth=2.5), line.mark_point(size=60, opacity=0)]
    if target is not None and not math.isnan(target):
        rule = alt.Chart(pd.DataFrame({"power": [target]})).encode(y=y, color=ink(UNCLEAR))
        layers.append(rule.mark_rule(strokeWidth=1.5, strokeDash=[5, 3]))
        words.append(f"╌ {target:.0%}")
    if asked is not None and not any(math.isnan(value) for value in asked[:2]):
        layers += _asked(rows, asked, x, y, scale)
    return layered(*layers, title=key(EM.join(words)), height=height)


def _asked(
    rows: pd.DataFrame,
    asked: tuple[float, float, str],
    x: alt.X,
    y: alt.Y,
    scale: Literal["linear", "log"],
) -> list[alt.Chart]:
    """Mark the point asked about; its words stand where a rising curve is not."""
    at, power, text = asked
    ends = float(rows["x"].min()), float(rows["x"].max())
    low, high, here = (math.log(max(v, 1e-300)) if scale == "log" else v for v in (*ends, at))
    left = high > low and (here - low) / (high - low) > _LEFT_OF
    base = alt.Chart(pd.DataFrame({"x": [at], "power": [power], "text": [text]})).encode(
        x=x, y=y, color=ink(INK)
    )
    below = not left and power > _LOW
    return [
        base.mark_point(filled=True, size=140, opacity=1),
        base.mark_text(
            align="right" if left else "left",
            baseline="top" if below else "bottom",
            dx=-12 if left else 12,
            dy=6 if below else -6,
            fontWeight="bold",
            fontSize=13,
        ).encode(text=alt.Text("text:N")),
    ]
