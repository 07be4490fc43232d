"""Which system has been run on which dataset, and how completely."""

from typing import Final

import altair as alt
import pandas as pd

from dashboard.charts.palette import EM, HATCH, INK, UNCLEAR, ink, key, layered, name_axis, require

CELL: Final = "cell"
"""Name of the selection; its value is a list of {"system": …, "dataset": …}."""

_ROOM_FOR_A_NUMBER: Final = 28

_COLUMNS: Final = ("system", "dataset", "n_scored", "n_items", "reported")


def coverage_matrix(frame: pd.DataFrame) -> alt.LayerChart:
    """Draw systems × datasets, one square per pair that has a run or a reported score.

    Columns: `system`, `dataset`, `n_scored` (missing where there is no run), `n_items`,
    `reported` (bool: a file or paper states a score). Rows and columns keep their order of
    first appearance. The picture has a width of its own; the selection is `CELL`.
    """
    require(frame, _COLUMNS)
    systems = list(dict.fromkeys(frame["system"]))
    datasets = list(dict.fromkeys(frame["dataset"]))
    step, row_step = _step(len(datasets), 40), _step(len(systems), 28)
    picked = alt.selection_point(name=CELL, fields=["system", "dataset"], on="click")
    base = alt.Chart(_cells(frame)).encode(x=_x(datasets, step), y=_y(systems, step, row_step))
    outline = base.mark_rect(filled=False, strokeWidth=0.6, opacity=0.35).encode(color=ink(UNCLEAR))
    shade = (
        base.transform_filter("isValid(datum.share)")
        .mark_rect()
        .encode(color=alt.Color("share:Q", scale=alt.Scale(domain=[0, 1]), legend=None))
    )
    ring = base.mark_rect(filled=False, strokeWidth=2.5).encode(
        color=ink(INK),
        opacity=alt.OpacityValue(**alt.condition(picked, alt.value(1), alt.value(0), empty=False)),
    )
    # On top and invisible: every pair, run or not, has a tooltip and can be picked.
    catcher = base.mark_rect(opacity=0).encode(
        tooltip=[
            alt.Tooltip("system:N"),
            alt.Tooltip("dataset:N"),
            alt.Tooltip("state:N", title="scores"),
        ]
    )
    numbered = step >= _ROOM_FOR_A_NUMBER
    sign = "number: percent" if numbered else "slash: some items missing"
    return layered(
        *(outline, shade, *_signs(base, min(step, row_step), numbered), ring),
        catcher.add_params(picked),
        title=key(
            f"Shade: share of items scored{EM}{sign}",
            f"Hatched: reported only{EM}empty: no run",
        ),
        width=alt.Step(step),
        height=alt.Step(row_step),
    )


def _step(n: int, largest: int) -> int:
    """Shrink the squares as they get many, so that sixty fit on a page."""
    return max(11, min(largest, 640 // max(n, 1)))


def _x(datasets: list[str], step: int) -> alt.X:
    upright = step < 20
    return alt.X(
        "dataset:N",
        sort=datasets,
        scale=alt.Scale(domain=datasets, paddingInner=0.06, paddingOuter=0),
        axis=name_axis(
            22,
            orient="top",
            labelAngle=-90 if upright else -50,
            labelAlign="left",
            labelBaseline="middle" if upright else "bottom",
            labelPadding=6,
            labelFontSize=min(12, step - 2),
        ),
    )


def _y(systems: list[str], step: int, row_step: int) -> alt.Y:
    return alt.Y(
        "system:N",
        sort=systems,
        scale=alt.Scale(domain=systems, paddingInner=0.06, paddingOuter=0),
        axis=name_axis(22 if step < 14 else 30, labelFontSize=min(12, row_step - 2)),
    )


def _signs(base: alt.Chart, side: int, numbered: bool) -> list[alt.Chart]:
    """What stands in a square beside its shade: hatching, and the mark of a partial run."""
    hatch = base.transform_filter("datum.kind === 'reported only'").mark_point(
        shape=HATCH, size=(side * 0.55) ** 2, strokeWidth=1.2, opacity=0.9
    )
    partial = base.transform_filter("datum.kind === 'partial'")
    if numbered:
        mark = partial.mark_text(fontSize=11).encode(text=alt.Text("label:N"), color=ink(INK))
    else:
        mark = partial.mark_point(
            shape="M-1,1L1,-1", size=(side * 0.6) ** 2, strokeWidth=1.6
        ).encode(color=ink(INK))
    return [hatch.encode(color=ink(UNCLEAR)), mark]


def _cells(frame: pd.DataFrame) -> pd.DataFrame:
    """Add share, kind, cell label and the tooltip's words to every pair."""
    cells = frame.loc[:, list(_COLUMNS)].copy()
    scored = pd.to_numeric(cells["n_scored"])
    items = pd.to_numeric(cells["n_items"])
    cells["share"] = (scored / items).astype("float64")
    kinds: list[str] = []
    states: list[str] = []
    labels: list[str] = []
    for n_scored, n_items, reported in zip(scored, items, cells["reported"], strict=True):
        if pd.isna(n_scored):
            kinds.append("reported only" if reported else "no run")
            states.append("a reported score, no item scores" if reported else "no run")
            labels.append("")
            continue
        complete = n_scored >= n_items
        kinds.append("complete" if complete else "partial")
        states.append(
            f"all {n_items:.0f} items"
            if complete
            else f"{n_scored:.0f} of {n_items:.0f} items, {n_items - n_scored:.0f} missing"
        )
        # Rounded down: 99.8 % is not complete.
        labels.append("" if complete else f"{100 * n_scored // n_items:.0f}")
    return cells.assign(kind=kinds, state=states, label=labels).drop(columns=["reported"])
