"""`tiebreak leaderboard` and its export: the systems of a dataset, and which can be told apart."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from analysis.commands.asking import add_question, answered
from analysis.commands.options import (
    AlphaOption,
    OutOption,
    TableFormat,
    TableFormatOption,
    write_table,
)
from analysis.studies.coverage import FAILURES
from analysis.studies.leaderboard import Board, Leaderboard
from analysis.studies.pairs_words import Correction
from store.commands.file_format import RawOption
from store.console import exits_in_words, messages
from store.importers.kinds import OUTCOME_WORDS

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
            **{OUTCOME_WORDS[one]: getattr(row, name) for name, one in FAILURES.items()},
            "runs": row.n_runs,
            "sd of runs": row.run_std,
            "basis": row.basis,
            "source": row.source,
        }
        for row in study.rows
    ]


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
    raw: RawOption = False,
) -> None:
    """Write the leaderboard of a dataset as a table; all that may be best are bold."""
    from store.export import format_of

    wanted = format_of(out, format, TableFormat)
    study = answered(context, Board(dataset, metric, correction=correction, alpha=alpha))
    rows = leaderboard_rows(study)
    write_table(rows, study.report, out, wanted, raw=raw)
    messages.print(f"{len(rows):,} rows.")


add_question(app, Board)
