"""The two systems that a comparison opens on: first and second of the board that matters now."""

from __future__ import annotations

from analysis.studies.leads import Lead
from dashboard import address, data


def best_two() -> tuple[str, Lead] | None:
    """Return a board's dataset, and who leads there before whom; ``None``: there is none.

    The board of the dataset that the address names, else the first of Home.
    """
    boards = [board for board in data.boards() if board.is_tested]
    asked = address.value("dataset")
    for board in [*(b for b in boards if b.dataset == asked), *boards[:1]]:
        lead = data.leads((board.dataset_uid,)).get(board.dataset_uid)
        if lead is not None and lead.second:
            return board.dataset, lead
    return None
