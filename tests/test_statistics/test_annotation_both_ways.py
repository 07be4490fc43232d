"""Choices between outputs of several systems: which system comes first decides nothing."""

import dataclasses
import itertools

import numpy as np
import pytest

from analysis.statistics.annotation.agreement import pairwise_agreement
from analysis.statistics.annotation.alpha import krippendorff_alpha
from analysis.statistics.annotation.both_ways import both_ways, counted_once, mace_both_ways
from analysis.statistics.annotation.consensus import consensus
from analysis.statistics.annotation.kappa import cohen_kappa, fleiss_kappa
from analysis.statistics.annotation.mace import mace

NAN = np.nan
N_ITEMS = 60
PAIRS = list(itertools.combinations(range(4), 2))


def choices(order=(0, 1, 2, 3), n_annotators=3):
    """Return the same choices between four systems, coded by another order of them.

    Units are in the order of pairs and items; the third result is each unit's place among those
    of the first order, the fourth whether its pair is turned.
    """
    rng = np.random.default_rng(0)
    quality = np.arange(4.0) + 0.7 * rng.normal(size=(N_ITEMS, 4))
    seen = np.round(quality + 0.9 * rng.normal(size=(n_annotators, N_ITEMS, 4)), 0)
    coded, places, turned = [], [], []
    for i, j in PAIRS:
        a, b = order[i], order[j]
        coded.append(np.sign(seen[:, :, a] - seen[:, :, b]))
        places.append(PAIRS.index((min(a, b), max(a, b))) * N_ITEMS + np.arange(N_ITEMS))
        turned.append(np.full(N_ITEMS, a > b))
    items = np.tile(np.arange(N_ITEMS), len(PAIRS))
    return np.concatenate(coded, axis=1), items, np.concatenate(places), np.concatenate(turned)


def numbers(order):
    """Return everything that asks for chance."""
    coded, items, _, _ = choices(order)
    twice, groups = both_ways(coded), np.tile(items, 2)
    settings = {"groups": groups}
    pairwise = pairwise_agreement(coded, tie_credit="half", turned=True, groups=items)
    found = [
        cohen_kappa(twice, groups=groups),
        fleiss_kappa(twice, **settings),
        krippendorff_alpha(twice, **settings),
        krippendorff_alpha(twice, level="ordinal", **settings),
    ]
    return [
        pairwise.mean,
        *pairwise.interval[:2],
        pairwise.expected,
        pairwise.majority_share,
        *(number for one in found for number in (one.value, *one.interval[:2])),
    ]


@pytest.mark.parametrize("order", [(1, 3, 0, 2), (2, 0, 3, 1), (3, 2, 1, 0)])
def test_the_order_of_systems_changes_nothing(order):
    assert numbers(order) == pytest.approx(numbers((0, 1, 2, 3)))


def test_it_does_where_units_are_taken_one_way():
    plain = [fleiss_kappa(choices(order)[0]) for order in ((0, 1, 2, 3), (1, 3, 0, 2))]
    assert abs(plain[0].value - plain[1].value) > 0.1


def test_chance_is_that_of_both_ways():
    coded, items, _, _ = choices()
    twice = pairwise_agreement(both_ways(coded), tie_credit="half")
    once = pairwise_agreement(coded, tie_credit="half", turned=True)
    assert once.expected == pytest.approx(twice.expected)
    assert once.majority_share == twice.majority_share
    assert once.mean == pytest.approx(twice.mean)
    assert once.n_units == coded.shape[1]
    ties = np.mean(coded == 0, axis=1)
    one_side = (1 - ties) / 2
    by_hand = [
        2 * one_side[a] * one_side[b]
        + ties[a] * ties[b]
        + 0.5 * (ties[a] * (1 - ties[b]) + ties[b] * (1 - ties[a]))
        for a, b in itertools.combinations(range(3), 2)
    ]
    assert once.expected == pytest.approx(np.mean(by_hand))
    assert items.size == coded.shape[1]


def test_one_side_alone_is_turned_as_well():
    one = pairwise_agreement([[1, 1], [1, 1]], turned=True)
    assert (one.expected, one.majority_share) == (0.5, 0.5)


def test_units_are_counted_once():
    coded = np.array([[1, -1, 0, NAN], [1, 1, NAN, 1.0]])
    found = counted_once(krippendorff_alpha(both_ways(coded)))
    assert (found.n_units, found.n_judgments) == (2, 4)


@pytest.mark.parametrize("method", ["vb", "em"])
@pytest.mark.parametrize("order", [(1, 3, 0, 2), (2, 0, 3, 1)])
def test_competences_and_labels_do_not_depend_on_it(method, order):
    here = mace_both_ways(choices()[0], method=method, n_restarts=10)
    coded, _, places, turned = choices(order)
    there = mace_both_ways(coded, method=method, n_restarts=10)
    assert there.competence == pytest.approx(here.competence, abs=1e-3)
    back = np.where(turned, -there.labels, there.labels)
    assert back.tolist() == here.labels[places].tolist()
    assert there.entropy == pytest.approx(here.entropy[places], abs=1e-3)
    assert len(there.labels) == coded.shape[1]
    assert not np.any(np.signbit(there.labels[there.labels == 0]))


def test_equally_likely_sides_tie(monkeypatch):
    coded = np.array([[1, 1, -1, -1, 1, NAN], [1, 1, -1, -1, -1, NAN]])

    def lopsided(judgments, **settings):
        found = mace(judgments, **settings)
        posterior = found.posterior.copy()
        for unit in (4, 10):  # what the first label gains one way it loses the other way
            posterior[unit] = np.where(found.values == 1, 0.9, 0.1)
        return dataclasses.replace(found, posterior=posterior)

    monkeypatch.setattr("analysis.statistics.annotation.both_ways.mace", lopsided)
    found = mace_both_ways(coded, n_restarts=10)
    assert found.labels[:5].tolist() == [1, 1, -1, -1, 0]
    assert found.posterior[4] == pytest.approx([0.5, 0.5])
    assert found.entropy[4] == pytest.approx(np.log(2))
    assert np.isnan(found.labels[5])
    assert np.isnan(found.entropy[5])


def test_consensus_takes_them_both_ways():
    coded = choices()[0]
    known = np.where(np.arange(coded.shape[1]) < 3, 1.0, NAN)
    found = consensus(coded, rule="mace-em", turned=True, controls=known)
    expected = mace_both_ways(coded, method="em", controls=known)
    assert found.values.tolist() == expected.labels.tolist()
    assert found.values[:3].tolist() == [1, 1, 1]
    assert consensus(coded, rule="mace-em").values.tolist() == (
        mace(coded, method="em").labels.tolist()
    )
    majority = consensus(coded, rule="majority", tie_value=0, turned=True)
    assert (
        majority.values.tolist() == consensus(coded, rule="majority", tie_value=0).values.tolist()
    )
