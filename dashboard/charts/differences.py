"""By how much do two systems differ on each dataset, and which of it is real?"""

from typing import Final, Literal, get_args

import altair as alt
import numpy as np
import pandas as pd

from dashboard.charts.palette import (
    BETTER,
    EM,
    HATCH,
    ROW,
    UNCLEAR,
    WORSE,
    key,
    layered,
    name_axis,
    require,
    rows_y,
    value_axis,
)

Evidence = Literal["identified", "small p", "cannot tell", "not testable"]
EVIDENCE: Final[tuple[Evidence, ...]] = get_args(Evidence)
"""From strong to none: Holm names the dataset; p is small, but not after Holm; the data cannot
tell; there is no p-value."""

_COLUMNS: Final = ("dataset", "difference", "p", "evidence")
_TONES: Final = ("A", "B", "neither")


def difference_dots(
    frame: pd.DataFrame, *, a: str, b: str, quantity: str = "difference"
) -> alt.LayerChart:
    """Draw A − B per dataset around zero: hue by who is favoured, weight by the evidence.

    Columns: `dataset`, `difference` (positive favours A; missing allowed), `p` (text as it is
    to be printed, "" where there is none), `evidence` (one of `EVIDENCE`), optional `low` and
    `high`, the interval of each difference by itself. Datasets are sorted by their difference;
    those without one come last.
    """
    rows = _rows(frame)
    names = list(dict.fromkeys(rows["dataset"]))
    printed = dict(zip(rows["dataset"], rows["p"].fillna(""), strict=True))
    x = alt.X(
        "at:Q",
        scale=alt.Scale(domain=_domain(rows[["difference", "low", "high"]]), nice=False),
        axis=alt.Axis(title=[f"← {_short(b)} better", f"{_short(a)} better →"], tickCount=6),
    )
    color = alt.Color(
        "tone:N",
        scale=alt.Scale(domain=list(_TONES), range=[BETTER, WORSE, UNCLEAR]),
        legend=None,
    )
    base = alt.Chart(rows).encode(x=x, y=rows_y(names, "dataset", None), color=color)
    stems = base.mark_rule().encode(
        x=x,
        x2=alt.X2Datum(0),
        y=rows_y(names, "dataset", name_axis()),
        strokeWidth=alt.StrokeWidth(
            "evidence:N",
            sort=list(EVIDENCE),
            scale=alt.Scale(domain=list(EVIDENCE), range=[3, 1.5, 1, 1]),
            legend=None,
        ),
    )
    zero = alt.Chart(pd.DataFrame({"zero": [0.0]})).mark_rule(strokeWidth=1)
    layers = [
        zero.encode(x=alt.X("zero:Q"), color=alt.ColorValue(UNCLEAR)),
        stems,
        *_intervals(base, rows, names),
        *_dots(base),
        base.mark_point(opacity=0).encode(
            y=rows_y(names, "dataset", value_axis(printed, "p")),
            tooltip=[
                alt.Tooltip("dataset:N"),
                alt.Tooltip("difference:Q", title=quantity, format="+.4~f"),
                alt.Tooltip("p:N"),
                alt.Tooltip("evidence:N"),
            ],
        ),
    ]
    return layered(
        *layers,
        own_axes=True,
        title=key(
            f"● identified (Holm){EM}○ small p, not identified",
            f"• cannot tell{EM}// not testable",
            *_said_about_intervals(rows),
        ),
        height=alt.Step(ROW),
    )


def _rows(frame: pd.DataFrame) -> pd.DataFrame:
    """Check, sort, and add who is favoured and where the mark stands."""
    require(frame, _COLUMNS)
    unknown = set(frame["evidence"]) - set(EVIDENCE)
    if unknown:
        raise ValueError(f"`evidence` has {sorted(unknown)}; it may be {list(EVIDENCE)}")
    rows = frame.reindex(columns=[*_COLUMNS, "low", "high"]).sort_values(
        "difference", ascending=False, kind="stable", na_position="last"
    )
    rows[["difference", "low", "high"]] = rows[["difference", "low", "high"]].astype("float64")
    rows["tone"] = [
        _tone(difference, evidence)
        for difference, evidence in zip(rows["difference"], rows["evidence"], strict=True)
    ]
    rows["at"] = rows["difference"].fillna(0.0)
    return rows


def _dots(base: alt.Chart) -> list[alt.Chart]:
    """One layer per kind of evidence, since a layer is either filled or hollow."""
    identified, small, unclear, untestable = (
        base.transform_filter(alt.datum.evidence == kind) for kind in EVIDENCE
    )
    return [
        identified.mark_point(filled=True, size=110, opacity=1),
        small.mark_point(filled=False, size=70, strokeWidth=2, opacity=1),
        unclear.mark_point(filled=True, size=28, opacity=1),
        untestable.mark_point(filled=False, shape=HATCH, size=110, strokeWidth=1.4, opacity=1),
    ]


def _tone(difference: float, evidence: str) -> str:
    """Name who is favoured; a difference that the data cannot tell favours neither."""
    if evidence in ("cannot tell", "not testable") or pd.isna(difference) or difference == 0:
        return "neither"
    return "A" if difference > 0 else "B"


def _intervals(base: alt.Chart, rows: pd.DataFrame, names: list[str]) -> list[alt.Chart]:
    """Thin rules with caps, where there are intervals."""
    if rows["low"].isna().all():
        return []
    scale = alt.Scale(domain=_domain(rows[["difference", "low", "high"]]), nice=False)
    y = rows_y(names, "dataset", None)
    rules = base.mark_rule(strokeWidth=1.2).encode(
        x=alt.X("low:Q", scale=scale), x2=alt.X2("high:Q"), y=y
    )
    caps = [
        base.mark_point(shape="stroke", angle=90, size=60, strokeWidth=1.2, opacity=1).encode(
            x=alt.X(f"{end}:Q", scale=scale), y=y
        )
        for end in ("low", "high")
    ]
    return [rules, *caps]


def _said_about_intervals(rows: pd.DataFrame) -> list[str]:
    if rows["low"].isna().all():
        return []
    return ["├─┤ interval of each difference by itself"]


def _domain(values: pd.DataFrame) -> list[float]:
    """A little more than the data, zero always inside."""
    known = values.to_numpy(dtype=float).ravel()
    known = known[np.isfinite(known)]
    low = min(float(known.min()), 0.0) if len(known) else 0.0
    high = max(float(known.max()), 0.0) if len(known) else 0.0
    pad = 0.05 * (high - low) or 1.0
    return [low - pad, high + pad]


def _short(name: str, length: int = 18) -> str:
    """Cut the middle out of a name that an axis title has no room for."""
    return name if len(name) <= length else f"{name[: length - 8]}…{name[-7:]}"
