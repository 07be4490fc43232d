"""When runs were made."""

from typing import Final

import altair as alt
import pandas as pd

from dashboard.charts.palette import INK, ROW, ink, key, layered, name_axis, require, rows_y

_COLUMNS: Final = ("when", "system", "dataset")


def timeline(frame: pd.DataFrame) -> alt.LayerChart:
    """Draw a dot per run over time, a row per system, the system with the latest run on top.

    Columns: `when` (datetime or ISO text; missing rows are left out and counted above the
    picture), `system`, `dataset`.
    """
    require(frame, _COLUMNS)
    runs = frame.loc[:, list(_COLUMNS)].copy()
    runs["when"] = pd.to_datetime(runs["when"], utc=True, format="ISO8601")
    undated = int(runs["when"].isna().sum())
    runs = runs.dropna(subset=["when"]).sort_values("when", ascending=False)
    runs["day"] = runs["when"].dt.strftime("%Y-%m-%d")
    runs["when"] = runs["when"].dt.tz_localize(None)
    names = list(dict.fromkeys(runs["system"]))
    title = "One dot per run" + (f" · {undated} without a date not shown" if undated else "")
    dots = (
        alt.Chart(runs)
        .mark_circle(size=60, opacity=0.6)
        .encode(
            x=alt.X("when:T", title=None, axis=alt.Axis(tickCount=6, grid=True, labelFlush=False)),
            y=rows_y(names, "system", name_axis(grid=True)),
            color=ink(INK),
            tooltip=[alt.Tooltip("day:N"), alt.Tooltip("system:N"), alt.Tooltip("dataset:N")],
        )
    )
    return layered(dots, title=key(title), height=alt.Step(ROW))
