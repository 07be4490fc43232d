"""The method in plain words, said about a board of this very store."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple

from analysis import numbers
from analysis.studies.comparison import Comparison
from analysis.studies.leaderboard import Leaderboard
from analysis.studies.leaderboard_rows import LeaderboardRow
from analysis.studies.pair_analysis import decimals_of
from analysis.studies.replicability import ReplicabilityStudy
from dashboard.ui.links import Link


class Chapter(NamedTuple):
    """A step of the lesson."""

    title: str
    text: str
    words: tuple[str, ...]
    """Terms of the glossary that the step brings in."""
    to: Link | None = None
    """Where the reader sees the same."""


class Pairs(NamedTuple):
    """Whom the lesson is about, by name."""

    first: str
    near: str
    """The next system with another score."""
    far: str | None
    """The best system that all pairs of the board separate from the first."""


def pairs_of(board: Leaderboard) -> Pairs | None:
    """Choose two pairs of a board; ``None``: it has no two systems with item scores."""
    rows = [row for row in board.rows if row.basis == "items" and not math.isnan(row.score)]
    if len(rows) < 2:
        return None
    first, *rest = rows
    near = next((row for row in rest if row.score != first.score), rest[0])
    far = next((row for row in rest if _apart(first, row)), None)
    return Pairs(first.system, near.system, far.system if far else None)


def _apart(a: LeaderboardRow, b: LeaderboardRow) -> bool:
    return bool(a.group and b.group and not set(a.group) & set(b.group))


def chapters(
    board: Leaderboard,
    near: Comparison,
    far: Comparison | None,
    across: ReplicabilityStudy | None,
) -> Iterator[Chapter]:
    """Yield the steps, each with the numbers of the store."""
    a, b = near.system_a, near.system_b
    where = {"dataset": board.dataset.label, "metric": board.metric.label}
    to_pair = Link(f"{a} against {b}", "compare", {**where, "a": a, "b": b})
    yield _sample(board, a, Link("The board", "leaderboard", where))
    yield _same_items(near, Link("These items", "items", {**where, "a": a, "b": b}))
    yield _difference(near, to_pair)
    yield _how_many(near, Link("Plan a test set", "plan", {}))
    yield _chance(board, Link("All pairs of the board", "pairs", where))
    if far is not None:
        to_far = Link(
            f"{far.system_a} against {far.system_b}",
            "compare",
            {**where, "a": far.system_a, "b": far.system_b},
        )
        yield Chapter("What a real difference looks like", far.sentence, ("verdict",), to_far)
    if across is not None:
        to_all = Link("On all datasets", "across_datasets", {"a": a, "b": b})
        yield Chapter(
            "Does it hold elsewhere?",
            "A difference on one dataset may be the dataset's. Means over datasets hide where it "
            f"holds, so the datasets are counted on which it was shown. {across.sentence}",
            ("replicability", "k̂"),
            to_all,
        )
    yield Chapter(
        "Records over time",
        "A test set that is asked again and again gives a record in the end, by luck. So claims "
        "are taken in the order of their days, and the later ones need more evidence.",
        ("record", "alpha spending", "within noise", "underpowered"),
        Link("Claims on this dataset", "claims", where),
    )


def _sample(board: Leaderboard, system: str, to: Link) -> Chapter:
    (row,) = [row for row in board.rows if row.system == system and row.basis == "items"]
    n = numbers.counted(row.n_scored, "item")
    text = (
        f"{system} scores {numbers.fixed(row.score, board.decimals)} on {board.dataset.label}, "
        f"over {n}. Other {numbers.count(row.n_scored)} items of the same kind would give another "
        "score."
    )
    if row.ci is not None:
        text += (
            f" Where the score lies in truth is an interval: {numbers.interval(*row.ci)}, at "
            f"{numbers.confidence(board.alpha)} confidence."
        )
    return Chapter("A score is a sample", text, ("item", "score", "interval"), to)


def _same_items(near: Comparison, to: Link) -> Chapter:
    a, b, effects = near.system_a, near.system_b, near.analysis.effect_sizes
    if effects is None:
        text = (
            f"{a} and {b} answered the same items. The metric is of all items at once, so whole "
            "answers are exchanged between the two, item by item."
        )
    else:
        text = (
            f"{a} and {b} answered the same items. {a} does better on {effects.win:,}, {b} on "
            f"{effects.loss:,}; on {effects.tie:,} they are alike. Those alike do not say who is "
            "better. So the two are compared item by item, never mean with mean."
        )
    return Chapter("The same items for both", text, ("group",), to)


def _difference(near: Comparison, to: Link) -> Chapter:
    analysis = near.analysis
    low, high = analysis.ci
    text = near.sentence
    if near.verdict == "undecided" and math.isfinite(high - low):
        text += (
            " The interval says which true differences fit these items. Here "
            f"{numbers.interval(low, high, signed=True)} leaves both sides open, or the test does. "
            "This is not the same as equal: name a margin, and the interval must lie inside it."
        )
    elif math.isfinite(high - low):
        text += (
            " The interval says which true differences fit these items: "
            f"{numbers.interval(low, high, signed=True)}."
        )
    title = "Why a tie is an answer" if near.verdict == "undecided" else "A difference"
    words = ("p-value", "α", "cannot tell", "equivalent", "margin")
    return Chapter(title, text, words, to)


def _how_many(near: Comparison, to: Link) -> Chapter:
    analysis = near.analysis
    text = "The smaller the difference, the more items it takes: a tenth takes a hundred times."
    if math.isfinite(analysis.mde):
        digits = decimals_of(analysis)
        text += (
            f" With these {numbers.counted(analysis.n_items, 'item')}, a true difference of "
            f"{numbers.fixed(analysis.mde, digits)} between the two is found in 80 of 100 test "
            f"sets. They were seen {numbers.fixed(abs(analysis.difference), digits)} apart."
        )
    return Chapter("How many items", text, ("power", "smallest difference found"), to)


def _chance(board: Leaderboard, to: Link) -> Chapter:
    n = sum(row.basis == "items" for row in board.rows)
    n_pairs = n * (n - 1) // 2
    expected = numbers.fixed(n_pairs * board.alpha, 1 if n_pairs * board.alpha < 10 else 0)
    text = (
        f"{numbers.counted(n, 'system')} make {numbers.counted(n_pairs, 'pair')}. Were they all "
        f"alike, tests at α = {board.alpha:g} would still call about {expected} of them different."
        " So all pairs of a board are corrected together; then even one false finding is as rare "
        "as α."
    )
    if board.lead:
        text += f" The first place of this board after that: {board.lead}."
    words = ("correction", "adjusted p", "possible ranks", "group letters")
    return Chapter("Who compares much finds something", text, words, to)
