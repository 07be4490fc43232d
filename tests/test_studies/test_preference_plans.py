"""Plans for votes, against simulated votes and tests of scipy's."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from analysis.studies.power.plans import PowerPlan
from analysis.studies.power.preferences import PreferencesPlan
from store.errors import StoreError

RNG = np.random.default_rng(11)
DRAWN = 2_000


def plan(**settings: object) -> PowerPlan:
    return PreferencesPlan(**settings).answer(None)  # type: ignore[arg-type]


def drawn_votes(n: int, preferred: float, ties: float, votes: int = 1, icc: float = 0) -> object:
    """Return votes, shape (DRAWN, n, votes): each is the item's own vote with probability √ρ."""
    shares = [(1 - ties) * (1 - preferred), ties, (1 - ties) * preferred]
    own = RNG.choice((-1, 0, 1), size=(DRAWN, n, 1), p=shares)
    alone = RNG.choice((-1, 0, 1), size=(DRAWN, n, votes), p=shares)
    return np.where(RNG.random(alone.shape) < math.sqrt(icc), own, alone)


def near(share: float, power: float) -> bool:
    return bool(abs(share - power) < 4 * math.sqrt(power * (1 - power) / DRAWN))


def test_one_vote_an_item_has_the_power_of_the_sign_test() -> None:
    votes = drawn_votes(60, 0.7, ties=0.25)
    won, lost = np.sum(votes == 1, axis=(1, 2)), np.sum(votes == -1, axis=(1, 2))
    seen, drawn = np.unique(np.c_[won, lost], axis=0, return_counts=True)
    found_at = [w > lo and stats.binomtest(w, w + lo).pvalue <= 0.05 for w, lo in seen]
    share = float(np.sum(drawn[np.array(found_at)]) / DRAWN)
    found = plan(n=60, preferred=0.7, ties=0.25)
    assert near(share, found.power)


def test_several_votes_have_the_power_of_the_t_test_of_their_means() -> None:
    means = np.mean(drawn_votes(80, 0.6, ties=0.2, votes=3, icc=0.3), axis=2)
    test = stats.ttest_1samp(means, 0, axis=1)
    found = plan(n=80, preferred=0.6, ties=0.2, votes=3, icc=0.3)
    assert near(float(np.mean((test.pvalue <= 0.05) & (test.statistic > 0))), found.power)


def test_two_of_share_items_and_power_give_the_third() -> None:
    needed = plan(preferred=0.6, ties=0.1, votes=2, icc=0.4, power=0.9)
    assert (
        needed.power >= 0.9 > plan(n=needed.n - 1, preferred=0.6, ties=0.1, votes=2, icc=0.4).power
    )  # type: ignore[operator]
    smallest = plan(n=150, ties=0.3, alternative="less")
    again = plan(n=150, ties=0.3, alternative="less", preferred=0.5 + smallest.difference)
    assert again.power == pytest.approx(0.8, abs=1e-6)
    assert smallest.difference < 0
    assert math.isnan(plan(n=3).mde)


def test_votes_alike_are_one_vote_and_the_unknown_lies_between() -> None:
    found = plan(n=100, preferred=0.6, votes=5)
    alike, independent = found.scenarios[1], found.scenarios[2]
    assert alike.power < found.power < independent.power
    more = plan(n=500, preferred=0.6, votes=2, icc=1.0)
    assert more.power == pytest.approx(plan(n=500, preferred=0.6, votes=9, icc=1.0).power)
    assert "correlate by 0.5" in found.sentence


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        ({"n": 30, "preferred": 0.5}, "`preferred` must not be 0.5"),
        ({"n": 30, "preferred": 0.4, "alternative": "greater"}, "is never found"),
        ({}, "`n` or `preferred` must be given"),
        ({"n": 30, "preferred": 0.6, "power": 0.8}, "leave nothing to look for"),
        ({"preferred": 0.6, "power": 0.01}, "`power`"),
    ],
)
def test_what_cannot_be_planned_is_refused(settings: dict[str, object], told: str) -> None:
    with pytest.raises(StoreError, match=told):
        plan(**settings)
