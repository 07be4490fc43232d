"""Metrics against human judgments: coefficients with intervals, and the marks behind one."""

from __future__ import annotations

from typing import Any, Final, Literal, NamedTuple, get_args

import altair as alt
import numpy as np
import pandas as pd

from dashboard.charts.claim_labels import Spot, place_labels
from dashboard.charts.critical_difference import GROUND
from dashboard.charts.names import shorten
from dashboard.charts.palette import (
    BETTER,
    EM,
    INK,
    ROW,
    UNCLEAR,
    WORSE,
    ink,
    key,
    layered,
    name_axis,
    require,
    rows_y,
    value_axis,
)
from dashboard.charts.scores import letter_axis

Standing = Literal["reference", "better", "worse", "undecided"]
STANDINGS: Final[tuple[Standing, ...]] = get_args(Standing)
"""Of a metric against the reference: is it, follows humans better, worse, not decided."""

_HUES: Final = {"better": BETTER, "worse": WORSE, "undecided": UNCLEAR}
_SHAPES: Final = {"better": "triangle-up", "worse": "triangle-down", "undecided": "circle"}
_FOREST: Final = ("metric", "value", "low", "high", "label")
_SCATTER: Final = ("label", "gold", "value", "outlying")
_BREAK: Final = 460
"""Width of the plot from which on names are placed as for the wide picture, in px."""
_HEIGHT, _PLOT = 420, 300
"""Of the picture, and of the plot within it, in px."""
_WIDTHS: Final = (("wide", 700, 30), ("narrow", 250, 14))
"""Widths of the plot for which names are placed, and how long a name may be, by its picture."""


class Line(NamedTuple):
    """What a human reaches against the others, drawn across all rows."""

    value: float
    low: float
    high: float


def correlation_forest(
    frame: pd.DataFrame,
    *,
    quantity: str,
    reference: str = "",
    human: Line | None = None,
    confidence: float | None = None,
    hollow: str = "lacks datasets: not over the same ones",
) -> alt.LayerChart:
    """Draw how closely each metric follows the gold, in the order given, best on top.

    Columns: `metric`, `value`, `low`, `high` (missing allowed), `label` (the value as text, at
    the right), optional `group` (letters of metrics that cannot be told apart; empty for none),
    `standing` (one of `STANDINGS`, against the metric `reference`) and `complete` (False: over less
    than others; its mark is hollow, and `hollow` says in the key what that means). `human` is
    drawn as a dashed line, its range over annotators as a band.
    """
    require(frame, _FOREST)
    rows = frame.loc[:, list(_FOREST)].copy()
    rows["group"] = frame["group"].fillna("") if "group" in frame.columns else ""
    rows["complete"] = frame["complete"] if "complete" in frame.columns else True
    rows["standing"] = frame["standing"] if "standing" in frame.columns else "reference"
    if unknown := set(rows["standing"]) - set(STANDINGS):
        raise ValueError(f"`standing` has {sorted(unknown)}; it may be {list(STANDINGS)}")
    rows[["value", "low", "high"]] = rows[["value", "low", "high"]].astype("float64")
    names = list(dict.fromkeys(rows["metric"]))
    step = max(13, min(ROW, 2_400 // max(len(names), 1)))
    font = min(12, step - 2)
    span = _span([*rows["value"], *rows["low"], *rows["high"], *(human or ())])
    scale = alt.Scale(domain=span, nice=False, zero=False)
    x = alt.X("value:Q", title=quantity, scale=scale, axis=alt.Axis(tickCount=6))
    y = rows_y(names, "metric", None)
    base = alt.Chart(rows)
    labels = dict(zip(rows["metric"], rows["label"], strict=True))
    right = value_axis(labels, "")
    right["labelFontSize"] = font
    layers = [
        *_human(human, scale),
        *_zero(span, scale),
        base.mark_rule(strokeWidth=1.5).encode(
            x=alt.X("low:Q", title="", scale=scale),
            x2=alt.X2("high:Q"),
            y=rows_y(names, "metric", name_axis(grid=True, labelFontSize=font)),
            color=ink(UNCLEAR),
        ),
        *_marks(base, x, y, min(90, 5 * step), "standing" in frame.columns),
        base.mark_point(opacity=0).encode(x=x, y=rows_y(names, "metric", right)),
    ]
    if (rows["group"] != "").any():
        letters = dict(zip(rows["metric"], rows["group"], strict=True))
        axis = letter_axis(letters, list(labels.values()), font)
        layers.append(base.mark_point(opacity=0).encode(x=x, y=rows_y(names, "metric", axis)))
    title = key(*_forest_key(rows, reference, human, confidence, hollow))
    return layered(*layers, own_axes=True, title=title, height=alt.Step(step))


def correlation_scatter(
    frame: pd.DataFrame, *, metric: str, gold: str, noun: str = "system", signs: bool = False
) -> alt.LayerChart:
    """Draw a mark per system (or per cell): the gold to the right, the metric upwards.

    Columns: `label`, `gold`, `value` (rows without one of the two are left out) and `outlying`
    (bool: ringed, named where there is room). Marks on the same place become one, whose size says
    how many; a handful of marks are all named. With `signs` both axes say who is preferred: 1 the
    first, -1 the second, 0 neither.
    """
    require(frame, _SCATTER)
    rows = _piles(frame.loc[:, list(_SCATTER)])
    spans = {name: [-1.4, 1.4] if signs else _span(list(rows[name])) for name in ("gold", "value")}
    rows = _named(rows, spans)
    piled = bool((rows["n"] > 1).any())
    axis = _sign_axis() if signs else alt.Axis(tickCount=6)
    x = alt.X("gold:Q", title=gold, scale=_fixed(spans["gold"]), axis=axis)
    y = alt.Y("value:Q", title=metric, scale=_fixed(spans["value"]), axis=axis)
    base = alt.Chart(rows)
    tooltip = [
        alt.Tooltip("label:N"),
        alt.Tooltip("gold:Q", title=shorten(gold, 24), format=".4~f"),
        alt.Tooltip("value:Q", title=shorten(metric, 24), format=".4~f"),
        *([alt.Tooltip("n:Q", title=f"{noun}s")] if piled else []),
    ]
    size = alt.Size("n:Q", scale=alt.Scale(type="sqrt", range=[30, 900]), legend=None)
    many = len(rows) > 400
    dots = base.mark_point(filled=True, size=24 if many else 55, opacity=0.35 if many else 0.8)
    dots = dots.encode(x=x, y=y, color=ink(INK), tooltip=tooltip)
    layers = [
        dots.encode(size=size) if piled else dots,
        base.transform_filter("datum.outlying")
        .mark_point(filled=False, size=150, strokeWidth=1.6, opacity=1)
        .encode(x=x, y=y, color=ink(INK)),
        *(
            [
                base.mark_text(dx=24, align="left").encode(
                    x=x, y=y, text=alt.Text("n:Q"), color=ink(INK)
                )
            ]
            if signs
            else []
        ),
        _names(base, x, y),
    ]
    lines = [f"● one {noun}" + (f"{EM}larger: several on one place" if piled else "")]
    if rows["outlying"].any():
        lines.append("○ outlying: far from the others by the gold")
    return layered(*layers, title=key(*lines), height=_HEIGHT)


def _human(human: Line | None, scale: alt.Scale) -> list[alt.Chart]:
    if human is None or np.isnan(human.value):
        return []
    drawn = alt.Chart(pd.DataFrame([human._asdict()]))
    layers: list[alt.Chart] = []
    if np.isfinite(human.low) and np.isfinite(human.high):
        layers.append(
            drawn.mark_rect(opacity=0.13).encode(
                x=alt.X("low:Q", scale=scale), x2=alt.X2("high:Q"), color=ink(UNCLEAR)
            )
        )
    dashed = drawn.mark_rule(strokeWidth=2, strokeDash=[6, 4])
    return [*layers, dashed.encode(x=alt.X("value:Q", scale=scale), color=ink(INK))]


def _zero(span: list[float], scale: alt.Scale) -> list[alt.Chart]:
    if not span[0] < 0 < span[1]:
        return []
    line = alt.Chart(pd.DataFrame({"zero": [0.0]})).mark_rule(strokeWidth=1)
    return [line.encode(x=alt.X("zero:Q", scale=scale), color=ink(UNCLEAR))]


def _marks(base: alt.Chart, x: alt.X, y: alt.Y, size: int, judged: bool) -> list[alt.Chart]:
    """Shape and hue say the same of a metric against the reference; hollow is over less."""
    against = [alt.Tooltip("standing:N", title="against the reference")] if judged else []
    tooltip = [alt.Tooltip("metric:N"), alt.Tooltip("label:N"), *against]
    looks: dict[str, tuple[str | alt.ExprRef, str, float]] = {
        name: (hue, _SHAPES[name], size) for name, hue in _HUES.items()
    }
    looks["reference"] = (INK, "diamond" if judged else "circle", 1.4 * size)
    marks = []
    for standing, (hue, shape, large) in looks.items():
        own = base.transform_filter(alt.FieldEqualPredicate(field="standing", equal=standing))
        full: dict[str, Any] = {"filled": True, "size": large}
        empty: dict[str, Any] = {"fill": GROUND, "size": size, "strokeWidth": 1.6}
        for which, look in (("datum.complete", full), ("!datum.complete", empty)):
            drawn = own.transform_filter(which).mark_point(shape=shape, opacity=1, **look)
            marks.append(drawn.encode(x=x, y=y, color=ink(hue), tooltip=tooltip))
    return marks


def _forest_key(
    rows: pd.DataFrame,
    reference: str,
    human: Line | None,
    confidence: float | None,
    hollow: str,
) -> list[str]:
    level = "" if confidence is None else f"{100 * confidence:g} % "
    has_intervals = bool(rows["low"].notna().any())
    there = set(rows["standing"])
    signs = {"better": "▲ better", "worse": "▼ worse", "undecided": "● cannot tell"}
    told = [words for standing, words in signs.items() if standing in there]
    lines = []
    if "reference" in there and told:
        lines = [f"◆ reference: {shorten(reference, 26)}", EM.join(told)]
    if not rows["complete"].all():
        lines.append(
            f"○ {hollow}" if set(rows["standing"]) == {"reference"} else f"Hollow: {hollow}"
        )
    if has_intervals:
        lines.append(f"Line: {level}interval of each by itself")
    if (rows["group"] != "").any():
        lines.append("a letter in common: cannot be separated")
    if human is not None:
        lines.append("Dashed: one annotator against the others")
        if np.isfinite(human.low):
            lines.append("Band: from the lowest annotator to the highest")
    return lines or ["● coefficient"]


def _piles(frame: pd.DataFrame) -> pd.DataFrame:
    """Put marks on the same place together; an outlying one stays one."""
    rows = frame.astype({"gold": "float64", "value": "float64"}).dropna(subset=["gold", "value"])
    grouped = rows.groupby(["gold", "value", "outlying"], sort=False, as_index=False)
    piles = grouped.agg(label=("label", "first"), n=("label", "size"))
    piles["label"] = [
        label if n == 1 else f"{label} and {n - 1:,} more"
        for label, n in zip(piles["label"], piles["n"], strict=True)
    ]
    return piles


def _named(rows: pd.DataFrame, spans: dict[str, list[float]]) -> pd.DataFrame:
    """Say which marks are named at which width: the outlying ones, or all of a handful."""

    def place(name: str) -> list[float]:
        low, high = spans[name]
        return [float((value - low) / (high - low)) for value in rows[name]]

    none = float("nan")
    spots = [Spot(x, y, none, none) for x, y in zip(place("gold"), place("value"), strict=True)]
    few = len(rows) <= 20 and bool((rows["n"] == 1).all())
    order = [k for k, outlying in enumerate(rows["outlying"]) if outlying]
    order += [k for k in range(len(rows)) if few and k not in order]
    for width, pixels, length in _WIDTHS:
        texts = [shorten(str(label), length) for label in rows["label"]]
        rows[f"text_{width}"] = texts
        rows[f"side_{width}"] = place_labels(spots, texts, order[:40], width=pixels, height=_PLOT)
    return rows


def _names(base: alt.Chart, x: alt.X, y: alt.Y) -> alt.Chart:
    """Write the names where they were placed for the width that the plot has."""
    chart: alt.Chart = (
        base.transform_calculate(
            side=f"width < {_BREAK} ? datum.side_narrow : datum.side_wide",
            text=f"width < {_BREAK} ? datum.text_narrow : datum.text_wide",
        )
        .transform_filter("datum.side !== ''")
        .mark_text(
            align=alt.ExprRef("datum.side === 'before' ? 'right' : 'left'"),
            dx=alt.ExprRef("datum.side === 'before' ? -10 : 10"),
            dy=alt.ExprRef("datum.side === 'after' ? 12 : -10"),
            fontSize=12,
            limit=0,
        )
        .encode(x=x, y=y, text=alt.Text("text:N"), color=ink(INK))
    )
    return chart


def _sign_axis() -> alt.Axis:
    words = "datum.value > 0 ? 'first' : datum.value < 0 ? 'second' : 'tie'"
    return alt.Axis(values=[-1, 0, 1], labelExpr=words)


def _fixed(span: list[float]) -> alt.Scale:
    return alt.Scale(domain=span, nice=False, zero=False)


def _span(values: list[float]) -> list[float]:
    """The range of what is known, with a little room; not from zero."""
    known = [float(value) for value in values if np.isfinite(value)]
    if not known:
        return [0.0, 1.0]
    low, high = min(known), max(known)
    pad = 0.06 * (high - low) or 0.05 * abs(high) or 0.5
    return [low - pad, high + pad]
