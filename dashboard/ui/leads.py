"""The boards that matter, a row each: who leads, is the lead real, what came in last."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd

from analysis import numbers
from analysis.columns import Column
from analysis.studies.leads import BoardAtHand, Lead
from dashboard import places
from dashboard.ui.tables import show_table


def show_leads(
    boards: Sequence[BoardAtHand], leads: Mapping[str, Lead], *, counted: str = ""
) -> None:
    """Show boards: names lead to the board, verdicts to the comparison, runners-up to the items.

    `counted` says which of how many they are; then the search is not over these alone.
    """
    found = [leads.get(board.dataset_uid) for board in boards]
    cells = [
        {"dataset": board.dataset} | ({"metric": lead.metric} if lead else {})
        for board, lead in zip(boards, found, strict=True)
    ]
    pairs = [
        cell | {"a": lead.first, "b": lead.second} if lead and lead.second else {}
        for cell, lead in zip(cells, found, strict=True)
    ]
    board_links = [places.href("leaderboard", cell) for cell in cells]
    frame = pd.DataFrame(
        {
            "dataset": [f"★ {b.dataset}" if b.is_pinned else b.dataset for b in boards],
            "leader": [lead.leader if lead else "open the board" for lead in found],
            "score": [lead.score if lead else None for lead in found],
            "lead": [
                lead.in_words or numbers.MISSING if lead else numbers.MISSING for lead in found
            ],
            "history": [lead.history if lead else () for lead in found],
            "n_systems": [board.n_systems for board in boards],
            "came_in": [board.came_in.date() for board in boards],
            "second": [lead.second if lead else "" for lead in found],
        }
    )
    show_table(
        frame,
        key="leads",
        columns={
            "dataset": Column("Dataset", pinned=True),
            "leader": Column("Leader"),
            "second": Column(
                "Runner-up", least=True, help="Leads to the items where the two differ, with texts"
            ),
            "score": Column(
                "Score", right=True, help="On the metric that most systems of the board have"
            ),
            "lead": Column(
                "Is the lead real?",
                help="By all pairs of the board after correction, as there. 'Alone': the first "
                "against the runner-up, without it. 'Stated only': figures without a score per "
                "item, which nobody can test",
            ),
            "history": Column(
                "History", is_line=True, least=True, help="The best score so far, day by day"
            ),
            "n_systems": Column("Systems", "count", least=True),
            "came_in": Column("Came in", "day", least=True),
        },
        filename="leads",
        noun="board",
        links={
            "dataset": board_links,
            "leader": board_links,
            "lead": [places.href("compare", pair) if pair else "" for pair in pairs],
            "second": [places.href("items", pair) if pair else "" for pair in pairs],
        },
        label="Boards",
        searched=not counted,
        counted=counted,
    )
