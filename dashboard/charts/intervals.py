"""Differences with their intervals: of one pair, and of one pair per group of items."""

from collections.abc import Callable
from typing import Any, Final, Literal, get_args

import altair as alt
import pandas as pd

from dashboard.charts.names import shorten
from dashboard.charts.palette import (
    BETTER,
    EM,
    INK,
    ROW,
    SAME,
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

Verdict = Literal["better", "worse", "equivalent", "undecided"]
VERDICTS: Final[tuple[Verdict, ...]] = get_args(Verdict)
"""Of the first system: shown better, shown worse, shown equivalent, not decided."""

MOST_GROUPS: Final = 60
"""A forest of more groups shows the largest ones."""

_HUES: Final = (BETTER, WORSE, SAME, UNCLEAR)
_PAIR_COLUMNS: Final = ("method", "difference", "low", "high")
_GROUP_COLUMNS: Final = ("group", "n", "difference", "low", "high")


def paired_difference(
    frame: pd.DataFrame,
    *,
    a: str,
    b: str,
    verdict: Verdict = "undecided",
    quantity: str = "difference",
    margin: float | None = None,
    higher_is_better: bool = True,
) -> alt.LayerChart:
    """Draw the difference A − B with its interval on an axis with zero.

    Columns: `method` (name of the interval, printed at the left), `difference`, `low`, `high`
    (missing allowed), optional `label` (text at the right). The first row is the one that counts
    and wears the colour of the `verdict`; further rows, intervals by other methods, are thin and
    grey. `margin` draws the band of differences that do not matter.
    """
    require(frame, _PAIR_COLUMNS)
    rows = _with_labels(frame, _PAIR_COLUMNS)
    names = list(dict.fromkeys(rows["method"]))
    hue = _HUES[VERDICTS.index(verdict)]
    x = _difference_x(rows, a, b, higher_is_better, margin)
    main, others = alt.Chart(rows.iloc[:1]), alt.Chart(rows.iloc[1:])
    tooltip = _tooltip("method:N", quantity)
    y = rows_y(names, "method", None)
    layers = [
        *_margin_band(margin, x),
        _zero(x),
        alt.Chart(rows)
        .mark_point(opacity=0)
        .encode(x=x("low"), y=rows_y(names, "method", name_axis(grid=False))),
        others.mark_rule(strokeWidth=1.5).encode(
            x=x("low"), x2=alt.X2("high:Q"), y=y, color=ink(UNCLEAR)
        ),
        others.mark_point(filled=True, size=40, opacity=1).encode(
            x=x("difference"), y=y, color=ink(UNCLEAR), tooltip=tooltip
        ),
        main.mark_rule(strokeWidth=3).encode(x=x("low"), x2=alt.X2("high:Q"), y=y, color=ink(hue)),
        main.mark_point(shape="stroke", angle=90, size=140, strokeWidth=2, opacity=1).encode(
            x=x("low"), y=y, color=ink(hue)
        ),
        main.mark_point(shape="stroke", angle=90, size=140, strokeWidth=2, opacity=1).encode(
            x=x("high"), y=y, color=ink(hue)
        ),
        main.mark_point(filled=True, size=150, opacity=1).encode(
            x=x("difference"), y=y, color=ink(hue), tooltip=tooltip
        ),
        _values(rows, names, "method"),
    ]
    lines = [f"● {quantity} with interval"]
    if margin is not None:
        lines.append(f"band: differences that do not matter, ±{margin:g}")
    return layered(*layers, own_axes=True, title=key(*lines), height=alt.Step(ROW + 8))


def group_forest(
    frame: pd.DataFrame,
    *,
    a: str,
    b: str,
    quantity: str = "difference",
    noun: str = "group",
    higher_is_better: bool = True,
) -> alt.LayerChart:
    """Draw the difference A − B with its interval per group of items, the largest on top.

    Columns: `group`, `n` (items of both), `difference`, `low`, `high` (missing allowed), optional
    `verdict` (one of `VERDICTS`; without it all is neutral, since an interval per group corrects
    for nothing). Above `MOST_GROUPS` groups those with most items are drawn; the key says so.
    """
    require(frame, _GROUP_COLUMNS)
    judged = "verdict" in frame.columns
    rows = frame.loc[:, [*_GROUP_COLUMNS, *(["verdict"] if judged else [])]].copy()
    if judged and (unknown := set(rows["verdict"]) - set(VERDICTS)):
        raise ValueError(f"`verdict` has {sorted(unknown)}; it may be {list(VERDICTS)}")
    n_groups = len(rows)
    rows = rows.sort_values("n", ascending=False, kind="stable").head(MOST_GROUPS)
    rows = rows.sort_values("difference", ascending=False, kind="stable", na_position="last")
    rows[["difference", "low", "high"]] = rows[["difference", "low", "high"]].astype("float64")
    names = list(dict.fromkeys(rows["group"]))
    x = _difference_x(rows, a, b, higher_is_better, None)
    color: alt.Color | alt.ColorValue = ink(INK)
    if judged:
        color = alt.Color(
            "verdict:N", scale=alt.Scale(domain=list(VERDICTS), range=list(_HUES)), legend=None
        )
    base = alt.Chart(rows)
    y = rows_y(names, "group", None)
    tooltip = [
        *_tooltip("group:N", quantity),
        alt.Tooltip("n:Q"),
        *([alt.Tooltip("verdict:N")] if judged else []),
    ]
    counts = {name: f"{n:,.0f}" for name, n in zip(rows["group"], rows["n"], strict=True)}
    layers = [
        _zero(x),
        base.mark_rule(strokeWidth=1.5).encode(
            x=x("low"), x2=alt.X2("high:Q"), y=rows_y(names, "group", name_axis()), color=color
        ),
        *(
            dots.mark_point(filled=True, opacity=1, **look).encode(
                x=x("difference"), y=y, color=color, tooltip=tooltip
            )
            for dots, look in _dots(base, judged)
        ),
        base.mark_point(opacity=0).encode(y=rows_y(names, "group", value_axis(counts, "n"))),
    ]
    lines = [f"{quantity[:1].upper()}{quantity[1:]} with interval, n items"]
    if n_groups > MOST_GROUPS:
        lines.append(f"The {MOST_GROUPS} largest of {n_groups:,} {noun}s.")
    if judged:
        square = f"{EM}■ equivalent" if "equivalent" in set(rows["verdict"]) else ""
        lines.append(f"● better or worse{square}{EM}• cannot tell")
    else:
        lines.append("Not corrected for the number of intervals.")
    return layered(*layers, own_axes=True, title=key(*lines), height=alt.Step(ROW))


def _dots(base: alt.Chart, judged: bool) -> list[tuple[alt.Chart, dict[str, Any]]]:
    """Size and shape say what the hue says."""
    if not judged:
        return [(base, {"size": 80})]
    return [
        (base.transform_filter(_is("better", "worse")), {"size": 110}),
        (base.transform_filter(_is("equivalent")), {"size": 90, "shape": "square"}),
        (base.transform_filter(_is("undecided")), {"size": 32}),
    ]


def _is(*verdicts: Verdict) -> alt.FieldOneOfPredicate:
    return alt.FieldOneOfPredicate(field="verdict", oneOf=list(verdicts))


def _with_labels(frame: pd.DataFrame, columns: tuple[str, ...]) -> pd.DataFrame:
    rows = frame.loc[:, list(columns)].copy()
    rows[["difference", "low", "high"]] = rows[["difference", "low", "high"]].astype("float64")
    rows["label"] = frame["label"].fillna("") if "label" in frame.columns else ""
    return rows


def _values(rows: pd.DataFrame, names: list[str], field: str) -> alt.Chart:
    """Write the labels at the right; without any, leave no room for them."""
    labels = dict(zip(rows[field], rows["label"], strict=True))
    axis = value_axis(labels, "") if any(labels.values()) else None
    chart: alt.Chart = alt.Chart(rows).mark_point(opacity=0).encode(y=rows_y(names, field, axis))
    return chart


def _difference_x(
    rows: pd.DataFrame, a: str, b: str, higher_is_better: bool, margin: float | None
) -> Callable[[str], alt.X]:
    """Return how to encode a column on an axis that holds everything, zero and the margin."""
    known = pd.concat([rows["difference"], rows["low"], rows["high"]]).dropna()
    edges = [0.0] if margin is None else [-margin, 0.0, margin]
    low, high = min([*edges, *known]), max([*edges, *known])
    pad = 0.06 * (high - low) or 1.0
    left, right = (b, a) if higher_is_better else (a, b)

    def encode(field: str) -> alt.X:
        return alt.X(
            f"{field}:Q",
            scale=alt.Scale(domain=[low - pad, high + pad], nice=False),
            axis=alt.Axis(
                title=[f"← {shorten(left)} better", f"{shorten(right)} better →"],
                tickCount=6,
                grid=True,
            ),
        )

    return encode


def _zero(x: Callable[[str], alt.X]) -> alt.Chart:
    zero = alt.Chart(pd.DataFrame({"low": [0.0]})).mark_rule(strokeWidth=1.5)
    chart: alt.Chart = zero.encode(x=x("low"), color=ink(INK))
    return chart


def _margin_band(margin: float | None, x: Callable[[str], alt.X]) -> list[alt.Chart]:
    """Shade the differences that do not matter, with a line at each end."""
    if margin is None:
        return []
    band = alt.Chart(pd.DataFrame({"low": [-margin], "high": [margin]}))
    ends = alt.Chart(pd.DataFrame({"low": [-margin, margin]}))
    return [
        band.mark_rect(opacity=0.14).encode(x=x("low"), x2=alt.X2("high:Q"), color=ink(SAME)),
        ends.mark_rule(strokeWidth=1, strokeDash=[4, 3]).encode(x=x("low"), color=ink(SAME)),
    ]


def _tooltip(name: str, quantity: str) -> list[alt.Tooltip]:
    return [
        alt.Tooltip(name),
        alt.Tooltip("difference:Q", title=quantity, format="+.4~f"),
        alt.Tooltip("low:Q", format="+.4~f"),
        alt.Tooltip("high:Q", format="+.4~f"),
    ]
