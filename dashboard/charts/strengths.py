"""How good systems are by what annotators said of them: people's choices, and a judge put right."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import altair as alt
import pandas as pd

from dashboard.charts.critical_difference import GROUND
from dashboard.charts.palette import (
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

_STRENGTHS: Final = ("system", "strength", "low", "high", "label")
_JUDGED: Final = (
    *("system", "corrected", "corrected_low", "corrected_high"),
    *("human", "human_low", "human_high", "judge", "label"),
)


def strength_dots(frame: pd.DataFrame, *, confidence: float | None = None) -> alt.LayerChart:
    """Draw a row per system: its strength by the choices of annotators, with an interval.

    Columns: `system`, `strength` (a logarithm of mean 0 over systems), `low`, `high` (missing
    allowed), `label` (text at the right, such as the interval of its rank). Rows keep their order.
    """
    require(frame, _STRENGTHS)
    rows = _numbers(frame, _STRENGTHS)
    shape = _Shape(rows)
    x = shape.x("strength", "strength (logarithm of odds)")
    zero = alt.Chart(pd.DataFrame({"zero": [0.0]})).mark_rule(strokeWidth=1)
    zero = zero.encode(x=alt.X("zero:Q", scale=shape.scale), color=ink(UNCLEAR))
    base = alt.Chart(rows)
    tooltip = [
        alt.Tooltip("system:N"),
        alt.Tooltip("strength:Q", format="+.3f"),
        alt.Tooltip("label:N"),
    ]
    layers = [
        *([zero] if shape.span[0] < 0 < shape.span[1] else []),
        shape.interval(base, "low", "high"),
        base.mark_point(filled=True, size=shape.size, opacity=1).encode(
            x=x, y=shape.y, color=ink(INK), tooltip=tooltip
        ),
        shape.labels(base, x),
    ]
    lines = ["● strength, 0 is the mean of the systems"]
    if rows["low"].notna().any():
        lines.append(f"Line: {_level(confidence)}interval; right: interval of the rank")
    return layered(*layers, own_axes=True, title=key(*lines), height=alt.Step(shape.step))


def judged_dots(
    frame: pd.DataFrame,
    *,
    quantity: str,
    judge: str,
    adds: bool = True,
    confidence: float | None = None,
) -> alt.LayerChart:
    """Draw a row per system: a judge put right by people, people alone, the judge alone.

    Columns: `system`; `corrected`, `corrected_low`, `corrected_high`; `human`, `human_low`,
    `human_high`; `judge` (all missing allowed); `label` (text at the right). Rows keep their order.
    Where the judge adds nothing to people (`adds` is False), people alone are drawn in its place.
    """
    require(frame, _JUDGED)
    rows = _numbers(frame, _JUDGED)
    if not adds:
        for end in ("", "_low", "_high"):
            rows[f"corrected{end}"] = rows[f"human{end}"]
        rows[["human_low", "human_high"]] = float("nan")
    shape = _Shape(rows)
    x = shape.x("corrected", quantity)
    base = alt.Chart(rows)
    tooltip = [
        alt.Tooltip("system:N"),
        *(alt.Tooltip(f"{name}:Q", format=".3f") for name in ("corrected", "human", "judge")),
    ]
    layers = [
        base.mark_rule(strokeWidth=max(5, shape.step // 3), opacity=0.32).encode(
            x=alt.X("human_low:Q", title="", scale=shape.scale),
            x2=alt.X2("human_high:Q"),
            y=shape.y,
            color=ink(UNCLEAR),
        ),
        shape.interval(base, "corrected_low", "corrected_high", INK),
        base.mark_point(
            filled=False, fill=GROUND, size=shape.size, strokeWidth=1.6, opacity=1
        ).encode(
            x=alt.X("judge:Q", scale=shape.scale), y=shape.y, color=ink(UNCLEAR), tooltip=tooltip
        ),
        base.mark_point(filled=True, size=shape.size, opacity=1).encode(
            x=x, y=shape.y, color=ink(INK), tooltip=tooltip
        ),
        shape.labels(base, x),
    ]
    lines = []
    level = _level(confidence)
    if rows["corrected"].notna().any():
        lines.append("● put right by people's judgments" if adds else "● people")
        lines.append(f"Line: {level}interval" + (" of that" if adds else ""))
    if rows["human_low"].notna().any():
        lines.append(f"Grey bar: {level}interval of people alone")
    if rows["judge"].notna().any():
        lines.append(f"○ {judge} alone" if adds else f"○ {judge}")
    return layered(*layers, own_axes=True, title=key(*lines), height=alt.Step(shape.step))


class _Shape:
    """The rows that both pictures have: a name, an interval, a text at the right."""

    def __init__(self, rows: pd.DataFrame) -> None:
        self.names = list(dict.fromkeys(rows["system"]))
        self.step = max(13, min(ROW, 2_400 // max(len(self.names), 1)))
        self.size = min(90, 5 * self.step)
        self.font = min(12, self.step - 2)
        values = rows.drop(columns=["system", "label"]).to_numpy(dtype="float64").ravel()
        known = values[values == values]
        low, high = (float(known.min()), float(known.max())) if known.size else (0.0, 1.0)
        pad = 0.06 * (high - low) or 0.05
        self.span = [low - pad, high + pad]
        self.scale = alt.Scale(domain=self.span, nice=False, zero=False)
        self.y = rows_y(self.names, "system", None)
        self._right = dict(zip(rows["system"], rows["label"], strict=True))

    def x(self, field: str, title: str) -> alt.X:
        return alt.X(f"{field}:Q", title=title, scale=self.scale, axis=alt.Axis(tickCount=6))

    def interval(
        self, base: alt.Chart, low: str, high: str, hue: str | alt.ExprRef = UNCLEAR
    ) -> alt.Chart:
        drawn: alt.Chart = base.mark_rule(strokeWidth=1.5).encode(
            x=alt.X(f"{low}:Q", title="", scale=self.scale),
            x2=alt.X2(f"{high}:Q"),
            y=rows_y(self.names, "system", name_axis(grid=True, labelFontSize=self.font)),
            color=ink(hue),
        )
        return drawn

    def labels(self, base: alt.Chart, x: alt.X) -> alt.Chart:
        axis = value_axis(self._right, "")
        axis["labelFontSize"] = self.font
        drawn: alt.Chart = base.mark_point(opacity=0).encode(
            x=x, y=rows_y(self.names, "system", axis)
        )
        return drawn


def _numbers(frame: pd.DataFrame, columns: Sequence[str]) -> pd.DataFrame:
    rows = frame.loc[:, list(columns)].copy()
    floats = [name for name in columns if name not in ("system", "label")]
    rows[floats] = rows[floats].astype("float64")
    return rows


def _level(confidence: float | None) -> str:
    return "" if confidence is None else f"{100 * confidence:g} % "
