"""`tiebreak leaderboard` and its export: the systems of a dataset, and which can be told apart."""

from __future__ import annotations

from typing import Annotated, Any

import typer
from rich.console import Console

from analysis import numbers
from analysis.commands.asking import add_question, answered
from analysis.commands.options import (
    AlphaOption,
    OutOption,
    TableFormat,
    TableFormatOption,
    write_table,
)
from analysis.statistics.boards.groups import shorten_letters
from analysis.studies.leaderboard import Board, Leaderboard
from analysis.studies.leaderboard_rows import LeaderboardRow
from analysis.studies.leaderboard_words import ITEMS_FOR_A_NAMED_DIFFERENCE, ranks_in_words
from analysis.studies.pairs_words import Correction
from store.console import exits_in_words, messages, table
from store.export import format_of

app = typer.Typer()
export_app = typer.Typer()


def leaderboard_rows(study: Leaderboard) -> list[dict[str, Any]]:
    """Return the rows of a leaderboard as flat tables need them."""
    nothing = (None, None)
    return [
        {
            "rank": row.rank,
            "system": row.label,
            "score": row.score,
            "ci low": (row.ci or nothing)[0],
            "ci high": (row.ci or nothing)[1],
            "rank low": (row.rank_interval or nothing)[0],
            "rank high": (row.rank_interval or nothing)[1],
            "group": row.group,
            "may be best": row.may_be_best,
            "p best": row.p_best,
            "own score": row.score_own,
            "bound low": (row.bounds or nothing)[0],
            "bound high": (row.bounds or nothing)[1],
            "on shared items": row.score_on_shared,
            "scored": row.n_scored,
            "missing": row.n_missing,
            "missing in trials": row.n_lost,
            "by rule": row.n_by_rule,
            "runs": row.n_runs,
            "sd of runs": row.run_std,
            "basis": row.basis,
            "source": row.source,
        }
        for row in study.rows
    ]


def _show_leaderboard(console: Console, study: Leaderboard) -> None:
    console.print(study.sentence, markup=False)
    has_lost = any(row.n_lost for row in study.rows)
    has_rule = any(row.n_by_rule for row in study.rows)
    has_missing = any(row.score_on_shared is not None for row in study.rows)
    columns = ["=rank", "system", "=score", "=interval", "=ranks possible", "group"]
    columns += ["=own items", "=bounds"] * study.adjusted
    columns += ["=on shared items"] * has_missing
    rows = [
        [
            row.rank,
            row.label,
            numbers.fixed(row.score, study.decimals),
            " to ".join(numbers.fixed(end, study.decimals) for end in row.ci or ()),
            ranks_in_words(row.rank_interval),
            shorten_letters(row.group or ""),
            *(_own_and_bounds(row, study.decimals) if study.adjusted else ()),
            *([row.score_on_shared] * has_missing),
            row.n_scored,
            row.n_missing,
            *([row.n_lost] * has_lost),
            *([row.n_by_rule] * has_rule),
            row.n_runs,
            row.basis,
        ]
        for row in study.rows
    ]
    columns += ["=scored", "=missing"]
    columns += ["=missing in trials"] * has_lost + ["=by rule"] * has_rule
    console.print(table("", (*columns, "=runs", "basis"), rows))


def _own_and_bounds(row: LeaderboardRow, decimals: int) -> tuple[str, str]:
    bounds = " to ".join(numbers.fixed(end, decimals) for end in row.bounds or ())
    return numbers.fixed(row.score_own, decimals), bounds


@export_app.command("leaderboard")
@exits_in_words
def export_leaderboard_command(
    context: typer.Context,
    dataset: str,
    metric: Annotated[str | None, typer.Option(help="By default the one most used.")] = None,
    correction: Annotated[
        Correction, typer.Option(help="For testing many pairs at once.")
    ] = "holm",
    alpha: AlphaOption = 0.05,
    format: TableFormatOption = None,
    out: OutOption = None,
) -> None:
    """Write the leaderboard of a dataset as a table; all that may be best are bold."""
    wanted = format_of(out, format, TableFormat)
    study = answered(context, Board(dataset, metric, correction=correction, alpha=alpha))
    rows = leaderboard_rows(study)
    write_table(rows, study.report, out, wanted)
    messages.print(f"{len(rows):,} rows.")


add_question(
    app,
    Board,
    _show_leaderboard,
    notes=lambda study: (ITEMS_FOR_A_NAMED_DIFFERENCE,),
)
