"""What somebody's script does with the library; `make lint` checks its types, a test runs it."""

from pathlib import Path

import altair as alt
import pandas as pd

import tiebreak


def ask(folder: Path) -> tuple[str, float, pd.DataFrame, alt.LayerChart]:
    """Log two runs and compare them; return verdict, difference, board and picture."""
    path = folder / "results.db"
    for system, scores in {"old": [0.0, 0.0, 1.0], "new": [1.0, 0.0, 1.0]}.items():
        tiebreak.log_run(system=system, dataset="d", metric="accuracy", scores=scores, store=path)
    with tiebreak.open_store(path, read_only=True) as store:
        answer = tiebreak.compare("new", "old", store, dataset="d", alpha=0.1, test="permutation")
        board = tiebreak.leaderboard(store, "d", correction="holm").to_frame()
    assert tiebreak.__version__
    return answer.study.verdict, answer.study.analysis.difference, board, answer.chart()
