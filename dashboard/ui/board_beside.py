"""What stands beside a board's scores: differences from a baseline, other metrics, tags."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import numpy as np

from analysis.answer_table import AnswerTable
from analysis.columns import Column
from analysis.studies.leaderboard import Board, Leaderboard
from analysis.studies.pairs import Pairs
from analysis.studies.pairs_words import VERDICTS_IN_WORDS, PairsSettings
from dashboard import data
from dashboard.ui import filters
from dashboard.ui.attaching import BASELINE
from dashboard.ui.board_groups import tags_of_systems
from store.records import DatasetRecord

NO_BASELINE: Final = ""
_MOST_SHOWN: Final = 3
"""Other metrics that are columns at once; further ones can be chosen."""
_LONGEST_TAGS: Final = 30
"""Characters of the tags of a system up to which their column is shown at once."""
_MARKS: Final = {
    "better": "▲ better",
    "worse": "▼ worse",
    "undecided": "cannot tell",
    "equivalent": "equivalent",
}


def systems_of(dataset: DatasetRecord, metric: str) -> set[str]:
    """Return the systems with runs on a dataset that have a metric."""
    return {
        run.system
        for run in data.runs()
        if run.dataset_uid == dataset.uid and any(v.metric == metric for v in run.vectors)
    }


def choose_baseline(dataset: DatasetRecord, metric: str) -> str:
    """Draw the choice of a system that all others are held against; "" is none.

    One that has the tag of a baseline is chosen at first.
    """
    systems = systems_of(dataset, metric)
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


def beside_tags(told: AnswerTable) -> AnswerTable:
    """Return a board with the tags of each system, where any has one.

    Long ones, as harnesses write them, are shown where a reader chooses to.
    """
    tags = tags_of_systems()
    of_row = [tags.get(str(name)) for name in told.values("system")]
    if not any(of_row):
        return told
    is_short = all(len(one or "") <= _LONGEST_TAGS for one in of_row)
    column = Column("tags", least=True, shown=is_short)
    return told.beside("groups", {"tags": column}, {"tags": of_row})


def beside_baseline(told: AnswerTable, board: Board, baseline: str) -> AnswerTable:
    """Return a board with how each system differs from the baseline, which is 0 from itself."""
    pairs = data.ask(
        Pairs(
            board.dataset,
            board.metric,
            settings=PairsSettings(correction=board.correction, alpha=board.alpha, seed=board.seed),
        )
    )
    at = {name: i for i, name in enumerate(pairs.systems)}
    base = at[baseline]
    rows = [at.get(str(name)) for name in told.values("system")]

    def of(
        values: np.ndarray[tuple[int, int], np.dtype[np.float64]], itself: float = np.nan
    ) -> list[float]:
        return [
            np.nan if i is None else itself if i == base else float(values[i, base]) for i in rows
        ]

    ends = ("from_baseline_low", "from_baseline_high")
    columns = {
        "from_baseline": Column(
            f"Less {baseline}",
            "difference",
            decimals=told.columns["score"].decimals,
            ends=ends,
            help="The difference from the baseline, as in the matrix of all pairs",
        ),
        "against_baseline": Column(
            "Against it",
            words=_MARKS,
            help="The verdict of the pair among all pairs of this board",
        ),
    }
    verdicts = [
        ""
        if i is None
        else "baseline"
        if i == base
        else VERDICTS_IN_WORDS[int(pairs.verdicts[i, base])]
        for i in rows
    ]
    return told.beside(
        "score",
        columns,
        {
            "from_baseline": of(pairs.difference, itself=0.0),  # it stands in its order
            ends[0]: of(pairs.shown_low, itself=0.0),
            ends[1]: of(pairs.shown_high, itself=0.0),
            "against_baseline": verdicts,
        },
    )


def beside_metrics(told: AnswerTable, study: Leaderboard, dataset: DatasetRecord) -> AnswerTable:
    """Return a board with the other metrics of the dataset, means over runs."""
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
    values: dict[str, list[float]] = {}
    for metric in sorted(found, key=lambda name: (-len(found[name]), name.casefold())):
        of_system = found[metric]
        key = f"metric: {metric}"
        means = [
            float(np.mean(of_system.get(str(uid), [np.nan]))) for uid in told.values("system_uid")
        ]
        values[key] = means
        finite = np.abs(np.array(means)[np.isfinite(means)])
        columns[key] = Column(
            metric,
            "number",
            is_name=True,
            decimals=study.decimals if finite.size and finite.max() <= 1.5 else 2,
            shown=len(columns) < _MOST_SHOWN,
            muted=True,
            least=True,
            help="Mean over runs, each on the items it was scored on: to be looked up, not tested",
        )
    return told.beside("groups", columns, values)
