"""What to write down about the boards of a store and who leads on each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from analysis.columns import Column
from analysis.report import Report, Table
from analysis.setting import build
from analysis.statistics.signature import build_signature
from analysis.store_defaults import defaults_of
from analysis.studies.leaderboard import Board
from analysis.studies.leads import BoardAtHand, Lead
from analysis.studies.pairs_words import CORRECTIONS_IN_WORDS, PairsSettings
from analysis.studies.reading import state_of
from store.engine import Store


def leads_report(store: Store, boards: Sequence[BoardAtHand], leads: Mapping[str, Lead]) -> Report:
    """Return some boards with who leads on each, and what makes a lead real."""
    settings = build(PairsSettings, defaults_of(store, Board))
    rows = [
        [board.dataset, lead.metric, lead.leader, lead.score, lead.in_words, lead.second]
        for board in boards
        if (lead := leads.get(board.dataset_uid)) is not None
    ]
    titles = ("dataset", "metric", "leader", "score", "lead", "runner-up")
    return Report(
        title="Boards",
        sentences=(
            "Each board is on the metric that most of its systems have. All pairs of its systems "
            "are tested, item by item, and corrected together "
            f"({CORRECTIONS_IN_WORDS[settings.correction]}, α = {settings.alpha:g}).",
            "A lead is real where the first is better than every other system with item scores. "
            "Of a tie of n, n systems may be the best. 'Cannot tell': missing items could put "
            "another system first. 'Alone' is the first against the runner-up, without correction.",
        ),
        tables=(Table([Column(title, "text") for title in titles], rows),) if rows else (),
        signature=build_signature(
            "leads",
            correction=settings.correction,
            alpha=settings.alpha,
            seed=settings.seed,
            **state_of(store),
        ),
    )
