"""What a leaderboard says in words: who leads, who may be best, what must be known."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

import numpy as np

from analysis.studies.pairs_words import CORRECTIONS_IN_WORDS
from analysis.studies.study import count, listed
from store.records import DisputedFigure, MetricRecord, ScoreMatrix

if TYPE_CHECKING:
    from analysis.studies.leaderboard_comparable import Comparable, Way
    from analysis.studies.leaderboard_rows import LeaderboardRow
    from analysis.studies.leaderboard_standing import Standing

_COMPARED_BY: Final[dict[str, str]] = {
    "own": "All have the same items.",
    "item effects": "Scores are comparable ones: what each system would have over all items by an "
    "additive model (system and item), if only how hard items are decides what is missing. The own "
    "mean and the bounds stand beside it.",
    "shared items": "Scores are those on the items that all were scored on. The own mean and the "
    "bounds over all items stand beside it.",
    "none": "Nothing makes the scores comparable, and their order says nothing.",
}

_BY: Final[dict[str, str]] = {
    "item effects": " by comparable scores",
    "shared items": " on shared items",
    "none": "",
}

NOT_FAMILY_WISE = ("none", "bh", "by")
_MOST_FIGURES = 4


ITEMS_FOR_A_NAMED_DIFFERENCE = (
    "`items_to_separate_top_two` is null: how many items a difference takes is given for one that "
    "you name, as with `tiebreak power items --gap 0.01` or `tiebreak power dataset NAME "
    "--effect 0.01`, not for the observed one."
)
"""With the JSON of a leaderboard, which has the field from before."""


def find_lead(
    rows: Sequence[LeaderboardRow], comparable: Comparable, uids: Sequence[str], alpha: float
) -> str:
    """Return ``"real"``, ``"tie of n"`` or ``"cannot tell"``, by the corrected pairs of the board.

    "Cannot tell" where missing items could put another system first. Empty where fewer than two
    systems can be tested, or the first one cannot be.
    """
    tested = [row for row in rows if row.rank_interval is not None]
    first = [row for row in rows if row.rank == 1]
    if len(tested) < 2 or not first or any(row.rank_interval is None for row in first):
        return ""
    places = {uid: i for i, uid in enumerate(uids)}
    beaten = [places[row.system_uid] for row in tested if not row.may_be_best]
    if not first[0].may_be_best or not comparable.excludes(
        places[first[0].system_uid], beaten, alpha
    ):
        return "cannot tell"
    rivals = len(tested) - len(beaten)
    return "real" if rivals == 1 else f"tie of {rivals}"


def sentence(
    rows: Sequence[LeaderboardRow],
    standing: Standing,
    lead: str,
    compared_by: Way,
    dataset: str,
    metric: MetricRecord,
) -> str:
    """Return who leads, and who cannot be told apart from the leader."""
    defined = [row for row in rows if not math.isnan(row.score)]
    if not defined:
        return f"'{metric.label}' is not defined for any system on {dataset}."
    first = [row for row in defined if row.rank == 1]
    if lead == "cannot tell":
        return _cannot_tell(first, defined, compared_by, dataset, metric)
    told = f"{listed([row.label for row in first])} {'leads' if len(first) == 1 else 'lead'}"
    told += f" on {dataset} with {metric.label} {defined[0].score:.4g}"
    told += "" if metric.higher_is_better else " (lower is better)"
    told += f" ({lead})" if lead else ""
    n_scored = min(row.n_scored for row in first)
    over = f" over {count(n_scored, 'item')}" if n_scored else " as reported"
    if compared_by != "own" and n_scored:
        over = _BY[compared_by]
    others = [row for row in defined if row.rank > 1]
    if not others:
        return f"{told}{over}."
    tested = [row for row in defined if row.rank_interval is not None]
    if len(tested) < 2 or first[0].rank_interval is None:
        n_others = len({row.system for row in others})
        follow = f"; {count(n_others, 'system')} {'follows' if n_others == 1 else 'follow'}."
        return f"{told}{over}{follow} Order is not evidence: reported scores cannot be tested."
    rest = _who_may_be_best(first, others, standing)
    said = rest.startswith(f"; with {count(n_scored, 'item')} ")
    return told + ("" if said else over) + rest


def _cannot_tell(
    first: Sequence[LeaderboardRow],
    rows: Sequence[LeaderboardRow],
    compared_by: Way,
    dataset: str,
    metric: MetricRecord,
) -> str:
    """Say that missing items could put another system first."""
    best = max(row.n_scored for row in rows)
    partial = [row for row in rows if row.basis == "items" and row.n_scored < best]
    named = listed([row.label for row in partial or rows], most=3)
    told = f"Cannot tell which system leads on {dataset} with {metric.label}: the items that "
    told += f"{named} {'was' if len(partial) == 1 else 'were'} not scored on could decide it."
    if compared_by == "none":
        return f"{told} No shared items make the scores comparable."
    names = listed([row.label for row in first], most=3)
    be = "is" if len(first) == 1 else "are"
    return f"{told} First{_BY[compared_by]} {be} {names}, {first[0].score:.4g}."


def _who_may_be_best(
    first: Sequence[LeaderboardRow], others: Sequence[LeaderboardRow], standing: Standing
) -> str:
    tested = [row for row in others if row.rank_interval is not None]
    rivals = [row for row in tested if row.may_be_best]
    names = listed([row.label for row in rivals], most=4)
    it = "it" if len(first) == 1 else "them"
    if not rivals:
        told = "; no other system may be best"
        if len(first) == 1 and first[0].rank_interval == (1, 1 + len(others) - len(tested)):
            told = "; it is better than every other system"
        return told + (" that can be tested." if len(tested) < len(others) else ".")
    told = f"; with {_items_per_pair(standing)} {names} cannot be separated from {it}"
    n_worse = len(tested) - len(rivals)
    if n_worse:
        told += f". {count(n_worse, 'system')} cannot be best"
    return told + "."


def _items_per_pair(standing: Standing) -> str:
    shared = standing.n_items[np.triu_indices(len(standing.systems), 1)]
    low, high = int(shared.min()), int(shared.max())
    return count(high, "item") if low == high else f"{low:,} to {count(high, 'item')} a pair"


def ranks_in_words(ranks: tuple[int, int] | None) -> str:
    """Return ``"1–3"``, ``"2"`` where only one is possible, nothing where none is known."""
    if ranks is None:
        return ""
    low, high = ranks
    return f"{low:,}" if low == high else f"{low:,}\N{EN DASH}{high:,}"


def stated_otherwise(figures: Sequence[DisputedFigure]) -> list[str]:
    """Return what is stated of these systems and does not follow from their items."""
    told = [f"{figure}. The board goes by the items." for figure in figures[:_MOST_FIGURES]]
    if len(figures) > _MOST_FIGURES:
        rest = count(len(figures) - _MOST_FIGURES, "further stated figure")
        told.append(f"{rest} {'is' if rest.startswith('1 ') else 'are'} not what the items give.")
    return told


def warnings(
    rows: Sequence[LeaderboardRow],
    standing: Standing,
    matrix: ScoreMatrix,
    comparable: Comparable,
) -> list[str]:
    """Return what a reader must know before believing the order."""
    from_items = [row for row in rows if row.basis == "items"]
    told = [*_on_coverage(from_items, standing, matrix, comparable)]
    if from_items and len(from_items) < len(rows):
        told.append(
            "Some scores are as reported, without item scores: they cannot be tested here, and "
            "rank intervals leave them room everywhere."
        )
    runs = {row.n_runs for row in from_items}
    if len(runs) > 1:
        told.append(
            f"Systems have between {min(runs)} and {max(runs)} runs; a score is the mean over a "
            "system's runs, item by item."
        )
    unscored = [row.system for row in from_items if not row.n_scored]
    if unscored:
        told.append(f"0 of {matrix.dataset.n_items:,} scored: {listed(unscored)}.")
    undefined = [row.system for row in rows if row.n_scored and math.isnan(row.score)]
    if undefined:
        told.append(f"Not defined for {listed(undefined)}.")
    if len(standing.systems) > 2 and standing.correction in NOT_FAMILY_WISE:
        told.append(
            f"Rank intervals and groups by {CORRECTIONS_IN_WORDS[standing.correction]}: they do "
            "not hold for all systems at once, as they would by Holm or step-down max-T."
        )
    return [*told, *standing.notes]


def _on_coverage(
    from_items: Sequence[LeaderboardRow],
    standing: Standing,
    matrix: ScoreMatrix,
    comparable: Comparable,
) -> list[str]:
    told = []
    partial = [row for row in from_items if row.n_missing]
    if partial and len(from_items) > 1:
        told.append(
            f"Unequal coverage: {listed([row.system for row in partial], most=4)} "
            f"{'was' if len(partial) == 1 else 'were'} not scored on all "
            f"{count(matrix.dataset.n_items, 'item')}. {_COMPARED_BY[comparable.way]} Pairs are "
            "compared on the items that both were scored on."
        )
    if comparable.seen_range and any(comparable.bounds):
        told.append(
            "The metric states no lowest and highest score: the bounds of what missing items could "
            "bring go by the scores seen here."
        )
    n_systems = len(standing.systems)
    n_apart = int(np.count_nonzero(np.triu(standing.n_items == 0, 1))) if n_systems > 1 else 0
    if n_apart:
        told.append(
            f"{count(n_apart, 'pair')} of systems {'shares' if n_apart == 1 else 'share'} no item: "
            "never compared, they count as not separated."
        )
    outside = [
        row.label
        for row in from_items
        if row.rank_interval is not None
        and not row.rank_interval[0] <= row.rank <= row.rank_interval[1]
    ]
    if outside:
        told.append(
            f"By the items that pairs share, {listed(outside, most=4)} "
            f"{'stands' if len(outside) == 1 else 'stand'} elsewhere than by the comparable score: "
            "believe the rank interval."
        )
    return told
