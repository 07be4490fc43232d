"""Who agrees with whom: annotators one by one, and all of them against metrics."""

from __future__ import annotations

from typing import Final, Literal, get_args

import altair as alt
import numpy as np
import pandas as pd

from dashboard.charts.critical_difference import GROUND
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

AgreementMark = Literal["annotators", "more", "less", "undecided", "no comparison"]
AGREEMENT_MARKS: Final[tuple[AgreementMark, ...]] = get_args(AgreementMark)
"""The annotators themselves; a metric that agrees with them more or less than they do, or as far
as the data tell as much; one that nothing is tested of."""

_ANNOTATORS: Final = ("annotator", "competence", "with_others", "with_consensus", "label")
_AGREEMENT: Final = ("name", "value", "low", "high", "label", "mark")
_SIGNS: Final = {
    "more": (BETTER, "triangle-up", "▲ more than they do"),
    "less": (WORSE, "triangle-down", "▼ less"),
    "undecided": (UNCLEAR, "circle", "● cannot tell"),
    "no comparison": (UNCLEAR, "circle", "○ no comparison"),
}


def annotator_dots(frame: pd.DataFrame, *, competence: str = "competence") -> alt.LayerChart:
    """Draw a row per annotator: competence, agreement with the others and with the consensus.

    Columns: `annotator`, `competence`, `with_others`, `with_consensus` (missing allowed), `label`
    (text at the right). Rows keep their order. `competence` says by what model.
    """
    require(frame, _ANNOTATORS)
    rows = frame.loc[:, list(_ANNOTATORS)].copy()
    shares = ["competence", "with_others", "with_consensus"]
    rows[shares] = rows[shares].astype("float64")
    names = list(dict.fromkeys(rows["annotator"]))
    step = max(13, min(ROW, 2_400 // max(len(names), 1)))
    font, size = min(12, step - 2), min(80, 4 * step)
    known = rows[shares].to_numpy()
    low = min(0.0, float(np.nanmin(known, initial=0.0)))
    scale = alt.Scale(domain=[low, max(1.0, float(np.nanmax(known, initial=1.0)))], nice=False)
    x = alt.X("competence:Q", title="", scale=scale, axis=alt.Axis(tickCount=6, orient="top"))
    y = rows_y(names, "annotator", None)
    base = alt.Chart(rows)
    tooltip = [
        alt.Tooltip("annotator:N"),
        *(alt.Tooltip(f"{name}:Q", format=".3f") for name in shares),
    ]
    right = value_axis(dict(zip(rows["annotator"], rows["label"], strict=True)), "")
    right["labelFontSize"] = font
    layers = [
        base.mark_point(opacity=0).encode(
            x=x, y=rows_y(names, "annotator", name_axis(grid=True, labelFontSize=font))
        ),
        base.mark_point(shape="stroke", angle=90, size=3 * size, strokeWidth=2, opacity=1).encode(
            x=alt.X("with_others:Q", scale=scale), y=y, color=ink(UNCLEAR), tooltip=tooltip
        ),
        base.mark_point(filled=False, size=size, strokeWidth=1.6, opacity=1).encode(
            x=alt.X("with_consensus:Q", scale=scale), y=y, color=ink(UNCLEAR), tooltip=tooltip
        ),
        base.mark_point(filled=True, size=size, opacity=1).encode(
            x=x, y=y, color=ink(INK), tooltip=tooltip
        ),
        base.mark_point(opacity=0).encode(x=x, y=rows_y(names, "annotator", right)),
    ]
    signs = {
        "competence": f"● {competence}",
        "with_others": "| agreement with the others",
        "with_consensus": "○ agreement with the consensus",
    }
    lines = [words for name, words in signs.items() if rows[name].notna().any()]
    return layered(*layers, own_axes=True, title=key(*lines), height=alt.Step(step))


def agreement_dots(
    frame: pd.DataFrame,
    *,
    quantity: str,
    who: str = "annotators among themselves",
    confidence: float | None = None,
) -> alt.LayerChart:
    """Draw how often annotators agree among themselves, and each metric with them.

    Columns: `name`, `value`, `low`, `high` (missing allowed), `label` (text at the right), `mark`
    (one of `AGREEMENT_MARKS`). Rows keep their order; the annotators' own value is a line through
    all, which the key calls `who`.
    """
    require(frame, _AGREEMENT)
    rows = frame.loc[:, list(_AGREEMENT)].copy()
    if unknown := set(rows["mark"]) - set(AGREEMENT_MARKS):
        raise ValueError(f"`mark` has {sorted(unknown)}; it may be {list(AGREEMENT_MARKS)}")
    rows[["value", "low", "high"]] = rows[["value", "low", "high"]].astype("float64")
    names = list(dict.fromkeys(rows["name"]))
    step = max(13, min(ROW, 2_400 // max(len(names), 1)))
    font, size = min(12, step - 2), min(90, 5 * step)
    scale = alt.Scale(domain=_span(rows), nice=False, zero=False)
    x = alt.X("value:Q", title=quantity, scale=scale, axis=alt.Axis(tickCount=6))
    y = rows_y(names, "name", None)
    base = alt.Chart(rows)
    own = base.transform_filter("datum.mark === 'annotators'")
    right = value_axis(dict(zip(rows["name"], rows["label"], strict=True)), "")
    right["labelFontSize"] = font
    tooltip = [alt.Tooltip("name:N"), alt.Tooltip("label:N")]
    layers = [
        own.mark_rule(strokeWidth=2, strokeDash=[6, 4]).encode(x=x, color=ink(INK)),
        base.mark_rule(strokeWidth=1.5).encode(
            x=alt.X("low:Q", title="", scale=scale),
            x2=alt.X2("high:Q"),
            y=rows_y(names, "name", name_axis(grid=True, labelFontSize=font)),
            color=ink(UNCLEAR),
        ),
        *(
            base.transform_filter(alt.FieldEqualPredicate(field="mark", equal=mark))
            .mark_point(
                shape=shape,
                size=size,
                opacity=1,
                **({"fill": GROUND} if mark == "no comparison" else {"filled": True}),
            )
            .encode(x=x, y=y, color=ink(hue), tooltip=tooltip)
            for mark, (hue, shape, _) in _SIGNS.items()
        ),
        own.mark_point(shape="diamond", filled=True, size=1.4 * size, opacity=1).encode(
            x=x, y=y, color=ink(INK), tooltip=tooltip
        ),
        base.mark_point(opacity=0).encode(x=x, y=rows_y(names, "name", right)),
    ]
    there = set(rows["mark"])
    level = "" if confidence is None else f"{100 * confidence:g} % "
    lines = [f"◆ dashed: {who}"] if "annotators" in there else []
    lines += [EM.join(words for mark, (_, _, words) in _SIGNS.items() if mark in there)]
    if rows["low"].notna().any():
        lines.append(f"Line: {level}interval of each by itself")
    title = key(*filter(None, lines))
    return layered(*layers, own_axes=True, title=title, height=alt.Step(step))


def _span(rows: pd.DataFrame) -> list[float]:
    known = pd.concat([rows["value"], rows["low"], rows["high"]]).dropna()
    if known.empty:
        return [0.0, 1.0]
    low, high = float(known.min()), float(known.max())
    pad = 0.06 * (high - low) or 0.05
    return [low - pad, high + pad]
