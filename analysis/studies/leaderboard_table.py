"""The table of a leaderboard."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from analysis import glossary
from analysis.answer_table import AnswerTable
from analysis.columns import Column, Value
from analysis.statistics.boards.groups import shorten_letters
from analysis.studies.coverage import FAILURES
from analysis.studies.leaderboard_result import LeaderboardResult
from analysis.studies.leaderboard_rows import LeaderboardRow
from analysis.studies.leaderboard_words import ranks_in_words
from analysis.studies.pairs_words import CORRECTIONS_IN_WORDS
from store.importers.kinds import OUTCOME_WORDS


def board_table(study: LeaderboardResult, rows: Sequence[LeaderboardRow]) -> AnswerTable:
    """Return a row per system: those of `study`, or some of them."""
    is_tested = study.resolution.n_adjacent > 0
    lower = "" if study.metric.higher_is_better else " (lower is better)"
    best = [i for i, row in enumerate(rows) if is_tested and row.may_be_best]
    notes = [
        f"Systems that share a letter cannot be separated at α = {study.alpha:g}, "
        f"{CORRECTIONS_IN_WORDS[study.correction]} over all pairs. The interval of a score is of "
        "that score alone: two scores are compared by their pair, not by whether their intervals "
        "overlap."
    ] * is_tested
    return AnswerTable(
        name="leaderboard",
        noun="system" if len({row.system_uid for row in rows}) == len(rows) else "figure",
        columns=_columns(study, rows, is_tested),
        rows=[_cells(row) for row in rows],
        caption=f"{study.metric.label} on {study.dataset.label}{lower}",
        notes=notes,
        strong="on shared items no system is better"
        if study.adjusted
        else "no system is better beyond doubt",
        stands_out={"system": best, "score": best},
    )


def _cells(row: LeaderboardRow) -> dict[str, Value]:
    none = (math.nan, math.nan)
    bounds, ci, ranks = row.bounds or none, row.ci or none, row.rank_interval or none
    return {
        "rank": row.rank,
        "system": row.label,
        "system_uid": row.system_uid,
        "score": row.score,
        "score_own": row.score_own,
        "bound_low": bounds[0],
        "bound_high": bounds[1],
        "ci_low": ci[0],
        "ci_high": ci[1],
        "rank_low": float(ranks[0]),
        "rank_high": float(ranks[1]),
        "ranks": ranks_in_words(row.rank_interval) or None,
        "group": row.group,
        "groups": shorten_letters(row.group or "") or None,
        "may_be_best": row.may_be_best,
        "p_best": math.nan if row.p_best is None else row.p_best,
        "score_on_shared": math.nan if row.score_on_shared is None else row.score_on_shared,
        "n_scored": row.n_scored,
        "n_missing": row.n_missing,
        "n_lost": row.n_lost,
        "n_by_rule": row.n_by_rule,
        **{name: getattr(row, name) for name in FAILURES},
        "n_items": row.n_items,
        "n_runs": row.n_runs,
        "run_std": math.nan if row.run_std is None else row.run_std,
        "basis": row.basis,
        "source": row.source,
    }


def _columns(
    study: LeaderboardResult, rows: Sequence[LeaderboardRow], is_tested: bool
) -> dict[str, Column]:
    """Return the columns; those that say nothing here are not shown."""
    level = f"{100 * (1 - study.alpha):g} %"
    basis = {row.basis for row in rows}
    has_items = "items" in basis
    is_bounded = study.adjusted and any(row.bounds and math.isfinite(row.bounds[0]) for row in rows)

    has_runs = any(row.run_std is not None for row in rows)

    def score(title: str, help: str | None = None) -> Column:
        return Column(title, "number", decimals=study.decimals, help=help)

    n_shared = f"{study.n_shared:,} items that"
    return {
        "rank": Column("rank", "count", help="By score; equal scores share a rank", least=True),
        "system": Column("system", pinned=True),
        "score": replace(
            score(study.metric.label, f"With its {level} interval" if has_items else None),
            is_name=True,
            ends=("ci_low", "ci_high") if has_items else None,
            interval=f"{level} interval",
        ),
        "ci_low": score("from", f"{level} interval").when(False),
        "ci_high": score("to").when(False),
        "score_own": replace(
            score("own items", "On the items that the system itself was scored on: not comparable"),
            muted=True,
        ).when(study.adjusted),
        "bound_low": score("at least", "If every missing item had brought the lowest score").when(
            is_bounded
        ),
        "bound_high": score("at most", "If every missing item had brought the highest score").when(
            is_bounded
        ),
        "ranks": Column(
            "possible ranks",
            by="rank",
            ends=("rank_low", "rank_high"),
            help=glossary.help("possible ranks"),
        ).when(is_tested),
        "groups": Column(
            "group", help=glossary.help("group letters"), bands="group", least=True
        ).when(is_tested),
        "p_best": Column(
            "first",
            "share",
            help=f"How often the system comes first when the {n_shared} all were scored on are "
            "drawn anew; not the probability that it is the best",
            least=True,
        ).when(is_tested),
        "score_on_shared": score(
            "on shared items", f"The {n_shared} every system was scored on"
        ).when(any(row.score_on_shared is not None for row in rows)),
        "n_scored": Column(
            "scored",
            "count",
            shown=has_items and len({row.n_scored for row in rows}) > 1,
            in_report=has_items,
            least=True,
        ),
        "n_missing": Column("missing", "count").when(any(row.n_missing for row in rows)),
        "n_lost": Column(
            "missing in trials",
            "count",
            help="Scores missing in single runs or trials, of items that others of them scored",
        ).when(any(row.n_lost for row in rows)),
        "n_by_rule": Column(
            "by rule", "count", help="Scores that a rule gave where there was no answer to score"
        ).when(any(row.n_by_rule for row in rows)),
        **{
            name: Column(
                OUTCOME_WORDS[one], "count", help="Attempts, over runs and trials, that ended so"
            ).when(any(getattr(row, name) for row in rows))
            for name, one in FAILURES.items()
        },
        "n_runs": Column("runs", "count", least=True).when(
            has_items and len({row.n_runs for row in rows}) > 1
        ),
        "run_std": Column(
            "SD of runs",
            "number",
            decimals=study.decimals + 1,
            help="Standard deviation between runs: what another seed changes",
            least=True,
        ).when(has_runs),
        "basis": Column("basis").when(len(basis) > 1),
        "source": Column("source").when("reported" in basis),
    }
