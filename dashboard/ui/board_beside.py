"""What stands beside a board's scores: differences from a baseline, other metrics, tags."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import numpy as np
import pandas as pd

from analysis.columns import Column
from analysis.studies.leaderboard import Board, Leaderboard
from analysis.studies.pairs import Pairs
from analysis.studies.pairs_words import VERDICTS_IN_WORDS, PairsSettings
from dashboard import data
from dashboard.ui import filters
from dashboard.ui.editing import BASELINE
from store.records import DatasetRecord

NO_BASELINE: Final = ""
_MOST_SHOWN: Final = 3
"""Other metrics that are columns at once; further ones can be chosen."""
_MARKS: Final = {
    "better": "▲ better",
    "worse": "▼ worse",
    "undecided": "cannot tell",
    "equivalent": "equivalent",
}


def choose_baseline(dataset: DatasetRecord, metric: str) -> str:
    """Draw the choice of a system that all others are held against; "" is none.

    One that has the tag of a baseline is chosen at first.
    """
    systems = {
        run.system
        for run in data.runs()
        if run.dataset_uid == dataset.uid and any(v.metric == metric for v in run.vectors)
    }
    tagged = [s.name for s in data.systems() if BASELINE in s.tags and s.name in systems]
    return str(
        filters.choose_one(
            "Baseline",
            [NO_BASELINE, *sorted(systems, key=str.casefold)],
            key="baseline",
            default=tagged[0] if len(tagged) == 1 else NO_BASELINE,
            name=lambda one: one or "none",
            value=lambda one: one or "none",
            help="Every row gets its difference from this system, with interval and verdict.",
        )
    )


def choose_tags() -> Callable[[str], bool]:
    """Draw the choice of tags, where systems have any; return whether a system has one of them."""
    tags = {system.name: set(system.tags) for system in data.systems() if system.tags}
    known = sorted(set().union(*tags.values()))
    if not known:
        filters.tell_unknown("Tag", "tag", [])
        return lambda system: True
    chosen = set(filters.choose_any("Tag", known, key="tag", placeholder="all", width=200))
    return lambda system: not chosen or bool(tags.get(system, set()) & chosen)


def baseline_columns(
    frame: pd.DataFrame, study: Leaderboard, board: Board, baseline: str
) -> dict[str, Column]:
    """Put into `frame` how each system differs from the baseline; return the columns."""
    pairs = data.ask(
        Pairs(
            board.dataset,
            board.metric,
            settings=PairsSettings(correction=board.correction, alpha=board.alpha, seed=board.seed),
        )
    )
    at = {name: i for i, name in enumerate(pairs.systems)}
    base = at[baseline]
    rows = [at.get(name) for name in frame["system"]]

    def of(values: np.ndarray[tuple[int, int], np.dtype[np.float64]]) -> list[float]:
        return [np.nan if i is None or i == base else float(values[i, base]) for i in rows]

    frame["from_baseline"] = of(pairs.difference)
    frame["from_baseline_low"] = of(pairs.shown_low)
    frame["from_baseline_high"] = of(pairs.shown_high)
    frame["against_baseline"] = [
        "" if i is None or i == base else VERDICTS_IN_WORDS[int(pairs.verdicts[i, base])]
        for i in rows
    ]
    return {
        "from_baseline": Column(
            f"Less {baseline}",
            "difference",
            decimals=study.decimals,
            ends=("from_baseline_low", "from_baseline_high"),
            help="The difference from the baseline, as in the matrix of all pairs",
        ),
        "against_baseline": Column(
            "Against it",
            words=_MARKS,
            help="The verdict of the pair among all pairs of this board",
        ),
    }


def metric_columns(
    frame: pd.DataFrame, study: Leaderboard, dataset: DatasetRecord
) -> dict[str, Column]:
    """Put other metrics of the dataset into `frame`, means over runs; return the columns."""
    found: dict[str, dict[str, list[float]]] = {}
    for run in data.runs():
        if run.dataset_uid != dataset.uid:
            continue
        for vector in run.vectors:
            if vector.metric_uid != study.metric.uid and vector.value is not None:
                found.setdefault(vector.metric, {}).setdefault(run.system_uid, []).append(
                    vector.value
                )
    columns: dict[str, Column] = {}
    for metric in sorted(found, key=lambda name: (-len(found[name]), name.casefold())):
        of_system = found[metric]
        key = f"metric: {metric}"
        means = [float(np.mean(of_system.get(uid, [np.nan]))) for uid in frame["system_uid"]]
        frame[key] = means
        finite = np.abs(np.array(means)[np.isfinite(means)])
        columns[key] = Column(
            metric,
            "number",
            decimals=study.decimals if finite.size and finite.max() <= 1.5 else 2,
            shown=len(columns) < _MOST_SHOWN,
            muted=True,
            least=True,
            help="Mean over runs, each on the items it was scored on: to be looked up, not tested",
        )
    return columns
