"""What test sets can find: the gap at their top against the smallest gap that they find."""

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
    log_ticks,
    name_axis,
    require,
    rows_y,
    value_axis,
)

_COLUMNS: Final = ("dataset", "ratio", "low", "high", "only_figures", "label")
_EDGE: Final = 2.5
"""Gaps beyond so many times the smallest found are a triangle at the edge."""


def resolution_plot(frame: pd.DataFrame, *, power: float) -> alt.LayerChart:
    """Draw a row per test set: the gap between its first two over the smallest gap it finds.

    Columns: `dataset`, `ratio` (1 or more is resolved; 0 where no gap is found), `low`, `high`
    (the ratio at the agreements that figures leave open), `only_figures`, `label` (text at the
    right), further ones for the tooltip: `first`, `second`, `items`.
    """
    require(frame, _COLUMNS)
    rows = frame.assign(
        at=frame["ratio"].clip(upper=_EDGE),
        low=frame["low"].clip(upper=_EDGE),
        high=frame["high"].clip(upper=_EDGE),
        zero=0.0,
        one=1.0,
        beyond=frame["ratio"] > _EDGE,
    )
    names = list(rows["dataset"])
    longest = max(1.15, min(_EDGE, float(rows[["at", "high"]].max().max()) * 1.04))
    x = alt.X(
        "at:Q",
        scale=alt.Scale(domain=[0, longest], nice=False),
        title="gap ÷ smallest gap found",
        axis=alt.Axis(tickCount=5, grid=False),
    )
    y = rows_y(names, "dataset", None)
    tooltip = [
        alt.Tooltip("dataset:N"),
        alt.Tooltip("first:N"),
        alt.Tooltip("second:N"),
        alt.Tooltip("items:N"),
        alt.Tooltip("label:N"),
    ]
    base = alt.Chart(rows)
    dots = base.transform_filter("!datum.beyond").encode(x=x, y=y, color=ink(INK), tooltip=tooltip)
    labels = dict(zip(rows["dataset"], rows["label"], strict=True))
    right = value_axis(labels, "")
    layers = [
        base.mark_bar(height=10, opacity=0.3).encode(
            x=alt.X("zero:Q", title=""),
            x2=alt.X2("one:Q"),
            y=rows_y(names, "dataset", name_axis()),
            color=ink(UNCLEAR),
        ),
        base.mark_tick(thickness=2, size=ROW).encode(x=alt.X("one:Q"), y=y, color=ink(INK)),
        base.transform_filter("datum.low < datum.high")
        .mark_rule(strokeWidth=1.5)
        .encode(x=alt.X("low:Q"), x2=alt.X2("high:Q"), y=y, color=ink(UNCLEAR)),
        dots.transform_filter("!datum.only_figures").mark_point(filled=True, size=80, opacity=1),
        dots.transform_filter("datum.only_figures").mark_point(
            filled=False, size=80, strokeWidth=2, opacity=1
        ),
        base.transform_filter("datum.beyond")
        .mark_point(shape="triangle-right", filled=True, size=90, opacity=1)
        .encode(x=x, y=y, color=ink(INK), tooltip=tooltip),
        base.mark_point(opacity=0).encode(x=x, y=rows_y(names, "dataset", right)),
    ]
    lines = [
        f"● gap of the first two{EM}▮ not found",
        f"│ found with {100 * power:g} % probability",
    ]
    if rows["only_figures"].any():
        lines.append("○ figures only, ── any agreement")
    if rows["beyond"].any():
        lines.append(f"▶ more than {_EDGE:g} times")
    lines.append("right: gap, of the smallest gap found")
    return layered(*layers, own_axes=True, title=key(*lines), height=alt.Step(ROW))


def found_by_items(
    frame: pd.DataFrame, *, n_items: int, quantity: str, effect: float | None, height: int = 260
) -> alt.LayerChart:
    """Draw the smallest difference found against the number of items, both logarithmic.

    Columns: `n_items`, `mde`. The test set's own number is marked; `effect`, if any, is a line.
    """
    require(frame, ("n_items", "mde"))
    rows = frame.dropna(subset=["mde"])
    x = alt.X(
        "n_items:Q",
        title="items",
        scale=alt.Scale(type="log", nice=False),
        axis=alt.Axis(
            values=log_ticks(rows["n_items"]), format=",~g", grid=False, labelOverlap="greedy"
        ),
    )
    y = alt.Y(
        "mde:Q",
        title=None,
        scale=alt.Scale(type="log", nice=False),
        axis=alt.Axis(values=log_ticks(rows["mde"]), format=",~g"),
    )
    tooltip = [
        alt.Tooltip("n_items:Q", title="items", format=",d"),
        alt.Tooltip("mde:Q", title="finds", format=".3~g"),
    ]
    base = alt.Chart(rows).encode(x=x, y=y, tooltip=tooltip)
    layers: list[alt.Chart | alt.LayerChart] = [
        base.mark_line(strokeWidth=2).encode(color=ink(INK)),
        base.mark_point(filled=True, size=28, opacity=1).encode(color=ink(INK)),
        base.transform_filter(f"datum.n_items === {n_items}")
        .mark_point(filled=True, size=130, opacity=1)
        .encode(color=ink(INK)),
    ]
    words = [f"Smallest difference found: {quantity}", "● this test set"]
    if effect is not None:
        stated = alt.Chart(pd.DataFrame({"mde": [abs(effect)]}))
        layers.append(
            stated.mark_rule(strokeWidth=1.5, strokeDash=[5, 3]).encode(y=y, color=ink(UNCLEAR))
        )
        words[1] += f"{EM}╌ stated: {abs(effect):g}"
    return layered(*layers, title=key(*words), height=height)
