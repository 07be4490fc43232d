"""The vocabulary that all charts share: colour tokens, the hatch, name axes, keys in words.

The tokens are names of theme colours. Streamlit replaces them by the hex values of the reader's
theme (`.streamlit/config.toml`), but only where they stand in `encoding.color` as a value or in
its scale's range; a token anywhere else would be read as a CSS colour. Where the theme has no
fitting colour, `by_theme` lets the chart look at its own background.
"""

import json
import math
from collections.abc import Mapping, Sequence
from typing import Any, Final

import altair as alt
import pandas as pd

BETTER: Final = "blue"
"""The first system of a comparison is better."""

WORSE: Final = "orange"
"""The first system of a comparison is worse."""

SAME: Final = "violet"
"""Shown to be equivalent, which is more than cannot tell."""

UNCLEAR: Final = "gray"
"""The data cannot tell, or the mark is secondary."""

HATCH: Final = "M-1,1L1,-1M-1,0L0,-1M0,1L1,0"
"""A symbol path of three diagonals: not comparable, not testable, reported only."""

SMALLEST: Final = 1e-300
"""Vega finds no ticks on an axis that is shorter, and draws nothing."""

ROW: Final = 24
"""Height of one row of a chart with a row per system or dataset, in px."""

EM: Final = "\N{EM SPACE}"
"""Between the entries of a key; plain spaces collapse in SVG."""

_BY_WIDTH: Final = "(containerSize()[0] < 520 ? 16 : 36)"


def by_theme(light: str, dark: str) -> alt.ExprRef:
    """Choose a colour by the background that the chart is drawn on."""
    return alt.ExprRef(f"luminance(background) < 0.4 ? '{dark}' : '{light}'")


INK: Final = by_theme("#2b3442", "#dde2e8")
"""Neutral emphasis: the mark carries no verdict."""

LABELS: Final = by_theme("#4d5661", "#b4bdc8")
"""Text of axes and legends; Streamlit's own is too pale to read."""


def require(frame: pd.DataFrame, columns: Sequence[str]) -> None:
    """Raise ValueError that names the columns a chart needs and `frame` lacks."""
    missing = [column for column in columns if column not in frame.columns]
    if missing:
        raise ValueError(f"`frame` lacks {missing}; the chart needs {list(columns)}")


def ink(color: str | alt.ExprRef) -> alt.ColorValue:
    """Encode one colour: a token, or one chosen by theme."""
    return alt.ColorValue(color)


def key(*lines: str) -> alt.TitleParams:
    """Put the key in words above the chart, so that a print or a screenshot keeps it."""
    return alt.TitleParams(
        list(lines), fontSize=12, fontWeight="normal", lineHeight=17, offset=10, anchor="start"
    )


def name_axis(characters: int | None = None, **options: Any) -> alt.Axis:
    """Label rows by name; a long name loses its middle, since both ends tell versions apart.

    Without `characters` a label's length goes by the width of the picture.
    """
    most = _BY_WIDTH if characters is None else str(characters)
    cut = (
        f"length(datum.label) <= {most} ? datum.label"
        f" : slice(datum.label, 0, floor({most} * 0.5)) + '…'"
        f" + slice(datum.label, -floor({most} * 0.42))"
    )
    merged: dict[str, Any] = {
        "labelExpr": cut,
        "labelLimit": 0,
        "labelPadding": 8,
        "labelOverlap": False,
        "labelFlush": False,
        "title": None,
        "grid": False,
    }
    return alt.Axis(**{**merged, **options})


def value_axis(values: Mapping[str, str], title: str) -> alt.Axis:
    """Write one text per row right of the plot, right-aligned like a column of numbers."""
    longest = max((len(text) for text in values.values()), default=0)
    return alt.Axis(
        orient="right",
        title=title,
        titleAngle=0,
        titleAlign="right",
        titleAnchor="end",
        titleBaseline="bottom",
        titleX=round(6.6 * longest) + 12,
        titleY=-6,
        labelExpr=f"({json.dumps(dict(values))})[datum.value]",
        labelLimit=0,
        labelAlign="right",
        labelPadding=round(6.6 * longest) + 12,
        labelOverlap=False,
        labelFlush=False,
        grid=False,
    )


def log_ticks(values: "pd.Series[float]") -> list[float]:
    """Return 1, 2 and 5 of each power of ten within what a logarithmic axis shows."""
    known = values[values > 0]
    if known.empty:
        return []
    low, high = float(known.min()), float(known.max())
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    ticks = [float(f"{digit}e{power}") for power in powers for digit in (1, 2, 5)]
    return [tick for tick in ticks if low * (1 - 1e-9) <= tick <= high * (1 + 1e-9)]


def layered(
    *layers: alt.Chart | alt.LayerChart, title: alt.TitleParams, own_axes: bool = False, **size: Any
) -> alt.LayerChart:
    """Put layers on one another; with `own_axes` a layer may bring a y axis of its own.

    All at once: each method of a chart with layers, such as `properties`, copies all layers twice.
    """
    words: dict[str, Any] = {"labelColor": LABELS, "titleColor": LABELS}
    resolve = alt.Resolve(axis=alt.AxisResolveMap(y="independent"))
    return alt.LayerChart(
        layer=layers,
        title=title,
        config=alt.Config(
            axis=alt.AxisConfig(**words, titleFontSize=12),
            legend=alt.LegendConfig(**words, labelFontSize=12),
        ),
        resolve=resolve if own_axes else alt.Undefined,
        **size,
    )


def rows_y(names: Sequence[str], field: str, axis: alt.Axis | None) -> alt.Y:
    """Encode a row per name, in the order given."""
    return alt.Y(f"{field}:N", sort=list(names), axis=axis)
