"""A leaderboard as the frames that its pictures and its table need."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import pandas as pd

from analysis import glossary, numbers
from analysis.columns import Column
from analysis.statistics.boards.groups import shorten_letters
from analysis.studies.leaderboard import Leaderboard
from analysis.studies.leaderboard_rows import LeaderboardRow
from analysis.studies.leaderboard_words import ranks_in_words

MOST_LETTERS: Final = 26
"""Groups with a letter each beside the picture; with more of them letters say nothing."""


def board_frame(rows: Sequence[LeaderboardRow]) -> pd.DataFrame:
    """Return a row per system, the values as they are."""
    frame = pd.DataFrame(
        {
            "rank": [row.rank for row in rows],
            "system": [row.label for row in rows],
            "system_uid": [row.system_uid for row in rows],
            "score": [row.score for row in rows],
            "score_own": [row.score_own for row in rows],
            "bound_low": [row.bounds[0] if row.bounds else None for row in rows],
            "bound_high": [row.bounds[1] if row.bounds else None for row in rows],
            "ci_low": [row.ci[0] if row.ci else None for row in rows],
            "ci_high": [row.ci[1] if row.ci else None for row in rows],
            "rank_low": [row.rank_interval[0] if row.rank_interval else None for row in rows],
            "rank_high": [row.rank_interval[1] if row.rank_interval else None for row in rows],
            "ranks": [ranks_in_words(row.rank_interval) or numbers.MISSING for row in rows],
            "group": [row.group for row in rows],
            "groups": [shorten_letters(row.group or "") or numbers.MISSING for row in rows],
            "may_be_best": [row.may_be_best for row in rows],
            "p_best": [row.p_best for row in rows],
            "score_on_shared": [row.score_on_shared for row in rows],
            "n_scored": [row.n_scored for row in rows],
            "n_missing": [row.n_missing for row in rows],
            "n_lost": [row.n_lost for row in rows],
            "n_by_rule": [row.n_by_rule for row in rows],
            "n_items": [row.n_items for row in rows],
            "n_runs": [row.n_runs for row in rows],
            "run_std": [row.run_std for row in rows],
            "basis": [row.basis for row in rows],
            "source": [row.source for row in rows],
        }
    )
    floats = ["bound_low", "bound_high"]
    floats += ["ci_low", "ci_high", "rank_low", "rank_high", "p_best", "score_on_shared", "run_std"]
    return frame.astype(dict.fromkeys(floats, "float64"))


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
        group=frame["groups"].replace(numbers.MISSING, "") if has_letters else "",
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


def board_columns(study: Leaderboard, frame: pd.DataFrame) -> dict[str, Column]:
    """Return the columns of a board's table; those that say nothing here are not shown."""
    level = f"{100 * (1 - study.alpha):g} %"
    basis = {row.basis for row in study.rows}
    has_items, is_tested = "items" in basis, study.resolution.n_adjacent > 0
    has_shared = bool(frame["score_on_shared"].notna().any())
    return {
        "rank": Column("Rank", "count", help="By score; equal scores share a rank", least=True),
        "system": Column("System", pinned=True),
        "score": Column(
            study.metric.label,
            "number",
            decimals=study.decimals,
            help=f"With its {level} interval" if has_items else None,
            ends=("ci_low", "ci_high"),
        ),
        "ci_low": Column(
            "From", "number", decimals=study.decimals, shown=False, help=f"{level} interval"
        ),
        "ci_high": Column("To", "number", decimals=study.decimals, shown=False),
        "score_own": Column(
            "Own items",
            "number",
            decimals=study.decimals,
            shown=study.adjusted,
            muted=True,
            help="On the items that the system itself was scored on: not comparable",
        ),
        "bound_low": Column(
            "At least",
            "number",
            decimals=study.decimals,
            shown=study.adjusted and bool(frame["bound_low"].notna().any()),
            help="If every missing item had brought the lowest score",
        ),
        "bound_high": Column(
            "At most",
            "number",
            decimals=study.decimals,
            shown=study.adjusted and bool(frame["bound_low"].notna().any()),
            help="If every missing item had brought the highest score",
        ),
        "ranks": Column(
            "Possible ranks",
            by="rank",
            ends=("rank_low", "rank_high"),
            shown=is_tested,
            help=glossary.help("possible ranks"),
        ),
        "groups": Column("Group", shown=is_tested, help=glossary.help("group letters"), least=True),
        "p_best": Column(
            "First",
            "share",
            shown=is_tested,
            help=f"How often the system comes first when the {study.n_shared:,} items that all "
            "were scored on are drawn anew; not the probability that it is the best",
            least=True,
        ),
        "score_on_shared": Column(
            "On shared items",
            "number",
            decimals=study.decimals,
            shown=has_shared,
            help=f"The {study.n_shared:,} items that every system was scored on",
        ),
        "n_scored": Column(
            "Scored", "count", shown=has_items and frame["n_scored"].nunique() > 1, least=True
        ),
        "n_missing": Column("Missing", "count", shown=bool(frame["n_missing"].any())),
        "n_lost": Column(
            "Missing in trials",
            "count",
            shown=bool(frame["n_lost"].any()),
            help="Scores missing in single runs or trials, of items that others of them scored",
        ),
        "n_by_rule": Column(
            "By rule",
            "count",
            shown=bool(frame["n_by_rule"].any()),
            help="Scores that a rule gave where there was no answer to score",
        ),
        "n_runs": Column(
            "Runs", "count", shown=has_items and frame["n_runs"].nunique() > 1, least=True
        ),
        "run_std": Column(
            "SD of runs",
            "number",
            decimals=study.decimals + 1,
            shown=bool(frame["run_std"].notna().any()),
            help="Standard deviation between runs: what another seed changes",
            least=True,
        ),
        "basis": Column("Basis", shown=len(basis) > 1),
        "source": Column("Source", shown="reported" in basis),
    }
