"""How two systems' scores and their differences spread."""

from typing import Final

import altair as alt
import pandas as pd

from dashboard.charts.names import shorten
from dashboard.charts.palette import EM, INK, SMALLEST, UNCLEAR, ink, key, layered, require

PARTS: Final = ("a", "b", "difference")

_BIN_COLUMNS: Final = ("part", "low", "high", "items")
_CENTRE_COLUMNS: Final = ("part", "mean", "median")


def score_histograms(
    bins: pd.DataFrame,
    centres: pd.DataFrame,
    *,
    a: str,
    b: str,
    metric: str = "score",
    noun: str = "item",
) -> tuple[alt.LayerChart, alt.LayerChart, alt.LayerChart]:
    """Draw three small histograms, of A, of B and of A − B, to stand side by side.

    Columns of `bins`: `part` (one of `PARTS`), `low`, `high`, `items`. Columns of `centres`:
    `part`, `mean`, `median` (missing where there is none). A and B share both axes; all three
    have rules at mean (solid) and median (dashed).
    """
    require(bins, _BIN_COLUMNS)
    require(centres, _CENTRE_COLUMNS)
    if unknown := (set(bins["part"]) | set(centres["part"])) - set(PARTS):
        raise ValueError(f"`part` has {sorted(unknown)}; it may be {list(PARTS)}")
    scores = bins[bins["part"] != "difference"]
    differences = bins[bins["part"] == "difference"]
    titles = {"a": a, "b": b, "difference": f"{shorten(a, 12)} − {shorten(b, 12)}"}
    one, two, three = (
        _histogram(
            bins[bins["part"] == part],
            centres[centres["part"] == part],
            among=differences if part == "difference" else scores,
            title=shorten(titles[part], 28),
            metric=f"difference in {metric}" if part == "difference" else metric,
            noun=noun,
        )
        for part in PARTS
    )
    return one, two, three


def _histogram(
    bins: pd.DataFrame,
    centres: pd.DataFrame,
    *,
    among: pd.DataFrame,
    title: str,
    metric: str,
    noun: str,
) -> alt.LayerChart:
    """Draw one part on the axes of all those it is to be compared with."""
    known = len(among) > 0
    across = [float(among["low"].min()), float(among["high"].max())] if known else [0.0, 1.0]
    if across[1] - across[0] < SMALLEST:  # all bins at one place
        across = [across[0] - 0.5, across[1] + 0.5]
    top = max(1.0, float(among["items"].max())) if known else 1.0
    x = alt.X(
        "low:Q",
        title=metric,
        bin="binned",
        scale=alt.Scale(domain=across, nice=False),
        axis=alt.Axis(tickCount=4, grid=False, labelFlush=False),
    )
    bars = (
        alt.Chart(bins.loc[:, list(_BIN_COLUMNS)])
        .mark_bar(binSpacing=0.5)
        .encode(
            x=x,
            x2=alt.X2("high:Q"),
            y=alt.Y(
                "items:Q",
                title=f"{noun}s",
                scale=alt.Scale(domain=[0, top]),
                axis=alt.Axis(tickMinStep=1, tickCount=4),
            ),
            color=ink(UNCLEAR),
            tooltip=[alt.Tooltip("low:Q"), alt.Tooltip("high:Q"), alt.Tooltip("items:Q")],
        )
    )
    layers = [bars]
    words = []
    for sign, centre, dash in (("|", "mean", [1, 0]), ("¦", "median", [4, 3])):
        values = centres[centre].astype("float64").dropna()
        words += [f"{sign} {centre} {value:.4g}" for value in values]
        rule = alt.Chart(pd.DataFrame({"low": values.to_list()}))
        layers.append(
            rule.mark_rule(strokeWidth=2, strokeDash=dash).encode(
                x=alt.X("low:Q", title=metric), color=ink(INK)
            )
        )
    return layered(*layers, title=key(title, EM.join(words)), height=230)
