"""In how many datasets does the effect hold?"""

import math
from collections.abc import Mapping, Sequence
from typing import Final

import altair as alt
import pandas as pd

from dashboard.charts.palette import INK, UNCLEAR, ink, key, layered

_FLOORS: Final = (-3, -4, -5, -6)


def partial_conjunction_curve(
    curves: Mapping[str, Sequence[float]],
    *,
    k_hat: Mapping[str, int],
    recommended: str,
    alpha: float,
) -> alt.LayerChart:
    """Draw p^{u/N} against u, one step line per estimator.

    `curves[estimator][u - 1]` is the p-value of "fewer than u of the N datasets show the
    effect"; `k_hat[estimator]` is the count which that estimator supports at `alpha`. The
    `recommended` estimator is drawn strong, the others thin and dashed.
    """
    if recommended not in curves:
        raise ValueError(f"`recommended` is {recommended!r}; `curves` has {sorted(curves)}")
    smallest = min((p for curve in curves.values() for p in curve if p > 0), default=1.0)
    floor = next((f for f in _FLOORS if smallest >= 10.0**f), _FLOORS[-1])
    order = [recommended, *(name for name in curves if name != recommended)]
    labels = {name: f"{name} {k_hat[name]}" for name in order}
    points = _points(curves, labels, floor)
    n = max((len(curve) for curve in curves.values()), default=0)
    x = alt.X(
        "u:Q",
        scale=alt.Scale(domain=[0.5, max(n, 1) + 0.5], nice=False),
        axis=alt.Axis(values=_ticks(n), format="d", grid=False, title="u, the number of datasets"),
    )
    y = alt.Y("y:Q", scale=alt.Scale(domain=[floor, 0.0], nice=False), axis=_p_axis(floor))
    dash = _dashes(list(labels.values()))
    others = alt.Chart(points[points["name"] != recommended])
    main = alt.Chart(points[points["name"] == recommended])
    tooltip = [alt.Tooltip("estimator:N"), alt.Tooltip("u:Q", format="d"), alt.Tooltip("p:N")]
    thin = others.mark_line(interpolate="step", strokeWidth=1.4).encode(
        x=x, y=y, strokeDash=dash, detail=alt.Detail("name:N"), color=ink(UNCLEAR)
    )
    strong = main.mark_line(interpolate="step", strokeWidth=2.5).encode(
        x=x, y=y, strokeDash=dash, color=ink(INK)
    )
    dots = main.mark_point(filled=True, size=45, opacity=1).encode(
        x=x, y=y, color=ink(INK), tooltip=tooltip
    )
    found = k_hat[recommended]
    # Beyond k̂ the curve is above alpha, before it below: the other two corners are free.
    left = found > 0.6 * n
    corner = (
        (0.35 * math.log10(alpha), True) if left else (0.5 * (math.log10(alpha) + floor), False)
    )
    text = f"k̂ = {found} of {n} ({recommended})"
    return layered(
        *(thin, strong, dots, *_alpha_rule(alpha, x, y), *_found(found, text, x, y, corner)),
        height=400,
        title=key(
            "p of “fewer than u datasets show the effect”.",
            f"Under α = {alpha:g}: at least u do. Legend: k̂.",
        ),
    )


def _dashes(labels: list[str]) -> alt.StrokeDash:
    """Tell lines apart in any print; the first one is solid."""
    dashes = [[1, 0], [6, 3], [2, 2], [8, 3, 2, 3], [1, 3], [4, 4, 1, 4]]
    return alt.StrokeDash(
        "estimator:N",
        scale=alt.Scale(domain=labels, range=dashes[: len(labels)]),
        legend=alt.Legend(
            title=None,
            orient="top",
            columns=2,
            symbolType="stroke",
            symbolSize=900,
            symbolStrokeWidth=2,
        ),
    )


def _points(
    curves: Mapping[str, Sequence[float]], labels: Mapping[str, str], floor: int
) -> pd.DataFrame:
    """One row per estimator and u; y is log10 p, cut at the floor of the axis."""
    rows = [
        {
            "name": name,
            "estimator": labels[name],
            "u": u,
            "y": max(math.log10(p), floor) if p > 0 else float(floor),
            "p": f"{p:.3g}",
        }
        for name, curve in curves.items()
        for u, p in enumerate(curve, start=1)
    ]
    return pd.DataFrame(rows, columns=["name", "estimator", "u", "y", "p"])


def _ticks(n: int) -> list[int]:
    """Whole numbers only, at most ten."""
    step = max(1, math.ceil(n / 10))
    return list(range(step, n + 1, step))


def _p_axis(floor: int) -> alt.Axis:
    """Label powers of ten as plain decimals; the lowest one collects all below it."""
    exponents = [0, -1, -2, -3, *(f for f in _FLOORS if floor <= f < -3)]
    plain = {e: "1" if e == 0 else f"{10.0**e:.{-e}f}" for e in exponents}
    plain[floor] = f"≤ {plain[floor]}"
    pairs = " : ".join(f"datum.value === {e} ? '{text}'" for e, text in plain.items())
    return alt.Axis(
        values=exponents,
        labelExpr=f"{pairs} : ''",
        title="p",
        titleAngle=0,
        grid=True,
        labelFlush=False,
        labelOverlap=False,
    )


def _alpha_rule(alpha: float, x: alt.X, y: alt.Y) -> list[alt.Chart]:
    """A rule at alpha with its label at the left edge."""
    data = pd.DataFrame({"y": [math.log10(alpha)], "u": [0.5], "text": [f"α = {alpha:g}"]})
    base = alt.Chart(data).encode(y=y, color=ink(INK))
    return [
        base.mark_rule(strokeWidth=1),
        base.mark_text(align="left", baseline="bottom", dx=4, dy=-3).encode(
            x=x, text=alt.Text("text:N")
        ),
    ]


def _found(
    found: int, text: str, x: alt.X, y: alt.Y, corner: tuple[float, bool]
) -> list[alt.Chart]:
    """Mark the count at alpha and name it where no step of its own curve can be."""
    height, left = corner
    data = pd.DataFrame({"u": [found + 0.5], "y": [height], "text": [text]})
    base = alt.Chart(data).encode(x=x, color=ink(INK if found else UNCLEAR))
    return [
        base.mark_rule(strokeWidth=1.5),
        base.mark_text(
            align="right" if left else "left", dx=-8 if left else 8, fontWeight="bold", fontSize=13
        ).encode(text=alt.Text("text:N"), y=y),
    ]
