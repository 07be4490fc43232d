"""On how large a share of the datasets does a system score above a threshold?"""

import json
from collections.abc import Sequence
from typing import Any, Final

import altair as alt
import numpy as np
import pandas as pd

from dashboard.charts.names import shorten
from dashboard.charts.palette import INK, UNCLEAR, by_theme, ink, key, layered, require

MOST_STRONG: Final = 4
"""Lines that a reader can tell apart in any print."""

_COLUMNS: Final = ("system", "threshold", "share")
_DASHES: Final = ([1, 0], [7, 4], [2, 3], [10, 3, 2, 3])
_STRONG: Final = (INK, INK, by_theme("#68717c", "#98a2ae"), by_theme("#68717c", "#98a2ae"))
_WIDTHS: Final = (2.6, 2.2, 2.6, 2.6)


def performance_profiles_plot(
    frame: pd.DataFrame,
    *,
    strong: Sequence[str] = (),
    quantity: str = "score",
    higher_is_better: bool = True,
    confidence: float | None = None,
) -> alt.LayerChart:
    """Draw a step line per system: the share of datasets on which it scores beyond a threshold.

    A line that is never below another one belongs to a system that is at least as good by every
    order of the scores. Systems have no hue, since a score is no verdict: those in `strong` (at
    most four) have a dash each, an entry in the legend and a band; the others are grey, and show
    their name under the pointer.

    Columns: `system`, `threshold`, `share`, optional `low` and `high` (the interval of the share,
    missing allowed). Where lower is better, the share is that of scores below the threshold.
    """
    require(frame, _COLUMNS)
    rows = _rows(frame)
    chosen = [name for name in strong if name in set(rows["system"])][:MOST_STRONG]
    above = "above" if higher_is_better else "below"
    known = rows["threshold"].dropna()
    limits = [float(known.min()), float(known.max())] if len(known) else [0.0, 1.0]
    x = alt.X(
        "threshold:Q",
        scale=alt.Scale(domain=limits, nice=False, zero=False),
        axis=alt.Axis(title=f"threshold, {quantity}", tickCount=6, grid=False),
    )
    y = _share("share")
    over = alt.selection_point(
        name="over", fields=["system"], on="pointerover", clear="pointerout", empty=False
    )
    # Each row is sent once, and the ends of intervals with the lines that have a band.
    every = alt.Chart(rows[list(_COLUMNS)])
    leading = alt.Chart(rows[rows["system"].isin(chosen)])
    is_other = f"indexof({json.dumps(chosen)}, datum.system) < 0"
    catcher = every.encode(x=x, y=y, detail=alt.Detail("system:N"))
    # A score as high as the threshold is not above it, one as low is not below it.
    step: Any = "step-after" if higher_is_better else "step-before"
    layers: list[alt.Chart] = [
        every.transform_filter(is_other)
        .mark_line(interpolate=step, strokeWidth=1.2, opacity=0.55)
        .encode(x=x, y=y, detail=alt.Detail("system:N"), color=ink(UNCLEAR)),
        leading.transform_filter("isValid(datum.low)")
        .mark_area(interpolate=step, opacity=0.13)
        .encode(
            x=x,
            y=_share("low"),
            y2=alt.Y2("high:Q"),
            detail=alt.Detail("system:N"),
            color=ink(UNCLEAR),
        ),
        *(
            leading.transform_filter(alt.FieldEqualPredicate(field="system", equal=name))
            .mark_line(interpolate=step, strokeWidth=_WIDTHS[k])
            .encode(x=x, y=y, color=ink(_STRONG[k]), strokeDash=_dash(chosen))
            for k, name in enumerate(chosen)
        ),
        every.transform_filter(over)
        .mark_line(interpolate=step, strokeWidth=3.5)
        .encode(x=x, y=y, detail=alt.Detail("system:N"), color=ink(INK)),
        catcher.mark_line(interpolate=step, strokeWidth=14, opacity=0.001)
        .encode(color=ink(UNCLEAR), tooltip=alt.Tooltip("system:N"))
        .add_params(over),
    ]
    return layered(*layers, title=key(*_key(rows, chosen, above, confidence)), height=440)


def _rows(frame: pd.DataFrame) -> pd.DataFrame:
    rows = frame.loc[:, list(_COLUMNS)].copy()
    for end in ("low", "high"):
        rows[end] = frame[end] if end in frame.columns else np.nan
    numbers = ["threshold", "share", "low", "high"]
    rows[numbers] = rows[numbers].astype("float32")
    rows["system"] = rows["system"].astype("category")  # a name is sent once
    return rows.dropna(subset=["threshold", "share"])


def _share(field: str) -> alt.Y:
    return alt.Y(
        f"{field}:Q",
        scale=alt.Scale(domain=[0, 1], nice=False),
        axis=alt.Axis(title=None, format="%", values=[0, 0.25, 0.5, 0.75, 1], grid=True),
    )


def _dash(chosen: Sequence[str]) -> alt.StrokeDash:
    labels = {name: shorten(name, 32) for name in chosen}
    return alt.StrokeDash(
        "system:N",
        scale=alt.Scale(domain=list(chosen), range=list(_DASHES[: len(chosen)])),
        legend=alt.Legend(
            title=None,
            orient="top",
            columns=alt.ExprRef("containerSize()[0] < 520 ? 1 : 2"),
            symbolType="stroke",
            symbolSize=900,
            symbolStrokeWidth=2,
            labelLimit=0,
            labelExpr=f"({json.dumps(labels)})[datum.value]",
            offset=0,
        ),
    )


def _key(
    rows: pd.DataFrame, chosen: Sequence[str], above: str, confidence: float | None
) -> list[str]:
    lines = [f"Share of datasets scored {above} the threshold"]
    if chosen and rows.loc[rows["system"].isin(chosen), "low"].notna().any():
        level = "" if confidence is None else f"{100 * confidence:g} % "
        lines.append(f"Band: {level}interval")
    if set(rows["system"]) - set(chosen):
        lines.append("Grey: other systems, named under the pointer")
    return lines
