"""A leaderboard as the frames that its pictures and its table need."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import pandas as pd

from analysis import numbers
from analysis.studies.leaderboard import Leaderboard
from analysis.studies.leaderboard_rows import LeaderboardRow

MOST_LETTERS: Final = 26
"""Groups with a letter each beside the picture; with more of them letters say nothing."""


def run_frame(rows: Sequence[LeaderboardRow]) -> pd.DataFrame:
    """Return a row per run of the systems that have several."""
    return pd.DataFrame(
        [
            {"system": row.label, "run": f"run {number}", "score": value}
            for row in rows
            for number, value in enumerate(row.run_scores, start=1)
            if len(row.run_scores) > 1 and row.score == row.score_own
        ],
        columns=["system", "run", "score"],
    )


def picture_frame(frame: pd.DataFrame, study: Leaderboard) -> pd.DataFrame:
    """Return what `score_dots` draws: scores as text, letters while there are few groups."""
    has_letters = 1 < study.n_groups <= MOST_LETTERS
    return frame.assign(
        low=frame["ci_low"],
        high=frame["ci_high"],
        label=[numbers.fixed(score, study.decimals) for score in frame["score"]],
        group=frame["groups"].fillna("") if has_letters else "",
    )


def resolution_in_words(study: Leaderboard) -> str:
    """Return how finely the board tells its systems apart; empty with fewer than two."""
    found = study.resolution
    if not found.n_adjacent:
        return ""
    n_apart = round(found.adjacent_separable * found.n_adjacent)
    told = f"{n_apart:,} of {numbers.counted(found.n_adjacent, 'neighbour')} can be separated"
    if found.smallest_separable_gap == found.smallest_separable_gap:
        gap = numbers.fixed(found.smallest_separable_gap, study.decimals)
        told += f"; the smallest difference that could is {gap}"
    return f"{told}."
