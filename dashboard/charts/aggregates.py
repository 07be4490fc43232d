"""How good are systems over all datasets, by one summary and by another?"""

import json
from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple, cast

import altair as alt
import numpy as np
import numpy.typing as npt
import pandas as pd

from dashboard.charts.critical_difference import GROUND
from dashboard.charts.names import shorten
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
)

_COLUMNS: Final = ("system", "summary", "value")
_UNITS: Final = 1_000
"""Units of the common axis in one panel."""
_GAP: Final = 220
"""Units between two panels."""
_FEWEST_FOR_FENCES: Final = 6
"""Systems; among fewer none is far from the others."""


class _Panel(NamedTuple):
    """Where a summary's own scale lies on the common axis."""

    start: int
    low: float
    high: float
    ticks: tuple[float, ...]
    labels: tuple[str, ...]

    def ends(self) -> tuple[float, float]:
        """Return the first and the last tick."""
        return self.ticks[0], self.ticks[-1]

    def place(self, values: pd.Series) -> pd.Series:
        """Return positions on the common axis; scores beyond the panel stay at its edge."""
        share = (values - self.low) / (self.high - self.low)
        return self.start + _UNITS * share.clip(0.0, 1.0)


def aggregates_plot(
    frame: pd.DataFrame,
    *,
    summaries: Sequence[str],
    quantity: str = "score",
    confidence: float | None = None,
) -> alt.LayerChart:
    """Draw a panel per summary, side by side, with the same rows: a system's value and interval.

    Each panel has its own scale. All are one picture on one axis, so that it fits any width.

    Columns: `system` (rows, in the order of first appearance), `summary` (one of `summaries`, the
    panels from left to right), `value` (missing allowed), optional `low` and `high` (interval),
    `bound_low` and `bound_high` (where the value must lie whatever the missing scores are), and
    `complete` (False: the system lacks some of the datasets; its mark is hollow).
    """
    require(frame, _COLUMNS)
    rows = _rows(frame, summaries)
    names = list(dict.fromkeys(rows["system"]))
    panels = {
        name: _panel(rows[rows["summary"] == name], k * (_UNITS + _GAP))
        for k, name in enumerate(summaries)
    }
    rows["beyond"] = ""
    for name, panel in panels.items():
        own = rows["summary"] == name
        for field in ("value", "low", "high", "bound_low", "bound_high"):
            rows.loc[own, f"at_{field}"] = panel.place(rows.loc[own, field])
        rows.loc[own & (rows["value"] < panel.low), "beyond"] = "left"
        rows.loc[own & (rows["value"] > panel.high), "beyond"] = "right"
    step = max(13, min(ROW, 1400 // max(len(names), 1)))
    x = _PanelAxis(panels)
    y = rows_y(names, "system", None)
    base = alt.Chart(_as_sent(rows))
    tooltip = _tooltip(rows)
    layers = [
        base.mark_point(opacity=0).encode(
            x=x.ticks(),
            y=rows_y(names, "system", name_axis(labelFontSize=min(12, step - 1), grid=True)),
        ),
        base.mark_point(opacity=0).encode(x=x.titles(), y=y),
        base.transform_filter("isValid(datum.at_bound_low)")
        .mark_rule(strokeWidth=1, strokeDash=[2, 3])
        .encode(x=x("at_bound_low"), x2=alt.X2("at_bound_high:Q"), y=y, color=ink(UNCLEAR)),
        base.transform_filter("isValid(datum.at_low)")
        .mark_rule(strokeWidth=max(2.0, step / 7), opacity=0.75)
        .encode(x=x("at_low"), x2=alt.X2("at_high:Q"), y=y, color=ink(UNCLEAR)),
        base.transform_filter("isValid(datum.value) && !datum.beyond && datum.complete")
        .mark_point(size=min(70, step * 4), filled=True, opacity=1)
        .encode(x=x("at_value"), y=y, color=ink(INK), tooltip=tooltip),
        base.transform_filter("isValid(datum.value) && !datum.beyond && !datum.complete")
        .mark_point(size=min(60, step * 4), strokeWidth=1.6, opacity=1, fill=GROUND)
        .encode(x=x("at_value"), y=y, color=ink(INK), tooltip=tooltip),
        *(
            base.transform_filter(alt.FieldEqualPredicate(field="beyond", equal=side))
            .mark_point(size=min(60, step * 4), shape=f"triangle-{side}", filled=True, opacity=1)
            .encode(x=x("at_value"), y=y, color=ink(INK), tooltip=tooltip)
            for side in ("left", "right")
        ),
    ]
    chart = layered(*layers, title=key(*_key(rows, quantity, confidence)), height=alt.Step(step))
    return cast("alt.LayerChart", chart.resolve_axis(x="independent", y="independent"))


def _rows(frame: pd.DataFrame, summaries: Sequence[str]) -> pd.DataFrame:
    rows = frame[frame["summary"].isin(list(summaries))].copy()
    for end in ("low", "high", "bound_low", "bound_high"):
        if end not in rows.columns:
            rows[end] = np.nan
    if "complete" not in rows.columns:
        rows["complete"] = True
    numbers = ["value", "low", "high", "bound_low", "bound_high"]
    rows[numbers] = rows[numbers].astype("float64")
    kept = [*_COLUMNS, "low", "high", "bound_low", "bound_high", "complete"]
    return rows.loc[:, kept].reset_index(drop=True)


def _as_sent(rows: pd.DataFrame) -> pd.DataFrame:
    """Return what the browser needs, as short as a picture allows; a name is sent once."""
    sent = rows.dropna(axis="columns", how="all") if len(rows) else rows
    places = [name for name in sent.columns if name.startswith("at_")]
    names = ["system", "summary", "beyond"]
    return sent.astype(dict.fromkeys(places, "float32") | dict.fromkeys(names, "category"))


def _panel(rows: pd.DataFrame, start: int) -> _Panel:
    """Choose a scale that holds values and intervals, but for systems that are far away."""
    values = rows["value"].to_numpy(dtype=np.float64)
    near = np.isfinite(values) & ~_far(values)
    known = rows.loc[near, ["value", "low", "high"]].to_numpy(dtype=np.float64)
    known = known[np.isfinite(known)]
    low, high = (float(known.min()), float(known.max())) if known.size else (0.0, 1.0)
    span = (high - low) or abs(high) or 1.0
    bounds = rows.loc[near, ["bound_low", "bound_high"]].to_numpy(dtype=np.float64)
    bounds = bounds[np.isfinite(bounds)]
    if bounds.size:  # they may be much wider than all intervals
        low = max(min(low, float(bounds.min())), low - 0.5 * span)
        high = min(max(high, float(bounds.max())), high + 0.5 * span)
        span = high - low
    low, high = low - 0.06 * span, high + 0.06 * span
    ticks, places = _ticks(low, high)
    return _Panel(start, low, high, ticks, tuple(f"{tick:.{places}f}" for tick in ticks))


def _far(values: npt.NDArray[np.float64]) -> npt.NDArray[np.bool_]:
    """Return which values lie so far out that a scale for them would hide all other differences."""
    known = values[np.isfinite(values)]
    if known.size < _FEWEST_FOR_FENCES:
        return np.zeros(values.shape, dtype=bool)
    first, third = np.quantile(known, (0.25, 0.75))
    fence = 3.0 * (third - first)
    beyond: npt.NDArray[np.bool_] = (values < first - fence) | (values > third + fence)
    return beyond


def _ticks(low: float, high: float) -> tuple[tuple[float, ...], int]:
    """Return two or three round numbers between both ends, and their decimals."""
    power = int(np.floor(np.log10(high - low)))
    for exponent, factor in ((power, 5), (power, 2), (power, 1), (power - 1, 5), (power - 1, 2)):
        step = factor * 10.0**exponent
        first, last = int(np.ceil(low / step)), int(np.floor(high / step))
        if last > first:
            chosen = [first, last] if last - first > 2 else range(first, last + 1)
            return tuple(k * step for k in chosen), max(0, -exponent)
    return (low, high), max(0, 1 - power)


class _PanelAxis:
    """Encode a position on the common axis; one layer each brings the ticks and the titles."""

    def __init__(self, panels: Mapping[str, _Panel]) -> None:
        self.panels = panels
        length = max((panel.start + _UNITS for panel in panels.values()), default=_UNITS)
        self.scale = alt.Scale(domain=[0, length], nice=False)

    def __call__(self, field: str) -> alt.X:
        return alt.X(f"{field}:Q", scale=self.scale, axis=None)

    def ticks(self) -> alt.X:
        """Encode with the ticks of every panel, each in its own numbers."""
        labels = {
            self._at(panel, tick): label
            for panel in self.panels.values()
            for tick, label in zip(panel.ticks, panel.labels, strict=True)
        }
        ends = {self._at(panel, tick) for panel in self.panels.values() for tick in panel.ends()}
        outer = {place: label for place, label in labels.items() if place in ends}
        by_width = f"(containerSize()[0] < 520 ? {json.dumps(outer)} : {json.dumps(labels)})"
        axis = alt.Axis(
            values=[int(place) for place in labels],
            labelExpr=f"{by_width}[datum.value] || ''",
            labelFontSize=alt.ExprRef("containerSize()[0] < 520 ? 9 : 12"),
            title=None,
            grid=True,
            labelFlush=False,
            labelOverlap=False,
        )
        return alt.X("at_value:Q", scale=self.scale, axis=axis)

    @staticmethod
    def _at(panel: _Panel, tick: float) -> str:
        return str(round(panel.start + _UNITS * (tick - panel.low) / (panel.high - panel.low)))

    def titles(self) -> alt.X:
        """Encode with the name of every panel above its middle; narrow, a word a line."""
        names = {str(panel.start + _UNITS // 2): name for name, panel in self.panels.items()}
        text = f"({json.dumps(names)})[datum.value]"
        axis = alt.Axis(
            values=[int(place) for place in names],
            orient="top",
            labelExpr=f"containerSize()[0] < 520 ? split({text}, ' ') : {text}",
            labelFontSize=12,
            labelLineHeight=14,
            labelFlush=False,
            labelOverlap=False,
            title=None,
            ticks=False,
            domain=False,
            grid=False,
        )
        return alt.X("at_value:Q", scale=self.scale, axis=axis)


def _tooltip(rows: pd.DataFrame) -> list[alt.Tooltip]:
    fields = ["value"]
    for pair in (("low", "high"), ("bound_low", "bound_high")):
        fields += pair if rows[pair[0]].notna().any() else ()
    numbers = [
        alt.Tooltip(f"{field}:Q", title=field.replace("_", " "), format=".4~f") for field in fields
    ]
    return [alt.Tooltip("system:N"), alt.Tooltip("summary:N"), *numbers]


def _key(rows: pd.DataFrame, quantity: str, confidence: float | None) -> list[str]:
    level = "" if confidence is None else f"{100 * confidence:g} % "
    lines = [f"● {shorten(quantity, 28)} over datasets"]
    if rows["low"].notna().any():
        lines.append(f"Line: {level}interval")
    if not rows["complete"].all():
        lines.append("○ lacks datasets: not over the same ones")
    if rows["beyond"].any():
        lines.append("◂ ▸ further out than the scale reaches")
    if rows["bound_low"].notna().any():
        lines.append("Dotted: where it may lie with all datasets")
    return lines
