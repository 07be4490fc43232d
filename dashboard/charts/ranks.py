"""Which ranks can a system have?"""

import math
from typing import Final

import altair as alt
import pandas as pd

from dashboard.charts.palette import (
    EM,
    INK,
    ROW,
    UNCLEAR,
    ink,
    key,
    layered,
    name_axis,
    require,
    rows_y,
    value_axis,
)

_COLUMNS: Final = ("system", "rank", "low", "high")


def rank_intervals_plot(frame: pd.DataFrame, *, confidence: float | None = None) -> alt.LayerChart:
    """Draw a rank with its interval per system, the first rank at the left.

    Columns: `system`, `rank` (place by score), `low`, `high` (the best and the worst rank that
    the data allow), optional `label` (text at the right: the score, or letters of groups).
    `confidence` is printed in the key. Rows get narrow as they get many.
    """
    require(frame, _COLUMNS)
    rows = frame.loc[:, list(_COLUMNS)].copy()
    rows["label"] = frame["label"].fillna("") if "label" in frame.columns else ""
    rows = rows.sort_values("rank", kind="stable", na_position="last")
    names = list(dict.fromkeys(rows["system"]))
    n = max(len(names), 1)
    step = max(12, min(ROW, 1400 // n))
    x = alt.X(
        "low:Q",
        title="rank",
        scale=alt.Scale(domain=[0.5, n + 0.5], nice=False),
        axis=alt.Axis(values=_ticks(n), format="d", orient="top", grid=n <= 40),
    )
    rank = alt.X("rank:Q", scale=alt.Scale(domain=[0.5, n + 0.5], nice=False))
    y = rows_y(names, "system", None)
    base = alt.Chart(rows)
    tooltip = [
        alt.Tooltip("system:N"),
        *(alt.Tooltip(f"{field}:Q", format="d") for field in ("rank", "low", "high")),
    ]
    size = min(12, step - 1)
    labels = dict(zip(rows["system"], rows["label"], strict=True))
    right = value_axis(labels, "") if any(labels.values()) else None
    if right is not None:
        right["labelFontSize"] = size
    layers = [
        base.mark_rule(strokeWidth=max(2.0, step / 5), opacity=0.55, strokeCap="round").encode(
            x=x,
            x2=alt.X2("high:Q"),
            y=rows_y(names, "system", name_axis(grid=False, labelFontSize=size)),
            color=ink(UNCLEAR),
        ),
        base.mark_point(filled=True, size=min(80, step * 4), opacity=1).encode(
            x=rank, y=y, color=ink(INK), tooltip=tooltip
        ),
        base.mark_point(opacity=0).encode(y=rows_y(names, "system", right)),
    ]
    words = [f"● rank by score{EM}line: ranks possible"]
    if confidence is not None:
        words.append(f"{100 * confidence:g} % for all lines at once")
    return layered(*layers, own_axes=True, title=key(*words), height=alt.Step(step))


def _ticks(n: int) -> list[int]:
    """The first, the last, and round numbers between, at most twelve."""
    step = next(
        k for power in range(6) for k in (10**power, 2 * 10**power, 5 * 10**power) if n / k <= 10
    )
    inner = range(step, n + 1, step)
    ticks = sorted({1, *inner})
    return ticks if n - ticks[-1] < math.ceil(step / 2) else [*ticks, n]
