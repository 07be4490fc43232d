"""Records over time: what the best score was said to be, and what was shown to be better."""

from __future__ import annotations

from typing import Any, Final, Literal, NamedTuple, cast

import altair as alt
import pandas as pd

from analysis.studies.claims.words import SIGNS
from dashboard.charts.claim_names import HEIGHT, by_themselves, named
from dashboard.charts.critical_difference import GROUND
from dashboard.charts.palette import (
    BETTER,
    EM,
    HATCH,
    INK,
    UNCLEAR,
    WORSE,
    ink,
    key,
    layered,
    require,
)

Kind = Literal["supported", "within noise", "underpowered", "unverifiable", "contradicted", "start"]


class Look(NamedTuple):
    """How a claim of one kind is drawn."""

    sign: str
    shape: str
    filled: bool
    color: str | alt.ExprRef
    size: int


LOOKS: Final[dict[Kind, Look]] = {
    "within noise": Look(SIGNS["within noise"], "circle", False, UNCLEAR, 70),
    "underpowered": Look(SIGNS["underpowered"], "diamond", False, UNCLEAR, 95),
    "unverifiable": Look(SIGNS["unverifiable"], HATCH, False, UNCLEAR, 90),
    "start": Look(SIGNS["start"], "square", True, INK, 55),
    "contradicted": Look(SIGNS["contradicted"], "triangle-down", True, WORSE, 150),
    "supported": Look(SIGNS["supported"], "triangle-up", True, BETTER, 190),
}
"""From the bottom to the top of the picture: what was shown covers what was not."""

RING: Final = 320
"""Size of the ring around a move that only several gains together show."""

_BREAK: Final = 520

_LOOK_COLUMNS: Final = ("when", "system", "score")
_STEP_COLUMNS: Final = ("when", "score")
_CLAIM_COLUMNS: Final = ("when", "system", "score", "verdict", "low", "high", "claimed")


def claims_plot(
    looks: pd.DataFrame,
    claims: pd.DataFrame,
    frontier: pd.DataFrame,
    raw: pd.DataFrame,
    *,
    metric: str = "score",
    higher_is_better: bool = True,
    confidence: float | None = None,
) -> alt.LayerChart:
    """Draw a history of records: every score, the claims among them, and two frontiers.

    Columns of `looks`: `when`, `system`, `score`. Columns of `frontier` (moves only for what was
    shown to be better) and `raw` (the best score so far): `when`, `score`. Columns of `claims`:
    `when`, `system`, `score`, `verdict` (a key of `LOOKS`), `low` and `high` (where the score
    would be if the gain on the best before were at the ends of its interval), `claimed` (the
    figure that was stated, missing unless it is another one). `frontier` may say in `by_itself`
    whether the last gain was shown, or only several together. Further columns of `claims` and of
    `frontier` stand in their tooltips under their own names. `confidence` is that of the
    intervals.
    """
    require(looks, _LOOK_COLUMNS)
    require(claims, _CLAIM_COLUMNS)
    require(frontier, _STEP_COLUMNS)
    require(raw, _STEP_COLUMNS)
    dots, marks = _dated(looks), _dated(claims)
    numbers = ["score", "low", "high", "claimed"]
    marks[numbers] = marks[numbers].astype("float64")
    steps = [_dated(step) for step in (raw, frontier)]
    values = _span(dots, marks, steps, higher_is_better)
    times = _times(dots, marks)
    last = times[1]
    dots["outside"] = ~dots["score"].between(*values)
    x = alt.X(
        "when:T",
        title=None,
        scale=alt.Scale(domain=[_as_text(moment) for moment in times], nice=False),
        axis=alt.Axis(
            tickCount=6,
            grid=False,
            labelFlush=False,
            labelOverlap="greedy",
            format=_date_format(times),
        ),
    )
    y = alt.Y(
        "score:Q",
        title=metric if higher_is_better else f"{metric} (lower is better)",
        scale=alt.Scale(domain=list(values), zero=False, nice=False),
        axis=alt.Axis(tickCount=6),
    )
    layers: list[alt.Chart] = [
        *_scores(dots, x, y, higher_is_better),
        _not_shown(steps[0], steps[1], last, x, y),
        _line(steps[0], last, x, y, UNCLEAR, 1.3),
        _line(steps[1], last, x, y, INK, 2.6),
        *_marks(marks, x, y),
        *_moves(steps[1], x, y),
        *_labels(named(marks, steps, times, values, higher_is_better), x, y, higher_is_better),
    ]
    words = _key(dots, marks, confidence, has_joint=not by_themselves(frontier).all())
    return layered(*layers, title=key(*words), height=HEIGHT + 40 + 17 * len(words))


def _dated(frame: pd.DataFrame) -> pd.DataFrame:
    """Copy a frame, times in UTC without saying so: the browser would shift them to its zone."""
    rows = frame.copy()
    rows["when"] = pd.to_datetime(rows["when"], utc=True).dt.tz_localize(None)
    rows["score"] = rows["score"].astype("float64")
    return rows


def _times(dots: pd.DataFrame, marks: pd.DataFrame) -> tuple[pd.Timestamp, pd.Timestamp]:
    """Return the ends of the time axis, with a little room."""
    known = pd.concat([dots["when"], marks["when"]]).dropna()
    if known.empty:
        known = pd.Series([pd.Timestamp(2000, 1, 1)])
    first, last = known.min(), known.max()
    pad = (last - first) * 0.03 or pd.Timedelta(days=15)
    return first - pad, last + pad


def _date_format(times: tuple[pd.Timestamp, pd.Timestamp]) -> str:
    """Return how days are written below the picture: with as much as tells ticks apart."""
    days = (times[1] - times[0]).days
    return "%-d %b %Y" if days < 90 else "%b %Y" if days < 2_200 else "%Y"


def _span(
    dots: pd.DataFrame, marks: pd.DataFrame, steps: list[pd.DataFrame], higher_is_better: bool
) -> tuple[float, float]:
    """Return the ends of the score axis: frontiers and claims, and scores not far from them."""
    told = [marks[column] for column in ("score", "low", "high", "claimed")]
    known = pd.concat([*told, *(step["score"] for step in steps)]).dropna()
    scores = dots["score"].dropna()
    if known.empty:
        known = scores
    if known.empty:
        return 0.0, 1.0
    low, high = float(known.min()), float(known.max())
    room = (high - low) * 0.6 or 0.05 * abs(high) or 0.5
    near = scores[scores.between(low - room, high + room)]
    if len(near):
        low, high = min(low, float(near.min())), max(high, float(near.max()))
    pad = 0.06 * (high - low) or room
    return low - pad, high + pad


def _scores(dots: pd.DataFrame, x: alt.X, y: alt.Y, higher_is_better: bool) -> list[alt.Chart]:
    """Draw every score as a faint dot; far worse ones are ticks at the edge."""
    base = alt.Chart(dots)
    color = ink(UNCLEAR)
    tooltip = [alt.Tooltip("system:N"), alt.Tooltip("score:Q", format=".5~g")]
    tooltip = [*tooltip, alt.Tooltip("when:T", title="day", format="%Y-%m-%d")]
    inside = base.transform_filter("!datum.outside").mark_circle(size=20, opacity=0.4)
    edge = base.transform_filter("datum.outside").mark_point(
        shape="stroke", angle=90, size=36, opacity=0.5, strokeWidth=1.2
    )
    at = alt.YValue(  # type: ignore[no-untyped-call]  # Altair has no types here
        alt.ExprRef("height - 5") if higher_is_better else 5
    )
    return [
        cast("alt.Chart", inside.encode(x=x, y=y, color=color, tooltip=tooltip)),
        cast("alt.Chart", edge.encode(x=x, y=at, color=color, tooltip=tooltip)),
    ]


def _to_the_end(step: pd.DataFrame, last: pd.Timestamp) -> pd.DataFrame:
    """Return a frontier as it moves, and its last score once more at the end."""
    rows = step.loc[:, list(_STEP_COLUMNS)].sort_values("when", kind="stable")
    if rows.empty:
        return rows
    return pd.concat([rows, rows.tail(1).assign(when=max(last, rows["when"].iloc[-1]))])


def _not_shown(
    raw: pd.DataFrame, frontier: pd.DataFrame, last: pd.Timestamp, x: alt.X, y: alt.Y
) -> alt.Chart:
    """Shade what lies between the best score so far and the best that was shown."""
    both = pd.merge(
        _to_the_end(raw, last).drop_duplicates("when", keep="last"),
        _to_the_end(frontier, last).drop_duplicates("when", keep="last"),
        on="when",
        how="outer",
        suffixes=("", "_shown"),
    ).sort_values("when")
    both[["score", "score_shown"]] = both[["score", "score_shown"]].ffill()
    area = alt.Chart(both.dropna()).mark_area(
        interpolate="step-after", opacity=0.16, line=False, clip=True
    )
    return cast("alt.Chart", area.encode(x=x, y=y, y2=alt.Y2("score_shown:Q"), color=ink(UNCLEAR)))


def _line(
    step: pd.DataFrame,
    last: pd.Timestamp,
    x: alt.X,
    y: alt.Y,
    color: str | alt.ExprRef,
    width: float,
) -> alt.Chart:
    """Draw a frontier: it keeps its score until it moves, and its last one to the end."""
    rows = _to_the_end(step, last)
    line = alt.Chart(rows).mark_line(interpolate="step-after", strokeWidth=width, clip=True)
    return cast("alt.Chart", line.encode(x=x, y=y, color=ink(color), order=alt.Order("when:T")))


def _moves(step: pd.DataFrame, x: alt.X, y: alt.Y) -> list[alt.Chart]:
    """Dot the honest frontier where it moves; under the pointer it says what moved it.

    A ring stands where only several gains together are shown, around the mark of the last one.
    """
    texts = [
        alt.Tooltip(f"{_escaped(column)}:N", title=column)
        for column in step.columns
        if column not in (*_STEP_COLUMNS, "by_itself")
    ]
    alone, drawn = by_themselves(step), []
    for rows, mark in (
        (step[~alone], {"size": RING, "filled": False, "strokeWidth": 2, "fill": "transparent"}),
        (step[alone], {"size": 30, "filled": True}),
    ):
        if len(rows):
            dots = alt.Chart(rows).mark_point(shape="circle", opacity=1, **mark)
            drawn.append(dots.encode(x=x, y=y, color=ink(INK), tooltip=texts))
    return drawn


def _marks(marks: pd.DataFrame, x: alt.X, y: alt.Y) -> list[alt.Chart]:
    """Draw each claim with its interval, and what was stated where it is another figure."""
    drawn: list[alt.Chart] = []
    texts = [
        alt.Tooltip(f"{_escaped(column)}:N", title=column)
        for column in marks.columns
        if column not in (*_CLAIM_COLUMNS, "label", "draws_label")
    ]
    for kind, look in LOOKS.items():
        rows = marks[marks["verdict"] == kind]
        if rows.empty:
            continue
        base = alt.Chart(rows)
        color = ink(look.color)
        strong = kind in ("supported", "contradicted")
        if rows["low"].notna().any():
            interval = base.transform_filter("isValid(datum.low) && isValid(datum.high)")
            interval = interval.mark_rule(
                strokeWidth=2 if strong else 1.2, opacity=0.9 if strong else 0.55, clip=True
            )
            drawn.append(
                interval.encode(x=x, y=alt.Y("low:Q", title=""), y2=alt.Y2("high:Q"), color=color)
            )
        if rows["claimed"].notna().any():
            drawn += _stated(base, x, y, look.color, texts)
        fill: dict[str, Any] = {"filled": True} if look.filled else {"fill": GROUND}
        point = base.mark_point(
            shape=look.shape, size=look.size, opacity=1, strokeWidth=1.7, **fill
        )
        drawn.append(point.encode(x=x, y=y, color=color, tooltip=texts))
    return drawn


def _stated(
    base: alt.Chart, x: alt.X, y: alt.Y, color: str | alt.ExprRef, texts: list[alt.Tooltip]
) -> list[alt.Chart]:
    """Tie a claim to the figure that was stated."""
    rows = base.transform_filter("isValid(datum.claimed)")
    tie = rows.mark_rule(strokeWidth=1.2, strokeDash=[2, 3])
    figure = rows.mark_point(shape="stroke", size=160, strokeWidth=2, opacity=1)
    at = alt.Y("claimed:Q", title="")
    return [
        cast("alt.Chart", tie.encode(x=x, y=y, y2=alt.Y2("claimed:Q"), color=ink(color))),
        cast("alt.Chart", figure.encode(x=x, y=at, color=ink(color), tooltip=texts)),
    ]


def _escaped(column: str) -> str:
    """Escape what Vega would read as a path or a type in the name of a column."""
    return "".join(f"\\{sign}" if sign in ".[]:" else sign for sign in column)


def _labels(names: pd.DataFrame, x: alt.X, y: alt.Y, higher_is_better: bool) -> list[alt.Chart]:
    """Write the names of claims where there is room; those that were shown are strong."""
    if names.empty:
        return []
    up, down = (-10, 12) if higher_is_better else (10, -12)
    drawn = []
    for strong in (False, True):
        base = alt.Chart(names[names["strong"] == strong]).transform_calculate(
            side=f"width < {_BREAK} ? datum.side_narrow : datum.side_wide",
            text=f"width < {_BREAK} ? datum.text_narrow : datum.text_wide",
        )
        text = base.transform_filter("datum.side !== ''").mark_text(
            align=alt.ExprRef("datum.side === 'before' ? 'right' : 'left'"),
            dx=alt.ExprRef("datum.side === 'before' ? -10 : 10"),
            dy=alt.ExprRef(f"datum.side === 'after' ? {down} : {up}"),
            fontSize=11.5,
            fontWeight=600 if strong else "normal",
            limit=0,
        )
        text = text.encode(x=x, y=y, text=alt.Text("text:N"))
        drawn += [_halo(text), text.encode(color=ink(INK if strong else UNCLEAR))]
    return drawn


def _halo(text: alt.Chart) -> alt.Chart:
    """Put the colour of the page around letters, so that they can be read over other marks."""
    ground = text.copy()
    ground.mark["stroke"], ground.mark["strokeWidth"] = GROUND, 3
    return ground.encode(color=alt.ColorValue(GROUND))


def _key(
    dots: pd.DataFrame, marks: pd.DataFrame, confidence: float | None, *, has_joint: bool
) -> list[str]:
    """Say in words what is drawn; a line is at most 48 characters."""
    counts = marks["verdict"].value_counts()
    entries = [
        f"{look.sign} {counts[kind]} {kind}" if kind != "start" else f"{look.sign} first score"
        for kind, look in reversed(LOOKS.items())
        if kind in counts
    ]
    lines = [EM.join(entries[at : at + 2]) for at in range(0, len(entries), 2)]
    lines.append("━● the best shown: it beat the one before")
    if has_joint:
        lines.append("◯ shown by several gains together only")
    lines.append(f"─ the best so far{EM}grey: not shown{EM}· a score")
    if marks["low"].notna().any():
        level = "" if confidence is None else f"{100 * confidence:g} % "
        lines.append(f"│ {level}interval: gain on the best before")
    if marks["claimed"].notna().any():
        lines.append("┄ leads to the figure that was stated")
    if outside := int(dots["outside"].sum()):
        lines.append(f"ticks at the edge: {outside:,} scores beyond it")
    return lines


def _as_text(moment: pd.Timestamp) -> str:
    return moment.strftime("%Y-%m-%dT%H:%M:%S")
