"""Which marks of the picture of claims get a name, and where it stands."""

from __future__ import annotations

from typing import Final

import pandas as pd

from dashboard.charts.claim_labels import Floor, Spot, Wall, place_labels
from dashboard.charts.names import shorten

HEIGHT: Final = 340
"""Of the plot without its axis and key, in px."""
_WIDE, _NARROW = 740, 280
"""Widths of the plot for which labels are placed, in px."""
_MOST_LABELS: Final = 24
_RANK: Final = {"supported": 0, "contradicted": 1, "start": 3}
"""Whose name comes first; 2 for what moved the frontier, 4 for all others."""
_LAST_STRONG: Final = 2


def by_themselves(step: pd.DataFrame) -> pd.Series[bool]:
    """Return which moves of the honest frontier are shown by the last gain alone."""
    if "by_itself" not in step.columns:
        return pd.Series(True, index=step.index)
    return step["by_itself"].astype(bool)


def named(
    marks: pd.DataFrame,
    steps: list[pd.DataFrame],
    times: tuple[pd.Timestamp, pd.Timestamp],
    values: tuple[float, float],
    higher_is_better: bool,
) -> pd.DataFrame:
    """Choose for each claim whether its name is strong, and where it stands at which width."""
    rows = marks.copy()
    moved = set(zip(steps[1]["when"], steps[1]["score"], strict=True))
    moves = [place in moved for place in zip(rows["when"], rows["score"], strict=True)]
    ranks = [
        _RANK.get(verdict, 2 if moves_it else 4)
        for verdict, moves_it in zip(rows["verdict"], moves, strict=True)
    ]
    rows["strong"] = [rank <= _LAST_STRONG for rank in ranks]

    def height(score: float) -> float:
        share = (score - values[0]) / (values[1] - values[0])
        return share if higher_is_better else 1 - share

    def place(when: pd.Timestamp) -> float:
        return float((when - times[0]) / (times[1] - times[0]))

    joint = steps[1][~by_themselves(steps[1])]
    rings = set(zip(joint["when"], joint["score"], strict=True))
    spots = [
        Spot(place(when), height(score), height(low), height(high), (when, score) in rings)
        for when, score, low, high in zip(
            *(rows[name] for name in ("when", "score", "low", "high")), strict=True
        )
    ]
    walls = [
        Wall(place(when), *sorted((height(before), height(after))))
        for step in steps
        for when, before, after in zip(
            step["when"].iloc[1:], step["score"], step["score"].iloc[1:], strict=False
        )
    ]
    ends = [*steps[1]["when"].iloc[1:], times[1]]
    floors = [
        Floor(place(when), place(end), height(score))
        for when, end, score in zip(steps[1]["when"], ends, steps[1]["score"], strict=False)
    ]
    order = sorted(range(len(rows)), key=lambda k: (ranks[k], -k))[:_MOST_LABELS]
    for width, pixels, length in (("wide", _WIDE, 34), ("narrow", _NARROW, 17)):
        texts = [shorten(str(system), length) for system in rows["system"]]
        rows[f"text_{width}"] = texts
        rows[f"side_{width}"] = place_labels(
            spots, texts, order, walls=walls, floors=floors, width=pixels, height=HEIGHT
        )
    return rows
