"""What the number and the size of the units do to a test."""

from typing import Final

import altair as alt
import pandas as pd

from dashboard.charts.palette import EM, INK, UNCLEAR, ink, key, layered, require

_P_COLUMNS: Final = ("size", "mean", "low", "high")
_UNIT_COLUMNS: Final = ("size", "variance")


def pvalue_by_size(
    frame: pd.DataFrame, *, alpha: float, title: str = "", height: int = 300
) -> alt.LayerChart:
    """Draw p against sample size: mean of simulated tests, their range, and alpha.

    Columns: `size`, `mean`, `low`, `high` (smallest and largest p at that size). The axis of
    sizes is logarithmic. `title` says what was simulated.
    """
    require(frame, _P_COLUMNS)
    rows = frame.loc[:, list(_P_COLUMNS)].astype("float64")
    x = alt.X(
        "size:Q",
        title="sample size",
        scale=alt.Scale(type="log", nice=False),
        axis=alt.Axis(tickCount=5, format=",d", grid=False, labelOverlap=True),
    )
    scale = alt.Scale(domain=[0, 1], nice=False)
    base = alt.Chart(rows)
    band = base.mark_area(opacity=0.3).encode(
        x=x, y=alt.Y("low:Q", title="p", scale=scale), y2=alt.Y2("high:Q"), color=ink(UNCLEAR)
    )
    y = alt.Y("mean:Q", title="p", scale=scale, axis=alt.Axis(titleAngle=0, tickCount=5))
    tooltip = [
        alt.Tooltip("size:Q", format=",d"),
        *(alt.Tooltip(f"{name}:Q", format=".4f") for name in ("mean", "low", "high")),
    ]
    line = base.mark_line(strokeWidth=2).encode(x=x, y=y, color=ink(INK))
    dots = base.mark_point(filled=True, size=40, opacity=1).encode(
        x=x, y=y, color=ink(INK), tooltip=tooltip
    )
    rule = (
        alt.Chart(pd.DataFrame({"mean": [alpha]}))
        .mark_rule(strokeWidth=1.5, strokeDash=[5, 3])
        .encode(y=alt.Y("mean:Q"), color=ink(INK))
    )
    words = f"● mean p{EM}band: smallest to largest{EM}╌ α = {alpha:g}"
    return layered(
        *(band, line, dots, rule), title=key(*filter(None, (title, words))), height=height
    )


def unit_size_curve(
    frame: pd.DataFrame, *, recommended: int | None = None, height: int = 300
) -> alt.LayerChart:
    """Draw the variance of unit scores against the size of the unit.

    Columns: `size` (items per evaluation unit), `variance`. `recommended` is marked.
    """
    require(frame, _UNIT_COLUMNS)
    rows = frame.loc[:, list(_UNIT_COLUMNS)].astype("float64")
    x = alt.X(
        "size:Q",
        title="items per unit",
        scale=alt.Scale(nice=False, zero=False, padding=8),
        axis=alt.Axis(tickCount=6, tickMinStep=1, format="d", grid=False),
    )
    y = alt.Y("variance:Q", title="variance", axis=alt.Axis(tickCount=5))
    tooltip = [alt.Tooltip("size:Q", format="d"), alt.Tooltip("variance:Q", format=".4g")]
    base = alt.Chart(rows)
    found = rows[rows["size"] == recommended].assign(text=f"{recommended} items")
    best = alt.Chart(found).encode(x=x, y=y, color=ink(INK))
    layers = [
        base.mark_line(strokeWidth=1.5).encode(x=x, y=y, color=ink(UNCLEAR)),
        base.mark_point(filled=True, size=28, opacity=1).encode(
            x=x, y=y, color=ink(UNCLEAR), tooltip=tooltip
        ),
        alt.Chart(found).mark_rule(strokeWidth=1.5, strokeDash=[4, 3]).encode(x=x, color=ink(INK)),
        best.mark_point(filled=True, size=120, opacity=1).encode(tooltip=tooltip),
        best.mark_text(align="left", baseline="bottom", dx=9, dy=-5, fontWeight="bold").encode(
            text=alt.Text("text:N")
        ),
    ]
    words = ["Variance of unit scores"]
    if len(found):
        words.append(f"● recommended: {recommended} items per unit")
    return layered(*layers, title=key(*words), height=height)
