"""Whose mean rank over datasets is how good, and which systems cannot be told apart?"""

import math
from collections.abc import Sequence
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
    value_axis,
)

_COLUMNS: Final = ("system", "mean_rank")
GROUND: Final = alt.ExprRef("background")
"""Fill of a hollow mark that hides the line behind it."""
_RULER: Final = "critical difference"
_LANE: Final = 0.034
"""Width of a bar's lane, as a share of the plot."""
_MOST_FOR_LANES: Final = 0.4


def critical_difference_diagram(
    frame: pd.DataFrame,
    bars: Sequence[tuple[int, int]],
    *,
    rule: str = "",
    cd: float | None = None,
    confidence: float | None = None,
) -> alt.LayerChart:
    """Draw mean ranks, the best on top, and a bar beside systems that cannot be told apart.

    Demšar 2006 draws the axis of ranks with names around it; here the names are rows, so that
    forty systems can be read and an interval has room. A bar stands right of the ranks and spans
    the rows from its first to its last system.

    Columns: `system` and `mean_rank` (1 is best; missing where a system has no rank; rows must be
    sorted, these last), optional `low` and `high` (interval of the mean rank, missing allowed) and
    `complete` (False: the system lacks some of the datasets; its mark is hollow).
    `bars` are positions (first, last) in this order. `rule` says by what test the bars are drawn.
    `cd` adds a ruler as long as the critical difference: systems further apart differ.
    `confidence` of the intervals is printed in the key.
    """
    require(frame, _COLUMNS)
    rows = _rows(frame)
    names = list(rows["system"])
    n = max(len(names), 2)
    step = max(13, min(ROW, 1400 // n))
    size = min(12, step - 1)
    domain = [] if cd is None else [_RULER]
    bars = sorted(bars)
    lanes = _lanes(bars)
    x = _RankAxis(n, max(lanes, default=-1) + 1)
    order = alt.Scale(domain=[*domain, *names])  # else the ends of bars would have a say in it
    y = alt.Y("system:N", scale=order, axis=None)
    base = alt.Chart(rows)
    ranks = {
        name: "–" if math.isnan(rank) else f"{rank:.2f}"
        for name, rank in zip(names, rows["mean_rank"], strict=True)
    }
    right = value_axis(dict.fromkeys(domain, "") | ranks, "")
    right["labelFontSize"] = size
    axis = name_axis(labelFontSize=size, grid=True, gridOpacity=0.35)
    layers = [
        base.mark_point(opacity=0).encode(
            x=x("mean_rank"), y=alt.Y("system:N", scale=order, axis=axis)
        ),
        *_bars(names, bars, lanes, x, y, step),
        base.transform_filter("isValid(datum.low)")
        .mark_rule(strokeWidth=max(2.0, step / 7), opacity=0.7)
        .encode(x=x("low"), x2=alt.X2("high:Q"), y=y, color=ink(UNCLEAR)),
        base.transform_filter("isValid(datum.mean_rank) && datum.complete")
        .mark_point(filled=True, size=min(80, step * 4), opacity=1)
        .encode(x=x("mean_rank"), y=y, color=ink(INK), tooltip=_tooltip(rows)),
        base.transform_filter("isValid(datum.mean_rank) && !datum.complete")
        .mark_point(size=min(64, step * 4), strokeWidth=1.6, opacity=1, fill=GROUND)
        .encode(x=x("mean_rank"), y=y, color=ink(INK), tooltip=_tooltip(rows)),
        base.mark_point(opacity=0).encode(y=alt.Y("system:N", scale=order, axis=right)),
        *([] if cd is None else _ruler(cd, x, y)),
    ]
    return layered(
        *layers,
        own_axes=True,
        title=key(*_key(rows, bars, rule, cd, confidence)),
        height=alt.Step(step),
    )


def _rows(frame: pd.DataFrame) -> pd.DataFrame:
    rows = frame.loc[:, list(_COLUMNS)].copy()
    for end in ("low", "high"):
        rows[end] = frame[end] if end in frame.columns else float("nan")
    rows["complete"] = frame["complete"] if "complete" in frame.columns else True
    numbers = ["mean_rank", "low", "high"]
    rows[numbers] = rows[numbers].astype("float64")
    return rows


def _lanes(bars: Sequence[tuple[int, int]]) -> list[int]:
    """Give each bar the innermost lane in which it does not touch another one."""
    ends: list[int] = []
    lanes = []
    for first, last in bars:
        lane = next((k for k, end in enumerate(ends) if end < first), len(ends))
        ends[lane : lane + 1] = [last]
        lanes.append(lane)
    return lanes


class _RankAxis:
    """Encode a rank; right of the last rank there is room for the bars."""

    def __init__(self, n_systems: int, n_lanes: int) -> None:
        share = min(_MOST_FOR_LANES, _LANE * n_lanes)
        self.last = float(n_systems)
        self.span = 1.04 * (n_systems - 1)
        self.lane = self.span * share / max(1.0 - share, 0.1) / max(n_lanes, 1)
        pad = 0.04 * (n_systems - 1)
        self.scale = alt.Scale(
            domain=[1 - pad, n_systems + pad + self.lane * n_lanes], nice=False, zero=False
        )
        self.axis = alt.Axis(
            values=_ticks(n_systems),
            format="d",
            orient="top",
            grid=True,
            domain=False,
            title=None,
        )

    def __call__(self, field: str) -> alt.X:
        return alt.X(f"{field}:Q", scale=self.scale, axis=self.axis)

    def of_lane(self, lane: int) -> float:
        """Return where a lane's middle is, in ranks."""
        return self.last + 0.06 * (self.last - 1) + (lane + 0.5) * self.lane


def _bars(
    names: Sequence[str],
    bars: Sequence[tuple[int, int]],
    lanes: Sequence[int],
    x: _RankAxis,
    y: alt.Y,
    step: int,
) -> list[alt.Chart]:
    """Draw each bar as a line down the rows of its systems."""
    if not bars:
        return []
    drawn = pd.DataFrame(
        [
            {
                "at": x.of_lane(lane),
                "system": names[first],
                "last": names[last],
                "systems": f"{names[first]} to {names[last]}",
                "verdict": f"{last - first + 1} systems that cannot be separated",
            }
            for (first, last), lane in zip(bars, lanes, strict=True)
        ]
    )
    half = 0.36 * step
    chart: alt.Chart = (
        alt.Chart(drawn)
        .mark_rule(strokeWidth=5, opacity=1, yOffset=-half, y2Offset=half)
        .encode(
            x=x("at"),
            y=y,
            y2=alt.Y2("last:N"),
            color=ink(UNCLEAR),
            tooltip=[alt.Tooltip("systems:N"), alt.Tooltip("verdict:N")],
        )
    )
    return [chart]


def _ruler(cd: float, x: _RankAxis, y: alt.Y) -> list[alt.Chart]:
    """Draw a ruler from rank 1, as long as the critical difference."""
    length = min(cd, x.last - 1)
    ends = pd.DataFrame({"system": [_RULER] * 2, "at": [1.0, 1.0 + length]})
    line = pd.DataFrame(
        {"system": [_RULER], "at": [1.0], "end": [1.0 + length], "text": [f"{cd:.2f}"]}
    )
    base = alt.Chart(line).encode(y=y, color=ink(INK))
    marks: list[alt.Chart] = [
        base.mark_rule(strokeWidth=1.5).encode(x=x("at"), x2=alt.X2("end:Q")),
        alt.Chart(ends)
        .mark_point(shape="stroke", angle=90, size=90, strokeWidth=1.5, opacity=1)
        .encode(x=x("at"), y=y, color=ink(INK)),
        base.mark_text(align="left", dx=8, fontSize=12).encode(x=x("end"), text=alt.Text("text:N")),
    ]
    return marks


def _key(
    rows: pd.DataFrame,
    bars: Sequence[tuple[int, int]],
    rule: str,
    cd: float | None,
    confidence: float | None,
) -> list[str]:
    has_intervals = bool(rows["low"].notna().any())
    level = "" if confidence is None else f"{100 * confidence:g} % "
    lines = ["● mean rank, 1 is best" + (f"{EM}line: {level}interval" if has_intervals else "")]
    by = f" ({rule})" if rule else ""
    lines.append(f"Bar: cannot be separated{by}" if bars else f"No bar: neighbours differ{by}")
    if not rows["complete"].all():
        lines.insert(1, "○ lacks datasets: ranked on fewer")
    if cd is not None and cd > len(rows) - 1:
        lines.append("The critical difference exceeds all ranks.")
    return lines


def _tooltip(rows: pd.DataFrame) -> list[alt.Tooltip]:
    ends = ["low", "high"] if rows["low"].notna().any() else []
    return [
        alt.Tooltip("system:N"),
        *(
            alt.Tooltip(f"{field}:Q", title=field.replace("_", " "), format=".2f")
            for field in ("mean_rank", *ends)
        ),
    ]


def _ticks(n: int) -> list[int]:
    """The first, the last, and round numbers between, at most twelve."""
    step = next(k for k in (1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 10_000) if n / k <= 10)
    ticks = sorted({1, *range(step, n + 1, step)})
    return ticks if n - ticks[-1] < math.ceil(step / 2) else [*ticks, n]
