"""What is asked of each command, on which data."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple

from numpy.random import Generator

from benchmarks.calibration.end_to_end.asking import (
    ask_claims,
    ask_compare,
    ask_leaderboard,
    ask_pairs,
    ask_pairs_of_corpora,
    ask_rank,
    ask_rank_of_shared,
    ask_replicability,
)
from benchmarks.calibration.end_to_end.asking_people import (
    ask_agreement,
    ask_choices,
    ask_correlate,
    ask_judges,
)
from benchmarks.calibration.end_to_end.corpora import CORPORA
from benchmarks.calibration.end_to_end.counting import Counts
from benchmarks.calibration.end_to_end.populations import POPULATIONS
from benchmarks.calibration.end_to_end.store_of import Asked


class Scenario(NamedTuple):
    """A command on data of a kind."""

    command: str
    data: str
    formula: str
    blocks: int
    """Stores that are made."""
    ask: Callable[[Asked, Generator, int], Counts]
    """Fill the store, ask, and count; the last argument is how much is asked of a store."""
    size: int
    level: float = 0.05
    """False alarms that are allowed."""

    @property
    def label(self) -> str:
        return f"{self.command} | {self.data}"


def _of_pairs() -> Iterable[Scenario]:
    sizes = {
        "symmetric": (20, 50),
        "heavy tails": (20, 50),
        "skewed": (20, 50),
        "skewed, often tied": (100, 25),
        "skewed, a better": (30, 40),
        "rare disasters": (50, 40),
        "rare disasters, noisy": (100, 25),
        "near lattice": (50, 30),
        "right or wrong": (50, 40),
        "rare labels": (100, 25),
        "few groups": (50, 40),
        "few groups, right or wrong": (90, 25),
        "few unequal groups": (60, 40),
        "few skewed groups": (40, 40),
        "many unequal groups": (60, 40),
        "seeds": (30, 25),
        "missing, hard items": (30, 30),
    }
    for name, (n_items, pairs) in sizes.items():
        formula = f"{POPULATIONS[name].formula}; {n_items} items"
        yield Scenario("pairs", name, formula, 1, ask_pairs(name, n_items, 10), pairs)
    for name in (
        "skewed", "rare disasters", "few unequal groups", "rare labels", "near lattice",
        "few skewed groups", "seeds", "missing, hard items",
    ):  # fmt: skip
        n_items = sizes[name][0]
        formula = f"{POPULATIONS[name].formula}; {n_items} items"
        yield Scenario("compare", name, formula, 1, ask_compare(name, n_items, "compare"), 100)
    for name in (
        "skewed", "rare disasters", "few groups, right or wrong", "rare labels",
        "few unequal groups", "near lattice", "seeds", "missing, hard items",
    ):  # fmt: skip
        n_items = sizes[name][0]
        formula = f"{POPULATIONS[name].formula}; {n_items} items; fails if worse"
        yield Scenario("gate", name, formula, 1, ask_compare(name, n_items, "gate"), 100, 0.025)


SCENARIOS: tuple[Scenario, ...] = (
    *_of_pairs(),
    *(
        Scenario("pairs", data, f"{n} items; {CORPORA[data].formula}", 8,
                 ask_pairs_of_corpora(data, n), size)
        for data, n, size in (
            ("corpus F1", 20, 50), ("corpus error rate", 20, 50), ("corpus, rare losses", 50, 25),
        )
    ),
    *(
        Scenario("leaderboard", data, f"8 equal systems, {n} items; {what}", 1,
                 ask_leaderboard(data, 8, n), 80)
        for data, n, what in (
            ("rare labels", 50, "all fail on half of a tenth of the items"),
            ("skewed", 30, "exponential errors"),
            ("missing, hard items", 40, "half of the systems lack a third, mostly hard ones"),
            ("few groups", 50, "in 5 groups"),
            ("rare disasters", 50, "each loses .65 on 2 % of the items"),
            ("seeds", 30, "three runs each, whose means vary by .03"),
        )
    ),
    Scenario("replicability", "independent", "right or wrong on 6 datasets of 40 items", 2,
             ask_replicability("independent", 6, 40), 40),
    Scenario("replicability", "copies", "one dataset of 40 items under 6 names", 2,
             ask_replicability("copies", 6, 40), 40),
    Scenario("replicability", "skewed", "skewed differences on 6 datasets of 20 items", 2,
             ask_replicability("skewed", 6, 20), 40),
    Scenario("replicability", "rare disasters", "rare disasters on 4 datasets of 50 items", 2,
             ask_replicability("rare disasters", 4, 50), 40),
    Scenario("replicability", "rare bad grades", "rare bad grades on 4 datasets of 50 items", 2,
             ask_replicability("rare bad grades", 4, 50), 40),
    Scenario("replicability", "few groups", "4 datasets of 50 items in 5 groups", 1,
             ask_replicability("few groups", 4, 50), 40),
    Scenario("replicability", "shared items", "4 datasets, each 30 of the same 60 items", 1,
             ask_replicability("shared items", 4, 60), 40),
    Scenario("replicability", "seeds", "4 datasets of 30 items, three runs each", 1,
             ask_replicability("seeds", 4, 30), 40),
    Scenario("replicability", "missing, hard items", "4 datasets of 30 items", 1,
             ask_replicability("missing, hard items", 4, 30), 40),
    Scenario("rank", "two systems, four datasets", "equal on all", 1, ask_rank(2, 4), 60),
    Scenario("rank", "five systems, five datasets", "equal on all", 1, ask_rank(5, 5), 40),
    Scenario("rank", "four systems, ten datasets", "equal on all", 1, ask_rank(4, 10), 20),
    Scenario("rank", "skewed", "4 equal systems on 6 datasets; exponential errors", 1,
             ask_rank(4, 6, "skewed"), 30),
    Scenario("rank", "rare labels", "3 equal systems on 8 datasets, nearly all right", 1,
             ask_rank(3, 8, "rare labels"), 30),
    Scenario("rank", "copies", "3 equal systems on one dataset of 60 items under 8 names", 1,
             ask_rank_of_shared("copies", 3, 8), 40),
    Scenario("rank", "shared items", "3 equal systems on 8 datasets, each 30 of the same 60 items",
             1, ask_rank_of_shared("shared items", 3, 8), 40),
    Scenario("claims", "symmetric", "8 equal systems in turn, 50 items", 1,
             ask_claims("symmetric", 8, 50), 60),
    Scenario("claims", "right or wrong", "8 equal systems in turn, 60 items", 2,
             ask_claims("right or wrong", 8, 60), 50),
    Scenario("claims", "rare labels", "8 equal systems in turn, 100 items", 1,
             ask_claims("rare labels", 8, 100), 40),
    Scenario("claims", "skewed", "8 equal systems in turn, 30 items; exponential errors", 1,
             ask_claims("skewed", 8, 30), 60),
    Scenario("claims", "few groups", "8 equal systems in turn, 5 groups of 10 items", 1,
             ask_claims("few groups", 8, 50), 60),
    Scenario("claims", "rare disasters", "8 equal systems in turn, 50 items", 1,
             ask_claims("rare disasters", 8, 50), 60),
    Scenario("claims", "missing, hard items",
             "8 equal systems in turn, 40 items; half lack a third of them", 1,
             ask_claims("missing, hard items", 8, 40), 60),
    *(
        Scenario("correlate", data, f"gold and two metrics, {n} items{what}", 4,
                 ask_correlate(data, n), 60)
        for data, n, what in (
            ("symmetric", 30, ""), ("heavy tails", 50, ""), ("skewed", 50, ""),
            ("right or wrong", 100, ""), ("rare labels", 100, ", a tenth of them right"),
            ("unlike errors", 30, "; the errors of one are normal, of the other exponential"),
        )
    ),
    Scenario("agreement", "even labels", "50 units, half positive; 5 % of labels flipped", 1,
             ask_agreement(50, 0.5), 60),
    Scenario("agreement", "rare labels", "30 units, a tenth positive; 5 % of labels flipped", 1,
             ask_agreement(30, 0.1), 60),
    Scenario("agreement", "rarest labels", "20 units, a twentieth positive; 5 % flipped", 1,
             ask_agreement(20, 0.05), 60),
    Scenario("judges", "ratings", "a model rates 120 items, people 30 of them", 1,
             ask_judges(30, 120), 40),
    Scenario("judges", "choices", "a model compares 120 outputs, people 15 of them; .3 ties", 1,
             ask_choices(15, 120, 0.3), 60),
)  # fmt: skip
"""In the order of the page."""
