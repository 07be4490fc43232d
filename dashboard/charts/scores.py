"""How do systems score, and how do one run's item scores spread?"""

from collections.abc import Mapping, Sequence
from typing import Final

import altair as alt
import numpy as np
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
    rows_y,
    value_axis,
)

_SCORE_COLUMNS: Final = ("system", "score", "low", "high", "n_scored", "n_items", "label")
_RUN_COLUMNS: Final = ("system", "run", "score")


def score_dots(
    frame: pd.DataFrame,
    *,
    runs: pd.DataFrame | None = None,
    metric: str = "score",
    higher_is_better: bool = True,
    interval: str = "",
) -> alt.LayerChart:
    """Draw a leaderboard: a dot per system with its interval, best on top.

    Columns of `frame`: `system`, `score`, `low`, `high` (missing where there is no interval),
    `n_scored`, `n_items`, `label` (the score as text, written at the right), optionally `group`
    (letters of the groups that cannot be told apart, at the far right). A hollow dot marks a
    system with unscored items. Columns of `runs`: `system`, `run`, `score`; they become small
    ticks, those of other systems are left out. `interval` says which one it is: "95 %". Rows get
    narrow as they get many.
    """
    rows = _rows(frame, higher_is_better)
    small = (runs if runs is not None else pd.DataFrame(columns=_RUN_COLUMNS)).loc[
        :, list(_RUN_COLUMNS)
    ]
    small = small[small["system"].isin(rows["system"])]
    names = list(dict.fromkeys(rows["system"]))
    step = max(13, min(ROW, 2_400 // max(len(names), 1)))
    size = min(80, 4 * step)
    x = alt.X(
        "score:Q",
        title=metric if higher_is_better else f"{metric} (lower is better)",
        scale=alt.Scale(domain=_span(rows, small), zero=False, nice=False),
        axis=alt.Axis(tickCount=6),
    )
    y = rows_y(names, "system", None)
    base = alt.Chart(rows)
    dots = base.encode(
        x=x,
        y=y,
        color=ink(INK),
        tooltip=[
            alt.Tooltip("system:N"),
            alt.Tooltip("label:N", title=metric),
            alt.Tooltip("items:N"),
        ],
    )
    labels = dict(zip(rows["system"], rows["label"], strict=True))
    right = value_axis(labels, "")
    right["labelFontSize"] = _font(step)
    layers = [
        base.mark_rule(strokeWidth=1.5).encode(
            x=alt.X("low:Q", title=""),
            x2=alt.X2("high:Q"),
            y=rows_y(names, "system", name_axis(grid=True, labelFontSize=_font(step))),
            color=ink(UNCLEAR),
        ),
        alt.Chart(small)
        .mark_point(shape="stroke", angle=90, size=60, strokeWidth=1.5, opacity=0.8)
        .encode(
            x=x,
            y=y,
            color=ink(UNCLEAR),
            tooltip=[alt.Tooltip("system:N"), alt.Tooltip("run:N"), alt.Tooltip("score:Q")],
        ),
        dots.transform_filter("datum.complete").mark_point(filled=True, size=size, opacity=1),
        dots.transform_filter("!datum.complete").mark_point(
            filled=False, size=size, strokeWidth=2, opacity=1
        ),
        base.mark_point(opacity=0).encode(x=x, y=rows_y(names, "system", right)),
    ]
    has_groups = "group" in frame.columns and bool((frame["group"].fillna("") != "").any())
    if has_groups:
        letters = dict(zip(frame["system"], frame["group"].fillna(""), strict=True))
        axis = letter_axis(letters, list(labels.values()), _font(step))
        layers.append(base.mark_point(opacity=0).encode(x=x, y=rows_y(names, "system", axis)))
    span = f"{interval} interval".strip()
    signs = [f"● score, {span}" if rows["low"].notna().any() else "● score"]
    signs += ["| one run"] if len(small) else []
    lines = [] if rows["complete"].all() else ["○ some items not scored"]
    lines += ["a letter in common: cannot be separated"] if has_groups else []
    words = key(EM.join(signs), *lines)
    return layered(*layers, own_axes=True, title=words, height=alt.Step(step))


def score_histogram(values: Sequence[float], *, metric: str = "score") -> alt.LayerChart:
    """Draw how one run's item scores spread; two bars with shares when they are all 0 or 1.

    NaN is a missing score: it is left out of the bars and counted above them.
    """
    array = np.asarray(values, dtype=np.float64)
    known = array[~np.isnan(array)]
    title = f"{known.size} items scored, {array.size - known.size} missing"
    if known.size and np.isin(known, (0.0, 1.0)).all():
        ones = int(known.sum())
        return _bars({"1": ones, "0": known.size - ones}, title, known.size)
    heights, edges = np.histogram(known, bins=_n_bins(known))
    bins = pd.DataFrame({"low": edges[:-1], "high": edges[1:], "items": heights})
    bars = (
        alt.Chart(bins)
        .mark_bar(binSpacing=1)
        .encode(
            x=alt.X("low:Q", title=metric, bin="binned", axis=alt.Axis(tickCount=6, grid=False)),
            x2=alt.X2("high:Q"),
            y=alt.Y("items:Q", title="items", axis=alt.Axis(tickMinStep=1, tickCount=5)),
            color=ink(UNCLEAR),
            tooltip=[alt.Tooltip("low:Q"), alt.Tooltip("high:Q"), alt.Tooltip("items:Q")],
        )
    )
    mean = float(known.mean()) if known.size else None
    rule = (
        alt.Chart(pd.DataFrame({"mean": [mean]}))
        .transform_filter("isValid(datum.mean)")
        .mark_rule(strokeWidth=2)
        .encode(x=alt.X("mean:Q"), color=ink(INK))
    )
    words = title if mean is None else f"{title}{EM}| mean {mean:.4g}"
    return layered(bars, rule, title=key(words), height=240)


def status_bars(counts: Mapping[str, int]) -> alt.LayerChart:
    """Draw how many items have which status, a bar each, in the order of `counts`."""
    total = sum(counts.values())
    return _bars(counts, f"{total} items", total)


def _bars(counts: Mapping[str, int], title: str, total: int) -> alt.LayerChart:
    """Horizontal bars with count and share written at the right."""
    names = list(counts)
    frame = pd.DataFrame({"name": names, "items": list(counts.values())})
    texts = {
        name: f"{count}{EM}{100 * count / total:.1f} %" if total else f"{count}"
        for name, count in counts.items()
    }
    x = alt.X("items:Q", scale=alt.Scale(domain=[0, max(total, 1)], nice=False), axis=None)
    base = alt.Chart(frame).encode(x=x, color=ink(UNCLEAR))
    return layered(
        base.mark_bar(height=14).encode(y=rows_y(names, "name", name_axis())),
        base.mark_point(opacity=0).encode(y=rows_y(names, "name", value_axis(texts, ""))),
        own_axes=True,
        title=key(title),
        height=alt.Step(ROW),
    )


def _font(step: int) -> int:
    """The size of text beside rows of that height."""
    return min(12, step - 2)


def letter_axis(letters: Mapping[str, str], labels: Sequence[str], font: int) -> alt.Axis:
    """Write the letters of each row's groups beyond the column of `labels`."""
    axis = value_axis(letters, "")
    axis["offset"] = round(6.6 * max(map(len, labels), default=0)) + 26
    axis["labelAlign"] = "left"
    axis["labelFontSize"] = font
    axis["labelPadding"] = 0
    axis["domain"] = axis["ticks"] = False
    return axis


def _rows(frame: pd.DataFrame, higher_is_better: bool) -> pd.DataFrame:
    """Check, sort the best first, and say how complete each system is."""
    require(frame, _SCORE_COLUMNS)
    rows = frame.loc[:, list(_SCORE_COLUMNS)].sort_values(
        "score", ascending=not higher_is_better, kind="stable", na_position="last"
    )
    rows["complete"] = rows["n_scored"] >= rows["n_items"]
    rows["items"] = [
        f"{scored:.0f} of {total:.0f}" if scored < total else f"all {total:.0f}"
        for scored, total in zip(rows["n_scored"], rows["n_items"], strict=True)
    ]
    return rows


def _span(rows: pd.DataFrame, runs: pd.DataFrame) -> list[float]:
    """The range of scores, intervals and runs with a little room; not from zero."""
    known = pd.concat([rows["score"], rows["low"], rows["high"], runs["score"]])
    known = known.astype("float64").dropna()
    if known.empty:
        return [0.0, 1.0]
    low, high = float(known.min()), float(known.max())
    pad = 0.05 * (high - low) or 0.05 * abs(high) or 0.5
    return [low - pad, high + pad]


def _n_bins(known: np.ndarray[tuple[int], np.dtype[np.float64]]) -> int:
    """Freedman and Diaconis's rule, kept between 5 and 40; few distinct values give few bins."""
    if known.size < 2 or known.min() == known.max():
        return 1
    low, high = np.percentile(known, (25, 75))
    width = 2 * (high - low) / known.size ** (1 / 3)
    by_rule = int(np.ceil((known.max() - known.min()) / width)) if width > 0 else 20
    return max(5, min(40, by_rule))
