"""How many pairs have which count of datasets."""

from typing import Final

import altair as alt
import pandas as pd

from dashboard.charts.palette import INK, UNCLEAR, ink, key, layered, require

_COLUMNS: Final = ("k", "pairs", "count")


def count_histogram(frame: pd.DataFrame) -> alt.LayerChart:
    """Draw a bar per k̂ as high as there are pairs, beside the plain count of small p-values.

    Columns: `k`, `pairs` (with this k̂, each pair in both directions), `count` (with so many
    p ≤ α).
    """
    require(frame, _COLUMNS)
    rows = frame.loc[:, list(_COLUMNS)]
    x = alt.X("k:O", title="datasets", axis=alt.Axis(labelAngle=0, labelOverlap=True))
    base = alt.Chart(rows)
    tooltip = [alt.Tooltip(f"{name}:Q", format=",d") for name in _COLUMNS]
    y = alt.Y("pairs:Q", title="pairs", axis=alt.Axis(tickMinStep=1, tickCount=5))
    bars = base.mark_bar(opacity=0.5).encode(x=x, y=y, color=ink(UNCLEAR), tooltip=tooltip)
    points = base.mark_point(size=50, strokeWidth=2, opacity=1).encode(
        x=x, y=alt.Y("count:Q", title="pairs"), color=ink(INK), tooltip=tooltip
    )
    words = ("▮ k̂: at least so many datasets", "○ p ≤ α on so many, without a promise")
    return layered(bars, points, title=key(*words), height=220)
